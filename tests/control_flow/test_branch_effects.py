"""Branches with side effects, which break the graph: each effect happens once."""

import re
import warnings

import pytest

from sporax import jit, ops, vmap
from tests.comparison import assert_same, tensor

pytestmark = pytest.mark.usefixtures("on_numpy")


def called_in_a_branch(x):
    def latest():
        return y

    y = x
    if x.sum() > 0:
        y = x * 2
        z = latest() + 1
    else:
        z = x
    return z + y


# what a branch must not do --------------------------------------------------------------------
log, state = [], {"n": 0}


class Counting:
    n = 0

    def __init__(self):
        self.seen = 0


counting = Counting()


def logging(x):
    log.append(1)
    state["n"] = state["n"] + 1
    counting.seen += 1
    return x * 2


def effect_in_a_call(x):
    if x.sum() > 0:
        x = logging(x)
    return x


def effect_in_a_loop(x):
    for _ in range(3):
        if x.sum() < 4:
            x = logging(x)
    return x


def append(x):
    ys = []
    if x.sum() > 0:
        ys.append(x)
    else:
        ys.append(-x)
        ys.append(x)
    return sum(ys)


def write_to_a_dict(x):
    result = {"n": x}
    if x.sum() > 0:
        result["n"] = x * 2
    return result["n"]


def add_to(items, x):
    items.append(x)
    return len(items)


def append_in_a_call(x):
    items, n = [x], 0
    if x.sum() > 0:
        n = add_to(items, x + 1)
    return sum(items) + n


def advance(x):
    numbers = iter([1, 2, 3])
    y = x * next(numbers)
    if x.sum() > 0:
        y = x * next(numbers)
    return y + next(numbers)


def shared_variable(x):
    n = 1

    def more():
        nonlocal n
        n = n + 1
        return x * n

    if x.sum() > 0:
        y = more()
    else:
        y = x
    return y * n


def define(x):
    if x.sum() > 0:

        def f(y):
            return y * 2
    else:

        def f(y):
            return y

    return f(x)


def swallowing(x):
    try:
        return x * float(x.sum())
    except Exception:  # noqa: BLE001, as users write it
        return x


def swallowed(x):
    if x.sum() > 0:
        x = swallowing(x)
    return x


def asserting(x):
    assert x.sum() != 0, "zero"
    return x * 2


def contained(x):
    return x * 2 if x.sum() in [3, 4] else x


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (effect_in_a_call, "it changes '(log|state|counting|n|seen)', which is no Tensor"),
        (effect_in_a_loop, "it changes"),
        (append, r"line \d+ in it does more than give variables values: ys.append"),
        (write_to_a_dict, "puts an item into a dict"),
        (append_in_a_call, "it changes 'items'"),
        (advance, r"more than give variables values: y = x \* next"),
        (shared_variable, "it changes 'n'"),
        (define, "does more than give variables values: def f"),
        (swallowed, "must not need a number"),
        (called_in_a_branch, "gives a value to 'y', which a function defined here reads"),
        (asserting, "assert"),
        (contained, "needs a number"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_a_branch_must_not_do_breaks_the_graph_and_does_it_once(function, why):
    captured = jit(function)
    inputs = [tensor(1, 2), tensor(-3, 1), tensor(1, 1)]

    def run(f):
        log.clear()
        counting.seen = state["n"] = 0
        return [f(x) for x in inputs], len(log), counting.seen, state["n"]

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        got = run(captured)
    expected = run(function)
    assert_same(got[0], expected[0])
    assert got[1:] == expected[1:]
    assert captured.dynamic
    (warned,) = {str(w.message) for w in caught}
    assert re.search(why, warned), warned


def test_an_error_of_the_branch_that_is_taken_is_the_users_own():
    def fails(x):
        if x.sum() > 0:
            return ops.matmul(x, tensor(1, 2, 3))
        return x.sum()

    captured = jit(fails)
    captured(tensor(-1, -1))
    with pytest.warns(RuntimeWarning, match="cannot be one operation"):
        captured(tensor(-1, -1))
    with pytest.raises(ValueError, match="MatMul") as got:
        captured(tensor(1, 1))
    with pytest.raises(ValueError, match="MatMul") as expected:
        fails(tensor(1, 1))
    assert str(got.value) == str(expected.value)


def test_vmap_refuses_a_function_that_goes_on_after_a_refusal():
    with pytest.raises(RuntimeError, match="must not need a number"):
        vmap(swallowing)(tensor((1, 2), (3, 4)))
