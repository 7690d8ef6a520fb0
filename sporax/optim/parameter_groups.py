"""Parameter groups: per-parameter settings from groups."""

from collections.abc import Iterable
from typing import NamedTuple

from sporax.core.parameter import Parameter
from sporax.core.tensor import Tensor
from sporax.optim.learning_rate import built_rate, checked_decay, checked_rate

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
    if isinstance(params, Parameter) or not isinstance(params, Iterable):
        raise TypeError(
            f"For '{who}', '{name}' must be a list of Parameters or of groups (dicts), but got "
            f"{type(params).__name__}. A network's are 'net.trainable_params()'."
        )
    params = list(params)
    if not params:
        raise ValueError(f"For '{who}', '{name}' must not be empty.")
    return params


def check_kinds(who, params):
    """Raise TypeError unless a list contains only Parameters or only groups."""
    for kind in (Parameter, dict):
        if all(isinstance(item, kind) for item in params):
            return
    kinds = sorted({type(item).__name__ for item in params})
    raise TypeError(
        f"For '{who}', 'params' must hold Parameters only or groups (dicts) only, but got "
        f"{', '.join(kinds)}."
    )


def check_unique(who, parameters, repeated=ValueError):
    """Raise ValueError if two parameters share a name, and the error `repeated` if a parameter
    occurs twice."""
    first = {}
    for i, p in enumerate(parameters):
        at = first.setdefault(p.name, i)
        if at == i:
            continue
        if parameters[at] is p:
            raise repeated(
                f"For '{who}', each parameter must be given once, but '{p.name}' comes twice, as "
                f"number {at} and {i}. Leave one of them out."
            )
        raise ValueError(
            f"For '{who}', the names of parameters must differ, but numbers {at} and {i} are both "
            f"called '{p.name}'. Name them: Parameter(..., name=...); those of a Cell also by "
            "'net.update_parameters_name()'."
        )


def counted(who, gradients, parameters):
    """Return the gradients as a tuple or list, one per parameter."""
    if isinstance(gradients, Tensor) and len(parameters) == 1:
        return (gradients,)
    if not isinstance(gradients, (tuple, list)):
        raise TypeError(
            f"For '{who}', the gradients must be a tuple of Tensors, but got "
            f"{type(gradients).__name__}."
        )
    if len(gradients) != len(parameters):
        raise ValueError(
            f"For '{who}', there must be a gradient for each of the {len(parameters)} parameters, "
            f"but got {len(gradients)}. Differentiate with respect to 'optimizer.parameters'."
        )
    return gradients


def refuse_shapes(who, gradients, parameters):
    """Raise an error if a gradient is not a Tensor of its parameter's shape."""
    for p, gradient in zip(parameters, gradients, strict=True):
        if not isinstance(gradient, Tensor):
            raise TypeError(
                f"For '{who}', the gradient of parameter '{p.name}' must be a Tensor, but got "
                f"{type(gradient).__name__}."
            ) from None
        if p.shape != gradient.shape:
            raise ValueError(
                f"For '{who}', the gradient of parameter '{p.name}' must have its shape {p.shape}, "
                f"but got {gradient.shape}. Give the gradients in the order of "
                "'optimizer.parameters'."
            ) from None


def parse(who, groups, rate, decay, loss_scale):
    """Return the entries of all groups, in the order of 'order_params' if given."""
    entries, order, length = [], None, rate.size if getattr(rate, "ndim", 0) == 1 else None
    default = built_rate(rate, "learning_rate")
    for number, group in enumerate(groups):
        _check_keys(who, group)
        if "order_params" in group:
            order = parameters_of(who, "order_params", group["order_params"])
            continue
        parameters = parameters_of(who, "params", group["params"])
        check_kinds_of_group(who, parameters)
        own = default
        if "lr" in group:
            checked = checked_rate(who, group["lr"])
            length = _same_length(who, checked, length)
            own = built_rate(checked, f"learning_rate_group_{number}")
        own_decay = checked_decay(who, group.get("weight_decay", decay), loss_scale)
        centralizes = group.get("grad_centralization", False)
        if not isinstance(centralizes, bool):
            raise TypeError(
                f"For '{who}', 'grad_centralization' of a group must be a bool, but got "
                f"{type(centralizes).__name__}."
            )
        entries += [Entry(p, own, own_decay, centralizes) for p in parameters]
    if not entries:
        raise ValueError(f"For '{who}', at least one group must have 'params'.")
    check_unique(who, [e.parameter for e in entries], repeated=RuntimeError)
    return entries if order is None else _ordered(who, entries, order)


def _check_keys(who, group):
    wrong = [key for key in group if key not in KEYS]
    if wrong:
        raise KeyError(
            f"For '{who}', the keys of a parameter group must be among {', '.join(KEYS)}, but got "
            f"{', '.join(map(repr, wrong))}."
        )
    if "order_params" in group and len(group) > 1:
        raise ValueError(
            f"For '{who}', a group with 'order_params' must have no other key, but got "
            f"{', '.join(group)}."
        )
    if "order_params" not in group and "params" not in group:
        raise KeyError(f"For '{who}', a parameter group must have 'params', but got {group!r:.80}.")


def check_kinds_of_group(who, parameters):
    """Raise TypeError unless 'params' of a group contains only Parameters."""
    for i, p in enumerate(parameters):
        if not isinstance(p, Parameter):
            raise TypeError(
                f"For '{who}', 'params' of a group must hold Parameters, but got "
                f"{type(p).__name__} at index {i}."
            )


def _same_length(who, rate, length):
    own = rate.size if getattr(rate, "ndim", 0) == 1 else None
    if None not in (own, length) and own != length:
        raise ValueError(
            f"For '{who}', lists of learning rates must be equally long, but got lengths {length} "
            f"and {own}."
        )
    return own or length


def _ordered(who, entries, order):
    by_identity = {id(e.parameter): e for e in entries}
    if len(order) != len(entries) or {id(p) for p in order} != set(by_identity):
        raise ValueError(
            f"For '{who}', 'order_params' must hold the same parameters as the groups, but got "
            f"{[p.name for p in order]} for {[e.parameter.name for e in entries]}."
        )
    return [by_identity[id(p)] for p in order]
