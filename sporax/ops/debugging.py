"""Looking at numbers on the way."""

from sporax.ops.declare import FUNCTIONS, PRIMITIVES
from sporax.ops.primitive import Primitive


class Print(Primitive):
    """Print the arguments, each on a line of its own, Tensors with shape and dtype.

    >>> ops.Print()("sum:", 3)
    sum:
    3
    """

    def __init__(self):
        super().__init__("Print")

    def __call__(self, *input_x):
        for item in input_x:
            print(item if isinstance(item, str) else repr(item))


def print_(*input_x):
    """Print the arguments, as `Print`."""
    Print()(*input_x)


FUNCTIONS["print_"] = print_
PRIMITIVES["Print"] = Print
