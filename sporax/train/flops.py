"""Floating-point operations of captured networks, and hardware utilization in training."""

import gc
import math
import os
import time
from pathlib import Path

from sporax._src.core.jax_internals import jaxprs_in
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.recompute.flops import MULTIPLICATIONS
from sporax.io import atomic_write
from sporax.nn.cell import Cell
from sporax.train.callback import Callback

_BARRIER = "optimization_barrier"


def flops_collection(phase="train"):
    """Return the FLOPs of a captured Cell: the FLOPs that the model needs, the FLOPs executed
    (including recomputation by `recompute`), both again for the shard of one device, and True if
    its shapes are dynamic.

    `phase`: `net.current_phase`, or another name in `net.compile_cache`. Matrix products and
    convolutions of the last graph that the Cell ran are counted.

    >>> net = nn.Dense(10, 5)
    >>> net.compile(Tensor(np.ones((32, 10), np.float32)))
    >>> ms.flops_collection(net.current_phase)
    (3200.0, 3200.0, 3200.0, 3200.0, False)
    """
    kinds.STR("flops_collection", phase=phase)
    for cell in gc.get_objects():
        if (
            isinstance(cell, Cell)
            and "_captured_call" in cell.__dict__
            and phase in cell.compile_cache
        ):
            return _flops_of(cell)
    raise rejection("captured-cell", "flops_collection", phase=phase)


def _flops_of(cell):
    function = cell._captured_call
    *_, entries = function.entries.values()  # the most recently used
    operations = entries[0].graph.operations()
    jaxprs = [rule.jaxpr for op in operations for rule in op.rules.values()]
    model = float(sum(_Count(sees_through=True).total(one.jaxpr) for one in jaxprs))
    done = float(sum(_Count(sees_through=False).total(one.jaxpr) for one in jaxprs))
    return model, done, model, done, bool(function.has_dynamic_shapes)


class _Count:
    """Counts needed equations, and equal ones once, as the compiler does. `sees_through`: treat
    recomputed values as equal to the original ones; `recompute` puts them behind a barrier or in
    the branch of a condition.
    """

    def __init__(self, sees_through):
        self.sees_through, self.known = sees_through, set()

    def total(self, jaxpr):
        """Return the operations of a jaxpr."""
        return self._walk(jaxpr, {})

    def _walk(self, jaxpr, names):
        flops = 0
        for equation in _needed(jaxpr):
            operands = [_name(v, names) for v in equation.invars]
            if equation.primitive.name == _BARRIER and self.sees_through:
                names.update(zip(equation.outvars, operands, strict=True))
                continue
            body = self._body(equation)
            if body is not None:
                given = operands[len(operands) - len(body.invars) :]
                inner = dict(zip(body.invars, given, strict=True))
                flops += self._walk(body, inner)
                results = [_name(v, inner) for v in body.outvars]
                names.update(zip(equation.outvars, results, strict=True))
                continue
            text = _text(equation.params)
            key = (equation.primitive.name, id(equation) if text is None else text, *operands)
            for i, out in enumerate(equation.outvars):
                names[out] = hash((key, i))
            if key not in self.known:
                self.known.add(key)
                flops += _of_equation(equation, self.sees_through)
        return flops

    def _body(self, equation):
        """Return the jaxpr that an equation calls; None for a loop, for a condition counted
        separately, and if there is none."""
        kind, bodies = equation.primitive.name, list(jaxprs_in(equation.params))
        if kind == "cond" and self.sees_through:
            return max(bodies, key=lambda body: _Count(True).total(body))
        is_one = len(bodies) == 1 and len(bodies[0].invars) == len(equation.invars)
        return bodies[0] if is_one and kind not in ("scan", "while", "cond") else None


def _of_equation(equation, sees_through):
    formula = MULTIPLICATIONS.get(equation.primitive.name)
    if formula is not None:
        return formula(equation)
    inner = [_Count(sees_through).total(jaxpr) for jaxpr in jaxprs_in(equation.params)]
    if equation.primitive.name == "cond":
        return max(inner)
    return sum(inner) * equation.params.get("length", 1)


def _name(variable, names):
    """Return a key for a value: equal for equal values."""
    if hasattr(variable, "val"):  # a literal
        return f"{variable.aval} {variable.val!r}"
    return names.get(variable, id(variable))


def _text(params):
    """Return the parameters of an equation as text; None if they contain jaxprs."""
    return None if any(True for _ in jaxprs_in(params)) else repr(sorted(params.items(), key=str))


