"""Derivatives written by the user: a Cell's `bprop`, and `Function`."""

from typing import Any

from sporax.autodiff.binding import LAST, arguments, inputs_of
from sporax.autodiff.tape import MUTED, PythonDerivative, variable, zeros_like
from sporax.core import dtype as dtypes
from sporax.core.parameter import Parameter
from sporax.core.tensor import Tensor
from sporax.core.tree import map_tensors, tensors_of
from sporax.core.value import thread
from sporax.engine.host import through
from sporax.engine.recorder import wrap


def _itself(tensor):
    return tensor


def _nothing(item):
    return None


class Kept:
    """Containers of Tensors with the Values that these hold now.

    `again()` gives them back: the same handles where they have not changed since.
    """

    __slots__ = ("handles", "obj", "values")

    def __init__(self, obj, handles, values):
        self.obj, self.handles, self.values = obj, handles, values

    def again(self):
        """The containers with Tensors of the Values kept."""
        pairs = iter(zip(self.handles, self.values, strict=True))
        return map_tensors(lambda _: _same_or_new(*next(pairs)), self.obj)


def _same_or_new(handle, value):
    return handle if handle._value is value else wrap(value)


def _unpacked(obj):
    """(the Tensors in a tuple, the tuple with containers of its own that nobody changes)."""
    found = []
    for item in obj:
        if isinstance(item, Tensor):
            found.append(item)
        elif isinstance(item, _CONTAINERS) and item:
            return tensors_of(obj), map_tensors(_itself, obj)
    return found, obj


_CONTAINERS = (tuple, list, dict)


def differentiated_by(derivative, function, args, kwargs, parameters=()):
    """`function(*args, **kwargs)`, whose derivative is what `derivative` says.

    The operands are the Tensors in the arguments, then the `parameters`.
    """
    tape = thread.tape
    given, kept = _unpacked((args, kwargs) if kwargs else args)
    operands = [h._lift() for h in given]
    derivative.inputs = Kept(kept if kwargs else (kept, {}), given, operands)
    if parameters:
        operands = operands + [p._lift() for p in parameters]
    recorder = thread.recorder
    first = recorder.state.size
    tape.python = True
    thread.tape = MUTED
    try:
        if recorder.capture is None:
            result = function(*args, **kwargs)
        else:
            result, derivative.on_host = through(function, function, args, kwargs)
        watched = any([v.watched for v in operands])
        result, handles, outs = _attach(result, recorder, first, watched, derivative.cut())
    finally:
        thread.tape = tape
    if watched and outs:
        shape = result if isinstance(result, Tensor) else map_tensors(_itself, result)
        derivative.outputs = Kept(shape, handles, outs)
        tape.append((derivative, operands, tuple(outs)))
    return result


def _attach(result, recorder, first, watched, cut):
    """The result, its Tensors and their Values: each one Value that only it has, and that is
    watched or not as `watched` says (never, if its handle is one of `cut`)."""
    seen, outs, changed = set(), [], False
    handles = [result] if isinstance(result, Tensor) else tensors_of(result)
    for i, handle in enumerate(handles):
        value = handle._lift()
        mine = value.trace is recorder is thread.recorder and value.index >= first
        if not mine or id(value) in seen:
            value, changed = variable(value), True
            handles[i] = wrap(value)
        seen.add(id(value))
        value.watched = watched and value.aval.differentiable and id(handle) not in cut
        outs.append(value)
    if changed:
        made = iter(handles)
        result = map_tensors(lambda _: next(made), result)
    return result, handles, outs


