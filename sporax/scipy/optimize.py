"""`scipy.optimize`: linear assignment, minimisation and line search."""

import warnings
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from scipy import optimize

from sporax._src.core.dtype import int64
from sporax._src.core.errors import missing
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import require
from sporax._src.transforms.autodiff import value_and_grad
from sporax.ops.declare import Array, op


def _assigned(cost, limit, maximize):
    """Compute the assigned rows and columns on the host; -1 from index `limit` on."""
    length = min(cost.shape)
    matches = np.full((2, length), -1, np.int64)
    count = min(length, int(limit))
    wide = np.asarray(cost, np.float64)
    pairs = optimize.linear_sum_assignment(wide[:, : int(limit)], bool(maximize))
    matches[:, :count] = np.stack(pairs)[:, :count]
    return matches[0], matches[1]


@op(function=(), name="LinearSumAssignment", differentiable=False)
def linear_sum_assignment_on_host(cost: Array, limit: Array, maximize=False):
    """SciPy's assignment as a host callback, for `linear_sum_assignment`."""
    is_matrix = cost.ndim == 2 and not jnp.iscomplexobj(cost)
    require(is_matrix, "matrix-real-numbers", argument="cost_matrix")
    is_int = not limit.ndim and jnp.issubdtype(limit.dtype, jnp.integer)
    require(is_int, "one-int", argument="dimension_limit")
    shape = jax.ShapeDtypeStruct((min(cost.shape),), jnp.int64)
    return jax.pure_callback(lambda c, n: _assigned(c, n, maximize), (shape, shape), cost, limit)


def linear_sum_assignment(cost_matrix, maximize, dimension_limit=None):
    """(rows, columns) of the assignment with minimal, or with `maximize` maximal, total cost: Int64
    vectors of the smaller dimension's size.

    `dimension_limit`: the number of columns used; the result is -1 from this index on.

    >>> [t.tolist() for t in sporax.scipy.optimize.linear_sum_assignment(
    ...     Tensor([[2.0, 1.0], [1.0, 2.0]]), False)]
    [[0, 1], [1, 0]]
    """
    who = "linear_sum_assignment"
    is_matrix = isinstance(cost_matrix, Tensor) and cost_matrix.ndim == 2
    require(is_matrix, "tensor-2-dimensions-argument-value", who, argument="cost_matrix")
    if dimension_limit is None:
        dimension_limit = Tensor(np.iinfo(np.int64).max, int64)
    limit = dimension_limit if isinstance(dimension_limit, Tensor) else Tensor(dimension_limit)
    maximize = bool(maximize.item()) if isinstance(maximize, Tensor) else bool(maximize)
    return linear_sum_assignment_on_host(cost_matrix, limit.reshape(()), maximize)


class OptimizeResults(NamedTuple):
    """The result of `minimize`: the point `x`, the value `fun` and gradient `jac` there, the
    numbers of evaluations `nfev`, `njev` and iterations `nit`, `success`, `status`, and the inverse
    Hessian `hess_inv` (None for L-BFGS)."""

    x: Tensor
    success: Tensor
    status: Tensor
    fun: Tensor
    jac: Tensor
    hess_inv: Tensor | None
    nfev: Tensor
    njev: Tensor
    nit: Tensor


_METHODS = {"bfgs": "BFGS", "lbfgs": "L-BFGS-B", "l-bfgs": "L-BFGS-B"}


def _check_vectors(who, **arguments):
    for name, x in arguments.items():
        is_vector = isinstance(x, Tensor) and x.ndim == 1
        require(is_vector, "tensor-vector", who, argument=name, got=x)


