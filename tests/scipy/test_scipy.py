"""`scipy`'s names against SciPy itself."""

import functools

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import scipy.optimize

import sporax.scipy
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of
from sporax.scipy import fft, linalg, optimize
from sporax.scipy import ops as primitives

pytestmark = pytest.mark.usefixtures("on_numpy")

rng = np.random.default_rng(5)
A = rng.uniform(-1, 1, (3, 3)) + 2 * np.eye(3)
S = A @ A.T
B = rng.uniform(-1, 1, (3, 2))
TALL = rng.uniform(-1, 1, (4, 2))
NAMES = {"A": A, "S": S, "B": B, "b": B[:, 0].copy(), "TALL": TALL, "C": A[0].copy()}

LINALG = """
block_diag(A, B) | inv(A) | cholesky(S) | cholesky(S, lower=True) | lu(A) | lu(TALL)
lu(A, permute_l=True) | lu_factor(A) | cho_solve(cho_factor(S), B)
cho_solve((cholesky(S, lower=True), True), b) | eigh(S, eigvals_only=True) | eigh(S)[0]
solve_triangular(A, B) | solve_triangular(A, b, trans="T") | solve_triangular(A, b, 1, True, True)
lstsq(TALL, TALL[:, 0] + 1) | lstsq(A, B)[0]
"""
FFT = (
    "dct(A) | dct(A, norm='ortho', axis=0) | idct(A) | dctn(A) | idctn(A) | dct(A, norm='backward')"
)
# MindSpore's are orthonormal, unless 'norm' says otherwise
ORTHONORMAL = {
    name: functools.partial(getattr(scipy.fft, name), norm="ortho")
    for name in ("dct", "idct", "dctn", "idctn")
}


def rows(text):
    return text.strip().replace("\n", " | ").split(" | ")


@pytest.mark.parametrize("call", rows(LINALG))
def test_linalg_gives_what_scipy_does(call):
    compare(call, linalg, vars(scipy.linalg))


@pytest.mark.parametrize("call", rows(FFT))
def test_fft_gives_what_scipy_does(call):
    compare(call, fft, ORTHONORMAL)


def compare(call, actual, reference):
    expected = eval(call, reference | NAMES)
    result = eval(call, vars(actual) | {k: Tensor(v) for k, v in NAMES.items()})
    expected = expected if isinstance(expected, tuple) else [expected]
    for ours_, theirs_ in zip(tensors_of(result), expected, strict=True):
        np.testing.assert_allclose(ours_.asnumpy(), theirs_, 1e-6, 1e-9)


def test_eigenvectors_solve_their_equation():
    values, vectors = linalg.eigh(Tensor(S))
    np.testing.assert_allclose(S @ vectors.asnumpy(), vectors.asnumpy() * values.asnumpy())
    values, vectors = primitives.Eig()(Tensor(A))
    np.testing.assert_allclose(A @ vectors.asnumpy(), vectors.asnumpy() * values.asnumpy())
    assert primitives.Eig(False)(Tensor(A))[1].size == 0


def test_primitives_give_what_the_functions_do():
    packed, pivots, permutation = primitives.LU()(Tensor(A))
    p, lower, upper = linalg.lu(Tensor(A))
    np.testing.assert_allclose(permutation.asnumpy() @ A, (lower @ upper).asnumpy())
    np.testing.assert_allclose(packed.asnumpy(), scipy.linalg.lu_factor(A)[0])
    x = primitives.SolveTriangular(lower=True, trans="T")(Tensor(A), Tensor(B))
    expected = scipy.linalg.solve_triangular(A, B, 1, lower=True)
    np.testing.assert_allclose(x.asnumpy(), expected)
    assert p.shape == (3, 3) and pivots.shape == (3,)


@pytest.mark.parametrize("maximize", [False, True])
def test_assignments_are_scipys_also_captured(maximize):
    cost = rng.uniform(0, 1, (3, 5))
    expected = scipy.optimize.linear_sum_assignment(cost, maximize)
    for solve in (optimize.linear_sum_assignment, jit(optimize.linear_sum_assignment)):
        for actual, reference in zip(solve(Tensor(cost), maximize), expected, strict=True):
            np.testing.assert_array_equal(actual.asnumpy(), reference)
    limited = primitives.LinearSumAssignment()(Tensor(np.eye(3) * -1 + 3), Tensor(2), maximize)
    assert limited[0].tolist()[2] == -1


