"""`dataset.dataloader`: orders, batches, workers; PyTorch's rules, in plain Python."""

import os
import time
from collections import namedtuple

import numpy as np
import pytest

from sporax import Tensor
from sporax.data import dataloader
from sporax.data.dataloader import (
    BatchSampler,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    TensorDataset,
    collate,
    default_collate,
    default_convert,
    get_worker_info,
)

Pair = namedtuple("Pair", "x y")


class Squares(Dataset):
    """Samples `[i * i]`; 90 ends the process, 91 raises, 92 waits, 93 cannot be sent."""

    def __getitem__(self, index):
        if index == 90:
            os._exit(3)
        if index == 91:
            raise KeyError("sample 91")
        if index == 92:
            time.sleep(60)
        if index == 93:
            return lambda: None
        return np.array([index**2])

    def __len__(self):
        return 7


class Counting(IterableDataset):
    """The numbers below 7; in a worker its share of them."""

    def __iter__(self):
        info = get_worker_info()
        return iter(range(7) if info is None else range(info.id, 7, info.num_workers))

    def __len__(self):
        return 7


def values(batches):
    """The batches as nested lists."""
    return [b.asnumpy().reshape(-1).tolist() for b in batches]


SQUARES = [0, 1, 4, 9, 16, 25, 36]
TENSORS = TensorDataset(Tensor(np.arange(3)), Tensor(np.arange(3) * 2.0))
ORDERS = {
    "default": (Squares(), {}, [[x] for x in SQUARES]),
    "batches": (Squares(), {"batch_size": 3}, [SQUARES[:3], SQUARES[3:6], SQUARES[6:]]),
    "drop last": (Squares(), {"batch_size": 3, "drop_last": True}, [SQUARES[:3], SQUARES[3:6]]),
    "sampler": (Squares(), {"sampler": [3, 1], "batch_size": 2}, [[9, 1]]),
    "batch sampler": (Squares(), {"batch_sampler": [[1, 2], [0]]}, [[1, 4], [0]]),
    "single": (Squares(), {"batch_size": None}, [[x] for x in SQUARES]),
    "collate": (
        Squares(),
        {"batch_size": 7, "collate_fn": lambda batch: Tensor(sum(batch))},
        [[91]],
    ),
    "iterable": (Counting(), {"batch_size": 3}, [[0, 1, 2], [3, 4, 5], [6]]),
    "iterable, drop last": (Counting(), {"batch_size": 5, "drop_last": True}, [[0, 1, 2, 3, 4]]),
}
BY_WORKERS = {
    "batches": (Squares(), {"batch_size": 3}, ORDERS["batches"][2]),
    "iterable": (Counting(), {"batch_size": 2}, [[0, 2], [1, 3], [4, 6], [5]]),
    "single": (Squares(), {"batch_size": None, "prefetch_factor": 1}, [[x] for x in SQUARES]),
}


@pytest.mark.parametrize("name", ORDERS)
def test_batches(name):
    dataset, options, expected = ORDERS[name]
    loader = DataLoader(dataset, **options)
    assert values(loader) == expected == values(loader)
    assert len(loader) == len(expected)


@pytest.mark.parametrize("name", BY_WORKERS)
def test_batches_by_workers(name):
    dataset, options, expected = BY_WORKERS[name]
    loader = DataLoader(dataset, num_workers=2, persistent_workers=True, **options)
    next(iter(loader))  # an epoch that is not ended
    assert values(loader) == expected == values(loader)


def test_workers_give_all_out_of_order_and_tell_their_seeds():
    loader = DataLoader(Squares(), num_workers=2, in_order=False)
    assert sorted(values(loader)) == [[x] for x in SQUARES]
    rows = DataLoader(TENSORS, 3, num_workers=1)
    (first, second), = rows  # fmt: skip
    assert isinstance(first, Tensor) and second.asnumpy().tolist() == [0.0, 2.0, 4.0]


@pytest.mark.parametrize(
    ("index", "error", "words"),
    [
        (
            90,
            RuntimeError,
            "worker process 1 of 1 .*ended with exit code 3 before .* batch 0",
        ),
        (91, KeyError, "'dataset' raised this for index 91"),
        (91, KeyError, "this came of batch 0 of epoch 0"),
        (91, KeyError, r"In worker process 1 of 1 \(pid"),
        (92, RuntimeError, "within 0.5 seconds, but worker process 1 of 1 .* Raise 'timeout'"),
        (93, RuntimeError, "must be picklable, but batch 0 of epoch 0 is not: Can't (pickle|get)"),
    ],
    ids=["ends", "index", "batch", "worker", "hangs", "no pickle"],
)
def test_workers_that_fail(index, error, words):
    options = {"timeout": 0.5} if index == 92 else {"collate_fn": list}
    loader = DataLoader(Squares(), sampler=[index], num_workers=1, **options)
    with pytest.raises(error, match=words):
        list(loader)


