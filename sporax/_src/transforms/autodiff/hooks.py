"""Hooks: user functions that receive, and may replace, gradients in the backward pass."""

import itertools
from typing import Any

from sporax._src.core.hooks import hooks as core_hooks
from sporax._src.core.tensor import Tensor, attach, falls_back
from sporax._src.core.value import Aval, Changes, thread
from sporax._src.diagnosis.rules import message, rejection, require
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import pending_value, record, wrap
from sporax._src.runtime.storage.lending import scopes
from sporax._src.transforms.autodiff.custom_vjp import checked
from sporax._src.transforms.autodiff.tape import PythonDerivative, active_tape, variable

_numbers = itertools.count()


def check_callable(who, hook_fn):
    """Raise TypeError if `hook_fn` is not callable."""
    require(callable(hook_fn), "must-be-type", who, hook_fn=hook_fn, kind="a-function")


def name_of(hook_fn):
    """Return the name of a hook for messages."""
    name = getattr(hook_fn, "__qualname__", None) or type(hook_fn).__name__
    return message("the-hook", name=name)


class HookHandle:
    """The handle of a registered hook; `remove()` unregisters it."""

    def __init__(self, remove):
        self._remove = remove

    def remove(self):
        """Unregister the hook; a second call has no effect."""
        remove, self._remove = self._remove, None
        if remove is not None:
            remove()


class Hooks:
    """The hooks of one Tensor, in the order of their registration."""

    def __init__(self):
        self.functions = {}

    def __reduce__(self):
        return Hooks, ()  # a copied or saved Tensor has no hooks

    def add(self, hook_fn):
        """Add a hook; returns its handle."""
        key = next(_numbers)
        self.functions[key] = hook_fn
        Changes.count += 1
        return HookHandle(lambda: self._remove(key))

    def _remove(self, key):
        Changes.count += 1
        self.functions.pop(key, None)

    def run(self, cotangent, is_wanted=False):
        """Return the cotangent (a Value) after all hooks, as a Tensor. Those of a variable may
        change the shape, e.g. to return the part of the gradient that this rank updates."""
        gradient = wrap(cotangent)
        for hook_fn in list(self.functions.values()):
            result = hook_fn(gradient)
            if result is not None:
                by, aval = name_of(hook_fn), cotangent.aval
                if is_wanted and isinstance(result, Tensor):
                    aval = Aval.intern(result._value.aval.shape, aval.dtype)
                value = checked("register_hook", "the tensor", aval, result, by)
                is_it = isinstance(result, Tensor) and result._value is value
                gradient = result if is_it else wrap(value)
        return gradient


def register_hook(self, hook_fn) -> Any:
    """Call `hook_fn(grad)` when a derivative has computed this tensor's whole gradient.

    It may return another gradient of the same shape; several hooks are called one after the
    other. Returns a handle whose `remove()` unregisters it. If the tensor is an argument or a
    Parameter, the hook applies to every derivative with respect to it. Raises RuntimeError for a
    Parameter that requires no gradient.

    >>> def double(x):
    ...     y = x * 1.0
    ...     y.register_hook(lambda g: g * 2)
    ...     return y
    >>> grad(double)(Tensor([3.0])).asnumpy()
    array([2.], dtype=float32)
    """
    check_callable("register_hook", hook_fn)
    is_trained = getattr(self, "requires_grad", True)
    require(is_trained, "hook-requires-grad", "register_hook")
    hooks = self.__dict__.setdefault("_hooks", Hooks())
    tape, value = active_tape(), self._lift()
    if tape is not None and value.tracked:
        tape.hooks[id(value)] = value, hooks
    return hooks.add(hook_fn)


def hooks(self) -> list:
    """Return the functions registered by `register_hook`.

    >>> x = Tensor([1.0])
    >>> handle = x.register_hook(lambda g: g * 2)
    >>> len(x.hooks())
    1
    """
    registered = self.__dict__.get("_hooks")
    return [] if registered is None else list(registered.functions.values())


for _method in (register_hook, hooks):
    attach(_method.__name__, _method)


class _NewData(PythonDerivative):
    """The gradient with respect to the new data is the tensor's, also of another shape."""

    __slots__ = ()

    def backward(self, operands, out, arriving):
        return (arriving,)


_new_data = _NewData()


