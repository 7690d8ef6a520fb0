"""Forms of Python in captured functions: where a Tensor decides, the numbers of dynamic code."""

import functools
import importlib
import inspect
import linecache
import re
import subprocess
import sys
import threading
import unittest
import warnings

import numpy as np
import pytest

from sporax import Parameter, Tensor, grad, jit, nn, ops, vmap
from sporax.ast_transform.convert import converted

pytestmark = pytest.mark.usefixtures("on_numpy")


def tensor(*xs):
    return Tensor(np.array(xs, np.float32))


def numbers(result):
    """What is in a result, as NumPy has it."""
    if isinstance(result, (tuple, list)):
        return [numbers(item) for item in result]
    return np.asarray(result.asnumpy() if isinstance(result, Tensor) else result)


def assert_same(got, wanted, **near):
    got, wanted = (x if isinstance(x, (tuple, list)) else [x] for x in (got, wanted))
    for a, b in zip(numbers(got), numbers(wanted), strict=True):
        np.testing.assert_allclose(a, b, **(near or {"rtol": 0, "atol": 0}))


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
    found = x[0] * 0
    for i, row in enumerate([x[0], x[1], x[1] * 2]):
        if row.sum() < 0:
            continue
        if row.sum() > 3:
            return found + row * i
        found = row * row
    return found


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
    for given in [*calls, *calls]:
        assert_same(captured(given), function(given), rtol=1e-6)
        wanted = grad(lambda x: function(x).sum())(given)
        assert_same(slope(given), wanted, rtol=1e-5)
    assert not captured.dynamic
    assert not slope.dynamic


def test_a_second_derivative_through_a_loop_that_is_left_early():
    def slope(x):
        return grad(lambda x: left(x).sum())(x).sum()

    captured = jit(grad(slope))
    for given in PAIRS[:3] * 2:
        assert_same(captured(given), grad(slope)(given), rtol=1e-5)
    assert not captured.dynamic


def test_a_return_of_containers_from_a_loop_without_a_bound():
    def search(x):
        while x.sum() < 100:
            x = x * 2
            if x[0] > 20:
                return {"at": x, "kind": "found"}, x.sum()
        return {"at": x - 1, "kind": "found"}, x.sum()

    captured = jit(search)
    for given in [tensor(1, 2), tensor(0.1, 0.2), tensor(90, 90), tensor(0.1, 9)] * 2:
        got, wanted = captured(given), search(given)
        assert_same([got[0]["at"], got[1]], [wanted[0]["at"], wanted[1]])
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


# where the source is ------------------------------------------------------------------------


