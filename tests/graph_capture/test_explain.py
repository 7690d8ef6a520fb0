"""`explain`: what changes between two calls, and the messages about it."""

import contextlib
import io
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import sporax
from sporax import nn
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.capture.graph_capture.mutable import mutable
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.runtime.engine import compile_policy
from sporax._src.runtime.engine.debug import compile_log
from sporax._src.runtime.engine.debug.explain import explain
from sporax._src.runtime.engine.recorder import Recorder, run_pending
from sporax._src.runtime.engine.trace_tree import forest

FACTOR = 2.0


@pytest.fixture(autouse=True)
def nothing_is_compiled():
    """A trace that another test of this process has run would not be compiled again."""
    run_pending()
    forest.clear()


def ones(*shape, dtype=np.float32):
    return Tensor(np.ones(shape, dtype))


@contextlib.contextmanager
def logged():
    """The lines that are logged inside."""
    lines = []
    with contextlib.redirect_stderr(io.StringIO()) as stream, explain():
        yield lines
    lines += stream.getvalue().splitlines()


class Net(nn.Cell):
    """A Cell with a part, an attribute and a setting in a list."""

    def __init__(self):
        super().__init__()
        self.block = nn.Dense(3, 3)
        self.factor, self.listed = 2.0, [1.0]

    def construct(self, x, **rest):
        return self.block(x) * self.factor * self.listed[0] * FACTOR


def step_of(net):
    """A captured function that takes all sorts of arguments."""

    @jit
    def step(x, n=3, mask=None, pair=(1, 2), named=None):
        for number in (n, pair[0]):
            assert isinstance(number, Tensor) or repr(number)  # a program for each of them
        y = net(x) * n
        return y if mask is None else y * mask

    return step


def set_global():
    globals()["FACTOR"] = FACTOR + 1.0


X = ones(2, 3)
CHANGES = [  # arguments before, arguments after, what is done in between -> what must be logged
    ({}, {}, lambda net: None, None),
    (
        {"mask": ones(2, 3)},
        {"mask": ones(2, 1)},
        None,
        "'mask' changed from Float32 (2, 3) to (2, 1)",
    ),
    (
        {"mask": ones(2, 3)},
        {"mask": ones(2, 3, dtype=np.float16)},
        None,
        "'mask' changed from Float32 (2, 3) to Float16 (2, 3)",
    ),
    ({"n": 3}, {"n": 4}, None, "the Python value 'n' changed from 3 to 4"),
    ({"n": 3}, {"n": 3.5}, None, "the Python value 'n' changed from 3 to 3.5"),
    ({"n": 3}, {"n": ones()}, None, "argument 'n' changed from 3 to Float32 ()"),
    ({"n": 3}, {"n": mutable(3)}, None, "argument 'n' changed from 3 to a Python int"),
    ({}, {"mask": X}, None, "argument 'mask' was not given before, and is now"),
    ({"mask": X}, {}, None, "argument 'mask' was given before, and is not now"),
    ({"mask": X}, {"mask": None}, None, "argument 'mask' changed from Float32 (2, 3) to None"),
    ({"pair": (1, X)}, {"pair": (2, X)}, None, "the Python value 'pair'[0] changed from 1 to 2"),
    ({"pair": (1, X)}, {"pair": (1,)}, None, "argument 'pair' changed from 2 to 1 items"),
    (
        {"named": {"a": 1}},
        {"named": {"a": 2}},
        None,
        "the Python value 'named'['a'] changed from 1",
    ),
    ({"named": {"a": 1}}, {"named": {"b": 1}}, None, "argument 'named' has other keys"),
    ({"mask": X}, {"mask": Parameter(X, name="p")}, None, "'mask' is another Parameter"),
    (
        {},
        {},
        lambda net: net.set_train(),
        "'training' of net (and 1 more) changed from False to True",
    ),
    (
        {},
        {},
        lambda net: net.block.set_train(),
        "'training' of net.block changed from False to True",
    ),
    (
        {},
        {},
        lambda net: net.block.register_forward_hook(lambda *a: None),
        "a hook was added to net.block",
    ),
    ({}, {}, lambda net: setattr(net, "factor", 5.0), "'factor' of a Net changed from 2.0 to 5.0"),
    (
        {},
        {},
        lambda net: net.listed.append(2.0),
        "'listed' of a Net changed from [1.0] to [1.0, 2.0]",
    ),
    ({}, {}, lambda net: set_global(), "the global 'FACTOR' changed from"),
    ({}, {}, lambda net: net.to_float(sporax.float16), "'to_float' was called on net"),
    (
        {},
        {},
        lambda net: setattr(net.block.weight, "requires_grad", False),
        "'requires_grad' of Parameter 'block.weight' flipped",
    ),
]


