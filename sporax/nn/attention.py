"""Attention (Vaswani et al., 2017)."""

import math
from typing import Any

from sporax import ops
from sporax._src.core.dtype import bool_, float32, uint8
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.initializers import XavierNormal, XavierUniform
from sporax.nn.cell import Cell
from sporax.nn.dense import Dense
from sporax.nn.layer_inputs import TENSOR, require_multiples
from sporax.nn.parameter_init import parameter
from sporax.ops.nn.attention import MOST_SCORES, attention


class MultiheadAttention(Cell):
    r"""$softmax(q k^\top / \sqrt{d}) v$ in each of `num_heads` heads, followed by a `Dense`.

    Called with `query` `(L, N, E)`, `key` `(S, N, kdim)`, `value` `(S, N, vdim)`, or without the
    batch axis N; `batch_first`: N comes first. `attn_mask`, `(L, S)` or `(N heads, L, S)`, and
    `key_padding_mask` `(N, S)`: bool, True for masked positions, or floats added to the scores.
    Returns the output `(L, N, E)` and, if `need_weights`, the weights `(N, L, S)`, averaged over
    heads, or `(N, heads, L, S)` if not `average_attn_weights`. `add_bias_kv`: append a trainable
    key and value; `add_zero_attn`: append a zero key and value. `dropout`: on the weights, in
    training. With neither `need_weights` nor dropout, long sequences never materialise all weights.

    >>> x = ops.ones((5, 2, 8))
    >>> y, weights = nn.MultiheadAttention(8, 2)(x, x, x)
    >>> y.shape, weights.shape
    ((5, 2, 8), (2, 5, 5))
    """

    in_proj_weight: Any
    in_proj_bias: Any

    def __init__(
        self, embed_dim, num_heads, dropout=0.0, has_bias=True, add_bias_kv=False,
        add_zero_attn=False, kdim=None, vdim=None, batch_first=False, dtype=float32,
    ):  # fmt: skip
        super().__init__()
        require_multiples("MultiheadAttention", num_heads=num_heads, embed_dim=embed_dim)
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.dropout, self.batch_first, self.add_zero_attn = dropout, batch_first, add_zero_attn
        self.dtype = dtype = dtype or float32
        self._packed = self.kdim == self.vdim == embed_dim

        def weight(name, init, *shape):
            return parameter("MultiheadAttention", name, init, shape, dtype, name)

        sizes = {"q": embed_dim, "k": self.kdim, "v": self.vdim}
        for letter, size in sizes.items():
            name = f"{letter}_proj_weight"
            separate = None if self._packed else weight(name, XavierUniform(), embed_dim, size)
            setattr(self, name, separate)
        self.in_proj_weight = self.in_proj_bias = self.bias_k = self.bias_v = None
        if self._packed:
            self.in_proj_weight = weight(
                "in_proj_weight", XavierUniform(), 3 * embed_dim, embed_dim
            )
        if has_bias:
            self.in_proj_bias = weight("in_proj_bias", "zeros", 3 * embed_dim)
        self.out_proj = Dense(embed_dim, embed_dim, has_bias=has_bias, dtype=dtype)
        if add_bias_kv:
            self.bias_k = weight("bias_k", XavierNormal(), 1, 1, embed_dim)
            self.bias_v = weight("bias_v", XavierNormal(), 1, 1, embed_dim)

    def _projected(self, inputs):
        """Project query, key and value to (N, length, E)."""
        if self._packed:
            weights = self.in_proj_weight.chunk(3)
        else:
            weights = self.q_proj_weight, self.k_proj_weight, self.v_proj_weight
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        return [ops.dense(x, w, b) for x, w, b in zip(inputs, weights, biases, strict=True)]

    def _checked(self, query, key, value):
        who, inputs = "MultiheadAttention", dict(query=query, key=key, value=value)
        TENSOR(who, **inputs)
        if query.ndim not in (2, 3) or not query.ndim == key.ndim == value.ndim:
            shapes = ", ".join(f"'{name}' {x.shape}" for name, x in inputs.items())
            raise rejection("query-key-value-all", who, got=shapes)
        sizes = {"embed_dim": self.embed_dim, "kdim": self.kdim, "vdim": self.vdim}
        for (argument, x), (name, n) in zip(inputs.items(), sizes.items(), strict=True):
            fields = {"argument": argument, "size": n, "name": name, "shape": x.shape}
            require(x.shape[-1] == n, "last-axis-of", who, **fields)
        fits = key.shape[:-1] == value.shape[:-1]
        require(fits, "value-same-shape-last", who, key=key.shape, shape=value.shape)

    def construct(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None,
        need_weights: bool = True, attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ):  # fmt: skip
        self._checked(query, key, value)
        inputs, batched = [query, key, value], query.ndim == 3
        if not batched:
            inputs = [x.expand_dims(0) for x in inputs]
            key_padding_mask = None if key_padding_mask is None else key_padding_mask.expand_dims(0)
        elif not self.batch_first:  # no swaps with batch_first, so the batch axis can be split
            inputs = [x.swapaxes(0, 1) for x in inputs]
        (batch, length), source = inputs[0].shape[:2], inputs[1].shape[1]
        q, k, v = self._projected(inputs)
        mask = self._mask(attn_mask, key_padding_mask, (batch, length, source), q.dtype)
        more = []
        if self.bias_k is not None:
            biases: Any = self.bias_k, self.bias_v
            more.append([b.tile((batch, 1, 1)) for b in biases])
        if self.add_zero_attn:
            more.append([ops.zeros((batch, 1, self.embed_dim), q.dtype)] * 2)
        for one_k, one_v in more:
            k, v = ops.cat((k, one_k), 1), ops.cat((v, one_v), 1)
        if mask is not None and more:
            mask = ops.pad(mask, (0, len(more)))
        q, k, v = (self._heads(x) for x in (q, k, v))
        y, kept = self._attended(q, k, v, mask, need_weights)
        y = y.permute(0, 2, 1, 3).reshape(batch, length, self.embed_dim)
        y = self.out_proj(y)
        if not batched:
            y = y.squeeze(0)
        elif not self.batch_first:
            y = y.swapaxes(0, 1)
        if not need_weights:
            return (y,)
        kept = kept if batched else kept.squeeze(0)
        return y, kept.mean(-3) if average_attn_weights else kept

    def _attended(self, q, k, v, mask, need_weights) -> tuple[Any, Any]:
        """Return the attention output and the weights; the weights are None if unused and too large
        to materialise."""
        drops = self.dropout and self.training
        if not (need_weights or drops) and math.prod(q.shape[:3]) * k.shape[2] > MOST_SCORES:
            return attention(q, k, v, mask, None, None, 1 / math.sqrt(self.head_dim)), None
        scores = ops.matmul(q, k.swapaxes(-1, -2)) / math.sqrt(self.head_dim)
        weights = ops.softmax(scores if mask is None else scores + mask, -1)
        kept = ops.dropout(weights, self.dropout, self.training) if self.dropout else weights
        return ops.matmul(kept, v), kept

    def _heads(self, x):
        """(N, length, E) -> (N, heads, length, E / heads)."""
        split = x.reshape(x.shape[0], x.shape[1], self.num_heads, self.head_dim)
        return split.permute(0, 2, 1, 3)

    def _mask(self, attn_mask, key_padding_mask, sizes, dtype):
        """Merge both masks into one to add to the scores `(N, heads, L, S)`; None without masks."""
        batch, length, source = sizes
        total = None
        if attn_mask is not None:
            allowed = (length, source), (batch * self.num_heads, length, source)
            total = self._added("attn_mask", attn_mask, allowed, dtype)
            total = total.reshape(-1, 1 if total.ndim == 2 else self.num_heads, length, source)
        if key_padding_mask is not None:
            padding = self._added("key_padding_mask", key_padding_mask, ((batch, source),), dtype)
            padding = padding.reshape(batch, 1, 1, source)
            total = padding if total is None else total + padding
        if total is None:
            return None
        return total.broadcast_to((batch, total.shape[1], length, source))

    @staticmethod
    def _added(name, mask, shapes, dtype):
        who, shape = "MultiheadAttention", mask.shape
        is_mask = mask.is_floating_point() or mask.dtype in (bool_, uint8)
        require(is_mask, "bool-floating", who, argument=name, got=mask.dtype)
        require(shape in shapes, "shape-one-of", who, argument=name, got=shape, shapes=shapes)
        if mask.is_floating_point():
            return mask.astype(dtype)
        hidden = ops.zeros(mask.shape, dtype)
        return hidden.masked_fill(mask.astype(bool_), float("-inf"))
