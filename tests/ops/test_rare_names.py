"""Names that few scripts use, each against NumPy, SciPy or what MindSpore 2.10 answered."""

import numpy as np
import pytest
import scipy.linalg

import sporax
from sporax import mint, nn, ops
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of

pytestmark = pytest.mark.usefixtures("on_numpy")

X = np.array([[1.0, 2.0], [3.0, 4.0]])
T = np.arange(12.0).reshape(2, 2, 3)
U = np.arange(12.0).reshape(2, 3, 2)
ODD = np.array([[1.0, 5.0, 3.0], [2.0, 2.0, 9.0]])
WHOLE = np.array([4, 7, -5])
CHANNELS = np.arange(8.0).reshape(1, 8, 1, 1)
PLANE = np.arange(8.0).reshape(1, 2, 2, 2)
NAMES = {"X": X, "T": T, "U": U, "ODD": ODD, "WHOLE": WHOLE, "CHANNELS": CHANNELS, "PLANE": PLANE}


def _convolved(x, weight, bias, pad):
    x = np.pad(x, ((pad, pad), (0, 0), (0, 0)))
    times = len(x) - len(weight) + 1
    parts = [np.einsum("tnc,co->tno", x[k : k + times], w) for k, w in enumerate(weight)]
    return sum(parts) + bias


def _correlated(x):
    return np.einsum("ncl,ocl->no", x, x)[:, :, None]


