"""Source that is converted: of nested functions, methods, `linecache`, Python's own library."""

import functools
import importlib
import inspect
import linecache
import subprocess
import sys
import unittest
import warnings

import numpy as np
import pytest

from sporax import Parameter, jit, nn, vmap
from sporax._src.capture.ast_transform.convert import converted
from tests.comparison import assert_same, tensor

pytestmark = pytest.mark.usefixtures("on_numpy")


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
    def built(x):
        while x.sum() < n:
            x = x + 1
        return x

    return built


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
    for inputs in [tensor(1, 2), tensor(-3, 1), tensor(0.5, 0), tensor(9, 9)] * 2:
        assert_same(captured(inputs), function(inputs))
    assert not captured.dynamic
    jit(function, fullgraph=True)(tensor(1, 2))


def test_a_cell_with_private_names_and_super():
    one, other = Net(), Net()
    captured = jit(other)
    for inputs in [tensor(1, 2), tensor(-3, 1), tensor(0.5, 0)] * 2:
        assert_same(captured(inputs), one(inputs))
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


def test_conditions_are_converted_for_vmap_of_a_nested_function():
    def outer(x):
        def inner(y):
            return y * 2 if y.sum() > 0 else -y

        return inner(x)

    got = vmap(outer)(tensor((1, 2), (-3, 1)))
    np.testing.assert_array_equal(got.asnumpy(), [[2, 4], [3, -1]])


# what has no Tensors ----------------------------------------------------------------------------
def functions_of(module):
    """The functions and methods that a module defines."""
    spaces = [vars(module), *[vars(v) for v in vars(module).values() if isinstance(v, type)]]
    result = {id(v): v for space in spaces for v in space.values() if inspect.isfunction(v)}
    return [f for f in result.values() if f.__module__ == module.__name__]


EARLIER = """
import numpy as np

def before_the_import(x):
    return x * 2 if x.sum() > 0 else x - 1

import sporax as ms

def before_jit_is_looked_up(x):
    return x * 2 if x.sum() > 0 else x - 1

for function in (before_the_import, before_jit_is_looked_up):
    captured = ms.jit(function, fullgraph=True)
    print(*(captured(ms.Tensor(np.float32([v])))[0] for v in (1, -1)))
"""


def test_functions_that_exist_before_sporax_is_imported(tmp_path):
    (tmp_path / "script.py").write_text(EARLIER)
    command = [sys.executable, "-W", "error", str(tmp_path / "script.py")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("2.0 -2.0\n" * 2, "")


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
