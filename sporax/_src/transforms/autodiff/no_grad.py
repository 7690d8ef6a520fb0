"""Exclusion from derivatives: `no_grad`, `requires_grad_`, `stop_gradient`."""

import contextlib
import functools
from typing import Any

from jax import lax

from sporax._src.core.hooks import hooks
from sporax._src.core.tensor import attach
from sporax._src.core.tree import map_tensors
from sporax._src.diagnosis.argument_kinds import BOOL
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import record
from sporax._src.runtime.storage.views import view
from sporax._src.transforms.autodiff.tape import paused


class no_grad(contextlib.ContextDecorator):
    """Disable differentiation in the block or the decorated function.

    Gradients taken inside work as usual; outer ones treat their results as constants.

    >>> def f(x):
    ...     with no_grad():
    ...         y = x * x
    ...     return x * y
    >>> grad(f)(Tensor([3.0])).asnumpy()
    array([9.], dtype=float32)
    """

    def __enter__(self):
        self.entered = [*getattr(self, "entered", ()), paused()]
        self.entered[-1].__enter__()

    def __exit__(self, *exception):
        return self.entered.pop().__exit__(*exception)


_no_grad = no_grad


def requires_grad_(self, requires_grad=True):
    """Set whether derivatives with respect to this tensor are taken; if not, they are zero.

    Returns the tensor.

    >>> grad(lambda x: x * x)(Tensor([3.0]).requires_grad_(False)).asnumpy()
    array([0.], dtype=float32)
    """
    BOOL("requires_grad_", requires_grad=requires_grad)
    self.requires_grad = requires_grad
    return self


attach("requires_grad_", requires_grad_)


_identity = Op("StopGradient", lax.stop_gradient)  # JAX differentiates lifted functions
_identity.stops_gradient = True


def stop_gradient(value) -> Any:
    """Return the same Tensors, with no gradient through them.

    >>> grad(lambda x: x * ops.stop_gradient(x))(Tensor([3.0])).asnumpy()
    array([3.], dtype=float32)
    """
    return map_tensors(lambda tensor: view(_identity, tensor), value)


hooks.detached = functools.partial(record, _identity)
