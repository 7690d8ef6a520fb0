"""Data pipelines and metrics, run by MindSpore 2.10 and by sporax.

Each is a function of a namespace with `ds` (`mindspore.dataset`), its `transforms`, `train`,
`Tensor`, `dtype` and `set_seed`; it returns lists of numbers and strings.
"""

import numpy as np


class Squares:
    """A source that can be indexed."""

    def __len__(self):
        return 5

    def __getitem__(self, i):
        return np.array([i], np.float32), i * i


class Longer:
    """A source whose rows are of different lengths."""

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return (np.arange(i + 1),)


class OnceMore:
    """A source that can be iterated over, again and again."""

    def __iter__(self):
        yield from ((np.array(i),) for i in range(3))


def generated():
    for i in range(5):
        yield np.array([i], np.float32), i


def rows(data):
    result = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    return [[np.asarray(x).tolist() for x in row] for row in result]


def firsts(data, epochs=1):
    result = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    several = [[row[0].tolist() for row in result] for _ in range(epochs)]
    return several[0] if epochs == 1 else several


def squares(ms, **options):
    return ms.ds.GeneratorDataset(Squares(), ["a", "b"], **{"shuffle": False, **options})


def nested(ms):
    def source():
        for i in range(3):
            yield {"n": i, "deeper": {"v": np.array([i, 2 * i])}}, i

    return ms.ds.GeneratorDataset(source, ["d", "i"])


def shown(data, output_numpy=True):
    built = data.create_tuple_iterator(num_epochs=1, output_numpy=output_numpy)
    return [repr(row[0]) for row in built]


def numbers(ms, n=8, **options):
    return ms.ds.NumpySlicesDataset(list(range(n)), ["x"], **{"shuffle": False, **options})


def longer(ms):
    return ms.ds.GeneratorDataset(Longer(), ["a"], shuffle=False)


def both(data):
    return data.get_col_names(), rows(data)


def seeded(case):
    def run(ms):
        ms.ds.config.set_seed(3)
        return case(ms)

    return run


WEIGHTS = [0.1, 0.2, 0.3, 0.1, 0.05, 0.05, 0.1, 0.1]

