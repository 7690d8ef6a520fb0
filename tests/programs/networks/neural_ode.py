"""A network whose depth is time: Runge-Kutta steps through a learnt vector field, by a loop."""

import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from mindspore import Tensor, nn, ops


class VectorField(nn.Cell):
    def __init__(self, dim, hidden):
        super().__init__()
        self.fc1 = nn.Dense(dim + 1, hidden, weight_init="xavier_normal", activation="tanh")
        self.fc2 = nn.Dense(hidden, hidden, activation=nn.Tanh())
        self.fc3 = nn.Dense(hidden, dim)
        self.calls = 0

    def construct(self, t, y):
        time = ops.fill(y.dtype, (y.shape[0], 1), 1.0) * t
        y = ops.cat((y, time), axis=-1)
        return self.fc3(self.fc2(self.fc1(y)))


def rk4_step(field, t, dt, y):
    half = dt / 2
    k1 = field(t, y)
    k2 = field(t + half, y + half * k1)
    k3 = field(t + half, y + half * k2)
    k4 = field(t + dt, y + dt * k3)
    return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


class ODEBlock(nn.Cell):
    def __init__(self, field, steps, method="rk4"):
        super().__init__()
        self.field = field
        self.steps = steps
        self.method = method

    def construct(self, y0, times):
        solution = [y0]
        y = y0
        for i in range(times.shape[0] - 1):
            dt = (times[i + 1] - times[i]) / self.steps
            t = times[i]
            for _ in range(self.steps):
                if self.method == "rk4":
                    y = rk4_step(self.field, t, dt, y)
                else:
                    y = y + dt * self.field(t, y)
                t = t + dt
            solution.append(y)
        return ops.stack(solution)


class NeuralODE(nn.Cell):
    def __init__(self, dim=2, hidden=8, augmented=1):
        super().__init__()
        self.augmented = augmented
        self.pad = nn.Dense(dim, augmented, has_bias=False)
        self.block = ODEBlock(VectorField(dim + augmented, hidden), steps=2)
        self.readout = nn.Dense(dim + augmented, dim)

    def construct(self, y0, times):
        y0 = mnp.concatenate((y0, self.pad(y0)), -1)
        return self.readout(self.block(y0, times))


def build():
    return NeuralODE()


def forward(net, y0, times, wanted):
    return net(y0, times)


def batch(step):
    rng = np.random.default_rng([17, step])
    times = np.linspace(0.0, 1.0 + 0.1 * step, 4)
    y0 = rng.standard_normal((5, 2))
    turn = np.array([[np.cos(times), -np.sin(times)], [np.sin(times), np.cos(times)]])
    wanted = np.einsum("ijt,bj->tbi", turn, y0)
    return tuple(a.astype(np.float32) for a in (y0, times, wanted))


def training(net):
    loss_fn = nn.L1Loss()
    optimizer = nn.Adam(net.trainable_params(), learning_rate=Tensor(0.01, ms.float32))

    def forward_fn(y0, times, wanted):
        return loss_fn(net(y0, times), wanted)

    grad_fn = ms.value_and_grad(forward_fn, None, net.trainable_params(), has_aux=False)

    def train_step(y0, times, wanted):
        loss, grads = grad_fn(y0, times, wanted)
        optimizer(grads)
        return loss

    return train_step


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
