"""`SymbolTree`: what MindSpore 2.10 answers (`tools.record rewrite`), and what its
networks compute."""

import io
import json
from contextlib import redirect_stdout

import numpy as np
import pytest

from sporax import Parameter, Tensor, jit, nn, ops, value_and_grad
from sporax._src.mindspore.rewrite import Node, ScopedValue, SymbolTree
from tests import records
from tests.rewrite import cases
from tests.rewrite.networks import NETWORKS

pytestmark = pytest.mark.usefixtures("on_numpy")
ANSWERS = records.read("rewrite")
X = [ScopedValue.create_naming_value("x")]
INPUT = Tensor(np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("question", "name", "edit"),
    [(question, *row) for question, rows in cases.QUESTIONS for row in rows],
    ids=lambda part: getattr(part, "__name__", part),
)
def test_mindspore_answers_so(question, name, edit):
    got = json.loads(json.dumps(question(name, edit)))
    expected = ANSWERS[f"{name}: {edit}"]
    if isinstance(expected, dict) and "error" in expected:
        pytest.fail(f"recorded anew: {expected}")
    if question is cases.answers:
        np.testing.assert_allclose(got.pop("result"), expected.pop("result"), atol=2e-5)
    assert got == expected


def rewritten(network, erased=()):
    tree = SymbolTree.create(network)
    for name in erased:
        tree.erase(name)
    return tree.get_network()


@pytest.mark.parametrize("name", ["LeNet5", "Nested", "Statements"])
@pytest.mark.parametrize("wrap", [lambda f: f, jit], ids=["dynamic", "jit"])
def test_a_rewritten_network_learns_as_the_original(name, wrap):
    kind, shape = NETWORKS[name]
    x = Tensor(np.sin(np.arange(np.prod(shape))).reshape(shape).astype(np.float32))

    def losses(network):
        optimizer = nn.Momentum(network.trainable_params(), 0.05, 0.9)
        step = value_and_grad(lambda x: (network(x) ** 2).mean(), None, optimizer.parameters)

        def train(x):
            loss, gradients = step(x)
            optimizer(gradients)
            return loss

        train = wrap(train)
        return [train(x).item() for _ in range(3)]

    expected = losses(cases.fill(kind()))
    got = losses(rewritten(cases.fill(kind())))
    assert expected[0] > expected[2]
    np.testing.assert_allclose(got, expected, rtol=1e-6)


SCALE = 3.0


class Base(nn.Cell):
    def construct(self, x):
        return x * SCALE


class Special(Base):
    """Private names, `super()`, defaults, stars and a loop that ends early."""

    def __init__(self):
        super().__init__()
        self.__power = 2
        self.w = Parameter(Tensor([1.0, 2.0, 3.0, 4.0]), name="w")

    def construct(self, x, *rest, scale: float = SCALE, **more):
        y = super().construct(x) ** self.__power
        for item in rest:
            if item is None:
                continue
            y = y + item * scale
        else:
            y = y - more["less"]
        return None if y is None or y.ndim > 3 else y * self.w


def test_what_python_allows_is_kept():
    expected = (np.linspace(-1, 1, 8).reshape(2, 4) * 3) ** 2 + 4.0 - 1
    network = rewritten(Special())
    got = network(INPUT, None, 2.0, scale=2.0, less=1.0)
    np.testing.assert_allclose(got.asnumpy(), expected * [1, 2, 3, 4], rtol=1e-6)
    assert isinstance(network, Special)


def test_a_class_of_a_function_keeps_its_free_variables():
    factor, layer = 2.5, nn.ReLU()

    class Local(nn.Cell):
        def construct(self, x):
            return layer(x) * factor

    tree = SymbolTree.create(Local())
    assert [n.get_node_type().name for n in tree.nodes()] == [
        "Input", "CallCell", "MathOps", "Output",
    ]  # fmt: skip
    got = tree.get_network()(INPUT).asnumpy()
    np.testing.assert_allclose(got, np.maximum(INPUT.asnumpy(), 0) * 2.5)


def test_operands_are_evaluated_in_pythons_order():
    class Ordered(nn.Cell):
        def __init__(self):
            super().__init__()
            self.order = []

        def note(self, x, name):
            self.order.append(name)
            return x

        def construct(self, x):
            ok = x is None or self.note(x, "b").shape == (2, 4)
            return self.note(x, "c") - self.note(self.note(x, "d"), "e") + int(ok)

    network = rewritten(Ordered())
    network(INPUT)
    assert network.order == ["b", "c", "d", "e"]


def test_objects_among_arguments_are_kept_with_the_network():
    tree = SymbolTree.create(cases.fill(NETWORKS["Block"][0]()))
    bound = ScopedValue.create_variable_value(Tensor([0.5], np.float32))
    new = Node.create_call_function(ops.maximum, ["dense_var"], [*_values("dense_var"), bound])
    tree.insert(tree.after("dense"), new)
    assert str(new.get_args()) == "[dense_var, self.arg_Tensor]"
    plain = cases.fill(NETWORKS["Block"][0]())
    dense = plain.dense(INPUT).asnumpy()
    got = tree.get_network()(INPUT).asnumpy()
    np.testing.assert_allclose(got, np.maximum(dense, 0.5) ** 2, rtol=1e-6)


def _values(*names):
    return ScopedValue.create_name_values(names)


