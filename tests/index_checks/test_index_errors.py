"""Indices out of range: each operation that indexes raises, at the next read at the latest."""

import subprocess
import sys

import numpy as np
import pytest

from sporax import Tensor, detect_anomaly, grad, jit, mint, nn, ops, set_context, vmap
from sporax import dtype as dtypes
from sporax import numpy as mnp
from sporax._src.core.parameter import Parameter
from sporax._src.core.value import deferred
from sporax._src.runtime.engine import recorder
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.runtime.index_checks import checks
from sporax._src.runtime.index_checks.deferred import MOST, OutOfRange, raise_deferred
from tests import interpretation

pytestmark = pytest.mark.executors

N = 3


def vector():
    return Tensor([1.0, 2.0, 3.0])


def matrix():
    return Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def parameter(of=vector):
    return Parameter(of(), name="p")


def scores():
    return Tensor([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0]])


def row(i):
    return i.reshape((1, 1))


def get(i):
    return vector()[i]


def put(i):
    x = vector() * 1
    x[i] = 9.0
    return x


def put_slice(i):
    x = matrix() * 1
    x[i.reshape(()), 1:] = 9.0
    return x


def labels(i):
    return ops.cat([Tensor([0], dtypes.int32), i])


def of_labels(loss):
    return lambda i: loss(scores(), labels(i))


