"""`profile`, its schedule, `mstx` and `DynamicProfilerMonitor`: what the traces hold."""

import gzip
import json
import os
import subprocess
import sys

import pytest

import sporax
from sporax import Tensor
from sporax._src.workbench.profiler import (
    AicoreMetrics,
    EnvProfiler,
    ExportType,
    HostSystem,
    ProfilerActivity,
    ProfilerLevel,
    _ExperimentalConfig,
    mstx,
    profile,
    schedule,
    tensorboard_trace_handler,
)
from sporax.train.dynamic_profiler import DynamicProfilerMonitor


def names_in(path):
    """The names of a trace's events, in order of time."""
    with gzip.open(path) as file:
        events = [e for e in json.load(file)["traceEvents"] if "ts" in e]
    return [e["name"] for e in sorted(events, key=lambda e: e["ts"])]


def steps_in(path):
    return [int(n.partition("#")[2]) for n in names_in(path) if n.startswith("ProfilerStep#")]


# As MindSpore 2.10's Schedule answers: N none, W warm up, R record, S record and save.
SCHEDULES = [
    (dict(wait=0, active=1), "SSSS"),
    (dict(wait=1, active=2, warmup=1), "NWRSNWRS"),
    (dict(wait=1, active=2, warmup=1, repeat=1, skip_first=2), "NNNWRSNNNN"),
    (dict(wait=0, active=2, repeat=2), "RSRSNN"),
    (dict(wait=2, active=3, skip_first=1), "NNNRRSNNRRS"),
]


@pytest.mark.parametrize(("options", "actions"), SCHEDULES)
def test_schedule(options, actions):
    plan = schedule(**options)
    letters = {"NONE": "N", "WARM_UP": "W", "RECORD": "R", "RECORD_AND_SAVE": "S"}
    assert "".join(letters[plan(step).name] for step in range(len(actions))) == actions
    rest = {"warmup": 0, "repeat": 0, "skip_first": 0}
    assert plan.to_dict() == rest | options
    assert repr(plan).startswith(f"Schedule(wait={options['wait']}, active={options['active']}, ")


def test_each_cycle_is_a_trace_of_its_steps(tmp_path):
    ready = []
    handler = tensorboard_trace_handler(tmp_path, worker_name="one")
    plan = schedule(wait=1, active=2, repeat=2)

    def on_ready(prof):
        handler(prof)
        ready.append(prof.path)

    on_ready.folder, on_ready.worker_name = handler.folder, handler.worker_name
    with profile(
        activities=[ProfilerActivity.CPU], schedule=plan, on_trace_ready=on_ready,
        experimental_config=_ExperimentalConfig(profiler_level=ProfilerLevel.Level1),
    ) as prof:  # fmt: skip
        prof.add_metadata("who", "me")
        prof.add_metadata_json("sizes", "[1, 2]")
        for step in range(7):
            number = mstx.range_start(f"range of step {step}")
            mstx.mark(f"mark of step {step}")
            assert Tensor([1.0, step]).sum().item() == 1 + step
            mstx.range_end(number)
            prof.step()
    assert [steps_in(path) for path in ready] == [[1, 2], [4, 5]]
    names = names_in(ready[0])
    assert [n for n in names if " of step " in n] == [
        f"{kind} of step {step}" for step in (1, 2) for kind in ("range", "mark")
    ]
    assert ready[0].parent.parent == tmp_path / "plugins" / "profile"  # TensorBoard's place
    assert {p.name for p in ready[0].parent.iterdir()} == {
        "one.trace.json.gz", "one.xplane.pb", "profiler_metadata.json"
    }  # fmt: skip
    assert json.loads((ready[0].parent / "profiler_metadata.json").read_text()) == {
        "who": "me", "sizes": [1, 2]
    }  # fmt: skip


