"""`profile`: traces of selected steps; `mstx`: user ranges and marks in a trace."""

import itertools
import json
import os
import shutil
import socket
import tempfile
from pathlib import Path

import jax

from sporax._src.core.errors import warn
from sporax._src.core.hooks import hooks
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.workbench.profiler.profiler import Metadata, Profiler, settle
from sporax._src.workbench.profiler.profiler_options import ProfilerAction

_RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


def tensorboard_trace_handler(dir_name=None, worker_name=None, analyse_flag=True, async_mode=False):
    """Return a handler for `profile(on_trace_ready=...)`: traces are written to the folder
    `dir_name` (default './data'), for TensorBoard's profile plugin and https://ui.perfetto.dev.

    `worker_name`: prefix of the file names (default: host and process). `analyse_flag`,
    `async_mode`: accepted without effect; a trace needs no analysis.

    >>> handler = tensorboard_trace_handler("outputs/traces", worker_name="first")
    """

    def handler(profiler):
        """Do nothing: `profile` has already written the trace to the folder."""

    handler.folder = Path("./data" if dir_name is None else dir_name)
    handler.worker_name = worker_name
    return handler


class profile(Metadata):
    """Traces the program: all steps, or the steps selected by `schedule`.

    `schedule`: a function from the step number to a `ProfilerAction`, such as `schedule(wait=1,
    active=2)`; by default all steps are recorded. `step()` ends a step. `on_trace_ready`: called
    with the profile after a trace is written: `tensorboard_trace_handler(folder)`, which also sets
    the folder (default './data'), or a user function, which finds the file in `path`. A trace has
    an event `ProfilerStep#n` per step. `start_profile`: start immediately (default True); a `with`
    block starts it, and stops it at the end. The other settings are for other devices: accepted
    without effect.

    Raises TypeError if `schedule` or `on_trace_ready` is not a function, RuntimeError if another
    profiler is running.

    >>> handler = tensorboard_trace_handler("outputs/profile")
    >>> from sporax._src.workbench.profiler import schedule
    >>> plan = schedule(wait=1, active=1, repeat=1)
    >>> with profile(schedule=plan, on_trace_ready=handler) as prof:
    ...     for step in range(3):
    ...         y = Tensor([1.0, 2.0]).sum()
    ...         prof.step()
    >>> prof.path.name.endswith(".trace.json.gz")
    True
    """

    def __init__(
        self, activities=None, with_stack=False, profile_memory=False, data_process=False,
        parallel_strategy=False, start_profile=True, hbm_ddr=False, pcie=False, sync_enable=True,
        record_shapes=False, schedule=None, on_trace_ready=None, experimental_config=None,
    ):  # fmt: skip
        function = kinds.optional(kinds.FUNCTION)
        function("profile", schedule=schedule, on_trace_ready=on_trace_ready)
        if on_trace_ready is tensorboard_trace_handler:
            on_trace_ready = tensorboard_trace_handler()
        self.schedule = schedule or (lambda step: ProfilerAction.RECORD)
        self._on_trace_ready = on_trace_ready
        self.folder = getattr(on_trace_ready, "folder", Path("./data")).absolute()
        name = getattr(on_trace_ready, "worker_name", None)
        self._worker = name or f"{socket.gethostname()}_{os.getpid()}"
        self.step_num = 0
        self.current_action = ProfilerAction.NONE
        self.path = None  # of the latest trace
        super().__init__()
        self.has_started = False
        self._running_folder = self._step_annotation = None
        if start_profile:
            self.start()

    def start(self):
        """Start with step 0; if it has already started, only warn."""
        if self.has_started:
            warn("'profile.start' has no effect: the profile has started already.")
            return
        self.has_started, self.step_num = True, 0
        self._enter(self.schedule(0))

    def step(self):
        """End the current step and begin the next one."""
        require(self.has_started, "profile-run-does-not", "profile.step")
        before = self._leave_step()
        self.step_num += 1
        action = self.schedule(self.step_num)
        if self._running_folder is not None and (
            before is ProfilerAction.RECORD_AND_SAVE or action not in _RECORDING
        ):
            self._write()
        self._enter(action)

    def stop(self):
        """End the last step, and write the trace if one is recorded."""
        require(self.has_started, "profile-run-does-not", "profile.stop")
        self._leave_step()
        self.has_started, self.current_action = False, ProfilerAction.NONE
        if self._running_folder is not None:
            self._write()

    def _enter(self, action):
        self.current_action = action
        if action not in _RECORDING:
            return
        if self._running_folder is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            folder = tempfile.mkdtemp(prefix="running_", dir=self.folder)
            try:
                Profiler.begin(self, folder)
            except RuntimeError:
                os.rmdir(folder)
                self.has_started = False
                raise
            self._running_folder = folder
        self._step_annotation = jax.profiler.TraceAnnotation(f"ProfilerStep#{self.step_num}")
        self._step_annotation.__enter__()

    def _leave_step(self):
        if self._step_annotation is not None:
            settle()
            self._step_annotation.__exit__(None, None, None)
            self._step_annotation = None
        return self.current_action

    def _write(self):
        """End the trace, and move its files to where TensorBoard looks for runs."""
        folder, self._running_folder = self._running_folder, None
        Profiler.end(self)
        (run,) = Path(folder, "plugins/profile").iterdir()
        runs = self.folder / "plugins" / "profile"
        target = next(
            path
            for number in itertools.count()
            if not (path := runs / f"{run.name}_{number}").exists()
        )
        target.mkdir(parents=True)
        for file in run.iterdir():
            kind = next(k for k in (".trace.json.gz", ".xplane.pb", "") if file.name.endswith(k))
            shutil.move(file, target / (f"{self._worker}{kind}" if kind else file.name))
        shutil.rmtree(folder)
        self._write_metadata(target)
        self.path = target / f"{self._worker}.trace.json.gz"
        if self._on_trace_ready is not None:
            self._on_trace_ready(self)

    def __enter__(self):
        if not self.has_started:
            self.start()
        return self

    def __exit__(self, *error):
        if self.has_started:
            self.stop()


