"""User-defined derivatives: a Cell's `bprop`, and `Function`."""

from typing import Any

from sporax._src.capture.staging.host_calls import through
from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import itself, map_tensors, tensors_of, unflatten
from sporax._src.core.value import thread
from sporax._src.diagnosis.rules import message, rejection, require
from sporax._src.runtime.engine.recorder import wrap
from sporax._src.transforms.autodiff.bprop_signature import LAST, planned
from sporax._src.transforms.autodiff.saved_tensors import Packed
from sporax._src.transforms.autodiff.tape import (
    MUTED,
    PythonDerivative,
    active_tape,
    variable,
    zeros_like,
)


def _nothing(item):
    return None


class CustomVjp(PythonDerivative):
    """Differentiates a call of a user function with a second, user-supplied function.

    `args`, `kwargs`: the arguments of the call; `tensors`: the Tensors in them. `result`: its
    result; `handles`: the Tensors in it. `packed`: the Values of all these, if hooks pack them.
    `on_host`: whether a captured function made the call on the host.
    """

    __slots__ = ("args", "handles", "kwargs", "on_host", "packed", "result", "tensors")

    def inputs(self, operands):
        """Return (args, kwargs) with the Values at the time of the call."""
        return with_values((self.args, self.kwargs), self.tensors, operands)

    def outputs(self, out):
        """Return the result with the Values at the time of the call."""
        if out.__class__ is not tuple:
            return _same_or_new(self.handles[0], out)
        return with_values(self.result, self.handles, out)

    def call_captured(self, function, args, kwargs):
        """Call a backward function in a captured function. If the forward function was called on
        the host, so is this one: its state besides the arguments comes from there."""
        is_last = thread.tape is None or thread.tape.depth == 1  # it is not differentiated
        return through(function, function, args, kwargs, self.on_host, is_last)[0]

    def pack(self, operands, outs):
        """Return the packed Values that the derivative needs, if they are kept here."""

    def cut(self):
        """Return the ids of the handles of outputs that are not differentiated."""
        return ()


def with_values(obj, handles, values):
    """Return the containers with Tensors of these Values: the same handles where unchanged."""
    pairs = zip(handles, values, strict=False)
    if all([handle._value is value for handle, value in pairs]):
        return obj
    pairs = zip(handles, values, strict=False)
    return map_tensors(lambda _: _same_or_new(*next(pairs)), obj)


def _same_or_new(handle, value):
    return handle if handle._value is value else wrap(value)


def _unpacked(obj):
    """Return (the Tensors in a tuple, the tuple with its containers copied against mutation)."""
    tensors = []
    for item in obj:
        if isinstance(item, Tensor):
            tensors.append(item)
        elif isinstance(item, _CONTAINERS) and item:
            return tensors_of(obj), map_tensors(itself, obj)
    return tensors, obj


_CONTAINERS = (tuple, list, dict)


def differentiated_by(derivative, function, args, kwargs, parameters=()):
    """Call `function(*args, **kwargs)`, with `derivative` as its derivative.

    The operands are the Tensors in the arguments, then the `parameters`.
    """
    tape, recorder = thread.tape, thread.recorder
    if len(args) == 1 and not kwargs and isinstance(args[0], Tensor):
        tensors, containers = args, args
    else:
        tensors, containers = _unpacked((args, kwargs) if kwargs else args)
    operands = [h._lift() for h in tensors]
    if parameters:
        operands += [p._lift() for p in parameters]
    before = recorder.state
    thread.tape = MUTED  # `paused`, inlined for speed
    try:
        if recorder.tracer is None:
            result, derivative.on_host = function(*args, **kwargs), False
        else:
            result, derivative.on_host = through(function, function, args, kwargs)
        tracked = True in [v.tracked for v in operands]
        result, handles, outs = _attach(result, recorder, before.size, tracked, derivative.cut())
    finally:
        thread.tape = tape
        tape.custom_spans.append((before.depth, thread.recorder.state.depth))
    if tracked and outs:
        derivative.tensors, derivative.handles = tensors, handles
        derivative.args, derivative.kwargs = containers if kwargs else (containers, kwargs)
        alone = isinstance(result, Tensor)
        derivative.result = result if alone else map_tensors(itself, result)
        derivative.packed = None if thread.saving is None else derivative.pack(operands, outs)
        tape.record_python(derivative, operands, outs[0] if alone else tuple(outs))
    return result


def _attach(result, recorder, first, tracked, cut):
    """Return the result, its Tensors and their Values: each Tensor has its own Value, which is
    tracked if `tracked` (never if its handle is in `cut`)."""
    if result.__class__ is Tensor:
        value = result._value
        if value.trace is recorder is thread.recorder and value.index >= first:
            value.tracked = tracked and value.aval.differentiable and id(result) not in cut
            return result, [result], [value]
    seen, outs, changed = set(), [], False
    handles = [result] if isinstance(result, Tensor) else tensors_of(result)
    for i, handle in enumerate(handles):
        value = handle._lift()
        mine = value.trace is recorder is thread.recorder and value.index >= first
        if not mine or id(value) in seen:
            value, changed = variable(value), True
            handles[i] = wrap(value)
        seen.add(id(value))
        value.tracked = tracked and value.aval.differentiable and id(handle) not in cut
        outs.append(value)
    if changed:
        result = unflatten(result, handles)
    return result, handles, outs


