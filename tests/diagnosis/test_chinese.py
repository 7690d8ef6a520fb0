"""Error messages in Chinese."""

import ast
import re
import sys
from pathlib import Path

import pytest

import sporax
from sporax import nn, ops
from sporax.cli import run
from sporax.core import language
from sporax.diagnosis import chinese

# what fails, and its message in Chinese
SAID = [
    (
        lambda: nn.Dense(3, 4)(ops.ones((2, 5))),
        "'Dense'：输入的最后一维必须是 3 ('in_channels')，但得到的是形状 (2, 5)。",
    ),
    (
        lambda: nn.Conv2d(3, 4, 3, pad_mode="x"),
        "'Conv2d'：'pad_mode' 必须是以下之一：('valid', 'same', 'pad')，但得到的是 'x'。",
    ),
    (
        lambda: ops.ones((2, 3)) + ops.ones((4,)),
        "'Add'：操作数不匹配：'input' Float32 (2, 3), 'other' Float32 (4,)。从最后一维对齐时，"
        "各维的大小必须相等或为 1，但第 -1 维的大小是 3 和 4；请对其中一个做 reshape、expand 或 "
        "transpose。",
    ),
    (
        lambda: nn.Conv2d(3, 4, 0),
        "'Conv2d'：'kernel_size' 必须是一个或两个不小于 1 的整数，但得到的是 0。",
    ),
    (
        lambda: ops.matmul(ops.ones((1, 2)), ops.ones((1, 2))),
        "'MatMul'：操作数不匹配：'input' Float32 (1, 2), 'other' Float32 (1, 2)。第一个操作数最后"
        "一维的大小 2 必须等于第二个操作数倒数第二维的大小 1；请转置其中一个，或检查它来自哪一层。",
    ),
    (
        lambda: nn.LSTM(3),
        "'LSTM'：必须给出 'hidden_size'，但只给出了 'input_size'。它的调用方式是 LSTM(input_size, "
        "hidden_size, num_layers=1, has_bias=True, batch_first=False, dropout=0.0, "
        "bidirectional=False, dtype=mindspore.float32)。",
    ),
    (
        lambda: sporax.recompute(3),
        "'recompute'：'block' 必须是 Cell 或函数，但得到的是 int。",
    ),
]


@pytest.mark.parametrize(("fails", "said"), SAID, ids=range(len(SAID)))
def test_errors_in_chinese(fails, said):
    with pytest.raises((ValueError, TypeError)) as caught:
        fails()
    assert chinese.message(str(caught.value)) == said


PHRASES = [
    ("an int or a tuple of ints", "整数或由整数组成的元组"),
    ("a Tensor, a number or None", "Tensor、数或 None"),
    ("a tuple or list of Tensors", "由 Tensor 组成的元组或列表"),
    ("an int of at least 1", "不小于 1 的整数"),
    ("in [0, 1)", "[0, 1) 内的数"),
    ("at least 2 dimensions", "至少 2 维"),
    ("Leave it out", "请去掉它"),
    ("what nobody has foreseen", None),
]


@pytest.mark.parametrize(("english", "told"), PHRASES)
def test_phrases(english, told):
    assert chinese.phrase(english) == told


def test_what_has_no_translation_stays():
    assert chinese.message("Something of the user's went wrong.") is None
    told = chinese.message("For 'x', 'axis' must be an int, but got 'a'. Ask your neighbour.")
    assert told == "'x'：'axis' 必须是整数，但得到的是 'a'。Ask your neighbour。"


