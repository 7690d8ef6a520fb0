"""Mixed precision: which parts of a network compute in 16 or 32 bits."""

import functools
import inspect
import logging
from contextlib import closing

import numpy as np

from sporax import nn
from sporax._src.core import dtype as dtypes
from sporax._src.core.value import Changes
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.engine.autocast import choice_of, computing_in
from sporax.nn.cell import CELL, Cell
from sporax.nn.cell_precision import FLAGS, PrecisionScheme, cast_floats
from sporax.ops.declare import OPS, PRIMITIVES
from sporax.ops.primitive import Primitive

_log = logging.getLogger("sporax")

_WHITE_CELLS = """
    Conv1d Conv2d Conv3d Conv1dTranspose Conv2dTranspose Conv3dTranspose Dense LSTMCell RNNCell
    GRUCell"""
_WHITE_PRIMITIVES = """
    Conv2D Conv3D Conv2DTranspose Conv3DTranspose Conv2DBackpropInput MatMul BatchMatMul PReLU ReLU
    Ger"""
_BLACK_CELLS = "BatchNorm1d BatchNorm2d BatchNorm3d LayerNorm"

# names of declared operations that compute in 16 bits, and in 32 bits, for 'auto'
_AUTO_LOW = """
    conv2d conv3d conv_transpose matmul matmul_transposed bmm mm mv dense contraction tensor_dot
    prelu"""
_AUTO_HIGH = """
    power integer_pow acos asin cosh erfinv exp expm1 log log10 log1p log2 reciprocal rsqrt sinh tan
    softplus layer_norm layer_norm_of_class batch_norm_training batch_norm_inference
    group_norm norm lp_norm kl_div smooth_l1_loss soft_margin_loss binary_cross_entropy_with_logits
    reduce_prod prod softmax log_softmax cumprod cumsum sum l1_loss mse_loss nll_loss
    nll_loss_of_class cross_entropy"""
_AUTO_WIDEST = "bias_add"  # raises for operands of two dtypes anywhere else


def _existing(names, find):
    return [cls for name in names.split() if (cls := find(name)) is not None]


def get_white_list():
    """Return the classes of Cells and Primitives that compute in 16 bits at level 'O1'.

    >>> nn.Dense in get_white_list()
    True
    """
    return [
        *_existing(_WHITE_CELLS, lambda name: getattr(nn, name, None)),
        *_existing(_WHITE_PRIMITIVES, PRIMITIVES.get),
    ]


def get_black_list():
    """Return the classes of Cells that compute in float32 at level 'O2'.

    >>> nn.LayerNorm in get_black_list()
    True
    """
    return _existing(_BLACK_CELLS, lambda name: getattr(nn, name, None))


def auto_mixed_precision(network, amp_level="O0", dtype=dtypes.float16):
    """Make a network compute in `dtype` (float16 or bfloat16), by level.

    `amp_level`: 'O0', nothing. 'O1', the Cells and Primitives of `get_white_list()`, with float32
    results. 'O2', all but the Cells of `get_black_list()`. 'O3', all. 'auto', operations that
    benefit, such as matrix products, in `dtype`; sensitive ones, such as `exp` and losses, in
    float32, and all others in the dtype of their operands. `network`: a Cell, for 'auto' also a
    function.

    Parameters keep their dtype. The network itself is modified and returned; with 'O2' and 'O3' it
    returns float32.

    >>> net = auto_mixed_precision(nn.SequentialCell(nn.Dense(2, 2), nn.LayerNorm((2,))), "O2")
    >>> net[0](Tensor([[1.0, 2.0]])).dtype, net(Tensor([[1.0, 2.0]])).dtype
    (mindspore.float16, mindspore.float32)
    """
    who = "auto_mixed_precision"
    fits = isinstance(network, Cell) or (amp_level == "auto" and inspect.isroutine(network))
    require(fits, "cell-auto-cell-function", who, network=network)
    _check_dtype(who, dtype)
    levels = "O0", "O1", "O2", "O3", "auto"
    require(amp_level in levels, "one-of", who, amp_level=amp_level, choices=levels)
    if amp_level == "O0":
        return network
    before = getattr(network, "_amp_level", None)
    if before is not None:
        _log.warning("The mixed precision of the network, '%s', becomes '%s'.", before, amp_level)
    network = _LEVELS[amp_level](network, dtype)
    vars(network)["_amp_level"] = amp_level
    return network


