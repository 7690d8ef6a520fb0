"""Recurrent layers by oneDNN, in programs and on NumPy arrays, against scans in float64."""

import functools

import jax
import numpy as np
import pytest
from jax.test_util import check_grads

import sporax as ms
from sporax import nn
from sporax._src.core.jax_internals import jaxpr_as_fun
from sporax._src.core.tree import tensors_of
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.runtime.numpy_interpreter.plans import evaluate
from sporax._src.runtime.xla_kernels.onednn import library
from sporax._src.runtime.xla_kernels.onednn.recurrence import KERNELS
from sporax._src.runtime.xla_kernels.recurrence import BACKWARD, KINDS, RECURRENCE, scanned
from sporax._src.runtime.xla_kernels.rewrite import rewrite
from tests.xla_kernels.derivatives import compare, derivatives

has_library = pytest.mark.skipif(library.load() is None, reason="oneDNN is not for this platform")


def layer(rng, kind, sizes, dtype=np.float32):
    """Operands of a layer for (length, batch, inputs, hidden), with biases or without."""
    length, batch, inputs, hidden = sizes
    rows = KINDS[kind][0] * hidden
    shapes = [(length, batch, inputs)] + [(batch, hidden)] * (2 if kind == "lstm" else 1)
    shapes += [(rows, inputs), (rows, hidden)] + [(rows,)] * (2 * int(rng.integers(2)))
    scale = [1, 1, 1, *[max(n, 1) ** -0.5 for n in (inputs, hidden, hidden, hidden)]]
    scale = scale if kind == "lstm" else scale[1:]
    return [(rng.standard_normal(s) * c).astype(dtype) for s, c in zip(shapes, scale, strict=False)]


def random_sizes(rng):
    return [int(n) for n in (*rng.integers(1, 9, 1), *rng.integers(1, 12, 3))]


