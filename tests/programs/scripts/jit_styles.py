"""jit as people write it: decorator, on methods, of Cells, with Python control flow."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, jit, nn, ops


@jit
def fun(a, b, scale=2):
    return a * b + scale


print(fun(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
print(fun(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), 5))
print(fun(Tensor([1.0, 2.0]), b=Tensor([3.0, 4.0]), scale=0.5))


class Net(nn.Cell):
    def __init__(self, depth):
        super().__init__()
        r = np.random.RandomState(depth)
        self.layers = nn.CellList(
            [nn.Dense(3, 3, Tensor(r.randn(3, 3).astype(np.float32)), "ones") for _ in range(depth)]
        )
        self.count = Parameter(Tensor(0, ms.int32), requires_grad=False)
        self.mode = "relu"

    @jit
    def construct(self, x):
        self.count += 1
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if self.mode == "relu" and i < len(self.layers) - 1:
                x = ops.relu(x)
        return x


net = Net(3)
x = Tensor(np.ones((2, 3), np.float32))
print(net(x))
print(net(x * 2))
print(net.count)


class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = nn.SGD(net.trainable_params(), learning_rate=nn.CosineDecayLR(0.0, 0.1, 10))
        self.grad = ms.value_and_grad(self.forward, None, self.opt.parameters)

    def forward(self, x, y):
        return ops.mse_loss(self.net(x), y)

    @ms.jit
    def step(self, x, y):
        loss, grads = self.grad(x, y)
        self.opt(grads)
        return loss


plain = nn.SequentialCell(
    nn.Dense(3, 4, Tensor(np.full((4, 3), 0.1, np.float32)), "zeros"),
    nn.Sigmoid(),
    nn.Dense(4, 1, Tensor(np.linspace(-1, 1, 4).reshape(1, 4), ms.float32), "zeros"),
)
trainer = Trainer(plain)
y = Tensor([[0.3], [0.7]], ms.float32)
for i in range(5):
    print(i, trainer.step(x, y))
print("other batch", trainer.step(ops.ones((4, 3)), ops.zeros((4, 1))))


@jit
def returns_many(x, flag, n):
    out = []
    for i in range(n):
        out.append(x * i)
    if flag:
        return out[0], {"sum": out[-1].sum(), "list": out[1:]}
    return x, {"sum": x.sum(), "list": []}


a, d = returns_many(Tensor([1.0, 2.0]), True, 3)
print(a, d["sum"], d["list"])
print(returns_many(Tensor([1.0, 2.0]), False, 3)[1]["sum"])


@ms.jit
def shapes(x):
    b, c = x.shape
    assert c == 3
    return x.reshape(c, b) if b > 2 else x + b


print(shapes(x), shapes(ops.ones((4, 3))).shape)


@jit
def nested(x):
    return ops.grad(fun)(x, x, 2)


print(nested(Tensor([1.0, 2.0])))
print(ms.grad(fun)(Tensor([1.0]), Tensor([2.0]), 3))


class Counter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.total = Parameter(Tensor(np.zeros(2), ms.float32), name="total")
        self.steps = 0

    def construct(self, x):
        self.total = self.total + x
        return self.total * 2


ms.set_context(mode=ms.GRAPH_MODE)
c = Counter()
for k in range(3):
    print(c(Tensor([1.0, k], ms.float32)))
print(c.total)
plain.set_train()
print(plain(x))
ms.set_context(mode=ms.PYNATIVE_MODE)
print(plain.training, plain[0].training)
