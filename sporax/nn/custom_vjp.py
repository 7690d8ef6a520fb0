"""`custom_vjp`: a function with a custom derivative, as a Cell."""

from sporax.nn.cell import Cell


class CustomVjp(Cell):
    """The Cell returned by `custom_vjp`."""

    def __init__(self, fwd):
        super().__init__()
        self.fwd, self.bwd = fwd, None

    def defbwd(self, bwd):
        """Set `bwd(*inputs, output, cotangent)`, which returns the gradients of the inputs."""
        if not callable(bwd):
            raise TypeError(
                f"For 'custom_vjp', 'bwd' must be a function, but got {type(bwd).__name__}. It "
                "takes the inputs, the output and its cotangent."
            )
        self.bwd = bwd

    def construct(self, *args):
        return self.fwd(*args)

    def bprop(self, *args):
        if self.bwd is None:
            raise RuntimeError(
                "For 'custom_vjp', 'defbwd' must be called before a derivative is taken. Give it "
                "the function for the inputs' gradients."
            )
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
