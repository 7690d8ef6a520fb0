"""Control flow: each part is a separate plan. `plan` builds one from a closed jaxpr."""

import functools

import numpy as np

from sporax._src.core.jax_internals import scan_counts


def _cond(branches, which, *operands):
    return branches[min(max(int(which), 0), len(branches) - 1)].values(operands)


def _while(condition, n_condition, body, n_body, *operands):
    for_condition, operands = operands[:n_condition], operands[n_condition:]
    for_body, carried = operands[:n_body], operands[n_body:]
    while (goes_on := np.asarray(condition.values((*for_condition, *carried))[0])).any():
        new = body.values((*for_body, *carried))
        if goes_on.ndim:  # one per example of a batch: examples that have ended are unchanged
            new = [
                np.where(goes_on.reshape(goes_on.shape + (1,) * (np.ndim(x) - goes_on.ndim)), x, y)
                for x, y in zip(new, carried, strict=True)
            ]
        carried = new
    return carried


def _scan(body, n_constants, n_carried, length, reverse, stacked, *operands):
    constants, carried = operands[:n_constants], operands[n_constants : n_constants + n_carried]
    along = operands[n_constants + n_carried :]
    results = [np.empty((length, *aval.shape), aval.dtype) for aval in stacked]
    for i in reversed(range(length)) if reverse else range(length):
        outs = body.values((*constants, *carried, *[x[i] for x in along]))
        carried = outs[:n_carried]
        for result, value in zip(results, outs[n_carried:], strict=True):
            result[i] = value
    return [*carried, *results]


def _reduce(body, axes, *operands):
    """Reduce by combining all neighbours along an axis at once, since `body` is elementwise."""
    n = len(operands) // 2
    values, initial = operands[:n], operands[n:]
    for axis in sorted(axes, reverse=True):
        values = [np.moveaxis(x, axis, 0) for x in values]
        while (length := len(values[0])) > 1:
            even = length - length % 2
            combined = body.values([x[i:even:2] for i in (0, 1) for x in values])
            values = [
                np.concatenate((x, old[even:])) for x, old in zip(combined, values, strict=True)
            ]
        values = (
            [x[0] for x in values]
            if length
            else [np.full(x.shape[1:], v, x.dtype) for x, v in zip(values, initial, strict=True)]
        )
    return body.values([*initial, *values])


def _bind_cond(plan, parameters):
    return functools.partial(_cond, [plan(branch) for branch in parameters["branches"]])


def _bind_while(plan, parameters):
    condition, body = plan(parameters["cond_jaxpr"]), plan(parameters["body_jaxpr"])
    counts = parameters["cond_nconsts"], parameters["body_nconsts"]
    return functools.partial(_while, condition, counts[0], body, counts[1])


def _bind_scan(plan, parameters):
    body, (constants, carried) = parameters["jaxpr"], scan_counts(parameters)
    length, reverse = parameters["length"], parameters["reverse"]
    stacked = body.out_avals[carried:]
    return functools.partial(_scan, plan(body), constants, carried, length, reverse, stacked)


def _bind_reduce(plan, parameters):
    return functools.partial(_reduce, plan(parameters["jaxpr"]), parameters["dimensions"])


CONTROL = {
    "cond": _bind_cond, "reduce": _bind_reduce, "scan": _bind_scan, "while": _bind_while,
}  # fmt: skip
