"""What Cells do, as small questions: asked of MindSpore once (`tools/record_cells.py`), and of
sporax in `tests/test_cells.py`. Each takes the namespace `ms` and returns plain data.
"""

import copy
import pickle

import numpy as np

CASES = {}
ERRORS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


def case(question):
    CASES[question.__name__] = question
    return question


def answer(question, ms):
    """What the question gives, or the kind of error it ends in."""
    try:
        return question(ms)
    except ERRORS as error:
        return f"raises {type(error).__name__}"


def parameter(ms, *name, **options):
    return ms.Parameter(ms.Tensor(np.ones((2,), np.float32)), *name, **options)


def leaf(ms, name=None, **options):
    """A cell with one Parameter `w`."""

    class Leaf(ms.nn.Cell):
        def __init__(self):
            super().__init__(**options)
            self.w = parameter(ms, *(() if name is None else (name,)))

        def construct(self, x):
            return x * self.w

    return Leaf()


def bare(ms, **options):
    return ms.nn.Cell(**options)


def names(cell):
    return [[path, p.name] for path, p in cell.parameters_and_names()]


def paths(cell):
    return [[path, type(c).__name__] for path, c in cell.cells_and_names()]


def kind(value):
    return type(value).__name__


# names of parameters --------------------------------------------------------------------------


@case
def name_by_attribute(ms):
    return names(leaf(ms))


@case
def name_of_its_own(ms):
    return names(leaf(ms, "mine"))


@case
def name_with_a_dot(ms):
    net = bare(ms)
    net.w = parameter(ms, name="a.b")
    return names(net)


@case
def nested_names(ms):
    net = bare(ms)
    net.inner = leaf(ms, "mine")
    net.plain = leaf(ms)
    return names(net)


@case
def twice_nested_names(ms):
    outer, middle = bare(ms), bare(ms)
    middle.inner = leaf(ms, "mine")
    outer.middle = middle
    return names(outer)


@case
def parts_added_after_nesting(ms):
    outer, inner = bare(ms), bare(ms)
    outer.inner = inner
    inner.w = parameter(ms)
    inner.v = parameter(ms, name="v_own")
    inner.leaf = leaf(ms)
    return names(outer), inner.param_prefix, inner.leaf.param_prefix


@case
def no_auto_prefix(ms):
    net = bare(ms, auto_prefix=False)
    net.inner = leaf(ms, "mine")
    net.w = parameter(ms)
    return names(net)


@case
def no_auto_prefix_inside(ms):
    outer, net = bare(ms), bare(ms, auto_prefix=False)
    net.inner = leaf(ms)
    outer.net = net
    return names(outer)


@case
def one_cell_under_two_names(ms):
    net, inner = bare(ms), leaf(ms)
    net.a = inner
    net.b = inner
    return names(net), paths(net), sorted(net.name_cells()), len(list(net.cells()))


@case
def one_parameter_under_two_names(ms):
    net, w = bare(ms), parameter(ms)
    net.a = w
    net.b = w
    return names(net), len(net.trainable_params())


@case
def a_parameter_shared_by_two_cells(ms):
    net, a, b = bare(ms), leaf(ms), leaf(ms)
    b.w = a.w
    net.a, net.b = a, b
    return names(net), net.a.w is net.b.w


@case
def two_parameters_of_one_name(ms):
    net = bare(ms)
    net.a = parameter(ms, name="same")
    net.b = parameter(ms, name="same")
    return names(net), sorted(net.parameters_dict())


@case
def check_names_refuses_one_name_twice(ms):
    net = bare(ms)
    net.a = parameter(ms, name="same")
    net.b = parameter(ms, name="same")
    net.check_names()
    return "passes"


@case
def check_names_passes(ms):
    net = bare(ms)
    net.a, net.b = leaf(ms), leaf(ms)
    net.check_names()
    return "passes"


@case
def update_parameters_name(ms):
    net = bare(ms)
    net.inner = leaf(ms, "mine")
    net.w = parameter(ms, name="own")
    net.update_parameters_name("net.")
    first = names(net)
    net.update_parameters_name("x", recurse=False)
    return first, names(net)


@case
def parameters_and_names_with_a_prefix(ms):
    net = bare(ms)
    net.inner = leaf(ms)
    net.w = parameter(ms)
    with_prefix = [n for n, _ in net.parameters_and_names("top")]
    flat = [n for n, _ in net.parameters_and_names("top", expand=False)]
    return with_prefix, flat, [n for n, _ in net.cells_and_names(name_prefix="top")]


@case
def renaming_a_parameter(ms):
    net = bare(ms)
    net.inner = leaf(ms)
    net.inner.w.name = "other"
    return names(net), sorted(net.parameters_dict())


