"""`Stream` and `Event` of `mindspore.runtime` and `mindspore.hal`.

XLA runs the programs of a device in sequence, and overlaps independent operations of a program. So
all streams of a device are one queue, in the order of the script: waiting for another stream or for
an event is a no-op, and results are the same on one stream or on many.
"""

import time

import jax

from sporax._src.diagnosis.rules import rejection, require
from sporax._src.mindspore.compat.runtime import synchronize
from sporax._src.runtime.engine.recorder import run_pending


class Stream:
    """A queue of a device. All Streams are the same queue; they differ only in `id`.

    `priority` is accepted without effect: there is one queue.

    >>> from sporax._src.mindspore.compat.streams import Stream, StreamCtx
    >>> stream = Stream()
    >>> with StreamCtx(stream):
    ...     y = Tensor([1.0]) + 1
    >>> stream.synchronize()
    >>> stream.query()
    True
    """

    _count = 0

    def __init__(self, priority=0, **kwargs):
        require(isinstance(priority, int), "int-argument-type-streams", "Stream", priority=priority)
        self.priority, self.id = priority, kwargs.get("stream_id", Stream._count)
        Stream._count += 1

    @property
    def device_name(self):
        """The name of the device, such as 'CPU'."""
        return jax.local_devices()[0].platform.upper()

    device_id = 0

    def record_event(self, event=None):
        """Record `event`, or a new event, after the operations started so far, and return it."""
        event = Event() if event is None else _checked("record_event", Event, event=event)
        event.record(self)
        return event

    def wait_event(self, event):
        """Do nothing: in one queue, later operations start after the event."""
        _checked("wait_event", Event, event=event)

    def wait_stream(self, stream):
        """Do nothing: in one queue, later operations start after the stream's current ones."""
        _checked("wait_stream", Stream, stream=stream)

    def synchronize(self):
        """Wait until all started operations have ended."""
        run_pending()
        synchronize()

    def query(self):
        """Return True if all started operations have ended."""
        run_pending()
        return all(array.is_ready() for array in jax.live_arrays())

    def __eq__(self, other):
        return isinstance(other, Stream) and self.id == other.id

    def __hash__(self):
        return hash(("Stream", self.id))

    def __repr__(self):
        name = self.device_name
        return f"Stream(device_name={name}, device_id:{self.device_id}, stream id:{self.id})"


class Event:
    """A position in the order of operations.

    `enable_timing`: `record` waits for all earlier operations and stores the time. `blocking` is
    accepted without effect: `synchronize` always waits.

    >>> from sporax._src.mindspore.compat.streams import Event
    >>> first, last = Event(enable_timing=True), Event(enable_timing=True)
    >>> first.record()
    >>> y = ops.zeros((100, 100)) + 1
    >>> last.record()
    >>> first.elapsed_time(last) > 0  # milliseconds
    True
    """

    def __init__(self, enable_timing=False, blocking=False):
        for name, value in ("enable_timing", enable_timing), ("blocking", blocking):
            require(
                isinstance(value, bool),
                "must-be-type",
                "Event",
                argument=name,
                got=value,
                kind="a-bool",
            )
        self.enable_timing, self.blocking = enable_timing, blocking
        self._is_recorded, self._time = False, None

    def record(self, stream=None):
        """Record the event after the operations started so far."""
        _checked("record", (Stream, type(None)), stream=stream)
        run_pending()
        if self.enable_timing:
            synchronize()
            self._time = time.perf_counter()
        self._is_recorded = True

    def wait(self, stream=None):
        """Do nothing: in one queue, the stream's later operations start after the event."""
        _checked("wait", (Stream, type(None)), stream=stream)

    def synchronize(self):
        """Wait until the operations before the event have ended."""
        if self._is_recorded and self._time is None:
            synchronize()

    def query(self):
        """Return True if all operations before the event have ended or it was not recorded."""
        if not self._is_recorded or self._time is not None:
            return True
        return default_stream().query()

    def elapsed_time(self, end_event):
        """Return the milliseconds between two events recorded with `enable_timing`."""
        _checked("elapsed_time", Event, end_event=end_event)
        times = self._time, end_event._time
        require(None not in times, "both-events-been-recorded", "Event.elapsed_time")
        return (times[1] - times[0]) * 1000

    def __repr__(self):
        made = f"is_created:{int(self._is_recorded)}"
        return (
            f"Event(enable_timing={int(self.enable_timing)}, blocking:{int(self.blocking)}, {made})"
        )


def _checked(who, kinds, **values):
    ((name, value),) = values.items()
    if not isinstance(value, kinds):
        kind = kinds if isinstance(kinds, type) else kinds[0]
        raise rejection("instance", who, argument=name, kind=kind.__name__, got=value)
    return value


_DEFAULT = Stream()
_current = [_DEFAULT]


def default_stream():
    """Return the default stream of the device.

    >>> ms.default_stream().query()
    True
    """
    return _DEFAULT


def current_stream():
    """Return the current stream.

    >>> ms.current_stream() == ms.default_stream()
    True
    """
    return _current[-1]


def communication_stream():
    """Return the stream for communication: the default one, since there is one queue.

    >>> ms.communication_stream() == ms.default_stream()
    True
    """
    return _DEFAULT


def set_cur_stream(stream):
    """Set the current stream; None leaves it unchanged.

    >>> ms.set_cur_stream(ms.default_stream())
    """
    if stream is not None:
        _current[-1] = _checked("set_cur_stream", Stream, stream=stream)


class StreamCtx:
    """Context manager that sets the current stream; None leaves it unchanged.

    >>> with ms.StreamCtx(ms.Stream()):
    ...     y = Tensor([1.0]) + 1
    """

    def __init__(self, ctx_stream):
        _checked("StreamCtx", (Stream, type(None)), ctx_stream=ctx_stream)
        self._stream = ctx_stream

    def __enter__(self):
        _current.append(self._stream or current_stream())

    def __exit__(self, *error):
        _current.pop()
