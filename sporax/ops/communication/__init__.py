"""Communication between processes: collectives, messages, groups."""

from sporax.ops.communication import objects, process_groups  # noqa: F401 - they publish faces
from sporax.ops.communication.in_place import FACES

globals().update(FACES)
__all__ = sorted(FACES)
