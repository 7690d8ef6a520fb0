"""Calls of Primitives, and of functions made of operations, that MindSpore runs on its CPU:
`tools.record primitive_calls` records what they give. `x`, `y`, ... are the arrays below."""

import numpy as np

_rng = np.random.default_rng(5)


def _floats(*shape):
    return np.round(_rng.uniform(-2, 2, shape), 3).astype(np.float32)


ARRAYS = {
    "x": _floats(2, 3), "y": _floats(2, 3), "v": np.float32([1, 2, 2, 3, 4, 5, 5]),
    "p": _floats(1, 2, 4, 5), "q": _floats(1, 1, 2, 3, 4), "h": _floats(1, 3, 5, 2),
    "l": _floats(1, 2, 4), "c": _floats(2, 3, 1), "t": _floats(2, 2, 3),
    "i": np.array([1, 1, 2, 2, 3, 1, 1, 2], np.int32), "j": np.array([0, 0, 2], np.int64),
    "s": _floats(3, 2), "k": np.array([[1, 0, 2], [0, 2, 1]], np.int32),
    "u": np.array([[5.0, 7.0], [13.0, 15.0]], np.float32).reshape(1, 1, 2, 2),
    "a": np.array([5, 7, 13, 15], np.int64).reshape(1, 1, 2, 2),
    "o": np.array([[1, 0.3, 0.2, 0.5], [0.3, 1, 0.4, 0.6], [0.2, 0.4, 1, 0.7],
                   [0.5, 0.6, 0.7, 1]], np.float32),
    "r": np.array([0.5, 0.45, 0.3, 0.9], np.float32), "m": np.array([[1, 1], [2, 2]], np.int64),
    "w": np.array([[2.0, 1.0], [1.0, 3.0]], np.float32), "two": np.array([0.8, 0.7], np.float32),
    "cache": np.array([[0, 0, 5, 1], [2, 2, 5, 1], [5, 3, 5, 3], [0, 0, 0, 0], [1, 1, 12, 1],
                       [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], np.int32),
}  # fmt: skip

ROWS = """
P.MaxPoolWithArgmax(2, 2)(p); P.MaxPoolWithArgmax((2, 3), 1, 'same')(p)
P.MaxPoolWithArgmaxV2(3, 2, 1)(p); P.MaxPoolWithArgmaxV2(2, argmax_type=ms.int32, ceil_mode=True)(p)
P.MaxPool3DWithArgmax(2, 1, 1)(q); P.MaxPool3DWithArgmax((1, 2, 2), 1, 0, ceil_mode=True)(q)
P.MaxUnpool2D(2, 2)(u, a); P.MaxUnpool2D(2, 2, 0, (1, 1, 4, 4))(u, a)
P.MaxUnpool2D(2, 2, 0, (1, 4, 4, 1), 'NHWC')(u.reshape(1, 2, 2, 1), a.reshape(1, 2, 2, 1))
P.MaxUnpool3D((1, 2, 2))(u.reshape(1, 1, 1, 2, 2), a.reshape(1, 1, 1, 2, 2))
P.ResizeArea()(h, T([2, 3])); P.ResizeArea(True)(h, T([2, 3])); P.ResizeArea()(h, T([5, 7]))
P.ResizeBicubic()(p, (4, 5)); P.ResizeLinear1D()(l, (6,)); P.ResizeLinear1D('half_pixel')(l, (5,))
P.ResizeNearestNeighborV2()(p, (3, 7)); P.ResizeNearestNeighborV2(True)(p, (3, 7))
P.ResizeNearestNeighborV2(False, True)(p, T([3, 7])); P.UpsampleNearest3D()(q, [3, 2, 5], None)
P.UpsampleNearest3D()(q, None, [1.5, 1.0, 2.0]); P.UpsampleTrilinear3D()(q, [3, 2, 5], None)
P.UpsampleTrilinear3D(True)(q, [3, 2, 5], None); P.UpsampleTrilinear3D()(q, None, [1.6, 1.0, 2.0])
P.ScaleAndTranslate()(h, T([2, 3]), two, two / 4); P.MatrixDeterminant()(w)
ops.matrix_determinant(w); w.matrix_determinant(); P.NuclearNorm()(x)
P.NuclearNorm([0, 2], True)(t); ops.matrix_norm(x, 'nuc'); P.TrilIndices(4, 3, -1, ms.int64)()
P.TrilIndices(4, 3)(); P.TriuIndices(5, 4, 2)(); P.ReduceStd()(x); P.ReduceStd(1, True, False)(x)
P.ReduceStd((0,), False, True)(x); P.NthElement()(x, 1); P.NthElement(True)(x, T(0))
P.SquareSumAll()(x, y); P.SegmentMax()(s.T.reshape(3, 2), j); P.SegmentMin()(s, j)
P.SegmentSum()(s, j + 1); P.SegmentProd()(s, j); P.SegmentMean()(s, j)
P.SegmentMean()(T([[1, 2], [2, 5], [7, 8]]), j)
ops.sparse_segment_mean(s, T([2, 0, 1]), j.astype(ms.int32)); P.ScatterAddWithAxis(1)(x, k, y)
P.ScatterAddWithAxis(0)(T([[1, 2], [3, 4]], 'f4'), k[:, :2] // 2, w); P.SelectView()(x, 1, 0)
P.TransposeExtView()(t, 0, 2); P.UnravelIndex()(T([2, 5]), T([3, 3]))
P.UnravelIndex()(T(7, 'i8'), T([2, 3, 3], 'i8')); P.UniqueConsecutive(True, True, None)(i)
P.UniqueConsecutive(True, True, 0)(m); P.UniqueWithPad()(i, 0); ops.unique_with_pad(i, -1)
i.unique_with_pad(7); P.SearchSorted()(v, v[2:4]); P.SearchSorted(ms.int64, True)(v, v[2:4])
ops.view_as(x, s); P.Padding(4)(c); ops.padding(c); P.ParallelConcat()((x[:1], y[1:]))
ops.mirror_pad(x, m, 'REFLECT'); ops.mirror_pad(x, m, 'SYMMETRIC')
P.RaggedRange(ms.int64)(T([2, 5, 8]), T([3, 5, 12]), T([1, 1, 1]))
P.RaggedRange(ms.int32)(T([2, 5, 8], 'f4'), T([3, 5, 12], 'f4'), T([0.3, 1, 1.5], 'f4'))
P.RaggedRange(ms.int32)(T([2, 5, 8]), T([-3, 5, 12]), T([-2, 1, 3]))
P.SubAndFilter()(T([1, 3, 5, 8, 9, 16]), 10, 5)
P.MapUniform()(T([0, 1, 2, 3, 4, 5, 6, 7], 'i8'), 4, 2)
P.NonMaxSuppressionWithOverlaps()(o, r, T(3), T(0.5, 'f4'), T(0.2, 'f4'))
P.NonMaxSuppressionWithOverlaps()(o, r, T(3), T(0.65, 'f4'), T(0.35, 'f4')); P.UpdateState()(x, y)
P.Reusing()(abs)(x); x.move_to('CPU'); F.float_power_ext(k, 2); F.float_power_ext(2, x)
F.isnan_ext(x); F.diff_ext(x); F.diff_ext(x, 1, -1, y[:, :1]); P.MulNoNan()(x, k - 1)
F.conv3d_transpose(q, q[:, :, :, :2, :2]); F.conv3d_transpose(q, q, 'pad', (1, 0, 1, 1, 0, 2), 2)
P.MulNoNan()(x, 3); P.MapCacheIdx()(ms.Parameter(cache), T([9, 10, 13]), T(20), T(15), T(2))
P.NoRepeatNGram(2)(T([[[1, 2, 1]]]), T([[[0.5, 1, 2, 3]]], 'f4'))
P.MatrixSolveLs()(w, x[:, :1], T(0.5, 'f8')); P.TridiagonalMatMul()(w[:1], w[1:], w[:1], w)
ops.bidense(x, y, T([[[1, 0, 2], [0, 1, 0], [1, 1, 1]]], 'f4'))
"""
CALLS = [call.strip() for line in ROWS.strip().splitlines() for call in line.split(";")]
