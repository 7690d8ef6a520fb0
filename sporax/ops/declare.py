"""One declaration of an operation, and all the faces derived from it.

A plain function on JAX arrays, decorated with `op`, is the only copy. Its parameters annotated
`Array` (or `Array | None`, or `Arrays` for a sequence) are *operands*, all others *attributes*:
operands are traced, attributes are part of the program.

A face whose signature differs is written as the user calls it, an annotation naming the canonical
parameter that it fills:

    @op(tensor="softmax(input, axis=-1)", primitive="Softmax(axis=-1)(logits: input)",
        mint="nn.functional.softmax(input, dim: axis, dtype=None)")
    def softmax(input: Array, axis=-1, *, dtype=None): ...
"""

import ast
import functools
import inspect

import numpy as np

from sporax.core.dtype import NAMES as DTYPES
from sporax.core.dtype import Type
from sporax.core.tensor import Tensor
from sporax.engine.operation import Op
from sporax.engine.recorder import apply
from sporax.ops.primitive import Primitive


class Array:
    """Annotation of an operand: an array of the operation."""

    def __class_getitem__(cls, item):
        return cls


class Arrays:
    """Annotation of an operand that is a sequence of arrays."""


OPTIONAL = Array | None

OPS = {}  # every declared operation by its canonical name
FUNCTIONS = {}  # every function of `sporax.ops` by name
PRIMITIVES = {}  # class name -> Primitive class
MINT = {}  # dotted name below `mint` -> function