@pytest.mark.parametrize("before, after, change, words", CHANGES, ids=[str(r[3]) for r in CHANGES])
def test_why_a_function_is_captured_again(before, after, change, words):
    net = Net()
    step = step_of(net)
    with logged() as first:
        step(X, **before)
    where = rf"^sporax: captured 'step' \(tests{os.sep}graph_capture{os.sep}test_explain.py:\d+\): "
    assert re.match(where + r"first call; \d+ operations, [\d.]+ m?s$", first[0])
    assert re.match(r"sporax: compiled 'step' \(\d+ operations\); [\d.]+ m?s", first[1])
    if change is not None:
        change(net)
    with logged() as again:
        step(X, **after)
    if words is None:
        assert again == []
    else:
        assert re.match(where + ".*" + re.escape(words), again[0])


def test_a_variable_of_the_enclosing_function():
    n = 2.0
    double = jit(lambda x: x * n)
    double(X)
    n = 3.0
    with logged() as lines:
        double(X)
    assert "the variable 'n' of the enclosing function changed from 2.0 to 3.0" in lines[0]


def test_a_cell_in_graph_mode():
    net = Net()
    sporax.set_context(mode=sporax.GRAPH_MODE)
    try:
        with logged() as lines:
            net(X)
            net(ones(4, 3))
    finally:
        sporax.set_context(mode=sporax.PYNATIVE_MODE)
    captured = [line for line in lines if "captured" in line]
    assert re.search(r"'Net' \(tests.graph_capture.test_explain.py:\d+\): first call", captured[0])
    assert "'x' changed from Float32 (2, 3) to (4, 3)" in captured[1]


def test_a_function_that_goes_on_dynamically():
    broken = jit(lambda x: x * bool(x.sum() > 0))
    with logged() as lines, pytest.warns(RuntimeWarning, match="needs a number"):
        broken(X)
    assert any("first call; not to its end, it runs dynamically" in line for line in lines)


@pytest.mark.skipif(Recorder.immediate, reason="each operation is a trace of its own there")
def test_where_a_trace_of_dynamic_code_began_and_ended():
    def compute(size):
        a = ones(size) * 1.25
        b = a + 0.25
        return float(b.sum())

    first = compute.__code__.co_firstlineno
    with logged() as lines:
        compute(5)
        compute(5)
        compute(6)
    assert len(lines) == 2
    where = f"dynamic code tests{os.sep}graph_capture{os.sep}test_explain.py:{first + 1} to "
    for line, why in zip(lines, ["first time", "Float32 (5,) -> Float32 (6,)"], strict=True):
        assert where in line
        assert f"test_explain.py:{first + 3} (return float(b.sum())) (3 operations): " in line
        assert why in line


@pytest.mark.skipif(Recorder.immediate, reason="each operation is a trace of its own there")
def test_what_is_not_compiled_because_shapes_change(monkeypatch):
    monkeypatch.setattr(compile_policy, "uses_interpreter", True)

    def work(n):
        y = ones(n)
        for _ in range(20):
            y = y * 1.5 + 0.5
        return float(y.sum())

    with logged() as lines, pytest.warns(RuntimeWarning, match="change from step to step"):
        for n in (3, 4, 5, 6, 7, *[3] * 16):
            work(n)
    kinds = [re.match("sporax: (compiled|run by NumPy, not compiled:) dynamic", s) for s in lines]
    assert [kind and kind[1][:3] for kind in kinds] == ["run"] * 5 + ["com"]
    assert "Float32 (6,) -> Float32 (7,)" in lines[-2]
    assert "runs again" in lines[-1]


