"""Wrong uses that are no call with one wrong argument: each is refused in one clear error, by the
same judge as the wrong arguments; with what MindSpore 2.10 refuses and what it takes."""

import copy

import numpy as np
import pytest

from sporax import data as ds
from sporax import nn, ops, optim
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax.train import CheckpointConfig, Model
from tests.wrong_arguments import judge

X = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
NET = nn.Dense(3, 2)


def model():
    return Model(NET, nn.MSELoss(), optim.SGD(NET.trainable_params(), 0.1), metrics={"loss"})


def numbers():
    return ds.NumpySlicesDataset({"a": np.arange(6, dtype=np.float32)}, shuffle=False)


def rows(data):
    return list(data.create_tuple_iterator(output_numpy=True))


def batches(*values):
    return rows(ds.GeneratorDataset(list(values), ["a"], shuffle=False).batch(2))


def buckets(length):
    return rows(numbers().bucket_batch_by_length(["a"], [2], [2, 2], lambda a: length))


def sampled(*indices):
    return rows(ds.NumpySlicesDataset([1, 2, 3], sampler=list(indices)))


class Long:
    def __len__(self):
        return "long"

    def __getitem__(self, i):
        return np.float32(i)


class Itself(nn.Cell):
    def construct(self, x):
        return self(x)


class Other(nn.Cell):
    def __init__(self):
        super().__init__()
        self.other = None

    def construct(self, x):
        return self.other(x)


def each_other(kind):
    """Two Cells that hold each other."""
    one, two = kind(), kind()
    for a, b in ((one, two), (two, one)):
        a.other = b
        if kind is nn.SequentialCell:
            a.insert_child_to_cell("part", b)
    return one


def write(index):
    y = X.copy()
    y[index] = 1.0