def _needed(jaxpr):
    """Return the equations that the results need."""
    used, kept = {v for v in jaxpr.outvars if not hasattr(v, "val")}, []
    for equation in reversed(jaxpr.eqns):
        if equation.effects or not used.isdisjoint(equation.outvars):
            used |= {v for v in equation.invars if not hasattr(v, "val")}
            kept.append(equation)
    return reversed(kept)


class FlopsUtilizationCollector(Callback):
    """Prints, in GRAPH_MODE, the FLOPs per step, and their share of the hardware's peak FLOPs in
    the step time.

    `data_size`: print every `data_size` steps. `computility`: peak FLOPs per second of the
    hardware. `full_flops`: count the FLOPs of all devices, or of one. `enable_ma_collector`: also
    write the counts and times to the folder `MA_LOG_DIR`, and, without a `computility`, print
    nothing.

    mfu is the utilization by the FLOPs that the model needs, hfu includes recomputation.

    >>> FlopsUtilizationCollector(data_size=10, computility=5e10).data_size
    10
    """

    shard_model_flops: float
    shard_hardware_flops: float

    def __init__(self, data_size, computility=1, full_flops=True, enable_ma_collector=False):
        who = "FlopsUtilizationCollector"
        kinds.BOOL(who, full_flops=full_flops, enable_ma_collector=enable_ma_collector)
        kinds.POSITIVE_INT(who, data_size=data_size)
        kinds.POSITIVE(who, computility=computility)
        self.data_size, self.computility = data_size, computility
        self.full_flops, self.ma = full_flops, enable_ma_collector
        self.verbose = not (computility == 1 and enable_ma_collector)
        self.step_time, self.batch_step_size = time.monotonic(), None
        self.mfu_calculated = False
        for share in ("full", "shard"):
            setattr(self, f"{share}_model_flops", 0.0)
            setattr(self, f"{share}_hardware_flops", 0.0)
            setattr(self, f"{share}_mfu", 0.0)
            setattr(self, f"{share}_hfu", 0.0)

    def step_begin(self, run_context):
        """Record the start time."""
        count = run_context.original_args().get("batch_num")
        is_count = isinstance(count, int) and count > 0
        self.batch_step_size = count if is_count else self.data_size
        self.step_time = time.monotonic()

    def step_end(self, run_context):
        """Count on the first step, print and write on each step."""
        milliseconds = (time.monotonic() - self.step_time) * 1000
        run = run_context.original_args()
        if not self.mfu_calculated:
            self._count(run)
        if run.get("dataset_sink_mode") and self.batch_step_size is not None:
            milliseconds /= self.batch_step_size
        if self.ma:
            line = f'time_monitor{{type="per_step_time", rank_id="0"}} {milliseconds} {_now()}\n'
            _write("time_step", line)
        if self.verbose and run["cur_step_num"] % self.data_size == 0:
            share = "full" if self.full_flops else "shard"
            fields = [f"{run['mode'].title()} per step time: {milliseconds:5.3f} ms"]
            for name in ("mfu", "hfu"):
                percent = 100 * 1000 * getattr(self, f"{share}_{name}") / milliseconds
                fields.append(f"{name}:{math.floor(percent * 100) / 100:.2f}%")
            print(*fields, flush=True)

    def _count(self, run):
        cell = run["train_network" if run["mode"] == "train" else "eval_network"]
        require(cell.compiled, "network-run-graph-mode", "FlopsUtilizationCollector")
        *counts, is_dynamic = flops_collection(cell.current_phase)
        require(not is_dynamic, "shapes-stay-same-network", "FlopsUtilizationCollector")
        names = ("full_model", "full_hardware", "shard_model", "shard_hardware")
        for name, count in zip(names, counts, strict=True):
            setattr(self, f"{name}_flops", count)
            rate = name.replace("model", "mfu").replace("hardware", "hfu")
            setattr(self, rate, count / self.computility)
        self.mfu_calculated = True
        if self.ma:
            kinds = {"model": self.shard_model_flops, "hardware": self.shard_hardware_flops}
            lines = [
                f'flops{{type="{kind}_flops", rank_id="0"}} {count} {_now()}\n'
                for kind, count in kinds.items()
            ]
            _write("flops", "".join(lines))
        if self.verbose:
            shown = names if self.full_flops else names[2:]
            words = [
                f"{name.capitalize().replace('_', ' ')} flops is {getattr(self, f'{name}_flops')}"
                for name in shown
            ]
            print(", ".join(words) + ".", flush=True)


def _now():
    return round(time.time() * 1000)


def _write(topic, text):
    path = Path(os.getenv("MA_LOG_DIR", "./")).resolve() / f"{topic}_rank_0.txt"
    with atomic_write.replacing(path) as temp_path:
        Path(temp_path).write_text(text, "utf8")
