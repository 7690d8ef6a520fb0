"""Layers that few networks use, to compare with MindSpore: rows as in `layer_cases`."""

import numpy as np
from scipy import special

from tests.nn.layer_cases import Case

_WEIGHTS = "ms.Tensor([.1, .2, .3, .4, .5])"
_HOT = np.eye(5)[[1, 0, 4, 2]]
_SCORES = [(4, 5), np.array([1, 0, 4, 2])]
_IMAGES = [(2, 3, 16, 17), (2, 3, 16, 17)]
_SMALL = "filter_size=5, filter_sigma=1.0"
_PAIR = [(3, 4), (3, 4)]
_TRIPLET = [(4, 3)] * 3
_DRAWN = "(ms.Tensor([0, 3], ms.int32), ms.Tensor([[.5], [.4], [.3]]), ms.Tensor([.5, .25]))"
_PLANES = "ms.Tensor([[[0.3, 0.8], [0.6, 0.1]]], ms.float32)"
_VOLUMES = "ms.Tensor([[[0.3, 0.8, 0.2], [0.6, 0.1, 0.9]]], ms.float32)"
_CLASSES = [(5, 4), (5,), [1, 4, 2], (3, 4)]

CASES = [
    # losses
    *[
        Case(f"nn.PoissonNLLLoss({arguments})", [(2, 3), np.array([[0.5, 2, 1], [3, 0, 7]])],
             0.1, 2.0)
        for arguments in ("", "reduction='sum'", "False", "full=True", "False, True, 0.1, 'none'")
    ],
    Case("nn.FocalLoss()", [(4, 5), [[1], [0], [4], [2]]]),
    Case("nn.FocalLoss(gamma=1.5, reduction='sum')", [(4, 5), _HOT]),
    Case(f"nn.FocalLoss({_WEIGHTS}, reduction='none')", [(4, 5), _HOT]),
    Case(f"nn.FocalLoss({_WEIGHTS})", [(2, 5, 3), [[[1, 0, 4]], [[2, 2, 3]]]]),
    Case("nn.FocalLoss(reduction='none')",
         [(2, 5, 2, 2), [[[[1, 0], [4, 2]]], [[[2, 3], [1, 1]]]]]),
    Case("nn.MultiMarginLoss()", _SCORES),
    Case("nn.MultiMarginLoss(2, 0.5, 'sum')", _SCORES),
    Case(f"nn.MultiMarginLoss(2, reduction='none', weight={_WEIGHTS})", _SCORES),
    Case("nn.MultiLabelSoftMarginLoss()", [(4, 5), _HOT]),
    Case(f"nn.MultiLabelSoftMarginLoss({_WEIGHTS}, 'none')", [(4, 5), _HOT]),
    Case("nn.TripletMarginWithDistanceLoss()", _TRIPLET, differentiable=3),
    Case("nn.TripletMarginWithDistanceLoss(swap=True, reduction='none', margin=0.5)", _TRIPLET,
         differentiable=3),
    Case("nn.TripletMarginWithDistanceLoss(lambda x, y: (x - y).abs().mean(1))", _TRIPLET,
         differentiable=3),
    Case("nn.MultiClassDiceLoss()", [(2, 3, 4), (2, 3, 4)], 0.05, 0.95),
    Case("nn.MultiClassDiceLoss(ms.Tensor([[1.], [2.], [.5]]), 1, 'sigmoid')",
         [(2, 3, 4), (2, 3, 4)], 0.05, 0.95),
    Case("nn.MultiClassDiceLoss(activation=None)", [(2, 3), (2, 3)], 0.05, 0.95),
    Case(f"nn.SampledSoftmaxLoss(2, 5, sampled_values={_DRAWN})", _CLASSES, graph=True),
    # images
    Case("nn.SSIM()", _IMAGES, 0.0, 1.0, 2, fixed=True, graph=True),
    Case(f"nn.SSIM(255, {_SMALL}, k1=0.02, k2=0.05)", [(1, 1, 6, 5)] * 2, 0.0, 255.0, 2,
         fixed=True, graph=True),
    Case("nn.SSIM(filter_size=4)", [(1, 2, 6, 5)] * 2, 0.0, 1.0, 2, fixed=True, graph=True),
    Case(f"nn.MSSSIM(power_factors=(0.3, 0.7), {_SMALL})", _IMAGES, 0.4, 1.0, 2,
         fixed=True, graph=True),
    Case("nn.PSNR()", _IMAGES, 0.0, 1.0, 2, graph=True),
    Case("nn.PSNR(255)", _IMAGES, 0.0, 255.0, 2, graph=True),
    Case("nn.ImageGradients()", [(2, 3, 4, 5)]),
    Case("nn.ImageGradients()", [(1, 1, 1, 3)]),
    # pooling and activations
    Case("nn.LPPool1d(2, 3)", [(2, 3, 7)], 0.5, 2.0),
    Case("nn.LPPool1d(3.0, 2, 1)", [(3, 7)], 0.5, 2.0),
    Case("nn.LPPool2d(2, (2, 3), 2)", [(2, 3, 7, 8)], 0.5, 2.0),
    Case("nn.LPPool2d(4, 3, ceil_mode=True)", [(2, 3, 7, 8)], 0.5, 2.0),
    Case("nn.LRN()", [(2, 7, 2, 3)]),
    Case("nn.LRN(1, 2.0, 0.5, 0.75)", [(2, 5, 2, 2)]),
    # MindSpore does not differentiate these two
    Case(f"nn.FractionalMaxPool2d(2, (3, 4), _random_samples={_PLANES})", [(1, 2, 7, 8)],
         differentiable=0),
    Case(f"nn.FractionalMaxPool2d((3, 2), None, (0.5, 0.6), True, {_PLANES})", [(1, 2, 9, 7)],
         differentiable=0),
    Case(f"nn.FractionalMaxPool3d(2, 2, _random_samples={_VOLUMES})", [(1, 2, 5, 4, 6)]),
    Case("nn.Softmax2d()", [(2, 3, 2, 2)]),
    Case("nn.Softmax2d()", [(3, 2, 2)]),
    # sizes and places
    Case("nn.Unflatten(1, (2, 3))", [(2, 6, 4)]),
    Case("nn.Unflatten(-1, [2, -1])", [(3, 4)]),
    # weights
    Case("nn.BiDense(3, 4, 5)", [(2, 3), (2, 4)], differentiable=2),
    Case("nn.BiDense(3, 4, 5, has_bias=False)", [(2, 6, 3), (2, 6, 4)], differentiable=2),
    Case("nn.L1Regularizer(0.5)", [(2, 3)]),
    # of cells
    Case("nn.TimeDistributed(nn.Dense(3, 4), 1, 0)", [(2, 5, 3)]),
    Case("nn.TimeDistributed(nn.Dense(3, 4), 1)", [(2, 5, 3)]),
    Case("nn.TimeDistributed(nn.Conv2d(2, 3, 3), -4, 0)", [(2, 3, 2, 5, 5)]),
    Case("nn.TimeDistributed(nn.Conv2d(2, 3, 3), 0, 1)", [(3, 2, 2, 5, 5)]),
    Case("nn.TimeDistributed(nn.Dense(3, 4), 2, 0)", [(2, 5, 3, 3)]),
    # functions of numbers
    Case("nn.LGamma()", [(2, 3)], 0.3, 9.0, atol=1e-4),
    Case("nn.DiGamma()", [(2, 3)], 0.6, 9.0, atol=1e-4),
    Case("nn.LBeta()", [(2, 3), (2, 3)], 0.3, 5.0, differentiable=2, atol=1e-4),
    Case("nn.IGamma()", [(2, 3), (2, 3)], 0.5, 3.0, differentiable=0),
    # losses of batches in parts
    Case("nn.GradAccumulationCell(nn.WithLossCell(nn.Dense(3, 1), nn.MSELoss()), 2)",
         [(4, 3), (4, 1)]),
    Case("nn.MicroBatchInterleaved(nn.WithLossCell(nn.Dense(3, 1), nn.MSELoss()), 2)",
         [(4, 3), (4, 1)]),
    Case("nn.PipelineCell(nn.WithLossCell(nn.Dense(3, 1), nn.MSELoss()), 4)", [(4, 3), (4, 1)]),
]  # fmt: skip

