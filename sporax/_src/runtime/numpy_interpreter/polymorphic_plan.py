"""Plans of traces for all sizes: for other sizes, the steps get other parameters."""

import collections
import functools
import itertools
from typing import Any

import jax

from sporax._src.core.jax_internals import ClosedJaxpr, evaluate_size, is_symbolic
from sporax._src.runtime.numpy_interpreter.plans import (
    OF_SIZES,
    Builder,
    Description,
    Plan,
    Unsupported,
    numpy_function,
    volumes_of,
    work_of_volumes,
)
from sporax._src.runtime.numpy_interpreter.polymorphic import (
    NotPolymorphic,
    Runs,
    SizeFamily,
    SizePattern,
    distinct,
    has_symbols,
    signature,
    sized,
)


class _Size:
    """Placeholder in the parameters of a step for the plan's size at `index`."""

    __slots__ = ("index",)

    def __init__(self, index):
        self.index = index


def _filled(item, values):
    """Return a parameter with values substituted for its sizes."""
    if item.__class__ is _Size:
        return values[item.index]
    if item.__class__ is tuple:
        return tuple([_filled(element, values) for element in item])
    return item


class SizingBuilder(Builder):
    """Build a plan from jaxprs whose shapes and parameters may be symbolic. `symbols`: the values
    of a jaxpr's symbols."""

    def __init__(self):
        super().__init__()
        self.symbols: dict[str, Any] = {}
        self.by_symbols = {(): self.descriptions}  # descriptions for each set of values

    def bind(self, symbols):
        """Set the values of the symbols for the next jaxprs."""
        self.symbols = symbols
        self.descriptions = self.by_symbols.setdefault(tuple(symbols.values()), {})

    def description(self, equation):
        general = super().description(equation)
        if not self.symbols:
            return general
        parameters = general.parameters
        if any(map(has_symbols, parameters.values())):
            parameters = {k: sized(p, self.symbols) for k, p in parameters.items()}
        operands, results = map(self._avals, (general.operands, general.results))
        return Description(parameters, operands, results, general.is_single)

    def _avals(self, avals):
        return [
            jax.ShapeDtypeStruct(sized(a.shape, self.symbols), a.dtype)
            if has_symbols(a.shape)
            else a
            for a in avals
        ]


class PolymorphicBuilder(SizingBuilder):
    """Build a plan that is symbolic itself: the values of a jaxpr's symbols are expressions of the
    plan's symbols."""

    def __init__(self):
        super().__init__()
        self.sizes = {}  # symbolic size -> its _Size
        self.constants = []  # (slot, function, arguments)

    def numbered(self, item):
        """Return a shape or parameter with a `_Size` for each symbolic size."""
        if item.__class__ is tuple:
            return tuple([self.numbered(element) for element in item])
        if not is_symbolic(item):
            return item
        if item not in self.sizes:
            self.sizes[item] = _Size(len(self.sizes))
        return self.sizes[item]

    def function(self, name, parameters, operands, results):
        """Return a step's function, as a `SizedStep` if it depends on sizes."""
        items = tuple(parameters.values())
        is_of_sizes = name in OF_SIZES
        shapes = tuple([a.shape for a in (*operands, *results)]) if is_of_sizes else ()
        if not has_symbols((items, shapes)):
            return numpy_function(name, parameters, operands, results)
        function = _of_sizes if is_of_sizes else _ordinary
        function = functools.partial(function, name, tuple(parameters), operands, results)
        return SizedStep(function, self.numbered((items, shapes)))

    def viewing(self, function, shape):
        if not has_symbols(shape):
            return functools.partial(function, shape)
        return SizedStep(functools.partial(functools.partial, function), (self.numbered(shape),))

    def filled(self, key, function, arguments, shape):
        if not has_symbols(arguments):
            return super().filled(key, function, arguments, shape)
        slot = self.slots.get(key)
        if slot is None:
            slot = self.slots[key] = self.slot(shape)
            self.constants.append((slot, function, self.numbered(arguments)))
        return slot

    def work_of(self, name, parameters, operands, results):
        if not any(has_symbols(a.shape) for a in (*operands, *results)):
            return super().work_of(name, parameters, operands, results)
        factor, volumes = volumes_of(name, parameters, operands, results)
        return factor, self.numbered(tuple(dict.fromkeys(volumes)))

    @staticmethod
    def total(work):
        return [*collections.Counter(work).items()]


def _ordinary(name, keys, operands, results, items, shapes):
    return numpy_function(name, dict(zip(keys, items, strict=True)), operands, results)


def _of_sizes(name, keys, operands, results, items, shapes):
    avals = [
        jax.ShapeDtypeStruct(shape, a.dtype)
        for shape, a in zip(shapes, (*operands, *results), strict=True)
    ]
    n = len(operands)
    return _ordinary(name, keys, avals[:n], avals[n:], items, shapes)


class SizedStep:
    """A step whose function is `function(*arguments)`, where the arguments contain sizes."""

    __slots__ = ("arguments", "function")

    def __init__(self, function, arguments):
        self.function, self.arguments = function, arguments

    def instantiate(self, values):
        """Return the step's function for these values of the plan's sizes."""
        function = self.function(*_filled(self.arguments, values))
        if isinstance(function, Unsupported):
            raise function
        return function


