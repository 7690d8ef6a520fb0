"""Jaxprs with symbolic sizes against those traced for the sizes: the same avals, the same bits."""

import numpy as np
import pytest

from sporax import Tensor, ops
from sporax._src.core.value import thread
from sporax._src.runtime.engine.recorder import Recorder
from sporax._src.runtime.numpy_interpreter import plans
from sporax._src.runtime.numpy_interpreter.op_family import trace_for
from sporax._src.runtime.numpy_interpreter.polymorphic import Runs, SizePattern
from sporax._src.runtime.numpy_interpreter.polymorphic_plan import PolymorphicPlan
from tests.samples import Sample, collect

pytestmark = pytest.mark.usefixtures("on_numpy")

# one operation in four in the ordinary run: each is traced for four sizes
SAMPLES = [
    pytest.param(sample, id=str(sample), marks=[pytest.mark.slow] if i % 4 else [])
    for i, sample in enumerate(collect("SAMPLES"))
]
LONGER = (0, 1, 2, 4)  # than in the sample, all sizes but 0 and 1


def longer(shape, more):
    return tuple([n + more if n > 1 else n for n in shape])


def resized(sample, more):
    """The sample's arrays with longer axes, and its attributes."""
    inputs = [
        np.resize(i, longer(i.shape, more)) if isinstance(i, np.ndarray) else longer(i, more)
        for i in sample.inputs
    ]
    attrs = dict(sample.attrs)
    for name in {"shape", "size", "output_size"} & attrs.keys():
        if isinstance(attrs[name], tuple):
            attrs[name] = longer(attrs[name], more)
    return Sample(**{**vars(sample), "inputs": inputs, "attrs": attrs})


def operations(sample):
    """(operation, avals of its operands) for all that the sample records."""
    Runs.count += 1
    thread.recorder = recorder = Recorder()
    try:
        sample.call(ops, [Tensor(a) for a in sample.arrays(np.float32)])
        return [(state.op, state.operands) for state in recorder.state.path()]
    finally:
        thread.recorder = Recorder()


def arrays_of(avals):
    rng = np.random.default_rng(3)
    return [
        rng.uniform(0.1, 0.9, a.shape).astype(a.dtype)
        if a.inexact
        else rng.integers(0, 2, a.shape).astype(np.int64 if a.weak else a.dtype)
        for a in avals
    ]


def check(op, avals):
    """Compare the form for all sizes with the jaxpr for these; whether there is one."""
    rule = op.rule(avals)
    if rule.form is None:
        return False
    form, symbols = rule.form
    n = len(op.sizes)
    concrete = trace_for(op, avals, (*op.sizes, *[n for a in avals for n in a.shape]))[0]
    results = [(a.shape, a.dtype) for a in concrete.out_avals]
    assert form.results(symbols) == results
    assert [(a.shape, a.dtype) for a in rule.avals] == results
    try:
        expected = plans.plan(concrete)
    except plans.Unsupported:
        return False
    arrays = arrays_of(avals)
    pattern = SizePattern((*form.pattern.sizes[n:], *form.pattern.sizes[:n]))
    places = [~i for i in range(len(avals))]
    inputs = [
        (a.ndim, np.dtype(np.int64) if a.weak and a.dtype == bool else a.dtype) for a in avals
    ]
    general = PolymorphicPlan(pattern, [(form, n, places)], inputs, [*range(len(results))])
    sizes = (*[n for a in avals for n in a.shape], *op.sizes)
    here = general.instantiate(general.pattern.bind(sizes))
    for actual, wanted in zip(here(*arrays), expected(*arrays), strict=True):
        assert actual.dtype == wanted.dtype
        assert actual.shape == wanted.shape
        assert actual.tobytes() == wanted.tobytes()
    return True


@pytest.mark.parametrize("sample", SAMPLES)
def test_forms_for_all_sizes_have_the_bits_of_concrete_jaxprs(sample):
    paths = []
    for more in LONGER:
        try:
            paths.append(operations(resized(sample, more)))
        except Exception:  # noqa: BLE001 (the sample's sizes may not be free)
            pytest.skip("it does not take other sizes")
    assert len({len(path) for path in paths}) == 1
    compared = 0
    for steps in zip(*paths, strict=True):
        compared += check(*steps[-1])
        op, avals = steps[-1]
        chosen = tuple([i for i, a in enumerate(avals) if a.inexact])
        outs = [i for i, a in enumerate(op.rule(avals).avals) if a.inexact]
        counts = {len(op.rule(avals).avals) for op, avals in steps}
        if chosen and outs and not op.stops_gradient and len(counts) == 1:
            for op, avals in steps:
                pullback = op.pullback(chosen, tuple(outs))
                taken = (*avals, *[op.rule(avals).avals[i] for i in outs])
                pullback.rule(taken)
                Runs.count += 1
            compared += check(pullback, taken)
    if not compared:
        pytest.skip("it is traced for each size")


@pytest.mark.parametrize(("low", "step"), [(0, 1), (1, 2), (2, -1)])
def test_slices_of_many_lengths_share_a_form(low, step):
    array = np.arange(120, dtype=np.float32).reshape(40, 3)
    x = Tensor(array)
    ends = [*range(4, 41)] if step > 0 else [None]
    for end in ends:
        index = slice(low, end, step)
        np.testing.assert_array_equal(x[index].asnumpy(), array[index])
    for end in ends[::5]:
        index = slice(low, end, step), slice(0, 2)
        x[index] = 7.0
        array[index] = 7.0
        x[index].add_(1)
        array[index] += 1
        np.testing.assert_array_equal(x.asnumpy(), array)


def test_a_slice_of_another_length_is_not_traced_again():
    x = Tensor(np.arange(50, dtype=np.float32))
    total = sum([x[:i].sum() for i in range(2, 52)])
    path = thread.recorder.state.path()
    slices = [state.op.rule(state.operands) for state in path if state.operands[0].ndim]
    traced = [rule for rule in slices if rule.form is None]
    assert len(traced) < 20 < len(slices)
    assert total.item() == sum([np.arange(50)[:i].sum() for i in range(2, 52)])


def test_a_plan_for_all_sizes_has_no_operation_for_one_size():
    def drawn(*sizes):
        return [ops.rand(n).asnumpy().shape for n in sizes]

    def moved(*sizes):
        return [(ops.rand(n) + 1.0).asnumpy().shape for n in sizes]

    assert drawn(3, 4, 5, 6) == [(3,), (4,), (5,), (6,)]  # 3 and 4 before there was a form
    assert moved(5, 6, 3, 4, 8, 7) == [(5,), (6,), (3,), (4,), (8,), (7,)]
