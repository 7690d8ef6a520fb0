"""Small names of `mindspore` itself: dtypes, sizes, devices, logging, decorators."""

import logging

import numpy as np
import pytest

import sporax as ms
from sporax import Symbol, Tensor, enable_dynamic, jit, nn, ops
from sporax._src.mindspore.compat import log_settings, runtime
from sporax.train.interruption_callbacks import ExitByRequest

# Expressions, and what MindSpore 2.10 returns for them, as text.
VALUES = [
    (lambda: repr(ms._null), "mindspore.Null"),
    (lambda: str(ms._null), "Null"),
    (lambda: isinstance(ms._null, ms._NullType), True),
    (lambda: ms._NullType() == ms._null, True),
    (lambda: isinstance(ms.type_none, ms._NullType), False),
    (lambda: str(ms.Int(32)), "Int32"),
    (lambda: ms.Int(32) == ms.int32, True),
    (lambda: str(ms.Int()), "Int"),
    (lambda: isinstance(ms.int32, ms.Int), True),
    (lambda: isinstance(ms.float32, ms.Int), False),
    (lambda: tuple(ms.get_current_device()), ("CPU", 0)),
    (lambda: ms.get_level(), "2"),
    (lambda: ms.get_log_config(), {"GLOG_v": "2", "GLOG_logtostderr": "1"}),
    (lambda: Symbol(max=4).to_dict(), {"max": 4}),
    (lambda: Symbol(max=-1).to_dict(), {}),
    (lambda: Symbol(min=3, max=2).to_dict(), {"min": 3}),
    (lambda: str(Symbol(max=4, divisor=2)), "{'max': 4, 'divisor': 2}"),
    (lambda: Tensor(shape=[None, Symbol(max=4), 3], dtype=ms.float32).shape, (-1, -1, 3)),
    (lambda: ExitByRequest().exit_by_request(1, 2, 3), 1),
]


@pytest.mark.parametrize(("call", "value"), VALUES)
def test_values(call, value):
    assert call() == value


class AddOne(nn.Cell):
    def construct(self, x):
        return x + 1


# Symbols, shapes that MindSpore 2.10 takes, and shapes that it refuses with such words.
SYMBOLS = [
    (dict(max=4), [(4,), (2,)], [((5,), "at most 4")]),
    (dict(min=3), [(3,), (9,)], [((2,), "at least 3")]),
    (dict(divisor=8, remainder=1), [(9,), (17,)], [((10,), "8 [*] N"), ((1,), "8 [*] N")]),
    (dict(unique=True), [(2, 2), (3, 3)], [((2, 3), "must be 2, as elsewhere")]),
]


@pytest.mark.parametrize(("known", "allowed", "refused"), SYMBOLS)
def test_symbols_limit_the_sizes_of_a_captured_cell(known, allowed, refused, on_numpy):
    symbol = Symbol(**known)
    net = AddOne()
    net.set_inputs(Tensor(shape=(symbol,) * len(allowed[0]), dtype=ms.float32))
    captured = jit(net)
    for shape in allowed:
        np.testing.assert_array_equal(captured(ops.ones(shape)).asnumpy(), np.full(shape, 2.0))
    for shape, words in refused:
        with pytest.raises(ValueError, match=f"For 'set_inputs', .*{words}"):
            captured(ops.ones(shape))


def test_sizes_of_a_dynamic_function_share_a_recording(on_numpy):
    @enable_dynamic(y=Tensor(shape=[None, 3], dtype=ms.float32))
    @jit
    def inner(x, y):
        return x + 1, y * 2

    @jit
    @enable_dynamic(y=Tensor(shape=None, dtype=ms.float32))
    def outer(x, y):
        return x + 1, y * 2

    for function in (inner, outer):
        assert function.has_dynamic_shapes
        for n in range(2, 7):
            first, second = function(ops.ones(2), ops.ones((n, 3)))
            assert first.asnumpy().tolist() == [2.0, 2.0]
            np.testing.assert_array_equal(second.asnumpy(), np.full((n, 3), 2.0))
        assert 1 <= function.captures <= 3  # of five sizes


