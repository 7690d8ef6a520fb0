"""Conversion between the axis orders of images."""

import jax.numpy as jnp

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.index_checks.ranges import Range
from sporax.ops.declare import Array, op

_FORMAT = kinds.one_of("NHWC", "NCHW")


@op(
    function=(), differentiable=False,
    bounds=lambda input_x, **_: [Range(input_x, 4, span="the-axes")],
    primitive="DataFormatDimMap(src_format='NHWC', dst_format='NCHW')(input_x)",
)  # fmt: skip
def data_format_dim_map(input_x: Array, src_format="NHWC", dst_format="NCHW"):
    """Map axes of the second format, numbered from -4 to 3, to axes of the first.

    >>> ops.DataFormatDimMap()(Tensor([0, 1, 2, 3], ms.int32)).asnumpy()
    array([0, 3, 1, 2], dtype=int32)
    """
    _FORMAT(None, src_format=src_format, dst_format=dst_format)
    is_integer = jnp.issubdtype(input_x.dtype, jnp.integer)
    require(is_integer, "integer-dtype", input_x=input_x.dtype)
    axes = jnp.array([src_format.index(letter) for letter in dst_format], input_x.dtype)
    return axes[jnp.clip(input_x, -4, 3)]


@op(
    function=(),
    primitive="DataFormatVecPermute(src_format='NHWC', dst_format='NCHW')(input_x)",
)  # fmt: skip
def data_format_vec_permute(input_x: Array, src_format="NHWC", dst_format="NCHW"):
    """Reorder entries for the axes of the first format to the second's: `(4,)`, `(4, 2)`.

    >>> ops.DataFormatVecPermute()(Tensor([1, 2, 3, 4], ms.int32)).asnumpy()
    array([1, 4, 2, 3], dtype=int32)
    """
    _FORMAT(None, src_format=src_format, dst_format=dst_format)
    require(input_x.shape in ((4,), (4, 2)), "shape-4-4-2", argument="input_x", shape=input_x.shape)
    return input_x[jnp.array([src_format.index(letter) for letter in dst_format])]
