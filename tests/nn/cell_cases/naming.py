"""Names of the parameters of nested Cells."""

from tests.nn.cell_cases.registry import bare, case, kind, leaf, names, parameter, paths


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
    built = [p.name for p in ms.ParameterTuple([parameter(ms), parameter(ms)])]
    net = bare(ms)
    net.ps = ms.ParameterTuple([parameter(ms), parameter(ms)])
    return [name.rstrip("0123456789") for name in built], names(net)


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
