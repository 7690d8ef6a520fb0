"""The 'Raises' lists of the site: each rule that a wrong call raises is in its source."""

import contextlib

import pytest

import sporax
from sporax import nn, ops
from sporax._src.diagnosis import rules
from sporax._src.runtime.engine.recorder import run_pending
from sporax.data import audio
from tests.wrong_arguments import sweep, valid_calls, written_calls
from tools.raised_rules import raised, reachable

pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.usefixtures("on_numpy"),
]
QUICK = dict.fromkeys(valid_calls.CLASSES, 20)
WHOLE = dict.fromkeys(valid_calls.CLASSES, 250)
# classes whose call is that of a Cell that they are given, so that its rules are not theirs
OF_OTHERS = "TimeDistributed", "PipelineCell", "RemoteCell", "WithLossCell"

SAID = [
    (nn.Dense, "TypeError", "'in_channels' must be an int greater than 0",
     "'in_channels' 必须是大于 0 的整数"),
    (nn.Dense, "ValueError", "the last axis of the input must be <size> ('<name>')",
     "输入的最后一维必须是 <size> ('<name>')"),
    (ops.softmax, "TypeError", "the input must be a Tensor of a floating dtype",
     "输入必须是浮点数据类型的 Tensor"),
    (ops.concat, "ValueError", "all tensors must have equally many dimensions",
     "所有张量的维数必须相同"),
    (audio.AllpassBiquad, "ValueError", "'Q' must be a number in (0, 1]",
     "'Q' 必须是(0, 1] 内的数"),
    (sporax.grad, "ValueError", "'grad_position' and 'weights' must not both be None",
     "'grad_position' 和 'weights' 不能同时为 None"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "error", "english", "chinese"), SAID, ids=range(len(SAID)))
def test_a_list_says(value, error, english, chinese):
    listed = [(rule.error, rule.sentence(), rule.sentence("zh")) for rule in raised(value)]
    assert (error, english, chinese) in listed


def parts(message):
    yield message.rule
    for field in message.fields.values():
        if isinstance(field, rules.Message):
            yield from parts(field)


def errors(kind, count):
    """Yield (call, function, rules of its error) of wrong calls."""
    for call in sweep.sample(kind, count):
        message = None
        try:
            with sweep.bounded():
                call.run()
        except Exception as error:  # noqa: BLE001 - it is what is looked at
            message = rules.message_of(error)
        except sweep.TooLong:
            pass
        finally:
            with contextlib.suppress(Exception):  # what a failed run has left pending fails again
                run_pending()
        (function,) = [f for at, _, f in written_calls.calls(call.steps) if at == call.at]
        if message is not None:
            is_made = not hasattr(function, "__qualname__")  # the call of an object
            yield str(call), type(function) if is_made else function, {*parts(message)}


def unlisted(kind, count):
    rows = [*errors(kind, count)]
    assert len(rows) > count / 4
    return [
        (call, rule)
        for call, function, found in rows if function.__name__ not in OF_OTHERS
        for rule in found - reachable(function)
    ]  # fmt: skip


@pytest.mark.parametrize("kind", QUICK)
def test_what_is_raised_is_reachable(kind):
    assert not unlisted(kind, QUICK[kind])


@pytest.mark.slow
@pytest.mark.parametrize("kind", WHOLE)
def test_what_many_calls_raise_is_reachable(kind):
    assert len(unlisted(kind, WHOLE[kind])) <= 1  # a method that is found by name