# a call, and what it gives by NumPy
ROWS = [
    ("Tensor(np.array([1, 2, 2])).bincount()", [0.0, 1.0, 2.0]),
    ("ops.bincount(Tensor(np.array([1, 2, 2])), minlength=4)", [0.0, 1.0, 2.0, 0.0]),
    ("ops.bincount(Tensor(np.array([1, 2])), Tensor(np.array([0.5, 2.0])))", [0.0, 0.5, 2.0]),
    ("Tensor(np.array([1, 4, 9])).diff()", [3, 5]), ("mint.diff(X, dim=0)", [[2.0, 2.0]]),
    ("X.median(0)", (X[0], [0, 0])), ("ops.median(ODD)", ([3.0, 2.0], [2, 1])),
    ("mint.median(ODD)", 2.0), ("mint.median(ODD, 1)[0]", [3.0, 2.0]),
    ("X.masked_scatter(X > 1.5, X + 5)", [[1.0, 6.0], [7.0, 8.0]]),
    ("mint.linalg.vector_norm(X)", np.linalg.norm(X)),
    ("mint.linalg.vector_norm(T, 3, (0, 2))", (T**3).sum((0, 2)) ** (1 / 3)),
    ("ops.vector_norm(T, 1, (0, 2), True)", T.sum((0, 2), keepdims=True)),
    ("ops.DepthToSpace(2)(CHANNELS)", [[[[0, 2], [4, 6]], [[1, 3], [5, 7]]]]),
    ("ops.SpaceToDepth(2)(PLANE)", np.reshape([0, 4, 1, 5, 2, 6, 3, 7], (1, 8, 1, 1))),
    ("ops.channel_shuffle(CHANNELS, 2)", np.reshape([0, 4, 1, 5, 2, 6, 3, 7], (1, 8, 1, 1))),
    ("nn.ChannelShuffle(4)(CHANNELS)", np.reshape([0, 2, 4, 6, 1, 3, 5, 7], (1, 8, 1, 1))),
    ("ops.batch_dot(T, U)", np.einsum("bik,bkj->bij", T, U)),
    ("ops.batch_dot(T, U, (1, 2))", np.einsum("bki,bjk->bij", T, U)),
    ("ops.batch_dot(X, X)", (X * X).sum(1, keepdims=True)),
    ("ops.block_diag(X, X[0], X[0, 0])", scipy.linalg.block_diag(X, X[0], X[0, 0])),
    ("ops.diagflat(X, 1)", np.diagflat(X, 1)), ("ops.inv(X)", 1 / X),
    ("ops.inv(WHOLE)", [0, 0, 0]),
    ("ops.matrix_diag(X, 1, padding_value=9)",
     [[[9, 1, 9], [9, 9, 2], [9, 9, 9]], [[9, 3, 9], [9, 9, 4], [9, 9, 9]]]),
    ("ops.matrix_diag(X[0], 0, 2, 3)", [[1, 0, 0], [0, 2, 0]]),
    ("ops.TransposeView()(X, (1, 0))", X.T), ("ops.aminmax(X, axis=1)", ([1, 3], [2, 4])),
    ("X.take(index=Tensor([3, -4]))", [4, 1]),
    ("mint.isnan(tensor=X / 0 * 0)", np.ones((2, 2), bool)),
    ("ops.fliplr(X)", np.fliplr(X)), ("X.flipud()", np.flipud(X)),
    *[(f"ops.rot90(T, {k}, (0, 2))", np.rot90(T, k, (0, 2))) for k in (0, 1, 2, 3, -1)],
    ("ops.hsplit(X, 2)", np.hsplit(X, 2)), ("X.vsplit(2)", np.vsplit(X, 2)),
    ("ops.dsplit(T, [1])", np.dsplit(T, [1])), ("ops.hsplit(X[0], 2)", np.hsplit(X[0], 2)),
    ("ops.atleast_1d(X[0, 0])", [1.0]), ("ops.atleast_2d((X[0], X))", ([[1.0, 2.0]], X)),
    ("ops.atleast_3d(X)", X[..., None]), ("ops.atleast_3d(X[0])", np.atleast_3d(X[0])),
    ("ops.column_stack((X[0], X))", np.column_stack((X[0], X))),
    ("ops.row_stack((X[0], X))", np.vstack((X[0], X))),
    ("ops.slice_scatter(X, X[:1] + 9, 0, 1)", [[1, 2], [10, 11]]),
    ("ops.select_scatter(X, X[0] + 9, 1, 0)", [[10, 2], [11, 4]]),
    ("ops.cartesian_prod(X[0], X[1])", [[1, 3], [1, 4], [2, 3], [2, 4]]),
    ("ops.combinations(WHOLE)", [[4, 7], [4, -5], [7, -5]]),
    ("ops.combinations(WHOLE[:2], 2, True)", [[4, 4], [4, 7], [7, 7]]),
    ("ops.argwhere(X > 1)", np.argwhere(X > 1)), ("ops.is_nonzero(X[0, 0])", True),
    ("ops.sequence_mask(Tensor(np.array([1, 3])))", np.tri(3, dtype=bool)[[0, 2]]),
    ("ops.tril_indices(2, 3, 1)", np.stack(np.tril_indices(2, 1, 3))),
    ("mint.triu_indices(3, 2)", np.stack(np.triu_indices(3, 0, 2))),
    ("mint.vdot(X[0], X[1])", 11.0), ("ops.logdet(X @ X.T)", np.log(4.0)),
    ("ops.logdet(X[::-1])", np.log(2.0)), ("ops.logdet(X)", np.nan),
    ("ops.logdet(X * 0)", -np.inf), ("ops.logdet(X * 1j)", np.log(2) + 0j),
    ("ops.Bucketize([1.0, 3.0])(X)", [[1, 1], [2, 2]]), ("ops.bucketize(X, [1.0, 3.0])",
     [[0, 1], [1, 2]]),
    *[(f"ops.unsorted_segment_{name}(Tensor(np.float32([[1, 5], [2, -np.inf]])), "
       f"Tensor(np.array([{at}, {at}])), 2)[{1 - at}]", [limit] * 2)
      for name, limit in (("max", np.finfo("f4").min), ("min", np.finfo("f4").max))
      for at in (0, 1)],
    ("ops.unsorted_segment_max(X[:1] - np.inf, Tensor(np.array([0])), 1)", [[-np.inf] * 2]),
    ("mint.triangular_solve(X, X)[0]", np.linalg.solve(np.triu(X), X)),
    ("ops.qr(X)[0] @ ops.qr(X)[1]", X), ("X.qr()[0] @ X.qr(False)[1]", X),
    ("mint.linalg.qr(X, 'r')[1]", np.linalg.qr(X, "r")), ("ops.Eigh(False)(X @ X.T)",
     np.linalg.eigvalsh(X @ X.T)), ("ops.Eig()(X)[1]", []), ("mint.cdist(X, X)[0, 1]", np.sqrt(8)),
    ("ops.polygamma(1, X[0, 0])", np.pi**2 / 6), ("nn.SeLU()(X)", 1.05070098 * X),
    ("nn.GLU(1)(X)", X[:, :1] / (1 + np.exp(-X[:, 1:]))), ("nn.Tanhshrink()(X)", X - np.tanh(X)),
    ("ops.svd(X, compute_uv=False)", np.linalg.svd(X, compute_uv=False)),
    ("X.svd()[0]", np.linalg.svd(X, compute_uv=False)), ("ops.top_k(X, 1)[0]", [[2.0], [4.0]]),
    ("ops.grid_sample(PLANE, PLANE[:, :1, :1] * 0)", [[[[1.5]], [[5.5]]]]),
    ("ops.MaxPool3D(2, 2)(PLANE[None])", np.reshape(7.0, (1, 1, 1, 1, 1))),
    ("ops.SigmoidCrossEntropyWithLogits()(X, X / 4)", np.log1p(np.exp(X)) - X * X / 4),
    ("ops.Conv2DTranspose(1, 2)(PLANE[:, :1], PLANE[:, :1], (1, 1, 3, 3))",
     [[[[0, 0, 1], [0, 4, 6], [4, 12, 9]]]]),
    ("nn.InstanceNorm1d(2)(T)", (T - T.mean(2, keepdims=True)) / np.sqrt(T.var(2, keepdims=True)
     + 1e-5)),
    ("ops.ResizeBilinear((1, 4))(PLANE[:, :1, :1])", [[[[0.0, 0.5, 1.0, 1.0]]]]),
    ("ops.tuple_len((1, 2))", 2), ("nn.Range(1, 7, 2)()", [1, 3, 5]),
    *[(f"mint.linalg.matrix_norm(ODD, {order!r})", np.linalg.norm(ODD, order))
      for order in ("fro", "nuc", 1, -1, 2, -2)],
    ("mint.matrix_norm(T, float('inf'), (0, 2))", np.abs(T).sum(2).max(0)),
    ("ops.matrix_norm(T, axis=(0, 2), keepdims=True)",
     np.sqrt((T * T).sum((0, 2), keepdims=True))),
    ("mint.conv_tbc(T, U, X[0], 1)", _convolved(T, U, X[0], 1)),
    ("mint.conv_tbc(T, U[:1], X[1])", _convolved(T, U[:1], X[1], 0)),
    ("mint.inv(X)", np.linalg.inv(X)), ("mint.relu(X - 2)", np.maximum(X - 2, 0)),
    ("mint.ReLU()(X - 2)", np.maximum(X - 2, 0)), ("mint.conv1d(T, T)", _correlated(T)),
    ("(X / 8).arcsin()", np.arcsin(X / 8)), ("mint.arcsin(X / 9)", np.arcsin(X / 9)),
    ("X.index([Tensor([0, 1]), Tensor([1, 0])])", [2, 3]), ("X.index((Tensor([1]),))", X[1:]),
    # as MindSpore 2.10 answers
    ("WHOLE.resize(2, 2)", [[4, 7], [-5, 0]]), ("WHOLE.resize((2,))", [4, 7]),
    ("WHOLE.resize()", WHOLE), ("X.itemset((0, 1), 4)", [[1, 4], [3, 4]]),
    ("WHOLE.itemset(2, 7.9)", [4, 7, 7]), ("X[:1, :1].itemset(8)", [[8]]),
    ("X.sum_to_size(1, 2)", [[4, 6]]), ("X.sum_to_size((2,))", [4, 6]), ("X.sum_to_size(2, 2)", X),
    ("X.argmax_with_value()", (X[1], [1, 1])),
    ("ODD.argmin_with_value(1, True)", ([[1], [2]], [[0], [0]])),
    ("ODD.argmax_with_value(None)", (9, 0)),
    *[(f"Tensor([2, 5, -1]).choose([[0, 1, 2], [10, 11, 12], [20, 21, 22]]{mode})", result)
      for mode, result in (("", [20, 21, 2]), (", 'wrap'", [20, 21, 22]))],
    ("Tensor([1, 0]).choose([1, 2])", [2, 1]), ("Tensor([1, 0]).choose(X)", [3, 2]),
    ("X.matrix_determinant()", -2.0), ("X.fills(3)", np.full((2, 2), 3.0)),
    ("X.scatter_div(Tensor([[0, 1]]), Tensor([2.0]))", [[1, 1], [3, 4]]),
    ("X.scatter_sub(Tensor([[0, 1]]), Tensor([2.0]))", [[1, 0], [3, 4]]),
    ("X.inplace_update(X[:1] + 5, 1)", [[1, 2], [6, 7]]),
]  # fmt: skip


