"""Automatic differentiation: the tape, and the functions that use it."""

from sporax.autodiff.debug.anomaly import detect_anomaly
from sporax.autodiff.debug.check_grad import GradientError, GradientReport, check_grad
from sporax.autodiff.function import Function, _Function
from sporax.autodiff.grad import GradOperation, get_grad, grad, value_and_grad
from sporax.autodiff.jacobian import jacfwd, jacrev, jvp, vjp
from sporax.autodiff.no_grad import _no_grad, no_grad, stop_gradient
from sporax.autodiff.remat import recompute
from sporax.autodiff.saved_tensors import saved_tensors_hooks

__all__ = [
    "Function", "GradOperation", "GradientError", "GradientReport", "_Function", "_no_grad",
    "check_grad", "detect_anomaly", "get_grad", "grad", "jacfwd", "jacrev", "jvp", "no_grad",
    "recompute", "saved_tensors_hooks", "stop_gradient", "value_and_grad", "vjp",
]  # fmt: skip