def test_branches_that_python_decides_are_flattened():
    class Branches(nn.Cell):
        LIMIT = 2

        def __init__(self):
            super().__init__()
            self.kind, self.size = "a", 3

        def construct(self, x):
            if self.kind == "a":
                x = x + 1
            if len(self.kind) > Base.__name__.count("B"):
                x = x * 7
            else:
                x = x * 2
            if self.absent is None:
                x = x * 5
            if x.shape[0] == self.size - 1:
                x = -x
            return x

    tree = SymbolTree.create(Branches())
    tree.flatten_static_if_control_flow()
    kinds = [n.get_name() for n in tree.nodes() if n.get_node_type().name == "ControlFlow"]
    assert kinds == ["if_node_2", "if_node_3"]
    network = tree.get_network()
    network.absent = 0
    np.testing.assert_array_equal(network(INPUT).asnumpy(), -(INPUT.asnumpy() + 1) * 2)


def test_assignments_of_several_targets_are_taken_apart():
    class Several(nn.Cell):
        def construct(self, x):
            (a, b) = (self.a, self.b) = x
            c = d, e = ops.split(a + b, 2, axis=1)
            return c[0] + d * self.a[:, :2] + e

    tree = SymbolTree.create(Several())
    codes = [n.get_source_code() for n in tree.nodes()]
    assert codes[1:3] == ["self.a, self.b = x", "a, b = (self.a, self.b)"]
    a, b = INPUT.asnumpy(), INPUT.asnumpy() * 2
    expected = (a + b)[:, :2] * (1 + a[:, :2]) + (a + b)[:, 2:]
    got = tree.get_network()((INPUT, INPUT * 2)).asnumpy()
    np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_a_target_is_replaced():
    tree = SymbolTree.create(cases.fill(NETWORKS["Block"][0]()))
    tree.set_node_target("dense", 0, "y")
    assert [n.get_source_code() for n in tree.nodes()][1] == "y = self.dense(x)"
    assert tree.get_node("dense").get_users() == []
    tree.get_node("binop_pow").set_arg(0, "y")
    expected = cases.fill(NETWORKS["Block"][0]())(INPUT).asnumpy()
    np.testing.assert_allclose(tree.get_network()(INPUT).asnumpy(), expected)


def test_a_sub_network_is_inserted_as_a_tree():
    kind = NETWORKS["Block"][0]
    tree = SymbolTree.create(cases.fill(kind()))
    new = Node.create_call_cell(cases.fill(kind()), ["x"], X, name="inner", is_sub_net=True)
    tree.insert(tree.before("dense"), new)
    inner = new.get_sub_tree()
    inner.erase("relu")
    inner.get_node("return").set_arg(0, "x")
    got = tree.get_network()(INPUT).asnumpy()
    first = cases.fill(kind()).dense(INPUT) ** 2
    np.testing.assert_allclose(got, cases.fill(kind())(first).asnumpy(), rtol=1e-6)


def test_source_is_printed_and_saved():
    tree = SymbolTree.create(NETWORKS["Nested"][0]())
    with redirect_stdout(io.StringIO()) as out:
        tree.print_node_tabulate(all_nodes=True)
        tree.dump()
    text = out.getvalue()
    for words in (
        "[NestedOpt]", "[NestedOpt.seq]", "[BlockOpt]", "x = self.block1(x)",
        "[[0, ('block1', 0)]]", "Symbol Tree @construct {", "%0(x) = Block(%input_x)",
        "Return(%2)",
    ):  # fmt: skip
        assert words in text
    tree.set_saved_file_name("saved")
    tree.save_network_to_file()
    with open("saved.py", encoding="utf8") as file:
        code = file.read()
    assert code == tree.get_code()
    names = {}
    exec(compile(code, "saved.py", "exec"), names)
    network = cases.fill(NETWORKS["Nested"][0]())
    expected = network(INPUT).asnumpy()
    np.testing.assert_allclose(names["NestedOpt"](network)(INPUT).asnumpy(), expected)


@pytest.mark.parametrize(
    ("edit", "kind", "words"),
    [
        (lambda tree: tree.after("absent"), RuntimeError, "must be in the tree, but got 'absent'"),
        (lambda tree: tree.get_node("dense").set_arg(0, "a b"), ValueError, "but got 'a b'"),
        (lambda tree: SymbolTree.create(type("A", (nn.Cell,), {"construct": eval("max")})()),
         OSError, "the source of 'construct' of A"),
        (lambda tree: tree.get_node("dense").set_kwarg("k", X[0]), ValueError, "must be one of"),
    ],
    ids=["absent", "syntax", "source", "keyword"],
)  # fmt: skip
def test_bad_edits_say_what_is_wrong(edit, kind, words):
    tree = SymbolTree.create(NETWORKS["Block"][0]())
    with pytest.raises(kind, match=words):
        edit(tree)


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("LeNet5", "found = PatternEngine([nn.Flatten], To(nn.Flatten)).apply(tree)"),
        ("Nested", "found = PatternEngine([nn.ReLU], To(nn.ReLU)).apply(tree)"),
        (
            "Block",
            "pattern = PatternNode.create_pattern_from_node(tree.get_node('dense')); "
            "found = PatternEngine(pattern, To(lambda: fill(nn.Dense(4, 4)))).apply(tree)",
        ),
    ],
)
def test_a_match_is_replaced_once_wherever_it_is(name, edit):
    """MindSpore goes on without end, returns False for those in containers and sub-networks, and
    finds no match of a pattern from a node."""
    kind, shape = NETWORKS[name]
    x = Tensor(np.sin(np.arange(np.prod(shape))).reshape(shape).astype(np.float32))
    tree = cases.edited(name, edit)
    assert tree.found is True
    got, expected = tree.get_network()(x), cases.fill(kind())(x)
    np.testing.assert_allclose(got.asnumpy(), expected.asnumpy(), rtol=1e-6)
