"""Data parallel training of a small network, as ranks of `sporax launch`, srun or mpirun.

The script imports MindSpore and NumPy only. Each rank reads its part of the rows, gradients are
averaged over the ranks, and rank 0 writes the checkpoint:

    sporax launch -n 2 examples/cluster/train.py --out outputs
"""

import argparse
from pathlib import Path

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.communication import get_group_size, get_rank, init

parser = argparse.ArgumentParser()
parser.add_argument("--out", type=Path, default=Path("outputs"))
parser.add_argument("--epochs", type=int, default=2)
options = parser.parse_args()

init()
rank, size = get_rank(), get_group_size()
ms.set_auto_parallel_context(
    parallel_mode="data_parallel", gradients_mean=True, parameter_broadcast=True
)
ms.set_seed(1)

rng = np.random.default_rng(0)
x = rng.normal(size=(4096, 32)).astype(np.float32)
y = (x @ rng.normal(size=(32, 4))).argmax(1).astype(np.int32)
rows = ds.NumpySlicesDataset((x, y), ["x", "y"], num_shards=size, shard_id=rank)

net = nn.SequentialCell(nn.Dense(32, 64), nn.ReLU(), nn.Dense(64, 4))
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.1, momentum=0.9)
model = ms.Model(net, nn.CrossEntropyLoss(), optimizer, metrics={"accuracy"})
model.train(options.epochs, rows.batch(256 // size, drop_remainder=True))

if rank == 0:
    options.out.mkdir(parents=True, exist_ok=True)
    ms.save_checkpoint(net, str(options.out / "net.ckpt"))
    everything = ds.NumpySlicesDataset((x, y), ["x", "y"]).batch(512)
    print(f"{size} ranks, accuracy {model.eval(everything)['accuracy']:.2f}", flush=True)
