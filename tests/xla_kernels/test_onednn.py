"""oneDNN's convolutions in programs and on NumPy arrays, against NumPy in float64."""

import functools
import math

import jax
import jax.extend
import numpy as np
import pytest
from jax import lax

import sporax as ms
from sporax import nn, ops
from sporax._src.runtime.xla_kernels.onednn import convolution, ffi, library
from sporax._src.runtime.xla_kernels.rewrite import rewrite
from tests.xla_kernels.convolution_reference import convolve, reference

pytestmark = pytest.mark.skipif(library.load() is None, reason="oneDNN is not for this platform")

LETTERS = "DHW"


def random_convolution(rng):
    """(parameters of `conv_general_dilated`, shapes of both operands), which may not fit."""
    rank = rng.integers(1, 4)
    groups = int(rng.choice([1, 1, 1, 2, 3, 4]))
    inner, outer = (1, rng.integers(1, 3)) if groups == 4 else rng.integers(1, 5, 2)
    window, sizes = rng.integers(1, 4, rank), rng.integers(1, 9, rank)
    is_dilated = rng.random() < 0.3
    stride = 1 if is_dilated else rng.integers(1, 4, rank)
    letters = LETTERS[-rank:]
    is_last = rng.random() < 0.3
    data = f"N{letters}C" if is_last else f"NC{letters}"
    kernel = f"{letters}IO" if is_last else f"OI{letters}"
    padding = rng.integers(0, 3, (rank, 2)) if rng.random() < 0.5 else rng.integers(0, 3, (rank, 1))
    params = {
        "window_strides": np.broadcast_to(stride, rank).tolist(),
        "padding": np.broadcast_to(padding, (rank, 2)).tolist(),
        "lhs_dilation": rng.integers(1, 4, rank).tolist() if is_dilated else [1] * rank,
        "rhs_dilation": rng.integers(1, 3, rank).tolist(),
        "dimension_numbers": (data, kernel, data),
        "feature_group_count": groups,
    }
    batch = rng.integers(1, 4)
    x = [batch, *sizes, groups * inner] if is_last else [batch, groups * inner, *sizes]
    w = [*window, inner, groups * outer] if is_last else [groups * outer, inner, *window]
    return params, x, w


def derivatives(params, x, w, g):
    """The convolution, its gradients, and the gradients of these."""

    def first(x, w, g):
        y, pull = jax.vjp(functools.partial(lax.conv_general_dilated, **params), x, w)
        return y, *pull(g)

    outs, pull = jax.vjp(first, x, w, g)
    return *outs, *pull(tuple(0.5 * out for out in outs))


@functools.cache
def cases(seed, count):
    rng, found = np.random.default_rng(seed), []
    while len(found) < count:
        params, *shapes = random_convolution(rng)
        specs = [jax.ShapeDtypeStruct(tuple(map(int, s)), np.float32) for s in shapes]
        out = jax.eval_shape(functools.partial(lax.conv_general_dilated, **params), *specs)
        if math.prod(out.shape):
            found.append((params, *(rng.standard_normal(s.shape) for s in (*specs, out))))
    return found


def check(seed, count):
    used = 0
    for params, *arrays in cases(seed, count):
        run = functools.partial(derivatives, params)
        halves = [a.astype(np.float32) for a in arrays]
        plain = jax.make_jaxpr(run)(*halves)
        program = rewrite(plain)
        used += str(program).count("ffi_call")
        ours = jax.jit(jax.extend.core.jaxpr_as_fun(program))(*halves)
        for mine, right in zip(ours, reference(plain.jaxpr, *arrays), strict=True):
            np.testing.assert_allclose(mine, right, rtol=1e-4, atol=1e-4, err_msg=str(params))
    return used


@pytest.mark.parametrize("seed", range(4))
def test_convolutions_have_the_values_of_float64_in_both_orders(seed):
    assert check(seed, 8) > 40  # of 80


@pytest.mark.parametrize("holes", [(1, 1), (2, 3)])
@pytest.mark.parametrize(
    "padding", [((-1, 1), (0, 0)), ((-1, 0), (-1, 1)), ((2, -3), (-2, -1)), ((-1, -1), (1, 1))]
)
def test_negative_padding(padding, holes):
    """XLA's own kernel in float32 reads beyond its operand where the sum of the padding is 0."""
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((3, 2, 9, 11)), rng.standard_normal((4, 2, 2, 2))
    fn = functools.partial(
        lax.conv_general_dilated, window_strides=(1, 1), padding=padding, lhs_dilation=holes,
        dimension_numbers=("NCHW", "OIHW", "NCHW"),
    )  # fmt: skip
    plain = jax.make_jaxpr(fn)(np.float32(x), np.float32(w))
    (ours,) = jax.extend.core.jaxpr_as_fun(rewrite(plain))(np.float32(x), np.float32(w))
    (wanted,) = reference(plain.jaxpr, x, w)
    np.testing.assert_allclose(ours, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 150))
def test_five_thousand_shapes(seed):
    assert check(seed, 100) > 400


