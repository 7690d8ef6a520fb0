"""Names with which MindSpore's scripts steer its compiler, and its functions over sequences.

`tests/recorded/multitype.json` comes from MindSpore, by `tools.record multitype`.
"""

import numpy as np
import pytest

import sporax
from sporax import Parameter, Tensor, grad, jit, mutable, nn, ops
from sporax._src.capture.graph_capture.compiler_marks import (
    JitConfig,
    cell_attr_register,
    constexpr,
    jit_class,
    lazy_inline,
)
from sporax._src.capture.graph_capture.executors import _cell_graph_executor, _pynative_executor
from sporax.nn.jacobian_products import Vjp
from sporax.ops.mapping import add_flags, tail
from tests import records
from tests.graph_capture.multitype_values import values

TAKEN = records.read("multitype")
VALUES = values(sporax)


# dtypes ---------------------------------------------------------------------------------------


def test_dtypes_have_the_short_names_of_mindspore():
    """Some hide a name of Python's, so `from mindspore import *` does not give them."""
    names = {
        "bool": "Bool", "int": "Int32", "long": "Int64", "short": "Int16", "half": "Float16",
        "float": "Float32", "double": "Float64", "cfloat": "Complex64", "cdouble": "Complex128",
    }  # fmt: skip
    for home in (sporax, sporax._src.core.dtype):
        assert {name: str(getattr(home, name)) for name in names} == names
    assert {*names} - {*sporax.__all__} == {"bool", "int", "float"}
    assert Tensor([1.7], sporax.int).dtype == sporax.int32
    assert Tensor([1]).astype("float").dtype == sporax.float64  # as a string it is Python's
    with pytest.raises(AttributeError, match=r"no 'mindspore\.floats'"):
        sporax.floats  # noqa: B018


# mutable ------------------------------------------------------------------------------------


@pytest.mark.executors
@pytest.mark.parametrize("values", [(1, 2, -3), (0.5, -0.0, 2.25), (True, False)], ids=str)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int32])
def test_a_mutable_number_is_an_input_and_counts_as_a_number(values, dtype):
    scaled = jit(lambda x, n: x * n + n)
    x = np.array([1, 2], dtype)
    for value in values:
        built = scaled(Tensor(x), mutable(value))
        plain = Tensor(x) * value + value
        assert built.dtype == plain.dtype
        np.testing.assert_array_equal(built.asnumpy(), plain.asnumpy())
    assert scaled.captures == 1


def test_a_mutable_number_alone_comes_back_as_a_tensor():
    back = jit(lambda n: (n, n + 1))
    for n in (1, 7):
        same, more = back(mutable(n))
        assert (int(same), int(more)) == (n, n + 1)
    assert same.dtype == sporax.int64


def test_a_number_needed_runs_dynamically_with_the_same_result():
    repeated = jit(lambda x, n: [x * i for i in range(n)])
    with pytest.warns(RuntimeWarning, match="needs a number"):
        first = repeated(Tensor([1.0]), mutable(2))
    assert [float(t) for t in first] == [0.0, 1.0]
    assert [float(t) for t in repeated(Tensor([1.0]), mutable(3))] == [0.0, 1.0, 2.0]


def test_mutable_numbers_are_numbers_outside():
    assert mutable(3) + 1 == 4
    assert isinstance(mutable(True), bool)
    assert repr(mutable([True, 2.5, (1,)])) == "[True, 2.5, (1,)]"
    x = Tensor([1.0, 2.0])
    np.testing.assert_array_equal((x * mutable(3)).asnumpy(), [3, 6])
    assert mutable(x) is x
    np.testing.assert_array_equal(jit(grad(lambda x, n: x * n))(x, mutable(3)).asnumpy(), [3, 3])


def test_what_cannot_be_mutable_is_refused():
    endless = [1]
    endless.append(endless)
    for wrong in ("a", None, endless, {1}):
        with pytest.raises(TypeError, match="'input_data'"):
            mutable(wrong)
    with pytest.raises(TypeError, match="tuple or list"):
        mutable(1, dynamic_len=True)


# marks --------------------------------------------------------------------------------------


