"""Building networks: what the migration guide shows about Cells, parameters and their initial
values, precision, freezing, sub-modules and modes. `--graph`: in GRAPH_MODE."""

import math
import os
import sys
import tempfile

import mindspore as ms
import mindspore.nn as nn
import mindspore.ops as ops
import numpy as np
from mindspore import Parameter, Tensor
from mindspore.common.initializer import HeNormal, HeUniform, One, initializer

ms.set_context(mode=ms.GRAPH_MODE if "--graph" in sys.argv else ms.PYNATIVE_MODE)
ms.set_device("CPU")
ms.set_seed(3)


# a network is made of others, and names their parameters
class MyCell(nn.Cell):
    def __init__(self, forward_net, auto_prefix=True):
        super().__init__(auto_prefix=auto_prefix)
        self.net = forward_net
        self.relu = ops.ReLU()

    def construct(self, x):
        y = self.net(x)
        return self.relu(y)


inner_net = nn.Conv2d(120, 240, 4, has_bias=False)
my_net = MyCell(inner_net)
print(my_net.trainable_params())
print(MyCell(nn.Conv2d(1, 1, 4, has_bias=False), auto_prefix=False).trainable_params())


# a unit test: a window of nothing but 0.1 sums up what it sees
def constant_weights(net):
    for _, cell in net.cells_and_names():
        if isinstance(cell, nn.Conv2d):
            weight = initializer(0.1, cell.weight.shape, cell.weight.dtype)
            cell.weight.set_data(weight)


def sums(x):
    windows = [x[:, :, i : i + 9, j : j + 9] for i in range(4) for j in range(4)]
    return 0.1 * np.sum(windows, axis=(0, 2), dtype=np.float64)[:, None]


x = np.random.uniform(-1, 1, (2, 120, 12, 12)).astype(np.float32)
constant_weights(my_net)
print(my_net(Tensor(x)).shape)
my_net = MyCell(nn.Conv2d(120, 240, 4, has_bias=False, pad_mode="pad"))
constant_weights(my_net)
y = my_net(Tensor(x))
print(y.shape, np.max(np.abs(y.asnumpy() - np.maximum(sums(x), 0))) < 1e-4)


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer1 = nn.SequentialCell([
            nn.Conv2d(3, 12, kernel_size=3, pad_mode="pad", padding=1),
            nn.BatchNorm2d(12),
            nn.ReLU(),
            nn.MaxPool2d(kernel_size=2, stride=2),
        ])  # fmt: skip
        self.layer2 = nn.SequentialCell([
            nn.Conv2d(12, 4, kernel_size=3, pad_mode="pad", padding=1),
            nn.BatchNorm2d(4),
            nn.ReLU(),
            nn.MaxPool2d(kernel_size=2, stride=2),
        ])  # fmt: skip
        self.pool = nn.AdaptiveMaxPool2d((5, 5))
        self.fc = nn.Dense(100, 10)

    def construct(self, x):
        x = self.layer1(x)
        x = self.layer2(x)
        x = self.pool(x)
        x = x.view((-1, 100))
        return self.fc(x)


# initial values by kind of layer
net = Network()
for _, cell in net.cells_and_names():
    if isinstance(cell, nn.Conv2d):
        cell.weight.set_data(
            initializer(
                HeNormal(negative_slope=0, mode="fan_out", nonlinearity="relu"),
                cell.weight.shape,
                cell.weight.dtype,
            )
        )
    elif isinstance(cell, (nn.BatchNorm2d, nn.GroupNorm)):
        cell.gamma.set_data(initializer("ones", cell.gamma.shape, cell.gamma.dtype))
        cell.beta.set_data(initializer("zeros", cell.beta.shape, cell.beta.dtype))
    elif isinstance(cell, nn.Dense):
        cell.weight.set_data(
            initializer(
                HeUniform(negative_slope=math.sqrt(5)), cell.weight.shape, cell.weight.dtype
            )
        )
        cell.bias.set_data(initializer("zeros", cell.bias.shape, cell.bias.dtype))
print(np.abs(net.fc.weight.asnumpy()).max() <= 0.1, net.fc.bias.asnumpy())
print(0.1 < net.layer1[0].weight.asnumpy().std() < 0.2)  # sqrt(2 / (12 * 9)) = 0.136
uniform = nn.Dense(25, 50).weight.asnumpy()
print(np.abs(uniform).max() <= 0.2, uniform.std() > 0.1)  # U(-1/5, 1/5)