def check(seed, count, kinds=tuple(KERNELS), share_by_xla=1.0, share_of_second_order=1.0):
    """By the interpreter, and a share as compiled programs too."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        kind, params = str(rng.choice(kinds)), {"reverse": bool(rng.integers(2))}
        params["kind"], sizes = kind, random_sizes(rng)
        arrays = layer(rng, kind, sizes)
        order = 2 if rng.random() < share_of_second_order else 1
        run = functools.partial(RECURRENCE.bind, **params)
        program = jax.make_jaxpr(functools.partial(derivatives, run, order=order))(*arrays)
        doubles = [a.astype(np.float64) for a in arrays]
        run = functools.partial(scanned, **params)
        plain = jax.make_jaxpr(functools.partial(derivatives, run, order=order))(*doubles)
        wanted = evaluate(plain, *doubles)
        results = [evaluate(program, *arrays)]
        if rng.random() < share_by_xla:
            rewritten = rewrite(program)
            assert "recurrence" not in {eqn.primitive.name for eqn in rewritten.jaxpr.eqns}
            results.append(jax.jit(jaxpr_as_fun(rewritten))(*arrays))
        for outs in results:
            compare(outs, wanted, np.float32, f"{params} {sizes}")


@has_library
@pytest.mark.parametrize("kind", KERNELS)
def test_layers_have_the_values_of_float64_in_both_orders(kind):
    check(0, 2, [kind])


@has_library
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 150))
def test_five_thousand_shapes(seed):
    check(seed, 100, share_by_xla=0.05, share_of_second_order=0.1)


@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_of_both_modes_and_orders(kind):
    rng = np.random.default_rng(1)
    arrays = layer(rng, kind, (3, 2, 2, 3), np.float64)
    with jax.enable_x64():
        run = jax.jit(functools.partial(RECURRENCE.bind, kind=kind, reverse=True))
        check_grads(run, arrays, order=2, modes=("fwd", "rev"), rtol=1e-5)


@has_library
@pytest.mark.parametrize("kind", KERNELS)
def test_a_step_has_one_forward_pass(kind):
    arrays = layer(np.random.default_rng(0), kind, (5, 8, 3, 4))
    run = functools.partial(RECURRENCE.bind, kind=kind, reverse=False)

    def step(*arrays):
        outs = run(*arrays)
        return outs, jax.vjp(run, *arrays)[1](outs)

    def kernels(function):
        eqns = rewrite(jax.make_jaxpr(function)(*arrays)).jaxpr.eqns
        calls = [dict(e.params["attributes"]) for e in eqns if e.primitive.name == "ffi_call"]
        return [call["text"].split('"')[1] for call in calls]

    assert kernels(step) == ["training", "backward"]
    assert kernels(run) == ["inference"]


@pytest.mark.parametrize("primitive", [RECURRENCE, BACKWARD], ids=str)
def test_a_batch_of_layers(primitive):
    rng = np.random.default_rng(0)
    params = {"kind": "gru", "reverse": False}
    examples = [layer(np.random.default_rng(i), "gru", (4, 2, 3, 5)) for i in (1, 1, 1)]
    examples = [[rng.standard_normal(a.shape).astype(np.float32) for a in e] for e in examples]
    if primitive is BACKWARD:
        examples = [e + [np.asarray(y) for y in RECURRENCE.bind(*e, **params)] for e in examples]
    stacked = [np.stack(arrays) for arrays in zip(*examples, strict=True)]
    run = functools.partial(primitive.bind, **params)
    for i, example in enumerate(examples):
        alone = run(*example)
        for out, right in zip(jax.vmap(run)(*stacked), alone, strict=True):
            np.testing.assert_allclose(out[i], right, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float16, jax.numpy.bfloat16, np.float64])
def test_other_dtypes_are_scans(dtype):
    arrays = layer(np.random.default_rng(0), "lstm", (4, 2, 3, 5), dtype)
    with jax.enable_x64():
        run = functools.partial(RECURRENCE.bind, kind="lstm", reverse=False)
        program = jax.make_jaxpr(run)(*arrays)
        wanted = scanned(*(a.astype(np.float64) for a in arrays), kind="lstm", reverse=False)
        results = [jaxpr_as_fun(rewrite(program))(*arrays), evaluate(program, *arrays)]
    for outs in results:
        for out, right in zip(outs, wanted, strict=True):
            assert out.dtype == dtype
            eps = float(jax.numpy.finfo(dtype).eps)
            np.testing.assert_allclose(np.asarray(out, np.float64), right, atol=20 * eps)


@pytest.mark.parametrize("sizes", [(0, 2, 3, 4), (3, 0, 3, 4), (3, 2, 0, 4)])
def test_sizes_of_zero(sizes):
    arrays = layer(np.random.default_rng(0), "gru", sizes)
    program = jax.make_jaxpr(functools.partial(RECURRENCE.bind, kind="gru", reverse=False))(*arrays)
    wanted = scanned(*arrays, kind="gru", reverse=False)
    for outs in (jaxpr_as_fun(rewrite(program))(*arrays), evaluate(program, *arrays)):
        for out, right in zip(outs, wanted, strict=True):
            np.testing.assert_allclose(out, right, rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_not_a_number_stays_in_its_sequence(kind):
    arrays = layer(np.random.default_rng(0), kind, (5, 8, 3, 4))
    arrays[0][2, 3, 1], arrays[0][1, 6, 0] = np.nan, np.inf
    run = functools.partial(RECURRENCE.bind, kind=kind, reverse=False)
    program = jax.make_jaxpr(run)(*arrays)
    wanted = np.asarray(scanned(*arrays, kind=kind, reverse=False)[0])
    for outs in (jaxpr_as_fun(rewrite(program))(*arrays), evaluate(program, *arrays)):
        np.testing.assert_allclose(outs[0], wanted, rtol=1e-4, atol=1e-5)
        assert np.isnan(outs[0][2:, 3]).all() or kind == "relu"


def test_without_the_library_layers_are_scans(monkeypatch):
    net = nn.GRU(3, 4, bidirectional=True)
    x = ms.Tensor(np.random.default_rng(0).standard_normal((5, 8, 3)).astype(np.float32))
    step = ms.value_and_grad(lambda x: net(x)[0].sum(), 0, net.trainable_params())

    def values():
        forest.clear()
        return [[t.asnumpy() for t in tensors_of(step(x))] for _ in range(2)]

    with_library = values()
    monkeypatch.setattr(library, "load", lambda: None)
    for before, after in zip(with_library, values(), strict=True):
        for one, other in zip(before, after, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@has_library
def test_threads_run_one_layer_at_once():
    from concurrent.futures import ThreadPoolExecutor

    rng = np.random.default_rng(0)
    examples = [layer(np.random.default_rng(0), "lstm", (6, 9, 5, 7)) for _ in range(20)]
    for example in examples:
        example[0] = rng.standard_normal(example[0].shape).astype(np.float32)
    run = functools.partial(RECURRENCE.bind, kind="lstm", reverse=True)
    program = jax.jit(jaxpr_as_fun(rewrite(jax.make_jaxpr(run)(*examples[0]))))
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda arrays: np.asarray(program(*arrays)[0]), examples))
    for arrays, result in zip(examples, results, strict=True):
        np.testing.assert_array_equal(np.asarray(program(*arrays)[0]), result)
