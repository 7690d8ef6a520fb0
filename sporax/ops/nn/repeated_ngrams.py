"""Beam search without repeated n-grams."""

import jax.numpy as jnp

from sporax.ops.declare import Array, op


@op(primitive="NoRepeatNGram(ngram_size=1)(state_seq, log_probs)", function=())
def no_repeat_ngram(state_seq: Array, log_probs: Array, ngram_size=1):
    """`log_probs` `(batch, beams, vocabulary)` of the next word, with the lowest number for each
    word that would repeat an n-gram of `state_seq` `(batch, beams, m)`.

    >>> words = Tensor([[[1, 2, 1]]], sporax.int32)
    >>> ops.NoRepeatNGram(2)(words, ops.zeros((1, 1, 4))).asnumpy() < 0
    array([[[False, False,  True, False]]])
    """
    if state_seq.ndim != 3 or log_probs.shape[:-1] != state_seq.shape[:2] or log_probs.ndim != 3:
        raise ValueError("'state_seq' must be (batch, beams, m) and 'log_probs' (batch, beams, v)")
    if not jnp.issubdtype(state_seq.dtype, jnp.integer):
        raise TypeError("'state_seq' must be integers")
    length = state_seq.shape[2]
    if not isinstance(ngram_size, int) or not 1 <= ngram_size <= length:
        raise ValueError(f"'ngram_size' must be an int in [1, {length}], but got {ngram_size!r}")
    before = ngram_size - 1
    starts = jnp.arange(length - before)
    grams = state_seq[..., starts[:, None] + jnp.arange(ngram_size)]
    last = state_seq[..., length - before :]
    repeats = (grams[..., :before] == last[..., None, :]).all(-1)
    words = jnp.arange(log_probs.shape[2])
    refused = (repeats[..., None] & (grams[..., -1:] == words)).any(-2)
    return jnp.where(refused, jnp.finfo(log_probs.dtype).min, log_probs)
