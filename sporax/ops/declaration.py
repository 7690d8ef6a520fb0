"""`Declaration`: an operation's function on arrays, and its faces.

Parameters annotated `Array` (or `Array | None`, or `Arrays` for a sequence) are operands; all
others are attributes, part of the program.
"""

import ast
import functools
import inspect
import types
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from sporax._src.capture.staging.symbolic_scalars import concrete
from sporax._src.core.dtype import NAMES as DTYPES
from sporax._src.core.errors import REFUSALS, refuse
from sporax._src.core.from_host import HOLDING, plain, python_number
from sporax._src.core.signature_errors import call_error, fitting
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.argument_kinds import is_axes
from sporax._src.diagnosis.rules import message, rejection, require
from sporax._src.diagnosis.sizes import check_size
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import apply
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.runtime.index_checks.checks import apply_within
from sporax._src.runtime.index_checks.ranges import Range
from sporax._src.runtime.numpy_interpreter.polymorphic import signature
from sporax._src.runtime.storage.views import view
from sporax.ops.primitive import Primitive

__all__ = ["OPTIONAL", "Array", "Arrays", "Composite", "Declaration", "Range", "compiled"]


if TYPE_CHECKING:  # tracers inside of a declared function, Tensors and numbers for its callers
    Array = Arrays = Any
else:

    class Array:
        """Annotation of an operand: an array of the operation."""

        def __class_getitem__(cls, item):
            return cls

    class Arrays:
        """Annotation of an operand that is a sequence of arrays."""


OPTIONAL = Array | None

# attributes that hold axes
_AXES = {"axis", "axis0", "axis1", "dim", "dim1", "dim2", "dims", "source", "destination",
         "start_dim", "end_dim", "batch_dims"}  # fmt: skip
# attributes that must be ints, which JAX checks too late
_COUNTS = {"group", "groups"}
# attributes that hold sizes
_SIZES = {"shape", "size", "output_size"}
_BYTE = np.dtype(np.bool_)  # the smallest element size


def _are_sizes(value):
    return value.__class__ is tuple and all([n.__class__ is int for n in value])


