"""`Op`: a function on arrays, its `Rule` for operands of given avals, and its pullback."""

import copy
import functools
from contextlib import nullcontext
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import get_abstract_mesh

from sporax._src.core.errors import REFUSALS, listed, operand_error
from sporax._src.core.interruptions import uninterrupted
from sporax._src.core.jax_internals import jaxpr_as_fun, primitive_jaxpr, used_inputs
from sporax._src.core.promotion import promote
from sporax._src.core.value import Aval
from sporax._src.diagnosis.sizes import check_size
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.runtime.numpy_interpreter.op_family import OpFamily, spec
from sporax._src.runtime.numpy_interpreter.polymorphic import sized
from sporax._src.runtime.xla_kernels import constant_barriers
from sporax._src.runtime.xla_kernels.intermediates import intermediates, refuse_huge_intermediates


class Rule:
    """An operation for operands of given avals: the outputs' avals, and a traced function.

    `run` may be None if it follows from `compute`. `find_form`: returns the operation's form for
    all sizes and its symbols' values, or None; see `numpy_interpreter.op_family`.
    """

    __slots__ = (
        "_find_form", "_jaxprs", "_run", "_sources", "_with_barriers", "avals", "compute",
        "integral", "operands", "single",
    )  # fmt: skip

    def __init__(self, operands, avals, run, single, compute=None, find_form=None):
        self.operands, self.avals, self.single = operands, avals, single
        self._run: Any = run
        self.compute: Any = compute
        self._find_form: Any = find_form
        self.integral = {}  # integer operand -> the operands that become real in its derivative
        self._jaxprs, self._with_barriers = {}, {}  # by the mesh of ranks that JAX is in
        self._sources = {}

    @property
    def run(self):
        """The function on arrays."""
        if self._run is None:
            self._run = jax.jit(self.compute, inline=True)
        return self._run

    @property
    def form(self):
        """The operation's form for all sizes and its symbols' values; None if it has none."""
        form = self._find_form
        if callable(form):  # read once: another thread may have found it
            form = self._find_form = form()
        return form

    @property
    def jaxpr(self):
        """The function as a closed jaxpr."""
        mesh = get_abstract_mesh()
        if mesh not in self._jaxprs:
            specs = [spec(a) for a in self.operands]
            run = self.run if self.is_traced else jax.jit(self.run)
            self._jaxprs[mesh] = primitive_jaxpr(run.trace(*specs).jaxpr)
        return self._jaxprs[mesh]

    def sources(self, outputs):
        """Return the operands on which these outputs depend."""
        if outputs not in self._sources:
            used = used_inputs(self.jaxpr.jaxpr, outputs)
            self._sources[outputs] = {i for i, is_used in enumerate(used) if is_used}
        return self._sources[outputs]

    @property
    def is_traced(self):
        """True if JAX keeps the function as a jaxpr."""
        return hasattr(self.run, "trace")

    def with_barriers(self, kinds):
        """Return (function with barriers, kinds of its results) for operands of these kinds; see
        `xla_kernels.constant_barriers`. A function without a jaxpr inserts its own barriers."""
        if not self.is_traced:
            return self.run, [constant_barriers.ANY] * len(self.avals)
        key = kinds, get_abstract_mesh()
        if key not in self._with_barriers:
            jaxpr, outs = constant_barriers.Barriers().put(self.jaxpr, kinds)
            run = self.run if jaxpr is self.jaxpr else _function(jaxpr, self.single)
            self._with_barriers[key] = run, outs
        return self._with_barriers[key]


def _function(jaxpr, single):
    """Convert a closed jaxpr to the `run` of a `Rule`; Python bools are passed as integers."""
    function, dtypes = jaxpr_as_fun(jaxpr), [a.dtype for a in jaxpr.in_avals]

    def run(*arrays):
        results = function(*[x.astype(d) for x, d in zip(arrays, dtypes, strict=True)])
        return results[0] if single else results

    return jax.jit(run, inline=True)