# messages that are put together of parts: as they come
COMPOSED = [
    "For 'Add', shapes (2, 3) and (4,) fail. Aligned at the last axis, shapes must be equal or 1 "
    "along each, but axis -1 has the sizes 3 and 4; reshape, expand or transpose one of them.",
    "For 'Add', the operands do not fit: 'input' Float32 (2, 3), 'other' Float32 (4,). Their "
    "shapes (2, 3) and (4,) do not broadcast.",
    "For 'Mul', memory must suffice for its result and for those of the 3 operations that run with "
    "it, but an allocation failed: the result of shape (2, 3) takes 9 GB, all results together 9 "
    "GB, and there are 8 GB. Compute on smaller batches, or with 'recompute'.",
    "For 'Adam', 'eps' must be greater than '0.0', but got 0.",
    "For 'Dense', 'in_channels' must be given, but got none.",
    "For the method 'x', 'y' must be an int.",
    "For 'Net.construct', missing 1 required positional argument: 'x'. It is called as f(x).",
    "For the method 'construct', 'x' must be a Tensor, but got 3.",
    "For 'Tensor', a size is too large: 9999999999.",
    "The environment variable SPORAX_LANG must be 'locale' or 'en' or 'zh', but got fr.",
    "For 'relu', 'input' must be a Tensor, a number, an array, a scalar or None, but got {}.",
    "For 'split', 'axis' must be in (0, 1], but is 2. Use 'x' instead. See docs/differences.md.",
    "For 'clip', 'x' must have the same dtype, but has Float32.",
    "This Tensor was made inside a captured function (jit) and kept past its end, where it has no "
    "numbers. Return it from the function, or put it into a Parameter with 'set_data'.",
    "For 'matmul', 'input' must be a matrix. Convert one of them, e.g. with 'astype'.",
    "For 'item', 'x' must be a Python float, but got ints. 'x' is not set.",
    "For 'reshape', 'shape' must be an int from 0 to 3. Reshape one, e.g. with 'reshape'.",
    "For 'where', 'x' and 'y' must have the same dtype, but have Bool and Int32.",
    "For 'LSTM', 'hidden_size' must be given, but got 'input_size' only.",
    "For 'OneHot', the operands do not fit: 'on_value' a Python int, 'off_value' a Python float "
    "with 'depth' 3. Indices must be integers; convert them with 'astype'.",
    "For 'Conv2d', 'kernel_size' must be an int of at least 1 or two, but got 0.",
    "For 'Conv3d', 'kernel_size' must be an int of at least 1 or three, but got 0.",
    "For 'Embedding', 'vocab_size' must be an int greater than 0, but got 0.",
    "For 'Parameter', 'x' must be a Tensor, an int, a float, a NumPy array or a list.",
    *(
        f"For 'MatMul', the last axis of the first operand, of size 2, must equal the {name} one "
        "of the second, of size 1; transpose one of them, or check which layer it comes from."
        for name in ("second-last", "only")
    ),
]


def _messages():
    """The messages in the sources, with a 7 for what they show."""
    yield from COMPOSED
    yield from (english for english, _ in PHRASES)
    for path in sorted(Path(sporax.__file__).parent.rglob("*.py")):
        tree = ast.parse(path.read_text("utf8"))
        texts = set(_texts(tree))
        yield from (text for text in texts if re.match("For '.*? ", text))
        if path.parent.name == "diagnosis":  # parts of messages
            yield from (text for text in texts if " " in text)
        for node in ast.walk(tree):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                text = _text(node.exc.args[0])
                if text.count(" ") > 1 and text not in texts - {text}:
                    yield text