@pytest.mark.parametrize("seed", range(4))
def test_the_interpreters_convolutions_have_the_values_of_float64(seed):
    for params, x, w, _ in cases(seed, 8):
        fn = functools.partial(lax.conv_general_dilated, **params)
        single = x.astype(np.float32), w.astype(np.float32)
        eqn = jax.make_jaxpr(fn)(*single).eqns[-1]
        avals = (*(v.aval for v in eqn.invars), eqn.outvars[0].aval)
        run = convolution.on_arrays(eqn.params, *avals)
        if run is None:
            continue
        np.testing.assert_allclose(run(*single), convolve(x, w, **eqn.params), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [np.float16, jax.numpy.bfloat16], ids=["float16", "bfloat16"])
def test_half_precision_is_as_exact_as_it_can_be(dtype):
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((2, 8, 9, 9)), rng.standard_normal((4, 8, 3, 3))
    fn = functools.partial(
        lax.conv_general_dilated, window_strides=(1, 1), padding="SAME",
        dimension_numbers=("NCHW", "OIHW", "NCHW"),
    )  # fmt: skip
    halves = x.astype(dtype), w.astype(dtype)
    program = rewrite(jax.make_jaxpr(fn)(*halves))
    (ours,) = jax.jit(jax.extend.core.jaxpr_as_fun(program))(*halves)
    with jax.enable_x64():
        wanted = fn(*(h.astype(np.float64) for h in halves))
    assert ours.dtype == dtype
    error = np.abs(np.asarray(ours, np.float64) - np.asarray(wanted)).max()
    assert error <= float(jax.numpy.finfo(dtype).eps) * np.abs(np.asarray(wanted)).max()


def test_not_a_number_and_infinity_come_through():
    x, w = np.ones((1, 2, 5, 5), np.float32), np.ones((3, 2, 3, 3), np.float32)
    x[0, 0, 0, 0], x[0, 1, 4, 4] = np.nan, np.inf
    conv = ms.jit(lambda x, w: ops.conv2d(x, w))
    for _ in range(2):  # the interpreter, the program
        y = conv(ms.Tensor(x), ms.Tensor(w)).asnumpy()
        assert np.isnan(y[0, :, 0, 0]).all() and np.isinf(y[0, :, 2, 2]).all()
        assert (y[0, :, 1, 1] == 18).all()


def test_what_a_handler_raises_is_the_error_of_the_program():
    def fail(text, operands, results):
        raise ValueError(f"no {text.decode()}")

    ffi.register("sporax_test_failure", fail)
    spec = jax.ShapeDtypeStruct((2,), np.float32)

    @jax.jit
    def run(x):
        return jax.ffi.ffi_call("sporax_test_failure", spec)(x, text="such thing") + 1

    with pytest.raises(Exception, match="ValueError: no such thing"):
        jax.block_until_ready(run(np.zeros(2, np.float32)))


@pytest.mark.parametrize("reason", ["no such library", "its version is 2.7, not 3"])
def test_without_the_library_xla_convolves_after_one_warning(reason, monkeypatch):
    def load(path):
        if reason == "no such library":
            raise OSError(reason)

    monkeypatch.setattr(library.c, "CDLL", load)
    monkeypatch.setattr(library, "version", lambda _: (2, 7))
    library.load.cache_clear()
    try:
        with pytest.warns(RuntimeWarning, match=f"oneDNN cannot be used \\({reason}\\)"):
            assert library.load() is None
        net = nn.Conv2d(2, 3, 3, weight_init="ones")
        assert (net(ms.ops.ones((1, 2, 4, 4))).asnumpy()[0, :, 1, 1] == 18).all()
    finally:
        library.load.cache_clear()


def images_convolved(size, channels, count=1):
    """(a compiled convolution, its operands: so many batches of images, a kernel)"""
    rng = np.random.default_rng(0)
    w = rng.standard_normal((channels, channels, 3, 3)).astype(np.float32)
    fn = functools.partial(
        lax.conv_general_dilated, window_strides=(1, 1), padding="SAME",
        dimension_numbers=("NCHW", "OIHW", "NCHW"),
    )  # fmt: skip
    x = rng.standard_normal((count, 2, channels, size, size)).astype(np.float32)
    program = rewrite(jax.make_jaxpr(fn)(x[0], w))
    run = jax.jit(jax.extend.core.jaxpr_as_fun(program))
    return lambda one: np.asarray(run(one, w)[0]), x


@pytest.mark.parametrize("others", [[], [(20, 24), (5, 40)]], ids=["one kernel", "three kernels"])
def test_threads_run_kernels_at_once(others):
    from concurrent.futures import ThreadPoolExecutor

    programs = [images_convolved(*sizes, count=40) for sizes in [(12, 8), *others]]
    calls = [(run, one) for i in range(40) for run, x in programs for one in x[i : i + 1]]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda call: call[0](call[1]), calls))
    for (run, one), result in zip(calls, results, strict=True):
        np.testing.assert_array_equal(run(one), result)


def test_kernels_one_after_another_share_a_workspace(monkeypatch):
    monkeypatch.setattr(library, "_workspaces", workspaces := [])
    sizes = []
    for size, channels in [(5, 40), (20, 24), (12, 8)]:
        run, x = images_convolved(size, channels)
        run(x[0])
        sizes.append([array.nbytes for array, _ in workspaces])
    assert [len(s) for s in sizes] == [1, 1, 1] and sizes[1] == sizes[2]