class Op:
    """A pure function on arrays, with its attributes already bound.

    `fn(*arrays)` returns one array or a tuple. `promotes`: the operands that are promoted to a
    common dtype for `fn` (True for all), or a function (avals, attributes) -> a dtype for each.
    `check(*avals)` may raise a better error than tracing `fn` would. `real`: the function to
    differentiate with respect to integers, if `fn` itself does not accept real numbers.
    """

    __slots__ = (
        "alias", "attributes", "bounds", "check", "checks", "collective", "components", "converted",
        "converts", "declared", "family", "fn", "forget", "identity", "layout", "mark", "name",
        "operands", "parameters", "promotes", "pullbacks", "real", "recorded", "resized", "rules",
        "sizes", "stops_gradient", "varied",
    )  # fmt: skip

    fn: Any
    # whether `compute` depends only on the operands and their avals: then its trace for symbolic
    # sizes is valid for all sizes
    is_polymorphic = True

    def __init__(self, name, fn, promotes: Any = False, check=None, attributes=None):
        self.name, self.fn, self.check = name, fn, check
        self.promotes = promotes
        self.attributes = attributes or {}
        self.operands: tuple[str, ...] = ()  # their names, for messages
        self.parameters: Any = {}  # of the function that declares it, by name
        self.declared: Any = None  # (Declaration, attributes, structure), see `Declaration.bind`
        self.identity: Any = None  # (function of sporax, *values that determine `fn` with it)
        self.varied: Any = None  # attributes -> the function with these instead
        self.stops_gradient = False  # whether it blocks gradients
        self.alias = False  # whether its output is its operand
        self.real = fn
        self.layout: Any = None  # of a view, if its jaxpr does not show it; see `views`
        self.converts = False  # whether a `Precision` casts its operands
        self.converted: Any = None  # the copy of it that none casts, for cast operands
        self.mark: Any = None  # (Precision or None,) if it begins or ends one
        self.components: Any = None  # the Ops that it is recorded as under a `Choice`
        self.collective: Any = None  # its ranks, a `distributed.groups.Group` or `Groups`
        self.forget: Any = None  # removes it from the table of operations by their attributes
        self.recorded = 0  # the number of operations in a captured function
        self.bounds: Any = None  # (*arrays) -> the ranges in which indices must lie
        self.rules, self.pullbacks, self.checks = {}, {}, {}
        self.family = OpFamily(self.is_polymorphic, forest.learned)
        self.sizes: tuple = ()  # in the attributes, varying within the family
        self.resized: Any = None  # sizes -> the operation of the family with these

    def __repr__(self):
        inner = ", ".join(f"{k}={v!r}" for k, v in self.attributes.items())
        return f"{self.name}({inner})"

    def __deepcopy__(self, memo):
        """Return itself: its rules serve every copy of an object that uses it."""
        return self

    def on_cast(self):
        """Return the operation for operands that a `Precision` has cast, which casts none."""
        if self.converts and self.converted is None:
            converted = copy.copy(self)
            converted.converts = False
            self.converted = converted
        return self.converted or self

    def compute(self, avals, *arrays, real=False):
        """Apply `fn` (or `real`) after MindSpore's promotion; Python numbers are 64-bit scalars."""
        taken = zip(arrays, self._promoted(avals), strict=True)
        arrays = [x if dtype is None or x.dtype == dtype else x.astype(dtype) for x, dtype in taken]
        return (self.real if real else self.fn)(*arrays)

    def _promoted(self, avals) -> Any:
        """Return the dtype to convert each operand to for `fn`; None for no conversion."""
        if callable(self.promotes):
            return self.promotes(avals, self.attributes)
        alone = [promote([a]) if a.weak else None for a in avals]
        if not self.promotes:
            return alone
        n = len(avals)
        together = range(n) if self.promotes is True else [i for i in self.promotes if i < n]
        met = promote([avals[i] for i in together])
        return [met if i in together else dtype for i, dtype in enumerate(alone)]

    def axis(self):
        """Return a context in which its function can be traced: with the axis of the ranks."""
        return nullcontext() if self.collective is None else self.collective.axis()

    def rule(self, avals):
        """Return the `Rule` for operands of these avals, inferred once.

        Raises the operation's error, at the line of its call.
        """
        return self.rules.get(avals) or self._new_rule(avals)

    @uninterrupted
    def _new_rule(self, avals):
        try:
            rule = self.rules[avals] = self._infer(avals)
        except Exception:
            if self.forget is not None and not self.rules:
                self.forget()  # attributes 2.0 and 2 are the same key
            raise
        forest.learned(self.rules)
        return rule

    def _infer(self, avals):
        if self.check is not None:
            self.check(*avals)
        compute = functools.partial(self.compute, avals)
        try:
            form = self.family.form(self, avals)
        except REFUSALS as cause:
            error = operand_error(self, avals, cause)
            raise error from error.__cause__
        if form is not None:
            (general, symbols), temporaries = form, ()
            outs = [Aval.intern(*result) for result in general.results(symbols)]
            if general.has_huge(symbols):
                temporaries = [sized(each, symbols) for each in general.intermediates]
            self._check_sizes(outs, temporaries)
            return Rule(avals, tuple(outs), None, general.is_single, compute, form)
        run = jax.jit(compute, inline=True)
        specs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
        try:
            with self.axis():
                traced = run.trace(*specs)
        except REFUSALS as cause:
            error = operand_error(self, avals, cause)
            raise error from error.__cause__
        out = traced.out_info
        single = not isinstance(out, (tuple, list))
        outs = [Aval.intern(o.shape, o.dtype) for o in ([out] if single else out)]
        self._check_sizes(outs, intermediates(primitive_jaxpr(traced.jaxpr).jaxpr))
        return Rule(avals, tuple(outs), run, single)

    def _check_sizes(self, outs, temporaries):
        """Raise ValueError if a result of these avals is huge, or an intermediate array
        (`temporaries`: see `xla_kernels.intermediates`)."""
        given = listed(self.attributes)
        for aval in outs:
            check_size(self.name, aval.shape, aval.dtype, given)
        refuse_huge_intermediates(self.name, temporaries, given)

    def differentiable_in(self, i, avals):
        """Return True if there is a derivative with respect to operand `i`: always for a floating
        one; for integers, if the operation accepts real numbers in their place (they are not
        indices) and returns real ones."""
        return avals[i].inexact or bool(self.real_operands(i, avals))

    def real_operands(self, i, avals):
        """Return the integer operands that become real in the derivative with respect to `i`: only
        `i` or, if it is converted to the dtype of others, these too."""
        rule = self.rules.get(tuple(avals))
        integral = {} if rule is None else rule.integral
        if i not in integral:
            real = {i}
            if not self._is_real(avals, real):
                others = (k for k, a in enumerate(avals) if not a.inexact)
                real |= {k for k in others if self._is_real(avals, {k})}
            integral[i] = real if self._is_real(avals, real) else set()
        return integral[i]

    def _is_real(self, avals, operands):
        avals = [_real(a) if k in operands else a for k, a in enumerate(avals)]
        specs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
        try:
            out = jax.eval_shape(functools.partial(self.compute, avals, real=True), *specs)
        except REFUSALS:
            return False
        return any(jnp.issubdtype(o.dtype, jnp.inexact) for o in jax.tree.leaves(out))

    def pullback(self, inputs, outputs):
        """Return the operation (operands..., cotangents...) -> cotangents of the operands `inputs`.

        `outputs`: the outputs with a cotangent; the others' are zero.
        """
        key = inputs, outputs
        pullback = self.pullbacks.get(key)
        if pullback is None:
            pullback = self.pullbacks[key] = self._new_pullback(inputs, outputs)
        return pullback

    def _new_pullback(self, inputs, outputs) -> "Op":
        return Pullback(self, inputs, outputs)


