"""Losses: reductions, weights, forms of labels, and their gradients."""

from tests.programs.generated import lines

# loss | prediction | label; a shape is drawn, anything else is written as it is
TABLE = """
    nn.MSELoss(<reduction>) | (2, 3) | (2, 3)
    nn.MSELoss(<reduction>) | (2, 3) | (3,)
    nn.L1Loss(<reduction>) | (2, 3) | (2, 3)
    nn.SmoothL1Loss(<beta><reduction>) | (2, 3) | (2, 3)
    nn.HuberLoss(<reduction>, delta=0.5) | (2, 3) | (2, 3)
    nn.CrossEntropyLoss(<reduction>) | (3, 4) | Tensor([0, 3, 1], ms.int32)
    nn.CrossEntropyLoss(<reduction>, weight=Tensor([1.0, 2.0, 0.5, 1.0])) | (3, 4) | Tensor([0, 3, 1], ms.int32)
    nn.CrossEntropyLoss(<reduction>, ignore_index=3) | (3, 4) | Tensor([0, 3, 1], ms.int32)
    nn.CrossEntropyLoss(<reduction>, label_smoothing=0.1) | (3, 4) | Tensor([0, 3, 1], ms.int32)
    nn.CrossEntropyLoss(<reduction>) | (3, 4) | ops.softmax(Tensor([[1.0, 2, 3, 4]] * 3))
    nn.CrossEntropyLoss(<reduction>) | (2, 4, 2) | Tensor([[0, 3], [1, 1]], ms.int32)
    nn.CrossEntropyLoss(<reduction>) | (4,) | Tensor(2, ms.int32)
    nn.NLLLoss(<reduction>) | (3, 4) | Tensor([0, 3, 1], ms.int32)
    nn.NLLLoss(weight=Tensor([1.0, 2.0, 0.5, 1.0]), <reduction>) | (3, 4) | Tensor([0, 3, 1], ms.int32)
    nn.NLLLoss(ignore_index=0, <reduction>) | (3, 4) | Tensor([0, 3, 1], ms.int32)
    nn.SoftmaxCrossEntropyWithLogits(sparse=True, <reduction>) | (3, 4) | Tensor([0, 3, 1], ms.int32)
    nn.SoftmaxCrossEntropyWithLogits(<reduction>) | (3, 4) | Tensor(np.eye(4, dtype=np.float32)[:3])
    nn.BCELoss(<reduction>) | ops.sigmoid(Tensor([[0.5, -1.0], [2.0, 0.1]])) | Tensor([[1.0, 0.0], [0.0, 1.0]])
    nn.BCELoss(weight=Tensor([[1.0, 2.0], [0.5, 1.0]]), <reduction>) | ops.sigmoid(Tensor([[0.5, -1.0], [2.0, 0.1]])) | Tensor([[1.0, 0.0], [0.0, 1.0]])
    nn.BCEWithLogitsLoss(<reduction>) | (2, 3) | Tensor([[1.0, 0, 1], [0, 1, 0]])
    nn.BCEWithLogitsLoss(<reduction>, weight=Tensor([1.0, 2.0, 3.0]), pos_weight=Tensor([2.0, 1.0, 1.0])) | (2, 3) | Tensor([[1.0, 0, 1], [0, 1, 0]])
    nn.KLDivLoss(<reduction>) | ops.log_softmax(Tensor([[1.0, 2.0, 0.5]])) | ops.softmax(Tensor([[0.1, 0.2, 0.7]]))
    nn.CosineEmbeddingLoss(<reduction>) | (2, 3) | Tensor([[0.3, 0.8, 1.0], [-1.0, 2.0, 0.4]]), Tensor([1, -1])
    nn.CosineEmbeddingLoss(margin=0.3, <reduction>) | (2, 3) | Tensor([[0.3, 0.8, 1.0], [-1.0, 2.0, 0.4]]), Tensor([-1, -1])
    nn.MarginRankingLoss(margin=0.5, <reduction>) | (3,) | Tensor([0.1, 0.2, 0.3]), Tensor([1.0, -1.0, 1.0])
    nn.HingeEmbeddingLoss(<reduction>) | (2, 3) | Tensor([[1.0, -1, 1], [-1, 1, -1]])
    nn.SoftMarginLoss(<reduction>) | (2, 3) | Tensor([[1.0, -1, 1], [-1, 1, -1]])
    nn.MultilabelMarginLoss(<reduction>) | (2, 3) | Tensor([[0, 2, -1], [1, -1, 0]], ms.int32)
    nn.GaussianNLLLoss(<reduction>) | (2, 3) | Tensor([[1.0, 0, 1], [0, 1, 0]]), Tensor([[1.0, 0.5, 1], [0.2, 1, 2]])
    ops.mse_loss(<reduction>) | (2, 3) | (2, 3)
    ops.l1_loss(<reduction>) | (2, 3) | (2, 3)
    ops.smooth_l1_loss(beta=2.0, <reduction>) | (2, 3) | (2, 3)
    ops.huber_loss(<reduction>) | (2, 3) | (2, 3)
    ops.cross_entropy(<reduction>) | (3, 4) | Tensor([0, 3, 1], ms.int32)
    ops.nll_loss(<reduction>) | (3, 4) | Tensor([0, 3, 1], ms.int32)
    ops.binary_cross_entropy_with_logits(<reduction>) | (2, 2) | Tensor([[1.0, 0.0], [0.0, 1.0]]), Tensor([1.0, 1.0]), Tensor([1.0, 1.0])
    ops.binary_cross_entropy(<reduction>) | ops.sigmoid(Tensor([[0.5, -1.0]])) | Tensor([[1.0, 0.0]])
    ops.kl_div(<reduction>) | (2, 3) | ops.softmax(Tensor([[0.1, 0.2, 0.7], [1.0, 1.0, 2.0]]))
    ops.soft_margin_loss(<reduction>) | (2, 3) | Tensor([[1.0, -1, 1], [-1, 1, -1]])
    ops.gaussian_nll_loss(<reduction>) | (2, 3) | (2, 3), Tensor([[1.0, 0.5, 1], [0.2, 1, 2]])
    ops.hinge_embedding_loss(<reduction>) | (2, 3) | Tensor([[1.0, -1, 1], [-1, 1, -1]])
    ops.margin_ranking_loss(<reduction>) | (3,) | Tensor([0.1, 0.2, 0.3]), Tensor([1.0, -1.0, 1.0])
    ops.cosine_embedding_loss(<reduction>) | (2, 3) | Tensor([[0.3, 0.8, 1.0], [-1.0, 2.0, 0.4]]), Tensor([1, -1])
    nn.RMSELoss() | (2, 3) | (2, 3)
    nn.MAELoss(<reduction>) | (2, 3) | (2, 3)
    nn.DiceLoss() | Tensor([[0.2, 0.5], [0.3, 0.1]]) | Tensor([[0.0, 1.0], [1.0, 0.0]])
    nn.CTCLoss(<reduction>) | ops.log_softmax(Tensor(np.random.RandomState(1).randn(4, 2, 3).astype(np.float32)), -1) | Tensor([[1, 2], [2, 1]], ms.int32), Tensor([4, 4], ms.int32), Tensor([2, 2], ms.int32)
    mint.nn.MSELoss(<reduction>) | (2, 3) | (2, 3)
    mint.nn.CrossEntropyLoss(<reduction>) | (3, 4) | Tensor([0, 3, 1])
    mint.nn.BCEWithLogitsLoss(<reduction>) | (2, 3) | Tensor([[1.0, 0, 1], [0, 1, 0]])
    mint.nn.NLLLoss(<reduction>) | (3, 4) | Tensor([0, 3, 1])
"""
WRONG = """
    nn.MSELoss("median")
    nn.CrossEntropyLoss(reduction=None)(Tensor([[1.0, 2.0]]), Tensor([0]))
    nn.MSELoss()(Tensor([1.0, 2.0]), Tensor([1.0, 2.0, 3.0]))
    nn.CrossEntropyLoss()(Tensor([[1.0, 2.0]]), Tensor([0, 1]))
    nn.L1Loss()(1.0, 2.0)
    nn.L1Loss(3)
    nn.CrossEntropyLoss(weight=[1.0])
    nn.CrossEntropyLoss(label_smoothing=2.0)
    nn.CrossEntropyLoss(ignore_index=0.5)
    nn.SmoothL1Loss(beta=-1.0)
    nn.BCELoss()(Tensor([0.5]), Tensor([1.0, 0.0]))
    nn.NLLLoss()(Tensor([[1.0, 2.0]]), Tensor([0.0]))
    nn.CosineEmbeddingLoss(margin=2.0)
    nn.HuberLoss(delta=-1.0)
    nn.MSELoss()(Tensor([1.0]))
    nn.SoftmaxCrossEntropyWithLogits(sparse=1)
    nn.KLDivLoss(reduction="average")
    nn.DiceLoss(smooth=-1)
    nn.LossBase("none").get_loss(Tensor([1.0, 2.0]))
    nn.LossBase().get_loss(Tensor([1.0, 2.0]), 2.0)
    nn.LossBase("sum").get_loss(Tensor([1.0, 2.0]), Tensor([1.0, 0.5]))
    nn.WithLossCell(nn.Dense(2, 1, "ones", "zeros"), nn.MSELoss())(Tensor([[1.0, 2.0]]), Tensor([[1.0]]))
    str(nn.CrossEntropyLoss())
    str(nn.WithLossCell(nn.Dense(2, 1), nn.MSELoss()))
    nn.MSELoss()(Tensor([1, 2]), Tensor([1.0, 3.0]))
    nn.L1Loss()(Tensor([1.0], ms.float16), Tensor([3.0], ms.float32))
    nn.CrossEntropyLoss()(Tensor([[1.0, 2.0]], ms.float16), Tensor([1], ms.int32))
"""