# a use -> (it, the error)
USES = {
    "train without data": (lambda: model().train(1, None), TypeError),
    "train with a list": (lambda: model().train(1, [(X, X)]), TypeError),
    "train with an iterator": (lambda: model().train(1, iter([(X, X)])), TypeError),
    "fit without data": (lambda: model().fit(1, None), TypeError),
    "fit with a list to evaluate": (lambda: model().fit(1, numbers(), [X]), TypeError),
    "eval without data": (lambda: model().eval(None), TypeError),
    "build with a list": (lambda: model().build([1]), TypeError),
    "a loss that is no function": (lambda: Model(NET, 3), TypeError),
    "a ragged index": (lambda: X[[[0, [1]]]], IndexError),
    "a ragged index of two": (lambda: X[([0, 1], [0, [1]])], IndexError),
    "a ragged index to write at": (lambda: write([[0, [1]]]), IndexError),
    "item of a string": (lambda: X.item("a"), TypeError),
    "item of a fraction": (lambda: X.item((0, 1.5)), TypeError),
    "item beyond": (lambda: X.item(7), IndexError),
    "item beyond in a dimension": (lambda: X.item((0, 3)), IndexError),
    "item of three": (lambda: X.item((0, 1, 2)), ValueError),
    "apply of no function": (lambda: NET.apply(3), TypeError),
    "Map of no function": (lambda: ops.Map()(3, X), TypeError),
    "Map of no sequence": (lambda: ops.Map()(lambda x: x, 3), TypeError),
    "Map of nothing": (lambda: ops.Map()(lambda x: x), TypeError),
    "HyperMap of nothing": (lambda: ops.HyperMap()(lambda x: x), TypeError),
    "HyperMap of no sequence": (lambda: ops.HyperMap()(max, ((1, 2),), (3,)), TypeError),
    "a key of CellDict": (lambda: nn.CellDict({"b": NET})["a"], KeyError),
    "a list as a key of CellDict": (lambda: nn.CellDict({"b": NET})[["b"]], KeyError),
    "a key to take out": (lambda: nn.CellDict({"b": NET}).pop("a"), KeyError),
    "a length that is a string": (lambda: rows(ds.GeneratorDataset(Long(), "a")), TypeError),
    "a length of rows: a string": (lambda: buckets("a"), ValueError),
    "a length of rows: None": (lambda: buckets(None), ValueError),
    "a length of rows: a fraction": (lambda: buckets(0.5), ValueError),
    "a length of rows: below 0": (lambda: buckets(-1), ValueError),
    "a length of rows: two": (lambda: buckets(np.array([1, 2])), ValueError),
    "a batch's size: a string": (lambda: rows(numbers().batch(lambda info: "a")), ValueError),
    "a batch's size: None": (lambda: rows(numbers().batch(lambda info: None)), ValueError),
    "a batch's size: 0": (lambda: rows(numbers().batch(lambda info: 0)), ValueError),
    "two truth values for a row": (
        lambda: rows(numbers().filter(lambda a: np.array([True, False]))), ValueError,
    ),
    "rows of two dtypes": (lambda: batches(np.float32(1), np.int32(2)), RuntimeError),
    "rows of two kinds of numbers": (lambda: batches((1,), (2.5,)), RuntimeError),
    "a fraction as a row's index": (lambda: sampled(0.5), TypeError),
    "a bool as a row's index": (lambda: sampled(True), TypeError),
    "a fraction of a SubsetSampler": (lambda: ds.SubsetSampler([0.5]), TypeError),
    "a thousand million workers": (lambda: ds.config.set_num_parallel_workers(10**9), ValueError),
    "workers of an operation": (
        lambda: rows(numbers().map(lambda a: a, num_parallel_workers=10**9)), ValueError,
    ),
    "a Cell that calls itself": (lambda: Itself()(X), RecursionError),
    "its derivative": (lambda: ops.grad(Itself())(X), RecursionError),
    "Cells that call each other": (lambda: each_other(Other)(X), RecursionError),
    "containers that hold each other": (lambda: each_other(nn.SequentialCell)(X), RecursionError),
    "no loss": (lambda: nn.WithLossCell(NET, 3)(X, X[:, :2]), TypeError),
    "no loss to evaluate": (lambda: nn.WithEvalCell(NET, 3)(X, X[:, :2]), TypeError),
    "no network": (lambda: nn.WithLossCell(3, nn.MSELoss())(X, X), TypeError),
    "no network to differentiate": (lambda: nn.ForwardValueAndGrad(3), TypeError),
    "a prefix that is a number": (lambda: [*NET.parameters_and_names(3)], TypeError),
    "Cells that are a number": (lambda: [*NET.cells_and_names(3)], TypeError),
    "a checkpoint in thread 3": (lambda: CheckpointConfig(1, async_save=3), TypeError),
}  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_wrong_uses_are_refused_in_one_clear_error(use, monkeypatch):
    call, kind = USES[use]
    # the judge knows no endless recursion, and what comes of a row has notes
    monkeypatch.setattr(judge, "KINDS", (*judge.KINDS, RecursionError))
    with pytest.raises(kind) as caught:
        call()
    assert judge.fault(caught.value) is None, str(caught.value)


def test_a_users_own_error_of_a_length_stays_its_own():
    class Mine(Long):
        def __len__(self):
            raise ValueError("mine")

    with pytest.raises(ValueError, match=r"^mine$"):
        rows(ds.GeneratorDataset(Mine(), "a"))


# what MindSpore takes
def test_what_looks_wrong_and_is_taken():
    assert len(rows(numbers().filter(lambda a: "a"))) == 6
    assert rows(numbers().filter(lambda a: None)) == []
    assert len(rows(numbers().filter(lambda a: np.array([True])))) == 6
    assert len(buckets(np.array(1))) == 3
    assert X.item(-1) == X.item((1, 2)) == X.item(Tensor(5)) == 5.0
    assert batches("a", "bcd")[0][0].tolist() == ["a", "bcd"]
    assert NET.set_train("a").training
    assert len(list(NET.get_parameters(3))) == 2
    assert (~X).tolist() == [[True, False, False], [False] * 3]


def test_cells_that_hold_each_other_are_walked_once():
    one = each_other(nn.SequentialCell)
    one.weight = Parameter(Tensor([1.0]))
    seen = []
    assert one.apply(seen.append) is one
    assert len(seen) == 2
    assert seen[1] is one
    assert "(part): ..." in repr(one)
    assert one.set_train() is one
    assert [cell.training for _, cell in one.cells_and_names()] == [True, True]
    assert len(copy.deepcopy(one).trainable_params()) == 1