def update_data(self, data):
    """Replace the data, as `assign_value`; the tensor stays the same variable of a derivative."""
    before, now = self._lift(), core_hooks.detached(data._lift())
    # also where nothing is differentiated, as in a function under `no_grad`
    open_tapes = [s.tape for s in scopes if s.context is thread.context and hasattr(s, "tape")]
    if open_tapes and before.tracked:
        now = variable(now)
        now.tracked = True
        open_tapes[-1].record_python(_new_data, (before,), now)
    return self._replace(now)


attach("_update_data", update_data)


class _Inside:
    """A gate as the operation that `__fallback__` gets; `out`: its Values on the tape."""

    name, out = "CellBackwardHook", None

    def __init__(self, gate):
        self.gate = gate

    def __call__(self, *tensors):
        passed, self.out = self.gate.through(tensors)
        return passed


class Gate(PythonDerivative):
    """Passes values through unchanged, and their cotangents through user functions."""

    __slots__ = ()
    is_in_trace = True

    def answer(self, out, gradients) -> Any:
        """Return the gradients after the functions, given the `gradients` of the gate's output
        `out`: tuples of Tensors and None."""
        raise NotImplementedError

    def backward(self, operands, out, arriving):
        """Return the cotangents that the functions return, checked."""
        if out.__class__ is tuple:
            gradients = tuple([None if ct is None else wrap(ct) for ct in arriving])
        else:
            gradients, arriving = (wrap(arriving),), (arriving,)
        answers = self.answer(out, gradients)
        if answers is gradients:
            return arriving
        return [None if g is None else g._lift() for g in answers]

    def through(self, tensors):
        """Return the same Tensors behind the gate, and their Values on the tape; None if they are
        not differentiated."""
        tape = active_tape()
        if tape is None:
            return None
        if len(tensors) == 1:
            gated = self.through_alone(tape, tensors[0])
            return None if gated is None else ((gated,), gated._value)
        operands = [t._lift() for t in tensors]
        if True not in [v.tracked for v in operands]:
            return None
        if (falling := next(filter(falls_back, tensors), None)) is not None:
            return self._around(falling, tensors)
        out = record(_gates, *operands)
        tape.entries.pop()  # the gate's derivative replaces the operation's
        for value, operand in zip(out, operands, strict=True):
            value.tracked = value.tracked and operand.tracked
        tape.record_python(self, operands, out)
        return tuple([wrap(value) for value in out]), out

    def _around(self, falling, tensors):
        """Let a Tensor's `__fallback__` pass the tensors through the gate."""
        inside = _Inside(self)
        return falling.__fallback__(inside, tuple(tensors), {}), inside.out

    def through_alone(self, tape, tensor):
        """Return a single tracked Tensor behind the gate; else None.

        The part of `record` for a known operation is inlined, since calls of hooked Cells come here
        twice.
        """
        value, recorder = tensor._lift(), thread.recorder
        if not value.tracked:
            return None
        if falls_back(tensor):
            return self._around(tensor, (tensor,))[0][0]
        before = recorder.state
        state = before.next.get((_gate, value.index)) if value.trace is recorder else None
        if state is None:
            out = record(_gate, value)
            tape.entries.pop()
        else:
            recorder.state = state
            out = pending_value(recorder, value.aval, before.size, tracked=True)
            if recorder.on_record is not None:
                recorder.on_record()
        tape.record_python(self, (value,), out)
        gated = _new(Tensor)
        gated._value = out
        return gated


_new = object.__new__
_gate = Op("gradient.gate", lambda x: x)
_gate.alias = True
_gates = Op("gradient.gate", lambda *xs: xs)


def avals_of(out):
    """Return the avals of one or several Values."""
    return [v.aval for v in out] if out.__class__ is tuple else (out.aval,)


def replaced(who, hook_fn, name, avals, result):
    """Check the gradients that a hook returned: Tensors and None, one for each aval."""
    result = tuple(result) if isinstance(result, (tuple, list)) else (result,)
    if len(result) != len(avals):
        hook, n, got = name_of(hook_fn), len(avals), len(result)
        raise rejection("return-none-gradient", who, hook=hook, name=name, count=n, got=got)
    values = [
        None if gradient is None else checked(who, f"{name} {i}", aval, gradient, name_of(hook_fn))
        for i, (aval, gradient) in enumerate(zip(avals, result, strict=True))
    ]
    return tuple([None if value is None else wrap(value) for value in values])