ONE = Tensor([9.0])
LOSSES = {
    "nll_loss": of_labels(ops.nll_loss),
    "nll_loss of pixels": lambda i: ops.nll_loss(
        ops.ones((1, 3, 1, 1)), i.reshape((1, 1, 1)), reduction="sum"
    ),
    "NLLLoss": lambda i: ops.NLLLoss()(scores(), labels(i), vector())[0],
    "cross_entropy": of_labels(ops.cross_entropy),
    "cross_entropy smoothed": of_labels(
        lambda x, y: ops.cross_entropy(x, y, vector(), label_smoothing=0.1)
    ),
    "CrossEntropyLoss": of_labels(nn.CrossEntropyLoss()),
    "mint cross_entropy": of_labels(mint.nn.functional.cross_entropy),
    "sparse softmax": of_labels(nn.SoftmaxCrossEntropyWithLogits(sparse=True)),
    "SparseSoftmaxCrossEntropyWithLogits": of_labels(ops.SparseSoftmaxCrossEntropyWithLogits()),
    "ctc_loss": lambda i: ops.ctc_loss(
        ops.log_softmax(ops.ones((4, 1, 3))), row(i), Tensor([4]), Tensor([1]), blank=1
    )[0],
}
# [-n, n): what counts from the end in NumPy does here
WRAPPING = {
    "gather": lambda i: ops.gather(matrix(), i, 0),
    "gather axis 1": lambda i: ops.gather(matrix().T, i, 1),
    "gather batch_dims": lambda i: ops.gather(Tensor([[1.0, 2.0, 3.0]]), row(i), 1, 1),
    "gather_d": lambda i: ops.gather_d(vector(), 0, i),
    "gather_elements": lambda i: ops.gather_elements(matrix().T, 1, row(i)),
    "gather_nd": lambda i: ops.gather_nd(matrix(), ops.cat([i, i * 0]).reshape((1, 2))),
    "index_select": lambda i: ops.index_select(matrix(), 0, i),
    "mint.gather": lambda i: mint.gather(vector(), 0, i),
    "mint.index_select": lambda i: mint.index_select(matrix(), 0, i),
    "ops.take": lambda i: ops.take(matrix()[:, 0], i),
    "Tensor.gather": lambda i: matrix().gather(i, 0),
    "take_along_axis": lambda i: mnp.take_along_axis(vector(), i, 0),
    "x[i]": get,
    "x[scalar]": lambda i: vector()[i.reshape(())] + 0,
    "x[:, i]": lambda i: matrix().T[:, i],
    "x[i, i]": lambda i: Tensor(np.eye(3, dtype=np.float32))[i, i * 0],
    "x[i] = y": put,
    "x[scalar, 1:] = y": put_slice,
    "tensor_scatter_update": lambda i: ops.tensor_scatter_update(vector(), row(i), ONE),
    "tensor_scatter_add": lambda i: ops.tensor_scatter_add(vector(), row(i), ONE),
    "tensor_scatter_sub": lambda i: ops.tensor_scatter_sub(vector(), row(i), ONE),
    "tensor_scatter_mul": lambda i: ops.tensor_scatter_mul(vector(), row(i), ONE),
    "tensor_scatter_div": lambda i: ops.tensor_scatter_div(vector(), row(i), ONE),
    "tensor_scatter_max": lambda i: ops.tensor_scatter_max(vector(), row(i), ONE),
    "tensor_scatter_min": lambda i: ops.tensor_scatter_min(vector(), row(i), ONE),
    "tensor_scatter_elements": lambda i: ops.tensor_scatter_elements(vector(), i, ONE),
    "scatter": lambda i: ops.scatter(vector(), 0, i, ONE),
    "mint.scatter_add": lambda i: mint.scatter_add(vector(), 0, i, ONE),
    "scatter_nd": lambda i: ops.scatter_nd(row(i), ONE, (3,)),
    "scatter_nd_update": lambda i: ops.scatter_nd_update(parameter(), row(i), ONE),
    "scatter_nd_add": lambda i: ops.scatter_nd_add(parameter(), row(i), ONE),
    "scatter_add": lambda i: ops.scatter_add(parameter(), i, ONE),
    "scatter_update": lambda i: ops.scatter_update(parameter(), i, ONE),
    "index_add": lambda i: ops.index_add(parameter(), i, ONE, 0),
    "index_fill": lambda i: ops.index_fill(vector(), 0, i, 9.0),
    "InplaceUpdate": lambda i: ops.inplace_update(vector(), ONE, i),
    "embedding": lambda i: ops.embedding(i, matrix()),
    "embedding max_norm": lambda i: ops.embedding(i, parameter(matrix), max_norm=1.0),
    "Embedding": lambda i: nn.Embedding(3, 2)(i),
    "sparse_matmul": lambda i: ops.SparseTensorDenseMatmul()(
        ops.cat([i, i * 0]).reshape((1, 2)), ONE, (3, 2), Tensor([[1.0], [2.0]])
    ),
    "crop_and_resize": lambda i: ops.crop_and_resize(
        ops.ones((3, 2, 2, 1)), Tensor([[0.0, 0.0, 1.0, 1.0]]), i, (2, 2)
    ),
}  # fmt: skip
# [0, n) alone
STRICT = {
    **LOSSES,
    "max_unpool1d": lambda i: ops.max_unpool1d(
        ops.ones((1, 1, 1)), i.reshape((1, 1, 1)), 3
    ),
    "reverse_sequence": lambda i: ops.reverse_sequence(Tensor([[1.0, 2.0]]), i, 1),
}  # fmt: skip
# below 0 means: none
DROPPING = {
    f"unsorted_segment_{name}": lambda i, name=name: getattr(ops, f"unsorted_segment_{name}")(
        Tensor([1.0]), i, 3
    )
    for name in ("sum", "prod", "max", "min")
}
ROWS = (
    [(name, f, i) for name, f in WRAPPING.items() for i in (-N - 1, N)]
    + [(name, f, i) for name, f in STRICT.items() for i in (-1, N)]
    + [(name, f, N) for name, f in DROPPING.items()]
)
IDS = [f"{name} {i}" for name, _, i in ROWS]


@pytest.fixture(autouse=True)
def nothing_is_left():
    """No test leaves an error unread."""
    yield
    recorder.run_pending()
    raise_deferred()


def index(i):
    return Tensor([i], dtypes.int32)


