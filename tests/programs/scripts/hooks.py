"""Hooks: the examples of the tutorial on Cells and parameters, as written."""

import sys

import mindspore as ms
import numpy as np
from mindspore import nn, ops

if "--2.3" in sys.argv:
    ms.set_context(hook_convention="2.3")


def hook_fn(grad_out):
    print("hook_fn print grad_out:", grad_out)


hook = ops.HookBackward(hook_fn)


def hook_test(x, y):
    z = x * y
    z = hook(z)
    z = z * y
    return z  # noqa: RET504


def with_hook(x, y):
    return ms.grad(hook_test, grad_position=(0, 1))(x, y)


print("output:", with_hook(ms.Tensor(1, ms.float32), ms.Tensor(2, ms.float32)))


def forward_pre_hook_fn(cell, inputs):
    print("forward inputs: ", inputs)
    return inputs[0]


def fresh_pre_hook_fn(cell, inputs):
    print("forward inputs: ", inputs)
    return ms.Tensor(np.ones([1]).astype(np.float32))


def forward_hook_fn(cell, inputs, outputs):
    print("forward inputs: ", inputs)
    print("forward outputs: ", outputs)
    return outputs + outputs


def backward_hook_fn(cell_id, grad_input, grad_output):
    print("grad input: ", grad_input)
    print("grad output: ", grad_output)


class Net(nn.Cell):
    def __init__(self, **hooks):
        super().__init__()
        self.relu = nn.ReLU()
        self.handles = [getattr(self.relu, "register_" + k)(hook) for k, hook in hooks.items()]

    def construct(self, x, y):
        x = x + y
        return self.relu(x)


x = ms.Tensor(np.ones([1]).astype(np.float32))
y = ms.Tensor(np.ones([1]).astype(np.float32))

net = Net(forward_pre_hook=forward_pre_hook_fn)
grad_net = ms.grad(net, grad_position=(0, 1))
print(net(x, y))
print(grad_net(x, y))
net.handles[0].remove()
print(grad_net(x, y))

net = Net(forward_pre_hook=fresh_pre_hook_fn)
print(ms.grad(net, grad_position=(0, 1))(x, y))

net = Net(forward_hook=forward_hook_fn)
grad_net = ms.grad(net, grad_position=(0, 1))
print(grad_net(x, y))
net.handles[0].remove()
print(grad_net(x, y))


def backward_hook_function(cell_id, grad_input, grad_output):
    print(grad_input)
    print(grad_output)


class Normed(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(
            1, 2, kernel_size=2, stride=1, padding=0, weight_init="ones", pad_mode="valid"
        )
        self.bn = nn.BatchNorm2d(2, momentum=0.99, eps=0.00001, gamma_init="ones")
        self.handle = self.bn.register_backward_hook(backward_hook_function)
        self.relu = nn.ReLU()

    def construct(self, x):
        x = self.conv(x)
        x = self.bn(x)
        return self.relu(x)


net = Normed()
grad_net = ms.grad(net)
output = grad_net(ms.Tensor(np.ones([1, 1, 2, 2]).astype(np.float32)))
print(output)
net.handle.remove()
output = grad_net(ms.Tensor(np.ones([1, 1, 2, 2]).astype(np.float32)))
print("-------------\n", output)

net = Net(
    forward_pre_hook=forward_pre_hook_fn,
    forward_hook=forward_hook_fn,
    backward_hook=backward_hook_fn,
)
print(ms.grad(net, grad_position=(0, 1))(x, y))
