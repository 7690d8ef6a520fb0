"""Attention in blocks: equal to the plain form, in memory that does not hold the scores."""

import jax
import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops
from sporax.ops.nn.attention import MOST_SCORES, attention
from tests.samples.attention import attention as reference

RNG = np.random.default_rng(0)


def numbers(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


INPUTS = numbers(2, 3, 70, 4), numbers(2, 3, 7, 4), numbers(2, 3, 7, 5)
BIAS, HIDDEN = numbers(1, 3, 70, 7), RNG.random((2, 1, 70, 7)) < 0.4


@pytest.mark.parametrize("band", [None, (-62, 1)])
@pytest.mark.parametrize(("bias", "hidden"), [(None, None), (BIAS, None), (BIAS, HIDDEN)])
def test_blocks_give_the_values_and_derivatives_of_the_whole(bias, hidden, band):
    inputs = [Tensor(x) for x in INPUTS]
    rest = [None if x is None else Tensor(x) for x in (bias, hidden)]

    def results(most_scores):
        def value(*qkv):
            return attention(*qkv, *rest, None, 0.5, band, most_scores)

        def square(*qkv):
            return (value(*qkv) ** 2).sum()

        def of_gradients(*qkv):
            return sum((g * g).sum() for g in ms.grad(square, (0, 1, 2))(*qkv))

        derivatives = [*ms.grad(square, (0, 1, 2))(*inputs)]
        derivatives += ms.grad(of_gradients, (0, 1, 2))(*inputs)
        return [x.asnumpy() for x in (value(*inputs), *derivatives)]

    in_blocks, whole = results(0), results(MOST_SCORES)
    expected = reference(*INPUTS, 0 if bias is None else bias, hidden, scale=0.5, band=band)
    np.testing.assert_allclose(in_blocks[0], expected, rtol=1e-5, atol=1e-5)
    for mine, theirs in zip(in_blocks, whole, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-3, atol=1e-3 * np.abs(theirs).max())


def temporaries(most_scores):
    """Bytes of a program's own memory: the gradient of causal attention over 8,192 positions."""

    def loss(q, k, v):
        of = attention.declaration.fn
        return of(q, k, v, scale=0.2, band=(-9000, 0), most_scores=most_scores).sum()

    inputs = [jax.ShapeDtypeStruct((1, 2, 8192, 32), np.float32)] * 3
    compiled = jax.jit(jax.grad(loss, (0, 1, 2))).lower(*inputs).compile()
    return compiled.memory_analysis().temp_size_in_bytes


def test_scores_of_long_sequences_are_never_held():
    scores = 2 * 8192 * 8192 * 4
    assert temporaries(2**40) > scores
    assert temporaries(MOST_SCORES) < scores / 6


def test_a_layer_without_weights_takes_blocks():
    layer, x = nn.MultiheadAttention(8, 2), Tensor(numbers(1500, 1, 8))
    mask = Tensor(np.triu(np.ones((1500, 1500), bool), 1))
    whole, weights = layer(x, x, x, attn_mask=mask)
    (in_blocks,) = layer(x, x, x, attn_mask=mask, need_weights=False)
    assert weights.shape == (1, 1500, 1500)
    np.testing.assert_allclose(in_blocks.asnumpy(), whole.asnumpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("layout", ["BSH", "SBH", "BNSD", "BSND"])
def test_layouts_of_flash_attention_score(layout):
    axes = {"BSH": (0, 2, 1, 3), "SBH": (2, 0, 1, 3), "BNSD": (0, 1, 2, 3), "BSND": (0, 2, 1, 3)}
    q, k, v = numbers(2, 4, 6, 8), numbers(2, 2, 5, 8), numbers(2, 2, 5, 8)

    def laid_out(x):
        x = x.transpose(axes[layout])
        return x.reshape(*x.shape[:2], -1) if layout in ("BSH", "SBH") else x

    masks = [RNG.random((6, 5)) < 0.5, RNG.random((2, 4, 6, 8)) < 0.5]
    masks[0][:, 0] = False
    dropped = Tensor(np.packbits(masks[1], -1, bitorder="little"))
    got = ops.flash_attention_score(
        *(Tensor(laid_out(x)) for x in (q, *(np.concatenate([x, x[:, :, :3]], 2) for x in (k, v)))),
        4, attn_mask=Tensor(np.concatenate([masks[0], masks[0][:, :3]], 1)), drop_mask=dropped,
        keep_prob=0.5, scalar_value=0.3, input_layout=layout,
    )  # fmt: skip
    k, v = (np.repeat(np.concatenate([x, x[:, :, :3]], 2), 2, 1) for x in (k, v))
    hidden = np.concatenate([masks[0], masks[0][:, :3]], 1)
    expected = laid_out(reference(q, k, v, 0.0, hidden, masks[1] * 2.0, scale=0.3))
    np.testing.assert_allclose(got.asnumpy(), expected, rtol=1e-4, atol=1e-5)


def flash(q, k, v, *, head_num, scalar_value=1.0, sparse_mode=0):
    q, k, v = (
        x.reshape(*x.shape[:2], -1, q.shape[2] // head_num).swapaxes(1, 2) for x in (q, k, v)
    )
    k, v = (np.repeat(x, head_num // x.shape[1], 1) for x in (k, v))
    more = k.shape[2] - q.shape[2]
    band = {2: (-9, 0), 3: (-9, more)}.get(sparse_mode)
    out = attention(q, k, v, scale=scalar_value, band=band)
    return out.swapaxes(1, 2).reshape(out.shape[0], out.shape[2], -1)


@pytest.mark.parametrize(
    ("key_size", "options"),
    [
        (8, {"head_num": 2}),
        (4, {"head_num": 2, "scalar_value": 0.5, "sparse_mode": 2}),
        (8, {"head_num": 4, "sparse_mode": 3}),
    ],
)
def test_modes_of_flash_attention_score(key_size, options):
    inputs = numbers(2, 3, 8), numbers(2, 5, key_size), numbers(2, 5, key_size)
    got = ops.flash_attention_score(*map(Tensor, inputs), **options)
    np.testing.assert_allclose(got.asnumpy(), flash(*inputs, **options), rtol=1e-5, atol=1e-6)
