# ruff: noqa: E402 - the flags of XLA must be set before JAX starts
"""Rows that need several devices, run together in one process: a CPU stands for eight.

    python -m tests.sharding.rows GROUP [ROW ...]

Each row is a function; it fails by raising. The process prints a JSON object: {row: error or ""}.
"""

import contextlib
import functools
import json
import os
import sys
import traceback

COUNT = 8
os.environ["XLA_FLAGS"] = (
    f"--xla_force_host_platform_device_count={COUNT} --xla_backend_optimization_level=0"
)

import numpy as np

GROUPS = {"short": {}, "slow": {}}


def row(group, *args, **kwargs):
    """Register a function with arguments as a row; its name has the positional ones."""

    def keep(function):
        name = "-".join([function.__name__, *[getattr(a, "__name__", str(a)) for a in args]])
        GROUPS[group][name] = functools.partial(function, *args, **kwargs)
        return function

    return keep


def spec(tensor):
    return tuple(tensor._value.read().sharding.spec)


def close(a, b, atol=5e-7):
    np.testing.assert_allclose(a, b, rtol=0, atol=atol)


@contextlib.contextmanager
def refused(kind, *parts):
    try:
        yield
    except kind as error:
        assert all(part in str(error) for part in parts), error
    else:
        raise AssertionError(f"no {kind.__name__}")


def main(group, *names):
    from tests.sharding import costs, pipelines, simulated  # noqa: F401 - they register rows

    results = {}
    for name in names or GROUPS[group]:
        try:
            GROUPS[group][name]()
            results[name] = ""
        except Exception:  # noqa: BLE001 - shown by the test of that name
            results[name] = traceback.format_exc()
    print(json.dumps(results))


if __name__ == "__main__":
    from tests.sharding import rows  # not this module again: its rows are registered there

    rows.main(*sys.argv[1:])
