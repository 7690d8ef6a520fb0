"""Compiles programs with collectives for simulated devices, in a separate process.

    python -m tests.sharding.compiled_collectives

Prints a JSON object: {program: [[kind, bytes, devices of a group, count, is_exact]]}.
"""

import json
import os
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec

from sporax._src.devices.sharding.collective_bytes import collectives

ROWS, COLUMNS = 16, 32  # of the array that each program is given, which is divided by rows


def along(n, name="a"):
    """Return a loop, a condition and each kind of collective, among `n` devices."""
    ring = [(k, (k + 1) % n) for k in range(n)]
    return {
        "psum": lambda x: lax.psum(x, name),
        "all_gather": lambda x: lax.all_gather(x, name),
        "psum_scatter": lambda x: lax.psum_scatter(x, name, scatter_dimension=1, tiled=True),
        "all_to_all": lambda x: lax.all_to_all(x, name, 1, 0, tiled=True),
        "ppermute": lambda x: lax.ppermute(x, name, ring),
        "loop": lambda x: lax.fori_loop(0, 5, lambda _, y: jnp.sin(lax.psum(y, name)), x),
        "unknown": lambda x: lax.while_loop(
            lambda y: y.sum() < 5, lambda y: jnp.exp(lax.psum(y, name)), x
        ),
        "int8": lambda x: lax.all_gather(x.astype(jnp.int8), name),
        "bfloat16": lambda x: lax.all_gather(x.astype(jnp.bfloat16), name),
        "twice": lambda x: (lax.psum(x, name), lax.psum(x[0], name)),
    }


def found(function, axes):
    """Return the collectives of a function of an array that is divided along the axis 'a'."""
    mesh = jax.sharding.Mesh(
        np.array(jax.devices()[: int(np.prod(list(axes.values())))]).reshape(*axes.values()),
        tuple(axes),
    )
    spec = PartitionSpec("a")
    whole = jax.ShapeDtypeStruct((ROWS, COLUMNS), jnp.float32, sharding=NamedSharding(mesh, spec))
    mapped = jax.shard_map(
        function, mesh=mesh, in_specs=spec, out_specs=PartitionSpec(), check_vma=False
    )
    return [
        (c.kind, c.size, c.devices, c.count, c.is_exact)
        for c in collectives(jax.jit(mapped).lower(whole).compile())
    ]


FLAGS = "--xla_force_host_platform_device_count=8 --xla_backend_optimization_level=0"


def main():
    os.environ["XLA_FLAGS"] = FLAGS  # no device has started yet
    results = {
        f"{name}-{n}": found(function, {"a": n})
        for n in (2, 4, 8)
        for name, function in along(n).items()
    }
    grid = {"a": 2, "b": 2, "c": 2}
    results["psum of a and c"] = found(lambda x: lax.psum(x, ("a", "c")), grid)
    results["psum of b"] = found(lambda x: lax.psum(x, "b"), grid)
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
