"""A data parallel training that stops and resumes, on any number of ranks.

resume.py FOLDER BEGIN END ROWS: batches from BEGIN to END of data that divide unevenly. The state
at BEGIN is loaded from what rank 0 saved there; each rank writes the Parameters at END to a file.
"""

import itertools
import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.communication import get_group_size, get_rank, init

folder, begin, end, rows = sys.argv[1], *map(int, sys.argv[2:])
init()
me, n = get_rank(), get_group_size()
ms.set_auto_parallel_context(
    parallel_mode="data_parallel", gradients_mean=True, parameter_broadcast=True
)
ms.set_seed(me)
rng = np.random.default_rng(0)
x = rng.normal(size=(rows, 4)).astype(np.float32)
y = rng.integers(0, 3, rows).astype(np.int32)
shard = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False, num_shards=n, shard_id=me)
batches = shard.batch(8 // n, drop_remainder=True)
net = nn.SequentialCell(nn.Dense(4, 8), nn.Tanh(), nn.Dense(8, 3))
optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
if begin:
    if me == 0:  # the others receive what rank 0 has loaded
        ms.load_checkpoint(f"{folder}/{begin}.ckpt", optimizer)
    for p in optimizer.get_parameters():
        p.set_data(ms.ops.Broadcast(0)((p,))[0])
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer).set_train()
epochs = itertools.chain.from_iterable(batches.create_tuple_iterator() for _ in range(4))
for data in itertools.islice(epochs, begin, end):
    step(*data)
if me == 0:
    ms.save_checkpoint(optimizer, f"{folder}/{end}.ckpt")
print(f"{batches.get_dataset_size()} batches an epoch", flush=True)
np.savez(f"{folder}/{end}-{me}.npz", **{p.name: p.asnumpy() for p in net.trainable_params()})
