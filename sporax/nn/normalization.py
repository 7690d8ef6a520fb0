"""Normalization layers."""

from typing import ClassVar

from sporax import ops
from sporax._src.core.dtype import float32
from sporax._src.devices.distributed.groups import Group, world
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.nn.cell import Cell
from sporax.nn.evaluation_notes import note
from sporax.nn.layer_inputs import check_inputs, require_multiples
from sporax.nn.parameter_init import parameter
from sporax.ops.communication.normalization import normalize_together
from sporax.ops.nn.normalization import layer_norm_of_class, normalize_batch


def _add_parameters(norm, mean_init, variance_init, gamma_init, beta_init, affine, dtype):
    """Create a norm's moving statistics, and its scale and shift, trained if `affine`."""
    for attribute, init, name, trained in [
        ("moving_mean", mean_init, "mean", False),
        ("moving_variance", variance_init, "variance", False),
        ("gamma", gamma_init, "gamma", affine),
        ("beta", beta_init, "beta", affine),
    ]:
        shape = (norm.num_features,)
        initial = parameter(type(norm).__name__, attribute, init, shape, dtype, name, trained)
        setattr(norm, attribute, initial)


_SWITCH = kinds.one_of(None, True, False)


class _BatchNorm(Cell):
    """Base class of the batch normalizations; `_ndims`: the allowed numbers of input dimensions."""

    _ndims = ()
    _on_request: ClassVar = {
        "bn_train": lambda layer: ops.BatchNorm(True, layer.eps, layer.momentum, layer.format),
        "bn_infer": lambda layer: ops.BatchNorm(False, layer.eps, layer.momentum, layer.format),
    }

    def __init__(
        self, num_features, eps=1e-5, momentum=0.9, affine=True, gamma_init="ones",
        beta_init="zeros", moving_mean_init="zeros", moving_var_init="ones",
        use_batch_statistics=None, data_format="NCHW", dtype=float32,
    ):  # fmt: skip
        super().__init__()
        layer = type(self).__name__
        kinds.POSITIVE_INT(layer, num_features=num_features)
        kinds.BOOL(layer, affine=affine)
        fits = isinstance(momentum, (int, float)) and 0 <= momentum <= 1
        require(fits, "number", layer, momentum=momentum, words="[0, 1]")
        _SWITCH(layer, use_batch_statistics=use_batch_statistics)
        self.num_features, self.eps, self.format = num_features, eps, data_format
        self.momentum = 1.0 - momentum  # the weight of the batch, as in `ops.batch_norm`
        self.use_batch_statistics = use_batch_statistics
        _add_parameters(
            self, moving_mean_init, moving_var_init, gamma_init, beta_init, affine, dtype
        )

    def construct(self, x):
        layer = type(self).__name__
        check_inputs(layer, x)
        fits = x.ndim in self._ndims
        require(fits, "number-of-dimensions", layer, x=x.shape, n=self._ndims)
        by_batch = self.use_batch_statistics
        if by_batch is None:
            by_batch = self.training
            note(self)
        return self._normalized(x, by_batch)

    def _normalized(self, x, by_batch):
        return normalize_batch(
            x, self.moving_mean, self.moving_variance, self.gamma, self.beta, by_batch,
            self.momentum, self.eps, self.format,
        )  # fmt: skip

    def extend_repr(self):
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={1.0 - self.momentum}, "
            f"gamma={self.gamma}, beta={self.beta}, moving_mean={self.moving_mean}, "
            f"moving_variance={self.moving_variance}"
        )


class BatchNorm1d(_BatchNorm):
    r"""$\gamma (x - \mu) / \sqrt{\sigma^2 + \epsilon} + \beta$ per channel.

    The input is `(N, C)` or `(N, C, L)`. In training (or with `use_batch_statistics=True`), batch
    statistics are used and update the moving ones: $moving \leftarrow momentum \cdot moving +
    (1 - momentum) \cdot batch$. Otherwise the moving statistics are used (Ioffe and Szegedy, 2015).
    `affine=False`: `gamma` and `beta` are not trained.

    >>> nn.BatchNorm1d(2)(ops.ones((3, 2))).shape
    (3, 2)
    """

    _ndims = 2, 3


class BatchNorm2d(_BatchNorm):
    """`BatchNorm1d` for images: `(N, C, H, W)`, or `(N, H, W, C)` with `data_format='NHWC'`.

    >>> nn.BatchNorm2d(2)(ops.ones((3, 2, 4, 4))).shape
    (3, 2, 4, 4)
    """

    _ndims = (4,)


