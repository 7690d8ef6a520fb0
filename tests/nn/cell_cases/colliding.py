"""Parameters of one name: after construction, after the first call, in tuples and optimizers."""

from tests.nn.cell_cases.registry import bare, case, leaf, names, parameter


def pair(ms, **options):
    """A cell of two Parameters called `w`."""

    class Pair(ms.nn.Cell):
        def __init__(self):
            super().__init__(**options)
            self.a, self.b = parameter(ms, name="w"), parameter(ms, name="w")

        def construct(self, x):
            return x * self.a + self.b

    return Pair()


def chain(ms, **options):
    """Two cells, each with a Parameter called `w`, one after the other."""

    class Chain(ms.nn.Cell):
        def __init__(self):
            super().__init__(**options)
            self.first, self.second = leaf(ms, "w"), leaf(ms, "w")

        def construct(self, x):
            return self.second(self.first(x))

    return Chain()


def around_a_call(ms, net):
    before = names(net)
    net(ms.Tensor([1.0]))
    return before, names(net)


@case
def two_of_one_name_are_named_by_paths_at_the_first_call(ms):
    return around_a_call(ms, pair(ms))


@case
def two_of_one_name_in_cells_without_prefix(ms):
    return around_a_call(ms, chain(ms, auto_prefix=False))


@case
def two_of_one_name_in_cells(ms):
    return around_a_call(ms, chain(ms))


@case
def two_of_one_name_deep_inside(ms):
    net = chain(ms)
    net.first = pair(ms, auto_prefix=False)
    return around_a_call(ms, net)


@case
def two_of_one_name_inserted(ms):
    net = leaf(ms, "w")
    net.insert_param_to_cell("v", parameter(ms, name="w"))
    return around_a_call(ms, net)


@case
def two_of_one_name_inserted_after_the_first_call(ms):
    net = leaf(ms, "w")
    net(ms.Tensor([1.0]))
    net.insert_param_to_cell("v", parameter(ms, name="w"))
    return around_a_call(ms, net)


@case
def two_of_one_name_by_renaming(ms):
    net = chain(ms)
    net.first.w.name = "second.w"
    return around_a_call(ms, net)


@case
def one_called_as_the_path_of_another(ms):
    net = chain(ms)
    net.w = parameter(ms, name="first.w")
    return around_a_call(ms, net)


@case
def two_of_one_name_in_sequence(ms):
    return around_a_call(ms, ms.nn.SequentialCell(leaf(ms, "w"), leaf(ms, "w")))


@case
def two_of_one_name_in_a_list_without_prefix(ms):
    return names(ms.nn.CellList([leaf(ms, "w"), leaf(ms, "w")], auto_prefix=False))


@case
def two_of_one_name_in_children_inserted(ms):
    net = bare(ms)
    net.insert_child_to_cell("p", leaf(ms, "w"))
    net.insert_child_to_cell("q", leaf(ms, "w"))
    return names(net)


@case
def one_name_free_before_the_first_call(ms):
    net = chain(ms)
    net.first.w.name = "mine"
    return around_a_call(ms, net)


@case
def two_of_one_name_in_a_plain_list(ms):
    net = bare(ms)
    net.parts = [parameter(ms, name="w"), parameter(ms, name="w")]


@case
def two_of_one_name_in_a_parameter_tuple(ms):
    return len(ms.ParameterTuple([parameter(ms, name="w"), parameter(ms, name="w")]))


@case
def one_parameter_twice_in_a_parameter_tuple(ms):
    w = parameter(ms, name="w")
    return len(ms.ParameterTuple([w, w]))


@case
def two_of_one_name_in_an_optimizer(ms):
    return ms.nn.SGD(pair(ms).trainable_params(), 0.1)


@case
def one_parameter_twice_in_an_optimizer(ms):
    w = parameter(ms, name="w")
    return ms.nn.SGD([w, w], 0.1)


@case
def two_of_one_name_in_groups(ms):
    groups = [{"params": [parameter(ms, name="w")]}, {"params": [parameter(ms, name="w")]}]
    return ms.nn.SGD(groups, 0.1)


@case
def one_parameter_in_two_groups(ms):
    w = parameter(ms, name="w")
    return ms.nn.SGD([{"params": [w]}, {"params": [w]}], 0.1)


@case
def names_in_an_optimizer_after_the_first_call(ms):
    net = pair(ms)
    net(ms.Tensor([1.0]))
    optimizer = ms.nn.Momentum(net.trainable_params(), 0.1, 0.9)
    return sorted(p.name for p in optimizer.get_parameters())


@case
def a_gradient_with_two_of_one_name(ms):
    net = pair(ms)
    by_list = len(ms.grad(net, None, net.trainable_params())(ms.Tensor([1.0])))
    return by_list, names(net)
