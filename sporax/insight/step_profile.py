"""`profile`: the time of a step by Cell and by operation."""

import dataclasses
import json
import os
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sporax._src.core.errors import describe
from sporax._src.core.jax_internals import program_bytes
from sporax._src.core.tree import tensors_of
from sporax._src.core.units import bytes_text, quantity, seconds, seconds_range
from sporax._src.devices.sharding.mesh import current_mesh
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.recompute.flops import WITHOUT_PADDING
from sporax._src.workbench import pages
from sporax.insight import profile_page
from sporax.insight.hlo_scopes import shares
from sporax.insight.memory_plan import MemoryPlan
from sporax.insight.named_program import NamedProgram
from sporax.insight.peak import measured_peak
from sporax.insight.profiled_call import call_seconds, put_back
from sporax.insight.recording import Recording
from sporax.insight.timeline import runs_by_length, traced, untraced_seconds, wall_seconds

_OUTSIDE = "(outside of Cells)"
_TIMED = 0.01  # the smallest share of the step by which a rate is known


@dataclasses.dataclass
class CellTime:
    """Time of one Cell in a `StepProfile`, without and with nested Cells.

    `path`; `name`: the path relative to the enclosing Cell; `cls`, `depth`; `forward`, `backward`:
    seconds without nested Cells, whose sum is `seconds`; `total_seconds`: with nested Cells;
    `spread`: its least and largest value in any run; `flops`, `total_flops`; `bytes`: of the
    results.

    >>> from sporax import insight
    >>> cell = insight.CellTime("net.dense", "Dense", 1, 2e-3, 3e-3, 5e-3, 100, 100)
    >>> cell.seconds, cell.rate
    (0.005, 20000.0)
    """

    path: str
    cls: str
    depth: int
    forward: float = 0.0
    backward: float = 0.0
    total_seconds: float = 0.0
    flops: int = 0
    total_flops: int = 0
    bytes: int = 0
    name: str = ""
    spread: tuple[float, float] = (0.0, 0.0)

    @property
    def seconds(self) -> float:
        """Seconds without nested Cells."""
        return self.forward + self.backward

    @property
    def rate(self) -> float:
        """Floating-point operations per second, with nested Cells."""
        return self.total_flops / self.total_seconds if self.total_seconds else 0.0


@dataclasses.dataclass
class OperationTime:
    """Time of all operations of one name in one Cell; `spread`: the least and the largest value of
    `seconds` in any run.

    >>> from sporax import insight
    >>> insight.OperationTime("Dense", "net.dense", False, 2, seconds=2e-3, flops=400).rate
    200000.0
    """

    name: str
    path: str
    is_backward: bool
    count: int = 0
    seconds: float = 0.0
    flops: int = 0
    bytes: int = 0
    spread: tuple[float, float] = (0.0, 0.0)

    @property
    def rate(self) -> float:
        """Floating-point operations per second."""
        return self.flops / self.seconds if self.seconds else 0.0


