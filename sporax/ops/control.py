"""Loops over functions: one operation where the number of turns depends on a Tensor in a function
that is being recorded, written out everywhere else."""

from sporax.autodiff.flow import as_number, is_open
from sporax.autodiff.statements import loop
from sporax.core.tensor import Tensor
from sporax.ops.declare import PRIMITIVES
from sporax.ops.primitive import Primitive


def _check(who, **arguments):
    """Each argument, given with the kinds it may be of."""
    for name, (value, kinds, wanted) in arguments.items():
        if not (callable(value) if kinds is None else isinstance(value, kinds)):
            raise TypeError(
                f"For '{who}', '{name}' must be {wanted}, but got {type(value).__name__}."
            )


class _Loop(Primitive):
    def __init__(self):
        super().__init__(type(self).__name__)


class WhileLoop(_Loop):
    """While `cond_func(val)` holds, `val = loop_func(val)`, from `init_val` on; the last `val`.

    >>> ops.WhileLoop()(lambda x: x < 100, lambda x: x * 2, 3)
    192
    """

    def __call__(self, cond_func, loop_func, init_val):
        wanted = None, "a function"
        _check("WhileLoop", cond_func=(cond_func, *wanted), loop_func=(loop_func, *wanted))
        return loop("WhileLoop", cond_func, loop_func, init_val)


class ForiLoop(_Loop):
    """For i from `lower` to `upper - 1`, `val = loop_func(i, val)`, from `init_val` on; the last
    `val`. `unroll` is accepted: the loop is always written out.

    >>> ops.ForiLoop()(0, 4, lambda i, total: total + i, 0)
    6
    """

    def __call__(self, lower, upper, loop_func, init_val, unroll=True):
        whole = (int, Tensor), "an int or a Tensor"
        _check(
            "ForiLoop", lower=(lower, *whole), upper=(upper, *whole),
            loop_func=(loop_func, None, "a function"),
        )  # fmt: skip
        if is_open(lower) or is_open(upper):
            first, last = [as_number(x) if is_open(x) else int(x) for x in (lower, upper)]
            return loop(
                "ForiLoop",
                lambda carried: carried[0] < last,
                lambda carried: (carried[0] + 1, loop_func(*carried)),
                (first, init_val),
            )[1]
        val = init_val
        for i in range(int(lower), int(upper)):
            val = loop_func(i, val)
        return val


class Scan(_Loop):
    """For each x of `xs`, `carry, y = loop_func(carry, x)`, from `init` on; `(carry, all y)`.

    `xs`: a tuple or list; None stands for `length` times None. `unroll` is accepted: the loop is
    always written out.

    >>> ops.Scan()(lambda total, x: (total + x, total), 0, [1, 2, 3])
    (6, [0, 1, 3])
    """

    def __call__(self, loop_func, init, xs, length=None, unroll=True):
        _check(
            "Scan", loop_func=(loop_func, None, "a function"),
            xs=(xs, (tuple, list, type(None)), "a tuple, list or None"),
        )  # fmt: skip
        if xs is None:
            _check("Scan", length=(length, int, "an int where 'xs' is None"))
            xs = [None] * length
        carry, ys = init, []
        for x in xs:
            carry, y = loop_func(carry, x)
            ys.append(y)
        return carry, ys


PRIMITIVES.update(WhileLoop=WhileLoop, ForiLoop=ForiLoop, Scan=Scan)
