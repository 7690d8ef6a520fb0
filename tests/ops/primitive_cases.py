"""Calls of Primitives, and of functions made of operations, that few scripts use.

`RECORDED`: MindSpore 2.10 gives their results on a CPU (`tools.record primitives`).
`REFERENCES`: `call | reference`, an expression of NumPy's in float64, for what MindSpore has on
other devices only, or computes wrongly. The arrays have the names below. An indented line belongs
to the one before.
"""

import re
import zlib

import numpy as np

_rng = np.random.default_rng(7)


def _floats(*shape):
    return np.round(_rng.uniform(-2, 2, shape), 3).astype(np.float32)


ARRAYS = {
    "x": _floats(3, 4), "v": _floats(3), "p": _floats(1, 4, 5, 4), "b": _floats(12, 1, 2, 3),
    "q": _floats(1, 2, 5, 4, 5), "k": _floats(2, 4, 2, 2), "s": _floats(12),
    "c": _floats(1, 7, 6, 2),
    "a": np.array([[2, 1, 1], [0.5, 1, 1.5], [0.5, 0, 2.5]], np.float32),
    "d": np.array([2, 2, 3], np.int32), "i": np.array([0, 2], np.int32),
    "j": np.array([1, 2, 2, 7], np.int32), "r": _floats(4, 3),
    "m": np.array([[[0.1, 0.2, 0.35], [0.9, 0.5, 0.2]], [[0.3, 0.3, 0.3], [0, 0, 0.8]]], "f4"),
    "o": _floats(1, 24, 2, 2),
    "u": np.array([[[0.3, 0.7], [0.9, 0.1], [0.5, 0.2], [0.6, 0.4]]], "f4"),
    "l": np.log(_rng.dirichlet(np.ones(4), (4, 3))).astype(np.float32),
    "f": _floats(5, 2, 3), "h": _floats(1, 2, 2), "w": _floats(100),
    "t": np.array([[1, 2], [3, 3], [2, 1]], np.int32), "n": np.array([4, 4, 2], np.int32),
    "e": np.array([2, 1, 2], np.int32), "g": np.sort(_floats(2, 5)), "y": _floats(2, 3),
    "z": np.array([0.5, 1.5, 2.5], np.float32),
}  # fmt: skip

