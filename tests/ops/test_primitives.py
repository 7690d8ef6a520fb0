"""Primitives that few scripts use give what MindSpore 2.10 gives, or their formula in NumPy."""

import numpy as np
import pytest

import sporax
from sporax import ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of
from sporax._src.transforms.autodiff import check_grad, grad
from tests import records
from tests.ops import primitive_cases, result_json
from tests.ops.result_json import tensors_in
from tests.samples.gated_recurrence import gru, lstm

pytestmark = pytest.mark.usefixtures("on_numpy")

RECORDED = records.read("primitives")
TOGETHER = 12  # calls that share a program


def evaluate(call):
    inputs = {name: Tensor(a) for name, a in primitive_cases.inputs(call).items()}
    return eval(call, {"ms": sporax, "ops": ops, **inputs})


def wrong(call, actual, expected, rtol=2e-5, atol=1e-6):
    """None if two lists of [dtype, shape, numbers] agree; a dtype of None is any."""
    if len(actual) != len(expected):
        return call, actual, expected
    for (dtype, shape, values), (other, size, wanted) in zip(actual, expected, strict=True):
        loose = 1e-3 if "16" in dtype else rtol
        same = shape == size and other in (None, dtype) and len(values) == len(wanted)
        if not (same and np.allclose(values, wanted, loose, max(atol, loose / 10), equal_nan=True)):
            return call, (dtype, shape, values), (other, size, wanted)
    return None


CALLS = primitive_cases.calls()


@pytest.mark.parametrize("first", range(0, len(CALLS), TOGETHER))
def test_primitives_give_what_mindspore_gives(first):
    failures = []
    calls = CALLS[first : first + TOGETHER]
    results = [evaluate(call) for call in calls]
    for call, result in zip(calls, results, strict=True):
        check, expected = RECORDED[call]
        assert check == primitive_cases.check(call), f"record again: {call}"
        assert not isinstance(expected, str), f"MindSpore refuses {call}: {expected}"
        actual = result_json.described(result)
        if result.__class__ is tuple and call.startswith("ops.LSTM"):
            actual, expected = actual[:3], expected[:3]  # then MindSpore's own state
        if not tensors_of(result):
            failures += [] if actual == expected else [(call, actual, expected)]
        else:
            failures.append(wrong(call, tensors_in(actual), tensors_in(expected)))
        if call in primitive_cases.DIFFERENT:
            assert failures.pop(), f"no difference any more: {call}"
    assert not any(failures), "\n".join(map(str, filter(None, failures)))


def lstm_of(x, state, weights):
    """Weights as `ops.LSTM` takes them: `(4 H, C)`, `(4 H, H)`, gates i, f, j, o; no biases."""
    size = state.shape[-1]
    inner, outer = np.split(weights, [4 * size * x.shape[-1]])
    both = np.concatenate([inner.reshape(4 * size, -1), outer.reshape(4 * size, -1)], 1)
    turned = both.reshape(4, size, -1)[[0, 2, 1, 3]].reshape(4 * size, -1).T
    return lstm(x, turned, np.zeros(4 * size), state, state)[0]


def rotated(x, angles):
    """`x` and twice `x`, each pair of halves of the last axis turned by its angle's two numbers."""
    first, second = np.split(x, 2, -1)
    y = x * np.cos(angles) + np.concatenate([-second, first], -1) * np.sin(angles)
    return y, 2 * y


def wide(array):
    return array.astype(np.float64) if array.dtype.kind == "f" else array


ROWS = [row.split(" | ") for row in primitive_cases.lines(primitive_cases.REFERENCES)]
NAMES = {"np": np, "lstm_of": lstm_of, "gru": gru, "rotated": rotated,
         "lstm": lambda x, h, c, w, b, forget: lstm(x, w, b, h, c, forget_bias=forget)}  # fmt: skip