def test_a_program_from_the_folder(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from sporax import Tensor, jit\njit(lambda x: x * 2.0 + 1.0)(Tensor([1.0])).asnumpy()\n"
    )
    outputs = []
    for switch in ("1", "1", "0"):
        environment = dict(
            os.environ, SPORAX_EXPLAIN=switch, SPORAX_CACHE_DIR=str(tmp_path / "kept")
        )
        ran = subprocess.run(
            [sys.executable, script], env=environment, capture_output=True, text=True, check=True
        )
        outputs.append([line for line in ran.stderr.splitlines() if "compiled '<lambda>'" in line])
    assert [len(lines) for lines in outputs] == [1, 1, 0]
    assert "from the folder" not in outputs[0][0]
    assert outputs[1][0].endswith(", from the folder of compiled programs")


@pytest.mark.skipif(Recorder.immediate, reason="each operation is a trace of its own there")
def test_interpreted_dynamic_code_has_both_its_lines(monkeypatch):
    monkeypatch.setattr(compile_policy, "uses_interpreter", True)
    with logged() as lines:
        first = ones(2) * 3.0
        (first + 1.0).asnumpy()
    (line,) = [line for line in lines if "run by NumPy" in line]
    here = test_interpreted_dynamic_code_has_both_its_lines.__code__.co_firstlineno
    numbers = re.findall(rf"{Path(__file__).name}:(\d+)", line)
    assert [int(n) - here for n in numbers] == [4, 5]


def test_what_takes_long_is_announced(monkeypatch, capsys):
    monkeypatch.setattr(compile_log, "LONG", 0.01)
    with explain():
        run = compile_log.first_call(lambda *args: time.sleep(0.2), [], "first time")
        run([], [], [], [])
    lines = capsys.readouterr().err.splitlines()
    assert "compiling dynamic code" in lines[0]
    assert "not done after 0.01 s" in lines[0]
    assert "compiled dynamic code" in lines[1]


def test_many_captures_warn_once():
    double = jit(lambda x: x * 2.0)
    for n in range(1, double.WARN_AT):
        double(ones(n))
    words = r"captured 8 times.*argument 'x' changed from Float32 \(7,\) to \(8,\).*padding"
    with pytest.warns(RuntimeWarning, match=words):
        double(ones(double.WARN_AT))
    double(ones(double.WARN_AT + 1))  # says nothing more


def test_the_switch():
    assert not compile_log.channel.is_on
    with explain():
        assert compile_log.channel.is_on
        with explain(False):
            assert not compile_log.channel.is_on
        assert compile_log.channel.is_on
    assert not compile_log.channel.is_on
    with pytest.raises(TypeError, match="'on' must be a bool, but got str"):
        explain("yes")


PAGE = Path(__file__).parents[2] / "docs" / "explain.md"
# on a busy machine a compilation may last so long that a line says so
_VARIES = re.compile(
    r"[\d.]+ m?s\b|, from the folder of compiled programs|.*: not done after .*still going on.*\n"
)


@pytest.mark.skipif(Recorder.immediate, reason="each operation is a trace of its own there")
def test_the_page_shows_what_is_told(tmp_path, monkeypatch):
    text = PAGE.read_text("utf8")
    code, output = re.search(r"```python\n(.*?)```.*?```text\n(.*?)```", text, re.DOTALL).groups()
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(code)
    sporax.install_as_mindspore()
    with contextlib.redirect_stderr(io.StringIO()) as stream:
        exec(compile(code, str(tmp_path / "train.py"), "exec"), {"__name__": "__main__"})
    assert _VARIES.sub("", stream.getvalue()) == _VARIES.sub("", output)
