"""A physics-informed network for Burgers' equation: derivatives of derivatives by the inputs."""

import math

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import HeUniform, initializer


class LinearBlock(nn.Cell):
    def __init__(self, in_channels, out_channels, has_bias=True):
        super().__init__()
        self.dense = nn.Dense(
            in_channels,
            out_channels,
            weight_init=HeUniform(negative_slope=math.sqrt(5)),
            has_bias=has_bias,
        )

    def construct(self, x):
        return self.dense(x)


class ResBlock(nn.Cell):
    def __init__(self, width, act="tanh"):
        super().__init__()
        self.dense = LinearBlock(width, width)
        self.activation = nn.get_activation(act)
        self.slope = Parameter(initializer("ones", (1,), ms.float32), name="slope_gamma")

    def construct(self, x):
        return self.activation(self.slope * self.dense(x) + x)


class InputScaleNet(nn.Cell):
    def __init__(self, scale, center):
        super().__init__()
        self.input_scale = Tensor(np.array(scale), ms.float32)
        self.input_center = Tensor(np.array(center), ms.float32)
        self.mul = ops.Mul()

    def construct(self, x):
        return self.mul(x - self.input_center, self.input_scale)


class MultiScale(nn.Cell):
    def __init__(self, width=10, layers=2):
        super().__init__()
        self.scale = InputScaleNet([1.0, 2.0], [0.0, 0.5])
        cells = [LinearBlock(2, width), nn.Tanh()]
        for _ in range(layers):
            cells.append(ResBlock(width))
        cells.append(LinearBlock(width, 1))
        self.cells_list = nn.SequentialCell(cells)

    def construct(self, x):
        return self.cells_list(self.scale(x))


class Gradient(nn.Cell):
    def __init__(self, network):
        super().__init__()
        self.grad = ops.GradOperation(get_all=False, sens_param=True)
        self.network = network

    def construct(self, x):
        out = self.network(x)
        return self.grad(self.network)(x, ops.ones_like(out))


class Hessian(nn.Cell):
    """The second derivative by inputs `i` and `j`, of each row."""

    def __init__(self, network, i, j):
        super().__init__()
        self.jac, self.i, self.j = Gradient(network), i, j
        self.grad = ops.GradOperation(sens_param=True)
        self.one_hot = ops.OneHot()

    def construct(self, x):
        column = self.one_hot(
            ops.fill(ms.int32, (x.shape[0],), self.i), x.shape[1], Tensor(1.0), Tensor(0.0)
        )
        return self.grad(self.jac)(x, column)[:, self.j : self.j + 1]


class Burgers(nn.Cell):
    def __init__(self, model, viscosity=0.01 / np.pi):
        super().__init__()
        self.model = model
        self.gradient = Gradient(model)
        self.u_xx = Hessian(model, 0, 0)
        self.mu = Tensor(viscosity, ms.float32)

    def construct(self, x):
        u = self.model(x)
        gradient = self.gradient(x)
        u_x, u_t = ops.split(gradient, 1, axis=1)
        return u_t + u * u_x - self.mu * self.u_xx(x)


class Loss(nn.Cell):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.equation = Burgers(model)
        self.loss = nn.MSELoss()

    def construct(self, inside, initial, boundary):
        residual = self.equation(inside)
        pde = self.loss(residual, ops.zeros_like(residual))
        start = self.loss(self.model(initial), -ops.sin(np.pi * initial[:, 0:1]))
        edge = self.loss(self.model(boundary), ops.zeros((boundary.shape[0], 1), ms.float32))
        return pde + start + edge


def build():
    return MultiScale()


def forward(net, inside, initial, boundary):
    return net(inside), Gradient(net)(inside), Hessian(net, 0, 0)(inside), Burgers(net)(inside)


def batch(step):
    rng = np.random.default_rng([18, step])
    inside = np.stack([rng.uniform(-1, 1, 12), rng.uniform(0, 1, 12)], 1)
    initial = np.stack([rng.uniform(-1, 1, 6), np.zeros(6)], 1)
    boundary = np.stack([rng.choice([-1.0, 1.0], 6), rng.uniform(0, 1, 6)], 1)
    return tuple(a.astype(np.float32) for a in (inside, initial, boundary))


def training(net):
    loss_net = Loss(net)
    optimizer = nn.Adam(net.trainable_params(), learning_rate=nn.ExponentialDecayLR(2e-3, 0.95, 2))
    grad_fn = ops.value_and_grad(loss_net, None, optimizer.parameters, has_aux=False)

    def train_step(inside, initial, boundary):
        loss, grads = grad_fn(inside, initial, boundary)
        return ops.depend(loss, optimizer(grads))

    return train_step


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
