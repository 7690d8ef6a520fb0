"""Indexing, against MindSpore's own results, against NumPy, and against finite differences."""

import warnings

import numpy as np
import pytest

import sporax.ops  # noqa: F401 - gives Tensor its methods
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.runtime.engine.program import compilations
from sporax._src.runtime.index_checks import checks
from sporax._src.transforms.autodiff.grad import grad
from tests import records

RECORDED = records.read("indexing")
GET, SET = "For 'Tensor.__getitem__'", "For 'Tensor.__setitem__'"

# each row brings shapes of its own
pytestmark = [
    pytest.mark.usefixtures("on_numpy"),
    pytest.mark.filterwarnings("ignore:The shapes of a computation change"),
]


def counting(shape, dtype=np.float32):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def evaluate(source, mask):
    return eval(source, {**dtypes.NAMES, "np": np, "Tensor": Tensor, "mask": mask})


# against MindSpore --------------------------------------------------------------------------

# Where MindSpore is at odds with itself or with NumPy, our side; an error says which is raised.
OURS = {
    "(slice(None, None, -1), [0, 1])": counting((3, 4, 5))[::-1, [0, 1]].tolist(),
    "Tensor([True, False])": "IndexError",
    "slice(1.0, None)": "IndexError",
    "float64 (0, 0) 0.1": [[0.1, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0]],
    "y = x[[0, 1]]; y[0] = 9": counting((3, 4, 5)).tolist(),  # a copy
}


@pytest.mark.parametrize("row", RECORDED["get"], ids=lambda row: row[0])
def test_reading_is_mindspores(row):
    index = evaluate(row[0], counting((3, 4, 5)) % 7 == 0)
    x = Tensor(counting((3, 4, 5)), dtypes.int32)
    if len(row) == 2:
        with pytest.raises((IndexError, ValueError), match=GET) as caught:
            x[index]
        kinds = [kind.__name__ for kind in type(caught.value).__mro__]
        assert OURS.get(row[0], row[1]) in kinds
        return
    out = x[index]
    assert str(out.dtype) == row[1]
    assert out.asnumpy().tolist() == OURS.get(row[0], row[3])
    assert row[0] in OURS or list(out.shape) == row[2]


@pytest.mark.parametrize("row", RECORDED["set"], ids=lambda row: " ".join(row[:3]))
def test_writing_is_mindspores(row):
    dtype, index, value, expected = row
    mask = counting((3, 4)) % 2 == 0
    x = same = Tensor(counting((3, 4)), dtypes.NAMES[dtype])
    x[evaluate(index, mask)] = evaluate(value, mask)
    assert x is same
    assert x.dtype == dtypes.NAMES[dtype]
    if expected is not None:
        assert x.asnumpy().tolist() == OURS.get(" ".join(row[:3]), expected)


@pytest.mark.parametrize("row", RECORDED["writes"], ids=lambda row: row[0])
def test_writing_through_is_mindspores(row):
    x = Tensor(counting((3, 4, 5)), dtypes.int32)
    exec(row[0], {"x": x})
    assert x.asnumpy().tolist() == OURS.get(row[0], row[1])


# against NumPy ------------------------------------------------------------------------------

SHAPE = (3, 4, 5)
MASK = counting(SHAPE) % 3 == 0
INDICES = [
    np.s_[1], np.s_[-1, :, 2], np.s_[1:3], np.s_[:, 1:3, ::2], np.s_[::-1, 3:0:-2], np.s_[5:1, 2],
    np.s_[2:0:-1, ..., 1:4:2], np.s_[-2:, -3:-1], np.s_[None, 1:, None, ..., 0], np.s_[..., None],
    np.s_[np.int64(2), np.int32(-1)], np.s_[[0, -1]], np.s_[np.array([], np.int64)], np.s_[[]],
    np.s_[np.array([[0, 2], [1, 1]]), :, [[1], [0]]], np.s_[:, [0, 3], 1:4], np.s_[:, [0, 3], 2],
    np.s_[0, :, [1, 2]], np.s_[[0, 2], None, :, [3, 4]], np.s_[::2, None, [1, 1, 0]], np.s_[()],
    np.s_[1:, ::-2, np.array([[0], [4]])], np.s_[MASK], np.s_[MASK[:, :, 0]], np.s_[:, MASK[0]],
    np.s_[1, MASK[1]], np.s_[MASK[:, :, 0], 2], np.s_[MASK[:, 0, 0], ..., [2]], np.s_[True],
    np.s_[0, :, MASK[0, 0]], np.s_[np.zeros(SHAPE, bool)], np.s_[range(2)],
    np.s_[..., MASK[0, 0]], np.s_[None, MASK], np.s_[1:, MASK[0, :, 0], ::-1],
]  # fmt: skip


