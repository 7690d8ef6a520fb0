"""Count a network's training step on a number of devices, in a separate process.

    python -m bench.scaling.count NETWORK DEVICES [TOPOLOGY]

Prints a JSON list of rows, one for each way to partition the step. The devices are simulated by a
CPU, or belong to a TPU topology such as v5e:4x4, for which XLA compiles if libtpu is installed.
"""

import collections
import json
import os
import resource
import sys
import time


def main(name, count, topology=None):
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={count}"
    from bench.scaling.networks import NETWORKS, WAYS, Training, batch
    from sporax import parallel

    devices = None
    if topology:
        from jax.experimental import topologies

        devices = topologies.get_topology_desc(topology, platform="tpu").devices
    network, shape = NETWORKS[name]
    training, inputs, rows = Training(network()), batch(shape), []
    for way, (axes, divide) in WAYS.items():
        began = time.perf_counter()
        with parallel.DescribedMesh(devices=devices, **axes(count)):
            divide(training)
            cost = parallel.estimate(training.step, *inputs)
        rows.append({
            "network": name, "way": way, "devices": count, "topology": topology or "",
            "flops": cost.flops, "arguments": cost.argument_bytes,
            "temporary": cost.temporary_bytes, "collectives": compact(cost.collectives),
            "seconds": round(time.perf_counter() - began, 2),
            "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        })  # fmt: skip
    print(json.dumps(rows))


def compact(found):
    """[kind, bytes, count, first device, distance, devices] of each kind of collective: groups are
    along axes of the mesh, so the first group determines the others."""
    counts = collections.Counter()
    for c in found:
        group = c.groups[0]
        distance = group[1] - group[0]
        if c.kind != "collective-permute" and group != tuple(
            range(group[0], group[0] + distance * len(group), distance)
        ):
            raise ValueError(f"a group of devices is not evenly spaced: {group}")
        counts[c.kind, c.size, group[0], distance, len(group)] += c.count
    return [[k, size, n, *group] for (k, size, *group), n in sorted(counts.items())]


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
