"""Normalization and its own derivative formula, against the plain formula in float64."""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sporax._src.runtime.numpy_interpreter.plans import evaluate
from sporax.ops.declare import OPS
from tests.xla_kernels.derivatives import compare, derivatives, evaluated

DTYPES = [np.float32] * 6 + [np.float64] * 2 + [np.float16]


def plain(x, weight, bias, axes, epsilon):
    """The formula, whose derivatives are JAX's; `weight` and `bias` have the rank of `x`."""
    count = math.prod(x.shape[axis] for axis in axes)
    mean = x.sum(axes, keepdims=True) / count
    variance = ((x - mean) ** 2).sum(axes, keepdims=True) / count
    return (x - mean) / jnp.sqrt(variance + epsilon) * weight + bias


def plain_of_groups(x, weight, bias, groups, epsilon):
    grouped = x.reshape(len(x), groups, math.prod(x.shape[1:]) // groups)
    y = plain(grouped, 1, 0, (2,), epsilon).reshape(x.shape)
    return y * weight + bias


def random_norm(rng):
    """(the operation, the plain formula, shapes of the input and of the parameters, that of the
    parameters in the rank of the input)"""
    kind, epsilon = rng.choice(["batch", "layer", "group"]), float(rng.choice([1e-3, 1e-2, 0.1]))
    rank = int(rng.integers(1 if kind == "layer" else 2, 6))
    shape = [int(n) for n in rng.integers(1, 6, rank)]
    if rng.random() < 0.1:
        shape[rng.integers(rank)] = 0
    if kind == "layer":
        count = int(rng.integers(1, rank + 1))
        size = tuple(shape[-count:])
        run = functools.partial(OPS["layer_norm"].fn, normalized_shape=size, eps=epsilon)
        formula = functools.partial(plain, axes=tuple(range(rank - count, rank)), epsilon=epsilon)
        return run, formula, shape, size, size
    axis = rank - 1 if kind == "batch" and rng.random() < 0.3 else 1
    if kind == "group":
        groups = int(rng.integers(1, 4))
        shape[axis] *= groups
        run = functools.partial(OPS["group_norm"].fn, num_groups=groups, eps=epsilon)
        formula = functools.partial(plain_of_groups, groups=groups, epsilon=epsilon)
    else:
        axes = tuple(i for i in range(rank) if i != axis)
        formula = functools.partial(plain, axes=axes, epsilon=epsilon)
        run = functools.partial(batch_norm, epsilon, "NCHW" if axis == 1 else "NHWC")
    size = shape[axis]
    return run, formula, shape, (size,), [size if i == axis else 1 for i in range(rank)]


def batch_norm(epsilon, data_format, x, weight, bias):
    moments = np.zeros(weight.shape, np.float32), np.ones(weight.shape, np.float32)
    options = {"epsilon": epsilon, "data_format": data_format}
    return OPS["batch_norm_training"].fn(x, weight, bias, *moments, **options)[0]


def listed(run, parameters_shape, x, weight, bias):
    if parameters_shape is not None:
        weight, bias = weight.reshape(parameters_shape), bias.reshape(parameters_shape)
    return [run(x, weight=weight, bias=bias)]


def check(seed, count, share_by_xla):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        run, formula, *shapes, aligned = random_norm(rng)
        dtype, (shape, size) = DTYPES[rng.integers(len(DTYPES))], shapes
        x, weight, bias = (rng.standard_normal(s).astype(dtype) for s in (shape, size, size))
        x = (x + 3 * (rng.random() < 0.3)).astype(dtype)
        if x.size and rng.random() < 0.2:
            x.reshape(-1)[rng.integers(x.size)] = rng.choice([np.nan, np.inf])

        arrays = x, weight, bias
        by_xla = rng.random() < share_by_xla
        results = evaluated(functools.partial(listed, run, None), arrays, by_xla)
        arrays = [a.astype(np.float64) for a in arrays]
        run = functools.partial(derivatives, functools.partial(listed, formula, aligned))
        program = jax.make_jaxpr(run)(*arrays)
        with np.errstate(all="ignore"):
            wanted = evaluate(program, *arrays)
        ulps = 50 if dtype == np.float16 else 1000  # of Float16, moments are in Float32
        compare(results, wanted, dtype, f"{formula} {shapes} {dtype}", ulps)


def test_norms_have_the_values_of_float64_in_both_orders():
    check(0, 20, share_by_xla=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 150))
def test_five_thousand_shapes(seed):
    check(seed, 100, share_by_xla=0.1)