def test_marks_give_back_what_they_mark():
    def f(x):
        return x

    class Plain:
        pass

    assert jit_class(Plain) is Plain
    assert constexpr(f) is f is constexpr(check=False)(f) is constexpr(f, get_instance=False)()
    assert lazy_inline(f) is f is lazy_inline(attrs=["a"])(f) is cell_attr_register(f)
    assert sporax.no_inline(f) is f is sporax.no_inline()(f)
    assert add_flags(f, fast=True)._func_graph_flags == {"fast": True}


@pytest.mark.parametrize(
    "call, error, says",
    [
        (lambda: jit_class(3), TypeError, "must be a class"),
        (lambda: jit_class(nn.Cell), TypeError, "must not be a Cell"),
        (lambda: lazy_inline(attrs=3), ValueError, "'attrs'"),
        (lambda: lazy_inline(policy="back"), ValueError, "'policy'"),
        (lambda: JitConfig(jit_level="O9"), ValueError, "'jit_level'"),
        (lambda: JitConfig(exc_mode="x"), ValueError, "'exc_mode'"),
        (lambda: sporax.set_context(jit_syntax_level=7), ValueError, "'jit_syntax_level'"),
    ],
)
def test_wrong_settings_are_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_executors_run_and_capture():
    y = Tensor([1.0]) + 1
    _pynative_executor.sync()
    assert y._value.array is not None
    net, x = nn.MatMul(transpose_x1=True), ops.ones((3, 2))
    assert _cell_graph_executor.compile(net, x, x) == ("MatMul", True)
    with pytest.raises(ValueError, match="For 'MatMul'"):
        _cell_graph_executor.compile(net, x, ops.ones((2, 2)))


def test_the_executor_disables_gradients():
    def f(x):
        _pynative_executor.set_enable_grad(False)
        assert not _pynative_executor.enable_grad()
        y = x * x
        inner = sporax.grad(lambda z: z * z)(x)
        _pynative_executor.set_enable_grad(True)
        return x * y * inner

    assert sporax.grad(f)(Tensor([3.0])).asnumpy().tolist() == [54]
    assert _pynative_executor.enable_grad()


# functions over sequences -------------------------------------------------------------------


@pytest.mark.parametrize("name", TAKEN)
def test_a_function_is_called_for_the_types_it_was_registered_for(name):
    graph = ops.MultitypeFuncGraph("graph")
    graph.register(name)(lambda x: True)
    graph.register("Tensor", "Tensor")(lambda x, y: None)
    for key, value in VALUES.items():
        if key in TAKEN[name]:
            assert graph(value)
        else:
            with pytest.raises(ValueError, match="For 'graph', the arguments must fit"):
                graph(value)


def test_multitype_functions_refuse_what_is_no_type():
    graph = ops.MultitypeFuncGraph("graph")
    for wrong in (3, "Nonsense"):
        with pytest.raises(ValueError, match="type"):
            graph.register(wrong)
    graph.register("Tensor")(lambda x: x)
    assert graph("anything") == "anything"


@pytest.mark.executors
def test_maps_go_through_sequences():
    twice = ops.MultitypeFuncGraph("twice")
    twice.register("Tensor")(lambda x: x * 2)
    twice.register("Number")(lambda x: -x)
    nested = ops.HyperMap(twice)([Tensor([1.0]), (3, [Tensor([2.0])])])
    assert isinstance(nested, tuple)
    assert (float(nested[0]), nested[1][0], float(nested[1][1][0])) == (2.0, -3, 4.0)
    assert ops.Map()(lambda x, y: x - y, [5, 6], (1, 2)) == (4, 4)
    assert ops.hyper_add((1, (2,)), (3, (4,))) == (4, (6,))
    assert tail([1, 2, 3]) == [2, 3]
    for kind in (ops.Map, ops.HyperMap):
        with pytest.raises(ValueError, match="one length"):
            kind()(lambda x, y: x, (1, 2), (1,))
        with pytest.raises(TypeError, match="'ops'"):
            kind(3)


def test_a_map_with_partial_updates_parameters_under_jit():
    targets = sporax.ParameterTuple([Parameter(Tensor([i * 1.0]), name=f"t{i}") for i in (1, 2)])
    inputs = (Tensor([3.0]), Tensor([6.0]))
    move = jit(
        lambda rate: ops.HyperMap()(
            ops.partial(lambda r, p, x: ops.assign(p, p * (1 - r) + x * r), rate), targets, inputs
        )
    )
    move(Tensor(0.5))
    move(Tensor(0.5))
    assert [float(p) for p in targets] == [2.5, 5.0]


