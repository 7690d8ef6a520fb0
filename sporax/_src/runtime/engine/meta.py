"""The device 'meta': Tensors with shape and dtype and without data.

Their Value is a `Meta`, which a recorder meets as an operand that it has not recorded: it raises
`OnMeta`, and the operation is evaluated with avals only. In `on_device("meta")` a `MetaRecorder`
does so with all operations.
"""

from typing import Any

from sporax._src.core.value import thread
from sporax._src.diagnosis.sizes import sizes_limited
from sporax._src.runtime.engine.recorder import Recorder
from sporax._src.runtime.engine.trace_tree import OnMeta, TraceNode


class _NoPath:
    """The edges of a trace that records nothing."""

    def get(self, key):
        raise OnMeta


class MetaRecorder(Recorder):
    """The recorder of a thread whose device is 'meta': it records nothing."""

    __slots__ = ()
    is_meta = True

    def __init__(self):
        super().__init__()
        state: Any = TraceNode(None, None, None, (), None)
        state.precision, state.next = thread.precision, _NoPath()
        self.state = state

    def operand_key(self, value, handle=None):
        """Raise `OnMeta`."""
        raise OnMeta

    def rewind(self):
        """Do nothing: it has no inputs."""


class on_device:
    """Run operations in the block, in this thread, on 'meta' or on another device; None: as before.

    A capture cannot contain it: the function continues dynamically, or raises.
    """

    def __init__(self, device):
        self.device = device

    def __enter__(self):
        recorder = thread.recorder
        wanted = recorder.is_meta if self.device is None else self.device == "meta"
        if recorder.tracer is not None and wanted != recorder.is_meta:
            recorder.tracer.to_host(recorder)
        self.before = thread.recorder, thread.recorder_class, sizes_limited(not wanted)
        self.before[2].__enter__()
        if wanted != recorder.is_meta:
            thread.recorder_class = MetaRecorder if wanted else None
            thread.recorder = thread.new_recorder()
        return self

    def __exit__(self, *exception):
        if thread.recorder_class is not self.before[1]:
            thread.recorder.run()  # no operation comes after it
            thread.recorder, thread.recorder_class, _ = self.before
        self.before[2].__exit__()


def device_of(tensor, device):
    """Return the device of a new tensor; for None that of `tensor`, if it is 'meta'."""
    return "meta" if device is None and tensor.is_meta else device