@case
def update_cell_prefix(ms):
    outer, middle = bare(ms), bare(ms)
    middle.inner = leaf(ms)
    outer.middle = middle
    before = outer.param_prefix, middle.param_prefix, middle.inner.param_prefix
    outer.update_cell_prefix()
    return before, [outer.param_prefix, middle.param_prefix, middle.inner.param_prefix]


# lists of parameters --------------------------------------------------------------------------


@case
def parameter_tuple_attribute(ms):
    net = bare(ms)
    net.ps = ms.ParameterTuple([parameter(ms, name="a"), parameter(ms, name="b")])
    return names(net), kind(net.ps), len(net.ps), hasattr(net, "a")


@case
def parameter_tuple_of_own_parameters(ms):
    net = leaf(ms)
    net.ps = ms.ParameterTuple(net.trainable_params())
    return names(net), kind(net.ps)


@case
def parameter_tuple_of_a_sub_cell(ms):
    net = bare(ms)
    net.inner = leaf(ms)
    net.ps = ms.ParameterTuple(net.inner.trainable_params())
    return names(net), [p.name for p in net.ps]


@case
def parameter_tuple_with_one_name_twice(ms):
    return len(ms.ParameterTuple([parameter(ms, name="a"), parameter(ms, name="a")]))


@case
def parameter_tuple_without_names(ms):
    made = [p.name for p in ms.ParameterTuple([parameter(ms), parameter(ms)])]
    net = bare(ms)
    net.ps = ms.ParameterTuple([parameter(ms), parameter(ms)])
    return [name.rstrip("0123456789") for name in made], names(net)


@case
def parameters_in_a_list(ms):
    net = bare(ms)
    net.ps = [parameter(ms, name="a"), parameter(ms, name="b")]
    return names(net), kind(net.ps)


@case
def parameters_in_a_list_with_one_name(ms):
    net = bare(ms)
    net.ps = [parameter(ms, name="a"), parameter(ms, name="a")]
    return names(net)


@case
def two_parameter_tuples_without_names(ms):
    net = bare(ms)
    net.ps = ms.ParameterTuple([parameter(ms)])
    net.qs = ms.ParameterTuple([parameter(ms), parameter(ms, name="own")])
    return names(net)


@case
def cells_in_a_list(ms):
    net = bare(ms)
    net.layers = [leaf(ms), leaf(ms)]
    net.pair = (leaf(ms), leaf(ms))
    return names(net), kind(net.layers), kind(net.pair), sorted(net.name_cells())


@case
def cells_in_a_dict(ms):
    net = bare(ms)
    net.layers = {"a": leaf(ms)}
    return names(net), sorted(net.name_cells())


# containers -----------------------------------------------------------------------------------


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
    found = [layers[0] is a, layers[-1] is c, kind(part), len(part), part[0] is b]
    layers[1] = leaf(ms, "new")
    found.append(names(layers))
    del layers[0]
    return found, names(layers), len(layers), c in layers, [x is c for x in layers]


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
    found = [block[0] is a, block[-1] is c, kind(part), len(part), names(part)]
    block[0] = leaf(ms, "new")
    found.append(names(block))
    del block[1]
    return found, names(block), len(block), names(c)


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
    found = [list(net.parts.keys()), "a" in net.parts, len(net.parts), kind(net.parts["b"])]
    net.parts.update({"d": leaf(ms)})
    popped = net.parts.pop("a")
    del net.parts["b"]
    found.append([k for k, _ in net.parts.items()])
    found.append(names(net))
    found.append(popped.w.name)
    net.parts.clear()
    return found, len(net.parts), [k for k in net.parts]


@case
def cell_dict_refuses(ms):
    tries = [lambda d: d["nope"], lambda d: d.__setitem__(3, leaf(ms)),
             lambda d: d.__setitem__("x", 3), lambda d: d.__setitem__("a.b", leaf(ms)),
             lambda d: d.__setitem__("keys", leaf(ms)),
             lambda d: d.__setitem__("", leaf(ms))]  # fmt: skip
    return [answer(lambda _, t=t: kind(t(ms.nn.CellDict({"a": leaf(ms)}))), ms) for t in tries]


# attributes -----------------------------------------------------------------------------------


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
    answers = [answer(lambda ms, r=r: _insert_param(ms, *r), ms) for r in rows]
    dotted = answer(lambda ms: _insert_param(ms, "a.b", p(), check_name_contain_dot=False), ms)
    return answers, dotted


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
    return [answer(lambda ms, r=r: _insert_child(ms, *r), ms) for r in rows]


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


# parameters and cells -------------------------------------------------------------------------


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


# mode -----------------------------------------------------------------------------------------


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
    return [answer(lambda _, v=v: net.set_train(v).training, ms) for v in (1, 0, None, "yes")]


@case
def a_phase_of_ones_own(ms):
    net = bare(ms)
    net.phase = "mine"
    return net.phase, answer(lambda _: setattr(net, "phase", 3), ms)


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


# printing -------------------------------------------------------------------------------------


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


# copies ---------------------------------------------------------------------------------------