hooks.step_profiler = profile
_range_numbers, _open_ranges = itertools.count(1), {}


class mstx:
    """Adds ranges and marks to the trace of a profiler.

    >>> number = mstx.range_start("first epoch")
    >>> mstx.mark("data read")
    >>> mstx.range_end(number)
    """

    @staticmethod
    def _annotation(who, message, domain):
        for name, text in (("message", message), ("domain", domain)):
            if not isinstance(text, str) or not text:
                raise (ValueError if isinstance(text, str) else TypeError)(
                    f"For 'mstx.{who}', '{name}' must be a string that is not empty, but got "
                    f"{text!r:.80}. Give a name for the trace."
                )
        if Profiler.is_running():
            settle()
        return jax.profiler.TraceAnnotation(message, domain=domain)

    @staticmethod
    def mark(message, stream=None, domain="default"):
        """Add an instant event to the trace. `stream`: without effect."""
        with mstx._annotation("mark", message, domain):
            pass

    @staticmethod
    def range_start(message, stream=None, domain="default"):
        """Begin a range; return its number, for `range_end`. `stream`: without effect."""
        annotation = mstx._annotation("range_start", message, domain)
        annotation.__enter__()
        number = next(_range_numbers)
        _open_ranges[number, domain] = annotation
        return number

    @staticmethod
    def range_end(range_id, domain="default"):
        """End a range, after the operations that were started in it."""
        is_open, who = (range_id, domain) in _open_ranges, "mstx.range_end"
        require(is_open, "range-domain-was-started", who, range_id=range_id, domain=domain)
        if Profiler.is_running():
            settle()
        _open_ranges.pop((range_id, domain)).__exit__(None, None, None)


class EnvProfiler:
    """The `profile` of a whole process, set by the environment variable MS_PROFILER_OPTIONS: JSON
    such as `{"start": true, "output_path": "./data"}`, read when sporax is imported as MindSpore.

    >>> EnvProfiler.init_profiler()  # nothing: the variable is not set
    >>> EnvProfiler().analyse()
    """

    profiler = None

    @classmethod
    def init_profiler(cls):
        """Start the profile if the variable says so; raise ValueError if it is not a JSON
        object."""
        text = os.environ.get("MS_PROFILER_OPTIONS")
        if not text:
            return
        try:
            options = json.loads(text)
        except json.JSONDecodeError:
            options = None
        fits = isinstance(options, dict)
        require(fits, "ms-profiler-options-json-object", "EnvProfiler", got=text)
        if options.get("start") and cls.profiler is None:
            handler = tensorboard_trace_handler(options.get("output_path"))
            cls.profiler = profile(on_trace_ready=handler)

    def analyse(self):
        """End the profile and write the trace."""
        if EnvProfiler.profiler is not None:
            EnvProfiler.profiler.stop()
            EnvProfiler.profiler = None
