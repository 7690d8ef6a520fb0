"""Printing, dumping and checking values."""

import functools
import io
import itertools
from typing import Any

import numpy as np

from sporax._src.capture.staging.deferred_print import Name, deferrable, show
from sporax._src.core.dtype import bfloat16
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.transforms.autodiff.hooks import check_callable
from sporax.ops.declare import FUNCTIONS, PRIMITIVES, composite
from sporax.ops.differentiation import HookBackward
from sporax.ops.memory.placement import write_whole
from sporax.ops.operand_checks import TENSOR
from sporax.ops.primitive import Primitive

_SIDE = kinds.one_of("in", "out")


class Print(Primitive):
    """Print the arguments, one per line, Tensors with shape and dtype. A captured function prints
    on each run, with the values of that run.

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
    """Format Tensors and Parameters with shape and dtype; a Tensor in a listing as its name."""
    is_shown = isinstance(item, Tensor) and not isinstance(item, Name)
    return Tensor.__repr__(item) if is_shown else str(item)


def _print(items):
    for item in items:
        print(_line(item))


def _text(items):
    return "".join([_line(item) + "\n" for item in items])


def print_(*input_x):
    """Print the arguments, as `Print` does.

    >>> ops.print_("x:", 3)
    x:
    3
    """
    Print()(*input_x)


print_.takes_text = True


class TensorDump(Primitive):
    """Write a Tensor to a NumPy file: `TensorDump()("x", tensor)` to `x_float32_0.npy`, the next
    one, of any name, to `..._1.npy`, and so on. BFloat16 is written as Float32. A captured function
    writes on each run. `input_output`: 'out' or 'in', for operations between two devices; here they
    are equivalent.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> ops.TensorDump()(os.path.join(folder, "x"), Tensor([1.0]))
    >>> [name[:10] for name in os.listdir(folder)]
    ['x_float32_']
    """

    def __init__(self, input_output="out"):
        super().__init__("TensorDump")
        _SIDE("TensorDump", input_output=input_output)
        self._set("input_output", input_output)

    def __call__(self, file, input_x):
        if not isinstance(file, str) or not file:
            error = ValueError if file == "" else TypeError
            raise rejection("name-of-dump", "TensorDump", error=error, file=file)
        TENSOR("TensorDump", input_x=input_x)
        show(functools.partial(_dump, file), functools.partial(_dump_text, file), [input_x])


_numbers_of_dumps = itertools.count()


def _dump(file, items):
    (tensor,) = items
    array = tensor.float() if tensor.dtype == bfloat16 else tensor
    kind = str(array.dtype).lower()
    name = f"{file.removesuffix('.npy')}_{kind}_{next(_numbers_of_dumps)}.npy"
    content = io.BytesIO()
    np.save(content, array.asnumpy())
    write_whole("TensorDump", name, content.getvalue())


def _dump_text(file, items):
    return f"TensorDump({file!r}, {_line(items[0])})\n"


def tensordump(file_name, tensor, mode="out"):
    """Write a Tensor to a NumPy file, as `TensorDump`: `{file_name}_{dtype}_{number}.npy`.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> ops.tensordump(os.path.join(folder, "x"), Tensor([1]))
    >>> [name[:8] for name in os.listdir(folder)]
    ['x_int64_']
    """
    TensorDump(mode)(file_name, tensor)


@composite(function=(), primitive="Assert(summarize=3)(condition, inputs)")
def assert_(condition, inputs, summarize=3):
    """Raise RuntimeError unless `condition`, a bool or a one-element Tensor, is true; the message
    shows the first `summarize` elements of each Tensor of `inputs`.

    >>> ops.Assert()(True, [Tensor([1.0])])
    """
    kinds.SEQUENCE("Assert", inputs=inputs)
    if not (condition.item() if isinstance(condition, Tensor) else condition):
        shown = [t.asnumpy().reshape(-1)[:summarize] if isinstance(t, Tensor) else t
                 for t in inputs]  # fmt: skip
        raise rejection("condition-holds", "Assert", argument="condition", shown=shown)


@composite(function=(), primitive="CheckNumerics()(x)")
def check_numerics(x):
    """Return `x`; raise RuntimeError if an element is NaN or infinite.

    >>> ops.CheckNumerics()(Tensor([1.0])).asnumpy()
    array([1.], dtype=float32)
    """
    is_float = x.is_floating_point()
    require(is_float, "floating", "CheckNumerics", x=x.dtype)
    for wrong, name in ((x.isnan(), "NaN"), (x.isinf(), "infinite")):
        if wrong.any().item():
            index = [int(n) for n in wrong.nonzero()[0].tolist()]
            raise rejection("number-x-finite", "CheckNumerics", at=index, name=name)
    return x


class InsertGradientOf(HookBackward):
    """Return the same Tensor; the backward pass calls `f(grad)` with its gradient, which may return
    another one.

    >>> doubled = ops.InsertGradientOf(lambda grad: grad * 2)
    >>> grad(lambda x: doubled(x))(Tensor([3.0])).asnumpy()
    array([2.], dtype=float32)
    """

    def __init__(self, f):
        Primitive.__init__(self, "InsertGradientOf")
        check_callable("InsertGradientOf", f)
        self.f, self.hook_fn = f, lambda grads: f(*grads)

    def __call__(self, input_x):
        return super().__call__(input_x)


class DumpGradient(Primitive):
    """Return the same Tensor `x`; the backward pass writes its gradient to a file, named as by
    `TensorDump`: `DumpGradient()(path, x, "out")`.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> slope = grad(lambda x: ops.DumpGradient()(os.path.join(folder, "x"), x, "out") * 2)
    >>> slope(Tensor([3.0])).asnumpy()
    array([2.], dtype=float32)
    >>> [name[:10] for name in os.listdir(folder)]
    ['x_float32_']
    """

    def __init__(self):
        super().__init__("DumpGradient")

    def __call__(self, path, x, input_output):
        return InsertGradientOf(functools.partial(TensorDump(input_output), path))(x)


class Summaries:
    """Values recorded by the summary operations of networks, for the open `SummaryRecord`, if any.

    `record`: the open one, or None. A captured function records on each run, as it prints.
    """

    def __init__(self):
        self.record: Any = None
        self._shown, self._latest = {}, {}

    def add(self, plugin, items):
        """Keep the last value recorded under a name."""
        name, value = items
        self._latest[f"{name}[:{plugin.capitalize()}]"] = value = value.copy()
        if self.record is not None:
            self._shown[plugin, name] = value

    def latest(self):
        """Return {name and kind: value} of the values since the last call, with no record open,
        too."""
        latest, self._latest = self._latest, {}
        return latest

    def take(self):
        """Return {(plugin, name): Tensor} of the values recorded since the last call."""
        shown, self._shown = self._shown, {}
        return shown


SUMMARIES = Summaries()


class Summary(Primitive):
    """Record the Tensor `value` under `name` for the open `SummaryRecord`, which writes the last
    value. If none is open, a call has no effect.

    >>> ops.ScalarSummary()("loss", Tensor(0.5))
    """

    def __init__(self):
        super().__init__(type(self).__name__)
        self._plugin = type(self).__name__.removesuffix("Summary").lower()

    def __call__(self, name, value):
        for argument, item, kind in (("name", name, str), ("value", value, Tensor)):
            given = {"argument": argument, "kind": kind.__name__, "got": item, "name": self.name}
            require(isinstance(item, kind), "argument-of-summary", self.name, **given)
        show(functools.partial(SUMMARIES.add, self._plugin), self._text, [name, value])

    def _text(self, items):
        return f"{self.name}({items[0]!r}, {items[1]})"


FUNCTIONS.update(print_=print_, tensordump=tensordump)
PRIMITIVES.update(
    Print=Print, TensorDump=TensorDump, InsertGradientOf=InsertGradientOf, DumpGradient=DumpGradient
)
for _kind in ("Scalar", "Tensor", "Image", "Histogram"):
    _name = f"{_kind}Summary"
    PRIMITIVES[_name] = type(_name, (Summary,), {"__doc__": Summary.__doc__})