def custom_mixed_precision(network, *, white_list=None, black_list=None, dtype=dtypes.float16):
    """Make a network compute in `dtype` by a custom white list or black list.

    `white_list`: Cells and Primitives that compute in `dtype`, as at level 'O1'. `black_list`:
    Cells to exclude, as at level 'O2'. The network itself is modified and returned.

    >>> net = custom_mixed_precision(nn.SequentialCell(nn.Dense(2, 2)), white_list=[nn.Dense])
    >>> net(Tensor([[1.0, 2.0]])).dtype
    mindspore.float32
    """
    who = "custom_mixed_precision"
    CELL(who, network=network)
    is_one = (white_list is None) != (black_list is None)
    require(is_one, "either-given", who, other="white_list", other2="black_list")
    _check_dtype(who, dtype)
    name, chosen, classes = ("white_list", white_list, (Cell, Primitive))
    if white_list is None:
        name, chosen, classes = ("black_list", black_list, (Cell,))
    kinds.LIST.checked(who, name, chosen)
    for kind in chosen or ():
        fits = isinstance(kind, type) and issubclass(kind, classes)
        names = [k.__name__ for k in classes]
        require(fits, "hold-classes", who, argument=name, names=names, got=kind)
    return (_whitelisted if white_list is not None else _blacklisted)(network, dtype, chosen)


_HALVES = dtypes.float16, dtypes.bfloat16


def _check_dtype(who, dtype):
    require(dtype in _HALVES, "float-dtype-one-of", who, dtype=dtype, dtypes=_HALVES)


def _set(cell, inside, returns=None):
    Changes.count += 1
    vars(cell)["_autocast"] = PrecisionScheme(inside, returns)


def _whitelisted(network, dtype, kinds):
    """Run Cells and Primitives of these classes in `dtype`, with float32 results."""
    operations = frozenset(_operation(kind) for kind in kinds if issubclass(kind, Primitive))
    for cell in _outermost(network, lambda c: type(c) in kinds and not _is_chosen(c)):
        cell.to_float(dtype)
        _set(cell, dtype, dtypes.float32)
    if operations and vars(network).get("_autocast") is None:
        _set(network, choice_of(
            dtypes.to_numpy(dtype), operations, frozenset(), frozenset(), np.dtype(np.float32)
        ))  # fmt: skip
    return network


def _operation(kind):
    """Return the name of a Primitive's operation."""
    is_there = kind.operation is not None
    require(is_there, "sporax-no-mixed-precision", kind=kind.__name__)
    return kind.operation


def _is_chosen(cell):
    """Return True if the precision of the cell was set before."""
    return any(cell._cell_flags.get(flag) for flag in FLAGS)


def _outermost(network, is_meant):
    """Return the topmost cells of a tree that satisfy a predicate."""
    if is_meant(network):
        return [network]
    children = [child for child in network._cells.values() if child is not None]
    return [cell for child in children for cell in _outermost(child, is_meant)]


def _blacklisted(network, dtype, kinds):
    """Run all cells in `dtype` except instances of these classes."""
    network.to_float(dtype)
    keep_in_float32(network, dtype, kinds)
    _set(network, dtype, dtypes.float32)
    return network


def keep_in_float32(network, dtype, kinds=None):
    """Make descendants of these classes compute in float32 and return `dtype`."""
    kinds = tuple(get_black_list() if kinds is None else kinds)
    for cell in _outermost(network, lambda c: c is not network and isinstance(c, kinds)):
        cell.to_float(dtypes.float32)
        _set(cell, dtypes.float32, dtype)


def _named(listed):
    """Convert names in `OPS` to operation names of `Op` and `Choice`."""
    return frozenset(OPS[name].name for name in listed.split())


def _all(network, dtype):
    return _blacklisted(network, dtype, ())


def _automatic(network, dtype):
    choice = choice_of(
        dtypes.to_numpy(dtype), _named(_AUTO_LOW), _named(_AUTO_HIGH), _named(_AUTO_WIDEST), None
    )
    if isinstance(network, Cell):
        _set(network, choice)
        return network

    @functools.wraps(network)
    def automatic(*args, **kwargs):
        with closing(computing_in(choice)) as block, block:
            return network(*args, **kwargs)

    return automatic


_LEVELS = {
    "O1": lambda network, dtype: _whitelisted(network, dtype, get_white_list()),
    "O2": lambda network, dtype: _blacklisted(network, dtype, get_black_list()),
    "O3": _all,
    "auto": _automatic,
}


class FloatLossCell(nn.WithLossCell):
    """`WithLossCell` that converts the network's output and the label to float32."""

    def construct(self, data, label):
        output = cast_floats(self._backbone(data), dtypes.float32)
        return self._loss_fn(output, cast_floats(label, dtypes.float32))


__all__ = ["auto_mixed_precision", "custom_mixed_precision", "get_black_list", "get_white_list"]