class Declaration:
    """An operation: its function on arrays, its parameters, its faces."""

    def __init__(self, fn, name, promotes, check, differentiable):
        self.fn, self.promotes, self.check = fn, promotes, check
        self.differentiable = differentiable
        self.name = name  # as messages name it
        self.signature = inspect.signature(fn)
        self.operands = {
            n: p.annotation
            for n, p in self.signature.parameters.items()
            if p.annotation in (Array, OPTIONAL, Arrays)
        }
        self.attributes = [n for n in self.signature.parameters if n not in self.operands]
        self.plain = all(kind is Array for kind in self.operands.values())
        self.bound = {}  # attributes -> Op
        self.faces = {}  # kind -> signature as written

    def bind(self, attributes, structure=None):
        """The `Op` with these attributes; `structure` says which operands are absent or many."""
        key = tuple([_static(self, n, a) for n, a in zip(self.attributes, attributes, strict=True)])
        if structure is not None:
            key = (structure, *key)
        found = self.bound.get(key)
        if found is None:
            values = dict(zip(self.attributes, key[0 if structure is None else 1 :], strict=True))
            shown = {
                k: v for k, v in values.items() if v is not self.signature.parameters[k].default
            }
            fn = functools.partial(self._evaluate, values, structure)
            found = self.bound[key] = Op(self.name, fn, self.promotes, self.check, shown)
            found.cut = not self.differentiable
            found.operands = self._names(structure)
        return found

    def _names(self, structure):
        """What messages call the operands of a call."""
        if structure is None:
            return tuple(self.operands)
        names = []
        for (name, kind), count in zip(self.operands.items(), structure, strict=True):
            if kind is Arrays:
                names += [f"{name}[{i}]" for i in range(count)]
            elif count is not None:
                names.append(name)
        return tuple(names)

    def _evaluate(self, attributes, structure, *arrays):
        if structure is None:
            return self.fn(**dict(zip(self.operands, arrays, strict=True)), **attributes)
        rest, operands = list(arrays), {}
        for name, count in zip(self.operands, structure, strict=True):
            if count is None:
                operands[name] = None
            elif self.operands[name] is Arrays:
                operands[name], rest = rest[:count], rest[count:]
            else:
                operands[name] = rest.pop(0)
        return self.fn(**operands, **attributes)

    def call(self, operands, attributes):
        """Apply the operation where some operand may be absent or a sequence."""
        flat, structure = [], []
        for (name, kind), operand in zip(self.operands.items(), operands, strict=True):
            if operand is None and kind is OPTIONAL:
                structure.append(None)
            elif kind is Arrays:
                if isinstance(operand, Tensor) or not isinstance(operand, (tuple, list)):
                    raise TypeError(
                        f"For '{self.name}', '{name}' must be a tuple or list of Tensors, but got "
                        f"{type(operand).__name__}. Put the Tensors into a tuple."
                    )
                flat.extend(operand)
                structure.append(len(operand))
            else:
                flat.append(operand)
                structure.append(1)
        return apply(self.bind(attributes, tuple(structure)), *flat)

    # faces --------------------------------------------------------------------------------

    def face(self, written=None, drop_self=False):
        """A function with the signature as written, that calls this operation."""
        name, parameters = (
            (self.fn.__name__, [(p, p.name) for p in self.signature.parameters.values()])
            if written is None
            else self._parse(written)
        )
        given = {canonical: p.name for p, canonical in parameters}
        return self._compile(name, [p for p, _ in parameters], given)

    def _parse(self, written):
        """`name(parameter: canonical = default, ...)` -> name, [(Parameter, canonical name)]."""
        head, _, _ = written.partition("(")
        *_, name = head.split(".")
        tree = ast.parse(f"def {name}{written[len(head) :]}: pass").body[0].args
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
                if canonical not in self.signature.parameters:
                    raise NameError(f"{written}: '{self.fn.__name__}' has no '{canonical}'")
                default = inspect.Parameter.empty
                if isinstance(value, ast.Name):
                    default = DTYPES[value.id]
                elif value is not None:
                    default = ast.literal_eval(value)
                parameters.append((inspect.Parameter(arg.arg, kind, default=default), canonical))
        return name, parameters

    def _compile(self, name, parameters, given):
        """Write the function's few lines out, so that signature, defaults and TypeErrors are
        Python's own and a call costs no unpacking."""
        scope = {}

        def argument(canonical):
            if canonical in given:
                return given[canonical]
            default = self.signature.parameters[canonical].default
            if default is inspect.Parameter.empty:
                raise NameError(f"'{name}' leaves '{canonical}' of '{self.fn.__name__}' open")
            scope[f"_default_{canonical}"] = default
            return f"_default_{canonical}"

        body = self._body(scope, argument)
        plain = [p.replace(annotation=inspect.Parameter.empty) for p in parameters]
        for i, p in enumerate(plain):
            if p.default is not inspect.Parameter.empty:
                scope[f"_d{i}"] = p.default
        exec(f"def {name}({_written(plain)}):\n{body}", scope)
        function = scope[name]
        function.__doc__, function.__module__ = self.fn.__doc__, self.fn.__module__
        function.__qualname__ = name
        function.declaration = self
        return function

    def _body(self, scope, argument):
        """The lines that call the operation; `argument(name)` is an expression for a parameter."""
        scope.update(_apply=apply, _bound=self.bound, _bind=self.bind, _call=self.call)
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
        """A class as `Softmax(axis=-1)(logits: input)`: attributes first, then the operands."""
        head, _, inputs = written.partition(")(")
        head, inputs = f"{head})", f"({inputs}"
        name, built = self._parse(head)
        _, called = self._parse(f"{name}{inputs}")
        given = {canonical: f"self.{p.name}" for p, canonical in built}
        given.update({canonical: p.name for p, canonical in called})
        itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        call = self._compile("__call__", [itself, *[p for p, _ in called]], given)
        scope = {f"_d{i + 1}": p.default for i, (p, _) in enumerate(built)}
        parameters = [itself, *[p for p, _ in built]]
        lines = ["    Primitive.__init__(self, _name)"]
        lines += [f"    self._set('{p.name}', {p.name})" for p, _ in built]
        scope.update(Primitive=Primitive, _name=name)
        exec(f"def __init__({_written(parameters)}):\n" + "\n".join(lines), scope)
        members = {
            "__init__": scope["__init__"],
            "__call__": call,
            "__doc__": self.fn.__doc__,
            "__module__": self.fn.__module__,
            "declaration": self,
        }
        return type(name, (Primitive,), members)


def _tuple(names):
    return "".join(f"{n}, " for n in names)


def _written(parameters):
    """Parameters as they stand in a `def`, defaults replaced by `_d<i>`."""
    parts, keyword = [], False
    for i, p in enumerate(parameters):
        if p.kind is inspect.Parameter.KEYWORD_ONLY and not keyword:
            parts.append("*")
            keyword = True
        parts.append(p.name if p.default is inspect.Parameter.empty else f"{p.name}=_d{i}")
    return ", ".join(parts)


