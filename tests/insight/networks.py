"""Networks whose graphs are known."""

from sporax import nn, ops


class Block(nn.Cell):
    """A residual block: two Dense layers and a way around them."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Dense(6, 6), nn.Dense(6, 6)

    def construct(self, x):
        return ops.relu(self.second(self.first(x)) + x)


class Twice(nn.Cell):
    """A block that is called twice."""

    def __init__(self):
        super().__init__()
        self.block = Block()

    def construct(self, x):
        return self.block(self.block(x))


class WithSlowPart(nn.Cell):
    """Three layers, of which `slow` takes nearly all of the time."""

    def __init__(self, width):
        super().__init__()
        self.first, self.slow = nn.Dense(64, 64), Wide(width)
        self.last = nn.Dense(64, 8)

    def construct(self, x):
        return self.last(self.slow(self.first(x)))


class Wide(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Dense(64, width), nn.Dense(width, 64)

    def construct(self, x):
        return self.down(ops.tanh(self.up(x)))


class Attending(nn.Cell):
    """Attention of one head, whose products and `softmax` are operations of its `construct`."""

    def __init__(self, size):
        super().__init__()
        self.query, self.key = nn.Dense(size, size), nn.Dense(size, size)

    def construct(self, x):
        scores = ops.matmul(self.query(x), self.key(x).swapaxes(-1, -2))
        return ops.matmul(ops.softmax(scores), x)
