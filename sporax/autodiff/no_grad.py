"""Exclusion from derivatives: `no_grad`, `requires_grad_`, `stop_gradient`."""

import contextlib
import functools

from jax import lax

from sporax.autodiff.tape import paused
from sporax.core.hooks import hooks
from sporax.core.tensor import attach
from sporax.core.tree import map_tensors
from sporax.diagnosis.argument_kinds import BOOL
from sporax.engine.operation import Op
from sporax.engine.recorder import record
from sporax.storage.views import view


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


def stop_gradient(value):
    """Return the same Tensors, with no gradient through them.

    >>> grad(lambda x: x * ops.stop_gradient(x))(Tensor([3.0])).asnumpy()
    array([3.], dtype=float32)
    """
    return map_tensors(lambda tensor: view(_identity, tensor), value)


hooks.detached = functools.partial(record, _identity)