@pytest.mark.parametrize("first", range(0, len(ROWS), TOGETHER))
def test_primitives_give_what_their_formula_does(first):
    failures = []
    for call, formula in ROWS[first : first + TOGETHER]:
        inputs = {name: wide(a) for name, a in primitive_cases.inputs(call).items()}
        expected = eval(formula, NAMES | inputs)
        expected = expected if isinstance(expected, tuple) else (expected,)
        expected = [(None, list(np.shape(e)), result_json.numbers(np.asarray(e))) for e in expected]
        actual = tensors_in([result_json.described(t) for t in tensors_of(evaluate(call))])
        failures.append(wrong(call, actual, expected, 1e-4, 1e-5))
    assert not any(failures), "\n".join(map(str, filter(None, failures)))


# functions of several operations, whose derivatives go through them; at float64 inputs
DIFFERENTIATED = """
ops.AdaptiveMaxPool2D((2, 3))(p)[0] ; ops.stft(s, 4, 2, 3, v)
ops.batch_to_space_nd(b, 2, [[0, 1], [1, 0]])
ops.BatchToSpaceNDV2()(b, ms.Tensor([2, 3]), ms.Tensor([[0, 1], [1, 0]]))
ops.CTCLossV2()(l, t, n, e)[0] ; ops.ctc_greedy_decoder(l, n)[3]
ops.ConjugateTranspose()(x, (1, 0)) ; ops.Cross()(v, z) ; ops.CumProd(True, True)(x, 1)
ops.CumulativeLogsumexp(False, True)(x, ms.Tensor(1))
ops.deformable_conv2d(p, k, o, (2, 2), (1, 1, 2, 2), (0, 0, 1, 0), deformable_groups=2)
ops.DepthwiseConv2dNative(2, 2)(p, k) ; ops.EuclideanNorm()(x, ms.Tensor([0]))
ops.ExtractImagePatches([2, 2], [1, 2], [1, 1])(p)
ops.ExtractVolumePatches(2, 2, "SAME")(q[:, :1])
ops.fractional_max_pool2d(p, 2, (4, 3), _random_samples=ops.stop_gradient(u))
ops.Im2Col(2, 2)(p) ; ops.IndexPut(1)(x, v, [e, d]) ; ops.IndexPut()(x, v[:2], (i, i))
ops.LogSoftmaxExt()(x) ; ops.Lstsq(True, 0.5)(r, r[:, :2]) ; ops.lu_unpack(a, d)[1:]
ops.LuSolve()(a, a, d)
ops.ApplyRotaryPosEmb()(p[0], p[0], x.cos(), x.sin(), e[:1] * 0 + ops.arange(5) % 3)
ops.BasicLSTMCell()(f[0], h[0], h[0], w[:40].reshape((5, 8)), w[:8])[:2]
ops.LSTM(3, 4, 1, False, False, 0.0, 2)(f, h, f[:1, :, :1] * w[:4], w[:88])[:3]
ops.LSTM(3, 2, 1, True, True, 0.0)(f, ops.tile(h, (2, 1, 1)), ops.tile(h, (2, 1, 1)), w[:96])[:3]
ops.IdentityN()((x, v)) ; ops.fills(x, v[0])
ops.FractionalAvgPool([1.0, 1.4, 1.5, 1.0], deterministic=True)(c)[0]
"""  # fmt: skip
# what is composed, as functions of the arrays that a call names
COMPOSED = [c for line in primitive_cases.lines(DIFFERENTIATED) for c in line.split(" ; ")]


@pytest.mark.parametrize("call", COMPOSED)
def test_derivatives_of_composed_primitives(call):
    inputs = primitive_cases.inputs(call)
    names = [name for name, a in inputs.items() if a.dtype.kind == "f"]
    fixed = {name: Tensor(a) for name, a in inputs.items() if name not in names}

    def function(*xs):
        result = eval(
            call, {"ms": sporax, "ops": ops, **fixed, **dict(zip(names, xs, strict=True))}
        )
        return [y * y for y in tensors_of(result)]

    assert not check_grad(function, *[Tensor(wide(inputs[name])) for name in names], order=1).noted


X = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)


def doubled(gradient):
    return gradient * 2