class CellBprop(PythonDerivative):
    """The derivative of a Cell that its `bprop` computes."""

    __slots__ = ("cell", "inputs", "on_host", "outputs", "parameters")

    def __init__(self, cell, parameters):
        self.cell, self.parameters, self.on_host = cell, parameters, False

    @property
    def who(self):
        """The name that messages give it."""
        return f"{type(self.cell).__name__}.bprop"

    def cut(self):
        """All outputs are differentiated."""
        return ()

    def backward(self, operands, outs, arriving):
        """Call `bprop`, and put what it returns in the order of the operands."""
        args, kwargs = self.inputs.again()
        handles, bprop = tensors_of((args, kwargs)), self.cell.bprop
        dout = cotangents(self.outputs.obj, outs, arriving)
        inputs = inputs_of(self.cell.construct, bprop, args, kwargs)
        positional, named = arguments(self.who, bprop, inputs, self.outputs.again(), dout)
        if thread.recorder.capture is None:
            result = bprop(*positional, **named)
        else:
            result = backward_through(bprop, positional, named, self.on_host)
        result, by_parameter = self._split(result, inputs)
        found = collect(self.who, result, inputs)
        values = [found[id(h)].pop(0) if found.get(id(h)) else None for h in handles]
        return values + self._of_parameters(by_parameter, operands[len(handles) :])

    def _split(self, result, inputs):
        """(the inputs' gradients, {parameter: gradient})."""
        if isinstance(result, (tuple, list)) and len(result) == 2 and isinstance(result[1], dict):
            a_dict = len(inputs) == 2 and isinstance(inputs[1][1], dict)
            if self.parameters or not a_dict:
                return result
        if isinstance(result, (tuple, list)) and len(result) == len(inputs) + len(LAST):
            result = result[
                : len(inputs)
            ]  # one for each parameter of `bprop`, `out` and `dout` too
        return result, {}

    def _of_parameters(self, by_parameter, values):
        own = {id(p) for p in self.parameters}
        given = {id(p): g for p, g in by_parameter.items()}
        for p in by_parameter:
            if id(p) not in own:
                name = p.name if isinstance(p, Parameter) else repr(p)
                raise ValueError(
                    f"For '{self.who}', each key of the dict it returns must be a Parameter listed "
                    f"in 'self.internal_params', but got '{name}'. List it there."
                )
        gradients = []
        for p, value in zip(self.parameters, values, strict=True):
            if id(p) not in given and value.watched:
                raise ValueError(
                    f"For '{self.who}', the dict it returns must have a gradient for each of "
                    f"'self.internal_params', but got none for '{p.name}'. Return "
                    "(inputs' gradients, {parameter: gradient})."
                )
            gradient = given.get(id(p))
            gradients.append(
                None if gradient is None else checked(self.who, p.name, value.aval, gradient)
            )
        return gradients


def backward_through(function, args, kwargs, on_host):
    """A backward function's result, in a captured function. Where its forward one was called on the
    host, so is this: what it knows besides its arguments comes from there."""
    alone = thread.tape.depth == 1  # nobody asks for a derivative of it
    return through(function, function, args, kwargs, on_host, alone)[0]


def call_with_bprop(cell, *args, **kwargs):
    """`construct`, differentiated by the cell's own `bprop`."""
    if thread.tape is MUTED:
        return cell.construct(*args, **kwargs)
    parameters = cell.__dict__.get("internal_params") or ()
    if not isinstance(parameters, (list, tuple)):
        raise TypeError(
            f"For '{type(cell).__name__}', 'internal_params' must be a list of Parameters, but got "
            f"{type(parameters).__name__}."
        )
    return differentiated_by(CellBprop(cell, parameters), cell.construct, args, kwargs, parameters)


def cotangents(result, outs, arriving, zeros=True):
    """The containers of the outputs with their cotangents; None for what is no Tensor, and where
    none arrived unless `zeros`."""
    pairs = iter(enumerate(outs))

    def cotangent(_):
        i, value = next(pairs)
        if i in arriving:
            return wrap(arriving[i])
        return wrap(zeros_like(value)) if zeros else None

    return map_tensors(cotangent, result, _nothing)


