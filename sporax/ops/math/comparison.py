"""Comparisons, logic and bits, and Tensor's operators for them."""

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from sporax._src.core.promotion import promote
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.engine.recorder import apply
from sporax.ops.declare import Array, attach, composite, op


def promote_to_compare(avals, attributes=()):
    """Return the promoted dtype for each operand, but Int64 if integers meet a Python integer,
    which then keeps its value.

    UInt64, which Int64 cannot hold, keeps its dtype: there a negative number wraps around.
    """
    met = promote(avals)
    number = any(a.weak and a.dtype.kind == "i" for a in avals)
    wide = number and met.kind in "iu" and met != np.uint64
    return [np.dtype(np.int64) if wide else met] * len(avals)


# name, short name, Primitive, its operands' names, formula, function, output of the example
_XY, _IO = "x: input, y: other", "input, other"
_ROWS = [
    ("equal", "eq", "Equal", _IO, "=", jnp.equal, "[False,  True, False]"),
    ("not_equal", "ne", "NotEqual", _IO, r"\neq", jnp.not_equal, "[ True, False,  True]"),
    ("greater", "gt", "Greater", _IO, ">", jnp.greater, "[False, False,  True]"),
    ("greater_equal", "ge", "GreaterEqual", _IO, r"\geq", jnp.greater_equal,
     "[False,  True,  True]"),
    ("less", "lt", "Less", _IO, "<", jnp.less, "[ True, False, False]"),
    ("less_equal", "le", "LessEqual", _IO, r"\leq", jnp.less_equal, "[ True,  True, False]"),
    ("logical_and", "", "LogicalAnd", _XY, r"\land", jnp.logical_and, "[ True,  True,  True]"),
    ("logical_or", "", "LogicalOr", _XY, r"\lor", jnp.logical_or, "[ True,  True,  True]"),
    ("logical_xor", "", "LogicalXor", _IO, r"\oplus", jnp.logical_xor, "[False, False, False]"),
    ("bitwise_and", "", "BitwiseAnd", _XY, r"\land", jnp.bitwise_and, "[0, 2, 2]"),
    ("bitwise_or", "", "BitwiseOr", _XY, r"\lor", jnp.bitwise_or, "[3, 2, 3]"),
    ("bitwise_xor", "", "BitwiseXor", _XY, r"\oplus", jnp.bitwise_xor, "[3, 0, 1]"),
]  # fmt: skip

_WHOLE = "equal(input, other)"  # in `mint`: one bool for two Tensors, see `mint_functions`

_EXAMPLE = """$input {symbol} other$, element by element{result}, broadcast together.

    >>> ops.{name}(Tensor([1, 2, 3]), 2).asnumpy()
    array({shown})
    """


_ORDER = (jnp.greater, jnp.greater_equal, jnp.less, jnp.less_equal)


def ordered(x):
    """Raise TypeError for complex numbers, which have no order."""
    require(not jnp.issubdtype(x.dtype, jnp.complexfloating), "complex-numbers-no-order")


def _declare(name, short, primitive, called, symbol, compute, shown):
    bits = name.startswith("bitwise")
    promotes = bits or (False if name.startswith("logical") else promote_to_compare)

    def function(input: Array, other: Array):
        require(
            not bits or jnp.issubdtype(input.dtype, jnp.integer) or input.dtype == bool,
            "operands-integers-bool-convert",
        )
        if compute in _ORDER:
            ordered(input)
        return compute(input, other)

    function.__name__, function.__module__ = name, __name__
    function.__doc__ = _EXAMPLE.format(
        symbol=symbol, name=name, shown=shown, result=", bit by bit" if bits else ": Bool"
    )
    faces = tuple(f"{n}(input, other)" for n in (name, short) if n)
    also = (f"{name}(input, y: other)",) if name in ("logical_and", "logical_or") else ()
    return op(
        primitive=f"{primitive}()({called})", function=faces, tensor=faces + also,
        mint=tuple(face for face in faces if face != _WHOLE),
        numpy=f"{name}(x1: input, x2: other, dtype=None)",
        promotes=promotes, differentiable=False,
    )(function)  # fmt: skip


