"""`detect_anomaly`: a mode that checks each operation for NaN, infinities and cut gradients."""

import linecache
import sys
from contextlib import ContextDecorator
from typing import Any
from weakref import WeakKeyDictionary

import jax
import numpy as np

from sporax._src.core import context
from sporax._src.core.errors import is_users, warn
from sporax._src.core.hooks import hooks
from sporax._src.core.to_host import on_host
from sporax._src.core.value import Aval, thread
from sporax._src.diagnosis.rules import message, rejection, require
from sporax._src.runtime.engine.operation import Pullback
from sporax._src.runtime.engine.recorder import Recorder, run_pending
from sporax._src.transforms.autodiff.backward import TapeScope
from sporax._src.transforms.autodiff.debug.input_names import named_inputs, tensor_paths
from sporax._src.transforms.autodiff.grad import Derivative
from sporax._src.transforms.autodiff.tape import MUTED, PythonDerivative, active_tape

_BACKWARD = {TapeScope.gradients.__code__, Derivative._walk.__code__}


class Origin:
    """The call site of an operation: file, line, path of the Cell, forward or backward."""

    __slots__ = ("backward", "cell", "file", "line")

    def __init__(self):
        frames, frame = [], sys._getframe(1)
        while frame is not None:
            frames.append(frame)
            frame = frame.f_back
        user = next((f for f in frames if is_users(f)), None)
        self.file, self.line = (
            ("?", 0) if user is None else (user.f_code.co_filename, user.f_lineno)
        )
        self.backward = any(f.f_code in _BACKWARD for f in frames)
        self.cell = hooks.path_of_cell(frames)

    def __str__(self):
        source = linecache.getline(self.file, self.line).strip()
        where = f"{self.file}:{self.line}" + (f": {source}" if source else "")
        return f"{where} (in cell {self.cell})" if self.cell else where


class Watcher(Recorder):
    """A recorder of traces of one operation, whose results are checked as soon as it has run."""

    __slots__ = ("operands",)
    immediate = True

    def __init__(self, tracer=None):
        super().__init__(tracer)
        self.operands = []
        if tracer is None:
            self.on_record = self.run_and_check

    def operand_key(self, value, handle=None):
        key = super().operand_key(value, handle)
        if key.__class__ is Aval:  # its first occurrence among the operands
            self.operands.append(value)
        return key

    def run_and_check(self):
        """Run the recorded operation and check its results."""
        state = self.state
        outs = [out for output in self.outputs if (out := output()) is not None]
        self.run()
        thread.watch.saw(state, self.operands, outs)


class Watch:
    """State of the mode: the origin of each Value, and the operations of a derivative."""

    def __init__(self):
        self.origins: Any = WeakKeyDictionary()
        self.tape, self.steps, self.said = None, [], set()

    def saw(self, state, operands, outs):
        """Record and check the last operation of a trace, which has run; `operands`: each once."""
        op, origin = state.op, Origin()
        for out in outs:
            self.origins[out] = origin
        tape = active_tape()
        if tape is not None:
            if tape is not self.tape:
                self.tape, self.steps = tape, []
            self.steps.append((op, operands, outs, origin))
        for out in outs:
            bad = _anomaly(op, operands, out)
            if bad is not None:
                positions = [i for i, slot in enumerate(state.key[1:]) if slot.__class__ is Aval]
                indexed = list(zip(positions, operands, strict=True))
                raise self._error(op, indexed, out, bad, origin)

    def _error(self, op, indexed, out, bad, origin):
        array = _elements(out)
        is_bad = np.isnan(array) if bad == "NaN" else np.isinf(array)
        first = list(map(int, np.argwhere(is_bad)[0]))
        operands = [v for _, v in indexed]
        came = any(_has(v, bad) for v in operands)
        pulled = isinstance(op, Pullback)
        is_backward = pulled or origin.backward
        forward = self._forward(op, operands) if pulled else None
        fields = {
            "op": _name(op), "bad": bad, "count": is_bad.sum(), "size": is_bad.size,
            "first": message("first-at", place=first) if first else "",
            "way": message("backward-pass" if is_backward else "forward-pass"),
            "at": message("of-operation-at" if pulled else "at-place", place=forward or origin),
        }  # fmt: skip
        names = list(op.primal.operands if pulled else op.operands)
        if pulled:
            names += ["the arriving gradient"] * len(op.outputs)
        ranges = [f"    {_range(v, names, i)}" for i, v in indexed]
        rule = "finite-results-given" if came else "finite-results"
        return rejection(rule, ranges="\n".join(ranges), **fields)

    def _entries(self):
        return () if self.tape is None else self.tape.entries

    def _forward(self, op, operands):
        """Return the origin of the operation that `op` differentiates; None if not recorded."""
        while isinstance(op, Pullback):
            array_ids = {id(v.array) for v in operands}
            entries = [
                (values, out)
                for entry, values, out in self._entries()
                if entry is op.primal and all(_known(v, array_ids) for v in values)
            ]
            if not entries:
                return None
            op, (operands, out) = op.primal, entries[-1]
        return self.origins.get(out[0] if isinstance(out, tuple) else out)

    # cut gradients ------------------------------------------------------------------------

    def zero(self, derivative, args, kwargs, positions, values, cotangents):
        """Warn once about each variable of a derivative whose gradient is zero because the output
        does not depend on it."""
        inputs = [*named_inputs(derivative.fn, args), *kwargs.items()]
        names = [f"'{path}'" for path in tensor_paths([inputs[i] for i in positions])]
        names += [f"Parameter '{p.name}'" for p in derivative.weights]
        what = getattr(derivative.fn, "__code__", type(derivative.fn))
        for name, value, cotangent in zip(names, values, cotangents, strict=True):
            if cotangent is None and (what, name) not in self.said:
                self.said.add((what, name))
                warn(
                    f"For '{derivative.who}', the gradient of {name} is zero because the output "
                    f"does not depend on it: {self._why(value)}",
                )

    def _why(self, value):
        if not value.tracked:
            return "it requires no gradient, or is of a dtype that has none."
        cuts, last = self._cuts(value)
        if cuts:
            return f"{cuts[0]}."
        used = "no operation uses it" if last is None else f"it was used last by {last}"
        return (
            f"{used}. Numbers taken out of a Tensor (asnumpy, float, item, NumPy) end the "
            "dependence; compute with Tensor operations."
        )

    def _cuts(self, value):
        """Return (descriptions of what cuts the dependence on a value, its last use)."""
        steps = list(self.steps)
        for op, operands, out in self._entries():
            if isinstance(op, PythonDerivative):
                steps.append((op, operands, out if isinstance(out, tuple) else (out,), None))
        reached, before = {id(value)}, 0
        while len(reached) > before:
            before = len(reached)
            for _, operands, outs, _ in steps:
                if any(id(v) in reached for v in operands):
                    reached.update(id(out) for out in outs if out.tracked)
        cuts, last = [], None
        for op, operands, outs, origin in steps:
            if not any(id(v) in reached for v in operands):
                continue
            if origin is None:
                cuts.append(f"the derivative in '{op.who}' gives none")
            elif any(out.tracked for out in outs):
                last = f"'{op.name}' at {origin}"
            elif not origin.backward:
                cuts.append(f"'{op.name}' lets no derivative through at {origin}")
        return cuts, last


