"""GradOperation: by inputs, by weights, scaled, stopped. `--graph`: in GRAPH_MODE."""

import sys

import mindspore as ms
import mindspore.nn as nn
import mindspore.ops as ops
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor
from mindspore import dtype as mstype
from mindspore.ops import stop_gradient

ms.set_context(mode=ms.GRAPH_MODE if "--graph" in sys.argv else ms.PYNATIVE_MODE)

x = Tensor([[0.8, 0.6, 0.2], [1.8, 1.3, 1.1]], dtype=mstype.float32)
y = Tensor([[0.11, 3.3, 1.1], [1.1, 0.2, 1.4], [1.1, 2.2, 0.3]], dtype=mstype.float32)


class Net(nn.Cell):
    """f(x, y) = z * x * y, the last a product of matrices."""

    def __init__(self, requires_grad=True):
        super().__init__()
        self.matmul = ops.MatMul()
        z = Tensor(np.array([1.0], np.float32))
        self.z = Parameter(z, name="z", requires_grad=requires_grad)

    def construct(self, x, y):
        x = x * self.z
        return self.matmul(x, y)


class GradNet(nn.Cell):
    """The gradient of a network, as a network."""

    def __init__(self, net, scale=None, **options):
        super().__init__()
        self.net = net
        self.params = ParameterTuple(net.trainable_params())
        self.by_list = options.get("get_by_list", False)
        self.grad_op = ops.GradOperation(sens_param=scale is not None, **options)
        self.scale = scale

    def construct(self, x, y):
        if self.by_list:
            gradient_function = self.grad_op(self.net, self.params)
        else:
            gradient_function = self.grad_op(self.net)
        if self.scale is not None:
            return gradient_function(x, y, self.scale)
        return gradient_function(x, y)


print("by the first input")
print(GradNet(Net())(x, y))
print("by all inputs")
for gradient in GradNet(Net(), get_all=True)(x, y):
    print(gradient)
print("by the weights")
print(GradNet(Net(), get_by_list=True)(x, y))
print("by all inputs and the weights")
inputs, weights = GradNet(Net(), get_all=True, get_by_list=True)(x, y)
print(inputs[0])
print(weights)
print("scaled")
scale = Tensor([[0.1, 0.6, 0.2], [0.8, 1.3, 1.1]], dtype=mstype.float32)
print(GradNet(Net(), scale)(x, y))
print(GradNet(Net(), scale, get_by_list=True)(x, y))
print("without a weight that requires no gradient")
print([p.name for p in Net(requires_grad=False).trainable_params()])


class Twice(nn.Cell):
    """The product twice, once stopped if `stops`."""

    def __init__(self, stops):
        super().__init__()
        self.matmul = ops.MatMul()
        self.stops = stops

    def construct(self, x, y):
        out1 = self.matmul(x, y)
        out2 = self.matmul(x, y)
        if self.stops:
            out2 = stop_gradient(out2)
        return out1 + out2


print("one of two stopped")
print(GradNet(Twice(True))(x, y))
print("none stopped")
print(GradNet(Twice(False))(x, y))
