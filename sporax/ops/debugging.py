"""Looking at numbers on the way."""

from sporax.core.tensor import Tensor
from sporax.ops.declare import FUNCTIONS, PRIMITIVES
from sporax.ops.primitive import Primitive
from sporax.staging.deferred_print import Name, deferrable, show


class Print(Primitive):
    """Print the arguments, each on a line of its own, Tensors with shape and dtype. A captured
    function prints at each run, with the numbers of that run.

    >>> ops.Print()("sum:", 3)
    sum:
    3
    """

    def __init__(self):
        super().__init__("Print")

    def __call__(self, *input_x):
        show(_print, _text, [deferrable(item) for item in input_x])

    takes_text = True


def _line(item):
    """A Tensor with shape and dtype, also a Parameter; in a listing by its name."""
    is_shown = isinstance(item, Tensor) and not isinstance(item, Name)
    return Tensor.__repr__(item) if is_shown else str(item)


def _print(items):
    for item in items:
        print(_line(item))


def _text(items):
    return "".join([_line(item) + "\n" for item in items])


def print_(*input_x):
    """Print the arguments, as `Print`.

    >>> ops.print_("x:", 3)
    x:
    3
    """
    Print()(*input_x)


print_.takes_text = True


class Summary(Primitive):
    """Shows `value` under `name` to whatever collects summaries. Nothing does: `SummaryRecord` and
    `SummaryCollector` say so when they are made. So a call has no effect, as in MindSpore where
    no collector is at work.
    """

    def __init__(self):
        super().__init__(type(self).__name__)

    def __call__(self, name, value):
        return None


FUNCTIONS["print_"] = print_
PRIMITIVES["Print"] = Print
for _kind in ("Scalar", "Tensor", "Image", "Histogram"):
    _name = f"{_kind}Summary"
    PRIMITIVES[_name] = type(_name, (Summary,), {"__doc__": Summary.__doc__})
