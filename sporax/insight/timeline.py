"""Execution times of a program's instructions, from a trace of JAX's profiler."""

import gzip
import json
import tempfile
import time
from pathlib import Path

import jax

MARK = "sporax profiled run"
_END = "end: "


def traced(program, count):
    """Run a `NamedProgram` `count` times under JAX's profiler; returns the trace events.

    Raises RuntimeError if another profiler is running.
    """
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    options.host_tracer_level = 1  # records instructions, with less overhead
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder, profiler_options=options):
            for _ in range(count):
                program.prepare()
                with jax.profiler.TraceAnnotation(MARK):
                    program()
        (path,) = Path(folder).glob("plugins/profile/*/*.trace.json.gz")
        with gzip.open(path) as file:
            return json.load(file)["traceEvents"]


def untraced_seconds(program, count):
    """Return the seconds of each of `count` runs of a `NamedProgram` without the profiler."""
    times = []
    for _ in range(count):
        program.prepare()
        begin = time.perf_counter()
        program()
        times.append(time.perf_counter() - begin)
    return times


class Span:
    """An execution of an instruction on a thread, from `begin` to `end`, in seconds since the
    run's start."""

    __slots__ = ("begin", "end", "name", "thread")

    def __init__(self, name, thread, begin, end):
        self.name, self.thread, self.begin, self.end = name, thread, begin, end


def runs_by_length(events, module):
    """Return [(seconds, [Span])] of the runs, shortest first; `module`: the program's name."""
    complete = [e for e in events if e.get("ph") == "X"]
    marks = sorted((e["dur"], e["ts"]) for e in complete if e["name"] == MARK)
    return [_run(complete, module, *mark) for mark in marks]


def _run(complete, module, length, start):
    stop = start + length
    inside = [e for e in complete if start <= e["ts"] < stop]
    ends = {}  # of instructions that finish on another thread
    for event in sorted(inside, key=lambda e: e["ts"]):
        if event["name"].startswith(_END):
            ends.setdefault(event["name"].removeprefix(_END), []).append(event["ts"])
    spans = []
    for event in sorted(inside, key=lambda e: e["ts"]):
        arguments = event.get("args", {})
        if "hlo_op" not in arguments or arguments.get("hlo_module", module) != module:
            continue
        name, end = arguments["hlo_op"], event["ts"] + event["dur"]
        if ends.get(name):
            end = max(end, ends[name].pop(0))
        begin, end = event["ts"] - start, min(end, stop) - start
        thread = event["pid"], event.get("tid", 0)
        spans.append(Span(name, thread, begin / 1e6, end / 1e6))
    return length / 1e6, spans


def wall_seconds(spans, containers):
    """Return ({instruction: seconds}, seconds in which any ran). Concurrent instructions share the
    time equally; one that contains others gets the time in which none of these runs."""
    changes = sorted(
        change
        for span in spans
        for change in ((span.begin, 1, span.name), (span.end, -1, span.name))
    )
    seconds, active, busy, before = {}, {}, 0.0, 0.0
    for moment, step, name in changes:
        if active and moment > before:
            running = [n for n in active if n not in containers] or list(active)
            count = sum(active[n] for n in running)
            for one in running:
                share = (moment - before) * active[one] / count
                seconds[one] = seconds.get(one, 0.0) + share
            busy += moment - before
        active[name] = active.get(name, 0) + step
        if not active[name]:
            del active[name]
        before = moment
    return seconds, busy
