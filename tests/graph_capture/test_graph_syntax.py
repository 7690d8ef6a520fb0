"""Every row of docs/graph_syntax.md: what may be written in a captured function."""

import contextlib
import copy
import inspect
import io
import linecache
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from sporax import Tensor, jit
from sporax._src.core.tree import map_tensors, tensors_of
from tests.graph_capture.syntax_rows import ROWS
from tests.graph_capture.syntax_rows.row import BREAKS, REJECTED, WORKS
from tools.write_graph_syntax import PAGE, page

pytestmark = pytest.mark.usefixtures("on_numpy")


def of(verdict):
    result = [row for row in ROWS if row.verdict == verdict]
    return pytest.mark.parametrize("row", result, ids=[row.name for row in result])


class Raised:
    """An error in place of a result."""

    def __init__(self, error):
        self.parts = type(error), str(error)


class Twins:
    """What a row makes, twice: one as it is and one captured."""

    def __init__(self, row, **options):
        self.calls, self.captures = row.calls, 0  # those in calls that did not raise
        self.dynamic, self.look = row.make()
        function, self.look_captured = row.make()
        self.captured = jit(function, **options)

    def agree(self):
        """Make each call with both, and compare results, arguments after it, and state."""
        for call in self.calls:
            expected = self._outcome(self.dynamic, self.look, call)
            before = self.captured.captures
            assert_same(self._outcome(self.captured, self.look_captured, call), expected)
            if not isinstance(expected[0], Raised):
                self.captures += self.captured.captures - before

    def _outcome(self, function, look, call):
        arguments = map_tensors(copy.copy, call, copy.copy)  # some write to them
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                result = function(*arguments)
                for tensor in tensors_of(result):
                    tensor.data_sync()
            except Exception as error:  # noqa: BLE001 -- whatever the row's code raises
                result = Raised(error)
        return result, arguments, look(), printed.getvalue()


def assert_same(got, expected):
    if isinstance(expected, Tensor):
        assert isinstance(got, Tensor)
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got.asnumpy(), expected.asnumpy())
    elif isinstance(got, Tensor):  # a Python number that depends on a Tensor's
        assert got.asnumpy().tolist() == expected
    elif isinstance(expected, np.ndarray):
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)
    elif isinstance(expected, (tuple, list, dict, Raised)):
        assert type(got) is type(expected)
        pairs = (got, expected)
        if isinstance(expected, dict):
            pairs = [list(thing.items()) for thing in pairs]
        if isinstance(expected, Raised):
            pairs = [thing.parts for thing in pairs]
        assert len(pairs[0]) == len(pairs[1])
        for one, other in zip(*pairs, strict=True):
            assert_same(one, other)
    elif hasattr(expected, "__next__"):
        assert_same(list(got), list(expected))
    elif hasattr(expected, "__dict__") and not isinstance(expected, type):
        assert type(got) is type(expected)
        assert_same(vars(got), vars(expected))
    else:
        assert type(got) is type(expected)
        assert got == expected


@of(WORKS)
def test_what_works(row):
    twins = Twins(row)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        twins.agree()
        twins.agree()
        captures = twins.captures
        twins.agree()
        assert not twins.captured.dynamic
        assert twins.captures == captures
        if row.whole:
            Twins(row, fullgraph=True).agree()


@of(BREAKS)
def test_what_breaks_the_graph(row):
    twins = Twins(row)
    with pytest.warns(RuntimeWarning) as messages:
        for _ in range(3):
            twins.agree()
    assert len(messages) == 1
    message = str(messages[0].message)
    (lines, first), file = inspect.getsourcelines(row.about), inspect.getsourcefile(row.about)
    at = int(re.search(re.escape(Path(file).name) + r":(\d+)", message)[1])
    assert at in range(first, first + len(lines)) or linecache.getline(file, at).strip() in message
    assert row.words in message
    assert twins.captured.dynamic
    if row.whole:
        function, _ = row.make()
        with pytest.raises(RuntimeError, match=f":{at}"):
            jit(function, fullgraph=True)(*row.calls[0])


@of(REJECTED)
def test_what_is_refused(row):
    kind, words = row.error
    function, _ = row.make()
    with pytest.raises(kind, match=words):
        jit(function)(*row.calls[0])


def test_each_row_is_one_of_the_three():
    assert {row.verdict for row in ROWS} <= {WORKS, BREAKS, REJECTED}
    assert len({row.name for row in ROWS}) == len(ROWS)


def test_the_page_is_not_stale():
    assert PAGE.read_text("utf8") == page(), "run 'python -m tools.write_graph_syntax'"