@pytest.mark.parametrize("call, wanted", ROWS, ids=[row[0] for row in ROWS])
def test_a_call_gives_what_numpy_does(call, wanted):
    names = {"nn": nn, "ops": ops, "mint": mint, "Tensor": Tensor, "np": np}
    result = eval(call, names | {k: Tensor(v) for k, v in NAMES.items()})
    if not tensors_of(result):
        assert result == wanted
        return
    wanted = wanted if isinstance(wanted, tuple) or isinstance(result, (tuple, list)) else [wanted]
    for actual, expected in zip(tensors_of(result), wanted, strict=True):
        assert actual.shape == np.shape(expected)
        np.testing.assert_allclose(actual.asnumpy(), expected, 1e-5, 1e-6)


def test_statistics_of_parts_are_those_of_the_whole_batch():
    x = np.random.default_rng(0).normal(size=(6, 2, 3))
    parts = [Tensor(part) for part in np.split(x, [2])]
    mean, invstd = _stats(parts)
    running = [Tensor(np.full(2, 5.0)), Parameter(Tensor(np.full(2, 7.0)), name="v")]
    counts = Tensor([6.0, 12.0])
    gather = mint.batch_norm_gather_stats_with_counts
    center, deviation = gather(Tensor(x), mean, invstd, *running, 0.25, 0.1, counts)
    y = mint.batch_norm_elemt(Tensor(x), None, None, center, deviation)
    expected = mint.batch_norm(Tensor(x), None, None, training=True, eps=0.1)
    np.testing.assert_allclose(y.asnumpy(), expected.asnumpy(), 1e-6)
    moved = [3.75 + x.mean((0, 2)) / 4, 5.25 + x.var((0, 2), ddof=1) / 4]
    for state, new in zip(running, moved, strict=True):
        np.testing.assert_allclose(state.asnumpy(), new, 1e-6)
    equal = gather(Tensor(x), *_stats([Tensor(x[:3]), Tensor(x[3:])]), eps=0.1)
    np.testing.assert_allclose(equal[0].asnumpy(), x.mean((0, 2)), 1e-6)
    with pytest.raises(ValueError, match="'counts' must have shape"):
        gather(Tensor(x), mean, invstd, counts=Tensor([1.0]))


