"""Functions of the user's that see, and may replace, gradients on their way back."""

import itertools

from sporax.autodiff.custom import checked
from sporax.autodiff.tape import MUTED, PythonDerivative, variable
from sporax.core.tensor import Tensor
from sporax.core.value import thread
from sporax.engine.recorder import wrap

_numbers = itertools.count()


def check_callable(who, hook_fn):
    """Refuse what cannot be called."""
    if not callable(hook_fn):
        raise TypeError(
            f"For '{who}', 'hook_fn' must be a function, but got {type(hook_fn).__name__}."
        )


class HookHandle:
    """What a registration returns; `remove()` ends it."""

    def __init__(self, remove):
        self._remove = remove

    def remove(self):
        """Take the hook away; a second time has no effect."""
        remove, self._remove = self._remove, None
        if remove is not None:
            remove()


class Hooks:
    """The hooks of one Tensor, in the order of their registration."""

    def __init__(self):
        self.functions = {}

    def __reduce__(self):
        return Hooks, ()  # a copy or a file has the Tensor without its hooks

    def add(self, hook_fn):
        """One more; returns its handle."""
        key = next(_numbers)
        self.functions[key] = hook_fn
        return HookHandle(lambda: self.functions.pop(key, None))

    def run(self, cotangent):
        """The cotangent (a Value) after all hooks."""
        for hook_fn in list(self.functions.values()):
            result = hook_fn(wrap(cotangent))
            if result is not None:
                cotangent = checked(
                    "register_hook", "the tensor", cotangent.aval, result, exact=True
                )
        return cotangent


def register_hook(self, hook_fn):
    """Call `hook_fn(grad)` when a derivative has found this tensor's whole gradient.

    It may return another gradient of the same shape; several hooks are called one after the
    other. Returns a handle whose `remove()` ends it. Where the tensor is an argument or a
    Parameter, the hook acts in every derivative with respect to it.

    >>> def double(x):
    ...     y = x * 1.0
    ...     y.register_hook(lambda g: g * 2)
    ...     return y
    >>> grad(double)(Tensor([3.0])).asnumpy()
    array([2.], dtype=float32)
    """
    check_callable("register_hook", hook_fn)
    hooks = self.__dict__.setdefault("_hooks", Hooks())
    tape, value = thread.tape, self._lift()
    if tape is not None and tape is not MUTED and value.watched:
        tape.hooks[id(value)] = value, hooks
    return hooks.add(hook_fn)


def hooks(self):
    """The functions registered by `register_hook`."""
    found = self.__dict__.get("_hooks")
    return [] if found is None else list(found.functions.values())


for _method in (register_hook, hooks):
    setattr(Tensor, _method.__name__, _method)


def hooks_of(handles, values):
    """`{id(value): (value, its Hooks)}` of the handles that have hooks."""
    found = {}
    for handle, value in zip(handles, values, strict=True):
        registered = getattr(handle, "_hooks", None)
        if registered is not None and registered.functions:
            found[id(value)] = value, registered
    return found


class Gate(PythonDerivative):
    """Lets values through as they are, and their cotangents by way of a function.

    `function`: `[Tensor or None, ...] -> [Tensor or None, ...]`, one for each value. `who` and
    `names`: for messages.
    """

    __slots__ = ("function", "names", "who")

    def __init__(self, who, names, function):
        self.who, self.names, self.function = who, names, function

    def through(self, tensors):
        """The same Tensors as outputs of one entry of the tape; None if none is watched."""
        tape = thread.tape
        if tape is None or tape is MUTED:
            return None
        operands = [t._lift() for t in tensors]
        if True not in [v.watched for v in operands]:
            return None
        thread.tape, tape.python = MUTED, True
        try:
            outs = tuple([variable(v) for v in operands])
        finally:
            thread.tape = tape
        tape.append((self, operands, outs))
        return tuple([wrap(v) for v in outs])

    def backward(self, operands, outs, arriving):
        """What the function makes of the cotangents, checked."""
        given = [wrap(arriving[i]) if i in arriving else None for i in range(len(outs))]
        found = self.function(given)
        return [
            None if g is None else checked(self.who, f"{self.names} {i}", v.aval, g, exact=True)
            for i, (v, g) in enumerate(zip(operands, found, strict=True))
        ]


def replaced(who, names, given, result):
    """The gradients after a hook: as they were where it returns None, else what it returns."""
    if result is None:
        return given
    result = list(result) if isinstance(result, (tuple, list)) else [result]
    if len(result) != len(given):
        raise ValueError(
            f"For '{who}', a hook must return None or a gradient for each {names}, {len(given)}, "
            f"but got {len(result)}."
        )
    return result
