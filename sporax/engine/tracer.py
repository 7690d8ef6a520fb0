"""`Tracer`: what the recorder, Tensors and Cells need of the one that records a function."""

from abc import ABC, abstractmethod
from typing import Any


class Tracer(ABC):
    """Records a function for a graph; stands in `Recorder.tracer` while the function runs.

    The first time that a Tensor from outside is used, its handle gets a Value of this trace, an
    input. A handle that is rebound on the way is written back by each run of the graph.
    """

    has_concrete_inputs = True  # else inputs have avals alone, and no call can run on the host
    checks_indices = True  # whether a run may raise, see `index_checks`

    cell_log: Any = None  # follows the calls of Cells, see `insight.cell_log`; None: nobody does
    is_read_elsewhere = False  # whether another thread has read a Value of the recording

    recorder: Any
    prints: Any  # deferred prints and checks of indices, in order
    error: Any = None  # the last that was raised for want of a concrete value
    unconverted: set  # code objects that need a concrete value, which conversion may remove
    handles: dict  # id(handle) -> (handle, its Value before, its Value as an input)

    @abstractmethod
    def operand_key(self, recorder, value, handle):
        """The key of an operand from outside; see `Recorder.operand_key`."""

    @abstractmethod
    def lift(self, recorder, handle):
        """Make the handle's Value an input, unless it is of this trace; returns its index."""

    @abstractmethod
    def before_rebind(self, recorder, handle):
        """A handle is about to be given another Value."""

    @abstractmethod
    def add_constant(self, recorder, value):
        """Add a Value made of host data inside the function: the same at every call."""

    @abstractmethod
    def is_constant(self, recorder, value):
        """Whether `value` is the same at every call, so that its concrete value may be read."""

    @abstractmethod
    def concrete_value_needed(self, recorder, value):
        """The concrete value of `value` is about to be read: a graph break, unless it is a
        constant."""

    @abstractmethod
    def to_host(self, recorder):
        """Python is about to do what a graph cannot: run it on the host, or raise."""

    @abstractmethod
    def needs_conversion(self, code):
        """A concrete value is needed in this code of the user's, which may be converted."""

    @abstractmethod
    def cell_called(self, cell):
        """A Cell is about to compute: the graph depends on its state. Returns whether this is the
        beginning of the call."""

    @abstractmethod
    def add_deferred(self, shown):
        """Print, or check indices, at each run of the graph."""

    def written(self):
        """The handles from outside that were rebound, with their Values now."""
        return [(h, h._value) for h, _, twin in self.handles.values() if h._value is not twin]
