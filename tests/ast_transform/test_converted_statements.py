"""Statements and expressions with Tensor conditions, captured: results as in dynamic mode."""

import pytest

from sporax import Tensor, jit
from tests.comparison import assert_same, tensor

pytestmark = pytest.mark.usefixtures("on_numpy")


# expressions --------------------------------------------------------------------------------
def expressions(x, n):
    small = 0 < x.sum() < 9 != n
    y = x.sum() > 3 and x.mean() < 9
    z = small or x.sum() < -3
    w = not z
    if (total := x.sum()) > 1 and n < 5:
        x = x + total
    while (rest := x.sum()) < 7:
        x = x + 1
    annotated: Tensor = x * 2
    if w:
        annotated += rest
    return annotated, y, z, w


def matched(x, n):
    match n:
        case 1 | 2:
            y = x + 1 if x.sum() > 0 else x
        case [a, b]:
            y = x * a - b
        case _:
            y = x
            if x.sum() > 3:
                y = y + n
    return y


def tried(x):
    try:
        if x.sum() > 0:
            y = x / 2
        else:
            y = x * 3
        missing = {}["no"]
    except KeyError:
        missing = 2 if x.sum() > 1 else 1
    finally:
        x = x + 1 if x.sum() > 0 else x
    return y * missing + x


def generated(x):
    def parts():
        for i in range(3):
            if x.sum() > i:
                part = x * i
            else:
                part = x - i
            yield part

    class Sum:
        def __init__(self):
            self.value = 0

        def add(self, y):
            self.value = self.value + (y if y.sum() > 1 else -y)

    total = Sum()
    for part in parts():
        total.add(part)
    return total.value


def returned_in_try(x, maps):
    for result in maps:
        try:
            return x * result["returned_in_try"]
        except KeyError:
            x = x + 1 if x.sum() > 0 else x
    return x


counter = 0


def with_globals(x):
    global counter
    counter = 3
    if x.sum() > 0:
        x = x * counter
    return x


def without_a_value(x, n):
    if n > 2:
        if n > 4:
            part = x * 2
        for kept in list(range(n - 3)):
            if kept > 1:
                break
        x = x + 1 if x.sum() < 9 else x
    if n > 3 and x.sum() > 1:
        x = x + part if n > 4 else x + kept
    return x


@pytest.mark.parametrize(
    ("function", "more"),
    [
        (without_a_value, [(1,), (3,), (4,), (5,)]),
        (expressions, [(1,), (9,)]),
        (matched, [(1,), ([2, 3],), (7,)]),
        (tried, [()]),
        (generated, [()]),
        (returned_in_try, [([{"a": 1}, {}],), ([{}, {"returned_in_try": 3}],)]),
        (with_globals, [()]),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_forms(function, more):
    captured = jit(function)
    for rest in more:
        for inputs in [tensor(1, 2), tensor(-3, 1), tensor(0.5, 0), tensor(6, 1)] * 2:
            assert_same(captured(inputs, *rest), function(inputs, *rest))
    assert not captured.dynamic
