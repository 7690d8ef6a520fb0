"""A training in parts, each on another Mesh: mesh_checkpoints.py FOLDER PART [PART ...].

A part is STEPS:AXES:DIVIDED, such as 3:data=4,model=2:columns; no axes: a single device. It resumes
from orbax's checkpoint in FOLDER and saves another one. Writes the Parameters and moments after
STEPS, whole, to FOLDER-STEPS-RANK.npz, and prints the parts that devices wrote.
"""

import contextlib
import sys

import jax
import numpy as np
import orbax.checkpoint

import sporax as ms
from sporax import nn, parallel
from sporax.train import Checkpointer
from tests.distributed.scripts.mesh_training import batches, divide, network

RANK = jax.process_index()


def train(folder, steps, axes, divided):
    ms.set_seed(1)
    with parallel.Mesh.parse(axes) if axes else contextlib.nullcontext():
        net = network(["normalized"])
        net.set_train()
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        divide([divided], net, optimizer)
        loss_of = nn.CrossEntropyLoss()
        gradient = ms.value_and_grad(lambda x, y: loss_of(net(x), y), None, optimizer.parameters)
        saver = Checkpointer(folder, net, optimizer, format="orbax")
        begun = saver.restore()
        first = 0 if begun is None else begun.total
        for k, (x, y) in enumerate(batches([]).create_tuple_iterator()):
            if first <= k < steps:
                optimizer(gradient(x, y)[1])
        saver.save(steps)
        tensors = {p.name: p for p in (*net.get_parameters(), *optimizer.moments)}
        if axes:
            tensors = {name: parallel.whole(p) for name, p in tensors.items()}
        np.savez(f"{folder}-{steps}-{RANK}.npz", **{k: p.asnumpy() for k, p in tensors.items()})


def chunks(folder, steps):
    """Return {name: shape of a part} of the checkpoint's arrays."""
    with orbax.checkpoint.StandardCheckpointer() as reader:
        metadata = reader.metadata(f"{folder}/checkpoint_{steps}/arrays").item_metadata
    return {name: one.storage.write_shape for name, one in metadata.items() if one.storage}


for part in sys.argv[2:]:
    steps, axes, divided = part.split(":")
    train(sys.argv[1], int(steps), axes, divided)
    shapes = chunks(sys.argv[1], steps)
    print(steps, {n: s for n, s in shapes.items() if n.endswith("0.weight")})
print("passed")
