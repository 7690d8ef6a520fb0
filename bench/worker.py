"""One peer in one process: reads requests, a JSON line each, and answers with a JSON line.

The process runs `serve(peer)`; a peer is a library or library-style: sporax, sporax-jit,
torch-compile. It first writes its import time in seconds, the names of its cases, and the library's
version.

{"do": "start", "case": name}            set-up and first calls, with their memory; see `start`
{"do": "first", "case": name}            set-up and first call: [seconds]
{"do": "repeat", "case": name, "for": s}  after one call, calls for `s` seconds: each call's seconds
{"do": "each", "case": name, "calls": n}  n calls after a new set-up: each call's seconds
{"do": "results", "case": name, "calls": n}  n calls: the norm of each result
{"do": "multiplications", "case": name}  of matrices and convolutions in a call (only PyTorch)
{"do": "probe"}                          [operations a second of a matrix product, bytes a second of
                                         a copy], by PyTorch in its own process, else by JAX

A case that raises is answered with {"error": text}.
"""

import functools
import importlib
import json
import statistics
import sys
import time
from pathlib import Path

import numpy as np

from .shipped.worker import open_library, settled, timed

IS_LINUX = sys.platform == "linux"
FEWEST_CALLS = 3  # of a round


def first(cases, ready, case):
    start = time.perf_counter()
    ready[case] = cases[case]()
    ready[case]()
    return [time.perf_counter() - start]


def start(cases, ready, case):
    """Return [seconds of set-up and first call, [number, seconds] of the following calls until
    nothing more is compiled, peak bytes until then, peak bytes of later calls]. Bytes are relative
    to the start, and 0 if the system is not Linux."""
    before = process_memory("VmRSS")
    (begun,) = first(cases, ready, case)
    step = ready[case]
    calls = settled(step)
    highest = process_memory("VmHWM")
    if IS_LINUX:
        Path("/proc/self/clear_refs").write_text("5")  # VmHWM starts again from VmRSS
    step()
    step()
    return [begun, [len(calls), sum(calls)], highest - before, process_memory("VmHWM") - before]


def process_memory(field):
    """Return bytes of a /proc/self/status field (VmRSS: current, VmHWM: peak); 0 if not Linux."""
    if not IS_LINUX:
        return 0
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def repeat(cases, ready, case, **limit):
    step, seconds = ready[case], []
    step()  # after a pause, in which other peers ran: their data are in the caches
    end = time.perf_counter() + limit["for"]
    while time.perf_counter() < end or len(seconds) < FEWEST_CALLS:
        seconds.append(timed(step))
    return seconds


def each(cases, ready, case, calls):
    step = cases[case]()
    return [timed(step) for _ in range(calls)]


def results(cases, ready, case, calls):
    step = cases[case]()
    return [float(np.linalg.norm(np.float64(step()))) for _ in range(calls)]


def multiplications(cases, ready, case):
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    # oneDNN off: its recurrent layers are not counted
    with torch.backends.mkldnn.flags(enabled=False), FlopCounterMode(display=False) as counter:
        cases[case]()()
    return [counter.get_total_flops() // 2]


def probe(cases, ready, size=2048, elements=16_000_000):
    runs = (_of_torch if "torch" in sys.modules else _of_jax)(size, elements)
    seconds = [statistics.median(timed(run) for _ in range(5)) for run in runs]
    return [2 * size**3 / seconds[0], 2 * 4 * elements / seconds[1]]


def _of_torch(size, elements):
    import torch

    a, x = torch.rand(size, size), torch.rand(elements)
    product, copy = torch.empty_like(a), torch.empty_like(x)
    return lambda: torch.mm(a, a, out=product), lambda: copy.copy_(x)


@functools.cache  # because it compiles
def _of_jax(size, elements):
    import jax
    import jax.numpy as jnp

    a, x = jnp.ones((size, size), jnp.float32), jnp.ones(elements, jnp.float32)
    product, copy = jax.jit(lambda a: a @ a), jax.jit(jnp.copy)
    runs = lambda: product(a).block_until_ready(), lambda: copy(x).block_until_ready()
    for run in runs:
        run()
    return runs


REQUESTS = {f.__name__: f for f in (start, first, repeat, each, results, multiplications, probe)}


def answer(cases, ready, do, **request):
    try:
        return REQUESTS[do](cases, ready, **request)
    except Exception as error:  # noqa: BLE001 (run.py reports it and leaves the case out)
        return {"error": f"{type(error).__name__}: {error}"[:2000]}


def serve(peer):
    """Answer the requests of standard input until it is closed."""
    channel, sys.stdout = sys.stdout, sys.stderr  # keeps a peer's prints out of the answers
    start = time.perf_counter()
    version, library = open_library(peer)
    style = peer.partition("-")[2]
    cases = importlib.import_module(f".peers.{library}_peer", __package__).cases(style)
    hello = [time.perf_counter() - start, list(cases), version]
    ready = {}
    print(json.dumps(hello), file=channel, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(cases, ready, **json.loads(line))), file=channel, flush=True)