RECORDED = """
ops.AdaptiveMaxPool2D((2, 3))(p) ; ops.AdaptiveMaxPool3D()(q, d)
ops.AdjustHue()(m, ms.Tensor(0.3)) ; ops.AdjustHue()(m, ms.Tensor(-1.7))
ops.AdjustSaturation()(m, ms.Tensor(0.5)) ; ops.AdjustSaturation()(m, ms.Tensor(3.0))
ops.RGBToHSV()(m) ; ops.HSVToRGB()(m[None]) ; ops.RGBToHSV()(m * 3 - 1)
ops.BartlettWindow()(ms.Tensor(5)) ; ops.BartlettWindow(False, ms.float64)(ms.Tensor(6))
ops.bartlett_window(ms.Tensor(4), False) ; ops.blackman_window(ms.Tensor(7))
ops.BlackmanWindow(False, ms.float16)(ms.Tensor(2)) ; ops.BartlettWindow()(ms.Tensor(1))
ops.HammingWindow()(ms.Tensor([6])) ; ops.hamming_window(6, False, 0.5, 0.4) ; ops.hann_window(5)
ops.hann_window(5, False, dtype=ms.float16) ; ops.hann_window(1) ; ops.kaiser_window(5)
ops.kaiser_window(6, False, 5.0, dtype=ms.float32) ; ops.stft(s, 4)
ops.stft(s, 4, 2, 3, v, return_complex=True)
ops.stft(x, 3, 1, pad_mode="CONSTANT", center=False, normalized=True)
ops.stft(s.reshape((2, 6)), 4, onesided=False, return_complex=True)
ops.STFT(4, 2, 3, False, True, True)(s, v) ; ops.stft(s.astype(ms.complex64), 4, center=False)
ops.batch_to_space_nd(b, [2, 3], [[0, 1], [1, 0]]) ; ops.BatchToSpaceND(2, [[0, 0], [1, 0]])(b)
ops.space_to_batch_nd(b, [2, 3], [[0, 2], [1, 2]]) ; ops.SpaceToBatchND(2, [[0, 0], [1, 0]])(b)
ops.Betainc()(z, v.abs(), z / 3) ; ops.Bincount()(j, ms.Tensor(4, ms.int32), z[:0])
ops.Bincount()(j, ms.Tensor(8, ms.int32), x[0]) ; ops.Lgamma()(v) ; ops.ctc_greedy_decoder(l, n)
ops.CTCGreedyDecoder(False)(l, n) ; ops.CTCLossV2()(l, t, n, e) ; ops.CTCLossV2(3)(l, t - 1, n, e)
ops.CheckNumerics()(x)
ops.LSTM(3, 2, 1, False, True, 0.0)(f, ops.tile(h, (2, 1, 1)), ops.tile(h, (2, 1, 1)),
    w[:80].reshape((80, 1, 1)))
ops.CTCLossV2(0, 'none', True)(l, t[1:2].tile((3, 1)), n // 2, ms.Tensor([2, 1, 1], ms.int32))[0]
ops.coalesce(ms.Tensor([[0, 0, 1], [1, 1, 0]]), v, ms.Tensor([3, 3]))
ops.CompareAndBitpack()(s[:8], ms.Tensor(0.5)) ; ops.ConjugateTranspose()(x, (1, 0))
ops.Cross()(v, z) ; ops.Cross(1)(r, r[::-1]) ; ops.Cross()(a, a.T) ; ops.CumProd()(x, 0)
ops.CumProd(True)(x, 1) ; ops.CumProd(True, True)(x, -1) ; ops.CumProd(False, True)(j, 0)
ops.CumulativeLogsumexp()(x, ms.Tensor(1)) ; ops.CumulativeLogsumexp(True)(x, ms.Tensor(0))
ops.CumulativeLogsumexp(True, True)(x, ms.Tensor(-1))
ops.CumulativeLogsumexp(False, True)(x, ms.Tensor(0)) ; ops.DataFormatDimMap()(d)
ops.DataFormatDimMap('NCHW', 'NHWC')(e) ; ops.DataFormatVecPermute()(j)
ops.DataFormatVecPermute('NCHW', 'NHWC')(ms.Tensor([[1, 2], [3, 4], [5, 6], [7, 8]]))
ops.DeformableOffsets((1, 1, 2, 2), (0, 0, 1, 0), (2, 2), (1, 1, 1, 1), 'NCHW', 2)(p, o)
ops.DeformableOffsets((1, 1, 2, 2), (1, 0, 0, 1), (2, 2), (1, 1, 2, 1), 'NCHW', 2)(p, o)
ops.deformable_conv2d(p, k, o, (2, 2), (1, 1, 2, 2), (0, 0, 1, 0), deformable_groups=2)
ops.EmbeddingLookup()(x, j - 3, 1) ; ops.EmbeddingLookup()(v, i, 0) ; ops.EqualCount()(d, e)
ops.Expand()(v, ms.Tensor([2, 3])) ; ops.ExtractVolumePatches(2, 1, 'VALID')(q)
ops.ExtractVolumePatches((1, 1, 2, 2, 2), (1, 1, 2, 1, 2), 'SAME')(q)
ops.ExtractGlimpse(True, True, False, 'zero')(c, ms.Tensor([3, 2], ms.int32), ms.Tensor([[0.7,
    -0.9]]))
ops.ExtractGlimpse(False, True, False, 'zero')(c, ms.Tensor([3, 2], ms.int32), ms.Tensor([[0.3,
    0.6]]))
ops.ExtractGlimpse(True, False, False, 'zero')(c, ms.Tensor([3, 2], ms.int32), ms.Tensor([[1.0,
    2.0]]))
ops.ExtractGlimpse(False, False, False, 'zero')(c, ms.Tensor([3, 4], ms.int32), ms.Tensor([[-1.0,
    9.0]]))
ops.Gelu()(v) ; ops.FastGelu()(v) ; ops.FillV2()((2, 3), ms.Tensor(3.0))
ops.FillV2()(e, ms.Tensor(4)) ; ops.FractionalMaxPoolWithFixedKsize((2, 3), (3, 2))(p, u)
ops.fractional_max_pool2d(p, 2, (4, 3), return_indices=True, _random_samples=u)
ops.fractional_max_pool2d(p[0], 2, output_ratio=0.6, _random_samples=u)
ops.FractionalMaxPool3DWithFixedKsize((2, 2, 3), (3, 2, 1))(q, ms.Tensor([[[0.3, 0.8, 0.5], [0.1,
    0.6, 0.9]]]))
ops.fractional_max_pool3d(q, 2, (3, 2, 3), return_indices=True, _random_samples=ms.Tensor([[[0.3,
    0.8, 0.5], [0.1, 0.6, 0.9]]]))
ops.GLU()(x) ; ops.GLU(1)(x) ; ops.IdentityN()((x, v)) ; ops.Im2Col(2)(p)
ops.Im2Col((2, 3), 2, 1, (1, 0))(p) ; ops.IndexPut()(x, v[:1], (i, i))
ops.IndexPut(1)(x, x[0], [e]) ; ops.IndexPut(1)(x, v, [e, d])
ops.InplaceIndexAdd(0)(x * 1, i, x[1:]) ; ops.inplace_index_add(x * 1, i, x[:, :2], 1)
ops.InplaceUpdateV2()(x, (0,), x[1:2]) ; ops.InplaceUpdateV2()(x, 2, x[:1]) ; ops.LRN()(p)
ops.lrn(p, 1, 2.0, 0.5, 0.75)
ops.LSTM(3, 2, 1, False, False, 0.0)(f, h, h / 2, w[:40].reshape((40, 1, 1)))
ops.LSTM(3, 2, 1, True, False, 0.0)(f, h, h / 2, w[:48].reshape((48, 1, 1)))
ops.LSTM(3, 4, 1, False, False, 0.0, 2)(f, h, f[:1, :, :1] * w[:4], w[:88].reshape((88, 1, 1)))
ops.ListDiff()(j, d) ; ops.ListDiff(ms.int64)(d, j) ; ops.logspace(1.0, 3.0, 3)
ops.logspace(1.0, 2.0, 0) ; ops.logspace(ms.Tensor(0.0), ms.Tensor(1.0), 4, 2, dtype=ms.float64)
ops.LogSpace(5, 3)(ms.Tensor(0.0), ms.Tensor(2.0)) ; ops.LowerBound()(g, y)
ops.UpperBound(ms.int64)(g, y) ; ops.LowerBound()(g, g[:, ::2]) ; ops.UpperBound()(g, g[:, ::2])
ops.Lstsq()(r, r[:, :2]) ; ops.Lstsq()(y, y[:, :1]) ; ops.LuSolve()(a, a, d)
ops.LuUnpack()(a, d) ; ops.lu_unpack(a[:2], d[:2]) ; ops.lu_unpack(a[:, :2], d[:2])
ops.LuUnpack()(d[:, None] * e, d)
ops.EditDistance()(ms.Tensor([[0, 0], [1, 0], [1, 1]]), d, ms.Tensor([2, 2]), ms.Tensor([[0, 1],
    [1, 0], [1, 1], [2, 0]]), j, ms.Tensor([3, 2]))
ops.CombinedNonMaxSuppression()(c[:, :6, :4].reshape((1, 12, 1, 4)) / 2 + 0.5, x[:,
    :3].reshape((1, 3, 3)).tile((1, 4, 1)), ms.Tensor(2, ms.int32), ms.Tensor(5, ms.int32),
    ms.Tensor(0.5), ms.Tensor(0.15))
ops.CopyWithSlice()(x * 1, x * 2) ; ops.InvertPermutation()((3, 4, 0, 2, 1))
"""  # fmt: skip


