"""Cost of a step on a Mesh, read from the program that XLA compiles for its devices, without a run.

The time model is the textbook one: a device computes floating-point operations at a constant rate;
a ring collective sends its messages one after another, each with a latency, and its bytes at the
bandwidth of a link.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
from jax.sharding import NamedSharding, PartitionSpec

from sporax._src.capture.graph_capture.graph_text import Listing
from sporax._src.core.jax_internals import program_bytes
from sporax._src.core.tensor import Tensor
from sporax._src.devices.sharding.collective_bytes import (
    MESSAGES,
    Collective,
    collectives,
    total_traffic,
)
from sporax._src.devices.sharding.mesh import current_mesh
from sporax._src.diagnosis.rules import require


@dataclasses.dataclass(frozen=True)
class Link:
    """A link between devices: `latency` of a message in seconds, `bandwidth` in bytes per second,
    in each direction.

    >>> from sporax import parallel
    >>> parallel.Link(5e-6, 50e9).seconds(messages=2, size=100_000_000)
    0.00201
    """

    latency: float
    bandwidth: float

    def seconds(self, messages: float, size: float) -> float:
        """Return the time of messages sent one after another, of `size` bytes in total."""
        return messages * self.latency + size / self.bandwidth


@dataclasses.dataclass(frozen=True)
class Machine:
    """Parameters of the time model for devices of one kind.

    `rate`: floating-point operations per second that a device reaches in such programs (measure it;
    data sheets state more). `link`: between hosts. `per_host`: the number of devices of a host, and
    `host_link`: between those; by default all links are `link`. `start`: further seconds of each
    step.

    >>> from sporax import parallel
    >>> fast, slow = parallel.Link(1e-6, 1e11), parallel.Link(5e-6, 1e10)
    >>> parallel.Machine(1e12, slow, per_host=8, host_link=fast).per_host
    8
    """

    rate: float
    link: Link
    per_host: int = 1
    host_link: Link | None = None
    start: float = 0.0

    def link_of(self, collective: Collective) -> Link:
        """Return the slowest link that a collective uses."""
        hosts = [{device // self.per_host for device in group} for group in collective.groups]
        if self.host_link is not None and all(len(h) == 1 for h in hosts):
            return self.host_link
        return self.link


@dataclasses.dataclass(frozen=True)
class ProgramCost:
    """The result of `estimate`: for one of `devices` devices, floating-point operations `flops`;
    bytes of arguments (Parameters, states, batch), of results that do not replace arguments, and of
    temporary arrays; and the list of `collectives`.

    >>> from sporax import parallel
    >>> machine = parallel.Machine(rate=1e12, link=parallel.Link(1e-6, 1e9))
    >>> reduces = parallel.Collective("all-reduce", 4_000_000, ((0, 1),))
    >>> parallel.ProgramCost(2, 2e9, 0, 0, 0, [reduces]).seconds(machine)
    (0.004002, 0.006002)
    """

    devices: int
    flops: float
    argument_bytes: int
    result_bytes: int
    temporary_bytes: int
    collectives: list[Collective]

    @property
    def traffic(self) -> float:
        """Bytes that a device sends in a step, with ring collectives."""
        return sum(c.traffic for c in self.collectives)

    def compute_seconds(self, machine: Machine) -> float:
        """Return the predicted seconds of computation in a step."""
        return machine.start + self.flops / machine.rate

    def communication_seconds(self, machine: Machine) -> float:
        """Return the predicted seconds of all collectives of a step, one after another."""
        return sum(
            c.count * machine.link_of(c).seconds(MESSAGES[c.kind](c.devices), c.traffic / c.count)
            for c in self.collectives
        )

    def seconds(self, machine: Machine) -> tuple[float, float]:
        """Return (shortest, longest) predicted seconds of a step: with full overlap of
        communication and computation, and without overlap."""
        compute, communication = self.compute_seconds(machine), self.communication_seconds(machine)
        return max(compute, communication), compute + communication

    def __str__(self):
        lines = [
            f"{self.devices} devices; on each {self.flops:.4g} floating-point operations",
            f"arguments {self.argument_bytes:,} bytes, further results {self.result_bytes:,}, "
            f"temporary {self.temporary_bytes:,}",
        ]
        for kind, (count, size, traffic) in sorted(total_traffic(self.collectives).items()):
            lines.append(f"{count} {kind} of {size:,} bytes, sends {traffic:,.0f}")
        return "\n".join(lines)


def estimate(step: Callable, *inputs: Any) -> ProgramCost:
    """Return the `ProgramCost` of `step(*inputs)` on the current Mesh: recorded without concrete
    values, partitioned and compiled by XLA for the mesh's devices, not run.

    `step`: a function, Cell or `jit` function, such as a whole training step; what it writes is
    part of the program. `inputs`: Tensors are divided like batches from datasets. In a
    `DescribedMesh` nothing is moved to the devices, so there may be many, or others than this
    process has. Raises RuntimeError without a Mesh, and if the step needs a concrete value.

    >>> from sporax import parallel
    >>> net = nn.Dense(4, 2, has_bias=False)
    >>> with parallel.DescribedMesh(data=1):
    ...     parallel.estimate(net, ops.ones((8, 4))).flops
    128.0
    """
    mesh = current_mesh()
    require(mesh is not None, "mesh-entered-none", "estimate")
    name = getattr(step, "__name__", type(step).__name__)
    with mesh.recording():
        listing = Listing("estimate", name, getattr(step, "fn", step), inputs, {})
    compiled = _compiled(listing, mesh)
    flops = (compiled.cost_analysis() or {}).get("flops") or 0.0
    return ProgramCost(mesh.size, flops, *program_bytes(compiled), collectives(compiled))


def _compiled(listing, mesh) -> Any:
    """Compile the program of a listing for the devices of a mesh; inputs that it writes are
    donated."""
    run = listing.trace.on_arrays(listing.reals, listing.integers, listing.outputs)
    written = set(listing.written)
    specs, given = [], []
    for k, item in enumerate(listing.inputs):
        shape, dtype = item.aval.shape, item.aval.dtype
        specs.append(jax.ShapeDtypeStruct(shape, dtype, sharding=_sharding(item, mesh)))
        if item.kind != "argument" and item.name in written:
            given.append(k)
    return jax.jit(run, donate_argnums=tuple(given)).lower(*specs).compile()


def _sharding(item, mesh):
    """Return the sharding of an input of a listing."""
    if item.kind == "argument":
        return mesh.of_batch(item.aval.shape).sharding
    placement = item.source._placement if isinstance(item.source, Tensor) else None
    if placement is None or placement.mesh is not mesh:
        return NamedSharding(mesh.grid, PartitionSpec())
    return placement.sharding
