"""Estimates of training steps on simulated devices, in a separate process.

    python -m tests.parallel.estimated_steps

Prints a JSON object: {way-N: {"flops", "arguments", "collectives": [[kind, bytes, devices]]}}, and
under "checks" the problems found in placements and numbers.
"""

import json
import os
import sys

import numpy as np

import sporax as ms
from bench.scaling import networks
from sporax import Tensor, parallel

ROWS, WIDTH, HIDDEN, CLASSES = 1024, 128, 256, 8


class Training(networks.Training):
    """Two layers and momentum."""

    def __init__(self):
        ms.set_seed(1)
        super().__init__(networks.mlp((WIDTH, HIDDEN, CLASSES)))

    def columns_and_rows(self):
        first, second = self.net[0], self.net[2]
        placements = {
            first.weight: ("model",),
            first.bias: ("model",),
            second.weight: (None, "model"),
        }
        for moment, parameter in zip(
            self.optimizer.moments, self.optimizer.parameters, strict=True
        ):
            for tensor in (parameter, moment):
                if parameter in placements:
                    parallel.place(tensor, *placements[parameter])


def batch():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, WIDTH)).astype(np.float32)
    return Tensor(x), Tensor(rng.integers(0, CLASSES, ROWS).astype(np.int32))


WAYS = {
    "data": (lambda n: {"data": n}, lambda t: None),
    "states": (lambda n: {"data": n}, Training.divide_states),
    "tensor": (lambda n: {"data": 1, "model": n}, Training.columns_and_rows),
}


def estimated(training, way, n, kind=parallel.DescribedMesh):
    axes, divide = WAYS[way]
    with kind(**axes(n)):
        divide(training)
        cost = parallel.estimate(training.step, *batch())
    return {
        "flops": cost.flops, "arguments": cost.argument_bytes,
        "collectives": sorted([c.kind, c.size, c.devices] for c in cost.collectives),
    }  # fmt: skip


FLAGS = "--xla_force_host_platform_device_count=8 --xla_backend_optimization_level=0"


def main():
    os.environ["XLA_FLAGS"] = FLAGS  # no device has started yet
    results, wrong = {}, []
    training, alone = Training(), Training()
    for way in WAYS:
        for n in (1, 2, 4, 8):
            results[f"{way}-{n}"] = estimated(training, way, n)
            if any(parallel.placement_of(p) for p in training.optimizer.parameters):
                wrong.append(f"placements stay after {way}-{n}")
    with parallel.DescribedMesh(data=8):
        parallel.divide(training.optimizer.moments)
        inside = float(training.step(*batch()))  # on one device, as without the mesh
    if inside != float(alone.step(*batch())):
        wrong.append("a step inside has another loss")
    wrong += [
        f"a Mesh that holds arrays has another program: {way}"
        for way in WAYS
        if estimated(Training(), way, 8, parallel.Mesh) != results[f"{way}-8"]
    ]
    json.dump(results | {"checks": wrong}, sys.stdout)


if __name__ == "__main__":
    main()
