"""MindSpore's data parallel training, as in its tutorial; the Parameters are written to a file.

data_parallel.py FOLDER [sgd|momentum|adam] [graph|dynamic|model|loop|ddp]
"""

import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.communication import get_group_size, get_rank, init
from mindspore.parallel.distributed import DistributedDataParallel

folder, rule, how = sys.argv[1:4]
ms.set_context(mode=ms.GRAPH_MODE if how == "graph" else ms.PYNATIVE_MODE, device_target="CPU")
init()
me, n = get_rank(), get_group_size()
ms.set_auto_parallel_context(
    parallel_mode=ms.ParallelMode.DATA_PARALLEL,
    gradients_mean=True,
    device_num=n,
    parameter_broadcast=True,
)
ms.set_seed(1 + me)  # the Parameters differ at first

BATCH, ROWS = 16, 64
rng = np.random.default_rng(0)
images = rng.normal(size=(ROWS, 1, 8, 8)).astype(np.float32)
labels = rng.integers(0, 4, ROWS).astype(np.int32)


def batches():
    rows = ds.NumpySlicesDataset(
        (images, labels), ["x", "y"], shuffle=False, num_shards=n, shard_id=me
    )
    return rows.batch(BATCH // n)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(1, 4, 3), nn.SyncBatchNorm(4)
        self.flatten, self.head = nn.Flatten(), nn.Dense(4 * 8 * 8, 4)

    def construct(self, x):
        return self.head(self.flatten(ops.relu(self.norm(self.conv(x)))))


net, loss_fn = Net(), nn.CrossEntropyLoss()
optimizer = {
    "sgd": lambda p: nn.SGD(p, 0.1),
    "momentum": lambda p: nn.Momentum(p, 0.05, 0.9),
    "adam": lambda p: nn.Adam(p, 1e-2),
}[rule](net.trainable_params())

if how == "model":
    model = ms.Model(net, loss_fn, optimizer)
    model.train(3, batches(), dataset_sink_mode=False)
elif how == "loop":
    for p in net.get_parameters():  # what TrainOneStepCell does
        p.set_data(ops.Broadcast(0)((p,))[0])
    gradient = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
    reducer = nn.DistributedGradReducer(optimizer.parameters)
    net.set_train()

    @ms.jit
    def step(x, y):
        loss, gradients = gradient(x, y)
        optimizer(reducer(gradients))
        return loss

    for _ in range(3):
        for x, y in batches().create_tuple_iterator():
            loss = step(x, y)
elif how == "ddp":
    ddp = DistributedDataParallel(net)
    gradient = ms.value_and_grad(lambda x, y: loss_fn(ddp(x), y), None, optimizer.parameters)
    ddp.set_train()
    for _ in range(3):
        for i, (x, y) in enumerate(batches().create_tuple_iterator()):
            if i % 2:  # gradients that are taken back, and no moving statistics
                ddp.set_train(False)
                with ddp.no_sync():
                    loss, _ = gradient(x, y)
                ddp.zero_grad()
                ddp.set_train()
            loss, gradients = gradient(x, y)
            optimizer(gradients)
            ddp.zero_grad()
else:
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), optimizer).set_train()
    for epoch in range(3):
        for number, (x, y) in enumerate(batches().create_tuple_iterator()):
            loss = step(x, y)
            if me == 0 and number % 2 == 0:  # rank 0 alone reads, computes and prints
                net.set_train(False)
                right = (net(ms.Tensor(images)).argmax(1) == ms.Tensor(labels)).sum()
                net.set_train()
                print(f"{epoch} {number}: {float(loss):.4f}, {int(right)} right", flush=True)
if me == 0:
    ms.save_checkpoint(net, f"{folder}/{rule}-{how}-{n}.ckpt")
np.savez(
    f"{folder}/{rule}-{how}-{n}-{me}.npz",
    **{name: p.asnumpy() for name, p in net.parameters_dict().items()},
)
