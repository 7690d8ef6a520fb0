"""Networks that `cases.py` rewrites; they run under MindSpore and under sporax."""

import numpy as np
from mindspore import Parameter, Tensor, nn, ops


def twice(x, factor=2.0):
    y = x * factor
    return y + x


class LeNet5(nn.Cell):
    def __init__(self, include_top=True):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 2, 3, pad_mode="valid")
        self.conv2 = nn.Conv2d(2, 3, 3, pad_mode="valid")
        self.relu = nn.ReLU()
        self.max_pool2d = nn.MaxPool2d(kernel_size=2, stride=2)
        self.include_top = include_top
        if self.include_top:
            self.flatten = nn.Flatten()
            self.fc1 = nn.Dense(12, 5)
            self.fc2 = nn.Dense(5, 4)
            self.fc3 = nn.Dense(4, 3)

    def construct(self, x):
        """The scores of images."""
        x = self.conv1(x)
        x = self.relu(x)
        x = self.max_pool2d(x)
        x = self.conv2(x)
        x = self.relu(x)
        x = self.max_pool2d(x)
        if not self.include_top:
            return x
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        x = self.fc3(x)
        return x


class Block(nn.Cell):
    def __init__(self, size=4):
        super().__init__()
        self.dense = nn.Dense(size, size)
        self.relu = nn.ReLU()
        self.power = 2

    def construct(self, x):
        x = self.dense(x) ** self.power
        return self.relu(x)


class Nested(nn.Cell):
    def __init__(self):
        super().__init__()
        self.block1 = Block(4)
        self.block2 = Block(4)
        self.seq = nn.SequentialCell([nn.Dense(4, 4), nn.ReLU(), Block(4)])

    def construct(self, x):
        x = self.block1(x)
        x = self.block2(x)
        return self.seq(x)


class Statements(nn.Cell):
    def __init__(self):
        super().__init__()
        self.add = ops.Add()
        self.layers = nn.CellList([nn.ReLU(), nn.Dense(4, 4)])
        self.w = Parameter(Tensor(np.ones(4, np.float32)), name="w")
        self.flag = True
        self.split = ops.Split(1, 2)

    def helper(self, x):
        return x - self.w

    def construct(self, x, scale=2.0):
        a = self.add(x, x)
        b = twice(a, factor=scale)
        c = self.helper(b)
        for layer in self.layers:
            c = layer(c)
        d, e = self.split(c)
        pair = (d, e)
        named = {"first": d}
        part = c[0:1]
        size = x.shape[0]
        minus = -named["first"]
        if self.flag and size > 1:
            minus = minus * 2
        else:
            minus = minus * 3
        while size < 0:
            size = size + 1
        minus += part[:, :2]
        e = minus if self.flag else d
        many = [item * 2 for item in pair]
        assert size > 0
        return e + many[0]


class Keywords(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()
        self.dense = nn.Dense(4, 3)

    def construct(self, input, other=None):
        first = second = self.relu(input=input)
        third = self.dense(first)
        return third + second[:, :3]


class Diamond(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(4, 4)
        self.relu = nn.ReLU()
        self.tanh = nn.Tanh()
        self.add = ops.Add()

    def construct(self, x):
        x = self.dense(x)
        left = self.relu(x)
        right = self.tanh(x)
        return self.add(left, right)


NETWORKS = {"LeNet5": (LeNet5, (2, 1, 14, 14))} | {
    kind.__name__: (kind, (2, 4)) for kind in (Block, Nested, Statements, Keywords, Diamond)
}