def minimize(
    func, x0, args=(), method=None, jac=None, hess=None, hessp=None, bounds=None, constraints=(),
    tol=None, callback=None, options=None,
):  # fmt: skip
    """Minimise `func(x, *args)` over vectors `x` from `x0`: SciPy's loop with sporax's derivatives.

    `method`: 'BFGS' (also None) or 'LBFGS'. `jac`: the gradient function, by default by autodiff.
    `tol`, `callback` (of a Tensor), `options`: as in SciPy. `hess`, `hessp`, `bounds`,
    `constraints`: not supported.

    >>> result = sporax.scipy.optimize.minimize(
    ...     lambda x: ((x - 3) ** 2).sum(), Tensor([0.0]), method="BFGS", tol=1e-3)
    >>> result.x.asnumpy().round(2)
    array([3.], dtype=float32)
    """
    known, choices = str(method or "bfgs").lower() in _METHODS, ("BFGS", "LBFGS")
    require(known, "one-of", "minimize", method=method, choices=choices)
    are_none = hess is None and hessp is None and bounds is None and not constraints
    require(are_none, "hess-hessp-bounds-constraints", "minimize")
    _check_vectors("minimize", x0=x0)
    both = value_and_grad(func, 0)

    def evaluated(numbers):
        x = Tensor(numbers.astype(x0.asnumpy().dtype))
        value, slope = both(x, *args) if jac is None else (func(x, *args), jac(x, *args))
        return float(value.asnumpy()), slope.asnumpy().astype(np.float64)

    name = _METHODS[str(method or "bfgs").lower()]
    notify = callback and (lambda values: callback(Tensor(values.astype(x0.asnumpy().dtype))))
    solution = optimize.minimize(
        evaluated, x0.asnumpy().astype(np.float64), method=name, jac=True, tol=tol, callback=notify,
        options=options and {k: v for k, v in options.items() if v is not None},
    )  # fmt: skip
    inverse = solution.hess_inv if isinstance(solution.hess_inv, np.ndarray) else None
    same = x0.dtype
    return OptimizeResults(
        Tensor(solution.x, same), Tensor(bool(solution.success)), Tensor(int(solution.status)),
        Tensor(solution.fun, same), Tensor(solution.jac, same),
        None if inverse is None else Tensor(inverse, same),
        Tensor(solution.nfev), Tensor(solution.njev), Tensor(solution.nit),
    )  # fmt: skip


class LineSearchResults(NamedTuple):
    """The result of `line_search`: `failed`, the number of brackets `nit` (`k` is `nit` + 1), the
    numbers of evaluations `nfev` and `ngev`, the step `a_k`, the value `f_k` and gradient `g_k`
    there, and `status`."""

    failed: bool
    nit: int
    nfev: int
    ngev: int
    k: int
    a_k: float
    f_k: float
    g_k: Tensor
    status: int


def line_search(
    f, xk, pk, jac=None, gfk=None, old_fval=None, old_old_fval=None, c1=1e-4, c2=0.9, maxiter=20
):
    r"""Find a step a along `pk` from `xk` that satisfies the strong Wolfe conditions: $f(x + a p)
    \le f(x) + c_1 a f'(x) p$ and $|f'(x + a p) p| \le c_2 |f'(x) p|$ (SciPy's loop with sporax's
    derivatives; Nocedal & Wright, algorithm 3.5).

    `xk`, `pk`: vectors. `jac`: the gradient function, by default by autodiff. `old_fval`, `gfk`:
    value and gradient at `xk`, if known; `old_old_fval`: the previous value, for the first step.
    `maxiter`: the maximum number of brackets. If no step is found, `failed` is True, with the value
    and gradient at `xk`; `status` is 1, or 3 if `maxiter` was too small.

    >>> result = sporax.scipy.optimize.line_search(
    ...     lambda x: ((x - 3) ** 2).sum(), ops.zeros(2), 6 * ops.ones(2))
    >>> result.a_k, result.f_k
    (0.5, 0.0)
    """
    _check_vectors("line_search", xk=xk, pk=pk)
    start, direction = (t.asnumpy().astype(np.float64) for t in (xk, pk))
    both = value_and_grad(f, 0) if jac is None else lambda x: (f(x), jac(x))
    points = {}  # step -> value and gradient there, in the order of evaluation

    def at_step(step):
        if step not in points:
            value, slope = both(Tensor(start + step * direction, xk.dtype))
            points[step] = float(value), slope
        return points[step]

    def gradient(step):
        return at_step(step)[1].asnumpy().astype(np.float64)

    if old_fval is not None and gfk is not None:
        points[0.0] = float(old_fval), gfk
    known = len(points)
    at_step(0.0)
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
        step, _, _, _, _, slope = optimize.line_search(
            lambda step: at_step(float(step[0]))[0],
            lambda step: np.array([gradient(float(step[0])) @ direction]),
            np.zeros(1), np.ones(1), old_fval=points[0.0][0],
            old_old_fval=None if old_old_fval is None else float(old_old_fval), c1=c1, c2=c2,
            maxiter=maxiter,
        )  # fmt: skip
    steps = list(points)[1:]
    # the brackets are the first steps, each twice the previous one
    nit = next((n for n in range(1, len(steps)) if steps[n] != 2 * steps[n - 1]), len(steps))
    failed = slope is None
    end = 0.0 if step is None or failed else float(step)
    value, slope = points[end]
    return LineSearchResults(
        failed, nit, len(points) - known, len(points) - known, nit + 1, 1.0 if failed else end,
        value, slope, 0 if not failed else 3 if nit >= maxiter else 1,
    )  # fmt: skip


def __getattr__(name):
    raise missing("scipy.optimize", name)
