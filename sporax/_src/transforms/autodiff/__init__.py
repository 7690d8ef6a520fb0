"""Automatic differentiation: the tape, and the functions that use it."""

from sporax._src.transforms.autodiff.debug.anomaly import detect_anomaly
from sporax._src.transforms.autodiff.debug.check_grad import (
    GradientError,
    GradientReport,
    check_grad,
)
from sporax._src.transforms.autodiff.function import Function, _Function
from sporax._src.transforms.autodiff.grad import GradOperation, get_grad, grad, value_and_grad
from sporax._src.transforms.autodiff.jacobian import jacfwd, jacrev, jvp, vjp
from sporax._src.transforms.autodiff.no_grad import _no_grad, no_grad, stop_gradient
from sporax._src.transforms.autodiff.remat import recompute
from sporax._src.transforms.autodiff.saved_tensors import saved_tensors_hooks

__all__ = [
    "Function", "GradOperation", "GradientError", "GradientReport", "_Function", "_no_grad",
    "check_grad", "detect_anomaly", "get_grad", "grad", "jacfwd", "jacrev", "jvp", "no_grad",
    "recompute", "saved_tensors_hooks", "stop_gradient", "value_and_grad", "vjp",
]  # fmt: skip
