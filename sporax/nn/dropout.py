"""Dropout layers."""

from sporax import ops
from sporax.core.dtype import float32
from sporax.nn.cell import Cell


def _chance(layer, name, value, inside, words):
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not inside(value):
        raise ValueError(f"For '{layer}', '{name}' must be a number in {words}, but got {value!r}.")
    return value


class Dropout(Cell):
    r"""In training, each element is 0 with probability `p`, else $x / (1 - p)$; else $x$ itself.

    `p` is in [0, 1). Without it, `keep_prob` in (0, 1] counts: the probability of being kept
    (Srivastava et al., 2014).

    >>> nn.Dropout(p=0.2)(Tensor([1.0, 2.0])).asnumpy()
    array([1., 2.], dtype=float32)
    """

    def __init__(self, keep_prob=0.5, p=None, dtype=float32):
        super().__init__()
        if p is None:
            _chance("Dropout", "keep_prob", keep_prob, lambda x: 0 < x <= 1, "(0, 1]")
        else:
            _chance("Dropout", "p", p, lambda x: 0 <= x < 1, "[0, 1)")
        self.keep_prob, self.p = keep_prob, p

    def construct(self, x):
        return ops.dropout(x, 1 - self.keep_prob if self.p is None else self.p, self.training)

    def extend_repr(self):
        return f"keep_prob={self.keep_prob}" if self.p is None else f"p={self.p}"


class Dropout2d(Cell):
    """As `Dropout`, for whole channels: `(N, C, H, W)`.

    >>> nn.Dropout2d(p=0.2)(ops.ones((1, 2, 3, 3))).shape
    (1, 2, 3, 3)
    """

    def __init__(self, p=0.5):
        super().__init__()
        self.p = _chance("Dropout2d", "p", p, lambda x: 0 <= x < 1, "[0, 1)")
        self.keep_prob = 1 - p

    def construct(self, x):
        return ops.dropout2d(x, self.p, self.training)

    def extend_repr(self):
        return f"p={self.keep_prob}"  # MindSpore prints the chance of being kept
