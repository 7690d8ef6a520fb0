"""Attention in windows that shift: a table of relative biases, rolled pictures and their masks."""

import mindspore as ms
import mindspore.common.initializer as weight_init
import mindspore.ops.operations as P
import numpy as np
from mindspore import Parameter, Tensor, nn, ops


def window_partition(x, window_size):
    b, h, w, c = x.shape
    x = np.reshape(x, (b, h // window_size, window_size, w // window_size, window_size, c))
    return x.transpose(0, 1, 3, 2, 4, 5).reshape(-1, window_size, window_size, c)


class WindowPartition(nn.Cell):
    def __init__(self, window_size):
        super().__init__()
        self.reshape = P.Reshape()
        self.transpose = P.Transpose()
        self.window_size = window_size

    def construct(self, x):
        b, h, w, c = x.shape
        size = self.window_size
        x = self.reshape(x, (b, h // size, size, w // size, size, c))
        x = self.transpose(x, (0, 1, 3, 2, 4, 5))
        return self.reshape(x, (b * h * w // (size**2), size, size, c))


class WindowReverse(nn.Cell):
    def construct(self, windows, window_size, h, w):
        b = windows.shape[0] // (h * w // window_size // window_size)
        x = ops.reshape(
            windows, (b, h // window_size, w // window_size, window_size, window_size, -1)
        )
        x = ops.transpose(x, (0, 1, 3, 2, 4, 5))
        return ops.reshape(x, (b, h, w, -1))


class RelativeBias(nn.Cell):
    def __init__(self, window_size, num_heads):
        super().__init__()
        size = window_size
        coords = np.stack(np.meshgrid(np.arange(size), np.arange(size), indexing="ij"))
        flat = coords.reshape(2, -1)
        relative = flat[:, :, None] - flat[:, None, :] + size - 1
        index = relative[0] * (2 * size - 1) + relative[1]
        self.relative_position_index = Tensor(index.reshape(-1), ms.int32)
        self.relative_position_bias_table = Parameter(
            weight_init.initializer(
                weight_init.TruncatedNormal(sigma=0.02),
                ((2 * size - 1) * (2 * size - 1), num_heads),
                ms.float32,
            ),
            name="relative_position_bias_table",
        )
        self.one_hot = nn.OneHot(depth=(2 * size - 1) * (2 * size - 1))
        self.index = Parameter(
            self.one_hot(self.relative_position_index), name="index", requires_grad=False
        )
        self.count, self.num_heads = size * size, num_heads

    def construct(self, axis=0):
        bias = ops.matmul(self.index, self.relative_position_bias_table)
        bias = ops.reshape(bias, (self.count, self.count, -1))
        return ops.expand_dims(ops.transpose(bias, (2, 0, 1)), axis)


class WindowAttention(nn.Cell):
    def __init__(self, dim, window_size, num_heads, qkv_bias=True):
        super().__init__()
        self.num_heads = num_heads
        self.scale = Tensor([(dim // num_heads) ** -0.5], ms.float32)
        self.relative_bias = RelativeBias(window_size, num_heads)
        self.q = nn.Dense(dim, dim, has_bias=qkv_bias)
        self.k = nn.Dense(dim, dim, has_bias=qkv_bias)
        self.v = nn.Dense(dim, dim, has_bias=qkv_bias)
        self.proj = nn.Dense(dim, dim, has_bias=True)
        self.softmax = nn.Softmax(axis=-1)
        self.batch_matmul = P.BatchMatMul()

    def construct(self, x, mask=None):
        b, n, c = x.shape
        heads = (b, n, self.num_heads, c // self.num_heads)
        q = ops.transpose(ops.reshape(self.q(x) * self.scale, heads), (0, 2, 1, 3))
        k = ops.transpose(ops.reshape(self.k(x), heads), (0, 2, 3, 1))
        v = ops.transpose(ops.reshape(self.v(x), heads), (0, 2, 1, 3))
        attn = self.batch_matmul(q, k) + self.relative_bias()
        if mask is not None:
            windows = mask.shape[1]
            attn = P.Reshape()(attn, (b // windows, windows, self.num_heads, n, n)) + mask
            attn = P.Reshape()(attn, (-1, self.num_heads, n, n))
        attn = self.softmax(attn)
        x = ops.transpose(self.batch_matmul(attn, v), (0, 2, 1, 3)).reshape(b, n, c)
        return self.proj(x)


class Roll(nn.Cell):
    def __init__(self, shift_size, shift_axis=(1, 2)):
        super().__init__()
        self.shift_size = (shift_size,) * len(shift_axis)
        self.shift_axis = shift_axis

    def construct(self, x):
        return ms.numpy.roll(x, self.shift_size, self.shift_axis)


class SwinBlock(nn.Cell):
    def __init__(self, dim, resolution, num_heads, window_size, shift_size, mlp_ratio=2.0):
        super().__init__()
        self.resolution, self.window_size, self.shift_size = resolution, window_size, shift_size
        self.norm1 = nn.LayerNorm([dim], epsilon=1e-5)
        self.attn = WindowAttention(dim, window_size, num_heads)
        self.norm2 = nn.LayerNorm([dim], epsilon=1e-5)
        hidden = int(dim * mlp_ratio)
        self.mlp = nn.SequentialCell([nn.Dense(dim, hidden), nn.GELU(False), nn.Dense(hidden, dim)])
        self.attn_mask = None
        if shift_size > 0:
            self.attn_mask = Parameter(Tensor(self._mask(), ms.float32), requires_grad=False)
            self.roll_pos, self.roll_neg = Roll(shift_size), Roll(-shift_size)
        self.window_partition = WindowPartition(window_size)
        self.window_reverse = WindowReverse()

    def _mask(self):
        """-100 between places of one window that were no neighbours before the roll."""
        h, w = self.resolution
        regions = np.zeros((1, h, w, 1))
        slices = (
            slice(0, -self.window_size),
            slice(-self.window_size, -self.shift_size),
            slice(-self.shift_size, None),
        )
        count = 0
        for rows in slices:
            for columns in slices:
                regions[:, rows, columns, :] = count
                count += 1
        windows = window_partition(regions, self.window_size).reshape(-1, self.window_size**2)
        mask = windows[:, None, :] - windows[:, :, None]
        mask = np.where(mask == 0, 0.0, -100.0)
        return np.expand_dims(np.expand_dims(mask, axis=1), axis=0)

    def construct(self, x):
        h, w = self.resolution
        b, _, c = x.shape
        shortcut = x
        x = self.norm1(x).view(b, h, w, c)
        shifted = self.roll_neg(x) if self.shift_size > 0 else x
        windows = self.window_partition(shifted)
        windows = windows.view(-1, self.window_size * self.window_size, c)
        windows = self.attn(windows, mask=self.attn_mask)
        windows = windows.view(-1, self.window_size, self.window_size, c)
        x = self.window_reverse(windows, self.window_size, h, w)
        if self.shift_size > 0:
            x = self.roll_pos(x)
        x = shortcut + x.view(b, h * w, c)
        return x + self.mlp(self.norm2(x))


class PatchMerging(nn.Cell):
    def __init__(self, resolution, dim):
        super().__init__()
        self.h, self.w = resolution
        self.reduction = nn.Dense(4 * dim, 2 * dim, has_bias=False)
        self.norm = nn.LayerNorm([4 * dim])

    def construct(self, x):
        b = x.shape[0]
        x = ops.reshape(x, (b, self.h // 2, 2, self.w // 2, 2, x.shape[-1]))
        x = ops.transpose(x, (0, 1, 3, 4, 2, 5))
        x = ops.reshape(x, (b, (self.h // 2) * (self.w // 2), -1))
        return self.reduction(self.norm(x))


class Swin(nn.Cell):
    def __init__(self, dim=8, window_size=4, num_classes=3):
        super().__init__()
        self.patch_embed = nn.Conv2d(3, dim, 2, 2, pad_mode="valid", has_bias=True)
        self.layer0 = nn.CellList(
            [
                SwinBlock(dim, (8, 8), 2, window_size, 0 if i % 2 == 0 else window_size // 2)
                for i in range(2)
            ]
        )
        self.merge = PatchMerging((8, 8), dim)
        self.layer1 = nn.SequentialCell([SwinBlock(2 * dim, (4, 4), 4, window_size, 0)])
        self.norm = nn.LayerNorm([2 * dim], epsilon=1e-5)
        self.avgpool = P.ReduceMean(keep_dims=False)
        self.head = nn.Dense(2 * dim, num_classes)

    def no_weight_decay_keywords(self):
        return {"relative_position_bias_table"}

    def construct(self, x):
        x = self.patch_embed(x)
        x = ops.transpose(ops.reshape(x, x.shape[:2] + (-1,)), (0, 2, 1))
        for block in self.layer0:
            x = block(x)
        x = self.norm(self.layer1(self.merge(x)))
        return self.head(self.avgpool(x, 1))


def build():
    return Swin()


def batch(step):
    rng = np.random.default_rng([8, step])
    images = rng.standard_normal((2, 3, 16, 16)).astype(np.float32)
    return images, np.eye(3, dtype=np.float32)[rng.integers(0, 3, 2)]


class SoftTargetCrossEntropy(nn.LossBase):
    def __init__(self):
        super().__init__(reduction="mean")
        self.mean_ops = P.ReduceMean(keep_dims=False)
        self.sum_ops = P.ReduceSum(keep_dims=False)
        self.log_softmax = P.LogSoftmax()

    def construct(self, logit, label):
        loss = self.sum_ops(-1.0 * self.log_softmax(logit) * label, -1)
        return self.mean_ops(loss)


def training(net):
    skip = net.no_weight_decay_keywords()
    parameters = net.trainable_params()
    plain = [p for p in parameters if any(word in p.name for word in skip) or len(p.shape) == 1]
    kept = {p.name for p in plain}
    groups = [
        {"params": [p for p in parameters if p.name not in kept], "weight_decay": 0.05},
        {"params": plain, "weight_decay": 0.0},
    ]
    optimizer = nn.AdamWeightDecay(groups, learning_rate=1e-3, eps=1e-8)
    train = nn.TrainOneStepCell(nn.WithLossCell(net, SoftTargetCrossEntropy()), optimizer)
    train.set_train()
    return train


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
