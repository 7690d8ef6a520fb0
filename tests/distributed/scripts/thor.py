"""`thor` on ranks with a part of the examples each, against one process with all of them."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn
from mindspore.communication import get_group_size, get_rank, init

init()
me, n = get_rank(), get_group_size()
rng = np.random.default_rng(0)
x, y = (rng.normal(size=(3, 4 * n, size)).astype(np.float32) for size in (5, 2))


def train(part, batch):
    ms.set_seed(1)
    net = nn.SequentialCell(nn.Dense(5, 4), nn.Tanh(), nn.Dense(4, 2))
    for p, seed in zip(net.get_parameters(), range(9), strict=False):
        start = np.random.default_rng(seed).normal(size=p.shape)
        p.set_data(Tensor(start.astype(np.float32)))
    optimizer = nn.thor(net, Tensor(0.1), Tensor(0.03), 0.9, batch_size=batch, frequency=2)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    for a, b in zip(x, y, strict=True):
        step(Tensor(a[part]), Tensor(b[part]))
    return [p.asnumpy() for p in net.trainable_params()]


whole = train(slice(None), 4 * n)
ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
for a, b in zip(train(slice(4 * me, 4 * me + 4), 4), whole, strict=True):
    np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
print("passed", flush=True)
