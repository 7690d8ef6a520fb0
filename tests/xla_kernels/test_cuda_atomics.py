"""XLA is given LLVM's option for atomic additions where CUDA's plugin is installed."""

import os
import subprocess
import sys
from importlib.metadata import version

import pytest

from sporax.xla_kernels.cuda_atomics import OPTION, SLOW, with_option

FLAG = f"--xla_backend_extra_options={OPTION}"

# Prints the flags after the import, and the sum of additions at an index by a compiled program.
SCRIPT = """
import os
import numpy as np
import sporax as ms
from sporax import Tensor, jit, ops

add = jit(lambda x, i, v: ops.tensor_scatter_add(x, i, v))
indices = Tensor(np.zeros((10, 1), np.int32))
print(os.environ.get("XLA_FLAGS", ""), float(add(ops.zeros(2), indices, ops.ones(10))[0]))
"""


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("", FLAG),
        ("--xla_cpu_x=1", f"--xla_cpu_x=1 {FLAG}"),
        ("--xla_backend_extra_options=-a", f"{FLAG},-a"),
        (FLAG, FLAG),
        ("--xla_gpu_ftz=true", "--xla_gpu_ftz=true"),
    ],
)
def test_option_joins_the_flags(flags, expected):
    assert with_option(flags) == expected


@pytest.mark.parametrize("has_plugin", [True, False], ids=["CUDA's plugin", "without"])
def test_option_is_set_for_cuda_alone(tmp_path, has_plugin):
    if has_plugin:
        (tmp_path / "jax_cuda13_plugin").mkdir()
    environment = {k: v for k, v in os.environ.items() if k != "XLA_FLAGS"}
    environment |= {
        "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
        "SPORAX_TIERS": "off",
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    is_set = has_plugin and version("jaxlib") in SLOW
    assert done.stdout.split() == [FLAG] * is_set + ["10.0"]
