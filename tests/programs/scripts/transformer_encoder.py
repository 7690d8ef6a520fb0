"""A transformer encoder that reverses sequences; AdamWeightDecay with a warm-up."""

import argparse
import math

import mindspore as ms
import mindspore.common.dtype as mstype
import mindspore.nn as nn
import mindspore.ops as ops
import numpy as np
from mindspore import Parameter, Tensor
from mindspore.nn.learning_rate_schedule import LearningRateSchedule, PolynomialDecayLR, WarmUpLR

r = np.random.RandomState(0)


def arr(*shape, scale=0.1):
    return Tensor((r.randn(*shape) * scale).astype(np.float32))


class SelfAttention(nn.Cell):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.head_dim = dim // heads
        self.query = nn.Dense(dim, dim, weight_init=arr(dim, dim), bias_init="zeros")
        self.key = nn.Dense(dim, dim, weight_init=arr(dim, dim), bias_init="zeros")
        self.value = nn.Dense(dim, dim, weight_init=arr(dim, dim), bias_init="zeros")
        self.proj = nn.Dense(dim, dim, weight_init=arr(dim, dim), bias_init="zeros")
        self.softmax = nn.Softmax(axis=-1)
        self.matmul = ops.BatchMatMul()
        self.matmul_t = ops.BatchMatMul(transpose_b=True)
        self.transpose = ops.Transpose()
        self.scale = Tensor(1.0 / math.sqrt(self.head_dim), mstype.float32)
        self.multiply_data = Tensor([-10000.0], dtype=mstype.float32)

    def split(self, x):
        b, n, _ = x.shape
        return self.transpose(x.reshape((b, n, self.heads, self.head_dim)), (0, 2, 1, 3))

    def construct(self, x, mask):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = self.matmul_t(q, k) * self.scale
        keep = ops.expand_dims(ops.expand_dims(mask, 1), 1)
        scores = scores + (1.0 - ops.cast(keep, mstype.float32)) * self.multiply_data
        out = self.matmul(self.softmax(scores), v)
        out = self.transpose(out, (0, 2, 1, 3))
        return self.proj(out.view(out.shape[0], out.shape[1], -1))


class EncoderLayer(nn.Cell):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention = SelfAttention(dim, heads)
        self.norm1 = nn.LayerNorm((dim,), epsilon=1e-5)
        self.norm2 = nn.LayerNorm([dim])
        self.mlp = nn.SequentialCell(
            nn.Dense(dim, hidden, weight_init=arr(hidden, dim), bias_init="zeros"),
            nn.GELU(approximate=False),
            nn.Dense(hidden, dim, weight_init=arr(dim, hidden), bias_init="zeros"),
            nn.Dropout(p=0.0),
        )

    def construct(self, x, mask):
        x = x + self.attention(self.norm1(x), mask)
        return x + self.mlp(self.norm2(x))


class Encoder(nn.Cell):
    def __init__(self, vocab, length, dim=16, heads=2, layers=1):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim, embedding_table=arr(vocab, dim), padding_idx=None)
        self.position = Parameter(arr(1, length, dim), name="position")
        self.layers = nn.CellList([EncoderLayer(dim, heads, 4 * dim) for _ in range(layers)])
        self.head = nn.Dense(dim, vocab, weight_init=arr(vocab, dim), has_bias=False)

    def construct(self, ids, mask):
        x = self.embedding(ids) + self.position[:, : ids.shape[1]]
        for layer in self.layers:
            x = layer(x, mask)
        return self.head(x)


class WarmUpPoly(LearningRateSchedule):
    def __init__(self, learning_rate, warmup_steps, decay_steps):
        super().__init__()
        self.warmup = WarmUpLR(learning_rate, warmup_steps)
        self.decay = PolynomialDecayLR(learning_rate, 0.0, decay_steps, 1.0)
        self.warmup_steps = Tensor(np.array([warmup_steps]).astype(np.float32))
        self.one = Tensor(np.array([1.0]).astype(np.float32))
        self.greater = ops.Greater()
        self.cast = ops.Cast()

    def construct(self, global_step):
        is_warmup = self.cast(self.greater(self.warmup_steps, global_step), mstype.float32)
        return (self.one - is_warmup) * self.decay(global_step) + is_warmup * self.warmup(
            global_step
        )


parser = argparse.ArgumentParser()
parser.add_argument("--jit", action="store_true")
parser.add_argument("--graph", action="store_true")
args = parser.parse_args()
ms.set_context(mode=ms.GRAPH_MODE if args.graph else ms.PYNATIVE_MODE, device_target="CPU")

VOCAB, LENGTH, STEPS = 12, 7, 9
net = Encoder(VOCAB, LENGTH)
params = net.trainable_params()
decay = list(filter(lambda p: "norm" not in p.name and "bias" not in p.name, params))
other = list(filter(lambda p: "norm" in p.name or "bias" in p.name, params))
optimizer = nn.AdamWeightDecay(
    [
        {"params": decay, "weight_decay": 0.01},
        {"params": other, "weight_decay": 0.0},
        {"order_params": params},
    ],
    learning_rate=WarmUpPoly(0.02, 3, STEPS),
    eps=1e-6,
)
loss_fn = nn.CrossEntropyLoss(ignore_index=0)


def forward(ids, mask, target):
    logits = net(ids, mask)
    return loss_fn(logits.reshape(-1, VOCAB), target.reshape(-1))


grad_fn = ops.value_and_grad(forward, None, optimizer.parameters)


def step(ids, mask, target):
    loss, grads = grad_fn(ids, mask, target)
    grads = ops.clip_by_global_norm(grads, 1.0)
    optimizer(grads)
    return loss


if args.jit:
    step = ms.jit(step)

net.set_train()
for i in range(STEPS):
    ids = r.randint(1, VOCAB, (8, LENGTH)).astype(np.int32)
    lengths = r.randint(3, LENGTH + 1, 8)
    mask = (np.arange(LENGTH)[None] < lengths[:, None]).astype(np.int32)
    target = ids[:, ::-1].copy()
    target[:, :2] = 0
    loss = step(Tensor(ids), Tensor(mask), Tensor(target))
    if i % 3 == 2:
        print("step", i + 1, "loss", loss)
print(optimizer.global_step)
print(net.layers[0].attention)
print(net.position)
print(net(Tensor(ids), Tensor(mask))[0, :2])
for name, p in list(net.parameters_and_names())[:8]:
    print(name, p)