class Pullback(Op):
    """The derivative of an operation, as an operation.

    The gradient for complex numbers is $\\partial/\\partial x + i\\,\\partial/\\partial y$, as in
    MindSpore and PyTorch: the conjugate of JAX's.
    """

    __slots__ = ("inputs", "outputs", "primal")

    def __init__(self, op, inputs, outputs):
        super().__init__(f"{op.name}.grad", None)
        self.primal, self.inputs, self.outputs = op, inputs, outputs
        self.collective = op.collective
        self.family.is_polymorphic = op.family.is_polymorphic
        self.family = op.family.pullbacks.setdefault((inputs, outputs), self.family)
        self.sizes = op.sizes
        if op.resized is not None:
            self.resized = lambda sizes: Pullback(op.resized(sizes), inputs, outputs)

    def compute(self, avals, *arrays, real=False):
        n = len(avals) - len(self.outputs)
        taken, operands = list(avals[:n]), list(arrays[:n])
        whole = [i for i in self.inputs if not taken[i].inexact]
        for i in {k for w in whole for k in (w, *self.primal.real_operands(w, avals[:n]))}:
            real, taken[i] = True, _real(taken[i])
            operands[i] = operands[i].astype(taken[i].dtype)

        def primal(*chosen):
            for i, x in zip(self.inputs, chosen, strict=True):
                operands[i] = x
            out = self.primal.compute(taken, *operands, real=real)
            # only these: zero cotangents of the others would cost as much as theirs
            return [out[i] for i in self.outputs] if isinstance(out, (tuple, list)) else [out]

        outs, pull = jax.vjp(primal, *[operands[i] for i in self.inputs])
        gradients = pull([_cotangent(o, ct) for o, ct in zip(outs, arrays[n:], strict=True)])
        wanted = self._gradients(avals)
        return tuple(_conj(g).astype(a.dtype) for g, a in zip(gradients, wanted, strict=True))

    def _gradients(self, avals):
        """Return the avals of the inputs' cotangents. Cotangents of integers have the dtype of the
        arriving cotangent, since a derivative of 0.5 is not an integer."""
        n = len(avals) - len(self.outputs)
        arriving = next((a for a in avals[n:] if a.inexact), None)
        return tuple(
            Aval.intern(a.shape, arriving.dtype) if arriving and not a.inexact else a
            for a in (avals[i] for i in self.inputs)
        )

    def _infer(self, avals):
        self.family.observe(self, avals)
        compute = functools.partial(self.compute, avals)
        form = functools.partial(self.family.form, self, avals, at_once=True)
        return Rule(avals, self._gradients(avals), None, False, compute, form)


def _real(aval):
    """Return the aval of the real numbers that replace integers in a derivative."""
    return Aval.intern(aval.shape, np.dtype(np.float64))


def _cotangent(out, arriving):
    """Return the cotangent of an output; zero if its dtype has none."""
    if not jnp.issubdtype(out.dtype, jnp.inexact):
        return np.zeros(out.shape, jax.dtypes.float0)
    return _conj(arriving).astype(out.dtype)


def _conj(x):
    return x.conj() if jnp.issubdtype(x.dtype, jnp.complexfloating) else x
