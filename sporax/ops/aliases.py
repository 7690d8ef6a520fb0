"""Second names of functions in `ops.functional`."""

from sporax._src.core.tensor import Tensor
from sporax.ops.declare import FUNCTIONS, MINT, composite

# alias and its parameters -> path of the function, in `ops`, `mint` or Tensor
_ALIASES = {
    "tensor_add(input, other)": "ops.add", "tensor_sub(input, other)": "ops.sub",
    "tensor_mul(input, other)": "ops.mul", "tensor_muls(input, other)": "ops.mul",
    "tensor_div(x: input, y: other)": "ops.div", "tensor_pow(input, exponent)": "ops.pow",
    "tensor_floordiv(input: x, other: y)": "ops.floor_div",
    "floordiv(input: x, other: y)": "ops.floor_div",
    "tensor_mod(x, y)": "ops.floor_mod", "floormod(x, y)": "ops.floor_mod",
    "tensor_exp(input)": "ops.exp", "tensor_expm1(input)": "ops.expm1",
    "tensor_gt(input, other)": "ops.gt", "tensor_ge(input, other)": "ops.ge",
    "tensor_lt(input, other)": "ops.lt", "tensor_le(input, other)": "ops.le",
    "tensor_range(start, end, step)": "ops.range", "reshape_(input, shape)": "ops.reshape",
    "shape_(x: input_x)": "ops.shape",
    "soft_shrink(input, lambd=0.5)": "ops.softshrink", "isnan_ext(tensor: input)": "ops.isnan",
    "baddbmm_ext(input, batch1, batch2, beta=1, alpha=1)": "ops.baddbmm",
    "mse_loss_ext(input, target, reduction='mean')": "ops.mse_loss",
    "diff_ext(input, n=1, dim=-1, prepend=None, append=None)": "mint.diff",
    "float_power_ext(input, exponent)": "mint.float_power",
    "adaptive_avg_pool2d_ext(input, output_size)": "mint.nn.functional.adaptive_avg_pool2d",
    "clamp_(input: self, min=None, max=None)": "Tensor.clamp_",
    "erfinv_(input: self)": "Tensor.erfinv_", "tanh_(input: self)": "Tensor.tanh_",
    "zero_(input: self)": "Tensor.zero_", "inplace_sigmoid(input: self)": "Tensor.sigmoid_",
}  # fmt: skip


def declare():
    """Register the aliases beside the original names."""
    spaces = {"ops": FUNCTIONS, "mint": MINT, "Tensor": vars(Tensor)}
    for face, path in _ALIASES.items():
        room, _, name = path.partition(".")
        composite(function=face, name=face.partition("(")[0])(spaces[room][name])
    FUNCTIONS["einsum_ext"] = MINT["einsum"]