def collect(who, result, inputs):
    """{id(Tensor): gradients (Values) for its places among the inputs, in order}.

    `inputs`: (name, what was given) of each. A bare Tensor is the gradient of the first floating
    Tensor. A tuple has one for each input, or for each that holds Tensors.
    """
    found: dict[int, list] = {}
    holding = [(name, given) for name, given in inputs if tensors_of(given)]
    if isinstance(result, Tensor):
        every = [(n, t) for n, given in holding for t in tensors_of(given)]
        able = [(n, t) for n, t in every if t._value.aval.inexact] or every
        if able:
            _match(who, *able[0], result, found)
        return found
    if not isinstance(result, (tuple, list)):
        raise TypeError(
            f"For '{who}', the result must be a Tensor or a tuple of them, a gradient for each of "
            f"{_list(inputs)}, but got {type(result).__name__}."
        )
    chosen = inputs if len(result) == len(inputs) else holding
    if len(result) != len(chosen):
        raise ValueError(
            f"For '{who}', the result must have a gradient for each of the {len(inputs)} inputs "
            f"{_list(inputs)}, but got {len(result)}. Give None where there is none."
        )
    for (name, given), gradient in zip(chosen, result, strict=True):
        _match(who, name, given, gradient, found)
    return found


def _list(inputs):
    return "(" + ", ".join(name for name, _ in inputs) + ")"


def _match(who, name, given, gradient, found):
    """Note the gradient of each Tensor in `given`, which is one or a container of them."""
    if isinstance(given, Tensor):
        value = None if gradient is None else checked(who, name, given._value.aval, gradient)
        found.setdefault(id(given), []).append(value)
    elif isinstance(given, (tuple, list)) and tensors_of(given):
        items = [None] * len(given) if gradient is None else gradient
        if not isinstance(items, (tuple, list)) or len(items) != len(given):
            got = len(items) if isinstance(items, (tuple, list)) else type(items).__name__
            raise ValueError(
                f"For '{who}', the gradient of input '{name}' must be a tuple of {len(given)}, as "
                f"the input is, but got {got}."
            )
        for i, (item, part) in enumerate(zip(given, items, strict=True)):
            _match(who, f"{name}[{i}]", item, part, found)
    elif isinstance(given, dict) and tensors_of(given):
        items = {} if gradient is None else gradient
        if not isinstance(items, dict) or not items.keys() <= given.keys():
            raise ValueError(
                f"For '{who}', the gradient of input '{name}' must be a dict with keys among "
                f"{list(given)}, as the input is, but got {gradient!r:.80}."
            )
        for key, item in given.items():
            _match(who, f"{name}[{key!r}]", item, items.get(key), found)


def checked(who, name, aval, gradient, exact=False) -> Any:
    """The Value of a gradient for an input of that aval; None for one that has no gradient.

    Another floating dtype is converted; unless `exact`, integers are too, and a gradient of a shape
    to which the input's broadcasts is summed to that. Anything else that differs is refused.
    """
    if not aval.differentiable:
        return None
    if not isinstance(gradient, Tensor):
        raise TypeError(
            f"For '{who}', the gradient of '{name}' must be a Tensor of shape {aval.shape}, but "
            f"got {type(gradient).__name__}. Give None if there is none."
        )
    got, added = gradient._lift().aval, ()
    if got.shape != aval.shape:
        added = None if exact else _added_axes(aval.shape, got.shape)
        if added is None:
            raise ValueError(
                f"For '{who}', the gradient of '{name}' must have its shape, {aval.shape}, but got "
                f"{got.shape}."
            )
    if got.dtype != aval.dtype and aval.inexact:
        wanted = dtypes.from_numpy(aval.dtype)
        other = (got.dtype.kind == "c") != (aval.dtype.kind == "c")
        if other or (exact and not got.inexact):
            raise TypeError(
                f"For '{who}', the gradient of '{name}' must be of {wanted}, but got "
                f"{gradient.dtype}. Convert it with 'astype'."
            )
        gradient = gradient.astype(wanted)
    if added:
        gradient = _summed(gradient, added, aval.shape)
    return gradient._lift()


def _summed(gradient: Any, axes, shape):
    # `ops` gives Tensor these methods
    return gradient.sum(axes).reshape(shape)


def _added_axes(shape, wider):
    """The axes along which broadcasting `shape` to `wider` repeats; None if that fails."""
    first = len(wider) - len(shape)
    if first < 0:
        return None
    pairs = list(enumerate(zip(shape, wider[first:], strict=True), first))
    if any(own not in (1, size) for _, (own, size) in pairs):
        return None
    return (*range(first), *(axis for axis, (own, size) in pairs if own != size))
