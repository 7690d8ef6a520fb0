"""Attributes that are set on a Cell, and Cells inserted into it and removed."""

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
def a_tensor_set_on_a_parameter(ms):
    net = leaf(ms)
    before = net.w
    net.w = ms.Tensor(np.array([5.0, 6.0], np.float32))
    return net.w is before, kind(net.w), net.w.asnumpy().tolist()


@case
def a_number_set_on_a_parameter(ms):
    net = leaf(ms)
    net.w = 3.0
    return kind(net.w)


@case
def a_new_parameter_over_an_old_one(ms):
    net = leaf(ms)
    fresh = parameter(ms, name="fresh")
    net.w = fresh
    return net.w is fresh, names(net)


@case
def none_set_on_a_parameter(ms):
    net = leaf(ms)
    net.w = None
    return net.w is None, names(net), len(net.trainable_params())


@case
def a_parameter_after_none(ms):
    net = bare(ms)
    net.w = None
    net.w = parameter(ms)
    return kind(net.w), names(net)


@case
def a_parameter_after_none_after_a_parameter(ms):
    net = leaf(ms)
    net.w = None
    net.w = parameter(ms)
    return kind(net.w), names(net)


@case
def a_tensor_after_none_after_a_parameter(ms):
    net = leaf(ms)
    net.w = None
    net.w = ms.Tensor(np.ones(2, np.float32))
    return kind(net.w), names(net)


@case
def a_parameter_over_a_plain_attribute(ms):
    net = bare(ms)
    net.w = 3
    net.w = parameter(ms)
    return kind(net.w), names(net)


@case
def a_parameter_over_a_cell(ms):
    net = bare(ms)
    net.part = leaf(ms)
    net.part = parameter(ms)
    return names(net)


@case
def a_cell_over_a_parameter(ms):
    net = leaf(ms)
    net.w = leaf(ms)
    return names(net)


@case
def a_cell_over_a_cell(ms):
    net = bare(ms)
    net.part = leaf(ms)
    net.part = leaf(ms, "mine")
    return names(net)


@case
def a_cell_over_a_plain_attribute(ms):
    net = bare(ms)
    net.part = 3
    net.part = leaf(ms)
    return kind(net.part), names(net)


@case
def none_set_on_a_cell(ms):
    net = bare(ms)
    net.part = leaf(ms)
    net.part = None
    return net.part is None, names(net), paths(net), repr(net)


@case
def a_number_set_on_a_cell(ms):
    net = bare(ms)
    net.part = leaf(ms)
    net.part = 3
    return kind(net.part), names(net)


@case
def a_function_set_on_a_cell(ms):
    net = bare(ms)
    net.part = leaf(ms)
    net.part = abs
    return kind(net.part), names(net)


@case
def deleting(ms):
    net = leaf(ms)
    net.part = leaf(ms)
    net.number = 3
    del net.w, net.part, net.number
    return hasattr(net, "w"), hasattr(net, "part"), hasattr(net, "number"), names(net)


@case
def deleting_what_is_not_there(ms):
    del bare(ms).nothing
    return "deleted"


@case
def reading_what_is_not_there(ms):
    return bare(ms).nothing


@case
def a_tensor_attribute(ms):
    net = bare(ms)
    net.t = ms.Tensor([1.0])
    net.t = ms.Tensor([2.0])
    return kind(net.t), net.t.asnumpy().tolist(), names(net)


@case
def super_init_forgotten_for_a_cell(ms):
    class Net(ms.nn.Cell):
        def __init__(self):
            self.part = leaf(ms)

    return kind(Net())


@case
def super_init_forgotten_for_a_parameter(ms):
    class Net(ms.nn.Cell):
        def __init__(self):
            self.w = parameter(ms)

    return kind(Net())


@case
def insert_param_to_cell(ms):
    net = bare(ms)
    net.insert_param_to_cell("w", parameter(ms))
    net.insert_param_to_cell("v", parameter(ms, name="own"))
    return names(net), kind(net.w)


def _insert_param(ms, name, what, before=None, **options):
    net = bare(ms)
    if before is not None:
        setattr(net, name, before)
    net.insert_param_to_cell(name, what, **options)
    return names(net)


@case
def insert_param_to_cell_refuses(ms):
    p = lambda: parameter(ms)  # noqa: E731
    rows = [("", p()), ("a.b", p()), ("w", 3), ("w", None), ("w", p(), 3), ("w", p(), p()),
            ("construct", p())]  # fmt: skip
    outcomes = [result_or_error(lambda ms, r=r: _insert_param(ms, *r), ms) for r in rows]
    dotted = result_or_error(
        lambda ms: _insert_param(ms, "a.b", p(), check_name_contain_dot=False), ms
    )
    return outcomes, dotted


@case
def insert_child_to_cell(ms):
    net = bare(ms)
    net.insert_child_to_cell("part", leaf(ms))
    net.insert_child_to_cell("other", leaf(ms, "mine"))
    return names(net), paths(net), net.part.param_prefix


def _insert_child(ms, name, what, before=None):
    net = bare(ms)
    if before is not None:
        setattr(net, name, before)
    net.insert_child_to_cell(name, what)
    return names(net)


@case
def insert_child_to_cell_refuses(ms):
    part = leaf(ms)
    rows = [("", part), ("a.b", part), (3, part), ("w", 3), ("w", None), ("w", part, 3),
            ("w", part, parameter(ms)), ("construct", part)]  # fmt: skip
    return [result_or_error(lambda ms, r=r: _insert_child(ms, *r), ms) for r in rows]


@case
def flags(ms):
    net = bare(ms)
    net.part = leaf(ms)
    same = net.add_flags(one=1) is net
    net.add_flags_recursive(two=2)
    got = {k: v for k, v in net.part.get_flags().items() if k == "two"}
    return same, net.one, net.two, net.part.two, hasattr(net.part, "one"), got


@case
def flags_at_the_start(ms):
    return bare(ms, flags={"one": 1}).one


@case
def trainable_and_not(ms):
    net = bare(ms)
    net.a, net.b = leaf(ms), leaf(ms)
    net.w = parameter(ms, name="own", requires_grad=False)
    net.a.w.requires_grad = False
    return (
        [p.name for p in net.trainable_params()], [p.name for p in net.untrainable_params()],
        [p.name for p in net.trainable_params(recurse=False)],
        [p.name for p in net.untrainable_params(recurse=False)],
        [p.name for p in net.get_parameters(expand=False)], kind(net.get_parameters()),
        kind(net.trainable_params()), kind(net.parameters_dict()),
        sorted(net.parameters_dict(recurse=False)),
    )  # fmt: skip


@case
def order_of_parameters(ms):
    net = bare(ms)
    net.part = leaf(ms)
    net.z = parameter(ms)
    net.a = parameter(ms)
    net.other = leaf(ms)
    return [n for n, _ in net.parameters_and_names()], [n for n, _ in net.cells_and_names()]


@case
def apply_visits(ms):
    net, seen = bare(ms), []
    net.a = leaf(ms)
    net.b = bare(ms)
    net.b.c = leaf(ms)
    path = {id(c): name for name, c in net.cells_and_names()}
    same = net.apply(lambda c: seen.append(path[id(c)]))
    return seen, same is net


@case
def overridden_get_parameters(ms):
    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = parameter(ms)

        def get_parameters(self, expand=True):
            return [self.w, self.w]

    outer = bare(ms)
    outer.net = Net()
    return names(outer)