def test_without_a_schedule_all_is_one_trace(tmp_path):
    prof = profile(start_profile=False, on_trace_ready=tensorboard_trace_handler(tmp_path))
    prof.start()
    with pytest.warns(RuntimeWarning, match=r"'profile.start' has no effect"):
        prof.start()
    with pytest.raises(RuntimeError, match=r"For 'Profiler.start', no other profiler must run"):
        sporax.Profiler(output_path=tmp_path)
    prof.step()
    prof.stop()
    assert steps_in(prof.path) == [0, 1]


WRONG = [
    (lambda: schedule(wait=-1, active=1), ValueError, "'wait' must be an int from 0"),
    (lambda: schedule(wait=0, active=0), ValueError, "'active' must be an int from 1"),
    (lambda: schedule(wait=0, active=1.0), TypeError, "'active' must be an int"),
    (lambda: schedule(wait=0, active=1)(-1), ValueError, "'step' must be an int from 0"),
    (lambda: profile(schedule=3), TypeError, "'schedule' must be a function or None"),
    (lambda: profile(on_trace_ready=3), TypeError, "'on_trace_ready' must be a function"),
    (lambda: profile(start_profile=False).step(), RuntimeError, "'profile.step', the profile must"),
    (lambda: profile(start_profile=False).stop(), RuntimeError, "'profile.stop', the profile must"),
    (lambda: profile(start_profile=False).add_metadata("a", 1), TypeError, "'value' must be a str"),
    (lambda: profile(start_profile=False).add_metadata_json("a", "{"), ValueError, "must be JSON"),
    (lambda: mstx.mark(""), ValueError, "'message' must be a string that is not empty"),
    (lambda: mstx.range_start("a", domain=3), TypeError, "'domain' must be a string"),
    (lambda: mstx.range_end(0), ValueError, "'range_id' must be a range of domain 'default'"),
]


@pytest.mark.parametrize(("call", "error", "message"), WRONG)
def test_wrong_uses_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_enums_are_mindspores():
    values = {
        ProfilerLevel: "LevelNone Level0 Level1 Level2",
        ProfilerActivity: "NPU GPU CPU",
        AicoreMetrics: "PipeUtilization ArithmeticUtilization Memory MemoryL0 MemoryUB "
        "ResourceConflictRatio L2Cache MemoryAccess None",
        ExportType: "db text",
        HostSystem: "cpu mem disk network osrt",
    }
    for kind, words in values.items():
        assert [member.value for member in kind] == words.split()
    assert _ExperimentalConfig(aic_metrics=AicoreMetrics.Memory).aic_metrics.value == "Memory"


def test_a_file_chooses_the_steps_while_they_run(tmp_path):
    config = tmp_path / "profiler_config.json"
    monitor = DynamicProfilerMonitor(tmp_path, tmp_path / "out", poll_interval=1)
    assert json.loads(config.read_text()) == {"start_step": -1, "stop_step": -1}
    config.write_text('{"start_step": 2, "stop_step": 3}')
    for _ in range(5):
        monitor.step()
    (path,) = (tmp_path / "out" / "rank0_start2_stop3").rglob("*.trace.json.gz")
    assert steps_in(path) == [0, 1]  # two steps, 2 and 3 of the loop
    config.write_text('{"start_step": 3, "stop_step": 2}')
    with pytest.raises(ValueError, match="start_step <= stop_step"):
        DynamicProfilerMonitor(tmp_path).step()
    with pytest.raises(TypeError, match="'cfg_path' must be a path"):
        DynamicProfilerMonitor()


@pytest.mark.slow
def test_the_environment_starts_a_profile(tmp_path, monkeypatch):
    script = (
        "import sporax; sporax.install_as_mindspore(); import mindspore as ms\n"
        "assert (ms.Tensor([1.0]) + 1).item() == 2\n"
        "ms.EnvProfiler().analyse()"
    )
    options = json.dumps({"start": True, "output_path": str(tmp_path)})
    environment = os.environ | {"MS_PROFILER_OPTIONS": options}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)
    (path,) = tmp_path.rglob("*.trace.json.gz")
    assert steps_in(path) == [0]
    monkeypatch.setenv("MS_PROFILER_OPTIONS", "[")
    with pytest.raises(ValueError, match="must be a JSON object"):
        EnvProfiler.init_profiler()
