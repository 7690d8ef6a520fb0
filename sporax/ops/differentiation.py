"""Derivatives under the names that MindSpore's `ops` has them."""

from sporax import autodiff
from sporax.ops.declare import FUNCTIONS, PRIMITIVES
from sporax.ops.primitive import Primitive


class StopGradient(Primitive):
    """The same Tensors, through which no derivative goes; as `stop_gradient`.

    >>> ops.StopGradient()(Tensor([3.0])).asnumpy()
    array([3.], dtype=float32)
    """

    def __init__(self):
        super().__init__("StopGradient")

    def __call__(self, value):
        return autodiff.stop_gradient(value)


FUNCTIONS.update(
    stop_gradient=autodiff.stop_gradient,
    grad=autodiff.grad,
    value_and_grad=autodiff.value_and_grad,
    get_grad=autodiff.get_grad,
)
PRIMITIVES.update(StopGradient=StopGradient, GradOperation=autodiff.GradOperation)
