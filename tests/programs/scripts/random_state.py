"""Random state: an operation drawn from twice in a program gives two results, and the same two when
the program runs again. Prints the first draws, which differ from MindSpore's own. `--graph`,
`--jit`."""

import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor, ops

ms.set_context(mode=ms.GRAPH_MODE if "--graph" in sys.argv else ms.PYNATIVE_MODE)
minval = Tensor(1.0, ms.float32)
maxval = Tensor(2.0, ms.float32)


def draw():
    return ops.uniform((1, 4), minval, maxval, seed=1)


if "--jit" in sys.argv:
    draw = ms.jit(draw)
first, second = draw(), draw()
print(first)
print(second)
print((first.asnumpy() != second.asnumpy()).all())
print(all(((x.asnumpy() >= 1) & (x.asnumpy() < 2)).all() for x in (first, second)))

# the seed of the whole program, which is also NumPy's
drawn = []
for _ in range(2):
    ms.set_seed(7)
    drawn.append([ops.standard_normal((3,)).asnumpy(), np.random.rand(2)])
print(all((a == b).all() for a, b in zip(*drawn)))  # noqa: B905