class BatchNorm3d(Cell):
    """`BatchNorm1d` for volumes: `(N, C, D, H, W)`. The parameters belong to `bn2d`.

    >>> nn.BatchNorm3d(2)(ops.ones((3, 2, 4, 4, 4))).shape
    (3, 2, 4, 4, 4)
    """

    def __init__(
        self, num_features, eps=1e-5, momentum=0.9, affine=True, gamma_init="ones",
        beta_init="zeros", moving_mean_init="zeros", moving_var_init="ones",
        use_batch_statistics=None, dtype=float32,
    ):  # fmt: skip
        super().__init__()
        self.bn2d = BatchNorm2d(
            num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init,
            moving_var_init, use_batch_statistics, dtype=dtype,
        )  # fmt: skip

    def construct(self, x):
        check_inputs("BatchNorm3d", x)
        require(x.ndim == 5, "number-of-dimensions", "BatchNorm3d", x=x.shape, n=(5,))
        n, channels, depth, height, width = x.shape
        return self.bn2d(x.reshape(n, channels, depth * height, width)).reshape(x.shape)


class SyncBatchNorm(_BatchNorm):
    """`BatchNorm1d` of `(N, C)` and `BatchNorm2d` with statistics over all processes.

    `process_groups`: lists of ranks that share statistics; None: all ranks.

    >>> nn.SyncBatchNorm(2)(ops.ones((3, 2, 4, 4))).shape
    (3, 2, 4, 4)
    """

    _ndims = 2, 4

    def __init__(
        self, num_features, eps=1e-5, momentum=0.9, affine=True, gamma_init="ones",
        beta_init="zeros", moving_mean_init="zeros", moving_var_init="ones",
        use_batch_statistics=None, process_groups=None, dtype=float32,
    ):  # fmt: skip
        super().__init__(
            num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init,
            moving_var_init, use_batch_statistics, dtype=dtype,
        )  # fmt: skip
        self.process_groups = process_groups
        self._group = _own_group(process_groups)

    def _normalized(self, x, by_batch):
        return normalize_together(
            x, self.moving_mean, self.moving_variance, self.gamma, self.beta, by_batch,
            self.momentum, self.eps, self._group,
        )  # fmt: skip


def _own_group(process_groups):
    """Return this process's group among lists of ranks; the world group for None."""
    if process_groups is None:
        return world()
    ranks = sorted([rank for group in process_groups for rank in group])
    last = world().size - 1
    fits, got = ranks == [*range(last + 1)], process_groups
    require(fits, "hold-rank-once-0", "SyncBatchNorm", process_groups=got, number=last)
    return Group.intern(next(g for g in process_groups if world().rank in g))


class _InstanceNorm(Cell):
    """Base class of the instance normalizations; `_ndim`: the number of input dimensions."""

    _ndim = 0

    def __init__(
        self, num_features, eps=1e-5, momentum=0.1, affine=True, gamma_init="ones",
        beta_init="zeros", dtype=float32,
    ):  # fmt: skip
        super().__init__()
        layer = type(self).__name__
        kinds.POSITIVE_INT(layer, num_features=num_features)
        kinds.BOOL(layer, affine=affine)
        fits = isinstance(momentum, float) and 0 <= momentum <= 1
        require(fits, "float-0-1", layer, momentum=momentum)
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        _add_parameters(self, "zeros", "ones", gamma_init, beta_init, affine, dtype)

    def construct(self, x):
        layer = type(self).__name__
        check_inputs(layer, x)
        fields = {"ndim": self._ndim, "num_features": self.num_features, "shape": x.shape}
        fits = x.ndim == self._ndim and x.shape[1] == self.num_features
        require(fits, "input-dimensions-channels-num-features", layer, **fields)
        return ops.group_norm(x, self.num_features, self.gamma, self.beta, self.eps)

    def extend_repr(self):
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"gamma={self.gamma}, beta={self.beta}, moving_mean={self.moving_mean}, "
            f"moving_variance={self.moving_variance}"
        )


class InstanceNorm1d(_InstanceNorm):
    r"""$\gamma (x - \mu) / \sqrt{\sigma^2 + \epsilon} + \beta$ with statistics per example and
    channel: `(N, C, L)` (Ulyanov et al., 2016).

    Same in training and evaluation; `moving_mean` and `moving_variance` exist for checkpoints.

    >>> nn.InstanceNorm1d(2)(ops.ones((3, 2, 4))).shape
    (3, 2, 4)
    """

    _ndim = 3


