"""A sampler on NumPy inside a network: the three examples of the migration guide, as written.

`--again`: without `set_grad`. `--graph`: in GRAPH_MODE, where it has no effect. `--jit`: the
network and its gradients under `ms.jit`.
"""

import sys

import mindspore as ms
import mindspore.nn as nn
import mindspore.ops as ops
import numpy as np

ms.set_context(mode=ms.GRAPH_MODE if "--graph" in sys.argv else ms.PYNATIVE_MODE)


def perhaps_jit(fn):
    return ms.jit(fn) if "--jit" in sys.argv else fn


ms.set_seed(1)


class MySampler(nn.Cell):
    # draws max_num of the values above 0.5, with repetition, in each row
    def __init__(self, max_num):
        super(MySampler, self).__init__()  # noqa: UP008
        self.max_num = max_num

    def random_positive(self, x):
        pos = np.where(x > 0.5)[0]
        pos_indice = np.random.choice(pos, self.max_num)
        return pos_indice  # noqa: RET504

    def construct(self, x):
        batch = x.shape[0]
        pos_value = []
        pos_indice = []
        for i in range(batch):
            a = x[i].asnumpy()
            pos_ind = self.random_positive(a)
            pos_value.append(ms.Tensor(a[pos_ind], ms.float32))
            pos_indice.append(ms.Tensor(pos_ind, ms.int32))
        pos_values = ops.stack(pos_value, axis=0)
        pos_indices = ops.stack(pos_indice, axis=0)
        print("pos_values forword", pos_values)
        print("pos_indices forword", pos_indices)
        return pos_values, pos_indices


class WithGradient(MySampler):
    def bprop(self, x, out, dout):
        pos_indices = out[1]
        print("pos_indices backward", pos_indices)
        grad_x = dout[0]
        print("grad_x backward", grad_x)
        batch = x.shape[0]
        dx = []
        for i in range(batch):
            dx.append(ops.UnsortedSegmentSum()(grad_x[i], pos_indices[i], x.shape[1]))
        return ops.stack(dx, axis=0)


def show(sampler):
    x = ms.Tensor(np.random.uniform(0, 3, (2, 5)), ms.float32)
    print("x", x)
    pos_values, pos_indices = perhaps_jit(sampler)(x)
    grad = perhaps_jit(ms.grad(sampler, grad_position=0))(x)
    print("dx", grad)


def perhaps_announced(sampler):
    return sampler if "--again" in sys.argv else sampler.set_grad()


show(MySampler(3))  # each call computes anew, so that the gradient is that of another sample
show(perhaps_announced(MySampler(3)))  # with set_grad the gradient is that of the call before
ms.set_seed(1)
show(perhaps_announced(WithGradient(3)))