def _static(declaration, name, value):
    """An attribute as a hashable constant."""
    kind = value.__class__
    if kind in (int, bool, float, str, type(None)):
        return value
    if kind in (tuple, list):
        return tuple([_static(declaration, name, v) for v in value])
    if isinstance(value, Tensor):
        array = value.asnumpy()
        return _static(declaration, name, array.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return _static(declaration, name, value.tolist())
    try:
        hash(value)
    except TypeError:
        raise TypeError(
            f"For '{declaration.name}', '{name}' must be a number, string, tuple or dtype, but got "
            f"{kind.__name__}."
        ) from None
    return value


def op(
    *, tensor=None, primitive=None, mint=None, name=None, promotes=False, check=None,
    differentiable=True, function=True,
):  # fmt: skip
    """Declare an operation; what it returns is the function face, for `sporax.ops`.

    `function`, `tensor`, `mint`: faces as written (a string, or a tuple of strings; True: with the
    function's own signature). `primitive`: classes as written. `promotes`: the operands that meet
    in one dtype (True: all; or their positions). `check(*avals)`: raises a better error than
    tracing would. `name`: how messages call it; by default the first primitive's name.
    """
    primitives = (primitive,) if isinstance(primitive, str) else primitive or ()

    def declare(fn):
        shown = name or (primitives[0].partition("(")[0] if primitives else fn.__name__)
        declaration = OPS[fn.__name__] = Declaration(fn, shown, promotes, check, differentiable)
        return _publish(declaration, function, tensor, primitives, mint)

    return declare


class Composite(Declaration):
    """A function on Tensors, and its faces."""

    def __init__(self, fn):
        super().__init__(fn, fn.__name__, False, None, True)

    def _body(self, scope, argument):
        scope["_fn"] = self.fn
        kinds = self.signature.parameters
        given = [
            argument(n) if p.kind is not p.KEYWORD_ONLY else f"{n}={argument(n)}"
            for n, p in kinds.items()
        ]
        return f"    return _fn({', '.join(given)})"

    def face(self, written=None):
        return self.fn if written is None else super().face(written)


def composite(*, tensor=None, mint=None, primitive=None, function=True):
    """Declare a function on Tensors that is written in terms of other operations.

    `tensor`, `mint`, `function`: faces, each as written (a signature), as a bare name for the
    function as it is, or True for its own name. `primitive`: classes as written.
    """
    primitives = (primitive,) if isinstance(primitive, str) else primitive or ()

    def declare(fn):
        return _publish(Composite(fn), function, tensor, primitives, mint)

    return declare


def _publish(declaration, function, tensor, primitives, mint):
    """Make the faces of a declaration and put each where users find it."""
    declaration.faces = {"tensor": tensor, "primitive": primitives, "mint": mint}
    plain = declaration.face()
    functions = _faces(declaration, function, plain)
    FUNCTIONS.update(functions)
    for name, method in _faces(declaration, tensor, plain).items():
        attach(name, method)
    MINT.update(_faces(declaration, mint, plain))
    for written in primitives:
        made = declaration.primitive(written)
        PRIMITIVES[made.__name__] = made
    return functions.get(declaration.fn.__name__, plain)


def _faces(declaration, written, plain):
    """Functions by name for faces as written; those of one name are taken as its overloads."""
    found = {}
    for face in (written,) if isinstance(written, str | bool) else written or ():
        if face is True or "(" not in face:
            found.setdefault(declaration.fn.__name__ if face is True else face, []).append(plain)
        else:
            found.setdefault(face.partition("(")[0], []).append(declaration.face(face))
    return {name: overloaded(name, fns) for name, fns in found.items()}


# what an argument of that name must be, where several signatures compete for a call
_KINDS = {
    **dict.fromkeys(["keepdims", "keep_dims", "keepdim"], bool),
    **dict.fromkeys(["dtype"], Type | type | str | None),
    **dict.fromkeys(["axis", "dim", "dims"], int | tuple | list | None),
    **dict.fromkeys(["other", "index"], Tensor | int | float),
    "input_indices": Tensor,
}


def overloaded(name, functions):
    """One function of several signatures: the first that fits a call's arguments takes it."""
    if len(functions) == 1:
        return functions[0]
    signatures = [inspect.signature(f) for f in functions]
    chosen = {}

    def choose(args, kwargs):
        for function, signature in zip(functions, signatures, strict=True):
            try:
                given = signature.bind(*args, **kwargs).arguments
            except TypeError:
                continue
            if all(_fits(n, value) for n, value in given.items()):
                return function
        shown = " or ".join(f"{name}{s}" for s in signatures)
        raise TypeError(
            f"For '{name}', the arguments must fit {shown}, but got "
            f"{[type(a).__name__ for a in args]} and keywords {list(kwargs)}."
        )

    def method(*args, **kwargs):
        key = (*[a.__class__ for a in args], *kwargs)
        function = chosen.get(key)
        if function is None:
            function = chosen[key] = choose(args, kwargs)
        return function(*args, **kwargs)

    method.__name__ = method.__qualname__ = name.rpartition(".")[2]
    method.__doc__, method.__module__ = functions[0].__doc__, functions[0].__module__
    method.__signature__, method.overloads = signatures[0], functions
    return method


def _fits(name, value):
    kind = _KINDS.get(name, object)
    if isinstance(value, bool) and kind not in (bool, object):
        return False
    return isinstance(value, kind)


def attach(name, method):
    """Give `Tensor` a method; the first one to take a name keeps it."""
    if name in Tensor.__dict__:
        raise NameError(f"Tensor has a '{name}' already")
    setattr(Tensor, name, method)