# loops, rows, primitives --------------------------------------------------------------------


def test_loops_give_what_python_gives_and_can_be_differentiated():
    x = Tensor([1.5])
    power = ops.ForiLoop()(0, Tensor(3), lambda i, y: y * x, Tensor([1.0]))
    assert float(power) == 1.5**3
    slope = grad(lambda x: ops.ForiLoop()(0, 3, lambda i, y: y * x, Tensor([1.0])))(x)
    np.testing.assert_allclose(slope.asnumpy(), 3 * 1.5**2)
    assert float(ops.WhileLoop()(lambda y: y < 100, lambda y: y * 2, Tensor([1.0]))) == 128
    total, seen = ops.Scan()(lambda c, v: (c + 1, v), 0, None, length=3)
    assert (total, seen) == (3, [None] * 3)
    for wrong in (
        lambda: ops.WhileLoop()(1, len, 0),
        lambda: ops.ForiLoop()(0.5, 2, len, 0),
        lambda: ops.Scan()(len, 0, 3),
        lambda: ops.Scan()(len, 0, None),
    ):
        with pytest.raises(TypeError, match="must be"):
            wrong()


def test_rows_are_updated_as_numpy_does():
    x, v = np.arange(6.0).reshape(3, 2), np.array([[1.0, 2.0], [3.0, 4.0]])
    for at in [(0, 2), (1, 1)]:
        expected = x.copy()
        np.add.at(expected, list(at), v)
        for built in (ops.inplace_add(Tensor(x), Tensor(v), at),
                     ops.InplaceSub(at)(Tensor(x), Tensor(-v)),
                     ops.inplace_add(Tensor(x), Tensor(v), Tensor(list(at)))):  # fmt: skip
            np.testing.assert_array_equal(built.asnumpy(), expected)
    expected = x.copy()
    expected[[2, 0]] = v
    np.testing.assert_array_equal(
        ops.InplaceUpdate((2, 0))(Tensor(x), Tensor(v)).asnumpy(), expected
    )


def test_a_primitive_is_made_once_for_its_arguments():
    make = ops._get_cache_prim(ops.ReduceSum)
    assert make(True) is make(True)
    assert make(True) is not make(False)
    assert make(keep_dims=True)(ops.ones((2, 3)), 0).shape == (1, 3)


def test_vjp_as_a_cell():
    out, pulled = Vjp(lambda x: x * x)(Tensor([3.0]), Tensor([2.0]))
    assert (float(out), float(pulled)) == (9.0, 12.0)
    out, (a, b) = Vjp(lambda x, y: x * y)(Tensor([3.0]), Tensor([4.0]), Tensor([1.0]))
    assert (float(out), float(a), float(b)) == (12.0, 4.0, 3.0)


def test_print_shows_each_argument(capsys):
    ops.Print()("x:", Tensor([1, 2]), 3)
    assert capsys.readouterr().out == "x:\nTensor(shape=[2], dtype=Int64, value= [1, 2])\n3\n"


# complex numbers: a + bi has the gradient df/da + i df/db ---------------------------------------


@pytest.mark.parametrize(
    "f",
    [
        ops.real,
        ops.imag,
        ops.angle,
        ops.ComplexAbs(),
        lambda z: ops.real(z * z * z),
        lambda z: (ops.view_as_real(z * z) * Tensor([1.0, 2.0])).sum(-1),
        lambda z: ops.imag(ops.exp(z)) * ops.real(z),
    ],
)
def test_complex_gradients_match_finite_differences(f):
    z, step = np.array([1 + 2j, -0.5 - 1.5j]), 1e-6

    def value(z):
        return f(Tensor(z)).asnumpy()

    slopes = [(value(z + d) - value(z - d)) / (2 * step) for d in (step, 1j * step)]
    result = grad(lambda z: f(z))(Tensor(z)).asnumpy()
    np.testing.assert_allclose(result, slopes[0] + 1j * slopes[1], rtol=1e-7)
