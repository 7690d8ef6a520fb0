"""One process, many devices: where arrays are placed, and how XLA divides programs among them."""

from sporax.sharding.all_devices import enter_all_devices, leave_devices
from sporax.sharding.layout import Layout
from sporax.sharding.mesh import Mesh, current_mesh, divide, place, placement_of

__all__ = [
    "Layout",
    "Mesh",
    "current_mesh",
    "divide",
    "enter_all_devices",
    "leave_devices",
    "place",
    "placement_of",
]
