"""Write the files of this folder with MindSpore 2.10: networks, an input, and their outputs.

python tests/recorded/mindir/record.py
"""

from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.train import serialization

HERE = Path(__file__).parent


class Images(nn.Cell):
    """Layers of image classifiers."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, pad_mode="pad", padding=1, has_bias=True)
        self.norm = nn.BatchNorm2d(8)
        self.depthwise = nn.Conv2d(8, 8, 3, stride=2, group=8)
        self.pool, self.flatten = nn.MaxPool2d(2, 2), nn.Flatten()
        self.average = nn.AvgPool2d(2, 1, "same")
        self.hswish, self.hsigmoid, self.gelu = nn.HSwish(), nn.HSigmoid(), nn.GELU()
        self.dense = nn.Dense(32, 5)

    def construct(self, x):
        y = ops.relu(self.norm(self.conv(x)))
        y = self.hswish(self.depthwise(y)) + self.pool(y)
        y = self.average(y) * self.hsigmoid(y)
        y += self.gelu(y)
        y = ops.concat((y, ops.relu6(y)), 1)[:, 4:12]
        first, last = ops.split(y, 4, axis=1)
        y = ops.concat((first, ops.mean(last, (2, 3), True) * last), 1)
        y = ops.pad(y, (1, 1, 1, 1))[:, :, 1:5, 1:5]
        y = ops.interpolate(y, size=(2, 2), mode="bilinear")
        return self.dense(self.flatten(y)) / 2


class Sequences(nn.Cell):
    """Layers of language models, and other operations."""

    def __init__(self):
        super().__init__()
        self.embedding, self.norm = nn.Embedding(20, 8), nn.LayerNorm((8,))
        self.dense, self.dropout = nn.Dense(8, 8, activation="tanh"), nn.Dropout(p=0.2)
        self.conv, self.transposed = nn.Conv1d(8, 4, 3), nn.Conv2dTranspose(1, 2, 3, has_bias=True)
        self.group, self.elu, self.leaky = nn.GroupNorm(2, 4), nn.ELU(), nn.LeakyReLU()

    def construct(self, tokens):
        x = self.dropout(self.dense(self.norm(self.embedding(tokens))))
        x = x.astype(ms.float16).astype(ms.float32)
        a, b = ops.split(x, 4, axis=2)
        z = ops.softmax(ops.matmul(a, b.swapaxes(1, 2)), -1)
        z = z * ops.one_hot(ops.argmax(z, -1), 6) + ops.exp(-z) * 2 - 1 / (z + 1.5)
        w = self.conv(x.transpose(0, 2, 1))
        w = self.group(w.expand_dims(-1)).squeeze(-1)
        largest = self.elu(self.leaky(w)).max(axis=1) + ops.clamp(w, -1, 1).min(axis=1)
        sums = ops.sqrt(ops.abs(w)).mean(1) + ops.log(ops.square(w) + 1).sum(1)
        powers = ops.pow(w, 2).prod(1)
        chosen = ops.maximum(ops.where(z > 0.5, z, ops.zeros_like(z)), z.mean())
        joined = ops.flip(ops.tile(ops.cat((z, chosen), -1), (1, 1, 2)), (0,))[:, 1:3, ::2]
        return (
            joined, largest + sums + powers, self.transposed(x.expand_dims(1)),
            ops.gather(x, ms.Tensor([0, 2]), 1), ops.stack((a, b)), ops.topk(z, 2)[0],
            ops.cumsum(z, 1),
        )  # fmt: skip


class Branching(nn.Cell):
    """Control flow that depends on a Tensor."""

    def construct(self, x):
        if x.sum() > 0:
            return x * 2
        return x - 1


class Looping(nn.Cell):
    """Loops and conditions in each other, with Parameters."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 3)

    def construct(self, x):
        level, count = x.sum(), ops.zeros((), ms.int32)
        while level < 20:
            inner = ops.zeros((), ms.int32)
            while inner < 2:
                x = ops.tanh(self.dense(x)) + inner
                inner = inner + 1
            if level > 5:
                x, level = x * 2, level + 4
            else:
                level = level + 3
            count = count + 1
        if count > 3:
            return x + 1, count
        return x - 1, count


def record(name, net, x, *others):
    net.set_train(False)
    for parameter in net.get_parameters():
        if "moving" in parameter.name:
            parameter.set_data(ms.Tensor(np.linspace(0.5, 1.5, parameter.size, dtype=np.float32)))
    outputs = net(ms.Tensor(x))
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    ms.export(net, ms.Tensor(x), file_name=str(HERE / name), file_format="MINDIR")
    for path in HERE.rglob(f"{name}*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    arrays = {"x": x} | {f"y{i}": y.asnumpy() for i, y in enumerate(outputs)}
    for k, other in enumerate(others):
        found = net(ms.Tensor(other))
        found = found if isinstance(found, tuple) else (found,)
        arrays |= {f"x_{k}": other} | {f"y{i}_{k}": y.asnumpy() for i, y in enumerate(found)}
    np.savez(HERE / name, **arrays)


if __name__ == "__main__":
    ms.set_seed(0)
    random = np.random.default_rng(0)
    record("images", Images(), random.normal(size=(2, 3, 8, 8)).astype(np.float32))
    record("sequences", Sequences(), random.integers(0, 20, (3, 6)).astype(np.int32))
    ones = np.ones((2, 3), np.float32)
    record("branching", Branching(), ones, -ones)
    record("looping", Looping(), ones, 2 * ones, 9 * ones)
    serialization.TOTAL_SAVE = 0  # as if the Parameters took more than 1 GB: files of their own
    record("parts", nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2)), ones)
