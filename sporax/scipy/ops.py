"""Primitives for `scipy`: eigenvalues, LU, triangular solve, linear assignment."""

from sporax.ops import Primitive
from sporax.ops.declare import PRIMITIVES
from sporax.ops.linalg.factorization import lu_with_pivots
from sporax.scipy import linalg, optimize

_eigen = PRIMITIVES["Eig"]


class Eig(_eigen):
    """(eigenvalues, eigenvectors as columns) of matrices, complex; only eigenvalues if not
    `compute_v`.

    >>> sporax.scipy.ops.Eig()(Tensor([[2.0]]))[0].tolist()
    [(2+0j)]
    """

    def __init__(self, compute_v=True):
        super().__init__(compute_v)


class LinearSumAssignment(Primitive):
    """As `scipy.optimize.linear_sum_assignment`, with another order of the arguments.

    >>> cost = Tensor([[1.0, 2.0], [2.0, 1.0]])
    >>> sporax.scipy.ops.LinearSumAssignment()(cost, Tensor(2), False)[1].tolist()
    [0, 1]
    """

    def __init__(self):
        super().__init__("LinearSumAssignment")

    def __call__(self, cost_matrix, dimension_limit, maximize):
        return optimize.linear_sum_assignment(cost_matrix, maximize, dimension_limit)


class LU(Primitive):
    """(L and U in one matrix, pivots, permutation matrix P with P a = L U)."""

    def __init__(self):
        super().__init__("LU")

    def __call__(self, x):
        packed, pivots, _ = lu_with_pivots(x)
        return packed, pivots, linalg.lu(x, check_finite=False)[0].swapaxes(-1, -2)


class SolveTriangular(Primitive):
    """As `scipy.linalg.solve_triangular`."""

    def __init__(self, lower=False, unit_diagonal=False, trans="N"):
        super().__init__("SolveTriangular")
        self.lower, self.unit_diagonal, self.trans = lower, unit_diagonal, trans

    def __call__(self, a, b):
        return solve_triangular(a, b, self.trans, self.lower, self.unit_diagonal)


def solve_triangular(a, b, trans: int | str = 0, lower=False, unit_diagonal=False):
    """As `scipy.linalg.solve_triangular`, with `check_finite` False."""
    return linalg.solve_triangular(a, b, trans, lower, unit_diagonal, check_finite=False)
