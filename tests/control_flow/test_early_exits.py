"""Loops with `break`, `continue` and `return` in captured functions, and their derivatives."""

import threading

import numpy as np
import pytest

from sporax import grad, jit
from tests.comparison import assert_same, tensor

pytestmark = pytest.mark.usefixtures("on_numpy")


# loops that are left early, and their derivatives -----------------------------------------------
def left(x):
    for _ in range(10):
        if x.sum() > 5:
            break
        x = x * x
    return x


def counted(x):
    i = 0
    while i < 10 and x.sum() < 50:
        x = x * x + i
        i += 1
    return x


def counted_down(x):
    i = 7
    while 0 <= i:  # noqa: SIM300, since the other way round is elsewhere
        if x.sum() > 40:
            break
        x = x * 2 + x * x
        i = i - 2
    return x


def returning(x):
    for i in range(8):
        y = x * (i + 1)
        if y.sum() > 20:
            return y * x
        if i == 3:
            continue
        x = x + 1
    return -x


def returning_from_two(x):
    for i in range(3):
        for j in range(4):
            x = x + i * j
            if x.sum() > 10:
                return x * x
    return x


def over_rows(x):
    total = x[0] * 0
    for row in x:
        if row.sum() > 3:
            break
        total = total + row * row
    return total


def over_pairs(x):
    result = x[0] * 0
    for i, row in enumerate([x[0], x[1], x[1] * 2]):
        if row.sum() < 0:
            continue
        if row.sum() > 3:
            return result + row * i
        result = row * row
    return result


ROWS = [tensor((1, 2), (0, 1)), tensor((0, 1), (1, 9)), tensor((-1, 0), (1, 1))]


PAIRS = [tensor(1.1, 1.2), tensor(1, 9), tensor(0.1, 0.2), tensor(-90, 1)]


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (left, PAIRS),
        (counted, PAIRS[:3]),
        (counted_down, PAIRS[:3]),
        (returning, PAIRS),
        (returning_from_two, PAIRS),
        (over_rows, ROWS),
        (over_pairs, ROWS),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_loops_that_are_left_early_and_their_derivatives(function, calls):
    captured, slope = jit(function), jit(grad(lambda x: function(x).sum()))
    for inputs in [*calls, *calls]:
        assert_same(captured(inputs), function(inputs), rtol=1e-6)
        expected = grad(lambda x: function(x).sum())(inputs)
        assert_same(slope(inputs), expected, rtol=1e-5)
    assert not captured.dynamic
    assert not slope.dynamic


def test_a_second_derivative_through_a_loop_that_is_left_early():
    def slope(x):
        return grad(lambda x: left(x).sum())(x).sum()

    captured = jit(grad(slope))
    for inputs in PAIRS[:3] * 2:
        assert_same(captured(inputs), grad(slope)(inputs), rtol=1e-5)
    assert not captured.dynamic


def test_a_return_of_containers_from_a_loop_without_a_bound():
    def search(x):
        while x.sum() < 100:
            x = x * 2
            if x[0] > 20:
                return {"at": x, "kind": "found"}, x.sum()
        return {"at": x - 1, "kind": "found"}, x.sum()

    captured = jit(search)
    for inputs in [tensor(1, 2), tensor(0.1, 0.2), tensor(90, 90), tensor(0.1, 9)] * 2:
        got, expected = captured(inputs), search(inputs)
        assert_same([got[0]["at"], got[1]], [expected[0]["at"], expected[1]])
        assert got[0]["kind"] == "found"
    assert captured.captures == 2


def unbounded(x):
    while x.sum() < 10:
        x = x * x
    return x.sum()


def test_an_unbounded_while_under_a_derivative():
    captured = jit(grad(unbounded))
    captured(tensor(2, 2))
    with pytest.warns(RuntimeWarning, match="no known number of turns has no derivative"):
        captured(tensor(2, 2))
    assert_same(captured(tensor(2, 2)), grad(unbounded)(tensor(2, 2)))
    with pytest.raises(RuntimeError, match="no known number of turns has no derivative"):
        jit(grad(unbounded), fullgraph=True)(tensor(2, 2))


def test_a_bound_that_is_too_large_for_a_derivative():
    def far(x):
        for _ in range(10**9):
            if x.sum() > 5:
                break
            x = x * x
        return x.sum()

    assert jit(far, fullgraph=True)(tensor(2, 2)) == 8
    with pytest.raises(RuntimeError, match=r"keep what each of \d+ turns computes"):
        jit(grad(far), fullgraph=True)(tensor(2, 2))


def test_threads_capture_the_same_function_at_once():
    result, failed = [], []
    barrier = threading.Barrier(4)

    def work(sign):
        try:
            captured = jit(returning)
            barrier.wait()
            result.extend((sign, captured(tensor(sign, 2)).asnumpy()) for _ in range(3))
        except BaseException as error:  # noqa: BLE001, of a thread, to be seen by the test
            failed.append(error)

    before = returning.__code__
    threads = [threading.Thread(target=work, args=(i - 2,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert returning.__code__ is before
    for sign, got in result:
        np.testing.assert_array_equal(got, returning(tensor(sign, 2)).asnumpy())
