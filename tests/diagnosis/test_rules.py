"""The table of rules: each row is used and whole in both languages, each use fills its slots."""

import ast
import builtins
import pickle
import re
import sys
from pathlib import Path

import pytest

import sporax
from sporax import nn, ops
from sporax._src.diagnosis import error_index, rules
from tests.wrong_arguments import judge

SOURCES = sorted(Path(sporax.__file__).parent.rglob("*.py"))
TABLE, MESSAGE = rules.table(), rules.message
CALLS = {"require": 1, "rejection": 0, "message": 0}  # the position of the rule
QUOTED = re.compile(r"(?<!\w)'[^']*'|\{[^}]*\}|[(\[][^()\[\]]*[)\]]")


def uses():
    """Yield (file and line, rule, names of the fields, True if there are more) of each call that
    names its rule."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            at = CALLS.get(node.func.id, len(node.args))
            if at >= len(node.args):
                continue
            fields = {k.arg for k in node.keywords} - {"error"}
            for rule in constants(node.args[at]):
                yield f"{path.name}:{node.lineno}", rule, fields - {None}, None in fields


def constants(node):
    """Yield the texts that an expression may be."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from constants(node.body)
        yield from constants(node.orelse)


USES = list(uses())


def test_each_use_names_a_rule():
    assert len(USES) > 2000
    assert not [use for use in USES if use[1] not in TABLE]


def slots(text):
    return {name for _, name, _, _ in rules.template_fields(text) if name is not None}


def test_each_use_fills_the_slots():
    wrong = []
    for place, rule, fields, is_open in USES:
        needed = slots(TABLE[rule].english)
        more = fields - needed
        if "argument" in needed - fields and len(more) == 1:
            needed, more = needed - {"argument", "got"}, set()
        if more or (needed - fields and not is_open):
            wrong.append((place, rule, fields, needed))
    assert not wrong


def texts():
    """Return all texts of the sources: rules may be named in tables too."""
    return {
        node.value
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text("utf8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def test_each_rule_is_used():
    named = texts()
    assert not [rule for rule in TABLE if rule not in named]


@pytest.mark.parametrize("rule", TABLE)
def test_a_row(rule):
    row = TABLE[rule]
    assert rules.row_of(rule) == row
    kind = getattr(builtins, row.error) if row.error else Exception
    assert issubclass(kind, Exception)
    assert {name.rpartition(":")[2] for name in row.entry.split()} <= {*error_index.entries()}
    assert slots(row.chinese) <= slots(row.english)
    english, chinese = (QUOTED.sub("", text) for text in (row.english, row.chinese))
    if re.search("[a-z]{2}", english) and not re.fullmatch(r"an? [A-Z]\w+", english):
        assert re.search("[\u4e00-\u9fff]|Python", chinese)
        assert not judge.english_in(row.chinese)


def test_a_message_is_pickled_and_cut():
    whole = rules.message("greater-than", "Dense", in_channels=-1, n=0)
    again = pickle.loads(pickle.dumps(whole))
    assert again == whole == "For 'Dense', 'in_channels' must be greater than 0, but got -1."
    assert again.chinese == whole.chinese and again.clause() == whole[len("For 'Dense', ") : -1]


def train(size):
    net = nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Dense(8, 3))
    net[-1] = nn.Dense(2 * size**2, 3)
    optimizer = nn.Adam(net.trainable_params())
    net.set_train()
    x, y = ops.ones((2, 1, size, size)), ops.zeros((2,), sporax.int32)
    step = sporax.value_and_grad(
        lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters
    )
    optimizer(step(x, y)[1])
    ops.tile(ops.softmax(x, -1), (1, size, 1, 1)).sum().asnumpy()


def test_calls_that_succeed_make_no_message(monkeypatch):
    train(4)  # imports what is needed: Python asks modules for names that they lack

    def message(*args, **kwargs):
        raise AssertionError(args)

    for module in [m for n, m in sys.modules.items() if n.startswith("sporax.")]:
        if vars(module).get("message") is MESSAGE:
            monkeypatch.setattr(module, "message", message)
    train(5)


def test_a_rule_that_holds_raises_nothing():
    rules.require(True, "greater-than", "Dense", in_channels=1, n=0)
    with pytest.raises(TypeError, match="'x' must be a bool, but got int 1"):
        rules.require(False, "must-be-type", "f", x=1, kind="a-bool")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "None"), ("a", "str 'a'"), (2, "int 2"), (int, "type int"),
        (ops.ones((2, 3)), "Tensor Float32 (2, 3)"), (nn.ReLU, "type ReLU"),
        ([0] * 1000, "list [" + "0, " * 25 + "0.."), (lambda: 0, "function"),
    ],
)  # fmt: skip
def test_what_came(value, said):
    got = rules.message("must-be-type", "f", x=value, kind="a-bool").partition("but got ")[2]
    assert got == f"{said}."
