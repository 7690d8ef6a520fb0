"""Pipeline stages: parts of a mesh, and programs whose operations are on several of them.

`split` divides the devices of a Mesh among stages. Then a trace may have operations on several
stages: it runs as one program for each piece of work of a stage, and values are copied between
stages. JAX dispatches programs asynchronously, so stages work concurrently, each on another
micro-batch; `schedule` defines the order. Values that no later piece needs are freed.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from sporax._src.core.hooks import hooks
from sporax._src.core.jax_internals import used_inputs
from sporax._src.devices.sharding import schedule
from sporax._src.devices.sharding.mesh import Mesh, Placement, _Constraint, constraint, current_mesh
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.engine.operation import Pullback
from sporax._src.runtime.engine.program import Program
from sporax._src.runtime.engine.recorder import apply, run_pending

_split = {}  # (Mesh, number of stages) -> its stages


def split(mesh, count):
    """Return the stages of a Mesh: Meshes of `count` equal parts of its devices, with one axis
    `data`.

    Raises ValueError unless the number of devices is a multiple of `count`.
    """
    fits, who = mesh.size % count == 0, "PipelineCell"
    require(fits, "devices-multiple-stages", who, size=mesh.size, mesh=mesh, count=count)
    require(not mesh.spans_ranks, "devices-those-one-process", "PipelineCell", mesh=mesh)
    size = mesh.size // count
    if (mesh, count) not in _split:
        run_pending()
        _split[mesh, count] = [
            Mesh(data=size, devices=mesh.devices[k * size : (k + 1) * size]) for k in range(count)
        ]
        mesh.program = StagedProgram
        if current_mesh() is mesh:
            hooks.program = StagedProgram
    return _split[mesh, count]


def to_stage(tensor, stage):
    """Copy a Tensor to a stage, divided along its first axis if divisible; gradients are copied
    back."""
    divides = tensor.ndim and tensor.shape[0] % stage.size == 0
    return apply(constraint(Placement(stage, ("data",) if divides else ()).sharding), tensor)


class StagedProgram(Program):
    """A program that runs in pieces if its operations are on several stages."""

    __slots__ = ("alive", "function", "pieces", "stages_of_inputs")

    def __init__(self, function, avals, alive, dead):
        super().__init__(function, avals, alive, dead)
        self.function, self.alive = function, alive
        self.pieces: Any = None
        self.stages_of_inputs = None

    def __call__(self, arrays, reals, integers, results):
        devices = [_devices(x) for x in arrays]
        if devices != self.stages_of_inputs:
            self.stages_of_inputs = devices
            self.pieces = _Pieces(self.function, self.alive, devices, set(self.donated))
        if self.pieces.is_one:
            super().__call__(arrays, reals, integers, results)
        else:
            results.extend(self.pieces.run(arrays, reals, integers))


def _devices(array):
    """Return the devices of a committed array; None for an uncommitted one."""
    return array.sharding._device_assignment if array.committed else None


class _Step:
    """One operation: `function` of the values `ins`, with the results `outs` (by their numbers); or
    a copy from the devices `source` to `sharding` (for a gradient: to the sharding of its first
    value)."""

    __slots__ = (
        "devices", "function", "ins", "is_copy", "micro", "op", "outs", "rule", "sharding",
        "single", "source",
    )  # fmt: skip

    @property
    def needs(self):
        """The values that it reads; a copy of a gradient only needs the sharding of the first."""
        return self.ins[-1:] if self.is_copy else self.ins


@functools.cache
def _constant(dtype, data):
    """Return a function that returns a scalar; the same function for the same bits."""
    number = np.frombuffer(data, dtype)[0]
    return lambda: number


def _of_used(rule):
    """Return (flags of the operands that the results depend on, a function of these operands)."""
    jaxpr = rule.jaxpr
    used = used_inputs(jaxpr.jaxpr)
    if all(used):
        return used, rule.run
    kinds = [(a.shape, a.dtype) for a in jaxpr.in_avals]

    def run(*arrays):
        remaining = iter(arrays)
        return rule.run(
            *[next(remaining) if is_used else jnp.zeros(*kind)
              for is_used, kind in zip(used, kinds, strict=True)]
        )  # fmt: skip

    return used, run


class _Pieces:
    """The operations of a trace as pieces, each a program on the devices of one stage.

    Values are numbered: the array inputs first, then Python scalars, then results.
    """

    def __init__(self, function, alive, devices, donated):
        self.n_arrays, self.n_reals = len(devices), function.n_reals
        count = len(devices) + function.n_reals + function.n_integers
        self.devices = [*devices, *[None] * (count - len(devices))]
        self.sizes = [a.size * a.dtype.itemsize for a in function.inputs] + [0] * (
            count - len(devices)
        )
        self.steps, self.donated = [], donated
        outs = self._flatten(function, list(range(len(devices))), self._numbers(function))
        self.wanted = [outs[i] if i >= 0 else ~i for i in alive]
        self._settle()
        self.is_one = len({step.devices for step in self.steps}) <= 1
        if not self.is_one:
            self._drop_unused()
        self.plan = [] if self.is_one else self._scheduled()
        self.released = self._released()  # per part of the plan: values last used there

    def _numbers(self, function):
        n = self.n_arrays
        reals = list(range(n, n + function.n_reals))
        return reals, list(range(n + function.n_reals, n + function.n_reals + function.n_integers))

    def _flatten(self, function, arrays, numbers):
        """Append the steps of a trace, with captured functions inlined; return the numbers of its
        outputs."""
        outs = []
        pools = {"output": outs, "input": arrays, "real": numbers[0], "integer": numbers[1]}
        for op, rule, refs in function.steps:
            if refs is None:
                outs += [None] * len(rule.avals)
                continue
            ins = [pools[pool][i] for pool, i in refs]
            inner = getattr(op.fn, "steps_of", None)
            if inner is not None:
                outs += self._inlined(inner, ins)
                continue
            outs += self._append(op, rule, rule.run, ins, rule.avals, rule.single)
        return outs

    def _inlined(self, inner, ins):
        trace, reals, integers, wanted = inner
        numbers = [
            [self._append(None, None, _constant(x.dtype, x.tobytes()), [], [None], True)[0]
             for x in pool]
            for pool in (reals, integers)
        ]  # fmt: skip
        outs = self._flatten(trace, ins, numbers)
        return [outs[i] if i >= 0 else ins[~i] for i in wanted]

    def _append(self, op, rule, function, ins, avals, single):
        step = _Step()
        step.op, step.rule, step.function, step.ins, step.single = op, rule, function, ins, single
        step.is_copy = isinstance(op, _Constraint) or (
            isinstance(op, Pullback) and isinstance(op.primal, _Constraint)
        )
        step.sharding = op.sharding if isinstance(op, _Constraint) else None
        step.outs = list(range(len(self.devices), len(self.devices) + len(avals)))
        step.devices = self._where(step)
        self.devices += [step.devices] * len(avals)
        self.sizes += [0 if a is None else a.size * a.dtype.itemsize for a in avals]
        self.steps.append(step)
        return step.outs

    def _where(self, step):
        """Return the target of a copy, else the devices of the operand on the fewest devices, of
        several the largest operand."""
        if step.sharding is not None:
            return step.sharding._device_assignment
        ins = [i for i in step.ins[: 1 if step.is_copy else None] if self.devices[i] is not None]
        if not ins:
            return None
        return self.devices[min(ins, key=lambda i: (len(self.devices[i]), -self.sizes[i]))]

    def _settle(self):
        """Give steps without devices the devices of the first step that uses them."""
        for step in reversed(self.steps):
            if step.devices is None:
                step.devices = next((self.devices[o] for o in step.outs if self.devices[o]), None)
                step.devices = step.devices or self.default
                for out in step.outs:
                    self.devices[out] = step.devices
            for i in step.ins:
                if self.devices[i] is None:
                    self.devices[i] = step.devices

    def _drop_unused(self):
        """Drop the operands that no result of an operation depends on, which is frequent in
        gradients. Otherwise the operation would wait for them, and they would be kept for it."""
        by_rule = {}  # a rule -> (which operands are used, a function of these)
        for step in self.steps:
            if step.rule is None or step.is_copy or not step.rule.is_traced:
                continue
            used, function = by_rule.get(id(step.rule), (None, None))
            if used is None:
                used, function = by_rule[id(step.rule)] = _of_used(step.rule)
            step.ins = [i for i, is_used in zip(step.ins, used, strict=True) if is_used]
            step.function = function

    @property
    def default(self):
        """The devices of steps that neither operands nor users place."""
        mesh = current_mesh()
        return next((d for d in self.devices if d), tuple(jax.devices()[:1])) if mesh is None else (
            mesh.devices
        )  # fmt: skip

    # the order of pieces ------------------------------------------------------------------------

    def _scheduled(self):
        """Return [_Piece or _Step that copies]: a stage's piece ends where another stage needs it,
        or where a value comes from another stage."""
        open_pieces, maker, plan = {}, {}, []
        for step in self.steps:
            step.source = self.devices[step.ins[-1]] if step.is_copy else None

        def close(devices):
            piece = open_pieces.pop(devices, None)
            if piece:
                plan.append(piece)

        for step in schedule.ordered(self.steps):
            if step.is_copy and step.source != step.devices:
                close(step.source)
                for i in step.ins:
                    close(maker.get(i))
                close(step.devices)
                plan.append(step)
                continue
            for i in step.ins:
                if maker.get(i, step.devices) != step.devices:
                    close(maker[i])
                    close(step.devices)
            step.is_copy = False
            open_pieces.setdefault(step.devices, []).append(step)
            maker.update(dict.fromkeys(step.outs, step.devices))
        for devices in list(open_pieces):
            close(devices)
        return self._compiled(plan)

    def _compiled(self, plan):
        """Return the plan with each list of steps as a `_Piece`."""
        uses = [{i for s in ([p] if isinstance(p, _Step) else p) for i in s.needs} for p in plan]
        pieces, programs = [], {}
        for k, item in enumerate(plan):
            if isinstance(item, _Step):
                pieces.append(item)
                continue
            later = set().union(*uses[k + 1 :], self.wanted)
            others = set().union(*uses[:k], *uses[k + 1 :], self.wanted)
            pieces.append(_Piece(item, later, self.donated - others, programs))
        return pieces

    def _released(self):
        """Return for each part of the plan the values that it is the last to use."""
        last = {}
        for k, item in enumerate(self.plan):
            last.update(dict.fromkeys((*item.needs, *item.outs), k))
        released = [[] for _ in self.plan]
        for i in last.keys() - set(self.wanted):
            released[last[i]].append(i)
        return released

    def run(self, arrays, reals, integers):
        """Run the plan; return the arrays of the wanted outputs."""
        numbers = [*[float(v.array) for v in reals], *[int(v.array) for v in integers]]
        values, shardings = dict(enumerate([*arrays, *numbers])), {}
        for item, released in zip(self.plan, self.released, strict=True):
            if isinstance(item, _Piece):
                item.run(values)
            else:
                values[item.outs[0]] = jax.device_put(
                    values[item.ins[-1]], item.sharding or shardings[item.ins[0]]
                )
                shardings[item.ins[-1]] = values[item.ins[-1]].sharding
            for i in released:
                del values[i]
        return [values[i] for i in self.wanted]


class _Piece:
    """Operations on one stage, as a program. Pieces that do the same for different micro-batches
    share a program, from `programs`."""

    def __init__(self, steps, later, donated, programs):
        self.steps, made = steps, {o for s in steps for o in s.outs}
        self.needs = [*dict.fromkeys(i for s in steps for i in s.ins if i not in made)]
        self.outs = [o for s in steps for o in s.outs if o in later]
        self.given = [i for i in self.needs if i in donated]
        self.kept = [i for i in self.needs if i not in donated]
        grid = jax.sharding.Mesh(list(steps[0].devices), ("_",))
        self.devices, self.whole = set(steps[0].devices), NamedSharding(grid, PartitionSpec())
        slots = {}  # value -> its index here
        for i in (*self.given, *self.kept, *[o for s in steps for o in s.outs]):
            slots[i] = len(slots)
        work = tuple(
            [(s.function, tuple([slots[i] for i in s.ins]), len(s.outs), s.single) for s in steps]
        )
        key = (
            steps[0].devices,
            len(self.given),
            len(self.kept),
            work,
            tuple(slots[o] for o in self.outs),
        )
        if key not in programs:
            programs[key] = jax.jit(
                functools.partial(_computed, work, key[-1]), donate_argnums=(0,)
            )
        self.program = programs[key]

    def run(self, values):
        """Compute the piece's outputs into `values`."""
        given, kept = ([self._here(values[i]) for i in ins] for ins in (self.given, self.kept))
        values.update(zip(self.outs, self.program(given, kept), strict=True))

    def _here(self, x):
        """Return a value on the piece's devices: unchanged, or copied from another stage."""
        is_elsewhere = isinstance(x, jax.Array) and x.committed and x.devices() != self.devices
        return jax.device_put(x, self.whole) if is_elsewhere else x


def _computed(work, outs, given, kept):
    """Compute the values `outs` of the operations `work`, each with the indices of its operands."""
    values = [*given, *kept]
    for function, ins, _, single in work:
        out = function(*[values[i] for i in ins])
        values.extend((out,) if single else out)
    return [values[i] for i in outs]