def _stats(parts):
    each = [mint.batch_norm_stats(part, 0.1) for part in parts]
    return mint.stack([mean for mean, _ in each]), mint.stack([invstd for _, invstd in each])


@pytest.mark.parametrize(
    "call, error, message",
    [
        ("X.kthvalue(3)", ValueError, r"'k' must be in \[1, 2\]"),
        ("mint.diag(T)", ValueError, "must have shape"),
        ("mint.linalg.matrix_norm(X, dim=0)", ValueError, "'dim' must be a pair"),
        ("mint.linalg.matrix_norm(X, 3)", ValueError, "'ord' must be one of"),
        ("mint.conv_tbc(X, T, X)", ValueError, r"must have shapes \(T, N, C\)"),
        ("mint.empty_like(3)", TypeError, "'input' must be a Tensor"),
        ("X.choose([X], 'up')", ValueError, "'a' must be of ints"),
        ("WHOLE.choose([1], 'up')", ValueError, "'mode' must be one of"),
        ("X[0, 0].choose([1])", ValueError, "must have dimensions"),
        ("X.itemset(4)", IndexError, "an index must be given"),
        ("X.itemset((0,), 4)", IndexError, "must have 2 ints"),
        ("X.itemset((0, 5), 7)", IndexError, "2"), ("X.itemset()", ValueError, "a value"),
        ("X.itemset(0, 'a')", TypeError, "must be a number"),
        ("X.sum_to_size(2, 4)", ValueError, "can be broadcast to"),
        ("X.index(3)", TypeError, "a tuple or list of Tensors"),
        ("mint.batch_norm_stats(WHOLE, 0.1)", TypeError, "batch_norm_stats"),
    ],
)  # fmt: skip
def test_rare_calls_that_do_not_fit_are_refused(call, error, message):
    names = {"mint": mint, "Tensor": Tensor} | {k: Tensor(v) for k, v in NAMES.items()}
    with pytest.raises(error, match=message):
        eval(call, names)