def parts(written, draw):
    if not written.startswith("("):
        return written
    at = written.index(")") + 1
    return draw.tensor("float32", eval(written[:at]), -1.5, 1.5) + written[at:]


def checks(draw):
    for row in lines(TABLE):
        loss, prediction, label = (part.strip() for part in row.split(" | "))
        for reduction in ["", "none", "mean", "sum"] if "<reduction>" in loss else [""]:
            keyword = f"reduction={reduction!r}" if reduction else ""
            for beta in ["", "beta=0.3, "] if "<beta>" in loss else [""]:
                call = loss.replace("<beta>", beta).replace("<reduction>", keyword)
                call = call.replace("(, ", "(").replace(", )", ")")
                function = call
                if call.startswith("ops."):
                    name, _, rest = call.partition("(")
                    rest = rest.removesuffix(")")
                    function = f"lambda *a: {name}(*a{', ' * bool(rest)}{rest})"
                ready = f"loss = {function}\nx = {parts(prediction, draw)}\ny = ({parts(label, draw)},)\n"
                yield f"{call} of {prediction}, {label}", f"{ready}loss(x, *y)"
                if reduction != "none":
                    source = "ms.grad(lambda x: loss(x, *y).sum() * 3)(x)"
                    yield f"gradient of {call} of {prediction}, {label}", f"{ready}{source}"
    for row in lines(WRONG):
        yield row, row
