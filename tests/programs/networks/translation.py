"""An encoder and a decoder of attention: sinusoids, masks of padding and of what comes later."""

import copy

import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from mindspore import Tensor, nn, ops


class ScaledDotProductAttention(nn.Cell):
    def __init__(self, dropout_p=0.0):
        super().__init__()
        self.softmax = nn.Softmax()
        self.dropout = nn.Dropout(p=dropout_p)
        self.sqrt = ops.Sqrt()

    def construct(self, query, key, value, attn_mask=None):
        embed_size = query.shape[-1]
        scaling_factor = self.sqrt(Tensor(embed_size, ms.float32))
        attn = ops.matmul(query, key.swapaxes(-2, -1) / scaling_factor)
        if attn_mask is not None:
            attn = attn.masked_fill(attn_mask, -1e9)
        attn = self.dropout(self.softmax(attn))
        return ops.matmul(attn, value), attn


class MultiHeadAttention(nn.Cell):
    def __init__(self, d_model, d_k, n_heads, dropout_p=0.0):
        super().__init__()
        self.n_heads = n_heads
        self.d_k = d_k
        self.W_Q = nn.Dense(d_model, d_k * n_heads)
        self.W_K = nn.Dense(d_model, d_k * n_heads)
        self.W_V = nn.Dense(d_model, d_k * n_heads)
        self.W_O = nn.Dense(d_k * n_heads, d_model)
        self.attention = ScaledDotProductAttention(dropout_p=dropout_p)

    def construct(self, query, key, value, attn_mask):
        batch_size = query.shape[0]

        def heads(x):
            return x.view(batch_size, -1, self.n_heads, self.d_k).transpose(0, 2, 1, 3)

        q, k, v = heads(self.W_Q(query)), heads(self.W_K(key)), heads(self.W_V(value))
        attn_mask = attn_mask.expand_dims(1)
        attn_mask = ops.tile(attn_mask, (1, self.n_heads, 1, 1))
        context, attn = self.attention(q, k, v, attn_mask)
        context = context.transpose((0, 2, 1, 3)).view((batch_size, -1, self.n_heads * self.d_k))
        return self.W_O(context), attn


class PoswiseFeedForward(nn.Cell):
    def __init__(self, d_ff, d_model, dropout_p=0.0):
        super().__init__()
        self.linear1 = nn.Dense(d_model, d_ff)
        self.linear2 = nn.Dense(d_ff, d_model)
        self.dropout = nn.Dropout(p=dropout_p)
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.linear2(self.dropout(self.relu(self.linear1(x))))


class AddNorm(nn.Cell):
    def __init__(self, d_model):
        super().__init__()
        self.layer_norm = nn.LayerNorm((d_model,), epsilon=1e-5)

    def construct(self, x, residual):
        return self.layer_norm(x + residual)


