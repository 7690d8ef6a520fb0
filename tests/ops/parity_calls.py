"""Calls that no sample can be written for, mostly of functions that are made of operations.

A row is `call |
    reference`: the reference is an expression of PyTorch (`pt`), evaluated when the results
are recorded, or of NumPy (`np`, in float64). The reference of a call of `mint` is the same call of
PyTorch's. The arrays have the names below.
"""

import numpy as np

_rng = np.random.default_rng(0)


def _floats(*shape):
    return np.round(_rng.uniform(-2, 2, shape), 3).astype(np.float32)


ARRAYS = {
    "x": _floats(2, 3), "y": _floats(2, 3), "w": np.abs(_floats(2, 3)) + 0.5, "v": _floats(3),
    "u": _floats(2), "m": _floats(3, 3), "t": _floats(2, 3, 4), "r": _floats(2, 4, 3),
    "i": np.array([[3, -1, 0], [2, 7, -4]], np.int32), "j": np.array([2, 0, 1], np.int64),
    "k": np.array([[0, 1, 1], [1, 0, 0]], np.int64), "z": np.array([0, 0, 5, 0], np.int32),
    "b": np.array([[True, False, True], [False, False, True]]), "s": _floats(1, 2, 6),
    "p": _floats(1, 4, 4, 6), "c": _floats(1, 2, 4, 4, 4), "f": _floats(3, 4, 2, 2),
    "g": np.clip(_floats(1, 3, 2, 2), -1.2, 1.2), "a": _floats(1, 2, 3), "q": _floats(3, 2, 3),
    "o": _floats(4, 3, 2, 2), "n": np.array([[np.nan, 1.0, np.inf], [-np.inf, 2.0, -2.0]], "f4"),
    "e": np.zeros((0, 3), np.float32), "d": np.array(1.5, np.float32),
    "h": np.array([3, 1, 3, 2, 1], np.int32), "l": _floats(5),
}  # fmt: skip