def ours(index):
    """The index with Tensors for NumPy's integer arrays."""
    if isinstance(index, tuple):
        return tuple(map(ours, index))
    return Tensor(index) if isinstance(index, np.ndarray) and index.dtype.kind != "b" else index


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_reading_and_writing_are_numpys(index):
    array = counting(SHAPE)
    for form in (index, ours(index)):
        np.testing.assert_array_equal(Tensor(array)[form].asnumpy(), array[index], strict=True)
        values = [7.5, np.float32(-1), counting(array[index].shape) + 100]
        if array[index].ndim:
            values.append(counting((1, *array[index].shape[:-1], 1)) + 50)
        if array[index].ndim > 1:
            values.append(counting(array[index].shape[1:]) - 9)
        for value in values:
            expected, x = array.copy(), Tensor(array)
            try:
                expected[index] = value
            except TypeError:  # NumPy has no leading ones under a mask
                continue
            x[form] = Tensor(value) if isinstance(value, np.ndarray) else value
            np.testing.assert_array_equal(x.asnumpy(), expected, strict=True)


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_derivatives_are_those_of_a_linear_map(index):
    """Sums of squares of what is read and of what is left after writing, to second order."""
    array = counting(SHAPE, np.float64) / 60
    new = np.cos(counting(array[index].shape, np.float64))

    def read(x):
        return (x[index] * x[index] * x[index]).sum()

    def write(x, y):
        x = x * 1.0
        x[index] = y
        return (x * x * x).sum()

    def second(f, i):
        return grad(lambda *ts: (grad(f, i)(*ts) * ts[i]).sum(), i)

    hit = np.zeros(SHAPE)
    np.add.at(hit, index, 1.0)
    x, y = Tensor(array), Tensor(new)
    np.testing.assert_allclose(grad(read)(x).asnumpy(), 3 * array**2 * hit, 1e-12, 1e-12)
    np.testing.assert_allclose(second(read, 0)(x).asnumpy(), 9 * array**2 * hit, 1e-12, 1e-12)
    left = np.where(hit > 0, 0, array)
    np.testing.assert_allclose(grad(write)(x, y).asnumpy(), 3 * left**2, 1e-12, 1e-12)
    if hit.max() <= 1:
        np.testing.assert_allclose(grad(write, 1)(x, y).asnumpy(), 3 * new**2, 1e-12, 1e-12)
        np.testing.assert_allclose(second(write, 1)(x, y).asnumpy(), 9 * new**2, 1e-12, 1e-12)


# programs -----------------------------------------------------------------------------------


def programs_of(run, turns):
    """How many programs further turns of a loop need after the first."""
    run(turns[0])
    before = compilations["programs"]
    for i in turns[1:]:
        run(i)
    return compilations["programs"] - before