DATA = {
    "what it is": lambda ms: (
        [str(t) for t in squares(ms).output_types()],
        squares(ms).output_shapes(),
        len(squares(ms)),
        squares(ms).get_batch_size(),
        squares(ms).get_col_names(),
        squares(ms).get_repeat_count(),
    ),
    "rows of a source": lambda ms: rows(squares(ms)),
    "rows of a generator": lambda ms: rows(ms.ds.GeneratorDataset(generated, ["a", "b"])),
    "rows that are lists": lambda ms: rows(
        ms.ds.GeneratorDataset([[1, 2.5], [np.array([3, 4]), 5.5]], ["a", "b"], shuffle=False)
    ),
    "rows that are iterators": lambda ms: rows(
        ms.ds.GeneratorDataset(lambda: (iter((i, -i)) for i in range(2)), ["a", "b"])
    ),
    "a list for one column": lambda ms: rows(ms.ds.GeneratorDataset([[1, 2], [3, 4]], ["a"])),
    "an array for one column": lambda ms: rows(
        ms.ds.GeneratorDataset([np.array([1, 2]), np.array([3, 4])], ["a"], shuffle=False)
    ),
    "a dataset as source": lambda ms: rows(
        ms.ds.GeneratorDataset(squares(ms), ["p", "q"], shuffle=False)
    ),
    "columns of dicts": lambda ms: (shown(nested(ms)), shown(nested(ms), output_numpy=False)),
    "columns of dicts in a batch": lambda ms: shown(
        nested(ms).map(lambda d: d["deeper"], ["d"]).batch(2)
    ),
    "columns of dicts in a map": lambda ms: rows(
        nested(ms).map(lambda d: (d["n"], d["deeper"]["v"]), ["d"], ["n", "v"])
    ),
    "dicts of a batch's function": lambda ms: shown(
        numbers(ms, 4).batch(2, per_batch_map=lambda x, info: ({"all": x, "at": np.arange(2)},))
    ),
    "dicts of other keys in a batch": lambda ms: shown(
        ms.ds.GeneratorDataset([{"a": 1}, {"b": 1}], ["d"]).batch(2)
    ),
    "the type of a dict": lambda ms: [str(t) for t in nested(ms).output_types()],
    "text as it is": lambda ms: shown(
        ms.ds.GeneratorDataset(["some", "text"], ["t"], shuffle=False), output_numpy=False
    ),
    "size of a generator": lambda ms: ms.ds.GeneratorDataset(
        generated, ["a", "b"]
    ).get_dataset_size(),
    "rows of an iterable": lambda ms: rows(ms.ds.GeneratorDataset(OnceMore(), "a")),
    "a sampler of a generator": lambda ms: ms.ds.GeneratorDataset(
        generated, ["a", "b"], sampler=ms.ds.SequentialSampler()
    ),
    "too few columns": lambda ms: rows(ms.ds.GeneratorDataset(Squares(), ["a"])),
    "no columns": lambda ms: ms.ds.GeneratorDataset(Squares()),
    "no source": lambda ms: ms.ds.GeneratorDataset(None, ["a"]),
    "wrong column types": lambda ms: rows(
        ms.ds.GeneratorDataset(
            Squares(), ["a", "b"], column_types=[ms.dtype.float32, ms.dtype.int32]
        )
    ),
    "samples of a generator": lambda ms: rows(
        ms.ds.GeneratorDataset(generated, ["a", "b"], num_samples=2)
    ),
    "samples": lambda ms: rows(squares(ms, num_samples=3)),
    "sampler and shuffle": lambda ms: squares(ms, sampler=ms.ds.RandomSampler(), shuffle=True),
    "indices": lambda ms: rows(squares(ms, shuffle=None, sampler=[3, 1])),
    "no sampler": lambda ms: squares(ms, shuffle=None, sampler=5),
    "SubsetSampler": lambda ms: firsts(
        numbers(ms, shuffle=None, sampler=ms.ds.SubsetSampler([7, 2]))
    ),
    "SequentialSampler": lambda ms: firsts(
        numbers(ms, shuffle=None, sampler=ms.ds.SequentialSampler(1, 2))
    ),
    "shards": lambda ms: [firsts(numbers(ms, 5, num_shards=2, shard_id=i)) for i in (0, 1)],
    "size of a shard": lambda ms: squares(ms, num_shards=2, shard_id=0).get_dataset_size(),
    "slices": lambda ms: both(ms.ds.NumpySlicesDataset(np.arange(6).reshape(3, 2), shuffle=False)),
    "slices of a tuple": lambda ms: both(
        ms.ds.NumpySlicesDataset(([1, 2], [0.5, 1.5]), shuffle=False)
    ),
    "slices of a dict": lambda ms: both(
        ms.ds.NumpySlicesDataset({"p": [1, 2], "q": [3, 4]}, shuffle=False)
    ),
    "slices of other lengths": lambda ms: ms.ds.NumpySlicesDataset(([1, 2, 3], [4, 5])),
    "slices, too few columns": lambda ms: ms.ds.NumpySlicesDataset(([1, 2], [4, 5]), ["a"]),
    "strings": lambda ms: rows(
        ms.ds.NumpySlicesDataset((["a", "bb"],), ["s"], shuffle=False).batch(2)
    ),
    "batch": lambda ms: rows(squares(ms).batch(2)),
    "batch, no remainder": lambda ms: rows(squares(ms).batch(2, True)),
    "batch, what it is": lambda ms: (
        squares(ms).batch(2).get_dataset_size(),
        squares(ms).batch(2, True).get_dataset_size(),
        squares(ms).batch(2).get_batch_size(),
        squares(ms).batch(2).output_shapes(),
        squares(ms).batch(2).repeat(3).get_repeat_count(),
        squares(ms).batch(2).repeat(3).get_dataset_size(),
    ),
    "batch of 0": lambda ms: squares(ms).batch(0),
    "batch of a string": lambda ms: squares(ms).batch("x"),
    "batch of other shapes": lambda ms: rows(longer(ms).batch(2)),
    "batch by a function": lambda ms: rows(
        squares(ms).batch(lambda info: info.get_batch_num() + 1)
    ),
    "per_batch_map": lambda ms: rows(
        squares(ms).batch(
            2,
            per_batch_map=lambda a, b, info: (
                a,
                [x + info.get_batch_num() + 100 * info.get_epoch_num() for x in b],
            ),
        )
    ),
    "per_batch_map, one column": lambda ms: rows(
        squares(ms).batch(
            2, per_batch_map=lambda b, info: ([x * 2 for x in b],), input_columns=["b"]
        )
    ),
    "per_batch_map, other columns": lambda ms: both(
        squares(ms).batch(
            2,
            per_batch_map=lambda b, info: ([x * 2 for x in b], [x * 3 for x in b]),
            input_columns=["b"],
            output_columns=["c", "d"],
        )
    ),
    "padded_batch": lambda ms: rows(longer(ms).padded_batch(2, pad_info={"a": ([4], 9)})),
    "padded_batch, the longest": lambda ms: rows(longer(ms).padded_batch(2, pad_info={})),
    "padded_batch, nothing": lambda ms: rows(longer(ms).padded_batch(2)),
    "map": lambda ms: rows(squares(ms).map(lambda x: x + 1, ["a"])),
    "map, no columns": lambda ms: rows(squares(ms).map(lambda x: x + 1)),
    "map, more columns": lambda ms: both(squares(ms).map(lambda x: (x, x + 1), ["b"], ["c", "d"])),
    "map, fewer columns": lambda ms: both(squares(ms).map(lambda x, y: x + y, ["a", "b"], ["c"])),
    "map, turned columns": lambda ms: both(squares(ms).map(lambda x, y: (y, x), ["b", "a"])),
    "map, another name": lambda ms: both(squares(ms).map(lambda x: x, ["a"], ["z"])),
    "map, two": lambda ms: rows(squares(ms).map([lambda x: x + 1, lambda x: x * 2], "a")),
    "map, no such column": lambda ms: rows(squares(ms).map(lambda x: x + 1, ["q"])),
    "map, a float": lambda ms: rows(squares(ms).map(lambda x: 1.5, ["a"])),
    "map, too many": lambda ms: rows(squares(ms).map(lambda x: (x, x), ["a"])),
    "project": lambda ms: (rows(squares(ms).project("b")), both(squares(ms).project(["b", "a"]))),
    "project, no such column": lambda ms: rows(squares(ms).project(["q"])),
    "rename": lambda ms: squares(ms).rename(["a"], ["z"]).get_col_names(),
    "rename, no such column": lambda ms: squares(ms).rename(["q"], ["z"]).get_col_names(),
    "zip": lambda ms: both(
        ms.ds.zip((squares(ms), squares(ms).rename(["a", "b"], ["c", "d"]).take(3)))
    ),
    "zip, same columns": lambda ms: rows(ms.ds.zip((squares(ms), squares(ms)))),
    "concat": lambda ms: rows(squares(ms).take(2).concat(squares(ms).skip(4))),
    "sum": lambda ms: rows(squares(ms).take(2) + squares(ms).skip(4)),
    "take": lambda ms: (
        firsts(numbers(ms).take(-1)),
        firsts(numbers(ms).take(2)),
        numbers(ms).take(2).get_dataset_size(),
        numbers(ms).take(9).get_dataset_size(),
    ),
    "take 0": lambda ms: numbers(ms).take(0),
    "skip": lambda ms: (firsts(numbers(ms).skip(5)), numbers(ms).skip(9).get_dataset_size()),
    "skip -1": lambda ms: numbers(ms).skip(-1),
    "repeat": lambda ms: (
        firsts(numbers(ms, 2).repeat(2)),
        numbers(ms).repeat(2).get_dataset_size(),
    ),
    "repeat 0": lambda ms: numbers(ms).repeat(0),
    "repeat without end": lambda ms: numbers(ms).repeat().get_dataset_size(),
    "filter": lambda ms: (
        rows(squares(ms).filter(lambda b: b > 3, ["b"])),
        rows(squares(ms).filter(lambda a, b: b > 3)),
        squares(ms).filter(lambda b: b > 3, ["b"]).get_dataset_size(),
    ),
    "split": lambda ms: [firsts(part) for part in numbers(ms).split([0.6, 0.4], randomize=False)],
    "split by numbers": lambda ms: [
        firsts(part) for part in numbers(ms).split([5, 3], randomize=False)
    ],
    "split, too many": lambda ms: numbers(ms).split([5, 4]),
    "sizes of a split": lambda ms: [p.get_dataset_size() for p in numbers(ms, 5).split([0.5, 0.5])],
    "epochs": lambda ms: firsts(numbers(ms, 2), 3),
    "one epoch too many": lambda ms: [
        list(it) for it in [numbers(ms).create_tuple_iterator(num_epochs=1)] * 2
    ],
    "no epoch": lambda ms: numbers(ms).create_dict_iterator(num_epochs=0),
    "columns of an iterator": lambda ms: [
        [x.tolist() for x in row]
        for row in squares(ms).create_tuple_iterator(["b"], num_epochs=1, output_numpy=True)
    ],
    "dicts": lambda ms: [
        {k: v.tolist() for k, v in row.items()}
        for row in squares(ms).create_dict_iterator(num_epochs=1, output_numpy=True)
    ],
    # the same orders for the same seeds
    "shuffled": seeded(lambda ms: firsts(numbers(ms, shuffle=True), 3)),
    "shuffled by default": seeded(lambda ms: firsts(numbers(ms, 7, shuffle=None), 2)),
    "shuffled in a buffer": seeded(lambda ms: firsts(numbers(ms).shuffle(4), 3)),
    "shuffled in a large buffer": seeded(lambda ms: firsts(numbers(ms).shuffle(100))),
    "a buffer of 1": lambda ms: numbers(ms).shuffle(1),
    "shuffled and repeated": seeded(lambda ms: firsts(numbers(ms, 5).shuffle(4).repeat(2))),
    "shuffled samples": seeded(lambda ms: firsts(numbers(ms, shuffle=None, num_samples=4))),
    "shuffled shards": seeded(
        lambda ms: firsts(numbers(ms, shuffle=None, num_shards=2, shard_id=1), 3)
    ),
    "RandomSampler": seeded(
        lambda ms: firsts(numbers(ms, shuffle=None, sampler=ms.ds.RandomSampler(False, 5)))
    ),
    "RandomSampler, replacement": seeded(
        lambda ms: firsts(numbers(ms, shuffle=None, sampler=ms.ds.RandomSampler(True, 8)), 2)
    ),
    "SubsetRandomSampler": seeded(
        lambda ms: firsts(
            numbers(ms, shuffle=None, sampler=ms.ds.SubsetRandomSampler([1, 3, 5, 7, 0]))
        )
    ),
    "WeightedRandomSampler": seeded(
        lambda ms: firsts(
            numbers(ms, shuffle=None, sampler=ms.ds.WeightedRandomSampler(WEIGHTS, 8)), 2
        )
    ),
    "split at random": seeded(lambda ms: [firsts(part) for part in numbers(ms).split([4, 4])]),
    "split at random, mapped": seeded(
        lambda ms: [firsts(part) for part in numbers(ms).map(lambda x: x).split([4, 4])]
    ),
    "seeded with all else": lambda ms: (ms.set_seed(3), firsts(numbers(ms, shuffle=True)))[1],
    # transforms
    "TypeCast": lambda ms: [
        str(ms.transforms.TypeCast(t)(np.array([1.7])).dtype)
        for t in (ms.dtype.int32, np.int32, "int32")
    ],
    "TypeCast to 5": lambda ms: ms.transforms.TypeCast(5),
    "OneHot": lambda ms: ms.transforms.OneHot(3)(np.array(1)).tolist(),
    "OneHot, outside": lambda ms: ms.transforms.OneHot(3)(np.array(5)),
    "OneHot of 0": lambda ms: ms.transforms.OneHot(0),
    "PadEnd": lambda ms: [
        ms.transforms.PadEnd([4], 9)(np.array([1, 2])).tolist(),
        ms.transforms.PadEnd([1])(np.array([1, 2])).tolist(),
    ],
    "Fill": lambda ms: ms.transforms.Fill(7)(np.array([1, 2])).tolist(),
    "Compose": lambda ms: ms.transforms.Compose(
        [lambda x: x + 1, ms.transforms.TypeCast(ms.dtype.float16)]
    )(np.array([1, 2])).tolist(),
    "Compose of nothing": lambda ms: ms.transforms.Compose([]),
    "Compose of 5": lambda ms: ms.transforms.Compose([5]),
    "Duplicate": lambda ms: [x.tolist() for x in ms.transforms.Duplicate()(np.array([1, 2]))],
    "Concatenate": lambda ms: ms.transforms.Concatenate(0, np.array([9]), np.array([8]))(
        np.array([1, 2])
    ).tolist(),
}

