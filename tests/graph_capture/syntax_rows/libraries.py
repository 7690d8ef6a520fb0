"""NumPy and other libraries"""

import math
import os
import random
import time

import numpy as np

import sporax as ms
from sporax import Tensor, nn
from tests.graph_capture.syntax_rows.row import BREAKS, factory, row

X = Tensor(np.array([1.0, -2.0, 3.0], np.float32))


@row("Works ('LAX').", (X,))
def modules(x):
    """`math.sqrt(2)`, `os.path.join(...)`, `os.getcwd()`"""
    return x * math.sqrt(2), os.path.join("a", "b"), len(os.getcwd()) > 0


@row(
    "Works ('LAX').",
    (X,),
    verdict=BREAKS,
    words="calls 'time.time'",
    note="read the clock outside",
)
def clock(x):
    """`time.time()`"""
    return x, time.time() > 0


@row("Works ('LAX').", ())
def arrays():
    """`np.array([1, 2]) + np.array([3, 4])`, returned"""
    return np.array([1, 2]) + np.array([3, 4])


@row("Works ('LAX').", (X,))
def methods_of_libraries(x):
    """`np.linalg.qr(...)` of constants"""
    return x, np.linalg.qr(np.eye(2))[0].shape


@row("Works ('LAX').", (X,))
def tensors_of_arrays(x):
    """`Tensor(np.array([1, 2, 3])) + x`"""
    return Tensor(np.array([1, 2, 3])) + x


@row("Works ('LAX').", (X,))
def items_of_arrays(x):
    """`a[0] += 1` of an array, `Tensor(a)`"""
    a = np.array([1, 2, 3])
    a[0] += 1
    a.shape = (3, 1)
    return x, Tensor(a), a.shape


@row("Works ('LAX').", (X, np.arange(3.0)), (X, np.arange(3.0) + 1))
def arrays_as_arguments(x, a):
    """an array as an argument: `x * Tensor(a)`"""
    return x * Tensor(a.astype(np.float32)), a * 2


@row("Works ('LAX').", (X,))
def control_by_arrays(x):
    """`if np.array(1) <= 1`"""
    a = np.array(1)
    if a <= 1:
        a = a + 1
    return x * Tensor(a)


@row("Works ('LAX').", (X,), verdict=BREAKS, words="'asnumpy'", note="`ops` in place of NumPy")
def asnumpy(x):
    """`x.asnumpy() + x.asnumpy()`"""
    return x.asnumpy() + x.asnumpy()


@row("Works ('LAX').", (X,), verdict=BREAKS, words="NumPy on a Tensor",
     note="the function of that name in `ops`")  # fmt: skip
def numpy_on_a_tensor(x):
    """`np.sin(x)` of a Tensor"""
    return Tensor(np.sin(x))


@factory("Works ('LAX').", (X,), whole=False, note="not with `fullgraph=True`")
def numpy_in_a_cell():
    """NumPy on Tensors in a Cell with a `bprop`: called on the host between two graphs"""

    class Sine(nn.Cell):
        def construct(self, x):
            return Tensor(np.sin(x.asnumpy()))

        def bprop(self, x, out, dout):
            return (dout * x.cos(),)

    sine = Sine()
    return lambda x: sine(x * 2) + 1


@row("Works.", (X,))
def item_and_tolist(x):
    """`tensor([1, 2]).tolist()`, `.item()`, `.asnumpy()` of a Tensor made inside"""
    made_here = ms.tensor([1, 2])
    return x, made_here.tolist(), ms.tensor(3).item(), made_here.asnumpy()


@row("A constant.", (X,), verdict=BREAKS, words="'int' of a Tensor", note="compute with numbers")
def numbers_of_what_is_computed_of_constants(x):
    """`int(tensor([1]) + 1)`, computed of a Tensor made inside"""
    return x * int(ms.tensor([1]) + 1)


@row("Not listed.", (X,), verdict=BREAKS, words="'item'", note="return the Tensor")
def item_of_an_argument(x):
    """`x.sum().item()`"""
    return x, x.sum().item()


@row("Not listed.", (X,), verdict=BREAKS, words="'tolist'", note="return the Tensor")
def tolist_of_an_argument(x):
    """`x.tolist()`"""
    return x, x.tolist()


@row("A constant of the compiled graph.", (X,), verdict=BREAKS, words="draws random numbers",
     note="draw with 'ops'")  # fmt: skip
def random_of_python(x):
    """`random.random()`, `np.random.rand()`"""
    return x * 0 * random.random() * np.random.rand()


@row("Works ('LAX').", (X, np.arange(3)), verdict=BREAKS, words="changes a ndarray",
     note="change a copy, and return that")  # fmt: skip
def an_array_given(x, a):
    """`a[0] += 1` of an array that is an argument"""
    a[0] += 1
    return x + Tensor(a)
