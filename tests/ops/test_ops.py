"""Every declared operation, against NumPy in float64, finite differences, and itself captured."""

import dataclasses

import numpy as np
import pytest

from sporax import nn, ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import context
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of
from sporax._src.transforms.autodiff import check_grad, grad
from sporax.ops.declare import OPS
from tests.ops import parity_edges
from tests.samples import collect

pytestmark = pytest.mark.filterwarnings("ignore:The shapes of a computation change")

SAMPLES = collect("SAMPLES")

# Declared as differentiable, but with no sample that is differentiated; each with its reason.
NOT_DIFFERENTIATED = {
    "full": "it has no Tensor operand",
    "igamma": "JAX differentiates it once only; first order in `tests/nn/test_distributions.py`",
    "igammac": "as igamma",
    "embedding_renorm": "that of its weight, which is changed first, as in PyTorch",
    "betainc": "by x alone, as in MindSpore; in `test_primitives.py`",
}


def is_differentiated(sample):
    floating = any(a.dtype.kind in "fc" for a in sample.arrays(np.float64))
    return floating and OPS[sample.op].differentiable and not sample.sharp


def floating_outputs(function, outputs, tensors):
    outs = tensors_of(function(*tensors))
    outs = outs if outputs is None else [outs[i] for i in outputs]
    return [out for out in outs if out._value.aval.inexact]


DIFFERENTIATED = [s for s in SAMPLES if is_differentiated(s)]


def numbers(run, inputs):
    """The arrays that each function gives."""
    results = run([[Tensor(a) for a in arrays] for arrays in inputs])
    return [[t.asnumpy() for t in tensors_of(result)] for result in results]


TOGETHER = 12  # samples that share a program


@pytest.mark.parametrize("first", range(0, len(SAMPLES), TOGETHER))
def test_numbers_are_numpys_and_the_same_in_every_way_of_running(first, request):
    samples = SAMPLES[first : first + TOGETHER]
    functions = [sample.bind(ops) for sample in samples]
    inputs = [sample.arrays(np.float32) for sample in samples]

    def run(inputs):
        return [function(*xs) for function, xs in zip(functions, inputs, strict=True)]

    ways = [numbers(run, inputs), numbers(jit(run), inputs)]
    if request.config.getoption("--compiled"):
        before = context.get_context("pynative_synchronize")
        context.set_context(pynative_synchronize=not before)
        try:
            ways.append(numbers(run, inputs))
        finally:
            context.set_context(pynative_synchronize=before)
    for sample, arrays, outs, *others in zip(samples, inputs, *ways, strict=True):
        wide = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in arrays]
        expected = sample.ref(*wide, **sample.attrs)
        expected = expected if isinstance(expected, (tuple, list)) else [expected]
        for out, ref in zip(outs, expected, strict=True):
            assert out.shape == np.shape(ref), sample
            np.testing.assert_allclose(out, ref, sample.rtol, sample.atol, err_msg=str(sample))
        for other in others:
            for a, b in zip(other, outs, strict=True):
                same_to_a_few_ulps(a, b, sample)


def same_to_a_few_ulps(a, b, sample):
    assert a.dtype == b.dtype, sample
    if a.dtype.kind != "f":
        np.testing.assert_array_equal(a, b, str(sample))
        return
    ulp = np.finfo(a.dtype).eps
    largest = np.abs(b[np.isfinite(b)]).max(initial=0.0)
    np.testing.assert_allclose(a, b, 4 * ulp, 4 * ulp * largest, err_msg=str(sample))


def check(sample, order=2):
    """First and second order; bent, since the second derivative of a linear operation is zero."""

    function, outputs = sample.bind(ops), sample.outputs

    def bent(*xs):
        return [y * (y * 0.5 + 1) for y in floating_outputs(function, outputs, xs)]

    report = check_grad(bent, *map(Tensor, sample.arrays(np.float64)), order=order)
    assert not report.noted


FIRST = {sample.op: sample for sample in reversed(DIFFERENTIATED)}  # of each operation


@pytest.mark.parametrize("sample", DIFFERENTIATED, ids=str)
def test_derivatives_match_finite_differences(sample, on_numpy, request):
    """The second order of each operation's first sample; of all with `--compiled`."""
    is_whole = FIRST[sample.op] is sample or request.config.getoption("--compiled")
    check(sample, 2 if is_whole else 1)


# where another axis alone does not fit the other inputs, or the other axis
UNFIT = {
    "diagonal_scatter-dim2=-1", "numpy_trace-axis1=-1", "numpy_diff-axis=-1",
    "numpy_cross-axis=-1", "diff-axis=-1", "flatten-start_dim=-1",
}  # fmt: skip


