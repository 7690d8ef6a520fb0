"""MindSpore's private Primitives `PSROIPooling` and `PSROIPoolingGrad`: the pooling of R-FCN."""

from sporax import ops
from sporax._src.core import dtype as dtypes
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.transforms.autodiff.jacobian import vjp
from sporax.ops.operand_checks import TENSOR
from sporax.ops.primitive import Primitive

_DTYPES = dtypes.float16, dtypes.float32


class _RegionPooling(Primitive):
    """The bins of a region, in rows and columns, each the mean of its own channels of an image."""

    def __init__(self, spatial_scale, group_size, output_dim):
        who = type(self).__name__
        kinds.POSITIVE_FLOAT(who, spatial_scale=spatial_scale)
        kinds.POSITIVE_INT(who, group_size=group_size, output_dim=output_dim)
        super().__init__(who)
        self.spatial_scale, self.group_size, self.output_dim = (
            spatial_scale, group_size, output_dim
        )  # fmt: skip

    def _check(self, sizes, **operands):
        """Raise TypeError for other operands than floating Tensors, RuntimeError for a first one of
        another shape than `sizes` (None: any)."""
        who, (name, first), rois = self.name, next(iter(operands.items())), operands["rois"]
        for argument, value in operands.items():
            TENSOR(who, **{argument: value})
            fits = value.dtype in _DTYPES
            require(fits, "dtype-one-of", who, argument=argument, dtypes=_DTYPES, got=value.dtype)
        pairs = zip(first.shape, sizes, strict=False)
        fits = first.ndim == 4 and all(want in (None, n) for n, want in pairs)
        shape = tuple("*" if want is None else want for want in sizes)
        rule, got = ("shape-shape-size", who, RuntimeError), tuple(first.shape)
        require(fits, *rule, argument=name, shape=shape, got=got)
        fits, got = rois.ndim == 3 and rois.shape[1] == 5, tuple(rois.shape)
        require(fits, *rule, argument="rois", shape="(N, 5, n)", got=got)

    def _pool(self, features, rois):
        """Return the pooled regions (N * n, output_dim, rows, columns), linear in `features`."""
        regions, n_bins = rois.swapaxes(1, 2).reshape((-1, 5)), self.group_size
        corners = ops.floor(regions[:, 1:] * self.spatial_scale + 0.5)
        masks, bins = [], ops.arange(n_bins).astype(rois.dtype)
        for axis, size in ((1, features.shape[2]), (0, features.shape[3])):
            start = corners[:, axis].expand_dims(1)
            length = ops.maximum(corners[:, axis + 2].expand_dims(1) - start, 1) / n_bins
            begin, end = start + ops.floor(bins * length), start + ops.ceil((bins + 1) * length)
            positions = ops.arange(size)
            masks.append((positions >= begin.expand_dims(2)) & (positions < end.expand_dims(2)))
        rows, columns = (mask.astype(features.dtype) for mask in masks)  # (regions, bins, size)
        samples = features[regions[:, 0].astype(dtypes.int64)]
        samples = samples.reshape((-1, self.output_dim, n_bins, n_bins, *features.shape[2:]))
        total = ops.einsum("rcpqhw,rph,rqw->rcpq", samples, rows, columns)
        count = ops.einsum("rph,rqw->rpq", rows, columns).expand_dims(1)
        return total / ops.maximum(count, 1)


class PSROIPooling(_RegionPooling):
    """Pool regions (N, 5, n) (image, x1, y1, x2, y2) of `features`, whose channels are
    `output_dim` groups of one for each of `group_size` rows and columns of bins."""

    def __call__(self, features, rois):
        n_channels = self.output_dim * self.group_size**2
        self._check((None, n_channels, None, None), features=features, rois=rois)
        return self._pool(features, rois)


class PSROIPoolingGrad(_RegionPooling):
    """The gradient of `PSROIPooling` with respect to `features` of `input_size`."""

    def __init__(self, input_size, spatial_scale, group_size, output_dim):
        super().__init__(spatial_scale, group_size, output_dim)
        sizes = input_size if isinstance(input_size, tuple) else (input_size, input_size)
        for size in sizes:
            kinds.POSITIVE_INT("PSROIPoolingGrad", input_size=size)
        self.input_size = sizes

    def __call__(self, x, rois):
        bins = self.group_size
        TENSOR(self.name, rois=rois)
        n_rows = rois.shape[0] * rois.shape[-1]
        self._check((n_rows, self.output_dim, bins, bins), x=x, rois=rois)
        shape = (rois.shape[0], self.output_dim * bins**2, *self.input_size)
        return vjp(lambda features: self._pool(features, rois), ops.zeros(shape, x.dtype))[1](x)[0]
