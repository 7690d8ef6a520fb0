"""Every declared operation, against NumPy in float64, finite differences, and itself captured."""

import numpy as np
import pytest

from sporax import ops
from sporax.autodiff.grad import grad
from sporax.core.tensor import Tensor
from sporax.core.tree import tensors_of
from sporax.engine.jit import jit
from sporax.ops.declare import OPS
from tests.samples import collect

pytestmark = pytest.mark.filterwarnings("ignore:The shapes of a computation change")

SAMPLES = collect("SAMPLES")
DIFFERENTIABLE = [s for s in SAMPLES if s.order > 0]


def call(sample, arrays):
    return tensors_of(sample.call(ops, [Tensor(a) for a in arrays]))


def weighted_sum(sample, tensors):
    """One number out of all floating outputs, each element with a weight of its own."""
    total = 0.0
    for out in tensors_of(sample.call(ops, tensors)):
        weights = np.cos(np.arange(out.size, dtype=np.float64)).reshape(out.shape)
        total = total + (out * Tensor(weights)).sum()
    return total


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_forward_matches_numpy(sample):
    arrays = sample.arrays(np.float32)
    wide = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in arrays]
    wanted = sample.ref(*wide, **sample.attrs)
    wanted = wanted if isinstance(wanted, (tuple, list)) else [wanted]
    outs = call(sample, arrays)
    assert len(outs) == len(wanted)
    for out, ref in zip(outs, wanted, strict=True):
        assert out.shape == np.shape(ref)
        np.testing.assert_allclose(out.asnumpy(), ref, rtol=sample.rtol, atol=sample.atol)


@pytest.mark.executors
@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_jit_gives_the_same_numbers(sample):
    tensors = [Tensor(a) for a in sample.arrays(np.float32)]

    def run(*xs):
        return sample.call(ops, xs)

    for a, b in zip(tensors_of(jit(run)(*tensors)), tensors_of(run(*tensors)), strict=True):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-6, atol=1e-6)


def finite_difference(function, arrays, which, step=1e-6):
    gradient = np.zeros_like(arrays[which])
    for at in np.ndindex(gradient.shape):
        shifted = [a.copy() for a in arrays]
        shifted[which][at] += step
        above = function(shifted)
        shifted[which][at] -= 2 * step
        gradient[at] = (above - function(shifted)) / (2 * step)
    return gradient


@pytest.mark.parametrize("sample", DIFFERENTIABLE, ids=str)
def test_gradients_match_finite_differences(sample):
    arrays = sample.arrays(np.float64)

    def value(xs):
        return float(weighted_sum(sample, [Tensor(x) for x in xs]))

    def slope(xs, i):
        tensors = [Tensor(x) for x in xs]
        return grad(lambda *ts: weighted_sum(sample, ts), i)(*tensors)

    for i, x in enumerate(arrays):
        if x.dtype.kind != "f":
            continue
        first = slope(arrays, i).asnumpy()
        np.testing.assert_allclose(first, finite_difference(value, arrays, i), 1e-5, 1e-6)
        if sample.order < 2:
            continue
        mix = Tensor(np.sin(1.0 + np.arange(x.size, dtype=np.float64)).reshape(x.shape))

        def directional(*ts, i=i, mix=mix):
            return (grad(lambda *us: weighted_sum(sample, us), i)(*ts) * mix).sum()

        def number(xs, directional=directional):
            return float(directional(*[Tensor(x) for x in xs]))

        second = grad(directional, i)(*[Tensor(a) for a in arrays]).asnumpy()
        np.testing.assert_allclose(second, finite_difference(number, arrays, i), 1e-4, 1e-5)


@pytest.mark.parametrize("refusal", collect("REFUSALS"), ids=str)
def test_bad_input_is_refused_in_one_voice(refusal):
    with pytest.raises(refusal.error) as caught:
        refusal.call()
    for part in refusal.says:
        assert part in str(caught.value)


def test_every_operation_has_a_sample():
    assert set(OPS) == {s.op for s in SAMPLES}