LOOPS = {
    "integer": lambda x, i: x[i].sum(),
    "from the end": lambda x, i: x[-1 - i].sum(),
    "two integers": lambda x, i: x[i, i] * 2,
    "slice": lambda x, i: x[i : i + 3].sum(),
    "slice from the end": lambda x, i: x[-20 - i : -15 - i].sum(),
    "steps": lambda x, i: x[i : i + 9 : 3, i + 5 : i : -2].sum(),
    "list": lambda x, i: x[[i, i + 1]].sum(),
    "array": lambda x, i: x[:, np.arange(i, i + 4)].sum(),
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_moving_index_needs_one_program(name):
    array = np.random.default_rng(0).normal(size=(40, 40)).astype(np.float32)
    x, run = Tensor(array), LOOPS[name]
    assert programs_of(lambda i: float(run(x, i)), range(8)) == 0
    np.testing.assert_allclose(float(run(x, 5)), run(array, 5), rtol=1e-5)


def test_a_moving_write_needs_one_program():
    x = Tensor(np.zeros((40, 3), np.float32))

    def write(i):
        x[i] = float(i)
        x[i : i + 2, 1] = Tensor([1.0, 2.0])
        return x.asnumpy()

    assert programs_of(write, range(8)) == 0
    assert x.asnumpy()[:9, 1].tolist() == [1.0] * 8 + [2.0]


def test_writing_one_value_under_a_mask_reads_no_number():
    @jit
    def clear(x, mask):
        x = x + 0
        x[mask] = 0.5
        x[1:, mask[0]] = Tensor([[3.0]])
        x[0, mask[1]] = 7
        return x

    for seed in (0, 1):
        array = np.random.default_rng(seed).normal(size=(3, 4)).astype(np.float32)
        mask = array > 0
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            out = clear(Tensor(array), Tensor(mask))
        array[mask], array[1:, mask[0]], array[0, mask[1]] = 0.5, 3.0, 7
        np.testing.assert_array_equal(out.asnumpy(), array)


def test_counting_a_mask_under_jit_runs_dynamically():
    @jit
    def chosen(x, mask):
        return x[mask] * 2

    with pytest.warns(RuntimeWarning, match="needs a number"):
        assert chosen(Tensor([1.0, 2.0, 3.0]), Tensor([True, False, True])).shape == (2,)
    assert chosen(Tensor([1.0, 2.0, 3.0]), Tensor([False, False, True])).asnumpy().tolist() == [6.0]


# handles ------------------------------------------------------------------------------------


def test_parameters_are_written_in_place_also_under_jit():
    p, i = Parameter(Tensor([1.0, 2.0, 3.0]), name="p"), Tensor(2)
    p[0] = 5

    @jit
    def step(y):
        p[1] = y
        p[i] = p[i] + 1
        return p.sum()

    assert [float(step(Tensor(10.0))), float(step(Tensor(20.0)))] == [19.0, 30.0]
    assert isinstance(p, Parameter)
    assert p.name == "p"
    assert p.asnumpy().tolist() == [5.0, 20.0, 5.0]
    assert type(p[0]) is Tensor


def test_what_was_taken_out_is_written_to_with_its_source():
    x = Tensor([1.0, 2.0, 3.0])
    first, rest = x[0], x[1:]
    x[:] = 0.0
    assert (float(first), rest.asnumpy().tolist()) == (0.0, [0.0, 0.0])
    rest[0] = 9.0
    assert x.asnumpy().tolist() == [0.0, 9.0, 0.0]


def test_writing_through_is_differentiated():
    def f(x, y):
        x = x * 1.0
        x[0][1] = y
        return (x * x).sum()

    x, y = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor(5.0)
    assert grad(f)(x, y).asnumpy().tolist() == [[2.0, 0.0], [6.0, 8.0]]
    assert float(grad(f, 1)(x, y)) == 10.0


def test_iteration_ends_and_unpacks():
    x = Tensor(counting((3, 2)))
    assert [row.asnumpy().tolist() for row in x] == counting((3, 2)).tolist()
    first, *rest = x
    assert first.shape == (2,)
    assert len(rest) == 2
    assert [float(i) for i in reversed(Tensor([1.0, 2.0]))] == [2.0, 1.0]
    assert list(Tensor(np.zeros((0, 3)))) == []
    with pytest.raises(TypeError, match="0-dimensional"):
        iter(Tensor(1.0))


def test_membership():
    assert 2.0 in Tensor([1.0, 2.0])
    assert Tensor(2.0) in Tensor([1.0, 2.0])
    assert 5 not in Tensor([[1, 2]])
    assert None not in Tensor([1.0])


# out of range, and other bad input ----------------------------------------------------------


def test_unchecked_index_tensors_out_of_range_read_nan_and_write_nothing(monkeypatch):
    monkeypatch.setattr(checks.switch, "is_on", False)
    x = Tensor([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(x[Tensor([0, 3, -4, -1])].asnumpy(), [1.0, np.nan, np.nan, 3.0])
    assert np.isnan(float(x[Tensor(3)]))
    x[Tensor([3, 1, -4])] = 9.0
    assert x.asnumpy().tolist() == [1.0, 9.0, 3.0]


def test_small_index_dtypes_reach_far():
    x = Tensor(np.arange(200))
    assert x[Tensor([-1, -128, 127], dtypes.int8)].asnumpy().tolist() == [199, 72, 127]
    assert x[Tensor([199], dtypes.uint8)].asnumpy().tolist() == [199]


def assign(index, value, dtype=dtypes.float32):
    Tensor(counting((3, 4)), dtype)[index] = value


REFUSALS = [
    (lambda: Tensor([1.0, 2.0])[2], IndexError, (GET, "dimension 0", "[-2, 2)", "index 2")),
    (lambda: Tensor([[1.0, 2.0]])[:, -3], IndexError, (GET, "dimension 1", "[-2, 2)", "index -3")),
    (lambda: Tensor([1.0])[[0, 4]], IndexError, (GET, "[-1, 1)", "got 4")),
    (lambda: Tensor(1.0)[0], IndexError, (GET, "at most 0", "()")),
    (lambda: Tensor([1.0])["a"], IndexError, (GET, "str", "'a'")),
    (lambda: Tensor([1.0])[::0], ValueError, (GET, "step")),
    (lambda: Tensor([1.0])[Tensor([0.5])], IndexError, (GET, "Float32", "astype")),
    (lambda: Tensor([1.0])[[0.5]], IndexError, (GET,)),
    (lambda: Tensor([1.0])[None, False], IndexError, (GET, "must be True")),
    (lambda: Tensor([1.0])[np.array([True, False])], IndexError, (GET, "(1,)", "(2,)")),
    (lambda: assign(3, 1.0), IndexError, (SET, "[-3, 3)", "index 3 is")),
    (lambda: assign(0, Tensor([1.0, 2.0])), ValueError, (SET, "(2,)", "(4,)")),
    (lambda: assign(Tensor([0, 1]), Tensor([1.0, 2.0])), ValueError, (SET, "(2,)", "(2, 4)")),
    (lambda: assign(0, "a"), TypeError, (SET, "str", "'a'")),
    (lambda: assign(0, None), TypeError, (SET, "NoneType")),
    (lambda: assign(0, 1j), TypeError, (SET, "complex")),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "says"), REFUSALS)
def test_bad_indices_are_refused_in_one_voice(call, error, says):
    with pytest.raises(error) as caught:
        call()
    for part in says:
        assert part in str(caught.value)