globals().update({row[0]: _declare(*row) for row in _ROWS})
if TYPE_CHECKING:

    def __getattr__(name) -> Any: ...  # the functions of `_ROWS`


# operators ----------------------------------------------------------------------------------

_NUMERIC = (Tensor, bool, int, float, complex, np.ndarray, np.generic)


def _operator(name, symbol, function, otherwise=None, reflected=False):
    """Define `a symbol b`; `otherwise`: the result if b is not a number, None to raise an error."""
    bound = function.declaration.bind(())

    def operator(self, other):
        if otherwise is None or other.__class__ is Tensor or isinstance(other, _NUMERIC):
            return apply(bound, other, self) if reflected else apply(bound, self, other)
        return otherwise

    operator.__name__ = name
    operator.__doc__ = f"`{symbol}`"
    attach(name, operator)


for _name, _method, _symbol, _otherwise in [
    ("equal", "eq", "==", False), ("not_equal", "ne", "!=", True),
    ("greater", "gt", ">", None), ("greater_equal", "ge", ">=", None),
    ("less", "lt", "<", None), ("less_equal", "le", "<=", None),
]:  # fmt: skip
    _operator(f"__{_method}__", _symbol, globals()[_name], _otherwise)

for _name, _symbol in ("and", "&"), ("or", "|"), ("xor", "^"):
    _operator(f"__{_name}__", _symbol, globals()[f"bitwise_{_name}"])
    _operator(f"__r{_name}__", _symbol, globals()[f"bitwise_{_name}"], reflected=True)


# of one operand -----------------------------------------------------------------------------


@op(
    primitive="LogicalNot()(input)", tensor=True, mint=True, differentiable=False,
    numpy="logical_not(a: input, dtype=None)",
)  # fmt: skip
def logical_not(input: Array):
    """Return True where $input = 0$, element by element: Bool.

    >>> ops.logical_not(Tensor([True, False])).asnumpy()
    array([False,  True])
    """
    return jnp.logical_not(input)


@op(
    primitive="Invert()(x: input)",
    function=("bitwise_not(input)", "invert(x: input)"),
    tensor=("bitwise_not(input)", "invert(input)"),
    mint="bitwise_not(input)",
    numpy=("bitwise_not(x: input, dtype=None)", "invert(x: input, dtype=None)"),
    differentiable=False,
)
def bitwise_not(input: Array):
    """Flip every bit; on Bool, "not".

    >>> ops.bitwise_not(Tensor([0, 5])).asnumpy()
    array([-1, -6])
    """
    return jnp.bitwise_not(input)


attach("__invert__", lambda self: logical_not(self))


@op(
    primitive="IsClose(rtol=1e-05, atol=1e-08, equal_nan=False)(input, other)",
    tensor=(
        "isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)",
        "isclose(input, x2: other, rtol=1e-05, atol=1e-08, equal_nan=False)",
    ), mint=True, promotes=True, differentiable=False,
    numpy="isclose(a: input, b: other, rtol=1e-05, atol=1e-08, equal_nan=False)",
)  # fmt: skip
def isclose(input: Array, other: Array, rtol=1e-05, atol=1e-08, equal_nan=False):
    r"""Return True where $|input - other| \leq atol + rtol \cdot |other|$, elementwise: Bool.

    >>> ops.isclose(Tensor([1.0, 2.0]), Tensor([1.0, 2.1])).asnumpy()
    array([ True, False])
    """
    return jnp.isclose(input, other, rtol, atol, equal_nan)


@composite(tensor="allclose", mint="allclose", function=())
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> bool:
    """Return True if all elements are close, as in `isclose`: a Python bool.

    >>> mint.allclose(Tensor([1.0, 2.0]), Tensor([1.0, 2.1]))
    False
    """
    return bool(isclose(input, other, rtol, atol, equal_nan).all())
