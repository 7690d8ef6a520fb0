"""What is its derivative? The tape, and what takes derivatives by it."""

from sporax.autodiff.function import Function, _Function
from sporax.autodiff.grad import GradOperation, get_grad, grad, stop_gradient, value_and_grad
from sporax.autodiff.mode import _no_grad, no_grad
from sporax.autodiff.saved import saved_tensors_hooks

__all__ = [
    "Function", "GradOperation", "_Function", "_no_grad", "get_grad", "grad", "no_grad",
    "saved_tensors_hooks", "stop_gradient", "value_and_grad",
]  # fmt: skip
