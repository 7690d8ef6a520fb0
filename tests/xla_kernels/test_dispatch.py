"""The thread in which programs run: XLA's, or the caller's if the environment says so."""

import subprocess
import sys

import pytest

# Prints whether a product of some 100 ms is computed when its call returns.
SCRIPT = """
import jax, numpy as np
{before}
import sporax as ms
run = ms.jit(lambda x: x @ x)
x = ms.Tensor(np.ones((2000, 2000), np.float32))
for _ in range(4):
    y = run(x)
    found = y._value.array.is_ready()
    assert y.asnumpy()[0, 0] == 2000
print(found)
"""
STARTED = "SPORAX_ASYNC_DISPATCH=off must take effect before JAX computes anything, but JAX has"


@pytest.mark.parametrize(
    ("value", "before", "expected"),
    [
        ("", "", "False"),
        ("on", "", "False"),
        ("off", "", "True"),
        ("off", "jax.numpy.ones(3)", STARTED),
        ("no", "", "SPORAX_ASYNC_DISPATCH must be 'on' or 'off', but got 'no'"),
    ],
)
def test_is_computed_when_the_call_returns(value, before, expected, monkeypatch):
    monkeypatch.setenv("SPORAX_ASYNC_DISPATCH", value)
    command = [sys.executable, "-c", SCRIPT.format(before=before)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert expected in done.stdout + done.stderr
