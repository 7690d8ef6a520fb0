"""What `mint.special` has; written by tools/write_stubs.py."""

from sporax._src.core.tensor import Tensor as Tensor

def digamma(input) -> Tensor:
    r"""$\psi(x) = \frac{d}{dx} \ln \Gamma(x)$, element by element; infinite at 0."""
def erfc(input) -> Tensor:
    r"""$1 - \operatorname{erf}(x)$, element by element."""
def exp2(input) -> Tensor:
    """$2^x$, element by element."""
def expm1(input) -> Tensor:
    """$e^x - 1$, element by element."""
def log1p(input) -> Tensor:
    r"""$\ln(1 + x)$, element by element."""
def log_softmax(input, dim=None, *, dtype=None) -> Tensor:
    r"""$x_i - \ln \sum_j e^{x_j}$ along `dim`; None as in `softmax`."""
def round(input, *, decimals=0) -> Tensor:
    """Round to `decimals` places; halves go to the even neighbour."""
def sinc(input) -> Tensor:
    r"""$\sin(\pi x) / (\pi x)$, and 1 at 0, element by element."""
