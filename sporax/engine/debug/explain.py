"""`explain`: have captures and compilations told, or not."""

from sporax.core.errors import user_frame
from sporax.core.value import thread
from sporax.engine.debug.compile_log import Channel, channel, listen
from sporax.engine.recorder import Recorder, run_pending


class explain:
    """Tell on stderr of each capture and each compilation from here on: which function or lines,
    why (first call, or what changed since), how many operations, how long, and whether the program
    was found in the folder of those compiled before. What takes longer than two seconds is
    announced while it goes on.

    A switch, and a context manager that puts back what was before. `on`: False to tell nothing.
    The environment variable SPORAX_EXPLAIN=1 tells from the start. Off, it costs nothing.

    >>> with explain():
    ...     y = jit(lambda x: x * 2.0)(Tensor([1.0]))
    """

    def __init__(self, on=True):
        if not isinstance(on, bool):
            raise TypeError(f"For 'explain', 'on' must be a bool, but got {type(on).__name__}.")
        self._before = channel.is_on
        _switch(on)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if exception[0] is None:
            run_pending()  # what was recorded inside is told
        _switch(self._before)


def _switch(on):
    Channel.is_on = on
    if on:
        listen()
    kind = thread.__class__.new_recorder = LoggingRecorder if on else Recorder
    if thread.new_recorder in (Recorder, LoggingRecorder):  # no other, such as an anomaly's
        thread.new_recorder = kind
    if thread.recorder.tracer is None:
        run_pending()
        thread.recorder = thread.new_recorder()


class LoggingRecorder(Recorder):
    """Notes the user's line at which a trace begins."""

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
