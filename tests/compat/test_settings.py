"""Settings of data pipelines and of operations on a CPU: MindSpore's defaults and errors."""

import pytest

import sporax
from sporax.compat.op_tuning import threads_num
from sporax.core import context
from sporax.core.context import get_context
from sporax.core.settings import TABLES
from sporax.data import config
from tests.oracle import recorded

# recorded from MindSpore 2.10
DEFAULTS = {"seed": 5489, "num_parallel_workers": 2, "prefetch_size": 16}


@pytest.mark.parametrize("name", DEFAULTS)
def test_setting_of_data_pipelines(name):
    get, put = getattr(config, f"get_{name}"), getattr(config, f"set_{name}")
    assert get() == DEFAULTS[name]
    try:
        put(7)
        assert get() == 7
    finally:
        put(DEFAULTS[name])


REFUSED = {-1: ValueError, 2**32: ValueError, 1.5: TypeError, "a": TypeError, True: TypeError}


@pytest.mark.parametrize("value", REFUSED)
def test_seed_refuses_what_mindspore_refuses(value):
    with pytest.raises(REFUSED[value], match="For 'set_seed', 'seed' must be"):
        config.set_seed(value)
    assert config.get_seed() == DEFAULTS["seed"]


@pytest.mark.parametrize(
    "value, kind", [(0, ValueError), (1.5, TypeError), ("a", TypeError), (True, TypeError)]
)
def test_threads_num_refuses(value, kind):
    with pytest.raises(kind, match="For 'threads_num', 'num' must be"):
        threads_num(value)


def test_threads_num_is_kept():
    before = get_context("runtime_num_threads")
    threads_num(2)
    assert get_context("runtime_num_threads") == 2
    threads_num(before)


@pytest.mark.parametrize("wrong, kind", [(0, ValueError), (-1, ValueError), (1.5, TypeError),
                                         (True, TypeError), (None, TypeError)])  # fmt: skip
def test_a_wrong_depth_of_calls_is_refused_and_nothing_changes(wrong, kind):
    before = sporax.get_context("max_call_depth")
    with pytest.raises(kind, match="For 'set_recursion_limit', 'recursion_limit' must be"):
        sporax.set_recursion_limit(wrong)
    assert sporax.get_context("max_call_depth") == before


SETTINGS = recorded("settings")


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_are_those_of_mindspore(name):
    there = get_context(name)
    if name not in DIFFERENT:
        assert there == SETTINGS[name]
    sporax.set_context(**{name: there})
    assert get_context(name) == there


# what is the machine's, or has a documented default that MindSpore gives only once it is set
DIFFERENT = {
    "device_target", "runtime_num_threads", "inter_op_parallel_num", "jit_level",
    "variable_memory_max_size",
}  # fmt: skip


@pytest.mark.parametrize("choose", [
    lambda target: sporax.set_context(mode=sporax.PYNATIVE_MODE, device_target=target),
    sporax.set_device,
], ids=["set_context", "set_device"])  # fmt: skip
@pytest.mark.parametrize("target", ["Ascend", "GPU"])
def test_a_script_written_for_another_device_runs_on_what_is_there(choose, target):
    present = sporax.get_context("device_target")
    if target == present:
        pytest.skip("the device is there")
    with pytest.warns(
        RuntimeWarning, match=f"there is no '{target}' here: .*'{present}'"
    ) as messages:
        choose(target)
    assert messages[0].filename == __file__
    assert sporax.get_context("device_target") == present
    with pytest.raises(ValueError, match="'device_target' must be a device that exists here"):
        choose("Toaster")
    assert sporax.get_context("device_target") == present


def test_settings_that_modules_listen_to_have_an_effect_in_the_table():
    effective = {name for name, row in TABLES["set_context"].items() if row.effect}
    assert effective == {*context._listeners, "mode", "device_target", "hook_convention"}
