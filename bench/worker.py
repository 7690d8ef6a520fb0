"""One peer in one process: reads requests, a JSON line each, and answers with a JSON line.

    python -m bench.worker PEER      a library, or library-style: sporax, sporax-jit, torch-compile

It starts with the seconds of its import and the names of its cases, `[seconds, [name, ...]]`.

{"do": "first", "case": name}            set-up and first call: [seconds]
{"do": "repeat", "case": name, "for": s}  call again and again for `s` seconds: each call's seconds
{"do": "each", "case": name, "calls": n}  n calls, none of them before: each call's seconds
{"do": "results", "case": name, "calls": n}  n calls: each one's result, an array as its norm
{"do": "memory", "case": name}           in a fresh process: [bytes with set-up and first call,
                                         bytes of later calls], peaks beyond the import's memory

A case that raises is answered with {"error": text}.
"""

import importlib
import json
import resource
import sys
import time
from pathlib import Path

import numpy as np


def timed(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def first(cases, ready, case):
    start = time.perf_counter()
    ready[case] = cases[case]()
    ready[case]()
    return [time.perf_counter() - start]


def repeat(cases, ready, case, **limit):
    step, seconds = ready[case], []
    end = time.perf_counter() + limit["for"]
    while time.perf_counter() < end or not seconds:
        seconds.append(timed(step))
    return seconds


def each(cases, ready, case, calls):
    step = cases[case]()
    return [timed(step) for _ in range(calls)]


def results(cases, ready, case, calls):
    step = cases[case]()
    return [float(np.linalg.norm(np.float64(step()))) for _ in range(calls)]


def process_memory(field):
    """Bytes of a field of Linux's /proc/self/status: VmRSS now, VmHWM at its highest."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def memory(cases, ready, case):
    before = process_memory("VmRSS")
    step = cases[case]()
    step()
    highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    step()
    step()  # whatever is compiled at a later meeting is there by now
    Path("/proc/self/clear_refs").write_text("5")  # VmHWM starts again from VmRSS
    for _ in range(3):
        step()
    return [highest - before, process_memory("VmHWM") - before]


REQUESTS = {f.__name__: f for f in (first, repeat, each, results, memory)}


def answer(cases, ready, do, **request):
    try:
        return REQUESTS[do](cases, ready, **request)
    except Exception as error:  # noqa: BLE001 (run.py reports it and leaves the case out)
        return {"error": f"{type(error).__name__}: {error}"[:2000]}


def main(peer, channel=sys.stdout):
    start = time.perf_counter()
    library, _, style = peer.partition("-")
    if library == "sporax":
        import sporax

        sporax.install_as_mindspore()
        library = "mindspore"
    cases = importlib.import_module(f"bench.peers.{library}_peer").cases(style)
    ready = {}
    print(json.dumps([time.perf_counter() - start, list(cases)]), file=channel, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(cases, ready, **json.loads(line))), file=channel, flush=True)


if __name__ == "__main__":
    out = sys.stdout
    sys.stdout = sys.stderr  # what a peer prints is not an answer
    main(sys.argv[1], out)