@case
def deep_copy(ms):
    net = bare(ms)
    net.part = leaf(ms)
    net.set_train()
    twin = copy.deepcopy(net)
    twin.part.w.set_data(ms.Tensor(np.zeros(2, np.float32)))
    return (
        names(twin), twin.part.w is net.part.w, net.part.w.asnumpy().tolist(), twin.part.training,
        twin.part(ms.Tensor(np.ones(2, np.float32))).asnumpy().tolist(),
    )  # fmt: skip


@case
def deep_copy_keeps_sharing(ms):
    net, w = bare(ms), parameter(ms)
    net.a, net.b = w, w
    net.ps = ms.ParameterTuple([w])
    twin = copy.deepcopy(net)
    return twin.a is twin.b, twin.ps[0] is twin.a, names(twin)


@case
def pickled(ms):
    twin = pickle.loads(pickle.dumps(ms.nn.SequentialCell([bare(ms), bare(ms)])))
    return paths(twin)


# calling --------------------------------------------------------------------------------------


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
    return [answer(lambda _, c=c: c().asnumpy().tolist(), ms) for c in calls]


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


# training steps -------------------------------------------------------------------------------


def loss_net(ms):
    """The sum of (x w)^2 for the label 0; w is ones."""

    class Loss(ms.nn.Cell):
        def construct(self, y, label):
            return ((y - label) * (y - label)).sum()

    net = leaf(ms)
    return net, ms.nn.WithLossCell(net, Loss())


def batch(ms):
    return ms.Tensor(np.array([2.0, 1.0], np.float32)), ms.Tensor(np.zeros(2, np.float32))


def told(found):
    if isinstance(found, (tuple, list)):
        return [told(item) for item in found]
    if isinstance(found, dict):
        return {k: told(v) for k, v in found.items()}
    return np.round(found.asnumpy().astype(np.float64), 5).tolist()


def one_step(ms, *sens, **options):
    net, with_loss = loss_net(ms)
    step = ms.nn.TrainOneStepCell(
        with_loss, ms.nn.SGD(net.trainable_params(), 0.125), *sens, **options
    )
    return told(step(*batch(ms))), told(net.w), kind(step.weights), step.training


@case
def training_step(ms):
    return one_step(ms)


@case
def training_step_scaled(ms):
    return [one_step(ms, s) for s in (2.0, 2)]


@case
def training_step_scaled_by_a_tensor(ms):
    return one_step(ms, ms.Tensor(np.float32(3.0))), one_step(
        ms, ms.Tensor([3.0], ms.dtype.float32)
    )


@case
def training_step_with_gradients(ms):
    return one_step(ms, return_grad=True), one_step(ms, 2.0, return_grad=True)


@case
def training_step_parts(ms):
    net, with_loss = loss_net(ms)
    step = ms.nn.TrainOneStepCell(with_loss, ms.nn.SGD(net.trainable_params(), 0.125))
    return (
        repr(with_loss), sorted(step.name_cells()), step.sens, step.reducer_flag, step.return_grad,
        [p.name for p in with_loss.trainable_params()], [p.name for p in step.weights],
        with_loss.backbone_network is net, with_loss.requires_grad,
    )  # fmt: skip


@case
def training_step_with_gradients_by_a_number(ms):
    return one_step(ms, return_grad=1)


@case
def evaluation(ms):
    net, with_loss = loss_net(ms)
    cell = ms.nn.WithEvalCell(net, with_loss._loss_fn)
    return repr(cell), told(cell(*batch(ms)))


@case
def gradients_as_a_cell(ms):
    net, with_loss = loss_net(ms)
    loss, (x, y) = with_loss._loss_fn, batch(ms)
    return (
        told(ms.nn.WithGradCell(net, loss)(x, y)),
        told(ms.nn.WithGradCell(net, loss, sens=ms.Tensor(np.float32(2.0)))(x, y)),
        told(ms.nn.WithGradCell(net)(x)), repr(ms.nn.WithGradCell(net)),
    )  # fmt: skip


@case
def values_and_gradients_as_a_cell(ms):
    _, net = loss_net(ms)
    (x, y), make, ws = batch(ms), ms.nn.ForwardValueAndGrad, net.trainable_params()
    two = ms.Tensor(np.float32(2.0))
    return (
        told(make(net)(x, y)), told(make(net, get_all=True)(x, y)),
        told(make(net, ws, get_by_list=True)(x, y)),
        told(make(net, ws, get_all=True, get_by_list=True)(x, y)),
        told(make(net, ws, get_all=True, get_by_list=True, sens_param=True)(x, y, two)),
        answer(lambda _: told(make(net, get_by_list=True)(x, y)), ms),
        answer(lambda _: told(make(net, ws[0], get_by_list=True)(x, y)), ms),
        answer(lambda _: told(make(net, get_all=1)(x, y)), ms),
    )  # fmt: skip
