"""`to_float`: the output dtypes of operations, of layers and of nested Cells."""

import numpy as np

from tests.nn.cell_cases.registry import case


def several(ms):
    """A Cell that returns the dtypes of its operations' results."""
    half, single = ms.dtype.float16, ms.dtype.float32

    class Several(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(ms.Tensor([1.5]), name="w")
            self.whole = ms.Parameter(ms.Tensor([3]), name="whole")
            self.c = ms.Tensor([2.0])
            self.register_buffer("b", ms.Tensor([1.0]))

        def construct(self, x):
            single_x, wide = x.astype(single), ms.Tensor(np.array([1.0]))
            return [str(t.dtype) for t in (
                x * self.w, self.c * self.c, self.w * self.c, self.b * self.b, ms.ops.exp(self.w),
                ms.ops.exp(self.c), single_x, single_x * 2, single_x * single_x,
                ms.ops.exp(single_x), ms.ops.cast(x, single), ms.ops.relu(ms.ops.cast(x, single)),
                ms.ops.ones((2,), single), ms.ops.ones((2,), single) * 2, wide * x, wide * wide,
                self.whole * x, self.whole * self.whole, self.whole * 1.5,
                single_x.sum(), ms.ops.matmul(self.c, self.c), ms.ops.concat((x, self.c)),
                ms.ops.softmax(self.c), x.astype(half) * single_x,
            )]  # fmt: skip

    return Several


def floats(ms):
    return ms.dtype.float16, ms.dtype.float32


@case
def operations_in_half_precision(ms):
    net = several(ms)().to_float(floats(ms)[0])
    return [net(ms.Tensor(np.array([1.0], dtype))) for dtype in (np.float32, np.float64)]


@case
def operations_in_single_precision(ms):
    net = several(ms)().to_float(floats(ms)[1])
    return net(ms.Tensor(np.array([1.0], np.float16)))


@case
def a_cell_of_another_precision(ms):
    half, single = floats(ms)

    class Outer(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner, self.c = several(ms)(), ms.Tensor([1.0])

        def construct(self, x):
            before = self.c * self.c
            inside = self.inner(x)
            return [str(before.dtype), inside, str((self.c * self.c).dtype)]

    kept, chosen, x = Outer().to_float(half), Outer(), ms.Tensor([1.0])
    kept.inner.to_float(single)
    chosen.inner.to_float(half)
    return kept(x), chosen(x)


@case
def a_norm_in_single_precision(ms):
    half, single = floats(ms)
    nn = ms.nn
    net, seen = nn.SequentialCell(nn.Dense(2, 2), nn.LayerNorm((2,)), nn.Dense(2, 2)), []
    net.to_float(half)
    net[1].to_float(single)
    for cell in net:
        cell.register_forward_hook(lambda cell, args, out: seen.append(str(out.dtype)))
    y = net(ms.Tensor(np.ones((3, 2), np.float32)))
    return str(y.dtype), seen, [str(p.dtype) for p in net.get_parameters()]


@case
def layers_in_half_precision(ms):
    half, nn = floats(ms)[0], ms.nn
    x = ms.Tensor(np.ones((3, 2), np.float32))
    layers = nn.Dense(2, 2), nn.BatchNorm1d(2), nn.LayerNorm((2,)), nn.BatchNorm1d(2).set_train()
    one = [str(layer.to_float(half)(x).dtype) for layer in layers]
    return one, str(nn.MSELoss().to_float(half)(x, x).dtype)


@case
def precision_as_a_flag(ms):
    single = floats(ms)[1]
    net, x = several(ms)(), ms.Tensor([1.0])
    net.add_flags_recursive(fp16=True)
    first = net(x)[0]
    shown = dict(net.to_float(single).get_flags())
    return first, shown, net(x)[0]
