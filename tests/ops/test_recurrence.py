"""Derivatives of the recurrence, forward and backward, to the second order: finite differences."""

import functools

import jax
import numpy as np
import pytest
from jax.test_util import check_grads

from sporax._src.runtime.xla_kernels.recurrence import KINDS, _scan

LENGTH, BATCH, SIZE = 4, 2, 3


@pytest.mark.parametrize(
    "kind, reverse, has_lengths",
    [("lstm", False, True), ("gru", True, False), ("gru", False, True), ("tanh", True, True)],
)
def test_derivatives(kind, reverse, has_lengths):
    rng = np.random.default_rng(0)
    width = KINDS[kind][0] * SIZE
    shapes = [(LENGTH, BATCH, width), (BATCH, SIZE), (width, SIZE)]
    inner, hidden, weight = (0.5 * rng.standard_normal(shape) for shape in shapes)
    outer = 0.5 * rng.standard_normal(width) if kind == "gru" else None
    first = (hidden, 0.3 * hidden) if kind == "lstm" else (hidden,)
    lengths = np.array([4, 2])
    is_inside = np.arange(LENGTH)[:, None, None] < lengths[:, None] if has_lengths else None
    run = functools.partial(_scan, kind, reverse)
    with jax.enable_x64():
        checked = jax.jit(lambda *args: run(*args, is_inside))
        check_grads(
            checked, (inner, outer, first, weight), order=2, modes=("fwd", "rev"), rtol=1e-5
        )
