"""`Profiler`: the trace has what ran, and wrong uses are refused."""

import gzip
import json

import pytest

import sporax
from sporax import Tensor, jit


def test_a_trace_has_the_programs_that_ran(tmp_path, capsys):
    @jit
    def doubled_and_shifted(x):
        return x * 2 + 1

    profiler = sporax.Profiler(output_path=str(tmp_path), profile_memory=True)
    assert doubled_and_shifted(Tensor([1.0, 2.0])).asnumpy().tolist() == [3.0, 5.0]
    path = profiler.analyse()
    assert f"The profile is {path}" in capsys.readouterr().out
    with gzip.open(path) as file:
        names = {event.get("name", "") for event in json.load(file)["traceEvents"]}
    assert any("doubled_and_shifted" in name for name in names)
    assert any("Execute" in name for name in names)


def test_wrong_uses_are_refused(tmp_path):
    profiler = sporax.Profiler(output_path=tmp_path, start_profile=False)
    with pytest.raises(RuntimeError, match=r"'Profiler.stop', the profiler must run"):
        profiler.stop()
    with pytest.raises(RuntimeError, match=r"'Profiler.analyse', there must be a trace in"):
        profiler.analyse()
    profiler.start()
    with pytest.raises(RuntimeError, match=r"'Profiler.start', no other profiler must run"):
        sporax.Profiler(output_path=tmp_path)
    profiler.stop()
    for options, named in (({"speed": 1}, "speed"), ({"start_profile": 1}, "start_profile"),
                         ({"output_path": 3}, "output_path")):  # fmt: skip
        with pytest.raises(TypeError, match=rf"For 'Profiler', .*'{named}'"):
            sporax.Profiler(**options)


def test_traces_of_some_steps(tmp_path):
    from sporax._src.workbench.profiler import schedule, tensorboard_trace_handler

    paths, doubled = [], jit(lambda x: x * 2)
    plan = schedule(wait=1, active=1, repeat=1)
    with sporax.Profiler(
        output_path=tmp_path, schedule=plan, on_trace_ready=lambda p: paths.append(p.path)
    ) as profiler:
        for _ in range(3):
            doubled(Tensor([1.0])).asnumpy()
            profiler.step()
    assert len(paths) == 1 and paths[0].is_relative_to(tmp_path)
    with gzip.open(paths[0]) as file:
        names = {event.get("name", "") for event in json.load(file)["traceEvents"]}
    assert [n for n in names if n.startswith("ProfilerStep#")] == ["ProfilerStep#1"]
    assert profiler.analyse() == str(paths[0])
    handled = sporax.Profiler(start_profile=False, on_trace_ready=tensorboard_trace_handler)
    assert handled._folder.name == "data"
    with pytest.raises(NotImplementedError, match=r"sporax has no 'Profiler.op_analyse'"):
        handled.op_analyse("Conv2D")
    with (
        pytest.warns(RuntimeWarning, match="'Profiler.step' has no effect without a 'schedule'"),
        sporax.Profiler(output_path=tmp_path) as profiler,
    ):
        profiler.step()
    with pytest.raises(TypeError, match="For 'profile', 'schedule' must be a function"):
        sporax.Profiler(schedule=3)
