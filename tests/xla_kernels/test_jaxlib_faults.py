"""The table of jaxlib's faults: its options are set, its reproducers give what they should."""

import os
import subprocess
import sys
from importlib.metadata import version

import jax
import numpy as np
import pytest

import sporax as ms
from sporax import Tensor
from sporax._src.core.jax_internals import jaxpr_as_fun
from sporax._src.runtime.xla_kernels import jaxlib_faults
from sporax._src.runtime.xla_kernels.constant_barriers import Barriers
from sporax._src.runtime.xla_kernels.jaxlib_faults import FAULTS, Option

ATOMICS = Option("xla_backend_extra_options", "-nvptx-allow-ftz-atomics", joins=True)
YNN = Option("xla_cpu_experimental_ynn_fusion_type", "-reduce", "X")
SAFE = [f for f in FAULTS if f.reproducer and not f.ends_process]

# Prints the flags after the import, and the sum of additions at an index by a compiled program.
SCRIPT = """
import os
import jax
import numpy as np
import sporax as ms
from sporax import Tensor, jit, ops

print(jax.config.jax_default_matmul_precision)
add = jit(lambda x, i, v: ops.tensor_scatter_add(x, i, v))
indices = Tensor(np.zeros((10, 1), np.int32))
print(os.environ.get("XLA_FLAGS", ""), float(add(ops.zeros(2), indices, ops.ones(10))[0]))
"""

# JAX runs before sporax is imported: a program of sporax's is right, one of JAX's alone is not.
LATE = """
import jax
import numpy as np

x, y = np.ones((5, 60, 60), np.float32), np.float32(0.5)
jax.jit(lambda x: x + 1)(x)
from sporax import Tensor, jit, ops
f = jit(lambda x, y: (ops.matmul(x, ops.broadcast_to(y, x.shape)) * x).sum())
print(*[float(f(Tensor(x), Tensor(y))) for _ in range(3)])
"""


def run(script, **environment):
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "XLA_FLAGS": "", **environment},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def as_sporax(function):
    """A function compiled in the form that programs of sporax's have."""

    def run(*arrays):
        jaxpr, _ = Barriers().put(jax.make_jaxpr(function)(*arrays), [0] * len(arrays))
        return jax.jit(jaxpr_as_fun(jaxpr))(*arrays)[0]

    return run


@pytest.mark.parametrize(
    ("option", "flags", "expected"),
    [
        (ATOMICS, "", f"{ATOMICS.flag}{ATOMICS.value}"),
        (ATOMICS, "--xla_cpu_x=1", f"--xla_cpu_x=1 {ATOMICS.flag}{ATOMICS.value}"),
        (ATOMICS, f"{ATOMICS.flag}-a", f"{ATOMICS.flag}{ATOMICS.value},-a"),
        (ATOMICS, f"{ATOMICS.flag}{ATOMICS.value}", f"{ATOMICS.flag}{ATOMICS.value}"),
        (YNN, "", f"{YNN.flag}-reduce"),
        (YNN, f"{YNN.flag}", f"{YNN.flag}"),
        (YNN, f"--a=1 {YNN.flag}dot", f"--a=1 {YNN.flag}dot"),
    ],
)
def test_option_joins_the_flags(option, flags, expected):
    assert option.added_to(flags) == expected


@pytest.mark.parametrize("has_plugin", [True, False], ids=["CUDA's plugin", "without"])
def test_options_are_set(tmp_path, has_plugin):
    if has_plugin:
        (tmp_path / "jax_cuda13_plugin").mkdir()
    precision, *flags, total = run(
        SCRIPT, PYTHONPATH=os.pathsep.join([str(tmp_path), *sys.path]), SPORAX_TIERS="off"
    )
    wanted = {
        f"{f.option.flag}{f.option.value}"
        for f in FAULTS
        if f.option and f.is_in(version("jaxlib")) and (has_plugin or f.platform == "cpu")
    }
    assert ({*flags}, total) == (wanted, "10.0")
    assert precision == ("highest" if has_plugin else "None")


def test_options_that_come_too_late_go_with_each_program():
    assert set(run(LATE)) == {str(5 * 60 * 60 * 30.0)}


@pytest.mark.parametrize("fault", SAFE, ids=[f.name for f in SAFE])
def test_sporax_computes_what_the_fault_spoils(fault):
    assert fault.reproducer(as_sporax)


def test_what_ends_the_process():
    """Each in a process of its own, with the options that sporax sets."""
    script = "import sporax._src.runtime.engine, jax\n"
    script += "from sporax._src.runtime.xla_kernels.jaxlib_faults import FAULTS\n"
    script += "print(*[f.reproducer(jax.jit) for f in FAULTS if f.ends_process])"
    assert set(run(script)) == {"True"}


@pytest.mark.parametrize(
    ("first", "last", "has", "has_not"),
    [
        ("0.10.2", "0.11.0", ["0.10.2", "0.11.0"], ["0.10.1", "0.11.1", "0.12.0.1"]),
        ("0.11.1", None, ["0.11.1", "0.12.0.1"], ["0.11.0"]),
        (None, None, ["0.9.0", "0.12.0.1"], []),
    ],
)
def test_versions(first, last, has, has_not):
    fault = FAULTS[0]._replace(first=first, last=last)
    assert [v for v in [*has, *has_not] if fault.is_in(v)] == has


def test_other_options_for_a_program():
    (first, *_) = jaxlib_faults.safer_options()
    x = np.ones((5, 60, 60), np.float32)

    def run(x):
        return (jax.numpy.matmul(x, jax.numpy.broadcast_to(0.5, x.shape)) * x).sum()

    assert float(jax.jit(run, compiler_options=first)(x)) == 5 * 60 * 60 * 30


# Elements written over the next ones, and what follows: (what is written where, what is computed)
SHIFTS = {
    "x[1:] = x[:-1]": (slice(1, None), slice(None, -1)),
    "x[:-1] = x[1:]": (slice(None, -1), slice(1, None)),
    "x[1::2] = x[::2]": (slice(1, None, 2), slice(None, None, 2)),
    "x[n//2:] = x[:n//2]": (slice(-2, None), slice(None, 2)),
}
AFTER = {
    "reshape": lambda x: x.reshape(-1),
    "expand_dims": lambda x: x[None],
    "transpose": lambda x: x.transpose(),
    "add, reshape": lambda x: (x + 1).reshape(-1),
    "sum": lambda x: x.sum(),
}


@pytest.mark.parametrize("size", [4, 64, 4096])
@pytest.mark.parametrize("after", AFTER)
@pytest.mark.parametrize("shift", SHIFTS)
def test_elements_written_over_the_next_ones(shift, after, size):
    at, source = SHIFTS[shift]
    x = np.arange(size * 2, dtype=np.int32).reshape(size, 2)

    def function(x):
        y = x * 2 + 1
        y[at] = y[source]
        return AFTER[after](y)

    expected = x * 2 + 1
    expected[at] = expected[source].copy()
    expected = AFTER[after](expected)
    captured = ms.jit(function)
    for call in (function, captured, captured):
        np.testing.assert_array_equal(call(Tensor(x)).asnumpy(), expected)
