"""Reads `docs/from_pytorch.md` and the pages in its folder, the single source of their content:
blocks of PyTorch code (`py`) and of MindSpore code (`python`), and tables whose rows have one piece
of code for each."""

import ast
import contextlib
import dataclasses
import io
import linecache
import re
import traceback
import warnings
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "from_pytorch.md"
PAGES = [PAGE, *sorted(PAGE.with_suffix("").glob("*.md"))]
_BLOCK = re.compile(r"```(\w+)\n(.*?)```\n", re.DOTALL)
_OWN = re.compile(r"(```py\n(?:.*?)```\n\n)(```text\n.*?```\n)?", re.DOTALL)
_CODE = re.compile(r"`+([^`]+)`+")
SIDES = {"py": 0, "python": 1}
DISTRIBUTION = "same distribution"


@dataclasses.dataclass
class Block:
    """A code block of one side, and the output that the page shows for it."""

    side: int
    code: str
    shown: str = ""


@dataclasses.dataclass
class Row:
    """A row of a table: the code of both sides, and what they must have in common."""

    subject: str
    code: tuple
    common: str

    def __str__(self):
        return re.sub(r"[^\w.]+", "-", f"{self.subject} {self.code[0]}")[:60]


def items(text):
    """Return the blocks and rows of a page, in order."""
    found, end = [], 0
    for match in _BLOCK.finditer(text):
        found += _rows(text[end : match.start()])
        kind, code = match.groups()
        if kind in SIDES:
            found.append(Block(SIDES[kind], code))
        elif kind == "text":
            _show(found, code)
        end = match.end()
    return [*found, *_rows(text[end:])]


def _show(found, printed):
    """Assign the text below a block as its output; below a pair of blocks, as the output of
    both."""
    found[-1].shown = printed
    before = found[-2] if len(found) > 1 else None
    if isinstance(before, Block) and before.side < found[-1].side and not before.shown:
        before.shown = printed


def _rows(text):
    rows, common = [], ""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line[:1] == "|" else []
        if len(cells) == 3 and not set(line) <= set("|- "):
            if cells[1:] == ["PyTorch", "MindSpore"]:
                common = cells[0]
            else:
                codes = tuple("\n".join(_CODE.findall(cell)) for cell in cells[1:])
                rows.append(Row(cells[0], codes, common))
    return rows


def outcomes(found, side):
    """Return the output (block) or value (row, as `plain`) of each item of one side; an exception
    if it fails; None for a block of the other side."""
    scope: dict[str, Any] = {"__name__": "__main__"}
    results = []
    for i, item in enumerate(found):
        if isinstance(item, Block) and item.side != side:
            results.append(None)
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("default")
                results.append(_outcome(item, side, f"<item {i} of the page>", scope))
        except Exception as error:  # noqa: BLE001 - what fails is a test of its own
            error.add_note(traceback.format_exc())
            results.append(error)
    return results


def _outcome(item, side, file, scope):
    if isinstance(item, Row):
        *parts, last = ast.parse(_sourced(item.code[side], file)).body
        exec(compile(ast.Module(parts, []), file, "exec"), scope)
        if not isinstance(last, ast.Expr):
            raise SyntaxError(f"The last line must be an expression: {item.code[side]}")
        return plain(eval(compile(ast.Expression(last.value), file, "eval"), scope))
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(_sourced(item.code, file), file, "exec"), scope)
    return "".join(f"{line.rstrip()}\n" for line in output.getvalue().splitlines())


def _sourced(code, file):
    """Register the code so that `inspect` finds it; return it."""
    linecache.cache[file] = len(code), None, code.splitlines(keepends=True), file
    return code


def with_outputs(text, found, printed):
    """Return the page with the output of PyTorch's blocks below them."""
    outputs = iter([
        out for item, out in zip(found, printed, strict=True)
        if isinstance(item, Block) and item.side == 0
    ])  # fmt: skip

    def block(match):
        out = next(outputs)
        return match[1] + (f"```text\n{out}```\n" if match[2] else "")

    return _OWN.sub(block, text)


def plain(value):
    """Copy a result of either library to lists, numbers and text."""
    if value is None or isinstance(value, (bool, int, float, str, np.generic)):
        return value
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):  # torch.Size is one
        return [plain(v) for v in value]
    if hasattr(value, "detach"):
        return value.detach().clone().numpy()
    if hasattr(value, "asnumpy"):
        return value.asnumpy().copy()
    name = str(value).rpartition(".")[2].lower()
    if name.rstrip("0123456789") in ("float", "int", "uint", "bool", "complex", "bfloat"):
        return name
    raise TypeError(f"A row must give numbers or text, but got {type(value).__name__}.")


def assert_same(actual, expected, common):
    """Assert that two plain results agree: in all numbers, or as samples of one distribution."""
    if isinstance(expected, (list, dict)):
        keys = expected if isinstance(expected, dict) else range(len(expected))
        assert len(actual) == len(expected)
        for k in keys:
            assert_same(actual[k], expected[k], common)
    elif DISTRIBUTION in common:
        assert np.shape(actual) == np.shape(expected)
        quantiles = [np.quantile(x, np.linspace(0.01, 0.99, 15)) for x in (actual, expected)]
        scale = max(float(np.std(expected)), 1e-12)
        np.testing.assert_allclose(*quantiles, rtol=0.05, atol=0.05 * scale)
    elif isinstance(expected, (str, type(None))):
        assert actual == expected
    else:
        assert np.shape(actual) == np.shape(expected)
        np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)