class StepProfile:
    """The result of `profile`; `print` it, or write it as a page or a trace.

    `seconds`: the median run of the step's program under the profiler; `spread`: the shortest and
    the longest run; `untraced_seconds`: without the profiler; `idle_seconds`: the part of `seconds`
    in which no operation ran. `cells`: [CellTime], outermost first, whose own seconds and
    `idle_seconds` add up to `seconds`; `operations`: [OperationTime], longest first.
    `call_seconds`: one call of the step as the user writes it; for `host_seconds` of it the device
    waits for Python; `first_call_seconds`: extra time of the first two calls. `compile_seconds`:
    XLA's time for the whole step as one program. `flops`: without products with padding; `peak`:
    the highest rate measured on this machine, per second, of a large product, a convolution, or an
    operation that takes at least 1 % of the step. `memory`: bytes by kind, as planned by XLA.

    >>> from sporax import insight
    >>> found = insight.profile(nn.Dense(8, 8), Tensor(np.ones((4, 8), np.float32)), runs=1)
    >>> found.write_html("outputs/profile.html").name
    'profile.html'
    """

    def __init__(
        self, recording: Recording, program: Any, events: list, calls: tuple[float, float],
        untraced: float,
    ) -> None:  # fmt: skip
        self.name, self.untraced_seconds = recording.name, untraced
        self.first_call_seconds, self.call_seconds = calls
        self.trace_seconds = program.trace_seconds
        self.compile_seconds = program.compile_seconds
        self.memory = _memory(program.compiled)
        flops = [one.flops for one in recording.operations]
        self.flops = sum(flops)
        self._shares, containers = shares(program.text, flops)
        self._recording = recording
        runs = runs_by_length(events, program.name)
        median = (len(runs) - 1) // 2
        self.seconds, self._spans = runs[median]
        self.spread = runs[0][0], runs[-1][0]
        every = [self._times(spans, containers) for _, spans in runs]
        self.times, busy = every[median]
        self.idle_seconds = self.seconds - busy
        cells, operations = (
            [rows(recording, times) for times, _ in every]
            for rows in (_cell_times, _operation_times)
        )
        _set_spread(cells, "total_seconds")
        _set_spread(operations, "seconds")
        self.cells = list(cells[median].values())
        self.operations = sorted(operations[median].values(), key=lambda row: -row.seconds)
        timed = [o.rate for o in self.operations if o.seconds >= _TIMED * self.seconds]
        self.peak = max([measured_peak(), *timed])

    def _times(self, spans, containers):
        """Return (seconds of each operation and, last, of none; seconds in which any ran)."""
        times = np.zeros(len(self._recording.operations) + 1)
        by_instruction, busy = wall_seconds(spans, containers)
        for name, spent in by_instruction.items():
            for operation, share in (self._shares.get(name) or {-1: 1.0}).items():
                times[operation] += spent * share
        return times, busy

    def of_peak(self, row: CellTime | OperationTime) -> str:
        """Return the fraction of the peak that a row reaches, as text; '-' for a row that is too
        short to be timed, whose work was done in the time of others."""
        return f"{row.rate / self.peak:.0%}" if row.rate <= self.peak else "-"

    @property
    def host_seconds(self) -> float:
        """Seconds of a call in which the device waits for Python."""
        return max(self.call_seconds - (self.seconds - self.idle_seconds), 0.0)

    @property
    def rate(self) -> float:
        """Floating-point operations per second of the step's program."""
        return self.flops / self.seconds

    @property
    def peak_fraction(self) -> float:
        """Fraction of the measured peak that the step reaches."""
        return self.rate / self.peak

    @property
    def facts(self) -> list[tuple[str, str]]:
        """(name, value) pairs for the whole step."""
        return [
            ("step", f"{seconds(self.seconds)} ({seconds_range(self.spread)})"),
            ("step without the profiler", seconds(self.untraced_seconds)),
            ("rate", quantity(self.rate, "FLOP/s")),
            ("of the measured peak", f"{self.peak_fraction:.0%} of "
             f"{quantity(self.peak, 'FLOP/s')}"),
            ("operations", quantity(self.flops, "FLOP")),
            ("no operation running", seconds(self.idle_seconds)),
            ("call, with Python", seconds(self.call_seconds)),
            ("device waits for Python", seconds(self.host_seconds)),
            ("compilation", seconds(self.compile_seconds)),
            *[(f"memory of {name}", bytes_text(size)) for name, size in self.memory.items()],
        ]  # fmt: skip

    def _rows(self):
        """Return (rows of Cells, rows of operations) to show."""
        cells = [
            ("  " * c.depth + f"{c.name}: {c.cls}",
             seconds(c.total_seconds), seconds_range(c.spread),
             f"{c.total_seconds / self.seconds:.1%}", seconds(c.seconds), seconds(c.forward),
             seconds(c.backward), quantity(c.rate, "FLOP/s"), bytes_text(c.bytes))
            for c in self.cells if c.total_seconds >= 0.002 * self.seconds
        ]  # fmt: skip
        operations = [
            (o.name, o.path, str(o.count), seconds(o.seconds), seconds_range(o.spread),
             f"{o.seconds / self.seconds:.1%}", quantity(o.rate, "FLOP/s"), bytes_text(o.bytes))
            for o in self.operations[:_SHOWN]
        ]  # fmt: skip
        return cells, operations

    def __str__(self):
        lines = [f"profile of {self.name}", *[f"  {name}: {value}" for name, value in self.facts]]
        cells, operations = self._rows()
        lines += ["", *_columns(CELL_HEADERS, cells, 1), ""]
        return "\n".join(lines + _columns(OPERATION_HEADERS, operations, 2))

    __repr__ = __str__

    def _repr_html_(self):
        cells, operations = self._rows()
        return pages.in_notebook(
            pages.table(("", ""), self.facts),
            pages.table(CELL_HEADERS, cells, numeric=range(1, len(CELL_HEADERS))),
            pages.table(OPERATION_HEADERS, operations, numeric=range(2, len(OPERATION_HEADERS))),
        )

    def write_html(self, path: str | os.PathLike[str], plan: MemoryPlan | None = None) -> Path:
        """Write a standalone page with a flame graph and tables, and with the memory by Cell if the
        step's `memory_plan` is given; returns its path."""
        return profile_page.write(self, path, plan)

    def write_trace(self, path: str | os.PathLike[str]) -> Path:
        """Write the run's operations for https://ui.perfetto.dev and chrome://tracing (JSON);
        returns its path."""
        threads = {thread: k for k, thread in enumerate(sorted({s.thread for s in self._spans}))}
        events = [
            {"ph": "M", "pid": 1, "tid": k, "name": "thread_name", "args": {"name": f"thread {k}"}}
            for k in threads.values()
        ]
        for span in self._spans:
            owner = max((self._shares.get(span.name) or {-1: 1.0}).items(), key=lambda x: x[1])[0]
            one = self._recording.operations[owner] if owner >= 0 else None
            cell = _path(one.call) if one else _OUTSIDE
            events.append({
                "ph": "X", "pid": 1, "tid": threads[span.thread], "ts": span.begin * 1e6,
                "dur": (span.end - span.begin) * 1e6, "cat": cell,
                "name": f"{cell} {one.name}" if one else span.name,
                "args": {"instruction": span.name, "flops": one.flops if one else 0},
            })  # fmt: skip
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"traceEvents": events, "displayTimeUnit": "ms"}), "utf8")
        return path


