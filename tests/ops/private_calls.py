"""Calls of Primitives of MindSpore's private modules that it runs on its CPU (`_grad_ops` is G,
`auto_generate` A, `_inner_ops` I, `_sequence_ops` Q, `sparse_ops` S,
`nn_ops` L, `array_func` F):
`tools.record primitive_calls` records what they give. `x`, `y`, ... are the arrays below."""

import numpy as np

_rng = np.random.default_rng(7)


def _floats(*shape):
    return np.round(_rng.uniform(-2, 2, shape), 3).astype(np.float32)


ARRAYS = {
    "x": _floats(2, 3), "y": _floats(2, 3), "z": _floats(2, 3), "u": np.abs(_floats(2, 3)) / 3,
    "w": np.abs(_floats(3)), "p": _floats(1, 2, 4, 5), "o": _floats(1, 2, 2, 2),
    "a": np.array([0, 3, 11, 19, 1, 6, 12, 18]).reshape(1, 2, 2, 2),
    "v": _floats(1, 1, 2, 3, 4), "f": _floats(1, 1, 1, 2, 2), "g": _floats(1, 2, 2, 2) / 3,
    "b": np.array([1, 0], np.int32), "l": np.array([[2, 1], [1, 3]], np.float32),
    "k": _floats(2, 2, 2, 2), "d": _floats(1, 2, 3, 4), "t": _floats(2, 3, 4),
    "r": np.array([[0, 0, 0, 3, 3]], np.float32), "q": _floats(1, 2, 2, 3), "n": _floats(4, 2),
    "h": _floats(1, 3, 2, 2), "c": _floats(2, 4), "j": _floats(2, 2, 3), "e": _floats(1, 12, 3, 4),
    "i": _floats(1, 2, 3, 3), "aa": _floats(1, 1, 2, 1, 2), "f3": _floats(1, 1, 1, 2, 3),
    "g3": _floats(1, 1, 2, 2, 3) / 3,
    "M": np.array([[0, 1], [1, 2]]), "N": np.array([[0, 1], [2, 3]]),
    "d3": _floats(1, 2, 6, 8), "i3": np.array([0, 3, 7, 11]).reshape(1, 1, 1, 2, 2),
}  # fmt: skip
ARRAYS["b3"] = ARRAYS["v"][:, :, :, :2].reshape(1, 1, 2, 1, 2, 2, 2).max((4, 6))  # pooled