class PolymorphicPlan:
    """The plan of a trace for sizes of one pattern.

    `steps`: (PolymorphicJaxpr or closed jaxpr, the number of sizes in the operation's attributes,
    places of its operands: `n` is the n-th output so far, `~k` the k-th input); `inputs`: (ndim,
    dtype) of the inputs; `wanted`: places of the plan's outputs. The pattern has the inputs' sizes
    first, then the attributes'.
    """

    def __init__(self, pattern, steps, inputs, wanted):
        builder, sizes = PolymorphicBuilder(), iter(pattern.sizes)
        shapes = [tuple(itertools.islice(sizes, ndim)) for ndim, _ in inputs]
        slots = [
            builder.input(jax.ShapeDtypeStruct(shape, dtype))
            for shape, (_, dtype) in zip(shapes, inputs, strict=True)
        ]
        n, different, varying = len(inputs), [], []
        for form, n_sizes, indices in steps:
            indices = [n + i if i >= 0 else ~i for i in indices]
            taken = [shapes[i] for i in indices]
            closed, symbols = _bound(form, [*itertools.islice(sizes, n_sizes)], taken, different)
            builder.bind(symbols)
            varying += symbols.values()
            slots += builder.add(closed, [slots[i] for i in indices])
            shapes += [sized(a.shape, symbols) for a in closed.out_avals]  # type: ignore[reportAttributeAccessIssue]  # arrays
        indices = [n + i if i >= 0 else ~i for i in wanted]
        self.plan = builder.finish(
            slots[:n], [slots[i] for i in indices], [shapes[i] for i in indices]
        )
        varying = {str(size): size for size in varying}
        self.pattern = SizePattern(pattern.sizes, distinct(different), tuple(varying.values()))
        self.constants = builder.constants
        self.sized = [i for i, step in enumerate(self.plan.steps) if step[0].__class__ is SizedStep]
        self.sizes = list(builder.sizes)

    def instantiate(self, symbols):
        """Return the `Plan` for these values of the symbols; raises `Unsupported`."""
        values = [evaluate_size(size, symbols) for size in self.sizes]
        general = self.plan
        steps, start = general.steps.copy(), general.start.copy()
        for i in self.sized:
            step, operands, out, free = steps[i]
            steps[i] = step.instantiate(values), operands, out, free
        for slot, function, arguments in self.constants:
            start[slot] = function(*_filled(arguments, values))
        work = 0
        for one, count in general.work:
            if one.__class__ is tuple:
                factor, volumes = one
                one = work_of_volumes(factor, _filled(volumes, values))
            work += count * one
        return Plan(start, steps, general.inputs, general.outputs, work)


def _bound(form, attribute_sizes, shapes, different):
    """Return (closed jaxpr, its symbols' values) of a form for operands of these shapes; append the
    sizes that must differ to the list `different`."""
    if isinstance(form, ClosedJaxpr):
        taken = [a.shape for a in form.in_avals]  # type: ignore[reportAttributeAccessIssue]  # arrays
        if has_symbols(tuple(attribute_sizes)) or taken != [*shapes]:
            raise NotPolymorphic("an operation has a jaxpr for each size")
        return form, {}
    symbols = form.pattern.bind([*attribute_sizes, *itertools.chain.from_iterable(shapes)])
    if symbols is None:
        raise NotPolymorphic("an operation is for other sizes")
    pairs = [sized(pair, symbols) for pair in form.pattern.different]
    different += [pair for pair in pairs if has_symbols(pair)]
    return form.closed, symbols


def plan_for_all_sizes(families, steps, inputs, wanted):
    """Return the plan of a trace from the plan for all sizes; None if there is none (yet).

    `families`: a table of these plans, by the common structure of traces. `steps`: (rule,
    operation, places of its operands) for each.
    """
    sizes = tuple([*itertools.chain(*[a.shape for a in inputs], *[op.sizes for _, op, _ in steps])])
    if not all([n.__class__ is int for n in sizes]):
        return None
    structure = [(op.family, len(op.sizes), *operands) for _, op, operands in steps]
    avals = [(a.dtype, signature(a.shape)) for a in inputs]
    key = tuple(structure), tuple(avals), wanted
    family = families.get(key)
    if family is None:
        family = families[key] = SizeFamily()

    Runs.count += 1

    def build(pattern):
        forms = [
            (rule.form[0] if rule.form else rule.jaxpr, len(op.sizes), operands)
            for rule, op, operands in steps
        ]
        return PolymorphicPlan(pattern, forms, [(a.ndim, a.dtype) for a in inputs], wanted)

    match = family.find(sizes, build)
    return None if match is None else match[0].instantiate(match[1])


def plan_for_these_sizes(steps, inputs, wanted, builder=None):
    """Return the plan of a trace from the forms of its operations, or from a jaxpr for these sizes
    if an operation has no form; raises `Unsupported`. `builder`: collects its steps. For the other
    arguments, see `plan_for_all_sizes`."""
    builder, n = builder or SizingBuilder(), len(inputs)
    slots = [builder.input(aval) for aval in inputs]
    shapes = [aval.shape for aval in inputs]
    for rule, _, indices in steps:
        form = rule.form
        closed, symbols = (form[0].closed, form[1]) if form else (rule.jaxpr, {})
        builder.bind(symbols)
        slots += builder.add(closed, [slots[n + i if i >= 0 else ~i] for i in indices])
        shapes += [aval.shape for aval in rule.avals]
    indices = [n + i if i >= 0 else ~i for i in wanted]
    return builder.finish(slots[:n], [slots[i] for i in indices], [shapes[i] for i in indices])