def doubled(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(*args, **kwargs) * 2

    return call


def with_a_function(x, scale=3):
    @doubled
    def part(y, *, shift=1):
        if y.sum() > 0:
            return y * scale + shift
        return y - shift

    choose = lambda y: y if y.sum() > scale else -y  # noqa: E731
    return choose(part(x, shift=2)) + sum([p if p > 0 else p * 2 for p in (x[0], x[1])])


def made_elsewhere(x):
    return maker(2)(x) + maker(3)(x)


def maker(n):
    def made(x):
        while x.sum() < n:
            x = x + 1
        return x

    return made


class Base(nn.Cell):
    def construct(self, x):
        return x + 1


class Net(Base):
    def __init__(self):
        super().__init__()
        self.__rate = Parameter(tensor(2, 3), name="rate")

    def construct(self, x):
        def halved(y):
            return y / 2 if y.sum() > 4 else y

        if x.sum() > 0:
            self.__rate = self.__rate + 1
            x = x * self.__rate
        return self.__finish(halved(super().construct(x)))

    def __finish(self, x):
        return x if x.sum() > 0 else x - self.__rate


def halving(x, depth=3):
    if depth == 0:
        return x
    if x.sum() > 4:
        return halving(x / 2, depth - 1)
    return halving(x + 1, depth - 1)


two = [lambda x: x if x.sum() > 0 else -x, lambda x: x * 2 if x.sum() > 0 else x]


@pytest.mark.parametrize(
    "function", [with_a_function, made_elsewhere, halving, *two], ids=lambda f: f.__name__
)
def test_functions_in_functions(function):
    captured = jit(function)
    for given in [tensor(1, 2), tensor(-3, 1), tensor(0.5, 0), tensor(9, 9)] * 2:
        assert_same(captured(given), function(given))
    assert not captured.dynamic
    jit(function, fullgraph=True)(tensor(1, 2))


def test_a_cell_with_private_names_and_super():
    one, other = Net(), Net()
    captured = jit(other)
    for given in [tensor(1, 2), tensor(-3, 1), tensor(0.5, 0)] * 2:
        assert_same(captured(given), one(given))
    assert not captured.dynamic
    assert_same(one._Net__rate, other._Net__rate)


TEXT = """
def f(x, n=2):
    if x.sum() > 0:
        return x * n
    return x - n
"""


def test_a_text_without_a_source_runs_dynamically_and_says_so():
    space = {}
    exec(TEXT, space)
    captured = jit(space["f"])
    with pytest.warns(RuntimeWarning, match="the source of 'f' cannot be had.*'linecache'"):
        assert_same(captured(tensor(1)), tensor(2))
    with pytest.raises(RuntimeError, match="the source of 'f' cannot be had"):
        jit(space["f"], fullgraph=True)(tensor(1))


def test_a_text_that_linecache_knows_is_converted():
    name, space = "<ipython-input-7-flow>", {}
    linecache.cache[name] = len(TEXT), None, TEXT.splitlines(True), name
    exec(compile(TEXT, name, "exec"), space)
    captured = jit(space["f"], fullgraph=True)
    assert_same(captured(tensor(1)), tensor(2))
    assert_same(captured(tensor(-1)), tensor(-3))


def test_a_source_that_has_changed_is_not_taken():
    name, space = "<changed-flow>", {}
    text = TEXT.replace("x * n", "x / n")
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    exec(compile(TEXT, name, "exec"), space)
    with pytest.warns(RuntimeWarning, match="has changed since"):
        assert_same(jit(space["f"])(tensor(1)), tensor(2))


def test_a_command_line():
    text = "import sporax as s\nf = s.jit(lambda x: x if x > 0 else -x)\nprint(f(s.Tensor(-2.0)))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == "2.0"
    if sys.version_info < (3, 13):
        assert "the source of '<lambda>' cannot be had" in done.stderr


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
    for found in maps:
        try:
            return x * found["returned_in_try"]
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
        for given in [tensor(1, 2), tensor(-3, 1), tensor(0.5, 0), tensor(6, 1)] * 2:
            assert_same(captured(given, *rest), function(given, *rest))
    assert not captured.dynamic


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
    found = {"n": x}
    if x.sum() > 0:
        found["n"] = x * 2
    return found["n"]


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
    wanted = run(function)
    assert_same(got[0], wanted[0])
    assert got[1:] == wanted[1:]
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
    with pytest.raises(ValueError, match="MatMul") as wanted:
        fails(tensor(1, 1))
    assert str(got.value) == str(wanted.value)


def test_threads_capture_the_same_function_at_once():
    found, failed = [], []
    barrier = threading.Barrier(4)

    def work(sign):
        try:
            captured = jit(returning)
            barrier.wait()
            found.extend((sign, captured(tensor(sign, 2)).asnumpy()) for _ in range(3))
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
    for sign, got in found:
        np.testing.assert_array_equal(got, returning(tensor(sign, 2)).asnumpy())


def test_vmap_refuses_a_function_that_goes_on_after_a_refusal():
    with pytest.raises(RuntimeError, match="must not need a number"):
        vmap(swallowing)(tensor((1, 2), (3, 4)))


def test_conditions_are_converted_for_vmap_of_a_nested_function():
    def outer(x):
        def inner(y):
            return y * 2 if y.sum() > 0 else -y

        return inner(x)

    got = vmap(outer)(tensor((1, 2), (-3, 1)))
    np.testing.assert_array_equal(got.asnumpy(), [[2, 4], [3, -1]])


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
    (got, of_weight), (wanted, theirs) = (
        f(tensor(1, 2)) for f in (slope, grad(lambda x: run(x, True), 0, [weight]))
    )
    assert_same([got, *of_weight], [wanted, *theirs], rtol=1e-4, atol=1e-30)


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
    wanted = ops.ForiLoop()(1, 4, grow, tensor(1))
    assert_same(captured(tensor(1)), wanted)
    assert captured.captures == 1
    assert not captured.dynamic
    empty = jit(lambda x: ops.Scan()(lambda c, y: (c, y), x, [], 0, False))(tensor(2))
    assert_same(empty[0], tensor(2))
    assert empty[1] == []


# what has no Tensors ----------------------------------------------------------------------------


def functions_of(module):
    """The functions and methods that a module defines."""
    spaces = [vars(module), *[vars(v) for v in vars(module).values() if isinstance(v, type)]]
    found = {id(v): v for space in spaces for v in space.values() if inspect.isfunction(v)}
    return [f for f in found.values() if f.__module__ == module.__name__]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["textwrap", "difflib", "functools", "argparse", "collections"])
def test_converted_functions_of_pythons_own_library_pass_its_tests(name):
    pytest.importorskip(f"test.test_{name}")
    functions = functions_of(importlib.import_module(name))
    before = [(f, f.__code__) for f in functions]
    suite = unittest.defaultTestLoader.loadTestsFromName(f"test.test_{name}")
    result = unittest.TestResult()
    try:
        for function, code in before:
            function.__code__ = converted(code) or code
        assert any(f.__code__ is not code for f, code in before)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            suite.run(result)
    finally:
        for function, code in before:
            function.__code__ = code
    assert result.testsRun > 20
    assert not [*result.errors, *result.failures]