ROWS = """
G.AbsGrad()(x, y); G.ACosGrad()(u, y); G.AsinGrad()(u, y); G.AtanGrad()(x, y); G.ReluGrad()(x, y)
G.ReLU6Grad()(x, y * 5); G.HSwishGrad()(x, y * 2); G.HSigmoidGrad()(x, y * 2); G.SiLUGrad()(x, y)
G.GeLUGrad()(x, y, z); G.FastGeLUGrad()(x, y); G.SoftplusGrad()(x, y); G.HShrinkGrad(0.7)(x, y)
G.SoftShrinkGrad(0.7)(x, y); G.LogitGrad(0.1)(x, u); G.MvlgammaGrad(2)(x, u + 1)
G.IgammaGradA()(u, w); G.GluGrad(1)(c[:, :2], c); G.PReLUGrad()(x, y, w); G.DropoutGrad(0.8)(x, u)
G.AcoshGrad()(x, y); G.AsinhGrad()(x, y); G.ReciprocalGrad()(x, y); G.InvGrad()(x, y)
G.RsqrtGrad()(x, y); G.SqrtGrad()(x, y); G.TanhGrad()(x, y); G.SigmoidGrad()(x, y)
G.EluGrad()(x, y); G.LogSoftmaxGrad(0)(x, y); G.MaximumGrad()(x, y, z)
G.MaximumGrad(True, False)(x, w, z); G.MinimumGrad()(x, y, z); G.MaximumGradGrad()(x, y, z, u)
G.MinimumGradGrad()(x, y, z, u); G.BinaryCrossEntropyGrad()(u, u / 2, w[0], None)
G.BinaryCrossEntropyGrad('none')(u, u / 2, x, z); G.SigmoidCrossEntropyWithLogitsGrad()(x, u, z)
G.KLDivLossGrad('sum')(w[0], x, u); G.KLDivLossGrad('none')(z, x, u)
G.SmoothL1LossGrad(0.5)(x, y, z); G.NLLLossGrad('sum')(x, w[0], b, w, w[1])
G.MultiMarginLossGrad()(w[0], x, b.astype(ms.int64))
A.CdistGrad(2.0)(c[:, :2], x, y, ops.cdist(x, y)); G.PdistGrad()(w[:1], x, ops.pdist(x))
G.LayerNormGrad()(x, y, x.var(1, keepdims=True), x.mean(1, keep_dims=True), w)
G.LayerNormGrad(1, 2)(t, t * t, t.var((1, 2), keepdims=True), t.mean((1, 2), True), p[0, 0, 0, :4])
G.LayerNormGradGrad()(x, y, x.var(1, keepdims=True), x.mean(1, keep_dims=True), w, z, w, w / 2)
G.L2NormalizeGrad(1, 1e-4)(x, P.L2Normalize(1)(x), y); G.LRNGrad(2, 1.0, 0.1, 0.75)(h, h * h, h)
G.BiasAddGrad()(p); G.BiasAddGrad('NHWC')(p); G.SliceGrad()(x[:1, 1:], y, (1, 0), (1, 2))
G.StridedSliceGrad()(x[0] > 0, (2, 3), (1, 0), (2, 3), (1, 1))
G.StridedSliceGrad()(x[:1, :2], (3, 5), (1, 0), (2, 4), (1, 2))
G.MirrorPadGrad()(x, T([[0, 0], [1, 0]]))
G.StridedSliceGrad(0, 0, 0, 0, 1)(w, (2, 3), (1, 0), (2, 3), (1, 1))
G.GatherDGradV2()(x, 1, T([[0, 0], [2, 1]]), c[:, :2])
G.MaskedSelectGrad()(x, x > 0, n.ravel()[:4]); G.FlattenGrad()(x, (3, 2))
G.TraceGrad()(w[0], T([3, 2], 'i8'))
G.SparseSegmentMeanGrad()(x, T([2, 0, 2]), T([0, 0, 1]), T(4))
G.SparseSegmentSqrtNGrad()(x, T([2, 0, 2]), T([0, 0, 1]), T(4)); G.ResizeBilinearGrad()(o, p)
G.ResizeBilinearGrad(True)(p, o); G.ResizeBicubicGrad()(o, p); G.ResizeLinear1DGrad()(j, t[:, :2])
G.ResizeNearestNeighborGrad()(p, (2, 2)); G.ResizeNearestNeighborV2Grad()(p, T([2, 2]))
G.UpsampleNearest3DGrad()(v, (1, 1, 1, 2, 2), (2, 3, 4), None)
G.UpsampleTrilinear3DGrad()(v, (1, 1, 1, 2, 2), (2, 3, 4), None)
G.GridSampler2DGrad()(q, p, x.reshape(1, 1, 3, 2).tile((1, 2, 1, 1)) / 3)
G.ROIAlignGrad(2, 2, 1.0)(o, r, (1, 2, 4, 5)); G.AvgPoolGrad(2, 2)(p, o, o)
G.MaxPoolGrad(2, 2)(p, o, o); G.MaxPoolGrad((2, 3), 2, 'SAME')(p, p[:, :, :2, :3], p[:, :, :2, :3])
G.AvgPoolGrad(2, 2, 'SAME')(p, p[:, :, :2, :3], p[:, :, :2, :3])
G.AvgPool3DGrad((1, 2, 2), 1)((1, 1, 2, 4, 5), v); G.MaxPoolGradGrad(2, 2)(p, o, p + 1)
G.MaxPool3DGrad((1, 1, 1, 2, 2), (1, 1, 1, 2, 2))(v, b3, aa)
G.MaxPool3DGradGrad((1, 1, 1, 2, 2), (1, 1, 1, 2, 2))(v, b3, v + 1)
G.AdaptiveAvgPool2DGrad()(o, T([1, 2, 4, 5], 'i8'))
G.AdaptiveAvgPool3DGrad()(f, T([1, 1, 2, 3, 4]))
G.MaxPoolGradWithArgmax(2, 2)(p, o, P.MaxPoolWithArgmax(2, 2)(p)[1])
G.MaxPoolGradWithArgmaxV2(2, 2)(p, o, P.MaxPoolWithArgmaxV2(2, 2)(p)[1])
G.MaxPoolGradGradWithArgmax(2, 2)(p, p + 1, P.MaxPoolWithArgmax(2, 2)(p)[1])
G.AdaptiveMaxPool2DGrad()(o, p, a); G.AdaptiveMaxPool3DGrad()(f, v, T([[[[[0, 3], [11, 23]]]]]))
G.MaxUnpool2DGrad((1, 1, 2, 2), (1, 1, 2, 2), (1, 1, 0, 0))(o, p, a)
G.FractionalMaxPoolGradWithFixedKsize()(p.astype(ms.int32), o, a)
G.FractionalMaxPool3DGradWithFixedKsize()(v, f, T([[[[[0, 3], [11, 23]]]]]))
G.Conv2DBackpropFilter(2, 2)(p[:, :, :3, :4], p, (2, 2, 2, 2))
G.Conv2DBackpropFilter(2, 2, 'pad', 1, (1, 1, 1, 1), stride=(2, 2))(i, p, (2, 2, 2, 2))
G.Conv3DBackpropFilter(1, (1, 2, 2))(v, v[:, :, :, :2, :3], (1, 1, 1, 2, 2))
G.DeformableOffsetsGrad((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))(d3, p, e)
G.MaxPool3DGradWithArgmax(2, 1, 0)(v, f3, P.MaxPool3DWithArgmax(2, 1, 0)(v)[1].astype(ms.int32))
G.MaxUnpool3DGrad((1, 1, 1, 2, 2), (1, 1, 1, 2, 2), (1, 1, 0, 0, 0))(f, v[:, :, :1], i3)
G.GridSampler3DGrad()(f, v, g3); A.GroupNorm()(p, 2, w[:2], w[1:], 1e-5)
L.SparseSoftmaxCrossEntropyWithLogitsV2()(x, T([2, 0]))
A.sub_ext(x, y, 2); A.add_ext(x, y, 2); F.arg_max_with_value_(x); F.arg_min_with_value_(x)
A.copy(x); I.ConvertToDynamic()(x)
S.SparseSparseMaximum()(M, x[0, :2], T([3, 4], 'i8'), N, x[1, :2], T([3, 4], 'i8'))
S.SparseSegmentSqrtN()(n, T([2, 0, 3]), T([0, 0, 1]))
S.SparseSegmentSum()(n, T([2, 0, 3]), T([0, 0, 1]))
S.SparseSegmentSumWithNumSegments()(n, T([2, 0, 3]), T([0, 0, 2]), T(4))
S.SparseSegmentSqrtNWithNumSegments()(n, T([2, 0, 3]), T([0, 0, 2]), T(4))
Q.SequenceMul()((x, y), 2); Q.TupleToTensor()((1, 2), ms.float32); T(Q.TensorToScalar()(T(3)))
T(Q.TensorToTuple()(T([3, 4]))); T(Q.SequenceMax()((1, 3))); T(Q.SequenceMin()((1, 3)))
T(Q.sequence_len()((x, y))); T(Q.InSequence()(3, (3, 4))); T(Q.SequenceCount()((1, 3, 1), 1))
T(Q.SequenceSlice()((1, 2, 3), 0, 3, 2)); Q.ListToTensor()([1, 2], ms.int64)
ops.tensor_split(T([0, 1, 2, 3, 4]), [-5, 4, 3, 7]); ops.topk(x, T([1]))
P.NMSWithMask(0.7)(T([[70, 70, 45, 75, 0.6], [30, 33, 43, 29, 0.1]], 'f4'))
G.ReLU6Grad()(T([1, 2, 3], 'f4'), T([0, 6, 7], 'f4')); T(Q.TensorToList()(T([3, 4])))
G.BatchNormGrad(True, 1e-5)(p, p * p, w[:2], w[1:], w[:2], w[1:])
G.BatchNormGrad(False, 1e-5)(p, p * p, w[:2], w[1:], w[:2], w[1:])
A.TraceV2Grad()(T(3, 'f4'), T([2, 3], 'i8'), 1, 0, 1); G.ConcatOffset(2, 1)((x, c))
G.FractionalMaxPoolGrad()(p, p, p[:, :1, :2], T([0, 2], 'i8'), T([0, 2, 4], 'i8'))
S.SparseReshape()(T([[0, 0, 1], [1, 2, 3]], 'i8'), T([2, 3, 6], 'i8'), T([9, -1], 'i8'))
"""
CALLS = [call.strip() for call in ROWS.replace("\n", ";").split(";") if call.strip()]