PRINTED = [
    "nn.BiDense(3, 4, 5)",
    "nn.BiDense(3, 4, 5, has_bias=False)",
    "nn.PSNR()",
    "nn.TripletMarginLoss()",
    "nn.MultiClassDiceLoss()",
    "nn.EmbeddingLookup(4, 3)",
    "nn.TimeDistributed(nn.ReLU(), 1)",
    "nn.Roll(1, 0)",
    "nn.probability.bijector.Exp()",
    "nn.probability.bijector.ScalarAffine(2.0, 1.0)",
]


# layers that MindSpore does not have on a CPU, with their formulas in float64. A formula takes the
# values of the layer's Parameters, then the inputs.

_SQUARE = np.array([[[2.0, 0.3, 0.1], [0.2, 1.5, -0.4], [0.0, 0.5, 1.0]]] * 2)
_SQUARE[1] += 0.3
_FIELDS = [
    [[2, 4, 6, 0, 0], [1, 3, 5, 0, 0]],
    np.array([[1.0, 1, 1, 0, 0], [2, 1, -1, 0, 0]]),
    [[0, 1, 1, 0, 0], [0, 0, 1, 0, 0]],
]
_TARGETS = [[1, 2, -1, 0, 0], [3, -1, -1, -1, -1], [0, 1, 2, 3, 4], [-1, 0, 0, 0, 0]]


def _set_diagonal(x, diagonal):
    x = x.copy()
    for i in range(min(x.shape[-2:])):
        x[..., i, i] = diagonal[..., i]
    return x


