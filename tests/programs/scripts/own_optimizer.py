"""Own optimizer, own schedule, own initializer and layer; EMA of the weights and frozen layers."""

import argparse

import mindspore as ms
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops
from mindspore.common.initializer import Constant, Initializer, One, initializer

parser = argparse.ArgumentParser()
parser.add_argument("--graph", action="store_true")
parser.add_argument("--jit", action="store_true")
args = parser.parse_args()
ms.set_context(mode=ms.GRAPH_MODE if args.graph else ms.PYNATIVE_MODE)


class Ramp(Initializer):
    """Numbers that climb from -scale to scale."""

    def __init__(self, scale=0.5):
        super().__init__(scale=scale)
        self.scale = scale

    def _initialize(self, arr):
        arr[:] = np.linspace(-self.scale, self.scale, arr.size).reshape(arr.shape)


class Lion(nn.Optimizer):
    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.99, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        self.beta1 = Tensor(beta1, ms.float32)
        self.beta2 = Tensor(beta2, ms.float32)
        self.moment = self.parameters.clone(prefix="lion_m", init="zeros")
        self.assign = ops.Assign()
        self.sign = ops.Sign()

    def construct(self, gradients):
        gradients = self.decay_weight(gradients)
        lr = self.get_lr()
        for i in range(len(self.parameters)):
            g, m, p = gradients[i], self.moment[i], self.parameters[i]
            update = self.sign(self.beta1 * m + (1.0 - self.beta1) * g)
            ops.assign(p, p - lr * update)
            ops.assign(m, self.beta2 * m + (1.0 - self.beta2) * g)
        return True


class Triangular(nn.learning_rate_schedule.LearningRateSchedule):
    def __init__(self, low, high, half):
        super().__init__()
        self.low, self.high, self.half = low, high, half

    def construct(self, global_step):
        step = ops.cast(global_step, ms.float32)
        cycle = ops.floor(1 + step / (2 * self.half))
        x = ops.abs(step / self.half - 2 * cycle + 1)
        return self.low + (self.high - self.low) * ops.maximum(0.0, 1 - x)


class Scaled(nn.Cell):
    """Dense by hand with a learned gain, a counter and a constant table."""

    def __init__(self, n_in, n_out, gain="ones"):
        super().__init__()
        self.weight = Parameter(initializer(Ramp(0.4), [n_out, n_in], ms.float32), name="weight")
        self.gain = Parameter(initializer(gain, (n_out,)), name="gain")
        self.calls = Parameter(Tensor(0, ms.int32), name="calls", requires_grad=False)
        self.table = Tensor(np.arange(n_out), ms.float32)

    def construct(self, x):
        ops.assign_add(self.calls, Tensor(1, ms.int32))
        return ops.matmul(x, self.weight.T) * self.gain + 0.01 * self.table

    def extend_repr(self):
        return f"in={self.weight.shape[1]}, out={self.weight.shape[0]}"


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(
            [Scaled(4, 8), nn.ReLU(), Scaled(8, 8, Constant(0.5)), nn.SiLU()]
        )
        self.head = nn.Dense(8, 1, weight_init=Ramp(1.0), bias_init=One())
        self.head.bias.requires_grad = False

    def construct(self, x):
        return self.head(self.body(x)).squeeze(-1)


class EMA(nn.Cell):
    def __init__(self, network, decay=0.9):
        super().__init__()
        self.weights = ParameterTuple(network.trainable_params())
        self.shadow = self.weights.clone(prefix="ema")
        self.decay = decay

    def construct(self):
        for s, w in zip(self.shadow, self.weights):
            ops.assign(s, self.decay * s + (1 - self.decay) * w)
        return True


net = Net()
print(net)
for p in net.body[0].trainable_params():
    print(p)
net.body[2].weight.requires_grad = False
print([p.name for p in net.trainable_params()], [p.name for p in net.untrainable_params()])
schedule = Triangular(0.001, 0.02, 4)
opt = Lion(net.trainable_params(), learning_rate=schedule, weight_decay=0.01)
ema = EMA(net)
rng = np.random.RandomState(2)
X = rng.randn(64, 4).astype(np.float32)
Y = np.abs(X).sum(1) + 0.1 * rng.randn(64).astype(np.float32)


class Quantile(nn.LossBase):
    def __init__(self, q=0.7, reduction="mean"):
        super().__init__(reduction)
        self.q = q

    def construct(self, prediction, label):
        e = label - prediction
        return self.get_loss(ops.maximum(self.q * e, (self.q - 1) * e))


loss_fn = Quantile()
forward = nn.WithLossCell(net, loss_fn)
grad_fn = ops.GradOperation(get_by_list=True)(forward, opt.parameters)


def train_step(x, y):
    loss = forward(x, y)
    grads = grad_fn(x, y)
    opt(grads)
    ema()
    return loss


if args.jit:
    train_step = ms.jit(train_step)
net.set_train()
for epoch in range(3):
    for i in range(0, 64, 16):
        loss = train_step(Tensor(X[i : i + 16]), Tensor(Y[i : i + 16]))
    print("epoch", epoch, "loss", loss, "calls", net.body[0].calls.asnumpy())
print([float(schedule(Tensor(s, ms.int32)).asnumpy().round(5)) for s in range(9)])
print(net.body[0].gain.asnumpy())
for s in ema.shadow:
    print(s.name, float(s.mean()))
print(opt.global_step.asnumpy(), opt.moment[0].name)
before = net.head.weight.asnumpy().copy()
for w, s in zip(ema.weights, ema.shadow):
    w.set_data(s)
print(np.abs(before - net.head.weight.asnumpy()).max())
print(net.head.bias)
print(opt)
