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
