"""What `mint.linalg` has; written by tools/write_stubs.py."""

from sporax._src.core.tensor import Tensor as Tensor
from typing import Any

def inv(input) -> Tensor:
    """The inverse of each matrix in the last two dimensions."""
def matrix_norm(A, ord='fro', dim=(-2, -1), keepdim=False, *, dtype=None) -> Tensor:
    r"""A norm of the matrices in two dimensions: 'fro' $\sqrt{\sum_{ij} |a_{ij}|^2}$, 'nuc' the sum of the singular values, 2 and -2 the largest and smallest singular value, 1 and -1 the largest and smallest column sum of $|a_{ij}|$, `inf` and `-inf` the largest and smallest row sum."""
def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    """A norm of vectors (`dim`: an int) or matrices (`dim`: a pair of ints)."""
def qr(A, mode='reduced') -> Any:
    """$A = Q R$ of each matrix `(*, m, n)`, with k the smaller of m and n."""
def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    r"""$(\sum_i |x_i|^p)^{1/p}$ with p = `ord` over `dim`: an int, several, or None for all."""
