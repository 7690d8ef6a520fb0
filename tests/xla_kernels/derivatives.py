"""Computes and compares results and first- and second-order derivatives of kernels."""

import functools

import jax
import numpy as np

from sporax._src.core.jax_internals import jaxpr_as_fun
from sporax._src.runtime.numpy_interpreter.plans import evaluate, supported
from sporax._src.runtime.xla_kernels.rewrite import rewrite


def derivatives(run, *arrays, order=2):
    """Return the results, the gradients of a function of them, and, for order 2, the gradients of
    those gradients."""

    def first(*arrays):
        outs, pull = jax.vjp(run, *arrays)
        return *outs, *pull([jax.numpy.sin(out) for out in outs])

    if order == 1:
        return first(*arrays)
    outs, pull = jax.vjp(first, *arrays)
    return *outs, *pull(tuple(0.5 * out for out in outs))


def evaluated(run, arrays, by_xla):
    """Evaluate `derivatives` of `run` by the interpreter if it supports them and `by_xla` is False,
    else by a compiled program."""
    program = rewrite(jax.make_jaxpr(functools.partial(derivatives, run))(*arrays))
    if by_xla or supported(program) is not None:
        return jax.jit(jaxpr_as_fun(program))(*arrays)
    return evaluate(program, *arrays)


def compare(results, wanted, dtype, message, ulps=50):
    """Assert equality up to `ulps` roundings of `dtype` relative to the largest finite value of
    each result."""
    eps = float(jax.numpy.finfo(dtype).eps)
    for result, right in zip(results, wanted, strict=True):
        assert result.dtype == dtype, message
        scale = max(1, np.abs(right[np.isfinite(right)]).max(initial=0))
        np.testing.assert_allclose(
            np.asarray(result, np.float64) / scale, right / scale,
            rtol=ulps * eps, atol=ulps * eps, err_msg=message,
        )  # fmt: skip