class InstanceNorm2d(_InstanceNorm):
    """`InstanceNorm1d` for images: `(N, C, H, W)`.

    >>> nn.InstanceNorm2d(2)(ops.ones((3, 2, 4, 4))).shape
    (3, 2, 4, 4)
    """

    _ndim = 4


class InstanceNorm3d(_InstanceNorm):
    """`InstanceNorm1d` for volumes: `(N, C, D, H, W)`.

    >>> nn.InstanceNorm3d(2)(ops.ones((3, 2, 4, 4, 4))).shape
    (3, 2, 4, 4, 4)
    """

    _ndim = 5


class LayerNorm(Cell):
    r"""$\gamma (x - \mu) / \sqrt{\sigma^2 + \epsilon} + \beta$ over the last axes.

    `normalized_shape`: the shape of `gamma` and `beta`, equal to the input shape from axis
    `begin_params_axis` on; statistics are over axes `begin_norm_axis` and later (Ba et al., 2016).

    >>> nn.LayerNorm((2,))(Tensor([[1.0, 3.0]])).asnumpy().round(3)
    array([[-1.,  1.]], dtype=float32)
    """

    _on_request: ClassVar = {
        "layer_norm": lambda layer: ops.LayerNorm(
            layer.begin_norm_axis, layer.begin_params_axis, layer.epsilon
        )
    }

    def __init__(
        self, normalized_shape, begin_norm_axis=-1, begin_params_axis=-1, gamma_init="ones",
        beta_init="zeros", epsilon=1e-7, dtype=float32,
    ):  # fmt: skip
        super().__init__()
        fits = isinstance(normalized_shape, (tuple, list)) and normalized_shape
        require(fits, "tuple-list-ints", "LayerNorm", normalized_shape=normalized_shape)
        self.normalized_shape, self.epsilon = normalized_shape, epsilon
        self.begin_norm_axis, self.begin_params_axis = begin_norm_axis, begin_params_axis
        shape = tuple(normalized_shape)
        self.gamma = parameter("LayerNorm", "gamma", gamma_init, shape, dtype, "gamma")
        self.beta = parameter("LayerNorm", "beta", beta_init, shape, dtype, "beta")

    def construct(self, input_x):
        check_inputs("LayerNorm", input_x)
        shape, first = self.gamma.shape, self.begin_params_axis
        fits = shape == (input_x.shape[first:] if input_x.ndim else ())
        fields = {"axis": first, "shape": shape, "shape2": input_x.shape}
        require(fits, "input-s-shape-axis", "LayerNorm", **fields)
        if self.begin_norm_axis % input_x.ndim == self.begin_params_axis % input_x.ndim:
            return ops.layer_norm(input_x, shape, self.gamma, self.beta, self.epsilon)
        return layer_norm_of_class(
            input_x,
            self.gamma,
            self.beta,
            self.begin_norm_axis,
            self.begin_params_axis,
            self.epsilon,
        )[0]

    def extend_repr(self):
        return (  # no '=' after 'gamma', as in MindSpore's repr
            f"normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, "
            f"begin_params_axis={self.begin_params_axis}, gamma{self.gamma}, beta={self.beta}"
        )


def check_groups(num_groups, num_channels, affine):
    """Validate arguments of GroupNorm, here and in `mint.nn`; TypeError or ValueError."""
    kinds.POSITIVE_INT("GroupNorm", num_groups=num_groups, num_channels=num_channels)
    kinds.BOOL("GroupNorm", affine=affine)
    require_multiples("GroupNorm", num_groups=num_groups, num_channels=num_channels)


class GroupNorm(Cell):
    r"""$\gamma (x - \mu) / \sqrt{\sigma^2 + \epsilon} + \beta$ over groups of channels.

    `num_channels` (axis 1) is a multiple of `num_groups` (Wu and He, 2018).

    >>> nn.GroupNorm(1, 2)(ops.ones((3, 2, 4, 4))).shape
    (3, 2, 4, 4)
    """

    def __init__(
        self, num_groups, num_channels, eps=1e-5, affine=True, gamma_init="ones",
        beta_init="zeros", dtype=float32,
    ):  # fmt: skip
        super().__init__()
        check_groups(num_groups, num_channels, affine)
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.affine = affine
        shape = (num_channels,)
        self.gamma = parameter("GroupNorm", "gamma", gamma_init, shape, dtype, "gamma", affine)
        self.beta = parameter("GroupNorm", "beta", beta_init, shape, dtype, "beta", affine)

    def construct(self, x):
        return ops.group_norm(x, self.num_groups, self.gamma, self.beta, self.eps)

    def extend_repr(self):
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"
