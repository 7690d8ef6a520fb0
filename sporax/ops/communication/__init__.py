"""Communication between processes: collectives, messages, groups."""

from sporax.ops.communication import in_place, objects, process_groups  # noqa: F401
from sporax.ops.communication.faces import FACES

globals().update(FACES)
__all__ = sorted(FACES)
