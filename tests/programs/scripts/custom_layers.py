"""Layers with a bprop: the examples of the tutorial on Cells and parameters, as written.

`--graph`: in GRAPH_MODE. `--jit`: the derivatives under `ms.jit`.
"""

import sys

import mindspore
import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

if "--graph" in sys.argv:
    ms.set_context(mode=ms.GRAPH_MODE)


def perhaps_jit(fn):
    return ms.jit(fn) if "--jit" in sys.argv else fn


class Dropout2d(nn.Cell):
    def __init__(self, keep_prob):
        super().__init__()
        self.keep_prob = keep_prob
        self.dropout2d = ops.Dropout2D(keep_prob)

    def construct(self, x):
        return self.dropout2d(x)

    def bprop(self, x, out, dout):
        _, mask = out
        dy, _ = dout
        if self.keep_prob != 0:
            dy = dy * (1 / self.keep_prob)
        dy = mask.astype(mindspore.float32) * dy
        return (dy.astype(x.dtype),)


dropout_2d = Dropout2d(0.8)
dropout_2d.bprop_debug = True
x = Tensor(np.arange(1, 481).reshape(4, 30, 2, 2), ms.float32)
output, mask = perhaps_jit(dropout_2d)(x)
print(output.shape, mask.shape, mask.dtype)
kept = output.asnumpy() != 0
print("whole channels:", (kept.all((2, 3)) == kept.any((2, 3))).all())
print("by the mask:", (kept == mask.asnumpy()).all())
print("scaled:", np.allclose(output.asnumpy()[kept], x.asnumpy()[kept] / 0.8))
print("some are dropped:", 0.6 < kept.mean() < 1)
(output, mask), gradient = perhaps_jit(ms.value_and_grad(dropout_2d))(x)
print("gradient:", np.allclose(gradient.asnumpy(), mask.asnumpy() / 0.8))


class NetWithParam(nn.Cell):
    def __init__(self):
        super(NetWithParam, self).__init__()  # noqa: UP008
        self.w = Parameter(Tensor(np.array([2.0], dtype=np.float32)), name="weight")
        self.internal_params = [self.w]

    def construct(self, x):
        output = self.w * x
        return output  # noqa: RET504

    def bprop(self, *args):
        return (self.w * args[-1],), {self.w: args[0] * args[-1]}


net = NetWithParam()
gradient = perhaps_jit(ms.grad(net, 0, net.trainable_params()))
print(gradient(Tensor([3.0], mindspore.float32)))
