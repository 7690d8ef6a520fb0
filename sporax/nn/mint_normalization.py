"""Normalization layers with the PyTorch-style arguments of `mint.nn`."""

from sporax import ops
from sporax._src.core.dtype import float32, int64
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.devices.distributed.groups import member, world
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.nn.cell import Cell
from sporax.nn.evaluation_notes import note
from sporax.nn.layer_inputs import check_inputs
from sporax.nn.normalization import check_groups
from sporax.nn.parameter_init import parameter
from sporax.ops.communication.normalization import normalize_together
from sporax.ops.declare import MINT


class _BatchNorm(Cell):
    """Base class of the batch normalizations; `_ndims`: the allowed numbers of input dimensions."""

    _ndims = ()

    def __init__(
        self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True,
        dtype=None,
    ):  # fmt: skip
        super().__init__()
        layer, shape, dtype = type(self).__name__, (num_features,), dtype or float32
        kinds.POSITIVE_INT(layer, num_features=num_features)
        kinds.BOOL(layer, affine=affine, track_running_stats=track_running_stats)
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self.weight = self.bias = self.running_mean = self.running_var = None
        if affine:
            self.weight = parameter(layer, "weight", "ones", shape, dtype)
            self.bias = parameter(layer, "bias", "zeros", shape, dtype)
        if track_running_stats:
            self.running_mean = parameter(
                layer, "running_mean", "zeros", shape, dtype, requires_grad=False
            )
            self.running_var = parameter(
                layer, "running_var", "ones", shape, dtype, requires_grad=False
            )
            self.num_batches_tracked = Parameter(Tensor(0, int64), requires_grad=False)

    def construct(self, input):
        layer = type(self).__name__
        check_inputs(layer, input)
        fits = input.ndim in self._ndims
        require(fits, "number-of-dimensions", layer, input=input.shape, n=self._ndims)
        by_batch, momentum = self.training or not self.track_running_stats, self.momentum
        if not by_batch:
            note(self)
        if self.training and self.track_running_stats:
            self.num_batches_tracked += 1
            if momentum is None:  # the mean of all batches so far
                momentum = 1.0 / int(self.num_batches_tracked.asnumpy())
        return self._normalized(input, by_batch, momentum or 0.0)

    def _normalized(self, input, by_batch, momentum):
        return MINT["nn.functional.batch_norm"](
            input, self.running_mean, self.running_var, self.weight, self.bias, by_batch, momentum,
            self.eps,
        )  # fmt: skip

    def extend_repr(self):
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    r"""`mint.nn.BatchNorm1d`: $w (x - \mu) / \sqrt{\sigma^2 + \epsilon} + b$ per channel.

    For `(N, C)` or `(N, C, L)`. In training, normalizes with batch statistics and updates
    `running_mean` and `running_var` (unbiased) by `momentum`, or, if None, to the mean over all
    batches; otherwise uses them. Without `track_running_stats`, always uses batch statistics. Like
    every Cell it starts in eval mode: see `set_train`.

    >>> mint.nn.BatchNorm1d(2)(ops.ones((3, 2))).shape
    (3, 2)
    """

    _ndims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """`mint.nn.BatchNorm2d`: `BatchNorm1d` for `(N, C, H, W)`.

    >>> mint.nn.BatchNorm2d(2)(ops.ones((3, 2, 4, 4))).shape
    (3, 2, 4, 4)
    """

    _ndims = (4,)


class BatchNorm3d(_BatchNorm):
    """`mint.nn.BatchNorm3d`: `BatchNorm1d` for `(N, C, D, H, W)`.

    >>> mint.nn.BatchNorm3d(2)(ops.ones((3, 2, 4, 4, 4))).shape
    (3, 2, 4, 4, 4)
    """

    _ndims = (5,)


class SyncBatchNorm(_BatchNorm):
    """`mint.nn.SyncBatchNorm`: `BatchNorm1d` with statistics over all processes.

    `process_group`: a group name; None: all processes.

    >>> mint.nn.SyncBatchNorm(2)(ops.ones((3, 2, 4, 4))).shape
    (3, 2, 4, 4)
    """

    _ndims = (2, 3, 4, 5)

    def __init__(
        self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True,
        process_group=None, dtype=None,
    ):  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype)
        self.process_group = process_group
        self._group = world() if process_group is None else member(process_group, "SyncBatchNorm")

    def _normalized(self, input, by_batch, momentum):
        if not by_batch or self._group.size == 1:
            return super()._normalized(input, by_batch, momentum)
        zeros, ones = ops.zeros(self.num_features), ops.ones(self.num_features)
        return normalize_together(
            input, zeros if self.running_mean is None else self.running_mean,
            zeros if self.running_var is None else self.running_var,
            ones if self.weight is None else self.weight, zeros if self.bias is None else self.bias,
            True, momentum, self.eps, self._group,
        )  # fmt: skip


class GroupNorm(Cell):
    r"""`mint.nn.GroupNorm`: $w (x - \mu) / \sqrt{\sigma^2 + \epsilon} + b$, moments over groups.

    `num_channels` (axis 1) is a multiple of `num_groups`; `affine`: create `weight` and `bias`, one
    element per channel.

    >>> mint.nn.GroupNorm(1, 2)(ops.ones((3, 2, 4, 4))).shape
    (3, 2, 4, 4)
    """

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, dtype=None):
        super().__init__()
        check_groups(num_groups, num_channels, affine)
        self.num_groups, self.num_channels = num_groups, num_channels
        self.eps, self.affine = eps, affine
        shape, dtype = (num_channels,), dtype or float32
        self.weight = parameter("GroupNorm", "weight", "ones", shape, dtype) if affine else None
        self.bias = parameter("GroupNorm", "bias", "zeros", shape, dtype) if affine else None

    def construct(self, input):
        return ops.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extend_repr(self):
        return (
            f"num_groups={self.num_groups}, num_channels={self.num_channels}, eps={self.eps}, "
            f"affine={self.affine}"
        )


class LayerNormExt(Cell):
    r"""`mint.nn.LayerNorm`: $w (x - \mu) / \sqrt{\sigma^2 + \epsilon} + b$ over the last axes.

    `normalized_shape`: the sizes of these axes, an int or a tuple; also the shape of `weight` and
    `bias`. `elementwise_affine`: create these; `bias`: create the bias.

    >>> mint.nn.LayerNorm(3)(ops.ones((2, 3))).shape
    (2, 3)
    """

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, dtype=None):
        super().__init__()
        kinds.BOOL("LayerNorm", elementwise_affine=elementwise_affine, bias=bias)
        one = isinstance(normalized_shape, int)
        shape = (normalized_shape,) if one else tuple(normalized_shape)
        self.normalized_shape, self.eps = shape, eps
        self.elementwise_affine, dtype = elementwise_affine, dtype or float32
        self.weight = self.bias = None
        if elementwise_affine:
            self.weight = parameter("LayerNorm", "weight", "ones", shape, dtype)
        if elementwise_affine and bias:
            self.bias = parameter("LayerNorm", "bias", "zeros", shape, dtype)

    def construct(self, input):
        return ops.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extend_repr(self):
        return (
            f"normalized_shape={self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}"
        )


MINT["nn.LayerNorm"] = LayerNormExt
for _class in (BatchNorm1d, BatchNorm2d, BatchNorm3d, SyncBatchNorm, GroupNorm):
    MINT[f"nn.{_class.__name__}"] = _class