# mixed precision: everything in float16 but normalization and loss
image = Tensor(np.random.randn(2, 3, 20, 20), ms.float32)
print(net(image).dtype, net(image).shape)
net.to_float(ms.float16)
for _, cell in net.cells_and_names():
    if isinstance(cell, (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)):
        cell.to_float(ms.float32)
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean").to_float(ms.float32)
net_with_loss = nn.WithLossCell(net, loss_fn=loss)
print(net(image).dtype, net.layer1[1](image.tile((1, 4, 1, 1))).dtype)
print(net_with_loss(image, Tensor([3, 7], ms.int32)).dtype, net.fc.weight.dtype)

# parameters: all, by name, those to train; frozen ones
net = nn.Dense(2, 1, has_bias=True)
print(net.trainable_params())
print(list(net.parameters_dict()), [p.name for p in net.get_parameters()])
for param in net.trainable_params():
    param_name = param.name
    if "bias" in param_name:
        param.requires_grad = False
print(net.trainable_params())


# freezing by requires_grad leaves what comes before to be trained; stop_gradient does not
class Three(nn.Cell):
    def __init__(self, stops):
        super().__init__()
        self.a = nn.Dense(1, 1, weight_init=2.0, has_bias=False)
        self.b = nn.Dense(1, 1, weight_init=3.0, has_bias=False)
        self.c = nn.Dense(1, 1, weight_init=5.0, has_bias=False)
        self.stops = stops

    def construct(self, x):
        a = self.b(self.a(x))
        if self.stops:
            a = ops.stop_gradient(a)
        return self.c(a)


three = Tensor([[7.0]])
for stops in (False, True):
    net = Three(stops)
    net.b.weight.requires_grad = False
    weights = net.trainable_params()
    gradients = ms.grad(net, None, weights)(three)
    print([(p.name, float(g.asnumpy()[0, 0])) for p, g in zip(weights, gradients)])  # noqa: B905

# saving and loading, with a new list of parameters
net = nn.Dense(2, 1, has_bias=True)
before = net.weight.asnumpy()
with tempfile.TemporaryDirectory() as folder:
    file = os.path.join(folder, "dense.ckpt")
    ms.save_checkpoint(net, file)
    dense_params = ms.load_checkpoint(file)
print(dense_params)
new_params = {}
for param_name in dense_params:
    new_params[param_name] = Parameter(
        ops.ones_like(dense_params[param_name].data), name=param_name
    )
print((dense_params["weight"].asnumpy() == before).all())
print(ms.load_param_into_net(net, new_params))
for param in net.get_parameters():
    print(param.name, param.data.asnumpy())

# an initializer makes a tensor
print(initializer(One(), (2, 3), ms.float32).init_data())
print(initializer("zeros", [1, 2], ms.float32).init_data())
drawn = initializer(ms.common.initializer.Uniform(0.5), [100], ms.float32).init_data()
print(drawn.shape, drawn.dtype, 0.4 < np.abs(drawn.asnumpy()).max() < 0.5)


# sub-modules, inserted and walked through
class Blocks(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
        self.insert_child_to_cell("second", nn.SequentialCell([nn.ReLU(), nn.Tanh()]))

    def construct(self, x):
        return self.second(self.first(x))


net = Blocks()
for name, cell in net.cells_and_names():
    print(repr(name), type(cell).__name__)
print(list(net.name_cells()), len(net.cells()))
print(net(Tensor([[0.1, 0.2, -0.1]])))


# training and evaluation: dropout drops, statistics move
class Modes(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dropout = nn.Dropout(p=0.5)
        self.norm = nn.BatchNorm1d(3)

    def construct(self, x):
        return self.dropout(x), self.norm(x)


net = Modes()
x = Tensor(np.arange(300).reshape(100, 3), ms.float32)
for mode in (True, False):
    net.set_train(mode)
    dropped, normed = net(x)
    zeros = int((dropped.asnumpy() == 0).sum())
    print(net.training, 100 < zeros < 200 if mode else zeros, np.round(normed.asnumpy()[0], 2))
    print(net.norm.moving_mean.asnumpy())
print(ms.get_context("device_target"))
