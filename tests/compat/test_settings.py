"""Settings of data pipelines and of operations on a CPU: MindSpore's defaults and errors."""

import pytest

import sporax
from sporax._src.core import context
from sporax._src.core.context import get_context
from sporax._src.core.settings import TABLES
from sporax._src.mindspore.compat.device_context.cpu import threads_num
from sporax.data import config
from tests import records

# recorded from MindSpore 2.10
DEFAULTS = {"seed": 5489, "num_parallel_workers": 2, "prefetch_size": 16}


@pytest.mark.parametrize("name", DEFAULTS)
def test_setting_of_data_pipelines(name, monkeypatch):
    monkeypatch.setattr(config, "_times", dict(config._times))  # whether a setting was set counts
    get, put = getattr(config, f"get_{name}"), getattr(config, f"set_{name}")
    assert get() == DEFAULTS[name]
    try:
        put(7)
        assert get() == 7
    finally:
        put(DEFAULTS[name])


WRONG_TYPES = {1.5: TypeError, "a": TypeError, True: TypeError, None: TypeError}
SETTERS = {  # parameter of a setter -> the setter, the getter, values that are refused
    "'set_seed', 'seed'": (
        config.set_seed, config.get_seed, {-1: ValueError, 2**32: ValueError, **WRONG_TYPES},
    ),
    "'threads_num', 'num'": (
        threads_num, lambda: get_context("runtime_num_threads"), {0: ValueError, **WRONG_TYPES},
    ),
    "'set_recursion_limit', 'recursion_limit'": (
        sporax.set_recursion_limit, lambda: get_context("max_call_depth"),
        {0: ValueError, -1: ValueError, **WRONG_TYPES},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name, value", [(n, v) for n, row in SETTERS.items() for v in row[2]])
def test_a_wrong_value_is_refused_and_nothing_changes(name, value):
    put, get, refused = SETTERS[name]
    before = get()
    with pytest.raises(refused[value], match=f"For {name} must be"):
        put(value)
    assert get() == before


def test_threads_num_is_kept():
    before = get_context("runtime_num_threads")
    threads_num(2)
    assert get_context("runtime_num_threads") == 2
    threads_num(before)


SETTINGS = records.read("settings")


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


SAVED = "save_graphs", "save_graphs_path"  # read at each capture


def test_settings_that_modules_listen_to_have_an_effect_in_the_table():
    effective = {name for name, row in TABLES["set_context"].items() if row.effect}
    assert effective == {*context._listeners, "mode", "device_target", "hook_convention", *SAVED}
