"""In-place forms against PyTorch: through views, differentiated, and in captured functions."""

import numpy as np
import pytest

from sporax import mint
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.transforms.autodiff import value_and_grad
from sporax._src.transforms.batching import vmap
from tests import records
from tests.ops import in_place_rows as rows

pytestmark = pytest.mark.usefixtures("on_numpy")

RECORDED = records.read("in_place")
NAMES = {name: Tensor(array) for name, array in rows.NAMES.items()}
NAMES["mint"] = mint


@pytest.mark.parametrize("row", RECORDED)
def test_it_is_pytorchs(row):
    view, _, call = row.partition(": ")
    run = rows.program(call, view, NAMES, Tensor)

    def loss(x, s):
        y, total = run(x, s)
        return total, y

    inputs = Tensor(rows.numbers(rows.VIEWS[view][0], 1)), Tensor(rows.numbers((3, 3), 2))
    derive = value_and_grad(loss, (0, 1), has_aux=True)
    counts = "(mask,), s[0])" in call or "(mask,), s[1]" in call  # True elements, in no graph
    for function in (derive,) if counts or view == "reshaped" else (derive, jit(derive)):
        (_, y), grads = function(*inputs)
        for array, expected in zip((y, *grads), RECORDED[row], strict=True):
            np.testing.assert_allclose(array.asnumpy().ravel(), expected, 1e-4, 1e-4)


def test_every_call_is_recorded():
    assert set(RECORDED) == {f"{v}: {c}" for c in rows.CALLS for v in rows.VIEWS}


INTEGERS = """
x.index_add_(0, at, at * 3) | [5, 1, 20]
x.put_(at, at) | [0, 1, 2]
x.index_fill_(0, pair, 9) | [9, 1, 9]
x.index_put_((at,), at, accumulate=True) | [5, 1, 12]
x.index_put((at,), at, accumulate=True) | [5, 1, 12]
x.index_put([at == 2], at[:2]) | [2, 1, 0]
x.fills(7) | [7, 7, 7]
x.scatter_max(at[:, None], at + 6) | [6, 1, 8]
x.scatter_mul(at[:, None], at) | [0, 1, 32]
x.inplace_update(at[:1], 1) | [5, 2, 8]
"""


@pytest.mark.parametrize("row", INTEGERS.strip().splitlines())
def test_of_integers(row):
    source, expected = row.split(" | ")
    for x in (Tensor([5, 1, 8]), Parameter(Tensor([5, 1, 8]), name="x")):
        result = eval(source, {**NAMES, "x": x})
        assert result.asnumpy().tolist() == eval(expected), source
        assert (result is x) == (x.tolist() != [5, 1, 8]) == source.split("(")[0].endswith("_")


def test_each_example_of_a_batch_is_written_to_apart():
    def added(x, index):
        y = x * 1
        y.index_add_(0, index, x)
        return y

    x, index = np.arange(1.0, 7.0).reshape(2, 3), np.array([[0, 0, 1], [2, 1, 0]])
    expected = x.copy()
    for i in range(2):
        np.add.at(expected[i], index[i], x[i])
    assert vmap(added)(Tensor(x), Tensor(index)).asnumpy().tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        ("reshape(1, 4)[:, :2].addmm_(x, x)", ValueError, "must have the tensor's shape"),
        ("put_(Tensor([0]), Tensor([1.0, 2.0]))", ValueError, "equally many elements"),
        ("put_(Tensor([9]), Tensor([1.0]))", IndexError, r"\[-4, 4\)"),
        ("index_copy_(0, Tensor([0]), x)", ValueError, "slice along 0 for each of the 1"),
        ("index_put_(Tensor([0]), x)", TypeError, "tuple or list of Tensors"),
        ("index_put_((Tensor([0.5]),), x)", TypeError, "Tensors of integers or Bool"),
        ("index_put_((at, at, at), x)", ValueError, "at most 2 Tensors"),
        ("index_put_((at,), x, accumulate=1)", TypeError, "'accumulate' must be a bool"),
        ("long().addmm_(x, x)", TypeError, "of a dtype that the tensor can hold"),
        ("fill_diagonal_('a')", TypeError, "'fill_value' must be a number"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(error, match=message):
        eval(f"x.{call}", {**NAMES, "x": x, "Tensor": Tensor, "np": np}).asnumpy()
    assert x.asnumpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
