"""`custom_vjp`: a function with a custom derivative, as a Cell."""

from typing import Any

from sporax._src.diagnosis.rules import require
from sporax.nn.cell import Cell


class CustomVjp(Cell):
    """The Cell returned by `custom_vjp`."""

    def __init__(self, fwd):
        super().__init__()
        self.fwd = fwd
        self.bwd: Any = None

    def defbwd(self, bwd):
        """Set `bwd(*inputs, output, cotangent)`, which returns the gradients of the inputs."""
        require(callable(bwd), "derivative-function", "custom_vjp", bwd=bwd)
        self.bwd = bwd

    def construct(self, *args):
        return self.fwd(*args)

    def bprop(self, *args):
        require(self.bwd is not None, "called-before-derivative", "custom_vjp", argument="defbwd")
        return self.bwd(*args)


def custom_vjp(fn=None):
    """Decorator that wraps a function in a Cell with a custom derivative, set by `defbwd`.

    >>> @custom_vjp
    ... def double(x):
    ...     return x * 2
    >>> double.defbwd(lambda x, out, dout: (dout * 10,))
    >>> grad(double)(Tensor([3.0])).asnumpy()
    array([10.], dtype=float32)
    """
    return CustomVjp if fn is None else CustomVjp(fn)