class Declaration:
    """An operation: its function on arrays, its parameters, its faces."""

    converts = True  # whether `Cell.to_float` casts its operands
    is_polymorphic = True  # whether one trace with symbolic sizes is valid for all sizes
    view: Any = False  # whether its results share memory with its operand, see `op`
    decompose: Any = None  # (declaration, attributes, structure) -> its Ops, see `op`

    def __init__(self, fn, name, promotes, check, differentiable, real=None, bounds=None):
        self.fn, self.promotes, self.check, self.real = fn, promotes, check, real
        self.bounds = bounds
        self.differentiable = differentiable
        self.name = self.operation = name  # the name in messages
        self.signature = inspect.signature(fn)
        self.apply = apply if bounds is None else apply_within
        self.operands = {
            n: p.annotation
            for n, p in self.signature.parameters.items()
            if p.annotation in (Array, OPTIONAL, Arrays)
        }
        self.attributes = [n for n in self.signature.parameters if n not in self.operands]
        self.plain = all(kind is Array for kind in self.operands.values())
        self.bound = {}  # attributes -> Op
        self.families = {}  # attributes without sizes -> OpFamily
        forest.tables += [self.bound, self.families]
        self.faces = {}  # kind -> signature as written

    def bind(self, attributes, structure=None):
        """Return the `Op` with these attributes; `structure`: array counts, None if absent."""
        key = tuple([_static(self, n, a) for n, a in zip(self.attributes, attributes, strict=True)])
        if structure is not None:
            key = (structure, *key)
        bound = self.bound.get(key)
        if bound is None:
            values = dict(zip(self.attributes, key[0 if structure is None else 1 :], strict=True))
            self._accept(values)
            shown = {
                k: v for k, v in values.items() if v is not self.signature.parameters[k].default
            }
            fn = functools.partial(self._evaluate, values, structure)
            bound = self.bound[key] = Op(self.name, fn, self.promotes, self.check, shown)
            bound.forget = functools.partial(self.bound.pop, key, None)
            bound.stops_gradient, bound.converts = not self.differentiable, self.converts
            if self.real is not None:
                bound.real = functools.partial(self._evaluate, values, structure, fn=self.real)
            if self.bounds is not None:
                bound.bounds = functools.partial(self._evaluate, values, structure, fn=self.bounds)
            if self.decompose is not None:
                bound.components = self.decompose(self, values, structure)
            bound.operands, bound.parameters = self._names(structure), self.signature.parameters
            bound.declared = self, values, structure
            bound.varied = lambda new: functools.partial(self._evaluate, values | new, structure)
            bound.family.is_polymorphic = self.is_polymorphic
            self._join_family(bound, key, values, structure)
            bound.layout = None if self.view is True else self.view or None
        return bound

    def _join_family(self, bound, key, values, structure):
        """Share a family, valid for all sizes, with operations that differ only in sizes."""
        names = [n for n, v in values.items() if n in _SIZES and _are_sizes(v)]
        if not names:
            return
        key = tuple([signature(v) if any(v is values[n] for n in names) else v for v in key])
        bound.family = self.families.setdefault(key, bound.family)
        bound.sizes = tuple([n for name in names for n in values[name]])

        def resized(sizes):
            remaining = iter(sizes)
            new = {n: tuple(islice(remaining, len(values[n]))) for n in names}
            fn = functools.partial(self._evaluate, {**values, **new}, structure)
            return Op(self.name, fn, self.promotes)

        bound.resized = resized

    def _accept(self, attributes):
        """Raise an error for values that the function would misinterpret: any object for a flag,
        and a string for an axis, which JAX would look up among its named axes. Convert a bool
        passed for an int."""
        for name, value in attributes.items():
            given = {"argument": name, "got": value}
            require(has_64_bits(value), "at-most-64-bits-int-overflow", self.name, **given)
            # before tracing, because some functions loop over their sizes
            sizes = (value,) if value.__class__ is int else value
            if name in _SIZES and sizes.__class__ is tuple:
                sizes = [n for n in sizes if n.__class__ is int and n > 0]
                check_size(self.name, sizes, _BYTE, f"'{name}'")
            kind = type(self.signature.parameters[name].default)
            if kind is bool:
                fits, rule, remedy = value in (False, True), "a-bool", "give-true-or-false"
            elif name in _AXES:
                fits, rule, remedy = is_axes(value), "int-or-ints", "give-axis-number"
            elif name in _COUNTS and not isinstance(value, int):
                fits, rule, remedy = False, "an-int", "give-whole-number"
            else:
                if kind is int and value.__class__ is bool:
                    attributes[name] = int(value)  # the cache key is equal
                continue
            if not fits:
                raise _kind_error(self.name, name, rule, value, remedy)

    def _names(self, structure):
        """Return the names of a call's operands in messages."""
        if structure is None:
            return tuple(self.operands)
        names = []
        for (name, kind), count in zip(self.operands.items(), structure, strict=True):
            if kind is Arrays:
                names += [f"{name}[{i}]" for i in range(count)]
            elif count is not None:
                names.append(name)
        return tuple(names)

    def _evaluate(self, attributes, structure, *arrays, fn=None):
        fn = fn or self.fn
        if structure is None:
            return fn(**dict(zip(self.operands, arrays, strict=True)), **attributes)
        remaining, operands = list(arrays), {}
        for name, count in zip(self.operands, structure, strict=True):
            if count is None:
                operands[name] = None
            elif self.operands[name] is Arrays:
                operands[name], remaining = remaining[:count], remaining[count:]
            else:
                operands[name] = remaining.pop(0)
        return fn(**operands, **attributes)

    def call(self, operands, attributes):
        """Apply the operation if an operand may be absent or a sequence."""
        flat, structure = [], []
        for (name, kind), operand in zip(self.operands.items(), operands, strict=True):
            if operand is None and kind is OPTIONAL:
                structure.append(None)
            elif kind is Arrays:
                if not isinstance(operand, (tuple, list)):
                    given = {"argument": name, "got": operand}
                    raise rejection("tuple-list-tensors-argument-type", self.name, **given)
                flat.extend(operand)
                structure.append(len(operand))
            else:
                flat.append(operand)
                structure.append(1)
        return self.apply(self.bind(attributes, tuple(structure)), *flat)

    # faces --------------------------------------------------------------------------------

    def face(self, written=None, within=""):
        """Return a function with the signature as written that calls this operation; `within`: the
        prefix of its qualified name."""
        written = written or self.fn.__name__
        name, parameters = (
            (
                written.rpartition(".")[2],
                [(p, p.name) for p in self.signature.parameters.values()],
            )
            if "(" not in written
            else self.parse(written)
        )
        fills = {canonical: p.name for p, canonical in parameters}
        who = within + written.partition("(")[0]
        return self._compile(name, [p for p, _ in parameters], fills, who)

    def parse(self, written, more=()):
        """`name(parameter: canonical = default, ...)` -> name, [(Parameter, canonical name)].

        `more`: names that the face may use although the function lacks them.
        """
        head, _, _ = written.partition("(")
        *_, name = head.split(".")
        function: Any = ast.parse(f"def {name}{written[len(head) :]}: pass").body[0]
        tree = function.args
        parameters = []
        groups = [
            (tree.posonlyargs + tree.args, inspect.Parameter.POSITIONAL_OR_KEYWORD),
            (tree.kwonlyargs, inspect.Parameter.KEYWORD_ONLY),
        ]
        missing = len(tree.posonlyargs + tree.args) - len(tree.defaults)
        defaults = [[None] * missing + tree.defaults, tree.kw_defaults]
        for (args, kind), values in zip(groups, defaults, strict=True):
            for arg, value in zip(args, values, strict=True):
                canonical = arg.annotation.id if arg.annotation is not None else arg.arg
                if canonical not in self.signature.parameters and canonical not in more:
                    raise rejection("no", written=written, fn=self.fn.__name__, canonical=canonical)
                default = inspect.Parameter.empty
                if isinstance(value, ast.Name):
                    default = DTYPES[value.id]
                elif value is not None:
                    default = ast.literal_eval(value)
                parameters.append((inspect.Parameter(arg.arg, kind, default=default), canonical))
        return name, parameters

    def _compile(self, name, parameters, fills, who):
        """Generate the function's source, so that signature and defaults are Python's own and a
        call unpacks nothing."""
        scope: dict = {}

        def argument(canonical):
            if canonical in fills:
                return fills[canonical]
            default = self.signature.parameters[canonical].default
            if default is inspect.Parameter.empty:
                raise rejection("leaves-open", name=name, canonical=canonical, fn=self.fn.__name__)
            scope[f"_default_{canonical}"] = default
            return f"_default_{canonical}"

        axes = [fills[n] for n in self.attributes if n in _AXES and n in fills]
        function = compiled(name, parameters, self._body(scope, argument), scope, who, axes)
        function.__doc__, function.__module__ = self.fn.__doc__, self.fn.__module__
        function.declaration = self
        return function

    def _body(self, scope, argument):
        """Return the source that calls the operation; `argument(name)` is an expression."""
        scope.update(
            _apply=view if self.view else self.apply,
            _bound=self.bound,
            _bind=self.bind,
            _call=self.call,
        )
        operands = [argument(n) for n in self.operands]
        attributes = [argument(n) for n in self.attributes]
        if not self.plain:
            return f"    return _call(({_tuple(operands)}), ({_tuple(attributes)}))"
        if not attributes:
            scope["_op"] = self.bind(())
            return f"    return _apply({', '.join(['_op', *operands])})"
        return (
            f"    try:\n        op = _bound[{_tuple(attributes)}]\n"
            f"    except (KeyError, TypeError):\n        op = _bind(({_tuple(attributes)}))\n"
            f"    return _apply({', '.join(['op', *operands])})"
        )

    def primitive(self, written):
        """Create a class such as `Softmax(axis=-1)(logits: input)`: attributes, then operands."""
        head, _, inputs = written.partition(")(")
        head, inputs = f"{head})", f"({inputs}"
        name, built = self.parse(head)
        _, called = self.parse(f"{name}{inputs}")
        fills = {"itself": "self"}  # for a function that needs the object, for its random state
        fills.update({canonical: f"self.{p.name}" for p, canonical in built})
        fills.update({canonical: p.name for p, canonical in called})
        itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        shown = ", ".join(f"{p.name}=..." if p.default is p.empty else "" for p, _ in built)
        call = self._compile(
            "__call__", [itself, *[p for p, _ in called]], fills, f"{name}({shown.strip(', ')})"
        )
        call.__qualname__ = f"{name}.__call__"
        lines = ["    Primitive.__init__(self, _name)"]
        lines += [f"    self._set('{p.name}', _plain({p.name}))" for p, _ in built]
        scope = {"Primitive": Primitive, "_name": name, "_plain": plain}
        parameters = [itself, *[p for p, _ in built]]
        axes = [p.name for p, canonical in built if canonical in _AXES]
        constructor = compiled("__init__", parameters, "\n".join(lines), scope, name, axes)
        constructor.__qualname__ = name
        members = {
            "__init__": constructor,
            "__call__": call,
            "__doc__": self.fn.__doc__,
            "__module__": self.fn.__module__,
            "declaration": self,
        }
        return type(name, (Primitive,), members)


