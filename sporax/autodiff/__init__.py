"""What is its derivative? The tape, and what takes derivatives by it."""

from sporax.autodiff.function import Function, _Function
from sporax.autodiff.grad import GradOperation, get_grad, grad, stop_gradient, value_and_grad

__all__ = [
    "Function", "GradOperation", "_Function", "get_grad", "grad", "stop_gradient", "value_and_grad",
]  # fmt: skip