_draws = np.random.RandomState(5)
SCORES = _draws.rand(12, 4).astype(np.float32)
LABELS = _draws.randint(0, 4, 12).astype(np.int32)
HOT = np.eye(4, dtype=np.int32)[LABELS]
MANY = (_draws.rand(12, 4) > 0.5).astype(np.int32), (_draws.rand(12, 4) > 0.5).astype(np.int32)
CUBES = (_draws.rand(3, 2, 5) > 0.5).astype(np.int32), (_draws.rand(3, 2, 5) > 0.4).astype(np.int32)
TARGETS = _draws.rand(12, 4).astype(np.float32)
ODDS = SCORES / SCORES.sum(axis=1, keepdims=True)


def measured(make, *batches, **options):
    """Return a case: the result of a metric for batches of Tensors, as in `Model.eval`."""

    def run(ms):
        metric = make(ms)
        for batch in batches:
            metric.update(*[ms.Tensor(x) for x in batch])
        return _plain(metric.eval(**options))

    return run


def _plain(result):
    if isinstance(result, (tuple, list)):
        return [_plain(item) for item in result]
    return np.asarray(result).tolist()


HALVES = (SCORES[:6], LABELS[:6]), (SCORES[6:], LABELS[6:])
MANY_HALVES = (MANY[0][:6], MANY[1][:6]), (MANY[0][6:], MANY[1][6:])