# what MindSpore gives otherwise, and why
DIFFERENT = {
    "ops.logspace(ms.Tensor(0.0), ms.Tensor(1.0), 4, 2, dtype=ms.float64)": "in 16 bits",
    "ops.CTCLossV2(0, 'none', True)(l, t[1:2].tile((3, 1)), n // 2, "
    "ms.Tensor([2, 1, 1], ms.int32))[0]":
    "inf stays, where documented is 0",
}  # fmt: skip

REFERENCES = """
ops.AccumulateNV2()((x, x, x)) | x * 3
ops.accumulate_n([x, x]) | x * 2
ops.SpaceToBatch(2, [[0, 0], [1, 0]])(b) | np.concatenate([np.pad(b, ((0, 0),) * 2 + ((0, 0), (1,
    0)))[..., i::2, j::2] for i in (0, 1) for j in (0, 1)])
ops.BatchToSpaceNDV2()(b[:4], e[:1] * 0 + 4, [[1, 0]]) | b[:4].transpose(1, 2, 3, 0).reshape(1, 1,
    2, 12)[..., 1:]
ops.BatchToSpace(2, [[0, 0], [0, 0]])(b)[..., ::2, 1::2] | b[3:6]
ops.ConfusionMatrix(3)(t[0], t[2], v[:2]) | np.array([[0, 0, 0], [0, 0, v[0]], [0, v[1],
    0]]).astype(int)
ops.CountNonZero()(x) | np.count_nonzero(x)
ops.CountNonZero(1)(x) | np.count_nonzero(x, 1)
ops.ComputeAccidentalHits(2)(t, e)[:2] | (np.array([0, 0, 0, 2, 2, 2]), np.array([1, 0, 2, 0, 2,
    1]))
ops.ComputeAccidentalHits(2)(t, e)[2] | np.full(6, np.finfo('f4').min)
ops.DepthwiseConv2dNative(1, (2, 2))(p, k[:1]) | np.stack([sum(p[0, c, i : i + 4, j : j + 3] *
    k[0, c, i, j] for i in (0, 1) for j in (0, 1)) for c in range(4)])[None]
ops.DepthwiseConv2dNative(2, 2, pad_mode="same", stride=2)(p, k)[0, 3, 1, 1] | (p[0, 1, 2:4, 2:] *
    k[1, 1]).sum()
ops.Dilation2D(1, 1, "VALID")(p, k[0])[0, 1] | np.max([p[0, 1, i : i + 4, j : j + 3] + k[0, 1, i,
    j] for i in (0, 1) for j in (0, 1)], 0)
ops.EuclideanNorm()(x, ms.Tensor([0])) | np.sqrt((x * x).sum(0))
ops.EuclideanNorm(True)(x, ms.Tensor([0, 1])) | np.sqrt((x * x).sum(keepdims=True))
ops.ExtractImagePatches([2, 2], [1, 2], [1, 1])(p)[0, :, 1, 1] | p[0, :, 1:3, 2:4].transpose(1, 2,
    0).ravel()
ops.ExtractImagePatches([2, 2], [2, 2], [1, 1], "SAME")(p)[0, :4, 2, 1] | p[0, :, 4, 2]
ops.Fills()(x, 3.0) | np.full((3, 4), 3.0)
ops.fills(d, 7) | np.full(3, 7)
x.fills(2) | np.full((3, 4), 2.0)
ops.FractionalMaxPool3DWithFixedKsize(2, (2, 2, 2), 'NDHWC')(q.transpose((0, 2, 3, 4, 1)), u[:,
    :2, :1].tile((1, 1, 3)))[0].transpose((0, 4, 1, 2, 3))[0, 0, 1, 1, 1] | q[0, 0, 3:, 2:,
    3:].max()
ops.GroupTopk()(x * 1, d, 2, 1, 2) | np.where((np.arange(4) < 2) == (x[:, :2].sum(1) > x[:,
    2:].sum(1))[:, None], x, 0)
ops.HistogramFixedWidth(4)(s, z[:2]) | np.histogram(s.clip(0.5, 1.49), 4, (0.5, 1.5))[0]
ops.LerpScalar()(x, x * 3, 0.25) | x * 1.5
ops.LogSoftmaxExt()(x) | x - np.log(np.exp(x).sum(1, keepdims=True))
ops.LogSoftmaxExt()(x, 0, ms.float64) | x - np.log(np.exp(x).sum(0))
ops.LogSoftmaxExt()(f, None) | f - np.log(np.exp(f).sum(0))
ops.Lstsq(True, 0.5)(r, r[:, :2]) | np.linalg.solve(r.T @ r + 0.5 * np.eye(3), r.T @ r[:, :2])
ops.lu_unpack(a, d, False) | (np.eye(3)[[1, 0, 2]],)
ops.rotary_position_embedding(p, p[:, :1].cos(), p[:, :1].sin()) | p * np.cos(p[:, :1]) +
    np.concatenate([-p[..., 2:], p[..., :2]], -1) * np.sin(p[:, :1])
ops.ApplyRotaryPosEmb()(p[0], p[0] * 2, x.cos(), x.sin(), ops.arange(5) % 3) | rotated(p[0], x[[0,
    1, 2, 0, 1]])
ops.ApplyRotaryPosEmb(2)(k, k * 2, p.reshape((40, 2))[:8].cos(), p.reshape((40, 2))[:8].sin(), d)
    | rotated(k, p.reshape(40, 2)[:8].reshape(2, 4, 1, 2))
ops.ApplyRotaryPosEmb()(p[0][:, :1], p[0][:, :1] * 2, x.cos(), x.sin(), ms.Tensor([2, 0, 1, 1])) |
    rotated(p[0][:, :1], x[[2, 0, 1, 1]][:, None])
ops.ApplyRotaryPosEmb(3)(x[None], x[None] * 2, x.cos(), x.sin(), d)[0][0] | x * np.cos(x) +
    np.stack([-x[:, 1], x[:, 0], -x[:, 3], x[:, 2]], 1) * np.sin(x)
ops.BasicLSTMCell()(f[0], h[0], h[0], w[:40].reshape((5, 8)), w[:8])[0] | lstm(f[:1], h[0], h[0],
    w[:40].reshape(5, 8), w[:8], 1.0)[1][0]
ops.BasicLSTMCell(forget_bias=0.0)(f[0], h[0], h[0], w[:40].reshape((5, 8)), w[:8])[1] |
    lstm(f[:1], h[0], h[0], w[:40].reshape(5, 8), w[:8], 0.0)[0][0]
ops.DynamicRNN(forget_bias=0.5)(f, w[:40].reshape((5, 8)), w[:8], None, h, h / 2)[:3] | (lambda y,
    c: (y, y, c))(*lstm(f, h[0], h[0] / 2, w[:40].reshape(5, 8), w[:8], 0.5)[:2])
ops.DynamicGRUV2()(f, w[:18].reshape((3, 6)), w[20:32].reshape((2, 6)), w[:6], w[6:12], None,
    h[0])[0] | gru(f, w[:18].reshape(3, 6), w[20:32].reshape(2, 6), w[:6], w[6:12], h[0])[0]
ops.DynamicGRUV2(gate_order="zrh")(f, w[:18].reshape((3, 6)), w[20:32].reshape((2, 6)), None,
    None, None, h[0])[1] | gru(f, w[:18].reshape(3, 6), w[20:32].reshape(2, 6), w[:6] * 0, w[:6] *
    0, h[0], "zrh")[0]
ops.LSTM(3, 2, 1, False, True, 0.0)(f, h.tile((2, 1, 1)), h.tile((2, 1, 1)), w[:80])[0] |
    np.concatenate([lstm_of(f, h[0], np.append(w[:24], w[48:64])), lstm_of(f[::-1], h[0],
    np.append(w[24:48], w[64:80]))[::-1]], -1)
ops.LSTM(3, 2, 2, False, False, 0.0)(f, h.tile((2, 1, 1)), h.tile((2, 1, 1)), w[:72])[0] |
    lstm_of(lstm_of(f, h[0], w[:40]), h[0], w[40:72])
"""  # fmt: skip


def lines(table):
    """Return the lines of a table, joined with their continuation lines."""
    return table.strip().replace("\n    ", " ").splitlines()


def calls():
    return [call for line in lines(RECORDED) for call in line.split(" ; ")]


def inputs(call):
    """Return the arrays that a call names."""
    names = set(re.findall(r"(?<![\w.'])[a-z](?![\w('])", call))
    return {name: ARRAYS[name] for name in sorted(names & set(ARRAYS))}


def check(call):
    """Return a checksum of the inputs, which detects a recorded result for other inputs."""
    total = 0
    for array in inputs(call).values():
        total = zlib.crc32(f"{array.dtype}{array.shape}".encode() + array.tobytes(), total)
    return total
