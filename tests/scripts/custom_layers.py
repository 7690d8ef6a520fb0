"""Layers with a bprop: the examples of the tutorial on Cells and parameters."""

import sys

import mindspore
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

if "--graph" in sys.argv:
    mindspore.set_context(mode=mindspore.GRAPH_MODE)


class Halved(nn.Cell):
    def construct(self, x):
        mask = ops.gt(x, 0.15)
        return ops.select(mask, x, ops.zeros_like(x)), mask

    def bprop(self, x, out, dout):
        _, mask = out
        dy, _ = dout
        dy = dy * (1 / 0.8)
        dy = mask.astype(mindspore.float32) * dy
        return (dy.astype(x.dtype),)


layer = Halved()
layer.bprop_debug = True
print(mindspore.grad(layer)(Tensor([0.1, 0.2, 0.3], mindspore.float32)))


class NetWithParam(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.array([2.0], dtype=np.float32)), name="weight")
        self.internal_params = [self.w]

    def construct(self, x):
        return self.w * x

    def bprop(self, *args):
        return (self.w * args[-1],), {self.w: args[0] * args[-1]}


net = NetWithParam()
print(mindspore.grad(net, 0, net.trainable_params())(Tensor([3.0], mindspore.float32)))