def test_saved_tensors_are_packed(on_numpy):
    packed = []

    def pack(x):
        packed.append(x.asnumpy())
        return x + 1

    @ms.register_saved_tensors_hooks(pack, lambda x: x)
    def product(x, y):
        return x * y

    x, y = Tensor([2.0, 3.0]), Tensor([5.0, 7.0])
    dx, dy = ms.grad(product, (0, 1))(x, y)  # each operand is one more on the way back
    np.testing.assert_array_equal(dx.asnumpy(), [6.0, 8.0])
    np.testing.assert_array_equal(dy.asnumpy(), [3.0, 4.0])
    assert len(packed) == 2


def test_a_device_for_a_block():
    before = ms.get_current_device()
    with ms.DeviceCtx("CPU", 0) as block:
        assert block.name == "CPU"
        assert ms.get_current_device() == ("CPU", 0)
    assert ms.get_current_device() == before


def test_logging_follows_the_environment(monkeypatch, tmp_path):
    logger = logging.getLogger("sporax")
    before = logger.level, logger.propagate, list(logger.handlers)
    for name, value in dict(
        GLOG_v="1", GLOG_logtostderr="0", GLOG_log_dir=str(tmp_path), logger_maxBytes="5242880"
    ).items():
        monkeypatch.setenv(name, value)
    try:
        log_settings.configure()
        logger.debug("left out")
        logger.info("written")
        assert ms.get_level() == "1"
        assert ms.get_log_config() == {
            "GLOG_v": "1", "GLOG_logtostderr": "0", "GLOG_log_dir": str(tmp_path),
            "logger_maxBytes": "5242880", "logger_backupCount": "30",
        }  # fmt: skip
    finally:
        for handler in set(logger.handlers) - set(before[2]):
            handler.close()
        logger.level, logger.propagate, logger.handlers = before
        logger.setLevel(before[0])
    text = (tmp_path / "rank_0" / "logs" / "mindspore.log").read_text()
    assert text.startswith("[INFO]")
    assert "written" in text
    assert "left out" not in text
    monkeypatch.setenv("GLOG_v", "7")
    with pytest.raises(ValueError, match="For 'GLOG_v', the level must be 0"):
        log_settings.configure()


def test_settings_without_effect(caplog, monkeypatch):
    monkeypatch.setattr(runtime, "_mentioned", set())
    ms.set_dump(nn.Dense(2, 2))
    ms.set_dump(ops.Add(), False)
    ms.ms_memory_recycle()
    assert caplog.text.count("'set_dump' has no effect here") == 1


UNKNOWN = Tensor(shape=[None], dtype=ms.float32)
WRONG = [
    (lambda: Symbol(max="a"), TypeError, "'max' must be an int"),
    (lambda: Symbol(unique=1), TypeError, "'unique' must be a bool"),
    (lambda: Symbol(min=0), ValueError, "'min' must be positive"),
    (lambda: Symbol(divisor=0), ValueError, "'divisor' must be positive"),
    (lambda: Symbol(remainder=1), ValueError, r"'remainder' must be in the range \[0, 1\)"),
    (lambda: ms.Int(7), TypeError, "'dtype' must be one of"),
    (lambda: enable_dynamic(), ValueError, "there must be keyword arguments"),
    (lambda: enable_dynamic(x=Tensor([1.0])), TypeError, "'x' must be a Tensor with an unknown"),
    (lambda: enable_dynamic(x=3), TypeError, "'x' must be a Tensor with an unknown"),
    (lambda: enable_dynamic(z=UNKNOWN)(jit(lambda x: x)), ValueError, "must be parameters of"),
    (lambda: enable_dynamic(x=UNKNOWN)(3), ValueError, "must be a function or method"),
    (lambda: ms.DeviceCtx("x").__enter__(), ValueError, "'name' must be one of"),
    (lambda: ms.DeviceCtx("CPU", -1).__enter__(), ValueError, "'device_id' must be at least 0"),
    (lambda: ms.register_saved_tensors_hooks(1, 2), TypeError, "'pack_hook' must be a function"),
    (lambda: ms.set_dump(3), TypeError, "'target' must be a Cell or a Primitive"),
    (lambda: ms.set_dump(nn.Dense(2, 2), 1), TypeError, "'enabled' must be a bool"),
]


@pytest.mark.parametrize(("call", "error", "words"), WRONG)
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()