def _tuple(names):
    return "".join(f"{n}, " for n in names)


class _Missing:
    """The default of a parameter that has none; its repr is `nothing`."""

    def __repr__(self):
        return "nothing"


_MISSING = _Missing()
_EXTRA = "_more", "_unknown"  # a face's parameters that collect unexpected arguments


def compiled(name, parameters, body, scope, who, axes=()):
    """Compile these lines to a function with the globals `scope`, which raises an error in the name
    of `who` if a call does not match the signature. It accepts any arguments and checks them
    itself: an error of Python's argument binding could only be caught by a wrapper, at a cost per
    call.

    `axes`: parameters that must not be bools, although True and 1 are equal as keys.
    """
    positional, keyword_only = [], [f"*{_EXTRA[0]}"]
    needed, plain = [], []
    scope.update(__name__=None, _missing=_MISSING)  # None distinguishes these lines from user code
    for i, p in enumerate(parameters):
        plain.append(p.replace(annotation=inspect.Parameter.empty))
        itself = p.name == "self"
        default = "_missing" if p.default is p.empty else f"_d{i}"
        scope[f"_d{i}"] = p.default
        if p.default is p.empty and not itself:
            needed.append(f"{p.name} is _missing or ")
        names = keyword_only if p.kind is p.KEYWORD_ONLY else positional
        names.append(p.name if itself else f"{p.name}={default}")
    head = ", ".join([*positional, *keyword_only, f"**{_EXTRA[1]}"])
    needed += [f"{n} is True or {n} is False or " for n in axes if "." not in n]
    look = f"    if {''.join(needed)}{' or '.join(_EXTRA)}:\n        raise _misfit(locals())\n"
    lines = f"def {name}({head}):\n{look}{body}"
    function = scope["_face"] = types.FunctionType(_at_first_call.__code__, scope, name)
    scope["_complete"] = functools.partial(_complete, lines, scope)
    function.__signature__ = inspect.Signature(plain, __validate_parameters__=False)
    function.__qualname__ = name
    scope["_misfit"] = functools.partial(_face_error, who, function.__signature__, axes)
    return function