def _triplet(p=2.0, swap=False, margin=1.0, reduce=np.mean):
    def formula(a, b, c):
        def distance(x, y):
            return (np.abs(x - y + 1e-6) ** p).sum(-1) ** (1 / p)

        far = np.minimum(distance(a, c), distance(b, c)) if swap else distance(a, c)
        return reduce(np.maximum(0, distance(a, b) - far + margin))

    return formula


def _multilabel(scores, targets):
    total = 0
    for x, t in zip(scores, targets, strict=True):
        true = t[: list(t).index(-1)] if -1 in t else t
        others = [i for i in range(len(x)) if i not in true]
        total += sum(max(0, 1 - (x[j] - x[i])) for j in true for i in others) / len(x)
    return total / len(scores)


def _fields(operator):
    def formula(table, ids, values, fields):
        out = np.zeros((len(ids), 2, table.shape[1]))
        for b in range(len(ids)):
            for field in range(2):
                here = (fields[b] == field) & (values[b] != 0)
                rows = values[b][here][:, None] * table[ids[b][here]]
                if operator == "MAX":
                    out[b, field] = rows.max(0) if len(rows) else 0
                else:
                    out[b, field] = rows.sum(0)
                if operator == "MEAN" and len(rows):
                    out[b, field] /= np.abs(values[b][here]).sum()
        return out

    return formula


def _shortened(table, ids):
    rows = table[ids]
    return rows / np.maximum(1, np.linalg.norm(rows, axis=-1, keepdims=True))


def _pooled(reduce, axes):
    """Over windows of 2, side by side."""

    def formula(x):
        for axis in range(x.ndim - axes, x.ndim):
            x = reduce(x.reshape(*x.shape[:axis], -1, 2, *x.shape[axis + 1 :]), axis + 1)
        return x

    return formula


def _normalized(weight, bias, x):
    deviation = np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    return (x - x.mean(-1, keepdims=True)) / deviation * weight + bias


FORMULAS = [
    (Case("nn.Roll(2, 0)", [(5, 2)]), lambda x: np.roll(x, 2, 0)),
    (Case("nn.Roll([1, -3], [0, -1])", [(2, 5)]), lambda x: np.roll(x, (1, -3), (0, -1))),
    (Case("nn.MatrixDiag()", [(2, 3)]), lambda x: x[:, :, None] * np.eye(3)),
    (Case("nn.MatrixDiagPart()", [(2, 3, 4)]), lambda x: np.diagonal(x, 0, 1, 2)),
    (Case("nn.MatrixSetDiag()", [(2, 3, 4), (2, 3)], differentiable=2), _set_diagonal),
    (Case("nn.MatDet()", [_SQUARE]), np.linalg.det),
    (Case("nn.MatInverse()", [_SQUARE]), np.linalg.inv),
    (Case("nn.IGamma()", [(2, 3), (2, 3)], 0.5, 3.0, 2), special.gammainc),
    (Case("nn.TripletMarginLoss()", _TRIPLET, differentiable=3), _triplet()),
    (Case("nn.TripletMarginLoss(3, True, 1e-6, 'sum', 0.4)", _TRIPLET, differentiable=3),
     _triplet(3.0, True, 0.4, np.sum)),
    (Case("nn.TripletMarginLoss(1, reduction='none')", _TRIPLET, differentiable=3),
     _triplet(1.0, reduce=np.asarray)),
    (Case("nn.MultilabelMarginLoss()", [(4, 5), _TARGETS]), _multilabel),
    *[
        (Case(f"nn.MultiFieldEmbeddingLookup(8, 2, 2, operator='{operator}')", _FIELDS,
              differentiable=operator != "MAX"), _fields(operator))
        for operator in ("SUM", "MEAN", "MAX")
    ],
    (Case("nn.EmbeddingLookup(5, 3)", [[[1, 2], [2, 4]]]), lambda table, ids: table[ids]),
    (Case("nn.EmbeddingLookup(5, 3, target='DEVICE', sparse=False, max_norm=1.0)",
          [[[1, 2], [2, 4]]]), _shortened),
    (Case("nn.AvgPool1dExt(2)", [(2, 3, 6)]), _pooled(np.mean, 1)),
    (Case("nn.AvgPool2dExt(2)", [(2, 3, 6, 4)]), _pooled(np.mean, 2)),
    (Case("nn.AvgPool3dExt(2)", [(1, 2, 4, 6, 4)]), _pooled(np.mean, 3)),
    (Case("nn.MaxPool2dExt(2)", [(2, 3, 6, 4)]), _pooled(np.max, 2)),
    (Case("nn.LayerNormExt([4])", [(2, 3, 4)]), _normalized),
    (Case("nn.LogSoftmaxExt(1)", [(2, 3)]), lambda x: x - np.log(np.exp(x).sum(1, keepdims=True))),
    (Case("nn.L1LossExt('sum')", _PAIR, differentiable=2), lambda x, y: np.abs(x - y).sum()),
    (Case("nn.EmbeddingExt(5, 3)", [[[1, 2], [2, 4]]]), lambda table, ids: table[ids]),
]  # fmt: skip