def other_shapes_and_axes():
    """Pairs of shapes that meet, and every axis by both its numbers, of the first fitting samples;
    most of them are slow ones."""
    done = set()
    for sample in DIFFERENTIATED:
        arrays = sample.arrays(np.float32)
        for edge in (parity_edges.broadcast, parity_edges.axes):
            if (sample.op, edge) in done or not arrays:
                continue
            for what, new, _ in edge(sample, arrays):
                rank = arrays[0].ndim
                axes = [new.attrs[name] for name in parity_edges.AXES & set(new.attrs)]
                if all(-rank <= n < rank for n in axes if isinstance(n, int)):
                    done.add((sample.op, edge))
                    quick = what.endswith(("=-1", "(3,1)x(1,4)"))
                    marks = [] if quick else [pytest.mark.slow]
                    if f"{new.op}-{what}" not in UNFIT:
                        yield pytest.param(new, id=f"{new.op}-{what}", marks=marks)


@pytest.mark.parametrize("sample", list(other_shapes_and_axes()))
def test_derivatives_at_other_shapes_and_axes(sample, on_numpy):
    arrays = sample.arrays(np.float64)  # moved apart, since numbers that are equal have no slope
    moved = [
        np.asarray(a + 0.013 * i, np.float64) if a.dtype.kind == "f" else a
        for i, a in enumerate(arrays)
    ]
    check(dataclasses.replace(sample, inputs=moved))


@pytest.mark.parametrize("refusal", collect("REFUSALS"), ids=str)
def test_bad_input_is_refused_in_one_voice(refusal):
    with pytest.raises(refusal.error) as caught:
        refusal.call()
    for part in refusal.says:
        assert part in str(caught.value)


def test_every_operation_has_a_sample():
    assert set(OPS) == {s.op for s in SAMPLES}


def test_every_differentiable_operation_is_differentiated():
    able = {name for name, declaration in OPS.items() if declaration.differentiable}
    assert able - {s.op for s in DIFFERENTIATED} == set(NOT_DIFFERENTIATED)


ORIGIN = [0.0, 0.0]

# Where a derivative is not unique, or would be 0 times infinity: what it is by convention.
# MindSpore 2.10 gives these (by `atan2`, `std`, `pow`, `xlogy` and `logaddexp`: PyTorch, where
# MindSpore has NaN or another number): (operation, inputs, gradients)
AT_EDGES = {
    "abs": (ops.abs, [[0.0, -0.0]], [ORIGIN]),
    "l1_loss": (ops.l1_loss, [[0.0, 1.0], ORIGIN], [[0.0, 0.5], [0.0, -0.5]]),
    "norm": (ops.norm, [ORIGIN], [ORIGIN]),
    "norm-1": (lambda x: ops.norm(x, 1), [[0.0, 2.0]], [[0.0, 1.0]]),
    "norm-3": (lambda x: ops.norm(x, 3), [ORIGIN], [ORIGIN]),
    "norm-inf": (lambda x: ops.norm(x, float("inf")), [ORIGIN], [ORIGIN]),
    "std": (ops.std, [[1.0, 1.0]], [ORIGIN]),
    "xlogy": (ops.xlogy, [[0.0, 0.0], [-1.0, 1.0]], [ORIGIN, ORIGIN]),
    "pow": (ops.pow, [[0.0, 0.0], [0.0, 2.0]], [ORIGIN, ORIGIN]),
    "atan2": (ops.atan2, [[0.0], [0.0]], [[0.0], [0.0]]),
    "clamp": (lambda x: ops.clamp(x, 0.0, 1.0), [[0.0, 1.0, 2.0]], [[1.0, 1.0, 0.0]]),
    "clamp-low": (lambda x: ops.clamp(x, 1.0), [[0.0, 1.0, 2.0]], [[0.0, 1.0, 1.0]]),
    "clamp-high": (lambda x: ops.clamp(x, None, 1.0), [[0.0, 1.0, 2.0]], [[1.0, 1.0, 0.0]]),
    "clip_by_value": (lambda x: ops.clip_by_value(x, 0, 1), [[0.0, 2.0]], [[0.5, 0.0]]),
    "labels that do not sum to 1": (
        nn.SoftmaxCrossEntropyWithLogits(), [[ORIGIN], [[1.0, 0.5]]],
        [[[-0.25, 0.25]], [[np.log(2), np.log(2)]]],
    ),
    "logaddexp": (
        ops.logaddexp, [[np.inf, 1.0, -np.inf], [1.0, -np.inf, 2.0]],
        [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ),
    "maximum": (ops.maximum, [[1.0, 2.0], [1.0, 1.0]], [[0.5, 1.0], [0.5, 0.0]]),
}  # fmt: skip


@pytest.mark.parametrize("name", AT_EDGES)
def test_derivatives_at_edges(name):
    function, inputs, reference = AT_EDGES[name]
    tensors = [Tensor(np.array(x)) for x in inputs]
    result = grad(lambda *xs: function(*xs).sum(), tuple(range(len(tensors))))(*tensors)
    for slope, expected in zip(result if len(tensors) > 1 else (result,), reference, strict=True):
        np.testing.assert_allclose(slope.asnumpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("name", ["mul", "div"])
def test_products_at_repeated_places_and_zeros(name):
    at = Tensor(np.array([[1], [1], [0]]))
    values = np.array([2.0, 3.0, 0.5] if name == "div" else [0.0, 3.0, 0.5])
    scatter = getattr(ops, f"tensor_scatter_{name}")
    assert not check_grad(scatter, Tensor(np.array([0.0, 2.0])), at, Tensor(values)).noted
