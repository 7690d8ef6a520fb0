"""`ops.ForiLoop` and `ops.Scan`: one operation with a derivative, or unrolled."""

import pytest

from sporax import Parameter, grad, jit, ops
from tests.comparison import assert_same, tensor

pytestmark = pytest.mark.usefixtures("on_numpy")


# loops over functions ---------------------------------------------------------------------------
def test_a_counted_loop_of_functions_is_one_operation_with_a_derivative():
    weight = Parameter(tensor(0.5, 1), name="w")

    def run(x, unroll):
        def turn(i, pair):
            y, n = pair
            return ops.sin(y * weight) + i, n + 1

        y, n = ops.ForiLoop()(2, 300, turn, (x, 0), unroll)
        return (y * y).sum() + n

    captured = jit(lambda x: run(x, False))
    assert_same(captured(tensor(1, 2)), run(tensor(1, 2), True), rtol=1e-5)
    assert len(str(captured.graph(tensor(1, 2))).splitlines()) < 30
    slope = jit(grad(lambda x: run(x, False), 0, [weight]))
    (got, of_weight), (expected, reference) = (
        f(tensor(1, 2)) for f in (slope, grad(lambda x: run(x, True), 0, [weight]))
    )
    assert_same([got, *of_weight], [expected, *reference], rtol=1e-4, atol=1e-30)


def test_a_scan_is_one_operation_with_a_derivative():
    def step(carry, item):
        x, (scale, name) = item
        total = carry["total"] * scale + ops.tanh(x)
        return {"total": total, "n": carry["n"] + 1}, (total * x, name, carry["n"])

    def run(x, unroll):
        items = [(x * i, (float(i), "same")) for i in range(1, 60)]
        last, ys = ops.Scan()(step, {"total": x, "n": 0}, items, len(items), unroll)
        return [last["total"], last["n"], *[part for y in ys for part in (y[0], y[2])]]

    def total(x, unroll):
        parts = run(x / 1e3, unroll)
        return ops.log(parts[0] * parts[0]).sum() + parts[-2].sum() * 1e-30 + parts[4].sum()

    captured, slope = jit(lambda x: run(x, False)), jit(grad(lambda x: total(x, False)))
    x = tensor(0.1, 0.2)
    assert_same(captured(x), run(x, True), rtol=1e-5)
    assert_same(slope(x), grad(lambda x: total(x, True))(x), rtol=1e-4)


def test_loops_of_functions_whose_turns_differ_are_written_out():
    def grow(i, x):
        return ops.concat([x, x * i])

    captured = jit(lambda x: ops.ForiLoop()(1, 4, grow, x, False))
    expected = ops.ForiLoop()(1, 4, grow, tensor(1))
    assert_same(captured(tensor(1)), expected)
    assert captured.captures == 1
    assert not captured.dynamic
    empty = jit(lambda x: ops.Scan()(lambda c, y: (c, y), x, [], 0, False))(tensor(2))
    assert_same(empty[0], tensor(2))
    assert empty[1] == []