def _known(value, array_ids):
    return value.aval.weak or id(value.array) in array_ids


def _name(op):
    return message("derivative-of", name=_name(op.primal)) if isinstance(op, Pullback) else op.name


def _anomaly(op, operands, out):
    """Return "NaN" or "Inf" if in the output; None for infinities of operands or attributes."""
    if not out.aval.inexact or out.array is None:
        return None
    array = _elements(out)
    if np.isfinite(array).all():
        return None
    if np.isnan(array).any():
        return "NaN"
    is_infinite_attribute = any(
        v in (float("inf"), -float("inf")) for v in op.attributes.values() if isinstance(v, float)
    )
    return None if is_infinite_attribute or any(_has(v, "Inf") for v in operands) else "Inf"


def _elements(value):
    """Return the elements of a Value, including the Value of a Python number."""
    array = value.array
    return on_host(array) if isinstance(array, jax.Array) else np.asarray(array)


def _has(value, what):
    if not value.aval.inexact:
        return False
    array = _elements(value)
    return bool((np.isnan(array) if what == "NaN" else np.isinf(array)).any())


def _range(value, names, i):
    """Describe an operand for a message: name, dtype, shape, minimum and maximum."""
    name = names[i] if i < len(names) else f"operand {i}"
    name = name if " " in name else f"'{name}'"
    array, aval = _elements(value), value.aval
    kind = "a Python number" if aval.weak else f"{aval.dtype.name} {aval.shape}"
    if not array.size or array.dtype.kind == "c":
        return f"{name}: {kind}"
    low, high = float(array.min()), float(array.max())
    return f"{name}: {kind}, " + (f"{low:.6g}" if array.size == 1 else f"{low:.6g} to {high:.6g}")


class AnomalyMode(ContextDecorator):
    """The context manager and decorator that `detect_anomaly` returns."""

    def __init__(self, enabled):
        self.enabled, self.before = enabled, []

    def __enter__(self):
        require(thread.recorder.tracer is None, "mode-begin-outside-captured", "detect_anomaly")
        self.before.append((thread.watch, thread.recorder_class, thread.tape))
        if self.enabled:
            run_pending()
            thread.watch = thread.watch or Watch()
            # a muted tape: functions that `jit` would capture are called directly
            thread.tape = MUTED if thread.tape is None else thread.tape
            _record_by(Watcher)
        else:
            thread.watch = None
            _record_by(None)

    def __exit__(self, *exception):
        thread.watch, recorder, tape = self.before.pop()
        thread.tape = tape
        _record_by(recorder)


def _record_by(kind):
    run_pending()
    thread.recorder_class = kind
    thread.recorder = thread.new_recorder()


def detect_anomaly(enabled: bool = True) -> AnomalyMode:
    """Raise FloatingPointError at the first NaN or infinity in a block or decorated function.

    Each operation runs at its own line, forward and backward, in functions passed to `jit` too, and
    its result is checked: slow, for debugging. The error names the operation, the Cell, the line
    (in the backward pass: the line of the differentiated operation) and the operands. An infinity
    is accepted if an operand has one, or an attribute is infinite (a mask of `-inf`).

    A gradient that is zero because the output does not depend on an input or Parameter (the graph
    was cut by `stop_gradient`, integers, NumPy) raises a RuntimeWarning, once each, with the cause
    if it is known.

    Applies to the calling thread; `set_context(detect_anomaly=True)` enables it permanently.
    `enabled=False` disables it in the block.

    >>> with detect_anomaly():
    ...     ops.log(Tensor([1.0, -1.0]))
    Traceback (most recent call last):
    FloatingPointError: For 'detect_anomaly', the results must be finite, but 'Log' made NaN in ...
    """
    return AnomalyMode(enabled)


_for_good = []


def _switch(on):
    if on and not _for_good:
        _for_good.append(AnomalyMode(True))
        _for_good[0].__enter__()
    elif not on and _for_good:
        _for_good.pop().__exit__()


context.when_set("detect_anomaly", _switch)