class CellBprop(CustomVjp):
    """The derivative of a Cell, computed by its `bprop`."""

    __slots__ = ("cell", "parameters")

    def __init__(self, cell, parameters):
        self.cell, self.parameters = cell, parameters

    @property
    def who(self):
        """The name in messages."""
        return f"{type(self.cell).__name__}.bprop"

    def backward(self, operands, out, arriving):
        """Call `bprop`; returns its gradients in the order of the operands."""
        values, outs = (operands, out) if self.packed is None else self._unpacked(operands, out)
        (args, kwargs), bprop = self.inputs(values), self.cell.bprop
        plan = planned(self.cell, bprop, args, kwargs)
        dout = cotangents(self.result, out, arriving)
        positional, named = plan.arguments(args, kwargs, self.outputs(outs), dout)
        try:
            if thread.recorder.tracer is None:
                result = bprop(*positional, **named)
            else:
                result = self.call_captured(bprop, positional, named)
        except NameError as error:
            plan.explain(error)
            raise
        if plan.direct and not self.parameters:
            is_bare = isinstance(result, Tensor) and operands[0].aval.inexact
            gradients = (result,) if is_bare else result
            is_tuple = gradients.__class__ is tuple
            values = _one_for_one(operands, args, gradients) if is_tuple else None
            if values is not None:
                return values
        inputs = plan.inputs(args, kwargs)
        result, by_parameter = self._split(result, inputs)
        values = collect(self.who, result, inputs, tensors_of((args, kwargs)))
        return values + self._of_parameters(by_parameter, operands[len(values) :])

    def pack(self, operands, outs):
        """Pack inputs and outputs."""
        return Packed(list(enumerate((*operands[: len(self.tensors)], *outs))))

    def _unpacked(self, operands, out):
        count, outs = len(self.tensors), out if out.__class__ is tuple else (out,)
        values = self.packed.restored((*operands[:count], *outs))
        return values[:count], tuple(values[count:]) if out.__class__ is tuple else values[-1]

    def _split(self, result, inputs):
        """Split a result into (the inputs' gradients, {parameter: gradient})."""
        if isinstance(result, (tuple, list)) and len(result) == 2 and isinstance(result[1], dict):
            a_dict = len(inputs) == 2 and isinstance(inputs[1][1], dict)
            if self.parameters or not a_dict:
                return result
        if isinstance(result, (tuple, list)) and len(result) == len(inputs) + len(LAST):
            result = result[: len(inputs)]  # one per parameter of `bprop`, with `out` and `dout`
        return result, {}

    def _of_parameters(self, by_parameter, values):
        own = {id(p) for p in self.parameters}
        by_id = {id(p): g for p, g in by_parameter.items()}
        for p in by_parameter:
            if id(p) not in own:
                name = p.name if isinstance(p, Parameter) else repr(p)
                raise rejection("key-dict-returns-parameter", self.who, got=name)
        gradients = []
        for p, value in zip(self.parameters, values, strict=True):
            if id(p) not in by_id and value.tracked:
                raise rejection("dict-returns-gradient-self", self.who, name=p.name)
            gradient = by_id.get(id(p))
            gradients.append(
                None if gradient is None else checked(self.who, p.name, value.aval, gradient)
            )
        return gradients


def _one_for_one(operands, args, gradients):
    """Return the Values of the gradients in the usual case: each argument is a Tensor, and its
    gradient has the same shape and dtype, or is None. Else None."""
    if not len(operands) == len(args) == len(gradients):
        return None
    values = []
    for operand, arg, gradient in zip(operands, args, gradients, strict=True):
        if gradient is None:
            values.append(None)
        elif gradient.__class__ is Tensor and gradient._value.aval is operand.aval:
            values.append(gradient._lift())
        else:
            return None
        if not isinstance(arg, Tensor):
            return None
    return values


def call_with_bprop(cell, *args, **kwargs):
    """Call `construct`, with the cell's `bprop` as its derivative."""
    if active_tape() is None:
        return cell.construct(*args, **kwargs)
    parameters = cell.__dict__.get("internal_params") or ()
    if not isinstance(parameters, (list, tuple)):
        raise rejection(
            "must-be-type",
            type(cell).__name__,
            internal_params=parameters,
            kind="a-list-of-parameters",
        )
    return differentiated_by(CellBprop(cell, parameters), cell.construct, args, kwargs, parameters)


def cotangents(result, out, arriving, zeros=True):
    """Return the containers of the outputs with their cotangents; None for items that are not
    Tensors, and for absent cotangents unless `zeros`."""
    if out.__class__ is not tuple:
        return wrap(arriving)
    pairs = iter(zip(out, arriving, strict=True))

    def cotangent(_):
        value, arrived = next(pairs)
        if arrived is not None:
            return wrap(arrived)
        return wrap(zeros_like(value)) if zeros else None

    return map_tensors(cotangent, result, _nothing)


