"""Search for the operand or attribute that does not fit: one at a time is replaced, and the
operation inferred again. A change that makes the call valid identifies the cause."""

import functools
import inspect
import itertools
import warnings

import jax
import numpy as np

from sporax._src.diagnosis.rules import message

_DTYPES = [np.dtype(name) for name in ("float32", "int32", "int64", "bool", "complex64")]
_MOST = 64  # maximum number of probes per call


def fitting_change(op, avals, describe):
    """Return a `Message` on the change of one operand or attribute that makes a call valid; None if
    there is none. `describe`: returns the description of an operand for messages."""
    if op.varied is None or any(map(callable, op.attributes.values())):
        return None  # it is not declared, or calls a user function
    known = op.parameters
    defaults = {n: known[n].default for n in op.attributes if n in known}
    defaults = {n: v for n, v in defaults.items() if v is not inspect.Parameter.empty}
    names = op.operands if len(op.operands) == len(avals) else [""] * len(avals)
    changes = _changes(describe, names, avals, op.attributes, defaults)
    for sentence, new_avals, new_attributes in itertools.islice(changes, _MOST):
        if _takes(op, new_avals, new_attributes):
            return sentence
    return None


def _takes(op, avals, attributes):
    """Return True if operands of these avals fit an operation with these attributes."""
    other = op
    if attributes is not op.attributes:
        other = type(op)(op.name, op.varied(attributes), op.promotes, op.check)
    specs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if other.check is not None:
                other.check(*avals)
            jax.eval_shape(functools.partial(other.compute, avals), *specs)
        except Exception:  # noqa: BLE001 - whatever it is: these do not fit either
            return False
    return True


def _changes(describe, names, avals, attributes, defaults):
    for name, default in defaults.items():
        said = message("fit-as-default", argument=name, default=default, got=attributes[name])
        yield said, avals, {**attributes, name: default}
    labels = [
        f"'{name}'" if name else message("operand-number", i=i) for i, name in enumerate(names)
    ]
    for change in (_other_dtypes, _other_ranks, _other_sizes):
        for i, aval in enumerate(avals):
            others = [a for k, a in enumerate(avals) if k != i]
            for rule, fields, new in change(aval, others, attributes):
                changed = (*avals[:i], new, *avals[i + 1 :])
                said = message(rule, operand=labels[i], got=describe(aval), **fields)
                yield said, changed, attributes
    for dtype in _DTYPES:
        name = describe(_aval(avals[0], (), dtype)).split()[0] if avals else ""
        changed = tuple([_aval(a, a.shape, dtype) for a in avals])
        yield message("other-dtypes", other=name), changed, attributes


def _aval(like, shape, dtype):
    return type(like).intern(tuple(shape), dtype)


def _other_dtypes(aval, others, attributes):
    for dtype in _DTYPES:
        if dtype != aval.dtype:
            yield "other-dtype", {"other": _named(dtype)}, _aval(aval, aval.shape, dtype)


def _named(dtype):
    return dtype.name.capitalize()


def _other_ranks(aval, others, attributes):
    n, shape = aval.ndim, aval.shape
    sizes = [s for s in {a.ndim: a.shape for a in others}.values() if len(s) != n]
    grown = [(1,) * k + shape for k in (1, 2, 3, 4)]
    cut = [shape[k:] for k in range(1, max(n, 2))]  # a scalar fits almost everywhere
    for new in (*sizes, *itertools.chain.from_iterable(itertools.zip_longest(grown, cut))):
        if new is not None:
            yield "other-rank", {"other": len(new)}, _aval(aval, new, aval.dtype)


def _other_sizes(aval, others, attributes):
    numbers = {n for a in others for n in a.shape} | set(_ints(attributes)) | set(aval.shape) | {1}
    for axis in range(aval.ndim):
        for n in sorted(numbers - {aval.shape[axis]}):
            if 0 <= n < 2**31:
                new = (*aval.shape[:axis], n, *aval.shape[axis + 1 :])
                yield "other-size", {"axis": axis, "other": n}, _aval(aval, new, aval.dtype)
    for other in others:
        if other.shape != aval.shape:
            yield "other-shape", {"other": other.shape}, _aval(aval, other.shape, aval.dtype)


def _ints(values):
    for value in values.values():
        for item in value if isinstance(value, tuple) else (value,):
            if type(item) is int:
                yield item
