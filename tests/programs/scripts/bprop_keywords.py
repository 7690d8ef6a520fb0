"""A custom bprop and keyword arguments: the examples of the article of that name, as written.

`--graph`: in GRAPH_MODE. `--jit`: the derivatives under `ms.jit`.
"""

import sys

import mindspore as ms
from mindspore import Tensor, nn
from mindspore import numpy as msnp

if "--graph" in sys.argv:
    ms.set_context(mode=ms.GRAPH_MODE)


class Last(nn.Cell):
    def bprop(self, x, out, dout, y=1):
        return msnp.cos(x) + y

    def construct(self, x, y=1):
        return msnp.sin(x) + y


class Net(nn.Cell):
    def bprop(self, x, y, out, dout):
        return msnp.cos(x) + y if y is not None else msnp.cos(x)

    def construct(self, x, y=1):
        return msnp.sin(x) + y


class Order(nn.Cell):
    def bprop(self, x, w, y, out, dout):
        return w * msnp.cos(x) + y if y is not None else msnp.cos(x)

    def construct(self, x, w=1, y=1):
        return msnp.sin(x) + y


class Given(nn.Cell):
    def bprop(self, x, w, y, out, dout):
        return w * msnp.cos(x) + y if y is not None else w * msnp.cos(x)

    def construct(self, x, w=1, y=1):
        return msnp.sin(x) + y if y is not None else msnp.sin(x)


def value_and_grad(net):
    fn = ms.value_and_grad(net)
    return ms.jit(fn) if "--jit" in sys.argv else fn


x = Tensor([3.14], ms.float32)
net = Last()
print(net(x, y=1), value_and_grad(net)(x, y=0))
net = Net()
print(net(x, y=1), value_and_grad(net)(x, y=0))
net = Order()
print(net(x, y=1), value_and_grad(net)(x, y=0, w=2))
net = Given()
print(net(x, y=1), value_and_grad(net)(x, w=2, y=None))
