"""Jacobian products as Cells, for older scripts; see `ops.jvp`, `ops.vjp`."""

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import message, rejection
from sporax._src.transforms import autodiff
from sporax.nn.cell import Cell


def _check(layer, v, values, what):
    """Raise TypeError unless `v` is a Tensor for one value in `values`, or a tuple for several."""
    if len(values) == 1:
        kind, is_good = message("a-tensor"), isinstance(v, Tensor)
    else:
        kind = message("tuple-of-tensors", n=len(values))
        is_good = isinstance(v, tuple) and len(v) == len(values)
    if not is_good:
        got = message("a-tuple-of", n=len(v)) if isinstance(v, tuple) else type(v).__name__
        raise rejection("last-argument", layer, kind=kind, what=message(what), got=got)


class Jvp(Cell):
    """`(fn(*inputs), J v)` when called with the inputs and `v`, a tuple for several inputs.

    >>> y, dy = nn.Jvp(lambda x: x * x)(Tensor([3.0]), Tensor([1.0]))
    >>> dy.asnumpy()
    array([6.], dtype=float32)
    """

    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def construct(self, *args):
        *inputs, v = args
        _check("Jvp", v, inputs, "the-inputs")
        return autodiff.jvp(self.fn, tuple(inputs), v)


class Vjp(Cell):
    """`(fn(*inputs), v^T J)` when called with the inputs and `v`, a tuple for several outputs; the
    second result is a tuple for several inputs.

    >>> y, dx = nn.Vjp(lambda x: x * x)(Tensor([3.0]), Tensor([1.0]))
    >>> dx.asnumpy()
    array([6.], dtype=float32)
    """

    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def construct(self, *args):
        *inputs, v = args
        result, pull = autodiff.vjp(self.fn, *inputs)
        _check("Vjp", v, result if isinstance(result, tuple) else (result,), "the-outputs")
        gradients = pull(v)
        return result, gradients[0] if len(inputs) == 1 else gradients
