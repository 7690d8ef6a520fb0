"""Metrics of texts, surfaces, rows and occlusions, in terms of MindSpore's names (`ms`)."""

import numpy as np

_draws = np.random.default_rng(5)
IMAGES = [_draws.integers(0, 3, (9, 11)) for _ in range(2)]
_VOLUMES = [_draws.integers(0, 2, (5, 6, 7)) for _ in range(2)]
_SQUARE = np.zeros((8, 9), int)
_SQUARE[2:6, 3:7] = 1
_MOVED = np.roll(_SQUARE, (1, 2), (0, 1))
_ROWS = _draws.normal(size=(4, 3)).astype(np.float32)
_CANDIDATES = "the the cat sat on a mat today", "there is a cat on the mat"
_REFERENCES = [
    ("the cat sat on the mat", "a cat was sitting on a mat today"),
    ("there was a cat on the mat",),
]
_IMAGE = _draws.normal(size=(1, 2, 3, 4)).astype(np.float32)


def _surface(name, *images, **settings):
    def run(ms):
        metric = getattr(ms.train, name)(**settings)
        metric.update(*[ms.Tensor(x) for x in images], 1)
        return float(metric.eval())

    return run


def _bleu(**settings):
    candidates = [text.split() for text in _CANDIDATES]
    references = [[text.split() for text in texts] for texts in _REFERENCES]
    return lambda ms: float(ms.train.BleuScore(**settings)(candidates, references))


def _similar(**settings):
    return lambda ms: ms.train.CosineSimilarity(**settings)(ms.Tensor(_ROWS)).tolist()


def _occluded(**settings):
    def run(ms):
        weight = np.cos(np.arange(72.0, dtype=np.float32)).reshape(3, 24)
        dense = ms.nn.Dense(24, 3, ms.Tensor(weight), has_bias=False)
        model = ms.nn.SequentialCell(ms.nn.Flatten(), dense, ms.nn.Sigmoid())
        metric = ms.train.OcclusionSensitivity(**settings)
        metric.update(model, ms.Tensor(_IMAGE), np.array(1))
        return metric.eval().astype(float).round(4).tolist()

    return run


_DISTANCES = ("euclidean", "chessboard", "taxicab")
_PAIRS = {"images": IMAGES, "squares": (_SQUARE, _MOVED), "volumes": _VOLUMES}
_SYMMETRIC = {
    "HausdorffDistance": {},
    "MeanSurfaceDistance": {"symmetric": True},
    "RootMeanSquareDistance": {"symmetric": True},
}
CASES = {
    **{
        f"{name}, {distance}, {shown}": _surface(name, *images, distance_metric=distance, **how)
        for shown, images in _PAIRS.items()
        for distance in _DISTANCES
        for name, how in _SYMMETRIC.items()
    },
    "MeanSurfaceDistance, one way": _surface("MeanSurfaceDistance", _SQUARE, _MOVED),
    "Hausdorff, one way": _surface("HausdorffDistance", *IMAGES, directed=True),
    "Hausdorff, percentile": _surface("HausdorffDistance", *IMAGES, percentile=90.0, crop=False),
    "Hausdorff, no label": _surface("HausdorffDistance", _SQUARE, 0 * _SQUARE),
    "surface, nothing": lambda ms: ms.train.HausdorffDistance().eval(),
    "surface, other shapes": _surface("MeanSurfaceDistance", _SQUARE, _MOVED[1:]),
    "surface, no such class": _surface("HausdorffDistance", 0 * _SQUARE, 0 * _SQUARE),
    "surface, two inputs": lambda ms: ms.train.HausdorffDistance().update(1, 2),
    "Hausdorff, wrong distance": lambda ms: ms.train.HausdorffDistance("x"),
    "BLEU": _bleu(),
    "BLEU, two": _bleu(n_gram=2),
    "BLEU, smooth": _bleu(n_gram=3, smooth=True),
    "BLEU, no match": lambda ms: float(ms.train.BleuScore()([["a"]], [[["b"]]])),
    "BLEU of 5": lambda ms: ms.train.BleuScore(5),
    "BLEU, other lengths": lambda ms: ms.train.BleuScore().update([["a"]], []),
    "BLEU, nothing": lambda ms: ms.train.BleuScore().eval(),
    "similarity": _similar(),
    "similarity, dot": _similar(similarity="dot", zero_diagonal=False),
    "similarity, mean": _similar(reduction="mean"),
    "similarity, sum": _similar(reduction="sum", zero_diagonal=False),
    "similarity, wrong": lambda ms: ms.train.CosineSimilarity("x"),
    "occlusion": _occluded(margin=1),
    "occlusion, batches": _occluded(pad_val=0.5, n_batch=5),
    "occlusion, box": _occluded(b_box=[0, 1, 1, 2, 0, -1]),
    "occlusion, wrong box": _occluded(b_box=[0, 1, 1, 3, 0, -1]),
    "occlusion, nothing": lambda ms: ms.train.OcclusionSensitivity().eval(),
    "by name": lambda ms: [
        type(ms.train.get_metric_fn(name)).__name__
        for name in ("bleu_score", "hausdorff_distance", "cosine_similarity")
    ],
}  # fmt: skip
