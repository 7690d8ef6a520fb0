"""`Tracer`: the interface between the recording of a function and recorder, Tensors and Cells."""

from abc import ABC, abstractmethod
from typing import Any


class Tracer(ABC):
    """Records a function for a graph; set as `Recorder.tracer` while the function runs.

    When a Tensor from outside is first used, its handle gets a Value of this trace, an input. Each
    run of the graph writes back the handles that the function rebinds.
    """

    has_concrete_inputs = True  # else inputs have only avals, and no call can run on the host
    checks_indices = True  # whether a run may raise, see `index_checks`

    cell_log: Any = None  # records the calls of Cells, see `insight.cell_log`; None: off
    is_read_elsewhere = False  # whether another thread has read a Value of the recording

    recorder: Any
    prints: Any  # deferred prints and checks of indices, in order
    error: Any = None  # the last one raised because a concrete value was needed
    unconverted: set  # code objects that need a concrete value, which conversion may remove
    handles: dict  # id(handle) -> (handle, its Value before, its Value as an input)

    @abstractmethod
    def operand_key(self, recorder, value, handle):
        """Return the key of an operand from outside; see `Recorder.operand_key`."""

    @abstractmethod
    def lift(self, recorder, handle):
        """Make the handle's Value an input, unless it is in this trace; returns its index."""

    @abstractmethod
    def before_rebind(self, recorder, handle):
        """Called before a handle is rebound to another Value."""

    @abstractmethod
    def add_constant(self, recorder, value):
        """Add a Value of host data made inside the function: the same at every call."""

    @abstractmethod
    def is_constant(self, recorder, value):
        """Return True if `value` is the same at every call, so that it may be read."""

    @abstractmethod
    def concrete_value_needed(self, recorder, value):
        """Called before the concrete value of `value` is read: a graph break, unless it is a
        constant."""

    @abstractmethod
    def to_host(self, recorder):
        """Called before an action that a graph does not support: run it on the host, or raise."""

    @abstractmethod
    def needs_conversion(self, code):
        """Record that this user code needs a concrete value, and may be converted."""

    @abstractmethod
    def cell_called(self, cell):
        """Called before a Cell computes: the graph depends on its state. Returns whether this is
        the beginning of the call."""

    @abstractmethod
    def add_deferred(self, shown):
        """Print, or check indices, at each run of the graph."""

    def written(self):
        """Return the handles from outside that were rebound, with their current Values."""
        return [(h, h._value) for h, _, twin in self.handles.values() if h._value is not twin]