def test_minimize_finds_rosenbrocks_valley():
    def valley(x):
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    for method in (None, "BFGS", "LBFGS"):
        start = Tensor(np.array([0.5, 0.7, 0.9]))
        result = optimize.minimize(valley, start, method=method, options={"maxiter": None})
        np.testing.assert_allclose(result.x.asnumpy(), np.ones(3), atol=1e-4)
        assert result.fun.item() < 1e-8


def _bowl(x):
    return ((x - 3) ** 2).sum()


def _valley(x):
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


# function, start, direction; what MindSpore 2.10 gives: failed, nit, k, a_k, f_k, status; nfev
SEARCHES = {
    "bowl": (_bowl, [0.0, 0.5], [6.0, 5.0], (False, 1, 2, 0.5, 0.0, 0), 3),
    "flat": (_bowl, [0.0, 0.5], [0.06, 0.05], (False, 4, 5, 8.0, 10.7603989, 0), 5),
    "valley": (_valley, [-1.2, 1.0], [215.6, 88.0], (False, 1, 2, 9.3831e-4, 4.750584, 0), 11),
    "uphill": (lambda x: (x**2).sum(), [1.0, 1.0], [1.0, 1.0], (True, 1, 2, 1.0, 2.0, 1), None),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_line_search_gives_what_mindspores_does(name):
    f, x, p, expected, evaluations = SEARCHES[name]
    x, p = Tensor(np.array(x, np.float32)), Tensor(np.array(p, np.float32))
    for jac in (None, sporax.grad(f)):
        result = optimize.line_search(f, x, p, jac)
        fields = [getattr(result, n) for n in ("failed", "nit", "k", "a_k", "f_k", "status")]
        np.testing.assert_allclose(fields, expected, rtol=1e-5)
        assert evaluations in (None, result.nfev, result.ngev)
    slope = sporax.grad(f)
    if not result.failed:  # the strong Wolfe conditions
        first, last = (float((g * p).sum()) for g in (slope(x), result.g_k))
        assert result.f_k <= float(f(x)) + 1e-4 * result.a_k * first
        assert abs(last) <= 0.9 * abs(first)
    known = optimize.line_search(f, x, p, gfk=slope(x), old_fval=f(x))
    assert known.nfev == result.nfev - 1
    short = optimize.line_search(_bowl, x, p * 1e-4, maxiter=2)
    assert name == "uphill" or (short.failed and short.status == 3)


REFUSED = [
    ("optimize.line_search(sum, [1.0], Tensor([1.0]))", TypeError, "'xk'"),
    ("linalg.inv(np.ones((2, 2)))", TypeError, "For 'scipy.linalg.inv', 'a' must be a Tensor"),
    ("linalg.inv(Tensor(np.ones((2, 3))))", ValueError, r"\(\.\.\., n, n\), but got \(2, 3\)"),
    ("linalg.inv(Tensor([[np.inf]]))", ValueError, "'check_finite'"),
    ("linalg.solve_triangular(Tensor([[[1.0]]]), Tensor(np.ones((3, 1))))", ValueError, "'rhs'"),
    ("linalg.solve_triangular(Tensor([[1.0]]), Tensor([1.0]), 'X')", ValueError, "'trans'"),
    ("linalg.eigh(Tensor([[1.0]]), Tensor([[1.0]]))", ValueError, "'b'"),
    ("optimize.minimize(sum, Tensor([1.0]), method='Powell')", ValueError, "'BFGS'"),
    ("fft.dct(Tensor([1.0]), 3)", NotImplementedError, "'type'"),
    ("sporax.scipy.sparse", AttributeError, "scipy.sparse"),
]


@pytest.mark.parametrize("call, error, says", REFUSED)
def test_bad_input_is_refused(call, error, says):
    names = {"linalg": linalg, "optimize": optimize, "fft": fft, "Tensor": Tensor, "np": np}
    with pytest.raises(error, match=says):
        eval(call, names | {"sporax": sporax})
