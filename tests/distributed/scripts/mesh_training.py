"""Trainings on a Mesh of all ranks' devices: mesh_training.py FOLDER WAYS[,WAYS ...].

Writes losses, Parameters, moments and a prediction, whole, to FOLDER/WAYS-RANK.npz. WAYS, with
hyphens between them: 'data', 'states', 'weights' or 'columns' (what is divided); 'dynamic' or
'jit'; 'normalized' for another network; 'parts' for ranks that each read a part; 'arrays' for
Tensors made from NumPy; 'saved' for Parameters that rank 0 saves and all load; 'again' for nothing.
"""

import contextlib
import sys
from pathlib import Path

import jax
import numpy as np

import sporax as ms
from sporax import Tensor, nn, ops, parallel
from sporax.data import NumpySlicesDataset

RANK, SIZE, COUNT = jax.process_index(), jax.process_count(), jax.device_count()
BATCH, STEPS = 16, 6


def network(ways):
    if "normalized" in ways:
        return nn.SequentialCell(
            nn.Dense(16, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(p=0.3), nn.Dense(32, 8)
        )
    return nn.SequentialCell(nn.Dense(16, 32), nn.ReLU(), nn.Dense(32, 8))


def divide(ways, net, optimizer):
    if "states" in ways or "weights" in ways:
        parallel.divide(optimizer.moments)
    if "weights" in ways:
        parallel.divide(net.trainable_params())
    if "columns" in ways:
        for tensors in (net.trainable_params(), optimizer.moments):
            parallel.place(tensors[0], "model")
            parallel.place(tensors[1], "model")
            parallel.place(tensors[-2], None, "model")


def batches(ways):
    rng = np.random.default_rng(0)
    data = (rng.normal(size=(BATCH * STEPS, 16)).astype(np.float32),
            rng.integers(0, 8, BATCH * STEPS).astype(np.int32))  # fmt: skip
    if "parts" in ways and SIZE > 1:  # every second row: give each rank half of each batch
        data = [x.reshape(STEPS, SIZE, -1, *x.shape[1:]).swapaxes(1, 2).reshape(x.shape)
                for x in data]  # fmt: skip
        shard = {"num_shards": SIZE, "shard_id": RANK}
        return NumpySlicesDataset(tuple(data), shuffle=False, **shard).batch(BATCH // SIZE)
    return NumpySlicesDataset(data, shuffle=False).batch(BATCH)


def train(ways, folder=None):
    """Return {name: array} of the losses, Parameters, moments and a prediction."""
    ms.set_seed(1)
    net = network(ways)
    net.set_train()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    divide(ways if COUNT > 1 else (), net, optimizer)
    loss_of, losses = nn.CrossEntropyLoss(), []
    gradient = ms.value_and_grad(lambda x, y: loss_of(net(x), y), None, optimizer.parameters)

    def step(x, y):
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        return loss

    step = ms.jit(step) if "jit" in ways else step
    for x, y in batches(ways).create_tuple_iterator(output_numpy="arrays" in ways):
        loss = step(*[Tensor(a) if "arrays" in ways else a for a in (x, y)])
        if RANK == 0:
            print(f"{float(loss):.6f}")  # by itself: the loss is whole on each rank
        losses.append(loss)
    tensors = {p.name: p for p in (*net.get_parameters(), *optimizer.moments)}
    if "saved" in ways:
        net = reloaded(ways, net, folder)
    tensors["logits"] = net.set_train(False)(ops.ones((5, 16)))
    if COUNT > 1:
        tensors = {name: parallel.whole(tensor) for name, tensor in tensors.items()}
    results = {name: tensor.asnumpy() for name, tensor in tensors.items()}
    return {"losses": [float(x) for x in losses], **results}


def reloaded(ways, net, folder):
    """Return another network with the whole Parameters that rank 0 has saved."""
    path, whole = str(folder / "saved.ckpt"), parallel.whole
    entries = [{"name": p.name, "data": whole(p)} for p in net.get_parameters()]
    if RANK == 0:
        ms.save_checkpoint(entries, path)
    ops.Barrier()()
    again = network(ways)
    divide(ways, again, nn.Momentum(again.trainable_params(), 0.1, 0.9))
    assert ms.load_param_into_net(again, ms.load_checkpoint(path)) == ([], [])
    for one, other in zip(net.get_parameters(), again.get_parameters(), strict=True):
        assert (whole(one).asnumpy() == whole(other).asnumpy()).all()
        assert parallel.placement_of(one) == parallel.placement_of(other)
    return again


def mesh(ways):
    if COUNT == 1:
        return contextlib.nullcontext()
    axes = {"data": COUNT // 2, "model": 2} if "columns" in ways else {"data": COUNT}
    return parallel.Mesh(**axes)


if __name__ == "__main__":
    for name in sys.argv[2].split(","):
        with mesh(name.split("-")):
            results = train(name.split("-"), Path(sys.argv[1]))
        np.savez(Path(sys.argv[1]) / f"{name}-{RANK}.npz", **results)
    print("passed", COUNT)