_ALIKE = """
add(x, y); add(x, y, alpha=2); add(i, i, alpha=-1); sub(x, y, alpha=0.5); sub(i, 1); pow(w, y)
pow(x, 2); pow(2, x); pow(i, 2); arange(5); arange(1, 7, 2); arange(0.0, 1.0, 0.25)
arange(5, 1, -2)
add(x, i.astype(ms.int8), alpha=100); sub(i, i.astype(ms.int8), alpha=100); add(b, i, alpha=2)
add(i, i.astype(ms.uint8), alpha=-1); sub(x.astype(ms.float16), i, alpha=0.5)
meshgrid(v, u, indexing='ij'); meshgrid(v, u, indexing='xy'); clamp(x, -1, 1); clamp(x, min=0.5)
clamp(x, max=0.5); clamp(n, -1.0, 1.0); clamp(i, 0, 3); clamp(x, y, w); clip(x, -0.5, 0.5)
float_power(x, 2); float_power(i, 2); float_power(w, y); addcmul(x, y, w, value=0.5)
addcdiv(x, y, w, value=2); addcdiv(x, y, w); t(x); t(v); ravel(t); nonzero(i); nonzero(z)
nonzero(x)
nonzero(d); masked_select(x, b); take(x, j); allclose(x, x); allclose(n, n, equal_nan=True)
allclose(x, y, rtol=10.0); clone(x); hstack((x, y)); hstack((v, u)); dstack((x, y)); dstack((v, v))
repeat_interleave(x, 2, dim=1); repeat_interleave(x, 2); repeat_interleave(v, j); addmm(x, x, m)
addmm(x, x, m, beta=0.5, alpha=2); addmv(u, x, v); addmv(u, x, v, beta=0.5, alpha=2)
baddbmm(q[:2], t, r[:2]); baddbmm(q[:2, :1], t, r, beta=0.5, alpha=2); addbmm(m, t, r)
addbmm(m, t, r, beta=0.5, alpha=2); einsum('ij,kj->ik', x, y); einsum('bij,bjk->bik', t, r)
einsum('ii->i', m); einsum('ii', m); einsum('...j,j', t, t[0, 0]); argmin(x); argmin(x, dim=1)
argmin(x, 0, True); max(x); max(x, 1); max(x, 0, True); max(x, -1); max(i); max(x, y); min(x)
min(x, -2, keepdim=True); min(x, y); min(d); var_mean(x); var_mean(x, dim=1, keepdim=True)
var_mean(x, correction=0); std_mean(x, dim=(0, 1)); std_mean(x, dim=-1, correction=0); norm(x)
norm(x, p=1, dim=1); norm(x, 'fro', dim=(0, 1), keepdim=True); norm(v, float('inf')); norm(v, 0)
cummin(x, 1); cummin(i, -1); cummax(x, 0); scatter(x, 1, k, y); scatter(x, 0, k, 2.0)
scatter_add(x, 1, k, y); scatter_add(x, -1, k, y); sort(x); sort(x, dim=0, descending=True)
sort(i, stable=True); argsort(x); argsort(x, dim=0, descending=True); topk(v, 2)
topk(x, 2, dim=1, largest=False); topk(x, 1, 0); unique(h); unique(h, return_inverse=True)
unique(h, return_counts=True); unique(h, return_inverse=True, return_counts=True)
unique(k, dim=0); select(x, 1, 0); select(x, 0, -1)
nn.functional.relu(x); nn.functional.adaptive_avg_pool1d(s, 3)
nn.functional.adaptive_avg_pool1d(s, 4)
nn.functional.adaptive_avg_pool2d(p, (2, 3)); nn.functional.adaptive_avg_pool2d(p, (None, 3))
nn.functional.adaptive_avg_pool3d(c, 2); nn.functional.adaptive_avg_pool3d(c, (3, 2, 1))
nn.functional.one_hot(j); nn.functional.one_hot(j, 4); nn.functional.one_hot(k, num_classes=3)
nn.functional.embedding(j, m); nn.functional.embedding(k, m)
nn.functional.conv2d(p, f); nn.functional.conv2d(p, f, v); nn.functional.conv2d(p, f, stride=2)
nn.functional.conv2d(p, f, padding=1, dilation=2); nn.functional.conv2d(p, f, padding='same')
nn.functional.conv2d(p, f[:, :2][:2], groups=2); nn.functional.conv2d(p, f, padding='valid')
nn.functional.conv_transpose2d(p, o, stride=2); nn.functional.conv_transpose2d(p, o, padding=1)
nn.functional.conv_transpose2d(p, o, v, 2, 1, 1); nn.functional.conv_transpose2d(p, o, dilation=2)
nn.functional.conv3d(c, c[:, :, :2, :2, :2]); nn.functional.conv3d(c, c[:, :, :2, :2, :2], stride=2)
nn.functional.grid_sample(p, g[:, :, :, :], 'bilinear', 'zeros', False)
nn.functional.grid_sample(p, g, 'nearest', 'border', True)
nn.functional.grid_sample(p, g, 'bilinear', 'reflection', True)
nn.functional.batch_norm(x, v, w[0], training=False)
nn.functional.batch_norm(x, v, w[0], w[1], v, False, 0.1, 1e-3)
nn.functional.pad(x, (1, 2)); nn.functional.pad(x, (1, 0, 0, 2), value=1.5)
nn.functional.pad(s, (2, 1), mode='reflect'); nn.functional.pad(s, (2, 1), mode='replicate')
nn.functional.pad(p, (1, 2, 0, 1), mode='reflect'); nn.functional.pad(p, (1, 2, 0, 1), 'replicate')
nn.functional.pad(p, (1, 2, 0, 1), mode='circular'); nn.functional.pad(x, (-1, 1))
nn.functional.unfold(p, 2); nn.functional.unfold(p, (2, 3), stride=2, padding=1)
nn.functional.unfold(p, 2, dilation=2); nn.functional.pixel_shuffle(p, 2)
nn.functional.max_pool2d(p, 2); nn.functional.max_pool2d(p, 3, 1, 1)
nn.functional.max_pool2d(p, 2, 2, ceil_mode=True)
nn.functional.max_pool2d(p, 2, return_indices=True)
nn.functional.avg_pool2d(p, 2); nn.functional.avg_pool2d(p, 3, 2, 1, True)
nn.functional.avg_pool2d(p, 3, 1, 1, count_include_pad=False)
nn.functional.avg_pool2d(p, 2, divisor_override=3)
nn.functional.interpolate(p, (2, 3)); nn.functional.interpolate(p, scale_factor=2.0)
nn.functional.interpolate(p, (8, 5), mode='bilinear')
nn.functional.interpolate(s, 9, mode='linear')
nn.functional.interpolate(p, (8, 5), mode='bilinear', align_corners=True)
nn.functional.interpolate(p, (8, 5), mode='bicubic', align_corners=True)
nn.functional.interpolate(c, (2, 6, 8), mode='trilinear', align_corners=False)
nn.functional.threshold(n, 0.5, 2.0); nn.functional.kl_div(n, w); median(e); median(z[:0])
median(n); nn.functional.kl_div(x, w * n[0, 0], reduction='none'); cdist(n, x, 0.0); median(e, 1)
nn.functional.kl_div(x * n[0, 0], b.astype(ms.float32), reduction='none')
"""  # calls that PyTorch has likewise

