"""AdaSum of the ranks' gradients, and of their steps, against NumPy."""

import numpy as np
from mindspore import Parameter, Tensor, nn
from mindspore.communication import get_group_size, get_rank, init

init()
me, n, rate = get_rank(), get_group_size(), 0.5
gradients = np.random.default_rng(0).normal(size=(3, n, 2, 2))


def adasum(parts):
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    a, b = adasum(parts[:half]), adasum(parts[half:])
    common = (a * b).sum() / 2
    return (1 - common / (a * a).sum()) * a + (1 - common / (b * b).sum()) * b


for kind in ("AdaSumByGradWrapCell", "AdaSumByDeltaWeightWrapCell"):
    p = Parameter(Tensor(np.ones((2, 2), np.float32)), name="p")
    optimizer = getattr(nn, kind)(nn.SGD([p], rate))
    expected = np.ones((2, 2))
    for step in gradients:
        optimizer((Tensor(step[me].astype(np.float32)),))
        expected = expected - rate * adasum(list(step))
    np.testing.assert_allclose(p.asnumpy(), expected, rtol=1e-5)
print("passed", flush=True)