def test_gradients_are_inserted():
    insert, seen = ops.InsertGradientOf(doubled), []
    look = ops.InsertGradientOf(seen.append)
    for function, slope in ((lambda x: insert(x * 3) * 2, 12.0), (lambda x: look(x * 3) * 2, 6.0)):
        for derive in (grad(function), jit(grad(function))):
            np.testing.assert_array_equal(derive(Tensor(X)).asnumpy(), np.full((2, 2), slope))
    assert len(seen) == 2 and insert(Tensor(X)).tolist() == X.tolist()


def test_gradients_are_dumped(tmp_path):
    dump = ops.DumpGradient()
    slope = grad(lambda x: dump(str(tmp_path / "x"), x * 3, "out") * x)
    assert slope(Tensor([2.0])).tolist() == [12.0]
    (file,) = tmp_path.glob("x_float32_*.npy")
    assert np.load(file).tolist() == [2.0]


# what is put into a Parameter (5) or Tensor, then read: the value, and its derivative by x at 3
P, AT = "p", "Tensor([0], sporax.int32)"
ASSIGNMENTS = [
    ("ops.assign(p, x * x); y = p * x", 27.0, 27.0),
    ("y = ops.assign(p, x * x) * x", 27.0, 27.0),
    ("ops.assign_add(p, x); y = p * p * x", 192.0, 112.0),
    ("y = ops.scatter_add(p, AT, x * x) * x", 42.0, 32.0),
    ("y = ops.InplaceIndexAdd(0)(p, AT, x * x) * x", 42.0, 32.0),
    ("ops.inplace_index_add(p, AT, x * x, 0); y = p * x", 42.0, 32.0),
    ("z = x * 1; ops.CopyWithSlice()(z, x * x); y = z * x", 27.0, 27.0),
    ("y = ops.InplaceUpdateV2()(x * x, 0, x) * x", 9.0, 6.0),
]


@pytest.mark.parametrize("lines, value, slope", ASSIGNMENTS, ids=[row[0] for row in ASSIGNMENTS])
def test_derivatives_go_through_assignments(lines, value, slope):
    scope = {"ops": ops, "sporax": sporax, "Tensor": Tensor}
    text = lines.replace("AT", AT).replace("; ", "\n    ")
    exec(f"def function(x, p):\n    {text}\n    return y", scope)
    function, x = scope["function"], Tensor([3.0])
    for derive in (lambda f: grad(f), lambda f: jit(grad(f))):
        p = Parameter(Tensor([5.0]), name="p")
        assert derive(lambda x, p=p: function(x, p))(x).tolist() == [slope]
    p = Parameter(Tensor([5.0]), name="p")
    assert function(x, p).tolist() == [value]


def test_betainc_has_the_derivative_of_its_integral():
    a, b, x = (Tensor(np.array([n])) for n in (1.5, 2.5, 0.3))
    slope = grad(ops.Betainc(), (0, 1, 2))(a, b, x)
    density = 0.3**0.5 * 0.7**1.5 * 6 / (0.5 * np.pi**0.5 * 0.75 * np.pi**0.5)
    np.testing.assert_allclose([s.item() for s in slope], [0, 0, density], 1e-6)


def test_masks_are_drawn_and_applied():
    sporax.set_seed(1)
    mask = ops.DropoutGenMask()((100, 200), Tensor(0.8))
    out = ops.DropoutDoMask()(ops.ones((100, 200)), mask, Tensor(0.8)).asnumpy()
    assert set(np.unique(out)) == {0.0, 1.25} and abs(out.mean() - 1) < 0.02
    again = ops.DropoutGenMask(3, 4), ops.DropoutGenMask(3, 4)
    assert len({str(m((64,), 0.5).tolist()) for m in again}) == 1


@pytest.mark.parametrize("noise, low, high, mean", [("uniform", -1, 1, 0), ("gaussian", -5, 5, 0)])
def test_noise_around_images(noise, low, high, mean):
    far = Tensor([[100.0, 200.0]])
    seen = ops.ExtractGlimpse(False, False, noise == "uniform", noise)(
        ops.ones((1, 4, 4, 1)), Tensor([40, 50], sporax.int32), far
    ).asnumpy()
    assert low <= seen.min() < -0.9 and 0.9 < seen.max() <= high and abs(seen.mean() - mean) < 0.1


