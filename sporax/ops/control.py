"""Loops over functions: one operation in a captured function if the trip count depends on a Tensor
or `unroll=False` requests it, unrolled otherwise."""

import contextlib
from typing import Any

from sporax._src.core.from_host import plain
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.transforms.control_flow.cond import Unrecordable, as_weak_int, is_traced
from sporax._src.transforms.control_flow.runtime import loop
from sporax._src.transforms.control_flow.while_scan import over, repeat
from sporax.ops.declare import PRIMITIVES
from sporax.ops.primitive import Primitive

_INT_OR_TENSOR = kinds.instance((int, Tensor), "an-int-or-tensor")
_LENGTH = kinds.instance(int, "an-int-without-xs")
_SEQUENCE = kinds.optional(kinds.SEQUENCE)


class _Loop(Primitive):
    def __init__(self):
        super().__init__(type(self).__name__)


class WhileLoop(_Loop):
    """While `cond_func(val)` is true, set `val = loop_func(val)`, from `init_val` on; return it.

    >>> ops.WhileLoop()(lambda x: x < 100, lambda x: x * 2, 3)
    192
    """

    def __call__(self, cond_func, loop_func, init_val):
        kinds.FUNCTION("WhileLoop", cond_func=cond_func, loop_func=loop_func)
        return loop("WhileLoop", cond_func, loop_func, init_val)


class ForiLoop(_Loop):
    """For i from `lower` to `upper - 1`, set `val = loop_func(i, val)`, from `init_val` on; returns
    the last `val`. In a captured function, `unroll=False` makes the loop one operation, so that a
    long loop compiles as fast as a short one, if all iterations compute alike.

    >>> ops.ForiLoop()(0, 4, lambda i, total: total + i, 0)
    6
    """

    def __call__(self, lower, upper, loop_func, init_val, unroll=True):
        lower, upper = plain((lower, upper))
        _INT_OR_TENSOR("ForiLoop", lower=lower, upper=upper)
        kinds.FUNCTION("ForiLoop", loop_func=loop_func)
        kinds.BOOL("ForiLoop", unroll=unroll)
        body = _Counted(loop_func)
        if is_traced(lower) or is_traced(upper):
            first, last = [as_weak_int(x) if is_traced(x) else int(x) for x in (lower, upper)]
            return loop(
                "ForiLoop", lambda carried: carried[0] < last, body, (first, init_val)
            )[1]  # fmt: skip
        indices = range(int(lower), int(upper))
        if indices and _is_one_operation(unroll):
            with contextlib.suppress(Unrecordable):
                return repeat("ForiLoop", None, body, (indices[0], init_val), len(indices))[1]
        val = init_val
        for i in indices:
            val = loop_func(i, val)
        return val


class _Counted:
    """One iteration over (iteration index, carried value)."""

    def __init__(self, function):
        self.function = self.__wrapped__ = function

    def __call__(self, carried):
        return carried[0] + 1, self.function(*carried)


def _is_one_operation(unroll):
    return not unroll and thread.recorder.tracer is not None


class Scan(_Loop):
    """For each x of `xs`, set `carry, y = loop_func(carry, x)`, from `init` on; `(carry, all y)`.

    `xs`: a tuple or list; None stands for `length` times None. In a captured function,
    `unroll=False` makes the loop one operation, if all iterations compute alike.

    >>> ops.Scan()(lambda total, x: (total + x, total), 0, [1, 2, 3])
    (6, [0, 1, 3])
    """

    def __call__(self, loop_func, init, xs, length: Any = None, unroll=True):
        kinds.FUNCTION("Scan", loop_func=loop_func)
        _SEQUENCE("Scan", xs=xs)
        kinds.BOOL("Scan", unroll=unroll)
        if xs is None:
            _LENGTH("Scan", length=length)
            xs = [None] * length
        if xs and _is_one_operation(unroll):
            with contextlib.suppress(Unrecordable):
                return over("Scan", loop_func, init, xs)
        carry, ys = init, []
        for x in xs:
            carry, y = loop_func(carry, x)
            ys.append(y)
        return carry, ys


PRIMITIVES.update(WhileLoop=WhileLoop, ForiLoop=ForiLoop, Scan=Scan)