def test_samplers():
    assert list(SequentialSampler("abc")) == [0, 1, 2]
    draws = lambda **options: list(RandomSampler(range(5), **options))  # noqa: E731
    assert sorted(draws()) == [0, 1, 2, 3, 4] and len(draws(num_samples=12)) == 12
    assert sorted(draws(num_samples=10)) == sorted([0, 1, 2, 3, 4] * 2)
    assert set(draws(replacement=True, num_samples=50)) == {0, 1, 2, 3, 4}
    same = [draws(generator=np.random.default_rng(3)) for _ in range(2)]
    assert same[0] == same[1]
    assert len(BatchSampler(range(5), 2, True)) == 2 and len(BatchSampler(range(5), 2, False)) == 3
    parts = [DistributedSampler(range(5), 2, rank, shuffle=False) for rank in (0, 1)]
    assert [list(part) for part in parts] == [[0, 2, 4], [1, 3, 0]]
    part = DistributedSampler(range(5), 2, 0, drop_last=True)
    orders = []
    for epoch in range(3):
        part.set_epoch(epoch)
        orders.append(tuple(part))
    assert len(part) == 2 and len(set(orders)) > 1


def shown(data):
    """Containers with `T` and the values in place of Tensors."""
    if isinstance(data, Tensor):
        return "T", data.asnumpy().tolist()
    if isinstance(data, dict):
        return {k: shown(v) for k, v in data.items()}
    return [shown(v) for v in data] if isinstance(data, list) else data


CONVERTED = [
    (np.int32(1), ("T", 1)),
    ({"a": np.zeros(1)}, {"a": ("T", [0.0])}),
    ((np.zeros(1), "s"), [("T", [0.0]), "s"]),
    (np.array(["a"]), np.array(["a"])),
    (range(2), [0, 1]),
]
COLLATED = [
    ([1.5, 2.0], ("T", [1.5, 2.0])),
    ([True, False], ("T", [True, False])),
    (["a", "b"], ["a", "b"]),
    ([{"x": 1}, {"x": 2}], {"x": ("T", [1, 2])}),
    ([(1, "a"), (2, "b")], [("T", [1, 2]), ["a", "b"]]),
    ([[np.ones(2)], [np.zeros(2)]], [("T", [[1.0, 1.0], [0.0, 0.0]])]),
    ([np.float64(1), np.float64(2)], ("T", [1.0, 2.0])),
]


@pytest.mark.parametrize(("data", "expected"), CONVERTED, ids=str)
def test_converted(data, expected):
    assert shown(default_convert(data)) == expected


@pytest.mark.parametrize(("batch", "expected"), COLLATED, ids=str)
def test_collated(batch, expected):
    assert shown(default_collate(batch)) == expected


def test_collated_named_tuples_and_own_functions():
    batch = default_collate([Pair(1, "a"), Pair(2, "b")])
    assert isinstance(batch, Pair) and shown(list(batch)) == [("T", [1, 2]), ["a", "b"]]
    own = {int: lambda batch, collate_fn_map: sum(batch)}
    assert collate([{"x": 1}, {"x": 2}], collate_fn_map=own) == {"x": 3}


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: DataLoader(3), NotImplementedError, "must have '__getitem__'"),
        (
            lambda: DataLoader([1], batch_size=0),
            ValueError,
            "'batch_size' must be an int greater than 0",
        ),
        (
            lambda: DataLoader([1], batch_size=True),
            TypeError,
            "'batch_size' must be an int greater than 0 or None",
        ),
        (lambda: DataLoader(Counting(), shuffle=True), ValueError, "with an iterable dataset"),
        (lambda: DataLoader([1], shuffle=True, sampler=[0]), ValueError, "'shuffle' cannot be"),
        (lambda: DataLoader([1], 2, batch_sampler=[[0]]), ValueError, "'batch_size' cannot be"),
        (lambda: DataLoader([1], prefetch_factor=2), ValueError, "without workers"),
        (
            lambda: DataLoader([1], num_workers=-1),
            ValueError,
            "'num_workers' must be an int of at least 0",
        ),
        (
            lambda: DataLoader([1], generator=3),
            TypeError,
            "'generator' must be a Generator or None",
        ),
        (
            lambda: RandomSampler([1], num_samples=0),
            ValueError,
            "'num_samples' must be an int greater than 0",
        ),
        (lambda: DistributedSampler([1], 2, 2), ValueError, r"'rank' must be in \[0, 2\)"),
        (lambda: default_collate([[1], [1, 2]]), RuntimeError, "must be of the same length"),
        (lambda: default_collate([object()]), TypeError, "no function for samples of type object"),
        (lambda: default_collate([np.array("a")]), TypeError, "arrays must have numbers"),
        (lambda: Dataset()[0], NotImplementedError, "'__getitem__' must return the sample"),
        (lambda: iter(IterableDataset()), NotImplementedError, "'__iter__' must return"),
        (
            lambda: TensorDataset(Tensor([1]), Tensor([1, 2])),
            ValueError,
            "must have the same first size",
        ),
    ],
    ids=lambda x: "call" if callable(x) else str(x),
)
def test_errors(call, error, words):
    with pytest.raises(error, match=words):
        call()
    assert set(dataloader.__all__) <= set(vars(dataloader))
