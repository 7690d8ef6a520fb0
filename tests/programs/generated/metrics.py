"""Metrics."""

from tests.programs.generated import lines

TABLE = """
    nn.Accuracy() | [[0.2, 0.8], [0.6, 0.4], [0.3, 0.7]] | [1, 1, 1]
    nn.Accuracy("classification") | [[0.2, 0.8], [0.6, 0.4]] | [[0, 1], [1, 0]]
    nn.Accuracy("multilabel") | [[0, 1, 1], [1, 0, 0]] | [[0, 1, 1], [1, 1, 0]]
    nn.Precision() | [[0.2, 0.8], [0.6, 0.4], [0.3, 0.7]] | [1, 0, 0]
    nn.Recall() | [[0.2, 0.8], [0.6, 0.4], [0.3, 0.7]] | [1, 0, 0]
    nn.F1() | [[0.2, 0.8], [0.6, 0.4], [0.3, 0.7]] | [1, 0, 0]
    nn.Fbeta(2) | [[0.2, 0.8], [0.6, 0.4], [0.3, 0.7]] | [1, 0, 0]
    nn.MSE() | [0.1, 0.5, 2.0] | [0.0, 1.0, 2.5]
    nn.MAE() | [0.1, 0.5, 2.0] | [0.0, 1.0, 2.5]
    nn.Top1CategoricalAccuracy() | [[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]] | [1, 2]
    nn.TopKCategoricalAccuracy(2) | [[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]] | [2, 2]
    nn.Top5CategoricalAccuracy() | [[0.2, 0.5, 0.3, 0.1, 0.0, 0.7]] | [4]
    nn.Perplexity() | [[[0.2, 0.8], [0.6, 0.4]]] | [[1, 0]]
    nn.ConfusionMatrix(2) | [1, 0, 1, 1] | [1, 0, 0, 1]
    nn.ConfusionMatrix(2, normalize="pred") | [1, 0, 1, 1] | [1, 0, 0, 1]
    nn.ConfusionMatrix(2, normalize="true", threshold=0.6) | [0.7, 0.2, 0.65, 0.1] | [1, 0, 0, 1]
    nn.ConfusionMatrixMetric() | [[[0], [1]], [[1], [0]]] | [[[0], [1]], [[0], [1]]]
    nn.ConfusionMatrixMetric(metric_name="f1_score") | [[[0], [1]], [[1], [0]]] | [[[0], [1]], [[0], [1]]]
    nn.Dice() | [[0.2, 0.5], [0.3, 0.1]] | [[0.0, 1.0], [1.0, 0.0]]
    nn.ROC(pos_label=1) | [3, 1, 4, 2] | [0, 1, 1, 0]
    nn.CosineSimilarity() if False else nn.MAE() | [[1.0, 2.0]] | [[1.0, 3.0]]
    nn.Precision("multilabel") | [[0, 1, 1], [1, 0, 0]] | [[0, 1, 1], [1, 1, 0]]
    nn.Recall("multilabel") | [[0, 1, 1], [1, 0, 0]] | [[0, 1, 1], [1, 1, 0]]
    nn.Accuracy() | [[0.2, 0.8], [0.6, 0.4]] | [[1], [0]]
"""
EXTRA = """
    nn.auc(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.8, 1.0]))
    nn.get_metrics({"accuracy"})["accuracy"].__class__.__name__
    list(nn.get_metrics(["acc", "mse"]))
    nn.get_metrics({"nothing"})
    nn.get_metric_fn("mae").__class__.__name__
    nn.Accuracy().eval()
    nn.MSE().eval()
    nn.Precision().eval()
    nn.Accuracy("regression")
    nn.TopKCategoricalAccuracy(0)
    nn.ConfusionMatrix(0)
    nn.Fbeta(0)
    nn.Accuracy().update(Tensor([[0.1, 0.9]]))
    nn.MSE().update(Tensor([1.0]), Tensor([1.0, 2.0]))
    nn.Loss().eval()
    nn.Accuracy().indexes
    nn.Dice(smooth=0.0).eval()
    nn.Accuracy().set_indexes([1, 0]).indexes
    nn.Perplexity(ignore_label=0).eval()
"""
SHOWN = {
    "once": "metric.update(x, y)\nmetric.eval()",
    "of Tensors, twice": "metric.update(Tensor(x), Tensor(y))\nmetric.update(Tensor(x), Tensor(y))\nmetric.eval()",
    "cleared": "metric.update(x, y)\nfirst = metric.eval()\nmetric.clear()\nmetric.update(x, y)\n(first, metric.eval())",
    "averages": "metric.update(x, y)\nmetric.eval(True)",
}  # fmt: skip


def checks(draw):
    for row in lines(TABLE):
        metric, x, y = (part.strip() for part in row.split(" | "))
        for what, shown in SHOWN.items():
            ready = f"metric = {metric}\nx = {x}\ny = {y}\n"
            ready += "x, y = np.array(x), np.array(y)\n"
            ready += "metric.clear()\n"
            yield f"{what}: {metric} of {x}, {y}", ready + shown
    for row in lines(EXTRA):
        yield row, row
