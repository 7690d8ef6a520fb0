"""What recording a branch or a turn of a loop does to Python, found and put back."""

from sporax.guards.dependence import Dependence
from sporax.guards.guard_types import Entry
from sporax.staging.symbolic_scalars import Scalar, known


class Restoring:
    """What a function and its arguments refer to, as it is when this is made."""

    def __init__(self, function, arguments):
        self.before = Dependence(function, arguments)

    def restore(self):
        """Put back what is not what it was; the name of the first such value, or None."""
        name = self.before.changed()
        if name is not None:
            for guard in self.before.guards.values():
                guard.restore()
        return name


def leave_numbers(guards):
    """Put the numbers themselves where a captured function left what stood for them."""
    for guard in guards:
        if isinstance(guard, Entry) and type(now := guard.now()) is Scalar:
            guard.put(known(now))