@pytest.mark.parametrize(("name", "f", "i"), ROWS, ids=IDS)
def test_every_operation_that_indexes_raises(name, f, i):
    with pytest.raises(OutOfRange, match=rf"got {i}, at .*test_index_errors.py:\d+: ") as caught:
        f(index(i)).asnumpy()
    says = str(caught.value)
    low = -N if name in WRAPPING else 0
    assert says.startswith("For '")
    assert f"must be in [{low}, {N})" in says
    assert np.isfinite((vector() + 1).asnumpy()).all()  # and the next read works


@pytest.mark.parametrize(("name", "f", "i"), ROWS, ids=IDS)
def test_captured_ones_raise_at_the_next_read(name, f, i):
    if name.startswith(("scatter_nd_", "scatter_a", "scatter_u", "index_add", "Embedding")) or (
        name.endswith("max_norm")
    ):
        kept = {"embedding max_norm": matrix, "Embedding": None}.get(name, vector)
        f = captured_with(name, kept)
    g = jit(f)
    g(index(0)).asnumpy()
    assert not np.isnan(g(index(0)).asnumpy()).any()
    with pytest.raises(OutOfRange, match=f"got {i}, at .*test_index_errors.py"):
        g(index(i)).asnumpy()
    assert not np.isnan(g(index(0)).asnumpy()).any() or "max_norm" in name


def captured_with(name, kept):
    """The operation on a Parameter, or a layer, that is made beforehand."""
    if kept is None:
        return nn.Embedding(3, 2)
    p = parameter(kept)
    if name == "embedding max_norm":
        return lambda i: ops.embedding(i, p, max_norm=1.0)
    if name == "index_add":
        return lambda i: ops.index_add(p, i, ONE, 0)
    rows = "_nd_" in name
    return lambda i: getattr(ops, name)(p, row(i) if rows else i, ONE)


NUMPYS = {
    "gather": lambda i: matrix().asnumpy()[[i]],
    "gather_nd": lambda i: matrix().asnumpy()[[i], [0]],
    "x[i]": lambda i: vector().asnumpy()[[i]],
    "embedding": lambda i: matrix().asnumpy()[[i]],
    "gather_d": lambda i: vector().asnumpy()[[i]],
    "index_select": lambda i: matrix().asnumpy()[[i]],
    "tensor_scatter_update": lambda i: written(i, 9.0),
    "tensor_scatter_add": lambda i: written(i, vector().asnumpy()[i] + 9.0),
    "scatter_nd": lambda i: written(i, 9.0) * (np.arange(3) == i % 3),
    "scatter_update": lambda i: written(i, 9.0),
    "index_add": lambda i: written(i, vector().asnumpy()[i] + 9.0),
    "index_fill": lambda i: written(i, 9.0),
    "InplaceUpdate": lambda i: written(i, 9.0),
    "x[i] = y": lambda i: written(i, 9.0),
}


def written(i, value):
    x = vector().asnumpy()
    x[i] = value
    return x


@pytest.mark.parametrize("i", range(-N, N))
@pytest.mark.parametrize("name", NUMPYS)
def test_negative_indices_count_from_the_end(name, i):
    np.testing.assert_allclose(WRAPPING[name](index(i)).asnumpy(), NUMPYS[name](i))


@pytest.mark.parametrize("name", WRAPPING)
def test_all_indices_in_range_pass(name):
    for i in (-N, -1, 0, N - 1):
        assert np.isfinite(WRAPPING[name](index(i)).asnumpy()).all(), i


@pytest.mark.parametrize("name", DROPPING)
def test_negative_segments_are_left_out(name):
    DROPPING[name](index(-1)).asnumpy()


def test_the_ignored_class_is_right():
    y = Tensor([0, -1], dtypes.int32)
    expected = -np.log(np.exp(0.0) / np.exp([0.0, 1.0, 2.0]).sum())
    for i in (-1, 7):
        y = Tensor([0, i], dtypes.int32)
        result = ops.cross_entropy(scores(), y, ignore_index=i)
        assert float(result) == pytest.approx(expected, rel=1e-6)


