"""One process with many devices: those of `rows`, all of a group in one process."""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sporax import Parameter, Tensor, nn, parallel
from sporax._src.devices.sharding import mesh as mesh_module
from sporax._src.devices.sharding.schedule import one_forward_one_backward
from tests.sharding import row_names

ROOT = Path(__file__).parents[2]
FILES = "simulated.py", "pipelines.py", "costs.py"
NAMES = {
    group: [n for file in FILES for n in row_names(group, file)] for group in ("short", "slow")
}


@pytest.fixture(scope="module")
def outcomes(request):
    """{row: error or ""} of a group, run once."""
    results = {}

    def of(group):
        if group not in results:
            run = subprocess.run(
                [sys.executable, "-m", "tests.sharding.rows", group], cwd=ROOT, check=False,
                env={**os.environ, "SPORAX_TIERS": "on"}, text=True, capture_output=True,
            )  # fmt: skip
            assert run.returncode == 0, run.stderr
            results[group] = json.loads(run.stdout.splitlines()[-1])
        return results[group]

    return of


@pytest.mark.parametrize("name", NAMES["short"])
def test_on_eight_devices(outcomes, name):
    error = outcomes("short")[name]
    assert not error, error


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES["slow"])
def test_more_on_eight_devices(outcomes, name):
    error = outcomes("slow")[name]
    assert not error, error


@pytest.mark.parametrize(("count", "stages"), [*itertools.product((1, 2, 3, 8), (1, 2, 4, 6))])
def test_the_order_of_a_pipeline(count, stages):
    order = one_forward_one_backward(count, stages)
    kinds = "forward", "backward"
    assert sorted(order) == sorted(itertools.product(kinds, range(count), range(stages)))
    place = {work: k for k, work in enumerate(order)}
    for kind, i, stage in order:
        before = ("forward", i, stage - 1) if kind == "forward" else ("backward", i, stage + 1)
        assert place.get(before, -1) < place[kind, i, stage]
        assert place["forward", i, stage] <= place[kind, i, stage]
    for stage in range(stages):
        steps = [1 if kind == "forward" else -1 for kind, _, s in order if s == stage]
        assert max(itertools.accumulate(steps)) == min(count, stages - stage)


def test_a_mesh_of_one_device():
    with parallel.Mesh(data=1) as mesh:
        p = parallel.place(Parameter(Tensor(np.ones((4, 2), np.float32))), "data")
        assert parallel.current_mesh() is mesh
        assert parallel.placement_of(p).spec == ("data",)
        assert parallel.placement_of(nn.Dense(2, 2).weight).spec == ()
    assert parallel.current_mesh() is None


@pytest.mark.parametrize("kind", [parallel.Mesh, parallel.DescribedMesh])
@pytest.mark.parametrize("arguments", [(True,), (1.0, 5)], ids=["no value", "no name"])
def test_a_parameter_whose_constructor_raised(kind, arguments):
    with pytest.raises(ValueError, match="For 'Parameter'") as raised:
        Parameter(*arguments)  # the traceback, kept in `raised`, references it
    with kind(data=1):
        assert parallel.placement_of(nn.Dense(2, 2).weight).spec == ()
    assert raised.value.__traceback__ is not None


@pytest.mark.parametrize("kind", [parallel.Mesh, parallel.DescribedMesh])
def test_an_error_while_a_mesh_is_entered(kind, monkeypatch):
    parameter = Parameter(Tensor([1.0]))

    def refuse(*_):
        raise MemoryError("no memory on the device")

    monkeypatch.setattr(mesh_module, "_put", refuse)
    with pytest.raises(MemoryError, match="no memory"), kind(data=1):
        raise AssertionError("it was entered")
    monkeypatch.undo()
    assert parallel.current_mesh() is None
    assert parallel.placement_of(parameter) is None
    assert parallel.placement_of(Parameter(Tensor([1.0]))) is None


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (ValueError, "there must be one axis at least", parallel.Mesh),
        (TypeError, "axis 'data' must be an int, but got str", lambda: parallel.Mesh(data="8")),
        (ValueError, "'data' must be positive, but got 0", lambda: parallel.Mesh(data=0)),
        (ValueError, "there must be 512 devices", lambda: parallel.Mesh(data=512)),
        (ValueError, "must be such as", lambda: parallel.Mesh.parse("data")),
        (TypeError, "'tensor' must be a Tensor", lambda: parallel.place(3)),
        (RuntimeError, "must be entered or given", lambda: parallel.place(Tensor([1.0]))),
        (RuntimeError, "must be entered or given", lambda: parallel.divide([])),
        (
            ValueError, "must be one of .'data'. or None, but got 'model'",
            lambda: parallel.place(Tensor([1.0]), "model", mesh=parallel.Mesh(data=1)),
        ),
        (
            ValueError, "at most one entry for each dimension",
            lambda: parallel.place(Tensor([1.0]), None, "data", mesh=parallel.Mesh(data=1)),
        ),
        (
            ValueError, "'data' is named twice",
            lambda: parallel.place(Tensor([[1.0]]), "data", "data", mesh=parallel.Mesh(data=1)),
        ),
    ],
)  # fmt: skip
def test_refusals(error, message, call):
    with pytest.raises(error, match=message):
        call()


RANKS = """
from sporax import ops, parallel
with parallel.Mesh(data=1):
    print(parallel.place(ops.ones((2, 2)), "data").sum().item(), "of a rank")
with parallel.Mesh(data=2) as mesh:
    x = parallel.place(mesh.batch([[1.0], [2.0]]), "data")
    print(x.sum().item(), "of all")
try:
    parallel.Mesh(data=3)
except ValueError as error:
    print(error)
"""


@pytest.mark.slow
def test_a_mesh_is_of_one_process_or_of_all(tmp_path):
    (tmp_path / "script.py").write_text(RANKS)
    command = [sys.executable, "-m", "sporax", "launch", "-n", "2", str(tmp_path / "script.py")]
    run = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=False)
    assert run.returncode == 0, run.stdout
    for says in ("4.0 of a rank", "3.0 of all", "there must be 3 devices, but there are 2"):
        assert run.stdout.count(says) == 2, run.stdout
