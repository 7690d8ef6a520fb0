"""`explain`: switches the log of captures and compilations on or off."""

from sporax._src.core.errors import user_frame
from sporax._src.core.hooks import hooks
from sporax._src.core.value import thread
from sporax._src.diagnosis.argument_kinds import BOOL
from sporax._src.runtime.engine.debug.compile_log import Channel, channel, listen
from sporax._src.runtime.engine.recorder import Recorder, run_pending


class explain:
    """Log each capture and compilation to stderr from here on: the function or lines, the reason
    (first call, or what changed), the number of operations, the duration, and whether the program
    was found in the compilation cache. One that takes longer than two seconds is announced while it
    runs.

    A switch, and a context manager that restores the previous state. `on`: False to log nothing.
    The environment variable SPORAX_EXPLAIN=1 enables it from the start. Off, it costs nothing.

    >>> with explain():
    ...     y = jit(lambda x: x * 2.0)(Tensor([1.0]))
    """

    def __init__(self, on: bool = True) -> None:
        BOOL("explain", on=on)
        self._before = channel.is_on
        _switch(on)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if exception[0] is None:
            run_pending()  # log what was recorded inside
        _switch(self._before)


def _switch(on):
    Channel.is_on = on
    if on:
        listen()
    hooks.recorder = LoggingRecorder if on else Recorder
    if thread.recorder.tracer is None:
        run_pending()
        thread.recorder = thread.new_recorder()


class LoggingRecorder(Recorder):
    """Records the line of user code at which a trace begins."""

    __slots__ = ("began",)

    def __init__(self, tracer=None):
        super().__init__(tracer)
        self.began = None
        if tracer is None:
            self.on_record = self._note_line

    def _note_line(self):
        self.began = self.began or user_frame()
        if self.immediate:
            self.run()

    def execute(self, state, values, mine):
        channel.began = self.began
        super().execute(state, values, mine)
