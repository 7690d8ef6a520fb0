"""Functional differentiation, from a formula to a training step, each way of writing it.

`--graph`: in GRAPH_MODE. `--jit`: each function under `ms.jit`.
"""

import sys

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

GRAPH, JIT = "--graph" in sys.argv, "--jit" in sys.argv
ms.set_context(mode=ms.GRAPH_MODE if GRAPH else ms.PYNATIVE_MODE)


def perhaps_jit(fn):
    return ms.jit(fn) if JIT else fn


# inputs of ones, targets of zeros, and some weights to begin with
x = ops.ones(5, ms.float32)
y = ops.zeros(3, ms.float32)
WEIGHTS = [[0.5, -1.25, 0.75], [1.5, 0.25, -0.5], [-0.75, 2.0, 1.0], [0.25, -0.5, 0.125],
           [-1.0, 0.375, 0.625]]  # fmt: skip
w = Parameter(Tensor(np.array(WEIGHTS), ms.float32), name="w")
b = Parameter(Tensor(np.array([0.1, -0.2, 0.3]), ms.float32), name="b")


def function(x, y, w, b):
    z = ops.matmul(x, w) + b
    return ops.binary_cross_entropy_with_logits(z, y, ops.ones_like(z), ops.ones_like(z))


print("loss", perhaps_jit(function)(x, y, w, b))
grads = perhaps_jit(ms.grad(function, (2, 3)))(x, y, w, b)
print("by w and b", grads)


# another output changes the gradient, unless it is stopped
def function_with_logits(x, y, w, b):
    z = ops.matmul(x, w) + b
    loss = ops.binary_cross_entropy_with_logits(z, y, ops.ones_like(z), ops.ones_like(z))
    return loss, z


print("with logits", perhaps_jit(ms.grad(function_with_logits, (2, 3)))(x, y, w, b))


def function_stop_gradient(x, y, w, b):
    z = ops.matmul(x, w) + b
    loss = ops.binary_cross_entropy_with_logits(z, y, ops.ones_like(z), ops.ones_like(z))
    return loss, ops.stop_gradient(z)


print("stopped", perhaps_jit(ms.grad(function_stop_gradient, (2, 3)))(x, y, w, b))

# or is only passed through
grad_fn = perhaps_jit(ms.grad(function_with_logits, (2, 3), has_aux=True))
grads, (z,) = grad_fn(x, y, w, b)
print("passed through", grads, z)


# the same with a network: its weights are differentiated, not its inputs
class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = w
        self.b = b

    def construct(self, x):
        return ops.matmul(x, self.w) + self.b


model = Network()
loss_fn = nn.BCEWithLogitsLoss()


def forward_fn(x, y):
    logits = model(x)
    return loss_fn(logits, y)


grad_fn = ms.value_and_grad(forward_fn, None, weights=model.trainable_params())
loss, grads = perhaps_jit(grad_fn)(x, y)
print("of the network", loss, grads)

# a training step: loss and gradients in one, and an optimizer
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.5)
grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters)


def train_step(inputs, targets):
    loss, grads = grad_fn(inputs, targets)
    optimizer(grads)
    return loss


train_step = perhaps_jit(train_step)
for step in range(5):
    print("step", step, train_step(x, y))
print("trained", model.b.asnumpy())
