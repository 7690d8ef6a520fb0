"""Pitfalls that are found by reading, beside what `jit` does with the same code: the rows of
docs/graph_syntax.md, each of which is run by tests/graph_capture."""

import ast
import inspect
import textwrap

import pytest

from sporax.migrate.graph_pitfalls import pitfalls
from tests.graph_capture.syntax_rows import ROWS
from tests.graph_capture.syntax_rows.row import WORKS

NAMES = [row.name for row in ROWS]


def captured(row):
    """The row's source as a module in which what is captured is under `jit`."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(row.about)))
    (top,) = tree.body
    is_factory = any(getattr(d.func, "id", "") == "factory" for d in top.decorator_list)
    top.decorator_list = []
    if isinstance(top, ast.FunctionDef) and not is_factory:
        top.decorator_list = [ast.Name("jit", ast.Load())]
    elif isinstance(top, ast.FunctionDef):
        for part in top.body:
            if isinstance(part, ast.FunctionDef):
                part.decorator_list = [ast.Name("jit", ast.Load())]
    imports = ast.parse("import numpy as np, random").body
    return ast.Module([*imports, tree.body[0]], [])


@pytest.mark.parametrize("row", [r for r in ROWS if r.verdict == WORKS], ids=lambda r: r.name)
def test_nothing_is_said_of_what_works(row):
    assert not pitfalls(captured(row))


FOUND = {
    "builtin_all_of_a_tensor", "getattr_of_an_array", "max_of_a_tensor", "filtered_by_a_tensor",
    "bool_of_a_tensor", "float_of_a_tensor", "float_of_an_array", "isinstance_of_an_array",
    "a_generator", "asnumpy", "item_of_an_argument", "numpy_on_a_tensor", "random_of_python",
    "tolist_of_an_argument", "sorted_of_a_tensor", "a_list_given", "a_list_outside",
    "a_list_outside_that_grows", "nonlocal_outside", "int_of_a_tensor",
}  # fmt: skip


def test_of_what_breaks_the_graph_these_are_found():
    """The others are a matter of numbers or shapes, which the source does not say."""
    found = {r.about.__name__ for r in ROWS if r.verdict != WORKS and pitfalls(captured(r))}
    assert found == FOUND


CELL = """
import numpy as np
from mindspore import nn, Parameter
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight, self.count, self.seen = Parameter(1.0), 0, []
        self.buffer = Parameter(2.0)
    def construct(self, x):
        {line}
        return x
"""


@pytest.mark.parametrize(
    "line, says",
    [
        ("self.count += 1", "'self.count' is given in construct: keep it in a Parameter"),
        ("self.last = x", "'self.last' is given in construct"),
        ("self.seen.append(x)", "'self.seen.append' changes the Cell: return what is to be kept"),
        ("self.buffer = x", None),
        ("print(x); y = [1]; y.append(x)", None),
        ("y = x + 1; z = y.asnumpy()", "'.asnumpy()' reads a Tensor on the host"),
        ("y = np.zeros(x.shape)", None),
        ("x = int(x.shape[0])", None),
        ("y = np.mean(x)", "'np.mean' of a Tensor breaks the graph and cuts the gradient"),
    ],
)
def test_cells(line, says):
    found = pitfalls(ast.parse(CELL.format(line=line)))
    assert [p.line for p in found] == ([10] if says else [])
    assert not says or found[0].says.startswith(says)
