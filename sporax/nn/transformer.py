"""Transformers (Vaswani et al., 2017): layers, stacks, and the full model."""

import copy
from collections.abc import Callable
from typing import Any

from sporax import ops
from sporax._src.core.dtype import float32
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.initializers import initializer
from sporax.nn.activation import GELU, ReLU
from sporax.nn.attention import MultiheadAttention
from sporax.nn.cell import Cell
from sporax.nn.container import CellList
from sporax.nn.dense import Dense
from sporax.nn.dropout import Dropout
from sporax.nn.layer_inputs import require_last
from sporax.nn.normalization import LayerNorm

_BY_NAME = {"relu": ops.relu, "gelu": ops.gelu}


def _activation(layer, activation):
    """Resolve the feed-forward activation: 'relu' or 'gelu' as a name, function or Cell."""
    if isinstance(activation, str) and activation in _BY_NAME:
        return _BY_NAME[activation]
    if isinstance(activation, (ReLU, GELU)) or activation in (ops.relu, ops.gelu):
        return activation
    raise rejection("relu-gelu-name-function", layer, activation=activation)


class _Layer(Cell):
    """Base class of the layers: blocks with a residual connection and a `LayerNorm` each.

    `_attentions`: names of the attention blocks; the feed-forward block comes last.
    """

    _attentions = ()

    def __init__(
        self, d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
        norm_first, dtype,
    ):  # fmt: skip
        super().__init__()
        bend: Any = _activation(type(self).__name__, activation)
        for name in self._attentions:
            attention = MultiheadAttention(
                d_model, nhead, dropout=dropout, batch_first=batch_first, dtype=dtype
            )
            setattr(self, name, attention)
        self.dense1 = Dense(d_model, dim_feedforward, dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(dim_feedforward, d_model, dtype=dtype)
        blocks = range(1, len(self._attentions) + 2)
        for i in blocks:
            setattr(self, f"norm{i}", LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype))
        for i in blocks:
            setattr(self, f"dropout{i}", Dropout(p=dropout))
        self.activation1, self.activation = activation, bend
        self.d_model, self.nhead, self.dim_feedforward = d_model, nhead, dim_feedforward
        self.dropout_num, self.layernorm_eps = dropout, layer_norm_eps
        self.batch_first, self.norm_first, self.dtype = batch_first, norm_first, dtype

    def another(self):
        """Return a new layer with the same settings."""
        return type(self)(
            self.d_model, self.nhead, self.dim_feedforward, self.dropout_num, self.activation1,
            self.layernorm_eps, self.batch_first, self.norm_first, self.dtype,
        )  # fmt: skip

    def _with_residual(self, i, x, block):
        norm, drop = getattr(self, f"norm{i}"), getattr(self, f"dropout{i}")
        if self.norm_first:
            return x + drop(block(norm(x)))
        return norm(x + drop(block(x)))

    def _feed_forward(self, x):
        return self.dense2(self.dropout(self.activation(self.dense1(x))))


def _attended(attention, x, seen, mask, padding):
    return attention(
        x, seen, seen, attn_mask=mask, key_padding_mask=padding, need_weights=False
    )[0]  # fmt: skip


class TransformerEncoderLayer(_Layer):
    """Self-attention, then a feed-forward block, each with a residual connection: `(L, N, E)`.

    `activation`: 'relu' or 'gelu', or their function or Cell. `norm_first`: apply `LayerNorm`
    before each block instead of after it. Called with `src`, `src_mask`, `src_key_padding_mask`
    (masks: see `MultiheadAttention`).

    >>> nn.TransformerEncoderLayer(8, 2, 16)(ops.ones((5, 2, 8))).shape
    (5, 2, 8)
    """

    _attentions = ("self_attn",)

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: str | Cell | Callable = "relu", layer_norm_eps: float = 1e-5,
        batch_first: bool = False, norm_first: bool = False, dtype=float32,
    ):  # fmt: skip
        super().__init__(
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
            norm_first, dtype,
        )  # fmt: skip

    def construct(
        self, src: Tensor, src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
    ):  # fmt: skip
        x = self._with_residual(
            1, src, lambda x: _attended(self.self_attn, x, x, src_mask, src_key_padding_mask)
        )
        return self._with_residual(2, x, self._feed_forward)


