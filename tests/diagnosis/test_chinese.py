"""Error messages in Chinese."""

import sys

import pytest

import sporax
from sporax import Tensor, nn, ops
from sporax._src import PACKAGE
from sporax._src.core import language
from sporax._src.workbench.cli import run

# what fails, and its message in Chinese
SAID = [
    (
        lambda: nn.Dense(3, 4)(ops.ones((2, 5))),
        "'Dense'：输入的最后一维必须是 3 ('in_channels')，但得到的是形状 (2, 5)。",
    ),
    (
        lambda: nn.Conv2d(3, 4, 3, pad_mode="x"),
        "'Conv2d'：'pad_mode' 必须是 ('valid', 'same', 'pad') 之一，但得到的是 'x'。",
    ),
    (
        lambda: ops.ones((2, 3)) + ops.ones((4,)),
        "'Add'：操作数不匹配：'input' Float32 (2, 3), 'other' Float32 (4,)。从最后一维对齐时，"
        "各维的大小必须相等或为 1，但第 -1 维的大小是 3 和 4；请对其中一个做 reshape、expand 或 "
        "transpose。",
    ),
    (
        lambda: nn.Conv2d(3, 4, 0),
        "'Conv2d'：'kernel_size' 必须是一个不小于 1 的整数，或由 2 个这样的整数组成的元组，"
        "但得到的是 0。",
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
        "'recompute'：'block' 必须是函数或 Cell，但得到的是 int 3。",
    ),
    (
        lambda: nn.LSTM(10**9, 10**9, 3),
        "'LSTM'：结果必须放得进内存，但由 'num_layers', 'input_size' 和 'hidden_size' 得到的形状是 "
        "(3, 4000000000, 2000000000)，占 89406967163.1 GB。请给出更小的大小。",
    ),
]

# the same at a line of the user's, which the message names
PLACED = [
    (
        lambda: ops.unsorted_segment_max(ops.ones(2), Tensor([0, 7]), 3),
        "'UnsortedSegmentMax'：'segment_ids' 必须在 [0, 3) 内（段数），但得到的是 7，位于 ",
    ),
    (
        lambda: ops.gather(ops.ones(2), Tensor([5]), 0),
        "'Gather'：'index' 必须在 [-2, 2) 内（沿第 0 轴），但得到的是 5，位于 ",
    ),
]


@pytest.mark.parametrize(("fails", "said"), SAID, ids=range(len(SAID)))
def test_errors_in_chinese(fails, said):
    with pytest.raises((ValueError, TypeError)) as caught:
        fails()
    assert caught.value.args[0].chinese == said


@pytest.mark.parametrize(("fails", "said"), PLACED, ids=range(len(PLACED)))
def test_errors_at_a_line_in_chinese(fails, said):
    with pytest.raises(ValueError) as caught:
        fails().asnumpy()
    chinese = caught.value.args[0].chinese
    assert chinese.startswith(said + __file__)
    assert chinese.endswith("。'set_context(check_indices=False)' 可以关闭这项检查。")


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
    with pytest.raises(ValueError, match="SPORAX_LANG must be 'locale', 'en' or 'zh'"):
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
    assert shown[0][-3:-1] == [
        "所在的 Cell：'Net.layers.1'（Dense）。",
        "'Dense'：输入的最后一维必须是 3 ('in_channels')，但得到的是形状 (2, 5)。",
    ]
    assert not shell.run_cell("net.parameters()").success
    assert not any(PACKAGE in line for lines in shown for line in lines)  # users see their frames


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
