"""A Mesh of the devices of several processes: `sporax launch` and `parallel.Mesh`."""

import re
import time
from pathlib import Path

import numpy as np
import pytest

from tests.distributed.scripts import mesh_training
from tests.distributed.test_launch import FAST, launched, passes

ROOT = Path(__file__).parents[2]
TRAININGS = [
    "data-dynamic", "data-jit", "data-dynamic-normalized", "data-jit-normalized",
    "data-jit-normalized-again", "data-dynamic-normalized-again", "data-dynamic-parts",
    "data-jit-parts", "data-dynamic-arrays", "data-jit-arrays", "data-dynamic-saved",
    "states-dynamic", "states-jit", "weights-dynamic", "weights-jit-normalized",
    "weights-jit-saved", "columns-dynamic", "columns-jit", "columns-jit-saved",
]  # fmt: skip


def devices(count):
    return f"--xla_force_host_platform_device_count={count} {FAST}"


def check(folder, names, n, each):
    """The trainings on a Mesh of `n` ranks are those of one device, and the same on all ranks."""
    passes(n, "mesh_training.py", str(folder), ",".join(names), seconds=900,
           XLA_FLAGS=devices(each))  # fmt: skip
    runs = {}
    for name in names:
        ranks = [dict(np.load(folder / f"{name}-{rank}.npz")) for rank in range(n)]
        kinds = [kind for kind in name.split("-") if kind in ("dynamic", "jit", "normalized")]
        alone = mesh_training.train(kinds)
        for key, value in ranks[0].items():
            assert all((rank[key] == value).all() for rank in ranks), (name, key)
            np.testing.assert_allclose(value, alone[key], 0, 1e-5, err_msg=f"{name} {key}")
        first = runs.setdefault(name.removesuffix("-again"), ranks[0])
        assert all((ranks[0][key] == value).all() for key, value in first.items()), name


def test_a_mesh_of_two_ranks(tmp_path):
    check(tmp_path, ["data-jit"], 2, 1)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "each"), [(2, 2), (2, 1), (4, 1), (2, 4)])
def test_trainings_on_a_mesh_of_ranks(n, each, tmp_path):
    check(tmp_path, TRAININGS, n, each)


# what goes wrong -> the error of all ranks
FAULTS = {
    "seeds": "the same with the same numbers, but rank 0 has a Tensor float32",
    "larger": "there must be 8 devices, but there are 4 (cpu)",
    "some": "there must be 4 devices, those of all ranks, or at most 2, those of one, but the axes",
    "size": "rank 0 has a batch float32[16, 8] #.* where rank 1 has a batch float32[24, 8]",
    "batch": "rank 0 has a batch float32[16, 8] #.* where rank 1 has a batch float32[16, 8]",
    "part": "a batch's part float32[8, 8] where rank 1 has a batch's part float32[16, 8]",
    "tensor": "rank 0 has a Tensor float32[16, 8] #.* where rank 1 has a Tensor float32[16, 8]",
    "number": "rank 0 has the numbers [1.0] where rank 1 has the numbers [2.0]",
    "read": "rank 0 has a program of Mul, Sqrt #.* where rank 1 has a program of Mul #",
    "read again": "rank 0 has a program of Mul, Sqrt #.* where rank 1 has a program of Mul #",
    "whole": "rank 0 has a batch float32[16, 8] #.* where rank 1 has",
    "divided": "its parts are on the devices of several ranks. Let all ranks call",
    "collective": "For 'AllReduce', Tensors must be this rank's own",
    "pipeline": "For 'PipelineCell', the devices of Mesh(data=4) must be those of one process",
}


@pytest.mark.slow
@pytest.mark.parametrize("what", FAULTS)
def test_ranks_that_do_not_do_the_same(what):
    code, output = launched(2, "mesh_faults.py", what, XLA_FLAGS=devices(2))
    errors = re.findall(r"\[\d\] (\w+Error: .*)", output)
    pattern = re.escape(FAULTS[what]).replace(r"\.\*", ".*").replace(r"\#", "#")
    assert code == 1 and re.search(pattern, errors[0]), output
    assert len(errors) == 2 and errors[0] == errors[1], output


@pytest.mark.slow
def test_a_rank_that_does_not_come():
    code, output = launched(2, "mesh_faults.py", "late", XLA_FLAGS=devices(2))
    failed_at = float(re.search(r"failing at ([0-9.]+)", output)[1])
    assert code == 1 and "within 8 s (op_timeout), but rank 1 did not come" in output, output
    assert time.time() - failed_at < 30


def parts(n, each, folder, *names):
    """Run parts of a training with orbax's checkpoints; see `mesh_checkpoints.py`."""
    output = passes(n, "mesh_checkpoints.py", str(folder), *names, XLA_FLAGS=devices(each),
                    PYTHONPATH=str(ROOT))  # fmt: skip
    assert output.count("passed") == n, output


@pytest.mark.slow
def test_checkpoints_of_orbax_between_meshes(tmp_path):
    moved, alone = tmp_path / "moved", tmp_path / "alone"
    parts(1, 8, moved, "1:data=8:weights", "2:data=4,model=2:columns", "3::")
    parts(2, 2, moved, "4:data=4:weights")
    parts(1, 2, moved, "5:data=2:states")
    parts(2, 1, moved, "6:data=1,model=2:columns")
    parts(1, 1, alone, *[f"{k}::" for k in range(1, 7)])
    for k in range(1, 7):
        expected = np.load(f"{alone}-{k}-0.npz")
        for rank in range(2 if k in (4, 6) else 1):
            got = np.load(f"{moved}-{k}-{rank}.npz")
            for key, value in expected.items():
                np.testing.assert_allclose(got[key], value, 0, 1e-6, err_msg=f"{k} {key}")