def _texts(node):
    """The texts below a node, each whole; no docstrings."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    text = _text(node)
    if text:
        yield text
    for part in ast.iter_child_nodes(node) if not text else ():
        yield from _texts(part)


def _text(node):
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(v) if isinstance(v, ast.Constant) else "7" for v in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _text(node.left), _text(node.right)
        return (left or "7") + (right or "7") if left or right else ""
    return ""


@pytest.fixture(scope="module")
def told():
    """{message of the sources: what becomes of its sentences}, with a number for what they show,
    and with a shape."""
    texts = {one for text in _messages() for one in (text, re.sub(r"(?<!')\b7\b", "(2, 3)", text))}
    return {text: chinese.sentences(text) for text in texts}


def test_the_messages_are_told(told):
    messages = [
        parts for text, parts in told.items() if text.startswith("For '") and "(2, 3)" not in text
    ]
    assert len(messages) > 1600
    begun = sum(bool(parts[0].rows) for parts in messages)
    whole = sum(not any(part.left for part in parts) for parts in messages)
    untold = [text for text, parts in told.items() if any(part.left for part in parts)]
    assert begun > 0.985 * len(messages) and whole > 0.985 * len(messages), untold


def test_each_row_is_used(told):
    used = {row for parts in told.values() for part in parts for row in part.rows}
    assert not [row.english for row in chinese.rows() if row.english not in used]


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "SPORAX_LANG": "en"}, "en"),
        ({"LANG": "de_DE.UTF-8", "SPORAX_LANG": "zh"}, "zh"),
    ],
)
def test_the_language(environ, expected, monkeypatch):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "SPORAX_LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert language.language() == expected


def test_another_language_is_refused(monkeypatch):
    monkeypatch.setenv("SPORAX_LANG", "fr")
    with pytest.raises(ValueError, match="SPORAX_LANG must be 'locale' or 'en' or 'zh'"):
        language.language()


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(nn.ReLU(), nn.Dense(3, 4))

    def construct(self, x):
        return self.layers(x)


@pytest.mark.parametrize(
    ("chosen", "shown"),
    [
        (
            "en",
            "got shape (2, 5).\nIn the Cell 'Net.layers.1' (Dense).\n"
            "Cause and remedy: sporax errors layer-input-size\n",
        ),
        ("zh", "got shape (2, 5).\n所在的 Cell：'Net.layers.1'（Dense）。\n'Dense'：输入的最后"),
        ("zh", "得到的是形状 (2, 5)。\n原因与解决方法：sporax errors layer-input-size\n"),
    ],
)
@pytest.mark.parametrize("way", ["excepthook", "sporax run"])
def test_uncaught_exceptions_say_more(way, chosen, shown, monkeypatch, capsys):
    monkeypatch.setenv("SPORAX_LANG", chosen)
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    language.annotate_uncaught()
    try:
        Net()(ops.ones((2, 5)))
    except ValueError as error:
        if way == "sporax run":
            run._report(error)
        else:
            sys.excepthook(type(error), error, error.__traceback__)
    printed = capsys.readouterr().err
    assert shown in printed and printed.count("Net.layers.1") == 1


def test_notebooks_say_more(monkeypatch, tmp_path):
    shell = pytest.importorskip("IPython").InteractiveShell(ipython_dir=str(tmp_path))
    shown = []
    show = lambda _, kind, error, lines: shown.append(lines)  # noqa: E731
    monkeypatch.setattr(type(shell), "_showtraceback", show)
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    monkeypatch.setenv("SPORAX_LANG", "zh")
    language.annotate_uncaught()
    shell.user_ns.update(net=Net(), x=ops.ones((2, 5)))
    assert not shell.run_cell("net(x)").success
    assert shown[0][-2:] == [
        "所在的 Cell：'Net.layers.1'（Dense）。",
        "'Dense'：输入的最后一维必须是 3 ('in_channels')，但得到的是形状 (2, 5)。",
    ]


class Unfinished(nn.Cell):
    def __init__(self):
        self.inner = nn.Dense(3, 0)


class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = Unfinished()


@pytest.mark.parametrize("fails", [lambda: nn.Dense(3, 4)(ops.ones((2, 5))), Outer])
def test_an_error_of_one_cell_names_no_other(fails, monkeypatch):
    monkeypatch.setenv("SPORAX_LANG", "en")
    with pytest.raises((ValueError, RuntimeError, AttributeError)) as caught:
        fails()
    language.annotate(caught.value)
    assert not any("In the Cell" in note for note in getattr(caught.value, "__notes__", ()))
