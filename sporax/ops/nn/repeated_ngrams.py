"""Beam search without repeated n-grams."""

import jax.numpy as jnp

from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, op
from sporax.ops.operand_checks import require_integers, require_shapes


@op(primitive="NoRepeatNGram(ngram_size=1)(state_seq, log_probs)", function=())
def no_repeat_ngram(state_seq: Array, log_probs: Array, ngram_size=1):
    """`log_probs` `(batch, beams, vocabulary)` of the next word, with the lowest number for each
    word that would repeat an n-gram of `state_seq` `(batch, beams, m)`.

    >>> words = Tensor([[[1, 2, 1]]], sporax.int32)
    >>> ops.NoRepeatNGram(2)(words, ops.zeros((1, 1, 4))).asnumpy() < 0
    array([[[False, False,  True, False]]])
    """
    require_shapes(
        state_seq=(state_seq, "batch beams m"), log_probs=(log_probs, "batch beams v")
    )  # fmt: skip
    require_integers(state_seq=state_seq)
    length = state_seq.shape[2]
    fits, interval = isinstance(ngram_size, int) and 1 <= ngram_size <= length, f"[1, {length}]"
    require(fits, "int-in-interval", ngram_size=ngram_size, interval=interval)
    before = ngram_size - 1
    starts = jnp.arange(length - before)
    grams = state_seq[..., starts[:, None] + jnp.arange(ngram_size)]
    last = state_seq[..., length - before :]
    repeats = (grams[..., :before] == last[..., None, :]).all(-1)
    words = jnp.arange(log_probs.shape[2])
    refused = (repeats[..., None] & (grams[..., -1:] == words)).any(-2)
    return jnp.where(refused, jnp.finfo(log_probs.dtype).min, log_probs)
