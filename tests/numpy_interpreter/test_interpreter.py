"""Jaxprs run on NumPy, against the same functions compiled by XLA."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from sporax import ops
from sporax._src.core.jax_internals import CALLS
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of
from sporax._src.core.value import Aval, thread
from sporax._src.runtime.engine.program import TraceFunction
from sporax._src.runtime.engine.recorder import Recorder, run_pending
from sporax._src.runtime.numpy_interpreter.control import CONTROL
from sporax._src.runtime.numpy_interpreter.elementwise import ELEMENTWISE, ELEMENTWISE_RULES
from sporax._src.runtime.numpy_interpreter.plans import THIN, Unsupported, evaluate, plan, supported
from sporax._src.runtime.numpy_interpreter.polymorphic_plan import plan_for_these_sizes
from sporax._src.runtime.numpy_interpreter.primitives import RULES, SAME
from sporax._src.runtime.xla_kernels.recurrence import SCANNED
from tests.samples import collect

pytestmark = pytest.mark.usefixtures("on_numpy")

KEY = np.array([7, 11], np.uint32)
RNG = np.random.default_rng(0)


def floats(*shape, dtype=np.float32, low=-2.0, high=2.0):
    return RNG.uniform(low, high, shape).astype(dtype)


def whole(*shape, low=-9, high=9, dtype=np.int32):
    return RNG.integers(low, high, shape).astype(dtype)


X, Y, Z = floats(4, 6), floats(4, 6), floats(3, 4, 6)
P = floats(4, 6, low=0.1, high=0.9)  # within every function's domain
N, M = whole(4, 6), whole(4, 6)
EDGES = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e30, 0.5, -2.5, 3.5], np.float32)
LIMITS = np.array([-(2**31), 2**31 - 1, -7, 7, 0, 3], np.int32)
DIVISORS = np.array([-1, 0, 2, -2, 0, -5], np.int32)
HALF = X.astype(jnp.bfloat16)


def attention(q, k, v, mask):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.float32(2)
    weights = jax.nn.softmax(jnp.where(mask, scores, -jnp.inf), -1)
    return jnp.einsum("bhqk,bkhd->bqhd", weights, v)


def layer_norm(x, gain, bias):
    centred = x - x.mean(-1, keepdims=True)
    return centred * lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * gain + bias


def cross_entropy(logits, labels):
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1)
    return -chosen.mean()


def adam(p, g, m, v, t):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    rate = 1e-3 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    return p - (rate * m / (jnp.sqrt(v) + 1e-8)).astype(p.dtype), m, v


@jax.custom_vjp
def clipped_slope(x):
    return jnp.sin(x)


clipped_slope.defvjp(lambda x: (jnp.sin(x), x), lambda x, g: (jnp.clip(g * jnp.cos(x), -1, 1),))


def dropout(x, key):
    return jnp.where(jax.random.bernoulli(key, 0.7, x.shape), x / 0.7, 0)


def largest_and_place(*axes):
    """The largest of numbers that all differ, and its place, in one reduction."""

    def larger(a, b):
        is_first = a[0] >= b[0]
        return jnp.where(is_first, a[0], b[0]), jnp.where(is_first, a[1], b[1])

    start = jnp.int32(-1), jnp.int32(-1)
    return lambda x, at: lax.reduce((x, at), start, larger, axes)


def recurrent(x, w):
    def step(h, row):
        h = jnp.tanh(row + h @ w)
        return h, h * 2

    return lax.scan(step, jnp.zeros(x.shape[1], x.dtype), x)


def loop(x):
    return lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] * 1.5), (0, x))


def doublings(n):
    return lax.while_loop(lambda c: c < n, lambda c: c * 2, n / 9)


def branch(x, n):
    return lax.switch(n, [jnp.sin, jnp.cos, lambda x: x * 2], x)


SMOOTH = "tanh sin cos tan exp exp2 expm1 sinh cosh arcsinh arctan cbrt square negative reciprocal"
WITHIN = "log log1p sqrt arcsin arccos arctanh abs sign"
ACTIVATIONS = (
    "relu relu6 sigmoid silu softplus gelu elu selu leaky_relu hard_tanh hard_sigmoid hard_swish "
    "log_sigmoid softmax log_softmax soft_sign celu glu standardize logsumexp mish squareplus"
)
# functions of floats, of which the gradient is checked too: name, function, arrays
DIFFERENTIABLE = [
    *[(name, getattr(jnp, name), X) for name in SMOOTH.split()],
    *[(name, getattr(jnp, name), P) for name in WITHIN.split()],
    *[(name, getattr(jax.nn, name), X) for name in ACTIVATIONS.split()],
    ("gelu-exact", lambda x: jax.nn.gelu(x, approximate=False), 3 * X),
    ("gelu-double", lambda x: jax.nn.gelu(x, approximate=False), 3 * X.astype(np.float64)),
    ("erf", lax.erf, 3 * X),
    ("erf-double", lax.erf, 3 * X.astype(np.float64)),
    ("erfc", lax.erfc, 4 * X),
    ("erfc-double", lax.erfc, 4 * X.astype(np.float64)),
    ("erf-inverse", lax.erf_inv, P),
    ("erf-inverse-double", lax.erf_inv, 0.49 * X.astype(np.float64)),
    ("rsqrt", lax.rsqrt, P),
    ("power", jnp.power, P, Y),
    ("power-whole", lax.pow, P, N % 4),
    ("power-cubed", lambda x: x**3, X),
    ("power-inverse", lambda x: x**-3, P),
    ("arctan2", jnp.arctan2, X, Y),
    ("remainder", lax.rem, 9 * X, Y),
    ("mod", jnp.mod, 9 * X, Y),
    ("clamp", lambda x: jnp.clip(x, -1, 1), X),
    ("maximum", jnp.maximum, X, Y[:1]),
    ("where", lambda x, y: jnp.where(x > y, x, y * y), X, Y),
    ("layer-norm", layer_norm, Z, X[0], X[1]),
    ("attention", attention, floats(2, 5, 3, 4), floats(2, 7, 3, 4), floats(2, 7, 3, 4),
     np.tri(5, 7, dtype=bool)),
    ("cross-entropy", cross_entropy, X, whole(4, low=0, high=6)),
    ("one-hot-cross-entropy", lambda x, n: (jax.nn.one_hot(n, 6) * jax.nn.log_softmax(x)).sum(),
     X, np.array([1, 0, 5, 6])),
    ("dropout", dropout, X, KEY),
    ("adam", adam, X, Y, X, P, np.float64(3)),
    ("sum", jnp.sum, X),
    ("sums", lambda x: x.sum((0, 2)), Z),
    ("mean", lambda x: x.mean(1, keepdims=True), Z),
    ("variance", lambda x: jnp.var(x, 0, ddof=1), Z),
    ("max", lambda x: x.max((1, 2)), Z),
    ("min", lambda x: x.min(0), Z),
    ("prod", lambda x: x.prod(1), Z),
    ("norm", lambda x: jnp.linalg.norm(x, axis=1), X),
    ("cumsum", lambda x: jnp.cumsum(x, 1), Z),
    ("cumsum-back", lambda x: lax.cumsum(x, 1, reverse=True), Z),
    ("cumprod", lambda x: jnp.cumprod(x, 2), Z),
    ("cummax", lambda x: lax.cummax(x, 2), Z),
    ("cumlogsumexp", lambda x: lax.cumlogsumexp(x, 1), Z),
    ("sort", lambda x: jnp.sort(x, 1), Z),
    ("sort-two", lambda x, y: lax.sort((x, y), dimension=1, num_keys=1), X, Y),
    ("top-k", lambda x: lax.top_k(x, 3), X),
    ("matmul", jnp.matmul, Z, X.T),
    ("matmul-batch", jnp.matmul, Z, floats(3, 6, 5)),
    ("matvec", jnp.matmul, Z, X[0]),
    ("outer", jnp.outer, X[0], Y[1]),
    ("einsum", lambda x, y: jnp.einsum("abc,bdc->dab", x, y), Z, floats(4, 5, 6)),
    ("tensordot", lambda x, y: jnp.tensordot(x, y, ((0, 2), (1, 0))), Z, floats(6, 3, 2)),
    ("transpose", lambda x: x.transpose(2, 0, 1).reshape(6, -1), Z),
    ("concatenate", lambda x, y: jnp.concatenate([x, y[:, :2]], 1), X, Y),
    ("stack", lambda x, y: jnp.stack([x, y], 1), X, Y),
    ("split", lambda x: jnp.split(x, [2, 3], 1), X),
    ("pad", lambda x: jnp.pad(x, ((1, 2), (0, 3)), constant_values=5), X),
    ("pad-negative", lambda x: lax.pad(x, np.float32(1), ((-1, 2, 0), (1, -2, 2))), X),
    ("pad-cropped", lambda x: lax.pad(x, np.float32(1), ((-5, 3, 1), (-2, -1, 3))), X),
    ("reflect", lambda x: jnp.pad(x, 2, mode="reflect"), X),
    ("slice", lambda x: x[1:, ::2], X),
    ("reverse", lambda x: x[::-1, ::-2], X),
    ("tile", lambda x: jnp.tile(x, (2, 3)), X),
    ("repeat", lambda x: jnp.repeat(x, 3, 1), X),
    ("roll", lambda x: jnp.roll(x, 2, 1), X),
    ("triangle", jnp.tril, X),
    ("diagonal", jnp.diagonal, X),
    ("dynamic-slice", lambda x, i: lax.dynamic_slice(x, (i, i), (2, 3)), X, np.int32(4)),
    ("dynamic-update", lambda x, y, i: lax.dynamic_update_slice(x, y, (i, i)), X, Y[:2, :3],
     np.int32(-1)),
    ("embedding", lambda w, n: jnp.take(w, n, 0), floats(9, 5), whole(3, 4, low=0)),
    ("take-outside", lambda w, n: jnp.take(w, n, 1), X, np.array([0, 7, -1, -8, 5])),
    ("take-clip", lambda w, n: jnp.take(w, n, 1, mode="clip"), X, np.array([0, 7, -1, -8])),
    ("take-wrap", lambda w, n: jnp.take(w, n, 1, mode="wrap"), X, np.array([0, 7, -1, -8])),
    ("take-along", lambda x, n: jnp.take_along_axis(x, n, 1), X, whole(4, 3, low=0, high=6)),
    ("take-along-first", lambda x, n: jnp.take_along_axis(x, n, 0), X, whole(2, 6, low=0, high=4)),
    ("index-array", lambda x, n: x[n], X, np.array([[1, 1], [3, -1]])),
    ("index-two", lambda x, n: x[n, :, n], Z, np.array([2, 0, 2, -1])),
    ("index-mixed", lambda x, n: x[:, n, 1:3], Z, np.array([2, 0, 2])),
    ("index-number", lambda x, i: x[i], X, np.int64(2)),
    ("index-none", lambda x, n: x[n, None, ..., n[::-1]], Z, np.array([2, 0])),
    ("set", lambda x, n, y: x.at[n].set(y), X, np.array([2, 0]), Y[:2]),
    ("set-slice", lambda x, y: x.at[1:3, ::2].set(y), X, Y[:2, :3]),
    ("set-outside", lambda x, n, y: x.at[:, n].set(y), X, np.array([2, 9]), Y[:, :2]),
    ("add-at", lambda x, n, y: x.at[n].add(y), X, np.array([2, 0, 2, 7]), Y),
    ("add-at-one", lambda x, n: x.at[n, n].add(2), X, np.array([2, 0, 2])),
    ("add-window", lambda x, y, i: lax.scatter_add(
        x, i, y, lax.ScatterDimensionNumbers((1, 2), (), (0, 1)), mode="clip"),
     X, floats(2, 2, 3), np.array([[1, 1], [3, 5]])),
    ("add-whole", lambda x, y: lax.scatter_add(
        x, np.zeros((3, 2), int), y, lax.ScatterDimensionNumbers((1, 2), (), (0, 1)), mode="clip"),
     X, floats(3, *X.shape)),
    ("multiply-at", lambda x, n, y: x.at[n].multiply(y, unique_indices=True), X,
     np.array([2, 0]), Y[:2]),
    ("subtract-at", lambda x, n, y: x.at[n].subtract(y), X, np.array([2, 0, 2]), Y[:3]),
    ("max-at", lambda x, n, y: x.at[n].max(y), X, np.array([2, 0, 2]), Y[:3]),
    ("segment-sum", lambda x, n: jax.ops.segment_sum(x, n, 3), X, np.array([2, 0, 2, 1])),
    ("gather-rows", jax.vmap(lambda x, n: x[n]), Z, whole(3, 5, low=0, high=4)),
    ("gather-window", jax.vmap(lambda x, i: lax.dynamic_slice(x, (i, 0), (2, 6))), Z,
     np.array([0, 3, 1])),
    ("scan", recurrent, X, floats(6, 6)),
    ("switch", branch, X, np.int32(7)),
    ("custom-derivative", clipped_slope, X),
    ("checkpoint", jax.checkpoint(lambda x: jnp.sin(jnp.exp(x))), X),
    ("half", lambda x: jax.nn.softmax(jnp.tanh(x) @ x.T) * 3, HALF),
    ("float16", lambda x: jax.nn.gelu(x).sum(0), X.astype(np.float16)),
    ("mixed", lambda x, y: jnp.dot(x, y, preferred_element_type=np.float32), HALF, HALF.T),
    ("empty", lambda x: jnp.concatenate([x[:0].sum(0), x[0]]) * 2, X),
]  # fmt: skip
# functions whose results must be equal bit for bit
PLACES = np.arange(60, dtype=np.int32).reshape(3, 4, 5)
MIXED = PLACES * 37 % 61
EXACT = [
    ("bits", lambda k: [jax.random.bits(k, (5, 7), t) for t in ("uint8", "uint16", "uint32")], KEY),
    ("bits-double", lambda k: jax.random.bits(k, (40_000,), "uint64"), KEY),
    ("bits-keys", jax.vmap(lambda k: jax.random.bits(k, (2,))), whole(3, 2, low=0, dtype="u4")),
    ("uniform", lambda k: jax.random.uniform(k, (3, 5), np.float32), KEY),
    ("bernoulli", lambda k: jax.random.bernoulli(k, 0.3, (300, 200)), KEY),
    ("permutation", lambda k: jax.random.permutation(k, 10), KEY),
    ("randint", lambda k: jax.random.randint(k, (50,), -3, 1000), KEY),
    ("split", lambda k: jax.random.split(k, 3), KEY),
    ("fold", lambda k, n: jax.random.fold_in(k, n), KEY, np.int64(5)),
    ("seed", lambda n: jax.random.bits(jax.random.key(n), (3,)), np.int64(2**40 + 5)),
    ("categorical", lambda k, x: jax.random.categorical(k, x), KEY, X),
    ("divide", lax.div, LIMITS, DIVISORS),
    ("divide-unsigned", lax.div, LIMITS.view(np.uint32), DIVISORS.view(np.uint32)),
    ("remainder", lax.rem, LIMITS, DIVISORS),
    ("floor-divide", lambda x, y: (x // y, x % y), N, np.where(M == 0, 1, M)),
    ("power", lambda x: x**5, N),
    ("shift-left", lax.shift_left, N, np.arange(24, dtype=np.int32).reshape(4, 6) * 2),
    ("shift-right", lax.shift_right_arithmetic, N, np.full_like(N, 40)),
    ("shift-logical", lax.shift_right_logical, N, np.full_like(N, 3)),
    ("logic", lambda x, y: (x & y, x | y, x ^ y, ~x, ~(x > y), (x > y) ^ (x == 0)), N, M),
    ("count", lax.population_count, N),
    ("compare", lambda x, y: (x < y, x <= y, x == y, x != y, x >= y, x > y), EDGES, EDGES[::-1]),
    ("largest", lambda x: (x.max(), x.min(), jnp.maximum(x, 0), x.argmax(), x.argmin()), EDGES),
    ("nothing", lambda x: (lax.reduce_max_p.bind(x[:0], axes=(0,), out_sharding=None)), EDGES),
    ("signs", lambda x: (jnp.sign(x), jnp.abs(x), -x, jnp.isfinite(x), jnp.isnan(x)), EDGES),
    ("round", lambda x: (jnp.round(x), lax.round(x), jnp.floor(x), jnp.ceil(x)), EDGES),
    ("to-integer", lambda x: [x.astype(t) for t in ("int8", "uint8", "int32", "int64")], EDGES),
    ("to-bool", lambda x: x.astype(bool), EDGES),
    ("cumsum-half", lambda x: (jnp.cumsum(x, 0), jnp.cumprod(x, 0)), X.astype(np.float16)),
    ("to-half", lambda x: (x.astype(jnp.bfloat16), x.astype(np.float16)), EDGES),
    ("narrow", lambda x: (x.astype(np.int8), x.astype(np.uint8), x.astype(bool)), LIMITS),
    ("sum-integers", lambda x: (x.sum(0), x.prod(1), jnp.cumsum(x, 1)), LIMITS.reshape(2, 3)),
    ("any", lambda x: ((x > 0).any(0), (x > 0).all(1), jnp.argmax(x > 0, 1)), N),
    ("sort", lambda x: (jnp.sort(x), jnp.argsort(x, stable=True)), EDGES),
    ("sort-integers", lambda x: (jnp.sort(x, 0), jnp.argsort(x, 1), jnp.unique(x, size=7)), N),
    ("sort-keys", lambda x, y: lax.sort((x, y, x), dimension=1, num_keys=2), N // 4, M),
    ("top-k", lambda x: lax.top_k(x, 4), N),
    ("bitcast", lambda x: lax.bitcast_convert_type(x, np.uint8), X),
    ("bitcast-back", lambda x: lax.bitcast_convert_type(x, np.float32), whole(3, 2, dtype="u2")),
    ("constants", lambda: (jnp.arange(5), jnp.eye(3), jnp.zeros((2, 3)), jnp.tri(3))),
    ("nonzero", lambda x: jnp.nonzero(x, size=5, fill_value=-1), N),
    ("searchsorted", lambda x, y: jnp.searchsorted(x, y), np.sort(X[0]), Y),
    ("bincount", lambda x: jnp.bincount(x, length=9), np.abs(N).ravel()),
    ("while", loop, np.float32(1)),
    ("reduce along an axis", largest_and_place(1), MIXED, PLACES),
    ("reduce along two axes", largest_and_place(0, 2), MIXED, PLACES),
    ("reduce of nothing", largest_and_place(0), MIXED[:0], PLACES[:0]),
    ("while of a batch", jax.vmap(doublings), np.float32([1, 8, 3])),
    ("unused", lambda x, y: (x, x, y[0]), X, Y),
    ("next", lambda x: jnp.nextafter(x, x + 1), X),
]  # fmt: skip


# primitives of `jax.lax` without a rule: decompositions, special functions, transforms, windows,
# collectives, references, complex numbers, and what only JAX itself makes
WITHOUT_RULE = {
    "after_all", "all_gather", "all_to_all", "approx_top_k", "axis_index", "bessel_i0e",
    "bessel_i1e", "call", "clz", "complex", "conj", "create_token", "custom_lin",
    "custom_linear_solve", "dce_sink", "digamma", "eig", "eigh", "fft", "get", "hessenberg",
    "householder_product", "igamma", "igamma_grad_a", "igammac", "imag", "lgamma", "lu", "mulhi",
    "pmax", "pmin", "polygamma", "ppermute", "psum", "qr", "ragged_all_to_all", "random_gamma",
    "real", "reduce_window", "reduce_window_max", "reduce_window_min", "reduce_window_sum",
    "regularized_incomplete_beta", "rng_bit_generator", "rng_uniform", "schur",
    "select_and_gather_add", "select_and_scatter", "select_and_scatter_add", "sharding_constraint",
    "stage", "svd", "swap", "tridiagonal", "tridiagonal_solve", "zeta",
}  # fmt: skip


def test_every_primitive_of_this_jax_is_known():
    """One that a new JAX adds gets a rule, or stands in the list above."""
    public = [*vars(lax).values(), *vars(jax.extend.core.primitives).values()]
    names = {p.name for p in public if isinstance(p, jax.extend.core.Primitive)}
    tables = (CALLS, CONTROL, ELEMENTWISE, ELEMENTWISE_RULES, RULES, SAME, SCANNED, THIN)
    assert names - set().union(*tables) - {"conv_general_dilated"} <= WITHOUT_RULE


def both(function, arrays):
    """What NumPy and XLA make of a function."""
    closed = jax.make_jaxpr(function)(*arrays)
    assert supported(closed) is None
    return evaluate(closed, *arrays), jax.tree.leaves(jax.jit(function)(*arrays)), closed


def assert_same(function, arrays, tolerance):
    result, expected, closed = both(function, arrays)
    assert len(result) == len(expected)
    kinds = [a.dtype for a in arrays if jnp.issubdtype(a.dtype, jnp.floating)]
    for actual, reference, aval in zip(result, expected, closed.out_avals, strict=True):
        assert type(actual) is np.ndarray
        assert (actual.shape, actual.dtype) == (aval.shape, aval.dtype)
        reference = np.asarray(reference)
        if actual.dtype == jnp.bfloat16:
            actual, reference = actual.astype(np.float32), reference.astype(np.float32)
        if tolerance is None or actual.dtype.kind in "iub":
            np.testing.assert_array_equal(actual, reference)
        else:
            eps = max(jnp.finfo(t).eps for t in (aval.dtype, *kinds)) * tolerance
            np.testing.assert_allclose(actual, reference, float(eps), float(eps))


@pytest.mark.parametrize("row", EXACT, ids=lambda row: row[0])
def test_exact_results(row):
    assert_same(row[1], row[2:], None)


@pytest.mark.parametrize("row", DIFFERENTIABLE, ids=lambda row: row[0])
def test_results_and_pullbacks(row):
    _, function, *arrays = row
    assert_same(function, arrays, 16)
    places = [i for i, a in enumerate(arrays) if jnp.issubdtype(a.dtype, jnp.floating)]

    def pullback(*arrays):
        arrays = list(arrays)

        def primal(*chosen):
            for i, x in zip(places, chosen, strict=True):
                arrays[i] = x
            outs = jax.tree.leaves(function(*arrays))
            return [o for o in outs if jnp.issubdtype(o.dtype, jnp.floating)]

        outs, pull = jax.vjp(primal, *[arrays[i] for i in places])
        weights = [np.cos(np.arange(o.size)) for o in outs]
        return pull(
            [w.reshape(o.shape).astype(o.dtype) for w, o in zip(weights, outs, strict=True)]
        )

    assert_same(pullback, arrays, 64)


def test_results_share_no_memory():
    x = X.copy()
    closed = jax.make_jaxpr(lambda x: (x, x, x.T, x[1:], x.reshape(-1), jnp.zeros(3)))(x)
    outs = [*evaluate(closed, x), *evaluate(closed, x)]
    for out in outs:
        assert out.flags.writeable
        out[:] = 7
    assert (x == X).all()


def test_what_is_missing_is_named_if_it_is_needed():
    def convolved(x, w):
        return lax.conv(x, w, (1, 1), "SAME"), x + 1

    arrays = [x.astype(np.float64) for x in (floats(1, 1, 5, 5), floats(1, 1, 3, 3))]
    assert supported(jax.make_jaxpr(convolved)(*arrays)) == "conv_general_dilated"
    assert supported(jax.make_jaxpr(lambda *a: convolved(*a)[1])(*arrays)) is None
    assert supported(jax.make_jaxpr(jnp.conj)(X + 1j)) == "complex64"


def test_equal_and_needless_steps_are_dropped():
    def twice(x):
        jnp.tan(x)
        return jnp.sin(x) @ x.T + jnp.sin(x) @ x.T

    built = plan(jax.make_jaxpr(twice)(X))
    assert len(built.steps) == 4


def test_the_work_of_loops_is_that_of_their_turns():
    def turns(n):
        return lambda x: lax.scan(lambda c, _: (jnp.tanh(c @ c), None), x, None, length=n)[0]

    def until(x):
        return lax.while_loop(lambda c: c.sum() < 9, lambda c: c + 1, x)

    x = floats(5, 5)
    once, often, ever = (plan(jax.make_jaxpr(f)(x)).work for f in (turns(1), turns(70), until))
    assert often == 70 * once > 70 * 5**3
    assert ever == math.inf


SAMPLES = collect("SAMPLES")
# primitives and dtypes without a rule: sliding windows, gamma functions, decompositions, spectra,
# random draws that try until they succeed, functions on the host
LEFT_TO_XLA = {
    *("conv_general_dilated", "reduce_window", "reduce_window_max", "reduce_window_min"),
    *("reduce_window_sum", "select_and_gather_add", "select_and_scatter_add"),
    *("lgamma", "digamma", "polygamma", "igamma", "igammac", "bessel_i0e", "bessel_i1e", "zeta"),
    *("regularized_incomplete_beta", "lu_pivots_to_permutation"),
    *(
        "eigh",
        "eig",
        "lu",
        "qr",
        "householder_product",
        "svd",
        "custom_linear_solve",
        "schur",
        "hessenberg",
        "tridiagonal",
        "geqrf",
    ),
    *("fft", "complex64", "complex128", "clz", "key<fry>", "pure_callback"),
}


def interpreted(function):
    """What recording `function` gives, run on NumPy: a list of arrays."""
    run_pending()
    thread.recorder = recorder = Recorder()
    values = [t._value for t in tensors_of(function())]
    layout = TraceFunction(recorder.state.path())
    assert thread.recorder is recorder, "it ran before it was interpreted"
    arrays = [np.asarray(a) for a in recorder.arrays]
    n = len(arrays)
    arrays += [np.float64(v.array) for v in recorder.reals]
    arrays += [np.int64(v.array) for v in recorder.integers]
    offset = {"input": 0, "real": n, "integer": n + len(recorder.reals)}
    steps = [
        (rule, op, [i if kind == "output" else ~(i + offset[kind]) for kind, i in places])
        for op, rule, places in layout.steps
    ]
    thread.recorder = Recorder()
    expected = [v.index for v in values]
    inputs = [Aval.intern(a.shape, a.dtype) for a in arrays]
    return plan_for_these_sizes(steps, inputs, expected)(*arrays)


def unless_left_to_xla(function):
    """`interpreted`; it skips the test where a primitive is known to have no rule."""
    try:
        return interpreted(function)
    except Unsupported as missing:
        name = str(missing)
        assert LEFT_TO_XLA & {name, name.partition(" (")[2].rstrip(")")}, f"no rule for {name}"
        pytest.skip(f"{name} is left to XLA")


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_operations_match_numpy(sample):
    arrays = sample.arrays(np.float32)
    wide = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in arrays]
    expected = sample.ref(*wide, **sample.attrs)
    expected = expected if isinstance(expected, (tuple, list)) else [expected]
    result = unless_left_to_xla(lambda: sample.call(ops, [Tensor(a) for a in arrays]))
    for actual, ref in zip(result, expected, strict=True):
        assert actual.shape == np.shape(ref)
        np.testing.assert_allclose(actual, ref, rtol=sample.rtol, atol=sample.atol)
