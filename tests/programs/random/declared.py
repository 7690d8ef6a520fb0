"""Declared operations in random programs, from the rows of `tests.samples`: calls as text, and
their NumPy references."""

import ast

import numpy as np

from sporax.ops.declare import FUNCTIONS, OPS
from tests.samples import collect

LARGEST = 72  # elements of an operand


def _is_literal(value):
    try:
        return ast.literal_eval(repr(value)) == value
    except (ValueError, SyntaxError):
        return False


def _fits(sample):
    """Return True if a call of the sample can be written, and finite differences are its
    derivative."""
    drawn = [i for i in sample.inputs if not isinstance(i, np.ndarray)]
    return (
        sample.op in FUNCTIONS and not sample.sharp and sample.names is None and drawn
        and sample.rtol <= 1e-4 and all(np.prod(shape) <= LARGEST for shape in drawn)
        and all(map(_is_literal, sample.attrs.values()))
    )  # fmt: skip


SAMPLES = [sample for sample in collect("SAMPLES") if _fits(sample)]
GIVEN = {
    f"{sample.op} {n}.{k}": given
    for n, sample in enumerate(SAMPLES)
    for k, given in enumerate(sample.inputs)
    if isinstance(given, np.ndarray)
}


def _key(op, shapes, attributes):
    return op, tuple(tuple(s) for s in shapes), repr(sorted(attributes.items()))


BY_CALL = {
    _key(s.op, (i.shape if isinstance(i, np.ndarray) else i for i in s.inputs), s.attrs): s
    for s in SAMPLES
}


def text(n, names, as_method=False):
    """Return a call of sample `n`, with operands fitted from the variables `names`; as a method of
    the first operand if there is one with the same signature."""
    sample, (low, high) = SAMPLES[n], SAMPLES[n].range
    operands = [
        f'GIVEN["{sample.op} {n}.{k}"]'
        if isinstance(shape, np.ndarray)
        else f"fit({names[k % len(names)]}, {tuple(shape)}, {low}, {high})"
        for k, shape in enumerate(sample.inputs)
    ]
    attributes = [f"{name}={value!r}" for name, value in sample.attrs.items()]
    if as_method and OPS[sample.op].faces["tensor"] is True and operands[0][0] == "f":
        return f"{operands[0]}.{sample.op}({', '.join([*operands[1:], *attributes])})"
    if sample.packed:
        operands = [f"({', '.join(operands)},)"]
    return f"ops.{sample.op}({', '.join([*operands, *attributes])})"


def reference(op, arguments, attributes):
    """Compute the sample with that call by NumPy; return None if there is none."""
    is_packed = len(arguments) == 1 and isinstance(arguments[0], tuple)
    arrays = arguments[0] if is_packed else arguments
    if not all(isinstance(a, np.ndarray) for a in arrays):
        return None
    sample = BY_CALL.get(_key(op, (a.shape for a in arrays), attributes))
    return sample and sample.ref(*(a.copy() for a in arrays), **attributes)
