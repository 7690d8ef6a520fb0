"""The effect of a number `s` on the dtype of a result with a Tensor `x`, as expressions.

`tools.record numpy_scalars` records MindSpore 2.10's results for every kind of number and dtype
of tensor.
"""

import numpy as np

TENSORS = ("float16", "float32", "bfloat16", "int32")
NUMBERS = {
    "float": 2.5, "int": 2, "bool": True, "np.float32": np.float32(2.5),
    "np.float64": np.float64(2.5), "np.float16": np.float16(2.5), "np.int64": np.int64(2),
    "np.uint8": np.uint8(2), "np.bool_": np.bool_(True), "array of float64": np.array(2.5),
    "array of int64": np.array(2),
}  # fmt: skip
PLAIN = {  # the Python number that a NumPy scalar is
    "np.float32": "float", "np.float64": "float", "np.float16": "float", "np.int64": "int",
    "np.uint8": "int", "np.bool_": "bool", "array of float64": "float", "array of int64": "int",
}  # fmt: skip

_TWO = """
    add sub mul div true_divide floor_div floor_mod fmod pow maximum minimum equal not_equal
    greater greater_equal less less_equal atan2 xlogy xdivy truncate_div truncate_mod logical_and
    bitwise_and"""
_ONE = """
    ops.where(x > 1, x, s); ops.where(x > 1, s, x); ops.clamp(x, s, 3); ops.clamp(x, 1, s)
    ops.clamp(x, max=s); ops.full_like(x, s); ops.masked_fill(x, x > 1, s); ops.lerp(x, x, s)
    ops.addcmul(x, x, x, s); ops.addcdiv(x, x, x, s); ops.threshold(x, 1, s); ops.hardshrink(x, s)
    ops.softshrink(x, s); ops.leaky_relu(x, s); ops.elu(x, s); ops.float_power(x, s)
    ops.dropout(x, s / 4, training=False); ops.clip_by_value(x, s, 3)
    ops.isclose(x, x, s); ops.scalar_to_tensor(2) + x * s; ops.stack([x * s, x])
    x.add(s); x.sub(s); x.mul(s); x.div(s); x.pow(s); x.clamp(s, 3); x.masked_fill(x > 1, s)
    x.where(x > 1, s); x.maximum(s); x.fill_(s); x.add_(s); x.mul_(s); x.eq(s); x.less(s)
    x.floor_divide(s); x.remainder(s); x.fmod(s); x.lerp(x, s); x.new_full((2,), s)
    mint.add(x, s); mint.add(x, 2, alpha=s); mint.add(x, x, alpha=s); mint.sub(x, s, alpha=s)
    mint.mul(x, s); mint.div(x, s); mint.pow(x, s); mint.pow(s, x); mint.maximum(x, x * s)
    mint.where(x > 1, x, s); mint.clamp(x, s, 3); mint.full_like(x, s); mint.remainder(x, s)
    mint.eq(x, s); mint.lt(x, s); mint.addcmul(x, x, x, value=s); mint.masked_fill(x, x > 1, s)
    mint.nn.functional.leaky_relu(x, s); mint.nn.functional.threshold(x, 1, s)
    ops.Add()(x, s); ops.Mul()(s, x); ops.Maximum()(x, s); ops.Pow()(x, s)
    ops.Select()(x > 1, x, s)
    ops.assign(x, s); set_item(x, 0, s); ops.full((2,), s) + x; ops.fill(x.dtype, (2,), s)
    -x + s * s; x * (s + 1); ops.sqrt(x * s); ops.exp(x - s); ops.sum(x * s)
    ops.softmax(x / s, 0)"""


def _rows():
    for sign in ["+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">=", "&", "|"]:
        yield f"x {sign} s"
        yield f"s {sign} x"
    for name in _TWO.split():
        yield f"ops.{name}(x, s)"
        yield f"ops.{name}(s, x)"
    for line in _ONE.strip().splitlines():
        yield from (row.strip() for row in line.split(";"))


ROWS = list(dict.fromkeys(_rows()))


LETTERS = {
    "Float16": "h", "BFloat16": "b", "Float32": "f", "Float64": "d", "Int32": "i", "Int64": "l",
    "UInt8": "u", "Bool": "?", "array": "a", "refused": "-",
}  # fmt: skip


def letter(function, ms, dtype, kind):
    """Return the dtype of a row's result, as a letter; the elements are not computed."""
    x = ms.Tensor([1, 2], getattr(ms, dtype))
    out = function(x, NUMBERS[kind])
    return LETTERS[str(out.dtype) if isinstance(out, ms.Tensor) else "array"]


def set_item(x, index, value):
    """Set an element of the Tensor; return it."""
    x[index] = value
    return x


def functions(ms):
    """Return {row: its function of `x` and `s`}."""
    names = {"ms": ms, "ops": ms.ops, "mint": ms.mint, "set_item": set_item}
    return {row: eval(f"lambda x, s: {row}", names) for row in ROWS}
