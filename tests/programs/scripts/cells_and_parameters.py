"""What the tutorials on Cells, parameters and moving a network from PyTorch say about them."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops
from mindspore.common.initializer import HeNormal, HeUniform, initializer

ms.set_context(pynative_synchronize=True)


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        rows = np.arange(15, dtype=np.float32).reshape(5, 3) / 10
        self.w = Parameter(Tensor(rows, ms.float32), name="w")
        self.b = Parameter(Tensor(np.array([-0.5, 1.0, 0.25]), ms.float32), name="b")

    def construct(self, x):
        return ops.matmul(x, self.w) + self.b


net = Network()
print(net.b.asnumpy())
print(net.trainable_params())
print(type(net.get_parameters()))
for name, param in net.parameters_and_names():
    print(f"{name}:\n{param.asnumpy()}")

net.b[0] = 1.0
print(net.b.asnumpy())
net.b.set_data(Tensor([3, 4, 5]))
print(net.b.asnumpy())


@ms.jit
def modify_parameter():
    ops.assign(net.b, Tensor([7, 8, 9]))
    return True


modify_parameter()
print(net.b.asnumpy())

x = Parameter(default_input=Tensor(np.arange(2 * 3).reshape((2, 3))), name="x")
y = Parameter(default_input=initializer("ones", [1, 2, 3], ms.float32), name="y")
z = Parameter(default_input=2.0, name="z")
params = ParameterTuple((x, y, z))
print(params)
print(params.clone("params_copy"))

net.set_train()
print(net.phase)
net.set_train(False)
print(net.phase)


class Blocks(nn.Cell):
    def __init__(self, auto_prefix=True):
        super().__init__(auto_prefix)
        self.layer1 = nn.SequentialCell(
            [nn.Conv2d(3, 12, kernel_size=3, pad_mode="pad", padding=1), nn.BatchNorm2d(12)]
        )
        self.fc = nn.Dense(100, 10)

    def construct(self, x):
        return self.fc(self.layer1(x).view((-1, 100)))


for auto_prefix in (True, False):
    print([p.name for p in Blocks(auto_prefix).get_parameters()])
net = Blocks()
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
            initializer(HeUniform(negative_slope=5**0.5), cell.weight.shape, cell.weight.dtype)
        )
        cell.bias.set_data(initializer("zeros", cell.bias.shape, cell.bias.dtype))
print(list(net.parameters_dict()))
print([(p.shape, p.dtype, p.has_init) for p in net.get_parameters()])
print(net.layer1[1].gamma.asnumpy().sum(), net.fc.bias.asnumpy().sum())
print([name for name, _ in net.cells_and_names()])
net.insert_child_to_cell("head", nn.Dense(2, 2))
print(sorted(net.name_cells()), net.head.weight.name)

lazy = initializer("ones", [2, 2], ms.float32)
print(lazy.has_init, lazy.init_data().has_init)
for use in (lambda: initializer("ones", [2], ms.float32) + 1, lazy.init_data):
    try:
        use()
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__)

net.to_float(ms.float16)
for _, cell in net.cells_and_names():
    if isinstance(cell, (nn.BatchNorm2d, nn.LayerNorm)):
        cell.to_float(ms.float32)
print(net(Tensor(np.ones((3, 3, 5, 20), np.float32))).dtype, net.fc.weight.dtype)


class Frozen(nn.Cell):
    """Three weights in a row, of which the middle one is frozen, or cut off by stop_gradient."""

    def __init__(self, cut):
        super().__init__()
        self.a, self.b, self.c = (Parameter(Tensor([v]), name=n) for n, v in
                                  (("a", 2.0), ("b", 3.0), ("c", 5.0)))  # fmt: skip
        self.b.requires_grad, self.cut = False, cut

    def construct(self, x):
        h = x * self.a * self.b
        return (ops.stop_gradient(h) if self.cut else h) * self.c


for cut in (False, True):
    net = Frozen(cut)
    weights = net.trainable_params()
    print([p.name for p in weights], [p.name for p in net.untrainable_params()])
    print([g.asnumpy() for g in ms.grad(net, None, weights)(Tensor([7.0]))])