@pytest.mark.parametrize("kind", ["FractionalMaxPool", "FractionalAvgPool"])
@pytest.mark.parametrize("pseudo", [False, True])
def test_parts_of_fractional_pooling(kind, pseudo):
    x = np.arange(7 * 9.0, dtype=np.float32).reshape(1, 7, 9, 1)
    pool = getattr(ops, kind)([1.0, 1.4, 2.3, 1.0], pseudo, deterministic=True, seed=3)
    y, rows, columns = pool(Tensor(x))
    assert y.shape == (1, 5, 3, 1) and rows.tolist() == pool(Tensor(x))[1].tolist()
    for bounds, size in ((rows, 7), (columns, 9)):
        lengths = np.diff(bounds.asnumpy())
        assert (bounds[0].item(), bounds[-1].item()) == (0, size)
        assert set(lengths.tolist()) <= {size // len(lengths), size // len(lengths) + 1}
    reduce = np.max if kind.endswith("MaxPool") else np.mean
    r, c = rows.tolist(), columns.tolist()
    assert y[0, 2, 1, 0].item() == reduce(x[0, r[2] : r[3], c[1] : c[2], 0])


def test_groups_are_written_into_the_scores():
    scores = Tensor(X)
    assert ops.GroupTopk()(scores, ops.arange(2), 2, 1) is scores
    assert scores.tolist() == [[0.0, 2.0], [0.0, 4.0]]


REFUSED = [
    ("ops.Assert()(Tensor(False), [X])", RuntimeError, r"'Assert', .*'condition' .*\[1. 2. 3.\]"),
    ("ops.Assert()(True, X)", TypeError, "'inputs' must be a tuple or list"),
    ("ops.CheckNumerics()(X / 0)", RuntimeError, r"that at \[0, 0\] is infinite"),
    ("ops.CheckNumerics()(X * np.nan)", RuntimeError, r"that at \[0, 0\] is NaN"),
    ("ops.CheckNumerics()(Tensor([1]))", TypeError, "'x' must be floating"),
    ("ops.IdentityN()(X)", TypeError, "'IdentityN', 'x' must be a tuple or list"),
    ("ops.InsertGradientOf(3)", TypeError, "'InsertGradientOf'"),
    ("ops.ListDiff()(X, X)", ValueError, "vectors of one dtype"),
    ("ops.ListDiff('int32')(X[0], X[0])", TypeError, "'out_idx' must be Int32 or Int64"),
    ("ops.LowerBound()(X, X[0])", ValueError, "'LowerBound', 'values' must have 2 axes"),
    ("ops.UpperBound(sporax.int8)(X, X)", TypeError, "'out_type' must be Int32 or Int64"),
    ("ops.ctc_greedy_decoder(X, X[0])", ValueError, r"must have shapes \(T, N, C\)"),
    ("ops.ctc_greedy_decoder(X[None], X[0] + 5)", ValueError, "from 0 to 1, the steps"),
    ("ops.CTCGreedyDecoder(1)(X[None], X[0])", TypeError, "'merge_repeated'"),
    ("ops.CTCLossV2(0, 'mean')(X, X, X, X)", ValueError, "'reduction' must be 'none'"),
    (
        "ops.ComputeAccidentalHits()(X, X[0])",
        ValueError,
        r"'true_classes' must have shape \(n, 1\)",
    ),
    ("ops.DepthwiseConv2dNative(1, 2)(X, X)", ValueError, "'w' must have shape"),
    ("ops.EditDistance()(X, X[0], X[0], X, X[0], X[0])", ValueError, "must be within"),
]


@pytest.mark.parametrize("call, error, message", REFUSED, ids=[row[0] for row in REFUSED])
def test_bad_input_of_composed_primitives(call, error, message):
    with pytest.raises(error, match=message):
        eval(call, {"ops": ops, "sporax": sporax, "Tensor": Tensor, "np": np, "X": Tensor(X)})
