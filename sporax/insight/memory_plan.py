"""`memory_plan`: the peak memory of a step, its parts, and the batch that fits, before it runs."""

import collections
import functools
import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from weakref import ref

import jax

from sporax._src.capture.graph_capture.jit import JitFunction
from sporax._src.core.jax_internals import (
    call,
    compiled_for_once,
    default_platform,
    program_bytes,
)
from sporax._src.core.tree import map_tensors, tensors_of
from sporax._src.core.units import bytes_of_text, bytes_text
from sporax._src.core.value import thread
from sporax._src.devices.sharding.mesh import current_mesh
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.optim.optimizer import OptimizerBase
from sporax._src.runtime.engine.debug.out_of_memory import memory as memory_here
from sporax._src.runtime.engine.recorder import as_graph
from sporax._src.runtime.memory.liveness import bytes_of, peak
from sporax._src.runtime.xla_kernels import jaxlib_faults
from sporax._src.runtime.xla_kernels.rewrite import rewrite
from sporax._src.workbench import pages
from sporax.insight import memory_page
from sporax.insight.cell_log import CellLog
from sporax.insight.hlo_scopes import SCOPE
from sporax.insight.named_program import under_names
from sporax.insight.recording import Recording, empty_tensor
from sporax.nn.cell import Cell

_SCOPE = re.compile(SCOPE.format(r"(\d+)"))
_OWN = "temporaries of XLA"
_PLANS = 4  # maximum number of plans to find the largest batch
_LITTLE = 0.02  # the share of the peak below which recomputation is not worth while
_SHOWN = 0.001  # the smallest share of the peak in the printed table
_CELLS = 8  # maximum number of Cells in the table


class PlanRow(NamedTuple):
    """One row of a `MemoryPlan`: `name`, `bytes`; `depth`: 1 for a part of the row above.

    >>> from sporax import insight
    >>> insight.PlanRow("Parameters", 4096)
    PlanRow(name='Parameters', bytes=4096, depth=0)
    """

    name: str
    bytes: int
    depth: int = 0


class Fit(NamedTuple):
    """The batch that fits into `memory` bytes; see `MemoryPlan.fit`.

    `batch`: the largest batch, which takes `peak` bytes by XLA's plan; 0 if not even one example
    fits, which takes `peak` bytes. The others are estimates of the largest batch: `recompute`: if
    the Cells `recomputed` are recomputed in the backward pass; `offload`: with the optimizer's
    state on the host; `micro_batch`: of each part if the gradients of parts are accumulated.

    >>> from sporax import insight
    >>> insight.Fit(2**30, 60, 1_000_000_000, 200, "net.blocks", 64, 59).batch
    60
    """

    memory: int
    batch: int
    peak: int
    recompute: int
    recomputed: str
    offload: int
    micro_batch: int


class _StepLog(CellLog):
    """A `CellLog` that also records `kept`: the indices of the outputs, such as gradients, that a
    step in dynamic code returns because it still refers to them when it ends; see
    `engine.step_end`."""

    def restarted(self):
        self.kept, self.ended = [], None
        return super().restarted()

    def note(self, state):
        """Record an operation, the first one after an optimizer's call with the gradients held."""
        super().note(state)
        if self.ended is not None:
            held, live = self.ended
            self.ended = None
            if held() is not None:
                self.kept += live

    def call(self, cell, args, kwargs):
        """Call a Cell; note what is alive when an optimizer ends."""
        result = super().call(cell, args, kwargs)
        recorder = thread.recorder
        values = [t._value for t in tensors_of(args) if t._value.trace is recorder]
        if isinstance(cell, OptimizerBase) and values:
            live = [value.index for value in recorder.live_outputs(recorder.state)]
            self.ended = ref(values[0]), live
        return result