class EncoderLayer(nn.Cell):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.enc_self_attn = MultiHeadAttention(d_model, d_model // n_heads, n_heads)
        self.pos_ffn = PoswiseFeedForward(d_ff, d_model)
        self.add_norm1 = AddNorm(d_model)
        self.add_norm2 = AddNorm(d_model)

    def construct(self, x, mask):
        found, attn = self.enc_self_attn(x, x, x, mask)
        x = self.add_norm1(found, x)
        return self.add_norm2(self.pos_ffn(x), x), attn


class DecoderLayer(nn.Cell):
    """Its attention to the encoder's outputs is MindSpore's own layer."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.dec_self_attn = MultiHeadAttention(d_model, d_model // n_heads, n_heads)
        self.dec_enc_attn = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.pos_ffn = PoswiseFeedForward(d_ff, d_model)
        self.add_norm1 = AddNorm(d_model)
        self.add_norm2 = AddNorm(d_model)
        self.add_norm3 = AddNorm(d_model)

    def construct(self, x, enc_outputs, self_mask, padding):
        found, _ = self.dec_self_attn(x, x, x, self_mask)
        x = self.add_norm1(found, x)
        found, weights = self.dec_enc_attn(x, enc_outputs, enc_outputs, key_padding_mask=padding)
        x = self.add_norm2(found, x)
        return self.add_norm3(self.pos_ffn(x), x), weights


class PositionalEncoding(nn.Cell):
    def __init__(self, d_model, max_len=16):
        super().__init__()
        pe = np.zeros((max_len, d_model), np.float32)
        position = np.arange(max_len, dtype=np.float32).reshape((-1, 1))
        angle = np.power(10000, np.arange(0, d_model, 2) / d_model)
        pe[:, 0::2] = np.sin(position / angle)
        pe[:, 1::2] = np.cos(position / angle)
        self.pe = Tensor(pe)

    def construct(self, x):
        return x + self.pe[: x.shape[1], :].expand_dims(0)


def get_attn_pad_mask(seq_q, seq_k, pad_idx):
    batch_size, len_q = seq_q.shape
    batch_size, len_k = seq_k.shape
    pad = ops.equal(seq_k, pad_idx).expand_dims(1)
    return ops.broadcast_to(pad, (batch_size, len_q, len_k))


def get_attn_subsequent_mask(seq_q, seq_k):
    batch_size, len_q = seq_q.shape
    batch_size, len_k = seq_k.shape
    ones = ops.ones((batch_size, len_q, len_k), ms.float32)
    return mnp.triu(ones, k=1)


class Encoder(nn.Cell):
    def __init__(self, vocab, d_model, n_heads, d_ff, n_layers):
        super().__init__()
        self.src_emb = nn.Embedding(vocab, d_model)
        self.pos_emb = PositionalEncoding(d_model)
        layer = EncoderLayer(d_model, n_heads, d_ff)
        self.layers = nn.CellList([copy.deepcopy(layer) for _ in range(n_layers)])
        self.scaling_factor = ops.Sqrt()(Tensor(d_model, ms.float32))

    def construct(self, enc_inputs, src_pad_idx):
        x = self.pos_emb(self.src_emb(enc_inputs.astype(ms.int32)) * self.scaling_factor)
        mask = get_attn_pad_mask(enc_inputs, enc_inputs, src_pad_idx)
        attns = []
        for layer in self.layers:
            x, attn = layer(x, mask)
            attns.append(attn)
        return x, attns


class Decoder(nn.Cell):
    def __init__(self, vocab, d_model, n_heads, d_ff, n_layers):
        super().__init__()
        self.tgt_emb = nn.Embedding(vocab, d_model)
        self.pos_emb = PositionalEncoding(d_model)
        self.layers = nn.CellList([DecoderLayer(d_model, n_heads, d_ff) for _ in range(n_layers)])
        self.projection = nn.Dense(d_model, vocab)

    def construct(self, dec_inputs, enc_inputs, enc_outputs, pad_idx):
        x = self.pos_emb(self.tgt_emb(dec_inputs))
        mask = get_attn_pad_mask(dec_inputs, dec_inputs, pad_idx)
        later = get_attn_subsequent_mask(dec_inputs, dec_inputs)
        mask = ops.gt(mask.astype(ms.float32) + later, 0)
        padding = ops.equal(enc_inputs, pad_idx)
        weights = None
        for layer in self.layers:
            x, weights = layer(x, enc_outputs, mask, padding)
        return self.projection(x), weights


class Transformer(nn.Cell):
    def __init__(self, encoder, decoder):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def construct(self, enc_inputs, dec_inputs, pad_idx=0):
        enc_outputs, attns = self.encoder(enc_inputs, pad_idx)
        logits, weights = self.decoder(dec_inputs, enc_inputs, enc_outputs, pad_idx)
        return logits.view((-1, logits.shape[-1])), attns, weights


def build():
    sizes = {"d_model": 8, "n_heads": 2, "d_ff": 16}
    return Transformer(Encoder(11, n_layers=2, **sizes), Decoder(13, n_layers=1, **sizes))


def forward(net, source, target):
    logits, attns, weights = net(source, target[:, :-1])
    return logits, attns[0], weights


def batch(step):
    rng = np.random.default_rng([12, step])
    source = rng.integers(1, 11, (3, 5)).astype(np.int32)
    target = rng.integers(1, 13, (3, 6)).astype(np.int32)
    source[1, 3:] = 0
    target[2, 4:] = 0
    return source, target


def training(net):
    loss_fn = nn.CrossEntropyLoss(ignore_index=0)
    optimizer = nn.Adam(net.trainable_params(), learning_rate=0.002)

    def forward_fn(enc_inputs, dec_inputs):
        logits, _, _ = net(enc_inputs, dec_inputs[:, :-1], 0)
        targets = dec_inputs[:, 1:]
        return loss_fn(logits, targets.view(-1))

    grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters)

    def train_step(enc_inputs, dec_inputs):
        loss, grads = grad_fn(enc_inputs, dec_inputs)
        optimizer(grads)
        return loss

    net.set_train()
    return train_step


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