_SHOWN = 15
CELL_HEADERS = ("Cell", "total", "runs", "share", "own", "forward", "backward", "rate", "results")
OPERATION_HEADERS = ("operation", "Cell", "count", "time", "runs", "share", "rate", "results")


def _set_spread(runs, name):
    """Set the `spread` of each row from the values of this attribute in all runs."""
    for key in runs[0]:
        values = [getattr(rows[key], name) for rows in runs]
        for rows in runs:
            rows[key].spread = min(values), max(values)


def _columns(headers, rows, left):
    """Return the lines of a table whose first `left` columns are left-aligned."""
    lines = [headers, *rows]
    widths = [max(len(line[k]) for line in lines) for k in range(len(headers))]
    return [
        "  ".join(
            cell.ljust(w) if k < left else cell.rjust(w)
            for k, (cell, w) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def _path(call):
    return call.path or _OUTSIDE


def _cell_times(recording, times):
    """Return {path: CellTime} in call order; calls with the same path are summed."""
    by_path = {}

    def collect(call, depth):
        cls = "step" if call.cell is None else type(call.cell).__name__
        name = call.name or _OUTSIDE
        by_path.setdefault(_path(call), CellTime(_path(call), cls, depth, name=name))
        for child in call.children:
            collect(child, depth + (call.cell is not None))

    collect(recording.root, 0)
    for one, spent in zip(recording.operations, times, strict=False):
        own = by_path[_path(one.call)]
        own.forward += 0.0 if one.is_backward else float(spent)
        own.backward += float(spent) if one.is_backward else 0.0
        own.flops, own.bytes = own.flops + one.flops, own.bytes + one.bytes
        for path in {_path(call) for call in one.call.chain if call.cell is not None}:
            by_path[path].total_seconds += float(spent)
            by_path[path].total_flops += one.flops
    outside = by_path[_OUTSIDE]
    outside.forward += float(times[-1])
    outside.total_seconds, outside.total_flops = outside.seconds, outside.flops
    return by_path


def _operation_times(recording, times):
    """Return {(name, path, is_backward): OperationTime}."""
    by_key = {}
    for one, spent in zip(recording.operations, times, strict=False):
        if one.avals:
            key = one.name, _path(one.call), one.is_backward
            row = by_key.setdefault(key, OperationTime(*key))
            row.count, row.seconds = row.count + 1, row.seconds + float(spent)
            row.flops, row.bytes = row.flops + one.flops, row.bytes + one.bytes
    return by_key


def _memory(compiled):
    """Return the bytes that the program needs, by kind."""
    kinds = "arguments", "further results", "temporary arrays"
    return dict(zip(kinds, program_bytes(compiled), strict=True))


def profile(step: Callable[..., Any], *args: Any, runs: int = 5, **kwargs: Any) -> StepProfile:
    """Return the `StepProfile` of a call: time, rate and memory by Cell and by operation.

    `step`: a Cell, a function or a `jit` function, such as a whole training step. It is recorded
    and compiled as one program with named instructions, which runs `runs` times under JAX's
    profiler to warm up and `runs` times to be measured; the median run counts, and the shortest
    and longest time of each Cell and operation are shown beside it. The step itself is
    called `runs + 2` times to measure Python's time. Parameters, random state and other Tensors
    that it writes are restored. If XLA fuses operations of several Cells into one loop, its time is
    divided in proportion to their elements.

    Raises TypeError if `step` is not callable, ValueError if `runs` is below 1 or an argument has
    no contents, RuntimeError if the recording needs a concrete value, inside a Mesh, or if another
    profiler is running.

    >>> from sporax import insight
    >>> net = nn.SequentialCell(nn.Dense(8, 256), nn.ReLU(), nn.Dense(256, 1))
    >>> found = insight.profile(net, Tensor(np.ones((64, 8), np.float32)), runs=3)
    >>> [cell.cls for cell in found.cells]
    ['step', 'SequentialCell', 'Dense', 'ReLU', 'Dense']
    """
    if not callable(step) or isinstance(step, type):
        raise rejection("must-be-type", "profile", step=step, kind="a-function-or-cell")
    fits = isinstance(runs, int) and not isinstance(runs, bool) and runs >= 1
    require(fits, "int-at-least", "profile", runs=runs, n=1)
    require(current_mesh() is None, "no-mesh-entered-times", "profile")
    _check_contents(args, kwargs)
    recording = Recording("profile", step, args, kwargs, formulas=WITHOUT_PADDING)
    listing = recording.listing
    values = [v.read() if v is not None else None for v in recording.arguments]
    values += [i.read() for i in listing.inputs[len(values) :]]
    program = NamedProgram(listing, values)
    program()
    written = set(listing.written)
    handles = [i.source for i in listing.inputs if i.name in written and i.source is not None]
    half = -(-runs // 2)  # before and after the profiler, since a machine's speed drifts
    untraced = untraced_seconds(program, half)
    traced(program, runs)  # the first session allocates memory for events: a quarter slower
    events = traced(program, runs)
    untraced += untraced_seconds(program, half)
    with put_back([*handles, *tensors_of((args, kwargs))]):
        calls = call_seconds(step, args, kwargs, runs)
    return StepProfile(recording, program, events, calls, statistics.median(untraced))


def _check_contents(args, kwargs):
    for tensor in tensors_of((args, kwargs)):
        value = tensor._value
        if value.array is None and value.trace is None:
            raise rejection("arguments-contents", "profile", aval=describe(value.aval))