class _Program:
    """The program of a step for arguments of these avals, compiled and not run.

    `arguments`, `results`, `temporaries`: XLA's bytes, with `peak` their sum; a result that
    replaces an argument counts once.
    """

    def __init__(self, step, args, kwargs):
        log = _StepLog()
        self.recording = Recording("memory_plan", step, args, kwargs, log)
        listing = self.recording.listing
        is_graph = isinstance(step, JitFunction) or (isinstance(step, Cell) and as_graph())
        outputs = listing.outputs if is_graph else sorted({*listing.outputs, *log.kept})
        self.inputs, written = listing.inputs, set(listing.written)
        donated = [
            k for k, i in enumerate(self.inputs) if i.kind != "argument" and i.name in written
        ]
        specs = [jax.ShapeDtypeStruct(i.aval.shape, i.aval.dtype) for i in self.inputs]
        closed = jax.make_jaxpr(under_names(listing, outputs))(*specs)
        options = {"xla_backend_optimization_level": 0}  # the same memory, compiled faster
        if default_platform() == "cpu":
            closed = rewrite(closed)
            options |= jaxlib_faults.compiler_options() or {}
        self.simulated = peak(closed, donated)
        run: Any = jax.jit(
            lambda *arrays: call(closed, arrays),
            donate_argnums=tuple(donated),
            compiler_options=options,
        )
        with compiled_for_once():
            sizes = program_bytes(run.lower(*specs).compile())
        self.arguments, self.results, self.temporaries = sizes
        self.peak = sum(sizes)

    def operation(self, scope):
        """Return the recorded operation of an equation with this name stack, or None."""
        found = _SCOPE.findall(str(scope))
        return self.recording.operations[int(found[-1])] if found else None

    @functools.cached_property
    def states(self):
        """The indices of the inputs that only an optimizer reads."""
        readers = collections.defaultdict(list)
        for one in self.recording.operations:
            for pool, i in one.operands:
                if pool == "input":
                    readers[i].append(_is_update(one))
        return {
            i for i, used in readers.items() if all(used) and self.inputs[i].kind == "parameter"
        }

    @functools.cached_property
    def scale(self):
        """XLA's bytes per simulated byte of temporary arrays, at most 1."""
        return min(1.0, self.temporaries / max(self.simulated.temporaries, 1))

    def by_cell(self):
        """Return (kind, path, bytes) of the inputs and of the temporary arrays at the peak."""
        sizes = collections.Counter()
        for k, item in enumerate(self.inputs):
            kind = "optimizer state" if k in self.states else _KINDS.get(item.kind, "other Tensors")
            sizes[kind, item.name] += bytes_of(item.aval)
        for array in self.simulated.arrays:
            one = self.operation(array.scope)
            path = one.call.path if one is not None else ""
            sizes[_kind(one), path] += int(array.bytes * self.scale)
        return [(*key, size) for key, size in sizes.items()]

    def timeline(self):
        """Return (bytes of temporary arrays, kind, name and Cell) at each operation."""
        moments = []
        for equation, size in self.simulated.timeline:
            one = self.operation(equation.source_info.name_stack)
            name = one.name if one is not None else equation.primitive.name
            where = f" in {one.call.path}" if one is not None and one.call.path else ""
            moments.append((int(size * self.scale), _kind(one), f"{name}{where}"))
        return moments

    def freed(self):
        """Return (bytes that recomputation frees at the peak, the Cells to recompute); of the
        depths in the tree of calls, the best one."""
        best = 0, ""
        for depth in range(1, 6):
            inside, outputs = collections.Counter(), {}
            for array in self.simulated.arrays:
                one = self.operation(array.scope)
                if one is not None and _kind(one) == "activations":
                    calls = [c for c in one.call.chain if c.cell is not None][:depth]
                    if len(calls) == depth:
                        inside[calls[-1]] += int(array.bytes * self.scale)
                        outputs[calls[-1]] = sum(map(bytes_of, calls[-1].outputs))
            kept = {call: min(size, outputs[call]) for call, size in inside.items()}
            saved = sum(inside.values()) - sum(kept.values())
            saved -= max((inside[call] - kept[call] for call in inside), default=0)
            if saved > max(best[0], _LITTLE * self.peak):
                large = [c.path for c, size in inside.items() if size > _LITTLE * self.peak]
                best = saved, _common(large)
        return best


_KINDS = {"argument": "inputs", "parameter": "Parameters"}
_ORDER = (
    "Parameters", "optimizer state", "inputs", "other Tensors", "activations", "gradients", "update"
)  # fmt: skip


def _is_update(operation):
    return any(isinstance(call.cell, OptimizerBase) for call in operation.call.chain)


def _kind(operation):
    if operation is None:
        return _OWN
    if _is_update(operation):
        return "update"
    return "gradients" if operation.is_backward else "activations"


