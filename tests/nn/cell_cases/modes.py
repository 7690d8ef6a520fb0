"""Modes, printing, copies, and calling a Cell."""

import copy
import pickle

import numpy as np

from tests.case_results import result_or_error
from tests.nn.cell_cases.registry import (
    bare,
    case,
    kind,
    leaf,
    names,
    parameter,
    paths,
)


@case
def modes(ms):
    net = bare(ms)
    net.part = leaf(ms)
    rows = [[net.training, net.phase, net.part.training]]
    for mode in (True, False):
        same = net.set_train(mode) is net
        rows.append([net.training, net.phase, net.part.training, net.part.phase, same])
    return rows


@case
def set_train_is_for_truth_values(ms):
    net = bare(ms)
    return [
        result_or_error(lambda _, v=v: net.set_train(v).training, ms) for v in (1, 0, None, "yes")
    ]


@case
def a_phase_of_ones_own(ms):
    net = bare(ms)
    net.phase = "mine"
    return net.phase, result_or_error(lambda _: setattr(net, "phase", 3), ms)


@case
def set_grad(ms):
    net = bare(ms)
    net.part = leaf(ms)
    before = net.requires_grad
    same = net.set_grad() is net
    after = net.requires_grad
    return before, same, after, net.part.requires_grad, net.set_grad(False).requires_grad


@case
def a_set_train_of_ones_own(ms):
    class Net(ms.nn.Cell):
        def set_train(self, mode=True):
            super().set_train(mode)
            self.called = True
            return self

    outer = bare(ms)
    outer.net = Net()
    outer.set_train()
    return hasattr(outer.net, "called"), outer.net.training


def _shown(ms, text):
    class Net(ms.nn.Cell):
        def extend_repr(self):
            return text

    return Net


@case
def repr_of_nothing(ms):
    return repr(bare(ms)), str(bare(ms))


@case
def repr_with_words(ms):
    net = _shown(ms, "in=1, out=2")()
    outer = _shown(ms, "a line")()
    outer.part = net
    outer.other = bare(ms)
    return repr(net), repr(outer)


@case
def repr_with_lines(ms):
    net = _shown(ms, "one\ntwo")()
    outer = bare(ms)
    outer.part = net
    return repr(net), repr(outer)


@case
def repr_of_containers(ms):
    net = bare(ms)
    net.layers = ms.nn.CellList([leaf(ms), bare(ms)])
    net.block = ms.nn.SequentialCell([leaf(ms), ms.nn.SequentialCell([leaf(ms)])])
    net.parts = ms.nn.CellDict({"a": leaf(ms)})
    net.empty = ms.nn.SequentialCell()
    return repr(net)


@case
def repr_with_a_list_of_cells(ms):
    net = bare(ms)
    net.layers = [leaf(ms)]
    return repr(net)


@case
def class_name(ms):
    return leaf(ms).cls_name


@case
def deep_copy(ms):
    net = bare(ms)
    net.part = leaf(ms)
    net.set_train()
    copied = copy.deepcopy(net)
    copied.part.w.set_data(ms.Tensor(np.zeros(2, np.float32)))
    return (
        names(copied), copied.part.w is net.part.w, net.part.w.asnumpy().tolist(),
        copied.part.training,
        copied.part(ms.Tensor(np.ones(2, np.float32))).asnumpy().tolist(),
    )  # fmt: skip


@case
def deep_copy_keeps_sharing(ms):
    net, w = bare(ms), parameter(ms)
    net.a, net.b = w, w
    net.ps = ms.ParameterTuple([w])
    copied = copy.deepcopy(net)
    return copied.a is copied.b, copied.ps[0] is copied.a, names(copied)


@case
def pickled(ms):
    copied = pickle.loads(pickle.dumps(ms.nn.SequentialCell([bare(ms), bare(ms)])))
    return paths(copied)


@case
def construct_missing(ms):
    class Net(ms.nn.Cell):
        pass

    return kind(Net()(ms.Tensor([1.0])))


@case
def construct_arguments(ms):
    class Net(ms.nn.Cell):
        def construct(self, x, y=2.0, *more, scale=1.0):
            return x * y * scale + len(more)

    net, x = Net(), ms.Tensor(np.array([1.0], np.float32))
    calls = [lambda: net(x), lambda: net(x, 3.0), lambda: net(x, y=4.0), lambda: net(x=x),
             lambda: net(x, 1.0, 1, 2), lambda: net(), lambda: net(x, z=1)]  # fmt: skip
    return [result_or_error(lambda _, c=c: c().asnumpy().tolist(), ms) for c in calls]


@case
def what_construct_returns(ms):
    class Net(ms.nn.Cell):
        def construct(self, x, what):
            return {"none": None, "tuple": (x, 1), "list": [x], "dict": {"a": x}, "number": 3}[what]

    net, x = Net(), ms.Tensor([1.0])
    return [kind(net(x, w)) for w in ("none", "tuple", "list", "dict", "number")]


@case
def truth_and_identity(ms):
    a, b = leaf(ms), leaf(ms)
    return bool(ms.nn.CellList([])), bool(a), a == a, a == b, len({a, b})