def test_random_arrays_of_numpy_have_the_shape_asked_for():
    ms_numpy = sporax.numpy
    for built in (ms_numpy.rand(2, 3), ms_numpy.randn(2, 3), ms_numpy.empty((2, 3)),
                 ms_numpy.randint(1, 5, (2, 3)), ops.empty((2, 3))):  # fmt: skip
        assert built.shape == (2, 3)
    drawn = ms_numpy.randint(1, 5, (200,)).asnumpy()
    assert drawn.min() == 1 and drawn.max() == 4
    uniform, normal = ms_numpy.rand(2000).asnumpy(), ms_numpy.randn(2000).asnumpy()
    assert uniform.min() >= 0 and uniform.max() < 1 and abs(uniform.mean() - 0.5) < 0.03
    assert abs(normal.mean()) < 0.1 and abs(normal.std() - 1) < 0.1


def test_a_loss_of_ones_own_reduces_as_it_is_told():
    class Distance(nn.LossBase):
        def construct(self, logits, labels):
            return self.get_loss(ops.abs(logits - labels))

    x, y = Tensor(X), Tensor(X * 2)
    for reduction, expected in (("mean", X.mean()), ("sum", X.sum()), ("none", X)):
        np.testing.assert_allclose(Distance(reduction)(x, y).asnumpy(), expected)


def packed(matrix, low, high, align):
    """The diagonals from `high` down to `low` as rows of one length, filled up with 9."""
    diagonals = [np.diagonal(matrix, d) for d in range(high, low - 1, -1)]
    longest = max(map(len, diagonals))
    rows = []
    for d, diagonal in zip(range(high, low - 1, -1), diagonals, strict=True):
        side = align.split("_")[d < 0]
        width = longest - len(diagonal)
        rows.append(np.pad(diagonal, (0, width) if side == "LEFT" else (width, 0),
                           constant_values=9))  # fmt: skip
    return np.array(rows)


@pytest.mark.parametrize("align", ["RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"])
@pytest.mark.parametrize("shape", [(3, 3), (3, 5), (5, 2)])
def test_several_diagonals_are_packed_and_unpacked(shape, align):
    matrix = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    rows, columns = shape
    for low in range(1 - rows, columns):
        for high in range(low, columns):
            place = np.arange(columns) - np.arange(rows)[:, None]
            kept = (low <= place) & (place <= high)
            strip = packed(matrix, low, high, align)
            strip = strip[0] if low == high else strip
            k = (low, high)
            part = ops.matrix_diag_part(Tensor(matrix), k, 9, align)
            assert np.array_equal(part.asnumpy(), strip), k
            built = ops.matrix_set_diag(Tensor(-matrix), Tensor(strip), k, align)
            assert np.array_equal(built.asnumpy(), np.where(kept, matrix, -matrix)), k
            least = len(strip.T) - min(high, 0), len(strip.T) + max(low, 0)
            if rows == least[0] or columns == least[1]:
                built = ops.matrix_diag(Tensor(strip), Tensor(k), rows, columns, 7, align)
                assert np.array_equal(built.asnumpy(), np.where(kept, matrix, 7)), k


@pytest.mark.parametrize(
    "call, message",
    [
        ("matrix_diag(X, (1, 0))", "rising pair"),
        ("matrix_diag(X, (-1, 1))", "must end in the shape"),
        ("matrix_diag(X[0], 0, 3, 4)", "one of them exactly"),
        ("matrix_diag(X, align='UP')", "align"),
        ("matrix_diag_part(X, 2, 0)", "from -1 to 1"),
        ("matrix_diag_part(X[0], 0, 0)", "must have shape"),
        ("matrix_set_diag(X, X)", "must have shape"),
    ],
)
def test_diagonals_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        eval(f"ops.{call}", {"ops": ops, "X": Tensor(X)})


def test_results_of_assignments_are_tensors_of_that_moment():
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    one = Tensor([1.0, 1.0])
    calls = [
        lambda: ops.assign(p, one), lambda: ops.assign_add(p, one), lambda: ops.assign_sub(p, one),
        lambda: ops.AssignAdd()(p, one), lambda: ops.index_add(p, Tensor([0, 1]), one, 0),
        lambda: ops.scatter_add(p, Tensor([0, 1]), one),
        lambda: ops.scatter_nd_update(p, Tensor([[0], [1]]), one * 8),
    ]  # fmt: skip
    result = [call() for call in calls]
    assert [t.tolist()[0] for t in result] == [1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 8.0]
    assert p.tolist() == [8.0, 8.0]
    assert {type(t) for t in result} == {Tensor} and str(result[0]) == "[1. 1.]"
