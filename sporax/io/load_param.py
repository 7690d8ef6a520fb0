"""`load_param_into_net`: load a checkpoint into a Cell's parameters, all or nothing."""

import logging
from functools import partial

from sporax._src.core import cell_tree
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import message, rejection, require

_log = logging.getLogger("sporax")

# Without 'strict_load', a dtype may be converted to another one of the same row.
_KINDS = [
    ("Float16", "Float32", "Float64", "BFloat16", "Float8E4M3FN", "Float8E5M2"),
    ("Int8", "Int16", "Int32", "Int64"),
]
_CELL = kinds.Kind(partial(message, "a-cell"), lambda net: hasattr(net, "parameters_and_names"))
_SHOWN = 5  # mismatches that an error lists


def load_param_into_net(net, parameter_dict, strict_load=False, remove_redundancy=False):
    """Set a Cell's parameters from a dict such as `load_checkpoint` returns.

    Parameters match by name; unless `strict_load`, also by a name with a prefix, and a floating
    dtype is converted to another floating dtype, a signed integer dtype to another one. Everything
    is checked before anything is set: a mismatched shape or dtype raises RuntimeError and leaves
    `net` unchanged. Returns the names of the parameters that were not set, and the names of the
    dict's entries that match no parameter without a prefix.

    >>> net = nn.Dense(2, 1)
    >>> load_param_into_net(net, {"weight": Parameter(Tensor([[1.0, 2.0]]), name="weight")})
    (['bias'], [])
    """
    _check(net, parameter_dict, strict_load, remove_redundancy)
    parameters = [p for _, p in cell_tree.parameters(net)]
    plan, missing = {}, []
    for p in parameters:
        if p.name not in parameter_dict:
            if not p.name.startswith("accu_grads"):
                missing.append(p.name)
        elif isinstance(parameter_dict[p.name], Parameter):
            plan[p.name] = parameter_dict[p.name]
    unused = [name for name in parameter_dict if name not in plan]
    if not strict_load:
        missing = _by_prefix(parameter_dict, missing, plan)
    pairs = [(p, plan[p.name]) for p in parameters if p.name in plan]
    misfits = [reason for p, new in pairs if (reason := _misfit(p, new, strict_load))]
    if misfits:
        raise _refusal(misfits)
    for p, data in [(p, _fitted(p, new)) for p, new in pairs]:
        p.set_data(data)
    if missing:
        _log.warning(
            "For 'load_param_into_net', %d parameters of the net are not in 'parameter_dict' and "
            "keep their values: %s", len(missing), missing,
        )  # fmt: skip
    return missing, unused


def _check(net, parameter_dict, strict_load, remove_redundancy):
    _CELL("load_param_into_net", net=net)
    kinds.DICT("load_param_into_net", parameter_dict=parameter_dict)
    for name, x in parameter_dict.items():
        fits = isinstance(name, str) and isinstance(x, (Parameter, str))
        require(fits, "hold-parameters-name", "load_param_into_net", parameter_dict=x, name=name)
    kinds.BOOL("load_param_into_net", strict_load=strict_load)
    require(not remove_redundancy, "not-redundancy-on-one-device", "load_param_into_net")


def _by_prefix(parameter_dict, missing, plan):
    """Find missing parameters under prefixed names, with one prefix for all where possible."""
    while missing:
        prefix = next(
            (
                stored[: -len(name)]
                for name in missing
                for stored, x in parameter_dict.items()
                if stored.endswith(name) and isinstance(x, Parameter)
            ),
            None,
        )
        if prefix is None:
            break
        for name in missing:
            if isinstance(parameter_dict.get(prefix + name), Parameter):
                plan[name] = parameter_dict[prefix + name]
        missing = [name for name in missing if name not in plan]
    return missing


def _same_but_ones(shape, longer):
    return longer[: len(shape)] == shape and set(longer[len(shape) :]) <= {1}


def _misfit(p, new, strict_load):
    """Return the reason why `new` does not match the parameter `p`, or None."""
    if not _same_but_ones(p.shape, new.shape):
        rule, wanted, got = "shape-of-parameter", p.shape, new.shape
    elif p.dtype != new.dtype and not (
        not strict_load and any({p.dtype.name, new.dtype.name} <= set(kind) for kind in _KINDS)
    ):
        rule, wanted, got = "dtype-of-parameter", p.dtype, new.dtype
    else:
        return None
    file = getattr(new, "checkpoint", None)
    entry = message("entry-of-file", name=new.name, file=file) if file else f"'{new.name}'"
    return message(rule, entry=entry, name=p.name, wanted=wanted, got=got)


def _refusal(misfits):
    more = len(misfits) - _SHOWN
    listed = misfits[:_SHOWN] + ([message("and-more", count=more)] if more > 0 else [])
    return rejection("parameters-do-not-fit", "load_param_into_net", misfits=listed)


def _fitted(p, new):
    data = new.value()
    if new.shape != p.shape:
        data = Tensor(new.asnumpy().reshape(p.shape))
    return data if data.dtype == p.dtype else Tensor(data.asnumpy(), p.dtype)