def collect(who, result, inputs, handles):
    """Return the gradient (a Value or None) of each of the `handles`, the Tensors in the inputs.

    `result`: what a backward function returned. A bare Tensor is the gradient of the only floating
    Tensor, or of the only Tensor. A tuple has one for each input, or for each that holds Tensors.
    `inputs`: (name, argument) pairs.
    """
    holding = [(name, argument) for name, argument in inputs if tensors_of(argument)]
    if isinstance(result, Tensor):
        every = [(n, t) for n, argument in holding for t in tensors_of(argument)]
        inputs = [(n, t) for n, t in every if t._value.aval.inexact] or every
        result = (result,)[: len(inputs)]
    if not isinstance(result, (tuple, list)):
        raise rejection("result-tensor-tuple-them", who, names=_names(inputs), got=result)
    chosen = inputs if len(result) == len(inputs) else holding
    fits, names, got = len(result) == len(chosen), _names(inputs), len(result)
    require(fits, "result-gradient-inputs", who, count=len(names), names=names, got=got)
    gradients: dict[int, list] = {}  # id(Tensor): one for each occurrence in the inputs, in order
    for (name, argument), gradient in zip(chosen, result, strict=True):
        _match(who, name, argument, gradient, gradients)
    return [gradients[id(h)].pop(0) if gradients.get(id(h)) else None for h in handles]


def _names(inputs):
    return [name for name, _ in inputs]


def _match(who, name, argument, gradient, gradients):
    """Record the gradient of each Tensor in `argument`, a Tensor or a container."""
    if isinstance(argument, Tensor):
        value = None if gradient is None else checked(who, name, argument._value.aval, gradient)
        gradients.setdefault(id(argument), []).append(value)
    elif isinstance(argument, (tuple, list)) and tensors_of(argument):
        items = [None] * len(argument) if gradient is None else gradient
        if not isinstance(items, (tuple, list)) or len(items) != len(argument):
            got = len(items) if isinstance(items, (tuple, list)) else type(items).__name__
            raise rejection(
                "gradient-input-tuple-input", who, name=name, count=len(argument), got=got
            )
        for i, (item, item_gradient) in enumerate(zip(argument, items, strict=True)):
            _match(who, f"{name}[{i}]", item, item_gradient, gradients)
    elif isinstance(argument, dict) and tensors_of(argument):
        items = {} if gradient is None else gradient
        if not isinstance(items, dict) or not items.keys() <= argument.keys():
            raise rejection("gradient-input-dict-keys", who, name=name, keys=argument, got=gradient)
        for key, item in argument.items():
            _match(who, f"{name}[{key!r}]", item, items.get(key), gradients)


def checked(who, name, aval, gradient, by=None) -> Any:
    """Return the Value of a gradient for an input of that aval; None if it has no gradient.

    Another floating dtype is converted. Unless the gradient comes from a hook (`by`, for messages),
    integers are converted too, and a gradient that the input broadcasts to is summed to the input's
    shape. Any other mismatch raises an error.
    """
    if not aval.differentiable:
        return None
    if gradient.__class__ is Tensor and gradient._value.aval is aval:
        return gradient._lift()
    shape, exact = aval.shape, by is not None
    if not isinstance(gradient, Tensor):
        by = _from(by)
        raise rejection("gradient-tensor-shape", who, name=name, shape=shape, got=gradient, by=by)
    got, added = gradient._lift().aval, ()
    if got.shape != aval.shape:
        added = None if exact else _added_axes(aval.shape, got.shape)
        if added is None:
            by = _from(by)
            raise rejection("gradient-shape", who, name=name, shape=shape, got=got.shape, by=by)
    if got.dtype != aval.dtype and aval.inexact:
        wanted = dtypes.from_numpy(aval.dtype)
        other = (got.dtype.kind == "c") != (aval.dtype.kind == "c")
        if other or (exact and not got.inexact):
            got, by = gradient.dtype, _from(by)
            raise rejection("gradient", who, name=name, wanted=wanted, got=got, by=by)
        gradient = gradient.astype(wanted)
    if added:
        gradient = _summed(gradient, added, aval.shape)
    return gradient._lift()


def _from(by):
    return "" if by is None else message("from-function", name=by)


def _summed(gradient: Any, axes, shape):
    # `ops` attaches these methods to Tensor
    return gradient.sum(axes).reshape(shape)


def _added_axes(shape, wider):
    """Return the axes along which broadcasting `shape` to `wider` repeats; None if that fails."""
    first = len(wider) - len(shape)
    if first < 0:
        return None
    pairs = list(enumerate(zip(shape, wider[first:], strict=True), first))
    if any(own not in (1, size) for _, (own, size) in pairs):
        return None
    return (*range(first), *(axis for axis, (own, size) in pairs if own != size))
