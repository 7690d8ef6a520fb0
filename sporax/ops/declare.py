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

from typing import Any

from sporax._src.core.tensor import attach
from sporax._src.diagnosis.rules import require
from sporax.ops.declaration import OPTIONAL, Array, Arrays, Composite, Declaration, Range
from sporax.ops.overload import overloaded

OPS = {}  # every declared operation by its canonical name
FUNCTIONS = {}  # every function of `sporax.ops` by name
PRIMITIVES = {}  # class name -> Primitive class
MINT = {}  # dotted name below `mint` -> function
NUMPY = {}  # name in `mindspore.numpy` -> (declaration, face as written), compiled at first use


def op(
    *, tensor: Any = None, primitive: Any = None, mint: Any = None, numpy: Any = None, name=None,
    promotes: Any = False, check=None, differentiable: Any = True, function: Any = True, real=None,
    converts=True, view: Any = False, bounds=None, decompose=None,
) -> Any:  # fmt: skip
    """Declare an operation; returns the function face, for `sporax.ops`.

    `function`, `tensor`, `mint`: faces as written (a string, or a tuple of strings; True: with the
    function's own signature). `numpy`: likewise; its `dtype` is the result's dtype if the operation
    has none. `primitive`: classes as written. `promotes`: the operands that are promoted to a
    common dtype (True: all; or their positions). `check(*avals)`: raises a clearer error than
    tracing would. `name`: the name in messages; by default the first primitive's name. `real`: the
    function to differentiate instead with respect to integers (see `Op`). `converts`: whether
    `Cell.to_float` casts its operands. `view`: whether the results share memory with the operand,
    True if the operation only rearranges elements, else the rule for its layout (see
    `storage.views`). `bounds`: takes the operation's arguments and returns the ranges
    (`index_checks.ranges.Range`) in which its indices must lie. `decompose(declaration, attributes,
    structure)`: the Ops it consists of, or None; autocast by operation (`engine.autocast.Choice`)
    converts each of them.
    """
    primitives = (primitive,) if isinstance(primitive, str) else primitive or ()

    def declare(fn):
        shown = name or (primitives[0].partition("(")[0] if primitives else fn.__name__)
        declaration = OPS[fn.__name__] = Declaration(
            fn, shown, promotes, check, differentiable, real, bounds
        )
        declaration.converts, declaration.view = converts, view
        declaration.decompose = decompose
        return _publish(declaration, function, tensor, primitives, mint, numpy)

    return declare


def composite(
    *, tensor=None, mint=None, numpy=None, primitive=None, function: Any = True, op=None,
    name=None,
) -> Any:  # fmt: skip
    """Declare a function on Tensors that is composed of other operations.

    `tensor`, `mint`, `numpy`, `function`: faces, each as written (a signature), as a bare name for
    the function as it is, or True for its own name. `primitive`: classes as written. `op`: the name
    of the operation that does a Primitive's work. `name`: the name in messages.
    """
    primitives = (primitive,) if isinstance(primitive, str) else primitive or ()

    def declare(fn):
        declaration = Composite(fn, name)
        declaration.operation = op and OPS[op].name
        return _publish(declaration, function, tensor, primitives, mint, numpy)

    return declare


def _publish(declaration, function, tensor, primitives, mint, numpy):
    """Create the faces of a declaration and register each in its namespace."""
    declaration.faces = {
        "ops": function, "tensor": tensor, "primitive": primitives, "mint": mint, "numpy": numpy,
    }  # fmt: skip
    plain = declaration.face()
    functions = _faces(declaration, function, plain, "")
    FUNCTIONS.update(functions)
    for name, method in _faces(declaration, tensor, plain, "Tensor.").items():
        attach(name, method)
    MINT.update(_faces(declaration, mint, plain, "mint."))
    for written in _as_written(numpy):
        named = declaration.fn.__name__ if written is True else written.partition("(")[0]
        NUMPY[named] = declaration, written
    for written in primitives:
        primitive_class = declaration.primitive(written)
        primitive_class.operation = declaration.operation
        name = primitive_class.__name__
        is_new = PRIMITIVES.setdefault(name, primitive_class) is primitive_class
        require(is_new, "primitive-already", name=name)
    return functions.get(declaration.fn.__name__, plain)


def _as_written(faces) -> tuple[Any, ...]:
    return (faces,) if isinstance(faces, str | bool) else faces or ()


def _faces(declaration, written, plain, within):
    """Return {name: function} for faces as written; faces with the same name become overloads."""
    functions, meant, own = {}, {}, declaration.fn.__name__
    for face in _as_written(written):
        called = own if face is True else face.partition("(")[0]
        is_own = called.rpartition(".")[2] == own and (face is True or "(" not in face)
        function = plain if is_own else declaration.face(face, within)
        functions.setdefault(called, []).append(function)
        meant.setdefault(called, set()).add(_meaning(declaration, face))
    return {name: overloaded(name, fns, len(meant[name]) == 1) for name, fns in functions.items()}


def _meaning(declaration, face):
    """Return the canonical parameters that a face fills, whatever it calls them."""
    if face is True or "(" not in face:
        return face
    return tuple((canonical, p.kind, p.default) for p, canonical in declaration.parse(face)[1])


__all__ = [
    "FUNCTIONS",
    "MINT",
    "NUMPY",
    "OPS",
    "OPTIONAL",
    "PRIMITIVES",
    "Array",
    "Arrays",
    "Range",
    "attach",
    "composite",
    "op",
]
