"""One process, many devices: placement of arrays, and programs that XLA partitions."""

from sporax._src.devices.sharding.all_devices import enter_all_devices, leave_devices
from sporax._src.devices.sharding.collective_bytes import Collective, collectives
from sporax._src.devices.sharding.described_mesh import DescribedMesh
from sporax._src.devices.sharding.layout import Layout
from sporax._src.devices.sharding.mesh import Mesh, current_mesh, divide, place, placement_of, whole

__all__ = [
    "Collective",
    "DescribedMesh",
    "Layout",
    "Mesh",
    "collectives",
    "current_mesh",
    "divide",
    "enter_all_devices",
    "leave_devices",
    "place",
    "placement_of",
    "whole",
]