def _at_first_call(*args, **kwargs):
    """Initial code of a face, which compiles it at the first call: compiling all takes 0.5 s."""
    scope = globals()  # of the face
    scope["_complete"](scope["_face"])
    return scope["_face"](*args, **kwargs)


def _complete(lines, scope, face):
    """Give a face its own code, set last because another thread may be calling it."""
    exec(lines, scope)
    written = scope[face.__name__]
    face.__defaults__, face.__kwdefaults__ = written.__defaults__, written.__kwdefaults__
    face.__code__ = written.__code__


def _kind_error(who, name, kind, value, remedy):
    """Return the error for an attribute of another kind; `kind`, `remedy`: phrases."""
    remedy, kind = message(remedy), message(kind)
    return rejection("must-be-with-remedy", who, argument=name, kind=kind, got=value, remedy=remedy)


def _face_error(who, signature, axes, values):
    """Return the error for a call that does not match a face; `values`: its local variables."""
    for name in axes:
        if isinstance(values.get(name), bool):
            return _kind_error(who, name, "int-or-ints", values[name], "give-axis-number")
    parameters = [p for p in signature.parameters.values() if p.name != "self"]
    if who.startswith("Tensor."):
        del parameters[0]
    given = [p.name for p in parameters
             if values[p.name] is not _MISSING and values[p.name] is not p.default]  # fmt: skip
    return call_error(who, parameters, given, *[values[name] for name in _EXTRA])


