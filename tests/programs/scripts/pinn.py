"""A physics-informed net for u'' + u = 0: second derivatives inside the loss."""

import argparse

import mindspore as ms
import mindspore.nn as nn
import mindspore.ops as ops
import mindspore.ops.functional as F
import numpy as np
from mindspore import Tensor
from mindspore.ops import composite as C

parser = argparse.ArgumentParser()
parser.add_argument("--graph", action="store_true")
parser.add_argument("--jit", action="store_true")
args = parser.parse_args()
ms.set_context(mode=ms.GRAPH_MODE if args.graph else ms.PYNATIVE_MODE)
r = np.random.RandomState(42)


class MLP(nn.Cell):
    def __init__(self, sizes):
        super().__init__()
        cells = []
        for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
            w = (r.randn(b, a) * np.sqrt(2.0 / (a + b))).astype(np.float32)
            cells.append(nn.Dense(a, b, weight_init=Tensor(w), bias_init="zeros"))
            if i < len(sizes) - 2:
                cells.append(nn.Tanh())
        self.net = nn.SequentialCell(cells)

    def construct(self, x):
        return self.net(x)


class Grad(nn.Cell):
    """First derivative of a net with respect to its input."""

    def __init__(self, net):
        super().__init__()
        self.net = net
        self.grad = C.GradOperation()

    def construct(self, x):
        return self.grad(self.net)(x)


class SecondGrad(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.grad1 = Grad(net)
        self.grad = ops.GradOperation(get_all=False, sens_param=True)

    def construct(self, x):
        return self.grad(self.grad1)(x, F.ones_like(x))


model = MLP([1, 16, 16, 1])
first, second = Grad(model), SecondGrad(model)
mse = nn.MSELoss()


class Residual(nn.Cell):
    def __init__(self):
        super().__init__()
        self.model, self.second = model, second
        self.zero = Tensor([[0.0]], ms.float32)

    def construct(self, x):
        u = self.model(x)
        residual = self.second(x) + u
        boundary = self.model(self.zero)
        slope = first(self.zero) - 1.0
        return (
            ops.reduce_mean(ops.square(residual))
            + 10 * (boundary**2).sum()
            + 10 * ops.pow(slope, 2).sum()
        )


loss_net = Residual()
optimizer = nn.Adam(model.trainable_params(), nn.ExponentialDecayLR(0.01, 0.9, 10, is_stair=True))
grad_fn = ms.value_and_grad(loss_net, None, weights=optimizer.parameters)


def train_step(x):
    loss, grads = grad_fn(x)
    optimizer(grads)
    return loss


if args.jit:
    train_step = ms.jit(train_step)

x = Tensor(np.linspace(0, 3, 32).reshape(-1, 1), ms.float32)
for i in range(12):
    loss = train_step(x)
    if i % 4 == 3:
        print("step %d, loss: %.6f" % (i + 1, loss.asnumpy()))
print("u", model(x)[:3])
print("u'", first(x)[:3].asnumpy().ravel())
print("u''", second(x)[:3].asnumpy().ravel())
u = model(x)
du = ms.grad(model)(x)
print(np.allclose(du.asnumpy(), first(x).asnumpy(), atol=1e-6))
ddu = ms.grad(lambda t: ms.grad(model)(t).sum())(x)
print(np.allclose(ddu.asnumpy(), second(x).asnumpy(), atol=1e-5))
third = ms.grad(lambda t: ms.grad(lambda s: ms.grad(lambda q: ops.sin(q))(s))(t))(
    Tensor([0.5], ms.float32)
)
print(third)
