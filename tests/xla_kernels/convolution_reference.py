"""Convolutions in NumPy, in float64, by definition; and jaxprs of their derivatives."""

import numpy as np
from jax.extend.core import Literal


def convolve(x, w, *, window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers,
             feature_group_count, batch_group_count, **_):  # fmt: skip
    """Compute `conv_general_dilated`: sum the products of weights and `x` over the window's
    positions."""
    x, w = x.transpose(dimension_numbers.lhs_spec), w.transpose(dimension_numbers.rhs_spec)
    x = padded(with_holes(x, lhs_dilation), padding)
    window = w.shape[2:]
    reach = [(k - 1) * d for k, d in zip(window, rhs_dilation, strict=True)]
    sizes = [
        max(0, (n - r - 1) // s + 1)
        for n, r, s in zip(x.shape[2:], reach, window_strides, strict=True)
    ]
    groups = max(feature_group_count, batch_group_count)
    parts = np.split(x, groups, 1 if feature_group_count > 1 else 0)
    outs = []
    for part, kernel in zip(parts, np.split(w, groups), strict=True):
        out = np.zeros((len(part), len(kernel), *sizes))
        for place in np.ndindex(window):
            at = tuple(
                slice(p * d, p * d + n * s, s)
                for p, d, n, s in zip(place, rhs_dilation, sizes, window_strides, strict=True)
            )
            taps = kernel[(slice(None), slice(None), *place)]
            out += np.einsum("nc...,oc->no...", part[(slice(None), slice(None), *at)], taps)
        outs.append(out)
    return np.concatenate(outs, 1).transpose(np.argsort(dimension_numbers.out_spec))


def with_holes(x, dilation):
    """Insert zeros between the elements."""
    sizes = [max(0, (n - 1) * d + 1) for n, d in zip(x.shape[2:], dilation, strict=True)]
    out = np.zeros((*x.shape[:2], *sizes))
    out[(slice(None), slice(None), *(slice(None, None, d) for d in dilation))] = x
    return out


def padded(x, padding):
    """Pad with zeros; negative padding crops."""
    grow = [(max(low, 0), max(high, 0)) for low, high in padding]
    x = np.pad(x, [(0, 0), (0, 0), *grow])
    cut = [
        slice(max(-low, 0), max(n - max(-high, 0), 0))
        for n, (low, high) in zip(x.shape[2:], padding, strict=True)
    ]
    return x[(slice(None), slice(None), *cut)]


def _reshape(x, *, new_sizes, dimensions, **_):
    return (x if dimensions is None else x.transpose(dimensions)).reshape(new_sizes)


_RULES = {
    "conv_general_dilated": convolve,
    "rev": lambda x, *, dimensions: np.flip(x, dimensions),
    "transpose": lambda x, *, permutation: x.transpose(permutation),
    "reshape": _reshape,
    "mul": lambda x, y, **_: x * y,
    "add_any": lambda x, y, **_: x + y,
}


def reference(jaxpr, *arrays):
    """Evaluate a jaxpr of convolutions in float64."""
    values = dict(zip(jaxpr.invars, map(np.float64, arrays), strict=True))

    def read(atom):
        return np.float64(atom.val) if isinstance(atom, Literal) else values[atom]

    for eqn in jaxpr.eqns:
        (out,) = eqn.outvars
        values[out] = _RULES[eqn.primitive.name](*map(read, eqn.invars), **eqn.params)
    return [read(atom) for atom in jaxpr.outvars]