def has_64_bits(value):
    """Return True if all ints, also in tuples, fit into 64 bits."""
    if value.__class__ is tuple:
        return all(map(has_64_bits, value))
    return value.__class__ is not int or -(2**63) <= value < 2**64


def _static(declaration, name, value):
    """Convert an attribute to a hashable constant."""
    kind = value.__class__
    if kind in (int, bool, float, str, type(None)):
        return value if type(value) is kind else concrete(value)
    if kind in (tuple, list):
        return tuple([_static(declaration, name, v) for v in value])
    if isinstance(value, Tensor):
        array = value.asnumpy()
        return _static(declaration, name, array.tolist())
    if isinstance(value, np.generic):
        return concrete(python_number(value))
    if isinstance(value, np.ndarray):
        return _static(declaration, name, value.tolist())
    try:
        hash(value)
    except TypeError:
        given = {"argument": name, "got": kind.__name__}
        raise rejection("number-string-tuple-dtype", declaration.name, **given) from None
    return value


_OPEN = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD


def _plain_numbers(arguments):
    """Return the source that converts NumPy scalars among a face's arguments to Python numbers."""
    names = [n for n in arguments if n.isidentifier() and not n.startswith("_default_")]
    if not names:
        return ""
    look = " or ".join(f"{n}.__class__ in _may" for n in names)
    return f"    if {look}:\n        {_tuple(names)}= _plain(({_tuple(names)}))\n"


def _refuse(name, parameters, values, cause):
    """Raise a composite's error about its arguments; `values`: its local variables."""
    given = {n: v for n, v in values.items() if n not in ("cause", *_EXTRA)}
    refuse(name, given, cause, parameters)


class Composite(Declaration):
    """A function on Tensors, and its faces."""

    def __init__(self, fn, name=None):
        super().__init__(fn, name or fn.__name__, False, None, True)

    def _body(self, scope, argument):
        kinds = self.signature.parameters
        refusal = functools.partial(_refuse, self._shown_name(), kinds)
        scope.update(_fn=self.fn, _refuse=refusal, _refusals=REFUSALS, _plain=plain, _may=HOLDING)
        arguments = [
            argument(n) if p.kind is not p.KEYWORD_ONLY else f"{n}={argument(n)}"
            for n, p in kinds.items()
        ]
        return (
            f"{_plain_numbers([argument(n) for n in kinds])}"
            f"    try:\n        return _fn({', '.join(arguments)})\n"
            f"    except _refusals as cause:\n        _refuse(locals(), cause)\n"
            "        raise"
        )

    def _shown_name(self):
        in_numpy = self.fn.__module__.startswith("sporax.numpy")
        return f"numpy.{self.name}" if in_numpy else self.name

    def face(self, written=None, within=""):
        kinds = {p.kind for p in self.signature.parameters.values()}
        if kinds.isdisjoint(_OPEN) or "(" in (written or ""):
            return super().face(written, within)
        self.fn.declaration = self  # its source cannot be generated
        self.fn.__signature__ = self.signature.replace(return_annotation=inspect.Signature.empty)
        written = written or self.fn.__name__
        function = fitting(self.fn, within + written)
        function.__name__ = function.__qualname__ = written.rpartition(".")[2]
        return function
