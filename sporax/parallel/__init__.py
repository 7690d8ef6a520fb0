"""Several devices in one process: `Mesh`, and MindSpore's names of parallel training on it."""

from sporax.sharding import Layout, Mesh, current_mesh, divide, place, placement_of

__all__ = ["Layout", "Mesh", "current_mesh", "divide", "place", "placement_of"]
