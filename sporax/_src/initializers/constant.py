"""Constant initializers."""

from sporax._src.diagnosis.rules import require
from sporax._src.initializers.base import Initializer, register


@register("zeros")
class Zero(Initializer):
    """All 0.

    >>> Zero().draw((2,))
    array([0., 0.], dtype=float32)
    """

    def _initialize(self, arr):
        arr[...] = 0


@register("ones")
class One(Initializer):
    """All 1.

    >>> One().draw((2,))
    array([1., 1.], dtype=float32)
    """

    def _initialize(self, arr):
        arr[...] = 1


@register()
class Constant(Initializer):
    """All `value`, a scalar (or an array that broadcasts).

    >>> Constant(3).draw((2,))
    array([3., 3.], dtype=float32)
    """

    def __init__(self, value):
        super().__init__(value=value)
        self.value = value

    def _initialize(self, arr):
        arr[...] = self.value


@register()
class Identity(Initializer):
    """1 on the main diagonal of a matrix, 0 elsewhere.

    >>> Identity().draw((2, 3))
    array([[1., 0., 0.],
           [0., 1., 0.]], dtype=float32)
    """

    def _initialize(self, arr):
        require(arr.ndim == 2, "weight-dimensions-one-of", "Identity", n=(2,), shape=arr.shape)
        arr[...] = 0
        steps = range(min(arr.shape))
        arr[steps, steps] = 1


@register()
class Dirac(Initializer):
    """Convolution weight that preserves as many input channels as possible.

    Within each of `groups` groups of outputs, output $i$ has a 1 at input channel $i$ in the kernel
    center. The shape has 3 to 5 dimensions, the first a multiple of `groups`.

    >>> Dirac().draw((2, 2, 1))[..., 0]
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """

    def __init__(self, groups=1):
        super().__init__(groups=groups)
        fits = isinstance(groups, int) and groups >= 1
        require(fits, "int-at-least", "Dirac", groups=groups, n=1)
        self.groups = groups

    def _initialize(self, arr):
        n, shape, groups = (3, 4, 5), arr.shape, self.groups
        require(arr.ndim in n, "weight-dimensions-one-of", "Dirac", n=n, shape=shape)
        fits = not shape[0] % groups
        require(fits, "first-dimension-multiple-groups", "Dirac", groups=groups, shape=shape)
        arr[...] = 0
        each = arr.shape[0] // self.groups
        middle = tuple(n // 2 for n in arr.shape[2:])
        for start in range(0, arr.shape[0], each):
            for channel in range(min(each, arr.shape[1])):
                arr[(start + channel, channel, *middle)] = 1