METRICS = {
    "Accuracy": measured(lambda ms: ms.train.Accuracy(), *HALVES),
    "Accuracy, one-hot": measured(lambda ms: ms.train.Accuracy(), (SCORES, HOT)),
    "Accuracy, multilabel": measured(lambda ms: ms.train.Accuracy("multilabel"), *MANY_HALVES),
    "Accuracy, no kind": lambda ms: ms.train.Accuracy("other"),
    "Accuracy, nothing": lambda ms: ms.train.Accuracy().eval(),
    "Accuracy, other classes": measured(
        lambda ms: ms.train.Accuracy(), (SCORES, LABELS), (SCORES[:, :3], LABELS)
    ),
    "Accuracy, other shapes": measured(lambda ms: ms.train.Accuracy(), (SCORES, LABELS[:5])),
    "Accuracy, one input": lambda ms: ms.train.Accuracy().update(ms.Tensor(SCORES)),
    "Accuracy, numbers": measured(lambda ms: ms.train.Accuracy("multilabel"), (SCORES, SCORES)),
    "Accuracy, a string": lambda ms: ms.train.Accuracy().update("a", "b"),
    "Precision": measured(lambda ms: ms.train.Precision(), *HALVES),
    "Precision, average": measured(lambda ms: ms.train.Precision(), *HALVES, average=True),
    "Precision, multilabel": measured(lambda ms: ms.train.Precision("multilabel"), *MANY_HALVES),
    "Precision, multilabel average": measured(
        lambda ms: ms.train.Precision("multilabel"), *MANY_HALVES, average=True
    ),
    "Recall": measured(lambda ms: ms.train.Recall(), *HALVES),
    "Recall, average": measured(lambda ms: ms.train.Recall(), *HALVES, average=True),
    "Recall, multilabel": measured(lambda ms: ms.train.Recall("multilabel"), *MANY_HALVES),
    "F1": measured(lambda ms: ms.train.F1(), *HALVES),
    "F1, average": measured(lambda ms: ms.train.F1(), *HALVES, average=True),
    "Fbeta": measured(lambda ms: ms.train.Fbeta(2.0), *HALVES),
    "Fbeta of 0": lambda ms: ms.train.Fbeta(0),
    "TopK": measured(lambda ms: ms.train.TopKCategoricalAccuracy(2), *HALVES),
    "TopK, one-hot": measured(lambda ms: ms.train.TopKCategoricalAccuracy(3), (SCORES, HOT)),
    "TopK of 0": lambda ms: ms.train.TopKCategoricalAccuracy(0),
    "Top1": measured(lambda ms: ms.train.Top1CategoricalAccuracy(), *HALVES),
    "Top5": measured(
        lambda ms: ms.train.Top5CategoricalAccuracy(), (np.hstack([SCORES, TARGETS]), LABELS)
    ),
    "MAE": measured(
        lambda ms: ms.train.MAE(), (SCORES[:7], TARGETS[:7]), (SCORES[7:], TARGETS[7:])
    ),
    "MSE": measured(
        lambda ms: ms.train.MSE(), (SCORES[:7], TARGETS[:7]), (SCORES[7:], TARGETS[7:])
    ),
    "MSE, nothing": lambda ms: ms.train.MSE().eval(),
    "Loss": measured(lambda ms: ms.train.Loss(), (SCORES[0],), (SCORES[1],), (SCORES[2, 0],)),
    "Loss, a matrix": measured(lambda ms: ms.train.Loss(), (SCORES,)),
    "Loss, nothing": lambda ms: ms.train.Loss().eval(),
    "Perplexity": measured(
        lambda ms: ms.train.Perplexity(), (ODDS[:6], LABELS[:6]), (ODDS[6:], LABELS[6:])
    ),
    "Perplexity, ignored": measured(lambda ms: ms.train.Perplexity(ignore_label=1), (ODDS, LABELS)),
    "Dice": measured(lambda ms: ms.train.Dice(), (SCORES, TARGETS)),
    "ROC": measured(
        lambda ms: ms.train.ROC(pos_label=1), (SCORES[:, 0], (LABELS > 1).astype(np.int32))
    ),
    "ROC, wrong classes": measured(lambda ms: ms.train.ROC(class_num=3), (SCORES, LABELS)),
    "ROC, nothing": lambda ms: ms.train.ROC().eval(),
    "auc": lambda ms: [
        ms.train.auc(np.array([0.0, 0.2, 0.7]), np.array([0.0, 0.5, 1.0])),
        ms.train.auc(np.array([0.7, 0.2, 0.0]), np.array([1.0, 0.5, 0.0])),
        ms.train.auc(np.array([0.2, 0.0, 0.7]), np.array([0.5, 0.0, 1.0]), reorder=True),
    ],
    "auc, up and down": lambda ms: ms.train.auc(
        np.array([0.2, 0.0, 0.7]), np.array([0.5, 0.0, 1.0])
    ),
    "auc of a list": lambda ms: ms.train.auc([0.0, 1.0], [0.0, 1.0]),
    "ConfusionMatrix": measured(lambda ms: ms.train.ConfusionMatrix(4), *HALVES),
    "ConfusionMatrix, probabilities": measured(
        lambda ms: ms.train.ConfusionMatrix(2), (SCORES[:, 0], (LABELS > 1).astype(np.int32))
    ),
    **{
        f"ConfusionMatrix, {how}": measured(
            lambda ms, how=how: ms.train.ConfusionMatrix(4, normalize=how), (SCORES, LABELS)
        )
        for how in ("target", "prediction", "all", "other")
    },
    **{
        f"ConfusionMatrixMetric, {name}": measured(
            lambda ms, name=name: ms.train.ConfusionMatrixMetric(metric_name=name), MANY, CUBES
        )
        for name in (
            "sensitivity",
            "specificity",
            "precision",
            "npv",
            "fnr",
            "fall out",
            "fdr",
            "for",
            "pt",
            "threat_score",
            "accuracy",
            "ba",
            "f1_score",
            "mcc",
            "fm",
            "informedness",
            "markedness",
        )
    },
    "ConfusionMatrixMetric, skipped": measured(
        lambda ms: ms.train.ConfusionMatrixMetric(skip_channel=False, metric_name="precision"),
        CUBES,
    ),
    "ConfusionMatrixMetric, each": measured(
        lambda ms: ms.train.ConfusionMatrixMetric(metric_name="precision", calculation_method=True),
        CUBES,
    ),
    "chosen inputs": lambda ms: ms.train.MAE().set_indexes([0, 2])(
        ms.Tensor(SCORES), ms.Tensor(LABELS), ms.Tensor(TARGETS)
    ),
    "no such inputs": lambda ms: ms.train.MAE().set_indexes("a"),
    "by name": lambda ms: type(ms.train.get_metric_fn("F1")).__name__,
    "no such name": lambda ms: ms.train.get_metric_fn("other"),
}
