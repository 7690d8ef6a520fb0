"""`CellList`, `SequentialCell`, `CellDict`."""

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
def cell_list(ms):
    net = bare(ms)
    net.layers = ms.nn.CellList([leaf(ms), leaf(ms)])
    net.layers.append(leaf(ms))
    net.layers.insert(0, leaf(ms))
    net.layers.extend([leaf(ms, "mine")])
    return names(net), paths(net), len(net.layers)


@case
def cell_list_alone(ms):
    layers = ms.nn.CellList([leaf(ms), leaf(ms)])
    return names(layers), [p.name for p in layers.trainable_params()]


@case
def cell_list_of_arguments(ms):
    return names(ms.nn.CellList(leaf(ms), leaf(ms)))


@case
def cell_list_items(ms):
    a, b, c = leaf(ms), leaf(ms), leaf(ms)
    layers = ms.nn.CellList([a, b, c])
    part = layers[1:]
    result = [layers[0] is a, layers[-1] is c, kind(part), len(part), part[0] is b]
    layers[1] = leaf(ms, "new")
    result.append(names(layers))
    del layers[0]
    return result, names(layers), len(layers), c in layers, [x is c for x in layers]


@case
def cell_list_out_of_range(ms):
    return kind(ms.nn.CellList([leaf(ms)])[3])


@case
def cell_list_is_not_callable(ms):
    ms.nn.CellList([leaf(ms)])(ms.Tensor([1.0, 2.0]))
    return "runs"


@case
def cell_list_of_something_else(ms):
    ms.nn.CellList([leaf(ms), 3])
    return "made"


@case
def cell_list_negative_insert(ms):
    a, b, c = leaf(ms), leaf(ms), leaf(ms)
    layers = ms.nn.CellList([a, b])
    layers.insert(-1, c)
    return [x is c for x in layers]


@case
def cell_list_delete_slice(ms):
    layers = ms.nn.CellList([leaf(ms) for _ in range(4)])
    del layers[1:3]
    return names(layers)


@case
def cell_list_without_prefix(ms):
    net = bare(ms)
    net.layers = ms.nn.CellList([leaf(ms, "a"), leaf(ms, "b")], auto_prefix=False)
    alone = ms.nn.CellList([leaf(ms, "a"), leaf(ms, "b")], auto_prefix=False)
    return names(net), names(alone)


@case
def cell_list_of_cell_lists(ms):
    layers = ms.nn.CellList([ms.nn.CellList([leaf(ms)]), leaf(ms)])
    before = names(layers)
    layers[0].append(leaf(ms))
    del layers[1]
    layers[0].insert(0, leaf(ms))
    return before, names(layers)


@case
def cell_list_filled_after_it_is_kept(ms):
    net = bare(ms)
    net.layers = ms.nn.CellList()
    net.layers.append(leaf(ms))
    net.layers.append(leaf(ms))
    return names(net)


@case
def cell_list_that_grows_inside(ms):
    net, outer = bare(ms), bare(ms)
    net.layers = ms.nn.CellList([bare(ms), leaf(ms)])
    outer.net = net
    net.layers.append(leaf(ms))
    net.layers[0] = leaf(ms)
    del net.layers[1]
    return names(outer)


@case
def sequential(ms):
    net = bare(ms)
    net.block = ms.nn.SequentialCell([leaf(ms), leaf(ms, "mine")])
    net.block.append(leaf(ms))
    return names(net), paths(net), len(net.block)


@case
def sequential_of_arguments(ms):
    block = ms.nn.SequentialCell(leaf(ms), leaf(ms))
    block.w = parameter(ms)
    return names(block), [c is block[i] for i, c in enumerate(block)]


@case
def sequential_of_an_ordered_dict(ms):
    from collections import OrderedDict

    block = ms.nn.SequentialCell(OrderedDict([("first", leaf(ms)), ("second", leaf(ms))]))
    return names(block), block(ms.Tensor(np.ones(2, np.float32))).asnumpy().tolist()


@case
def sequential_of_a_plain_dict(ms):
    return names(ms.nn.SequentialCell({"first": leaf(ms)}))


@case
def sequential_items(ms):
    a, b, c = leaf(ms), leaf(ms), leaf(ms)
    block = ms.nn.SequentialCell(a, b, c)
    part = block[:2]
    result = [block[0] is a, block[-1] is c, kind(part), len(part), names(part)]
    block[0] = leaf(ms, "new")
    result.append(names(block))
    del block[1]
    return result, names(block), len(block), names(c)


@case
def sequential_slice_keeps_names(ms):
    net = bare(ms)
    net.block = ms.nn.SequentialCell(leaf(ms), leaf(ms), leaf(ms))
    net.tail = net.block[1:]
    return names(net), [p.name for p in net.trainable_params()]


@case
def sequential_insert(ms):
    a, b, c = leaf(ms), leaf(ms), leaf(ms)
    block = ms.nn.SequentialCell(a, b)
    block.insert(1, c)
    return [x is c for x in block], names(block)


@case
def sequential_runs(ms):
    block = ms.nn.SequentialCell([leaf(ms), leaf(ms)])
    return block(ms.Tensor(np.array([2.0, 3.0], np.float32))).asnumpy().tolist()


@case
def sequential_of_nothing(ms):
    return len(ms.nn.SequentialCell())


@case
def sequential_of_a_function(ms):
    ms.nn.SequentialCell([leaf(ms), abs])
    return "made"


@case
def sequential_of_one_list_in_lists(ms):
    return names(ms.nn.SequentialCell([ms.nn.SequentialCell([leaf(ms)]), leaf(ms)]))


@case
def cell_dict(ms):
    net = bare(ms)
    net.parts = ms.nn.CellDict({"a": leaf(ms), "b": leaf(ms, "mine")})
    net.parts["c"] = leaf(ms)
    result = [list(net.parts.keys()), "a" in net.parts, len(net.parts), kind(net.parts["b"])]
    net.parts.update({"d": leaf(ms)})
    popped = net.parts.pop("a")
    del net.parts["b"]
    result.append([k for k, _ in net.parts.items()])
    result.append(names(net))
    result.append(popped.w.name)
    net.parts.clear()
    return result, len(net.parts), [k for k in net.parts]


@case
def cell_dict_refuses(ms):
    tries = [lambda d: d["nope"], lambda d: d.__setitem__(3, leaf(ms)),
             lambda d: d.__setitem__("x", 3), lambda d: d.__setitem__("a.b", leaf(ms)),
             lambda d: d.__setitem__("keys", leaf(ms)),
             lambda d: d.__setitem__("", leaf(ms))]  # fmt: skip
    return [
        result_or_error(lambda _, t=t: kind(t(ms.nn.CellDict({"a": leaf(ms)}))), ms) for t in tries
    ]
