"""The error index: what its examples print, and that each error of the sources has an entry."""

import ast
import builtins
import re
from pathlib import Path

import pytest

import sporax
from sporax import Tensor, nn, ops
from sporax._src.core import language
from sporax._src.diagnosis import error_index, rules
from sporax._src.mindspore.compat import checks
from sporax._src.workbench.cli import main
from tools import run_page

pytestmark = pytest.mark.usefixtures("on_numpy")

ENTRIES = error_index.entries()
SOURCES = sorted(Path(sporax.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("name", ENTRIES)
def test_example_prints_what_it_shows(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    entry = ENTRIES[name]
    for code, shown, printed in run_page.differences(entry.blocks + "\n"):
        pytest.fail(f"{code}\nshown:\n{shown}\nprinted:\n{printed}")
    shown = [text for _, text in run_page.blocks(entry.blocks + "\n")]
    if "```python" in entry.blocks:  # code that raises the error of the entry, and code that works
        assert f"Cause and remedy: sporax errors {name}\n" in shown[0]
        assert shown[-1] and "Cause and remedy" not in shown[-1]


def test_chinese_has_the_same_entries():
    english, chinese = [error_index.groups(which)[1] for which in ("en", "zh")]
    assert [[e.name for e in group] for group in english.values()] == [
        [e.name for e in group] for group in chinese.values()
    ]
    for entry in error_index.entries("zh").values():
        assert entry.title and entry.prose.startswith("**原因：** ")
        assert "\n\n**解决方法：** " in entry.prose
    for entry in ENTRIES.values():
        assert entry.prose.startswith("**Cause.** ")
        assert "\n\n**Remedy.** " in entry.prose
        assert len(entry.title) <= 80


# signals between parts of the engine, which no user sees
SIGNALS = ["CannotPad", "NotPolymorphic", "OtherResult", "TraceEnds", "Unrecordable", "Unsupported"]


# what is caught where it is raised from, and what a wrong declaration of an operation says
CAUGHT = "device_memory.py", "user_key.py", "jax_internals.py", "library.py"
SIGNALS += ["NameError", "_TooMuch"]


# what `sporax launch` prints before it starts anything
SIGNALS += ["CannotLaunch", "NoJobKey"]


def classes():
    """{name of an exception: names of its bases}, of Python's and of the sources'."""
    bases = {
        name: [kind.__name__ for kind in value.__mro__]
        for name, value in vars(builtins).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf8"))):
            if isinstance(node, ast.ClassDef):
                found = [b.id for b in node.bases if isinstance(b, ast.Name) and b.id in bases]
                if found:
                    bases[node.name] = [node.name, *bases[found[0]]]
    return bases


def raised():
    """(place, names of classes, message with a number for what it shows) of each exception that the
    sources construct with words of their own."""
    bases = classes()
    for path in [path for path in SOURCES if path.name not in CAUGHT]:
        for node in ast.walk(ast.parse(path.read_text("utf8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            kind = node.func.id
            text = max(map(_text, node.args), key=len, default="")
            if kind in bases and kind not in SIGNALS and re.search("[a-z]{2}", text):
                yield f"{path.name}:{node.lineno}", bases[kind], text


def _text(node):
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(v) if isinstance(v, ast.Constant) else "7" for v in node.values)
    return _text(node.left) + _text(node.right) if isinstance(node, ast.BinOp) else ""


def test_each_error_without_rule_has_an_entry():
    lacking = [row for row in raised() if error_index.entry_of_message(*row[1:]) is None]
    assert not lacking, "give each a rule in sporax/_src/diagnosis/rules.csv"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_entry_has_messages(language):
    known = error_index.entries(language).values()
    assert not [entry.name for entry in known if not entry.messages()]


class Wrong(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (x * dout,)

    class Nothing(nn.Cell):
        def construct(self, x):
            pass


FOREIGN = {
    "attribute-missing": lambda: Tensor([1.0]).nowhere,
    "name-missing": lambda: sporax.dtype.nowhere,
    "argument-value": lambda: checks.check("size", 3, "count", 4),
    "grad-check": lambda: sporax.check_grad(Wrong(), ops.ones(2)),
}


def test_each_message_without_rule_is_raised():
    assert FOREIGN.keys() == {name for name, entry in ENTRIES.items() if entry.foreign}
    for name, fails in FOREIGN.items():
        with pytest.raises(Exception) as caught:
            fails()
        assert error_index.entry_of(caught.value) is ENTRIES[name]


def test_each_rule_with_an_error_has_an_entry():
    lacking = {name for name, row in rules.table().items() if row.error and not row.entry}
    # these have a reason, which has one
    assert lacking == {"arguments-misfit", "operands-misfit", "operands-misfit-with"}


class Users(nn.Cell):
    def construct(self, x):
        return {}["of the user"]


class Ragged(nn.Cell):
    def construct(self, x):
        return x.nowhere


@pytest.mark.parametrize(
    ("fails", "name"),
    [
        (lambda: Users()(Tensor([1.0])), None),
        (lambda: int("x"), None),
        (lambda: None.nowhere, None),
        (lambda: sporax.vmap(lambda x: [][3])(ops.ones(2)), None),
        (lambda: sporax.grad(lambda x: x + "a" * (1 / 0))(ops.ones(2)), None),
        (lambda: ops.relu(), "argument-missing"),
        (lambda: Tensor([1.0]).nowhere, "attribute-missing"),
        (lambda: Ragged()(Tensor([1.0])), "attribute-missing"),
        (lambda: ops.nowhere, "name-missing"),
    ],
)  # fmt: skip
def test_only_errors_of_sporax_have_an_entry(fails, name, monkeypatch):
    monkeypatch.setenv("SPORAX_LANG", "en")
    with pytest.raises(Exception) as caught:
        fails()
    language.annotate(caught.value)
    notes = "\n".join(getattr(caught.value, "__notes__", ()))
    assert notes.endswith(f"sporax errors {name}") if name else "sporax errors" not in notes


def test_the_command_prints_an_entry_in_both_languages(monkeypatch, capsys):
    for chosen, words in (
        ("en", "Remedy. Print both shapes."),
        ("zh", "解决方法：打印两个形状。"),
    ):
        monkeypatch.setenv("SPORAX_LANG", chosen)
        assert main(["errors", "shape-broadcast"]) == 0
        printed = capsys.readouterr().out
        assert words in printed and "scores * weights[:, None]" in printed
        assert not re.search(r"`|\*\*", printed)
        assert main(["errors"]) == 0
        printed = capsys.readouterr().out
        assert all(f"  {name} " in printed for name in ENTRIES)


def test_an_unknown_name_suggests_the_nearest(monkeypatch, capsys):
    monkeypatch.setenv("SPORAX_LANG", "en")
    assert main(["errors", "shape-brodcast"]) == 2
    assert "no entry has the name 'shape-brodcast'. Did you mean 'shape-broadcast'" in (
        capsys.readouterr().err
    )


def test_a_cell_without_a_result_is_no_cause_of_an_index_with_none(monkeypatch):
    """After a Cell that returns nothing, a remedy such as 'x[None]' is no hint at it."""
    monkeypatch.setattr(language.LastWithoutResult, "kind", Wrong.Nothing)
    with pytest.raises(ValueError, match=r"\[None\]") as raised:
        nn.Conv2d(3, 8, 3)(ops.ones((32, 32, 3)))
    language.annotate(raised.value)
    assert not any("returns nothing" in note for note in raised.value.__notes__)