_OTHERS = """
ops.relu(x) | np.maximum(x, 0)
ops.softmin(x) | pt.nn.functional.softmin(x, -1)
ops.softmin(x, 0) | pt.nn.functional.softmin(x, 0)
ops.adaptive_avg_pool1d(s, 3) | pt.nn.functional.adaptive_avg_pool1d(s, 3)
ops.adaptive_avg_pool3d(c, (2, None, 1)) | pt.nn.functional.adaptive_avg_pool3d(c, (2, None, 1))
ops.adaptive_max_pool1d(s, 3) | pt.nn.functional.adaptive_max_pool1d(s, 3)
ops.adaptive_max_pool2d(p, (2, 3)) | pt.nn.functional.adaptive_max_pool2d(p, (2, 3))
ops.adaptive_max_pool3d(c, 2) | pt.nn.functional.adaptive_max_pool3d(c, 2)
ops.subtract(x, y, alpha=3) | x - 3 * y
ops.threshold(n, 0.5, 2.0) | np.where(n <= 0.5, 2, n)
ops.kl_div(x, w * n[0, 0], 'none') | np.full((2, 3), np.nan)
ops.pdist(n, 0.0) | pt.pdist(n, 0.0)
ops.pow(x, 2) | x**2
ops.pow(2, x) | 2.0**x
ops.pow(i, 3) | i**3
ops.Pow()(w, y) | w**y
ops.arange(2, 7) | np.arange(2, 7)
ops.range(1, 9, 3) | np.arange(1, 9, 3)
ops.clip_by_value(x, -1, 1) | np.clip(x, -1, 1)
ops.clip_by_value(x, y - 1, y) | np.clip(x, y - 1, y)
ops.clip_by_value(x, clip_value_max=0.5) | np.minimum(x, 0.5)
ops.clamp(n, min=0.0) | pt.clamp(n, min=0.0)
ops.clip_by_norm(x, 1.0) | x / max(1, np.sqrt((x**2).sum()))
ops.clip_by_norm(x, 1.0, norm_type=1.0) | x / (np.abs(x).sum() + 1e-6)
ops.clip_by_global_norm((x, y), 1.0) | [a / np.sqrt((x**2).sum() + (y**2).sum()) for a in (x, y)]
ops.clip_by_global_norm((x, y), 100.0) | [x, y]
ops.masked_select(x, v > 0) | x[np.broadcast_to(v > 0, x.shape)]
ops.adjoint(x) | x.T
ops.embedding(k, m) | m[k]
ops.conv1d(s, a[:, :, :2]) | pt.conv1d(s, a[:, :, :2])
ops.conv1d(s, a, None, 2, 'pad', 1) | pt.conv1d(s, a, None, 2, 1)
ops.conv2d(p, f, stride=2) | pt.conv2d(p, f, stride=2)
ops.conv2d(p, f, pad_mode='pad', padding=1, dilation=2) | pt.conv2d(p, f, padding=1, dilation=2)
ops.conv2d(p, f, pad_mode='same') | pt.conv2d(p, f, padding='same')
ops.conv3d(c, c[:, :, :2, :2, :2], stride=2) | pt.conv3d(c, c[:, :, :2, :2, :2], stride=2)
ops.grid_sample(p, g, align_corners=True) | pt.nn.functional.grid_sample(p, g, align_corners=True)
ops.affine_grid(a, (1, 1, 2, 3)) | pt.nn.functional.affine_grid(a, (1, 1, 2, 3), False)
ops.affine_grid(a, (1, 1, 2, 3), True) | pt.nn.functional.affine_grid(a, (1, 1, 2, 3), True)
ops.shape(t) | (2, 3, 4)
ops.rank(t) | 3
ops.size(t) | 24
ops.numel(t) | 24
ops.dyn_shape(t) | np.array([2, 3, 4])
ops.vstack((x, v)) | np.vstack((x, v))
ops.vstack((v, v)) | np.vstack((v, v))

ops.expand_as(v, x) | np.broadcast_to(v, (2, 3))
ops.repeat_interleave(x, 2, 1) | np.repeat(x, 2, 1)
ops.repeat_interleave(x, (1, 2), 0) | np.repeat(x, (1, 2), 0)
ops.addr(x, u, v, beta=0.5, alpha=2) | 0.5 * x + 2 * np.outer(u, v)
ops.addmv(u, x, v, beta=2, alpha=3) | 2 * u + 3 * (x @ v)
ops.einsum('bij,bjk->ik', t, r) | np.einsum('bij,bjk->ik', t, r)
ops.max(x) | [x.max(), np.array(0)]
ops.max(x, axis=1) | [x.max(1), x.argmax(1)]
ops.max(x, axis=-2, keepdims=True) | [x.max(0, keepdims=True), x.argmax(0, keepdims=True)]
ops.min(x, axis=1) | [x.min(1), x.argmin(1)]
ops.var(x, axis=0, ddof=True) | x.var(0, ddof=1)
ops.var_mean(x, axis=1, ddof=0) | [x.var(1), x.mean(1)]
ops.std_mean(x, axis=-1, ddof=1, keepdims=True) |
    [x.std(1, ddof=1, keepdims=True), x.mean(1, keepdims=True)]
ops.batch_norm(x, v, w[0], w[1], v) | (x - v) / np.sqrt(w[0] + 1e-5) * w[1] + v
ops.pad(x, (1, 2)) | np.pad(x, ((0, 0), (1, 2)))
ops.pad(x, [1, 0, 0, 2], value=1.5) | np.pad(x, ((0, 2), (1, 0)), constant_values=1.5)
ops.pad(s, (2, 1), mode='reflect') | np.pad(s, ((0, 0), (0, 0), (2, 1)), 'reflect')
ops.pad(p, (1, 2, 0, 1), mode='replicate') | np.pad(p, ((0, 0), (0, 0), (0, 1), (1, 2)), 'edge')
ops.pad(p, (1, 2, 0, 1), mode='circular') | np.pad(p, ((0, 0), (0, 0), (0, 1), (1, 2)), 'wrap')
ops.Pad(((0, 1), (2, 0)))(x) | np.pad(x, ((0, 1), (2, 0)))
ops.MirrorPad('REFLECT')(x, ms.Tensor([[1, 0], [2, 1]])) | np.pad(x, ((1, 0), (2, 1)), 'reflect')
ops.MirrorPad('SYMMETRIC')(x, ms.Tensor([[1, 0], [2, 1]])) |
    np.pad(x, ((1, 0), (2, 1)), 'symmetric')
ops.unfold(p, 2, stride=2) | pt.nn.functional.unfold(p, 2, stride=2)
ops.pixel_shuffle(p, 2) | pt.pixel_shuffle(p, 2)
ops.pixel_unshuffle(p, 2) | pt.pixel_unshuffle(p, 2)
ops.max_pool2d(p, 2) | pt.max_pool2d(p, 2, 2)
ops.max_pool2d(p, 3, 1, 1, return_indices=True) |
    pt.nn.functional.max_pool2d(p, 3, 1, 1, return_indices=True)
ops.max_pool3d(c, 2) | pt.nn.functional.max_pool3d(c, 2, 2)
ops.avg_pool1d(s, 2, 2) | pt.nn.functional.avg_pool1d(s, 2, 2)
ops.avg_pool1d(s, 3, 1, 1, count_include_pad=False) |
    pt.nn.functional.avg_pool1d(s, 3, 1, 1, False, False)
ops.avg_pool2d(p, 2, 1) | pt.nn.functional.avg_pool2d(p, 2, 1)
ops.avg_pool2d(p, 3, 2, 1, True, False) | pt.nn.functional.avg_pool2d(p, 3, 2, 1, True, False)
ops.avg_pool3d(c, 2, 2) | pt.nn.functional.avg_pool3d(c, 2, 2)
ops.MaxPool(2, 2)(p) | pt.max_pool2d(p, 2)
ops.MaxPool(3, 2, 'same')(p) |
    pt.max_pool2d(pt.nn.functional.pad(p, (0, 1, 0, 1), value=-9.0), 3, 2)
ops.AvgPool(2, 2)(p) | pt.nn.functional.avg_pool2d(p, 2)
ops.MaxPool3D(2, 2)(c) | pt.nn.functional.max_pool3d(c, 2)
ops.AvgPool3D(2, 2)(c) | pt.nn.functional.avg_pool3d(c, 2)
ops.interpolate(p, size=(2, 3)) | pt.nn.functional.interpolate(p, (2, 3))
ops.interpolate(s, size=9, mode='linear') | pt.nn.functional.interpolate(s, 9, mode='linear')
ops.interpolate(p, size=(8, 5), mode='bilinear', align_corners=True) |
    pt.nn.functional.interpolate(p, (8, 5), mode='bilinear', align_corners=True)
ops.upsample(p, size=(8, 5), mode='bilinear') |
    pt.nn.functional.interpolate(p, (8, 5), mode='bilinear')
ops.ResizeNearestNeighbor((2, 3))(p) | pt.nn.functional.interpolate(p, (2, 3))
ops.inplace_update(x, y[:1], (1,)) | np.stack([x[0], y[0]])
ops.inplace_add(x, y[:1], (1,)) | np.stack([x[0], x[1] + y[0]])
ops.inplace_sub(x, y[:1], (0,)) | np.stack([x[0] - y[0], x[1]])
ops.scatter(x, 1, k, y) | pt.scatter(x, 1, k, y)
ops.unique(h) | [np.array([3, 1, 2]), np.array([0, 1, 0, 2, 1])]
ops.svd(x, compute_uv=False) | np.linalg.svd(x, compute_uv=False)
ops.conv_transpose2d(p, o, stride=2) | pt.conv_transpose2d(p, o, stride=2)
ops.t(x) | x.T
ops.ravel(t) | t.ravel()
ops.nonzero(i) | np.argwhere(i)
ops.nonzero(e) | np.argwhere(e)
ops.dot(x, m) | x @ m
ops.cdist(x, m) | pt.cdist(x, m)
ops.cdist(x, m, 1.0) | pt.cdist(x, m, 1.0)
ops.diff(x) | np.diff(x)
ops.diff(x, n=2, axis=1) | np.diff(x, 2)
ops.stop_gradient(x) | x
ops.identity(x) | x
ops.SigmoidCrossEntropyWithLogits()(x, w) | np.maximum(x, 0) - x * w + np.log1p(np.exp(-np.abs(x)))
ops.GeLU()(x) | pt.nn.functional.gelu(x, approximate='tanh')
ops.OnesLike()(x) | np.ones((2, 3))
ops.DiagPart()(m) | np.diag(m)
ops.Argmin(1)(x) | x.argmin(1)
ops.Flatten()(t) | t.reshape(2, 12)
ops.MaskedSelect()(x, b) | x[b]
ops.NonZero()(i) | np.argwhere(i)
ops.IndexAdd(1)(ms.Parameter(x), ms.Tensor([0, 2], ms.int32), y[:, :2]) |
    pt.index_add(x, 1, pt.tensor([0, 2]), y[:, :2])
ops.index_add(ms.Parameter(x), ms.Tensor([1, 0], ms.int32), y, 0) |
    pt.index_add(x, 0, pt.tensor([1, 0]), y)
ops.ScatterNdAdd()(ms.Parameter(x), k[:1], y[0, :1]) | x + np.array([[0, y[0, 0], 0], [0, 0, 0]])
ops.Conv2DTranspose(4, 2, stride=2, pad_mode='pad', pad=0)(p, f.transpose(1, 0, 2, 3)[:, :], (1, 3,
    8, 12)) |
    pt.conv_transpose2d(p, f.transpose(0, 1), stride=2)
x.max() | x.max()
x.max(axis=1) | x.max(1)
x.max(axis=0, keepdims=True) | x.max(0, keepdims=True)
x.max(axis=1, return_indices=True) | [x.max(1), x.argmax(1)]
x.min(axis=-1) | x.min(-1)
x.max(0) | x.max(0)
x.clamp(-1, 1) | np.clip(x, -1, 1)
x.clip(0.0, 1.0) | np.clip(x, 0, 1)
x.clip(None, 0.5) | np.minimum(x, 0.5)
x.pow(2) | x**2
x ** y.abs() | np.where(x < 0, np.nan, np.abs(x) ** np.abs(y))
2 ** x | 2**x


x.repeat_interleave(2, 1) | np.repeat(x, 2, 1)
x.tile((2, 1)) | np.tile(x, (2, 1))
x.flatten() | x.ravel()
x.view(3, 2) | x.reshape(3, 2)
x.view(-1) | x.ravel()
x.reshape(3, -1) | x.reshape(3, -1)
x.reshape((6,)) | x.ravel()
x.transpose() | x.T
x.transpose(1, 0) | x.T
x.permute(1, 0) | x.T
t.transpose(0, 2, 1) | t.transpose(0, 2, 1)
t.swapaxes(0, -1) | np.swapaxes(t, 0, -1)
x.T | x.T
x.broadcast_to((2, 2, 3)) | np.broadcast_to(x, (2, 2, 3))
v.expand_as(x) | np.broadcast_to(v, (2, 3))
x.squeeze() | x
a.squeeze(0) | a[0]
x.unsqueeze(1) | x[:, None]
x.nonzero() | np.argwhere(x)
x.masked_select(b) | x[b]
x.select(1, 0) | x[:, 0]

x.take(j) | x.ravel()[j]
x.tolist() | x.astype('f4').tolist()
x.float() | x
i.float() | i.astype(float)
x.int() | np.trunc(x)
x.long() | np.trunc(x)
x.bool() | x != 0
x.half() | x.astype('f2')
x.astype('float64') | x
x.to(ms.int32) | np.trunc(x)
x.type_as(i) | np.trunc(x)
x.new_ones((2,)) | np.ones(2)
x.new_zeros((2,)) | np.zeros(2)
x.new_full((2,), 3.5) | np.full(2, 3.5)
x.dim() | 2
x.numel() | 6
x.nelement() | 6
x.ndimension() | 2
x.is_floating_point() | True
x.is_complex() | False
x.is_signed() | True
v.searchsorted(d) | np.searchsorted(v, d)
x.copy() | x
x.t() | x.T
x.unique() | pt.unique(x)
x.allclose(x) | True
x.addcmul(y, w, value=0.5) | x + 0.5 * y * w
x.addmm(x, m, beta=0.5) | 0.5 * x + x @ m
u.addmv(x, v) | u + x @ v
x.scatter(1, k, y) | pt.scatter(x, 1, k, y)
x.scatter_add(1, k, y) | pt.scatter_add(x, 1, k, y)
x.cumsum(1) | x.cumsum(1)
x.cumsum(0, dtype=ms.float64) | x.cumsum(0)
x.sum(axis=1, keepdims=True) | x.sum(1, keepdims=True)
x.float_power(2) | x**2
x.sub(y, alpha=2) | x - 2 * y
x.add(y, alpha=2) | x + 2 * y
x.subtract(y) | x - y
x.add(i.astype(ms.int8), alpha=100) | x + 100 * i
x.sub(i.astype(ms.int8), alpha=100) | x - 100 * i
x.subtract(i.astype(ms.int8), alpha=100) | x - 100 * i
x.svd(compute_uv=False) | np.linalg.svd(x, compute_uv=False)
x + 1 | x + 1
1 - x | 1 - x
x / i | x / i
i / 2 | i / 2
i // 2 | i // 2
i % 3 | i % 3
7 % h | 7 % h
-x | -x
abs(x) | np.abs(x)
x @ m | x @ m
~b | ~b
b & b | b
b | ~b
i << 1 | i << 1
x > 0 | x > 0
x == x | x == x
x[0] | x[0]
x[:, 1:] | x[:, 1:]
x[b] | x[b]
x[..., None] | x[..., None]
"""

ROWS = [
    f"mint.{call.strip()} | " for line in _ALIKE.strip().split("\n") for call in line.split("; ")
]
ROWS += [
    line for line in _OTHERS.strip().replace("\n    ", " ").split("\n") if line.count(" | ") == 1
]