class TransformerDecoderLayer(_Layer):
    """Like `TransformerEncoderLayer`, with attention to `memory` before the feed-forward block.

    Called with `tgt`, `memory`, and masks for each.

    >>> nn.TransformerDecoderLayer(8, 2, 16)(ops.ones((5, 2, 8)), ops.ones((7, 2, 8))).shape
    (5, 2, 8)
    """

    _attentions = "self_attn", "multihead_attn"

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: str | Cell | Callable = "relu", layer_norm_eps: float = 1e-5,
        batch_first: bool = False, norm_first: bool = False, dtype=float32,
    ):  # fmt: skip
        super().__init__(
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
            norm_first, dtype,
        )  # fmt: skip

    def construct(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None, tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ):  # fmt: skip
        x = self._with_residual(
            1, tgt, lambda x: _attended(self.self_attn, x, x, tgt_mask, tgt_key_padding_mask)
        )
        x = self._with_residual(
            2, x,
            lambda x: _attended(
                self.multihead_attn, x, memory, memory_mask, memory_key_padding_mask
            ),
        )  # fmt: skip
        return self._with_residual(3, x, self._feed_forward)


def _copies(layer, count):
    one = layer.another()
    return CellList([copy.deepcopy(one) for _ in range(count)])


class TransformerEncoder(Cell):
    """`num_layers` layers with the settings of `encoder_layer`, and `norm` after them if given.

    >>> layer = nn.TransformerEncoderLayer(8, 2, 16)
    >>> nn.TransformerEncoder(layer, 2)(ops.ones((5, 2, 8))).shape
    (5, 2, 8)
    """

    def __init__(self, encoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = _copies(encoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def construct(
        self, src: Tensor, src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
    ):  # fmt: skip
        for layer in self.layers:
            src = layer(src, src_mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Cell):
    """`num_layers` layers with the settings of `decoder_layer`, and `norm` after them if given.

    >>> layer = nn.TransformerDecoderLayer(8, 2, 16)
    >>> nn.TransformerDecoder(layer, 2)(ops.ones((5, 2, 8)), ops.ones((7, 2, 8))).shape
    (5, 2, 8)
    """

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = _copies(decoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def construct(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None, tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ):  # fmt: skip
        for layer in self.layers:
            tgt = layer(
                tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
            )  # fmt: skip
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Cell):
    """Encoder of `src` `(S, N, E)`, and decoder of `tgt` `(T, N, E)` that attends to its output.

    `custom_encoder`, `custom_decoder` replace the stacks of `num_encoder_layers` and
    `num_decoder_layers`. Matrices are Xavier-uniform initialized. Other arguments: see
    `TransformerEncoderLayer`.

    >>> net = nn.Transformer(8, 2, 1, 1, 16)
    >>> net(ops.ones((5, 2, 8)), ops.ones((7, 2, 8))).shape
    (7, 2, 8)
    """

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6,
        num_decoder_layers: int = 6, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: str | Cell | Callable = "relu", custom_encoder: Cell | None = None,
        custom_decoder: Cell | None = None, layer_norm_eps: float = 1e-5,
        batch_first: bool = False, norm_first: bool = False, dtype=float32,
    ):  # fmt: skip
        super().__init__()
        settings = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
            norm_first, dtype,
        )  # fmt: skip
        for name, custom, stack, layer, count in [
            ("encoder", custom_encoder, TransformerEncoder, TransformerEncoderLayer,
             num_encoder_layers),
            ("decoder", custom_decoder, TransformerDecoder, TransformerDecoderLayer,
             num_decoder_layers),
        ]:  # fmt: skip
            if custom is None:
                norm = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
                custom = stack(layer(*settings), count, norm)
            setattr(self, name, custom)
        for _, p in self.parameters_and_names():
            if p.ndim > 1:
                p.set_data(initializer("xavier_uniform", p.shape, p.dtype))
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def construct(
        self, src: Tensor, tgt: Tensor, src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None, tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ):  # fmt: skip
        batch = 0 if self.batch_first else 1
        shapes = src.shape, tgt.shape
        fits = not src.ndim == tgt.ndim == 3 or shapes[0][batch] == shapes[1][batch]
        fields = {"argument": "src", "shape": shapes[0], "shape2": shapes[1]}
        require(fits, "tgt-equally-many-sequences", "Transformer", **fields)
        require_last("Transformer", src, d_model=self.d_model)
        require_last("Transformer", tgt, d_model=self.d_model)
        memory = self.encoder(src, src_mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
        )  # fmt: skip
