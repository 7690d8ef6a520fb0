"""`custom_vjp`: a function with a derivative of its own, as a Cell."""

from sporax.nn.cell import Cell


class CustomVjp(Cell):
    """The Cell that `custom_vjp` makes of a function."""

    def __init__(self, fwd):
        super().__init__()
        self.fwd, self.bwd = fwd, None

    def defbwd(self, bwd):
        """Let `bwd(*inputs, output, cotangent)` compute the inputs' gradients."""
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
    """A decorator: the function as a Cell, whose derivative `defbwd` defines.

    >>> @custom_vjp
    ... def double(x):
    ...     return x * 2
    >>> double.defbwd(lambda x, out, dout: (dout * 10,))
    >>> grad(double)(Tensor([3.0])).asnumpy()
    array([10.], dtype=float32)
    """
    return CustomVjp if fn is None else CustomVjp(fn)