def _common(paths):
    """Return one name for several paths: 'net.blocks.*', or 'net.embed, head'."""
    parts = [path.split(".") for path in paths]
    same = [a[0] for a in zip(*parts, strict=False) if len(set(a)) == 1]
    if not same or len(paths) == 1:
        return ", ".join(sorted(paths))
    return ".".join([*same, "*"])


class MemoryPlan:
    """The result of `memory_plan`; `print` it.

    `peak`: bytes of a step, the sum of `arguments` (Parameters, optimizer state, inputs, others),
    `results`, and `temporaries`, as XLA plans them. `rows`: [PlanRow], those of depth 0 add up to
    the peak. `where`: the operation, Cell and line at the peak. `batch`: the leading dimension of
    the first array argument, None without one. `updates`: whether an optimizer is part of the step.
    `fits`: the `Fit` of the given memory, or None.

    >>> net = nn.Dense(8, 4)
    >>> plan = ms.memory_plan(net, ops.ones((16, 8)))
    >>> plan.peak == sum(row.bytes for row in plan.rows if row.depth == 0)
    True
    """

    def __init__(
        self, step: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self._step, self._given = step, (args, kwargs)
        program = self._program = _Program(step, args, kwargs)
        self.name = program.recording.name
        self.fits: Fit | None = None
        self.peak, self.arguments = program.peak, program.arguments
        self.results, self.temporaries = program.results, program.temporaries
        self.updates = any(map(_is_update, program.recording.operations))
        shapes = [t.shape for t in tensors_of((args, kwargs)) if t.ndim]
        self.batch = shapes[0][0] if shapes else None
        self.rows = _rows(program)
        self.where = _where(program)

    def at(self, batch: int) -> "MemoryPlan":
        """Return the plan of another batch: this is the leading dimension of the arguments that
        share the first one's; if the step rejects that, also of those with a multiple.

        Raises ValueError if the step rejects both."""
        require(self.batch is not None, "batch-of-arguments", "MemoryPlan.at")
        try:
            return MemoryPlan(self._step, *_resized(self._given, self.batch, batch, 1))
        except ValueError as error:
            most = max(t.shape[0] for t in tensors_of(self._given) if t.ndim)
            try:
                return MemoryPlan(self._step, *_resized(self._given, self.batch, batch, most))
            except ValueError:
                raise rejection("step-of-another-batch", "MemoryPlan.at", reason=error) from error

    def fit(self, memory: str | int | None = None) -> Fit:
        """Return the `Fit` of this memory, as text ('24GB') or bytes; by default the device's, or
        the machine's and its limits for the process. Plans the step for two to four batches."""
        most = memory_here() if memory is None else bytes_of_text("MemoryPlan.fit", memory)
        return _Fitting(self, most).found()

    def __str__(self):
        lines = [f"memory plan of {self.name}: {bytes_text(self.peak)} at the peak"]
        rows = [("  " * (1 + r.depth) + r.name, bytes_text(r.bytes), f"{r.bytes / self.peak:.0%}")
                for r in self.rows if abs(r.bytes) > _SHOWN * self.peak]  # fmt: skip
        rows.append(("  peak", bytes_text(self.peak), ""))
        width, size = (max(len(row[k]) for row in rows) for k in (0, 1))
        lines += [f"{name:<{width}}  {text:>{size}}  {share:>4}".rstrip()
                  for name, text, share in rows]  # fmt: skip
        lines.append(
            f"XLA: arguments {bytes_text(self.arguments)} + results "
            f"{bytes_text(self.results)} + temporary {bytes_text(self.temporaries)}"
        )
        lines += [f"at the peak: {self.where}"] if self.where else []
        return "\n".join(lines + (self._fit_lines() if self.fits is not None else []))

    __repr__ = __str__

    def _fit_lines(self):
        fit = self.fits
        assert fit is not None
        lines = [f"{bytes_text(fit.memory)} of memory, batch {self.batch} "
                 f"{'fits' if self.peak <= fit.memory else 'does not fit'}:"]  # fmt: skip
        taken = bytes_text(fit.peak)
        rows = [("as it is", fit.batch, taken if fit.batch else f"one example takes {taken}")]
        if fit.recomputed:
            rows.append((f"with recompute of {fit.recomputed}", fit.recompute, "estimate"))
        if self.bytes_of("optimizer state"):
            rows.append(("with the optimizer's state on the host", fit.offload, "estimate"))
        rows.append(("with accumulation, in parts of", fit.micro_batch, "estimate"))
        width, size = max(len(r[0]) for r in rows), max(len(f"{r[1]:,}") for r in rows)
        return lines + [f"  batch {name:<{width}}  {n:>{size},}  {note}".rstrip()
                        for name, n, note in rows]  # fmt: skip

    def by_cell(self) -> list[tuple[str, str, int]]:
        """Return (kind, path, bytes) of the parts at the peak: Parameters and other inputs by their
        names, temporary arrays by the paths of their Cells."""
        return self._program.by_cell()

    def timeline(self) -> list[tuple[int, str, str]]:
        """Return (bytes of temporary arrays, kind, name and Cell) at each operation, in order."""
        return self._program.timeline()

    def write_html(self, path: str | os.PathLike[str]) -> Path:
        """Write a standalone page with the memory by kind, Cell and operation; returns its path."""
        return memory_page.write(self, path)

    def bytes_of(self, name: str) -> int:
        """Return the bytes of the row of this name, 0 if there is none."""
        return sum(row.bytes for row in self.rows if row.name == name)

    def _repr_html_(self):
        rows = [("\u2003" * r.depth + r.name, bytes_text(r.bytes)) for r in self.rows]
        return pages.in_notebook(
            pages.table((self.name, bytes_text(self.peak)), rows, numeric=(1,))
        )


def _rows(program):
    alive = collections.defaultdict(collections.Counter)
    for kind, path, size in program.by_cell():
        alive[kind][path] += size
    held = {kind: sum(paths.values()) for kind, paths in alive.items()}
    rows = []
    for name in _ORDER:
        if held.get(name):
            rows.append(PlanRow(name, held[name]))
            rows += _of_cells(alive[name]) if name == "activations" else []
    if program.results:
        rows.append(PlanRow("results", program.results))
    rest = program.peak - sum(row.bytes for row in rows if row.depth == 0)
    return [*rows, PlanRow(_OWN, rest)] if rest else rows


def _of_cells(sizes):
    """Return the rows of the largest Cells, of the greatest depth at which they are few."""
    for depth in range(max(path.count(".") for path in sizes) + 1, 0, -1):
        cells = collections.Counter()
        for path, size in sizes.items():
            cells[".".join(path.split(".")[:depth])] += size
        if len(cells) <= _CELLS:
            break
    largest = cells.most_common(_CELLS)
    rows = [PlanRow(path or "outside of Cells", size, 1) for path, size in largest]
    rest = sum(sizes.values()) - sum(row.bytes for row in rows)
    return [*rows, PlanRow("other Cells", rest, 1)] if rest else rows


def _where(program):
    arrays = [a for a in program.simulated.arrays if a.equation is program.simulated.equation]
    one = next(filter(None, (program.operation(a.scope) for a in arrays)), None)
    if one is None:
        return ""
    cell = f" in {one.call.path}" if one.call.path else ""
    return f"'{one.name}'{cell}" + (f" ({one.line[0]}:{one.line[1]})" if one.line else "")


def _resized(given, old, new, most):
    """Return the arguments as Tensors without contents: leading dimensions `old` become `new`, and
    so do multiples of it up to `most` times."""

    def resized(tensor):
        aval = tensor._value.aval
        first, *rest = aval.shape or (0,)
        times = first // old if first % old == 0 and first // old <= most else 0
        return empty_tensor(aval, (new * times, *rest) if times else aval.shape)

    return map_tensors(resized, given)


class _Fitting:
    """The search for the largest batch of a plan within `memory` bytes."""

    def __init__(self, plan, memory):
        require(plan.batch is not None, "batch-of-arguments", "MemoryPlan.fit")
        self.memory, self.plan = memory, plan
        self.other = plan.at(2 * plan.batch)
        self.plans = {p.batch: p for p in (plan, self.other)}

    def at(self, batch):
        """Return the plan of a batch; None if its arrays are too large to compute with."""
        if batch not in self.plans:
            try:
                self.plans[batch] = self.plan.at(batch)
            except (MemoryError, ValueError):
                self.plans[batch] = None
        return self.plans[batch]

    def line(self, size):
        """Return the largest batch for which a quantity of plans, linear in the batch, is within
        the memory."""
        (a, x), (b, y) = sorted((p.batch, size(p)) for p in (self.plan, self.other))
        slope = (y - x) / max(b - a, 1)
        return max(int((self.memory - x) / slope + a), 0) if slope > 0 else 0

    def largest(self):
        """Return the largest batch whose plan is known to be within the memory, 0 for none."""
        for _ in range(_PLANS):
            fitting = [n for n, p in self.plans.items() if p and p.peak <= self.memory]
            beyond = [n for n, p in self.plans.items() if not (p and p.peak <= self.memory)]
            low, high = max(fitting, default=0), min(beyond, default=math.inf)
            guess = self.line(lambda p: p.peak)
            if high - low == 1 or (high == math.inf and guess <= low):
                break
            if low and self.plans.get(high, self) is None:  # too large to compute with
                guess = min(guess, math.isqrt(low * int(high)))
            if not low < guess < high:
                guess = low + 1 if guess <= low else high - 1
            if (found := self.at(guess)) is not None:
                self.plan, self.other = self.plans[low] if low else self.plan, found
        return max((n for n, p in self.plans.items() if p and p.peak <= self.memory), default=0)

    def least(self):
        """Return the plan of one example, or if that has none, the smallest one."""
        return self.at(1) or min(filter(None, self.plans.values()), key=lambda p: p.peak)

    def found(self):
        state = self.plan.bytes_of("optimizer state")
        trained = sum(
            bytes_of(i.aval) for k, i in enumerate(self.plan._program.inputs)
            if i.kind == "parameter" and k not in self.plan._program.states
        )  # fmt: skip
        batch = self.largest()
        if not batch and self.least().peak <= self.memory:
            batch = self.least().batch
        _, cells = self.plan._program.freed()
        return Fit(
            self.memory, batch, (self.plans[batch] if batch else self.least()).peak,
            self.line(lambda p: p.peak - p._program.freed()[0]), cells,
            self.line(lambda p: p.peak - state), self.line(lambda p: p.peak + trained),
        )  # fmt: skip


def memory_plan(
    step: Callable[..., Any], *args: Any, memory: str | int | None = None, **kwargs: Any
) -> MemoryPlan:
    r"""Return the `MemoryPlan` of the call `step(*args, **kwargs)`: the peak of its memory and the
    parts of it. The step is recorded and compiled, not run; nothing is changed.

    $$peak = arguments + results - donated + temporaries$$

    in bytes, as XLA's plan has them for the step as one program: a new Parameter takes the place of
    the old one. The peak does not include Python and libraries. Temporary arrays are attributed by
    a simulation of the program, scaled to XLA's sum: the activations by Cell, gradients and other
    results of the backward pass, and the optimizer's.

    `step`: a Cell, a function or a `jit` function, such as a whole training step; `args`: Tensors
    whose shapes and dtypes count, (batch, ...) each. `memory`: text ('24GB', '512MB', '16GiB') or
    bytes; if given, the plan also says which batch fits into it, see `MemoryPlan.fit`.

    Raises TypeError if `step` is not callable, ValueError for an invalid `memory`, RuntimeError
    inside a Mesh, or if the step needs a concrete value: then its memory depends on its data.

    >>> net = nn.SequentialCell(nn.Dense(64, 512), nn.ReLU(), nn.Dense(512, 1))
    >>> loss = nn.WithLossCell(net, nn.MSELoss())
    >>> step = nn.TrainOneStepCell(loss, nn.Momentum(net.trainable_params(), 0.1, 0.9))
    >>> plan = ms.memory_plan(step, ops.ones((256, 64)), ops.ones((256, 1)))
    >>> plan.bytes_of("Parameters"), plan.bytes_of("optimizer state")
    (135176, 135180)
    """
    if not callable(step) or isinstance(step, type):
        raise rejection("must-be-type", "memory_plan", step=step, kind="a-function-or-cell")
    require(current_mesh() is None, "no-mesh-entered-memory", "memory_plan")
    most = None if memory is None else bytes_of_text("memory_plan", memory)
    plan = MemoryPlan(step, args, kwargs)
    if most is not None:
        plan.fits = plan.fit(most)
    return plan
