"""Cells and parameters: the examples of the tutorial of that name, up to hooks, as written.

`--graph`: in GRAPH_MODE.
"""

import sys

import mindspore
import mindspore as ms
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops
from mindspore.common.initializer import initializer

if "--graph" in sys.argv:
    ms.set_context(mode=ms.GRAPH_MODE)
np.random.seed(5)


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.random.randn(5, 3), mindspore.float32), name="w")
        self.b = Parameter(Tensor(np.random.randn(3,), mindspore.float32), name="b")  # fmt: skip

    def construct(self, x):
        z = ops.matmul(x, self.w) + self.b
        return z  # noqa: RET504


net = Network()
print(net.b.asnumpy())
print(net.trainable_params())
print(type(net.get_parameters()))
for name, param in net.parameters_and_names():
    print(f"{name}:\n{param.asnumpy()}")
print(net(ops.ones((2, 5), ms.float32)))

net.b[0] = 1.0
print(net.b.asnumpy())
net.b.set_data(Tensor([3, 4, 5]))
print(net.b.asnumpy())


@ms.jit
def modify_parameter():
    b_hat = ms.Tensor([7, 8, 9])
    ops.assign(net.b, b_hat)
    return True


modify_parameter()
print(net.b.asnumpy())

x = Parameter(default_input=ms.Tensor(np.arange(2 * 3).reshape((2, 3))), name="x")
y = Parameter(default_input=initializer("ones", [1, 2, 3], ms.float32), name="y")
z = Parameter(default_input=2.0, name="z")
params = ParameterTuple((x, y, z))
params_copy = params.clone("params_copy")
print(params)
print(params_copy)

net.set_train()
print(net.phase)
net.set_train(False)
print(net.phase)


class Threshold(nn.Cell):
    def __init__(self, threshold, value):
        super().__init__()
        self.threshold = threshold
        self.value = value

    def construct(self, inputs):
        cond = ops.gt(inputs, self.threshold)
        value = ops.fill(inputs.dtype, inputs.shape, self.value)
        return ops.select(cond, inputs, value)


m = Threshold(0.1, 20)
inputs = mindspore.Tensor([0.1, 0.2, 0.3], mindspore.float32)
print(repr(m(inputs)))