def test_ctc_labels_beyond_their_number_are_padding():
    x, y = ops.log_softmax(ops.ones((4, 1, 3))), Tensor([[1, -1]])
    assert np.isfinite(ops.ctc_loss(x, y, Tensor([4]), Tensor([1]))[0].asnumpy())
    with pytest.raises(OutOfRange, match="number of labels, but got 3"):
        ops.ctc_loss(x, y * 0 + 1, Tensor([4]), Tensor([3]))[0].asnumpy()


# where -------------------------------------------------------------------------------------------


class Words(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(N, 2)

    def construct(self, ids):
        return self.embedding(ids).sum()


class Text(nn.Cell):
    def __init__(self):
        super().__init__()
        self.words = Words()

    def construct(self, ids):
        return self.words(ids) * 2


@pytest.mark.parametrize("how", [lambda f: f, jit])
def test_the_message_names_operation_cell_and_line(how):
    net = Text()
    f = how(net)
    float(f(index(1)))
    for _ in range(2):
        with pytest.raises(OutOfRange) as caught:
            float(f(index(5)))
        says = str(caught.value)
        assert says.startswith(
            "For 'Embedding', 'input' must be in [-3, 3) along axis 0, but got 5"
        )
        assert "return self.embedding(ids).sum()" in says
        assert "in cell Text.words.embedding" in says


def test_it_is_what_numpy_and_mindspore_raise():
    assert issubclass(OutOfRange, (IndexError,))
    assert issubclass(OutOfRange, (RuntimeError,))
    assert issubclass(OutOfRange, (ValueError,))


@pytest.mark.parametrize("i", [[0, 5], (5,), np.array([5]), 5, np.int64(5)])
def test_host_data_raises_at_once(i):
    with pytest.raises(OutOfRange, match="got 5"):
        ops.gather(matrix(), i, 0)


def test_several_checks_of_one_trace_name_the_wrong_one():
    a = ops.gather(matrix(), index(0), 0)
    b = ops.index_select(matrix(), 1, index(1))
    if recorder.Recorder.immediate:
        with pytest.raises(OutOfRange, match=r"'GatherNd'.* axis 1, but got -4"):
            ops.gather_nd(matrix(), Tensor([[0, -4]]))
        return
    c = ops.gather_nd(matrix(), Tensor([[0, -4]]))
    with pytest.raises(OutOfRange, match=r"'GatherNd'.* axis 1, but got -4"):
        (a.sum() + b.sum() + c.sum()).asnumpy()


def test_reading_anything_raises():
    if recorder.Recorder.immediate:
        return
    x, y = vector(), ops.gather(matrix(), index(5), 0)
    z = x + 1
    with pytest.raises(OutOfRange):
        z.asnumpy()
    assert z.asnumpy().tolist() == [2.0, 3.0, 4.0]
    del y


def test_what_is_not_read_is_checked_too():
    if recorder.Recorder.immediate:
        return
    for _ in range(3 * MOST):
        ops.gather(matrix(), index(0), 0)
        recorder.run_pending()
    assert len(deferred) <= MOST + 1
    ops.gather(matrix(), index(5), 0)
    for _ in range(2 * MOST):
        ops.gather(matrix(), index(0), 0)
        recorder.run_pending()
    with pytest.raises(OutOfRange, match="got 5"):
        vector().asnumpy()


def test_the_setting_switches_it_off():
    try:
        set_context(check_indices=False)
        assert np.isnan(ops.gather(matrix(), index(5), 0).asnumpy()).all()
        assert np.isnan(jit(lambda i: ops.gather_nd(vector(), row(i)))(index(5)).asnumpy()).all()
        assert put(index(5)).asnumpy().tolist() == [1.0, 2.0, 3.0]
    finally:
        set_context(check_indices=True)
    with pytest.raises(OutOfRange):
        ops.gather(matrix(), index(5), 0).asnumpy()


SCRIPT = "import sporax as ms; print(ms.ops.gather(ms.Tensor([1.0]), ms.Tensor([4]), 0))"


@pytest.mark.parametrize(("value", "says"), [("0", "[nan]"), ("2", "SPORAX_CHECK_INDICES")])
def test_the_environment_switches_it_off(value, says, monkeypatch):
    monkeypatch.setenv("SPORAX_CHECK_INDICES", value)
    ran = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert says in ran.stdout + ran.stderr


# derivatives, mapped functions, branches and loops ------------------------------------------------


def picked(x, i):
    return ops.gather(x, i, 0).sum()


@pytest.mark.parametrize("how", [lambda f: f, jit])
def test_in_derivatives(how):
    f = how(grad(picked))
    assert f(matrix(), index(1)).asnumpy().sum() == 2.0
    for _ in range(2):
        with pytest.raises(OutOfRange, match="got 7"):
            f(matrix(), index(7)).asnumpy()
    assert f(matrix(), index(-1)).asnumpy()[2].tolist() == [1.0, 1.0]


def test_the_pullback_is_not_checked_again(monkeypatch):
    seen = []
    monkeypatch.setattr(checks, "_check", lambda op, operands: seen.append(op.name))
    grad(picked)(matrix(), index(1)).asnumpy()
    grad(lambda x: grad(picked)(x, index(1)).sum())(matrix()).asnumpy()
    assert seen == ["Gather", "Gather"]


@pytest.mark.parametrize("how", [lambda f: f, jit])
def test_in_vmap(how):
    f = how(vmap(lambda i: picked(matrix(), i)))
    assert f(Tensor([[0], [2], [-3]])).asnumpy().tolist() == [3.0, 11.0, 3.0]
    for wrong in (-4, 3):
        with pytest.raises(OutOfRange, match=f"got {wrong}"):
            f(Tensor([[0], [wrong], [1]])).asnumpy()


@pytest.mark.parametrize("how", [lambda f: f, jit])
def test_in_a_recomputed_cell(how):
    net = Words()
    net.recompute()
    f = how(grad(net, None, net.embedding.embedding_table))
    f(index(1)).asnumpy()
    with pytest.raises(OutOfRange, match="got 5"):
        f(index(5)).asnumpy()


def branch(i, n):
    y = i.sum() * 1.0
    if n > 0:
        y = picked(matrix(), i)
    return y


def test_only_the_branch_that_is_taken_counts():
    f = jit(branch)
    for n in (1, 1, 0, 1):
        float(f(index(1), Tensor(n)))
    assert float(f(index(5), Tensor(0))) == 5.0
    with pytest.raises(OutOfRange, match="got 5"):
        float(f(index(5), Tensor(1)))
    assert float(f(index(5), Tensor(0))) == 5.0


def looped(i, n):
    y, k = Tensor(0.0), Tensor(0)
    while k < n:
        y = y + picked(matrix(), i + k)
        k = k + 1
    return y


@pytest.mark.parametrize("function", [looped, vmap(looped, (0, None))])
def test_any_turn_of_a_loop_counts(function):
    f = jit(function)
    i = index(0) if function is looped else Tensor([[0], [0]])
    for n in (1, 1, 3):
        f(i, Tensor(n)).asnumpy()
    with pytest.raises(OutOfRange, match=r"got [34]"):
        f(i, Tensor(5)).asnumpy()
    f(i, Tensor(3)).asnumpy()


def searched(x, i):
    while ops.gather(x, i, 0) > 0:
        i = i + 1
    return i


def test_the_test_of_a_loop_counts():
    f = jit(searched)
    for _ in range(3):
        assert int(f(Tensor([1.0, 1.0, 0.0]), Tensor(0))) == 2
    with pytest.raises(OutOfRange, match="got 3"):
        int(f(Tensor([1.0, 1.0, 1.0]), Tensor(0)))
    assert int(f(Tensor([1.0, 1.0, 0.0]), Tensor(0))) == 2


def guarded(x, i):
    if i < 3 and ops.gather(x, i, 0) > 0:
        return i + 1
    return i


def searched_to_the_end(x, i):
    while i < 3 and ops.gather(x, i, 0) > 0:
        i = i + 1
    return i


@pytest.mark.parametrize("function", [guarded, searched_to_the_end])
def test_a_term_that_is_not_reached_does_not_count(function):
    f = jit(function)
    for i in (0, 0, 0, 3, 7):
        assert int(f(Tensor([1.0, 1.0, 1.0]), Tensor(i))) >= i
    with pytest.raises(OutOfRange, match="got -4"):
        int(f(Tensor([1.0, 1.0, 1.0]), Tensor(-4)))


def test_in_functions_of_mindspore_for_loops():
    def turn(carried):
        k, y = carried
        return k + 1, y + picked(matrix(), k.reshape((1,)))

    def run(n):
        return ops.WhileLoop()(lambda c: c[0] < n, turn, (Tensor(0), Tensor(0.0)))[1].asnumpy()

    assert run(3) == 21.0
    with pytest.raises(OutOfRange, match="got 3"):
        run(4)


def test_with_a_call_on_the_host():
    @jit
    def f(i):
        y = picked(matrix(), i)
        return float(y.asnumpy()) + picked(matrix(), i + 1)

    with pytest.warns(RuntimeWarning):
        float(f(index(0)))
    with pytest.raises(OutOfRange, match="got 3"):
        float(f(index(2)))


def test_the_interpreter_checks(monkeypatch):
    monkeypatch.setattr(recorder, "prepare", interpretation.prepare)
    recorder.run_pending()
    forest.clear()
    try:
        for name in ("gather", "x[i] = y", "embedding", "cross_entropy", "tensor_scatter_add"):
            f = {**WRAPPING, **STRICT}[name]
            with pytest.raises(OutOfRange, match="got 3"):
                f(index(3)).asnumpy()
            f(index(1)).asnumpy()
    finally:
        forest.clear()


def test_anomalies_are_found_as_before():
    with pytest.raises((OutOfRange, FloatingPointError)), detect_anomaly():
        ops.gather(matrix(), index(5), 0)
    deferred.clear()


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"])
def test_index_dtypes_at_their_ends(dtype):
    x = Tensor(np.arange(200, dtype=np.float32))
    ends = np.iinfo(dtype)
    for i in {int(ends.min), int(ends.max), -200, -201, 199, 200}:
        if not ends.min <= i <= ends.max:
            continue
        at = Tensor(np.array([3, i], dtype))
        if -200 <= i < 200:
            assert ops.gather(x, at, 0).asnumpy().tolist() == [3.0, i % 200]
        else:
            with pytest.raises(OutOfRange, match=f"got {i},"):
                ops.gather(x, at, 0).asnumpy()


def test_no_indices_are_right_anywhere():
    none = Tensor(np.zeros((0,), np.int32))
    assert ops.gather(Tensor(np.zeros((0, 2), np.float32)), none, 0).shape == (0, 2)
    assert ops.gather(matrix(), none, 0).asnumpy().shape == (0, 2)


def test_a_list_beside_a_tensor_of_indices():
    """A list among the indices is one input of the trace, before those of later operations."""
    x, at, by = Tensor(np.arange(6).reshape(2, 3)), Tensor([2, 1]), Tensor([10, 20])
    for _ in range(2):
        assert (x[[0, 1], at] * by).asnumpy().tolist() == [20, 80]
    with pytest.raises(IndexError, match=r"axis 1, but got 3"):
        (x[[0, 1], at + 1] * by).asnumpy()
