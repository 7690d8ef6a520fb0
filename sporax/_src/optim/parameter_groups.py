"""Parameter groups: per-parameter settings from groups."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.optim.learning_rate import built_rate, checked_decay, checked_rate
from sporax._src.runtime.engine.recorder import apply_all
from sporax._src.runtime.storage.views import write_all

KEYS = ("params", "lr", "weight_decay", "grad_centralization", "order_params")


class Entry(NamedTuple):
    """A parameter, its learning rate (Parameter or schedule), weight decay (float or Cell), and
    True if its gradient is centralized."""

    parameter: Parameter
    rate: object
    decay: object
    centralizes: bool


def parameters_of(who, name, params):
    """Return an argument as a non-empty list of Parameters or groups."""
    fits = not isinstance(params, Parameter) and isinstance(params, Iterable)
    require(fits, "list-parameters-groups-dicts", who, argument=name, got=params)
    params = list(params)
    require(params, "parameters-not-empty", who, argument=name)
    return params


def check_kinds(who, params):
    """Raise TypeError unless a list contains only Parameters or only groups."""
    for kind in (Parameter, dict):
        if all(isinstance(item, kind) for item in params):
            return
    kinds = sorted({type(item).__name__ for item in params})
    raise rejection("hold-parameters-groups-dicts", who, params=", ".join(kinds))


def check_unique(who, parameters, repeated: type[Exception] = ValueError):
    """Raise ValueError if two parameters share a name, and the error `repeated` if a parameter
    occurs twice."""
    first = {}
    for i, p in enumerate(parameters):
        first_index = first.setdefault(p.name, i)
        if first_index == i:
            continue
        if parameters[first_index] is p:
            raise rejection("parameter-once", who, repeated, name=p.name, at=first_index, i=i)
        raise rejection("names-parameters-differ-numbers", who, value=first_index, i=i, name=p.name)


def counted(who, gradients, parameters):
    """Return the gradients as a tuple or list, one per parameter."""
    if isinstance(gradients, Tensor) and len(parameters) == 1:
        return (gradients,)
    require(isinstance(gradients, (tuple, list)), "gradients-tuple-tensors", who, got=gradients)
    count, got = len(parameters), len(gradients)
    require(got == count, "gradient-parameters", who, count=count, got=got)
    return gradients


def refuse_shapes(who, gradients, parameters):
    """Raise an error if a gradient is not a Tensor of its parameter's shape."""
    for p, gradient in zip(parameters, gradients, strict=True):
        if not isinstance(gradient, Tensor):
            raise rejection("gradient-parameter-tensor", who, name=p.name, got=gradient) from None
        shape, got = p._value.aval.shape, gradient._value.aval.shape  # here, of a part of it
        if shape != got:
            fields = {"name": p.name, "shape": shape, "got": got}
            raise rejection("gradient-parameter-shape", who, **fields) from None


def update(who, gradients, parameters, updates, also):
    """Apply (operation, the handles that it updates, other operands) for each parameter, and write
    all changes together, if all succeed. `also`: (handle, Tensor) of other changes."""
    try:
        values = apply_all([(op, (*handles, *operands)) for op, handles, operands in updates])
    except ValueError:
        refuse_shapes(who, gradients, parameters)
        raise
    updated = [handle for _, handles, _ in updates for handle in handles]
    write_all([*((h, t._value) for h, t in also), *zip(updated, values, strict=True)])


def parse(who, groups, rate, decay, loss_scale):
    """Return the entries of all groups, in the order of 'order_params' if given."""
    entries, order, length = [], None, rate.size if getattr(rate, "ndim", 0) == 1 else None
    default = built_rate(rate, "learning_rate")
    for number, group in enumerate(groups):
        _check_keys(who, group)
        if "order_params" in group:
            order = parameters_of(who, "order_params", group["order_params"])
            continue
        parameters: Any = parameters_of(who, "params", group["params"])
        check_kinds_of_group(who, parameters)
        own = default
        if "lr" in group:
            checked = checked_rate(who, group["lr"])
            length = _same_length(who, checked, length)
            own = built_rate(checked, f"learning_rate_group_{number}")
        own_decay = checked_decay(who, group.get("weight_decay", decay), loss_scale)
        centralizes = group.get("grad_centralization", False)
        require(isinstance(centralizes, bool), "group-bool", who, grad_centralization=centralizes)
        entries += [Entry(p, own, own_decay, centralizes) for p in parameters]
    require(entries, "at-least-one-group-params", who)
    check_unique(who, [e.parameter for e in entries], repeated=RuntimeError)
    return entries if order is None else _ordered(who, entries, order)


def _check_keys(who, group):
    wrong = [key for key in group if key not in KEYS]
    require(not wrong, "keys-of-group", who, keys=KEYS, got=wrong)
    alone = "order_params" not in group or len(group) == 1
    require(alone, "group-order-params-no-other", who, got=", ".join(group))
    fits = "order_params" in group or "params" in group
    require(fits, "params-of-group", who, got=group)


def check_kinds_of_group(who, parameters):
    """Raise TypeError unless 'params' of a group contains only Parameters."""
    for i, p in enumerate(parameters):
        require(isinstance(p, Parameter), "group-hold-parameters", who, params=p, i=i)


def _same_length(who, rate, length):
    own = rate.size if getattr(rate, "ndim", 0) == 1 else None
    fits = None in (own, length) or own == length
    require(fits, "lists-learning-rates-equally", who, length=length, own=own)
    return own or length


def _ordered(who, entries, order):
    by_identity = {id(e.parameter): e for e in entries}
    if len(order) != len(entries) or {id(p) for p in order} != set(by_identity):
        names, items = [p.name for p in order], [e.parameter.name for e in entries]
        raise rejection("hold-same-parameters-groups", who, order_params=names, items=items)
    return [by_identity[id(p)] for p in order]
