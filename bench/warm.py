"""Measure the second start of a program, with compiled programs cached by the first.

    python bench/warm.py [--repeats 3] [--only TEXT]

Each case runs in a fresh process with an empty cache of compiled programs, then in another one with
the first one's cache. JAX reports tracing, lowering to StableHLO, and compilation or cache
retrieval (`jax.monitoring`); nested durations are counted once. `compile` is XLA's time or, if the
program was cached, the time to find and load it. Shown: medians, in seconds.
"""

import argparse
import contextlib
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[1]
KINDS = {
    "trace": "/jax/core/compile/jaxpr_trace_duration",
    "lower": "/jax/core/compile/jaxpr_to_mlir_module_duration",
    "compile": "/jax/core/compile/backend_compile_duration",
}
HIT, MISS = (f"/jax/compilation_cache/cache_{what}" for what in ("hits", "misses"))


def demo(epochs=20):
    from sporax._src.workbench.cli.run import run_script

    with tempfile.TemporaryDirectory() as out:
        run_script(str(ROOT / "examples" / "digits.py"), ["--epochs", str(epochs), "--out", out])


def deep():
    """A training step of 100 dense layers, captured."""
    from sporax import nn

    layers = [nn.Dense(64, 64, activation="tanh") for _ in range(100)]
    _train(nn.SequentialCell(*layers), (32, 64))


def transformer():
    """A training step of a transformer of six blocks, captured."""
    import sporax

    sporax.install_as_mindspore()
    from bench.peers.networks_mindspore import Stack, exact_gelu

    shape = SimpleNamespace(width=64, heads=4, layers=6, classes=64)
    _train(Stack(shape, exact_gelu), (8, 32, 64))


def _train(net, shape):
    import numpy as np

    import sporax as ms
    from bench.shipped.worker import settled
    from sporax import nn

    optimizer = nn.Adam(net.trainable_params())
    gradient = ms.value_and_grad(lambda x: (net(x) ** 2).mean(), None, optimizer.parameters)

    @ms.jit
    def step(x):
        loss, gradients = gradient(x)
        optimizer(gradients)
        return loss

    x = ms.Tensor(np.random.default_rng(0).normal(size=shape).astype(np.float32))
    settled(lambda: step(x).asnumpy())


CASES = {"demo (examples/digits.py)": demo, "100 dense layers": deep, "transformer": transformer}


def measure(case):
    """Run one case in this process, and print JAX's reported events as JSON."""
    began = time.perf_counter()
    import jax

    spans, counts = {name: [] for name in KINDS.values()}, {HIT: 0, MISS: 0}

    def lasted(event, seconds, **_):
        if event in spans:
            now = time.perf_counter()
            spans[event].append((now - seconds, now))

    def happened(event, **_):
        if event in counts:
            counts[event] += 1

    jax.monitoring.register_event_duration_secs_listener(lasted)
    jax.monitoring.register_event_listener(happened)
    import sporax  # noqa: F401

    imported = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        CASES[case]()
    found = {kind: covered(spans[event]) for kind, event in KINDS.items()}
    found |= {"import": imported - began, "all": time.perf_counter() - began}
    print(json.dumps(found | {"found": counts[HIT], "compiled": counts[MISS]}))


def covered(spans):
    """The total time covered by the intervals."""
    total, end = 0.0, 0.0
    for start, stop in sorted(spans):
        total += max(0.0, stop - max(start, end))
        end = max(end, stop)
    return total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        measure(options.case)
        return
    keys = ["import", "trace", "lower", "compile", "all", "compiled", "found"]
    print(f"{'':40}" + "".join(f"{key:>9}" for key in keys))
    for case in CASES:
        if options.only not in case:
            continue
        runs = {"first": [], "second": []}
        for _ in range(options.repeats):
            with tempfile.TemporaryDirectory() as folder:
                for found in runs.values():
                    found.append(_started(case, folder))
        middle = {
            start: {key: statistics.median(run[key] for run in found) for key in keys}
            for start, found in runs.items()
        }
        for start, row in middle.items():
            print(f"{case + ', ' + start:40}" + "".join(f"{row[key]:9.3g}" for key in keys))
        share = middle["second"]["compile"] / middle["first"]["compile"]
        print(f"{'':40}compile, second start / first: {share:.1%}", flush=True)


def _started(case, folder):
    """The output of a fresh process for a case."""
    done = subprocess.run(
        [sys.executable, __file__, "--case", case], capture_output=True, text=True, check=True,
        env=dict(os.environ, SPORAX_CACHE_DIR=folder, PYTHONPATH=str(ROOT)),
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    main()
