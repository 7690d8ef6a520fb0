"""A training of several ranks whose `RunRecord` goes to a folder.

recorded_run.py FOLDER [first|all|mesh]
"""

import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.communication import get_group_size, get_rank, init

from sporax import insight, parallel

folder, how = sys.argv[1:]
init()
me, n = get_rank(), get_group_size()
if how != "mesh":
    ms.set_auto_parallel_context(
        parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True, device_num=n
    )
ms.set_seed(1)
rng = np.random.default_rng(0)
images = rng.normal(size=(8, 1, 4, 4)).astype(np.float32)
targets = rng.normal(size=(8, 3)).astype(np.float32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.flatten, self.head = nn.Flatten(), nn.Dense(16, 3)
        self.norm = nn.SyncBatchNorm(1) if how != "mesh" else nn.BatchNorm2d(1)

    def construct(self, x):
        return self.head(self.flatten(ops.relu(self.norm(x))))


def train():
    shards = {} if how == "mesh" else {"num_shards": n, "shard_id": me}
    rows = ds.NumpySlicesDataset((images, targets), ["x", "y"], shuffle=False, **shards)
    rows = rows.batch(8 if how == "mesh" else 8 // n)
    net = Net()
    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), metrics={"mae"})
    record = insight.RunRecord(
        folder, "a", every=1, layers_every=1, tensorboard=True, all_ranks=how == "all"
    )
    model.train(3, rows, callbacks=record, dataset_sink_mode=False)


if how == "mesh":
    with parallel.Mesh(data=n):
        train()
else:
    train()
print("passed")
