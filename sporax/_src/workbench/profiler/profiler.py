"""`Profiler`: traces by JAX's profiler."""

import json
import os
from pathlib import Path

import jax

from sporax._src.core.errors import warn
from sporax._src.core.hooks import hooks
from sporax._src.core.settings import TABLES
from sporax._src.core.to_host import synchronize
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.engine.recorder import run_pending

_SETTINGS = TABLES["Profiler"]
_TYPE_NAMES = {"start_profile": "a bool", "output_path": "a path"}


class Metadata:
    """Named metadata that a script stores beside its traces."""

    def __init__(self):
        self._metadata = {}

    def add_metadata(self, key, value):
        """Store the string `value` as `key` in `profiler_metadata.json` beside the traces."""
        kinds.STR("Profiler.add_metadata", key=key, value=value)
        self._metadata[key] = value

    def add_metadata_json(self, key, value):
        """Store the parsed JSON string `value` as `key`; raise ValueError if it is not JSON."""
        self.add_metadata(key, value)
        try:
            self._metadata[key] = json.loads(value)
        except json.JSONDecodeError as error:
            del self._metadata[key]
            who = "Profiler.add_metadata_json"
            raise rejection("json", who, value=value, cause=error) from None

    def _write_metadata(self, folder):
        if self._metadata:
            (folder / "profiler_metadata.json").write_text(json.dumps(self._metadata))


class Profiler(Metadata):
    """Traces the program from `start()` to `stop()`: XLA programs and operations, and Python calls,
    each with its time.

    `output_path`: the output folder (default './data'). `start_profile`: start immediately (default
    True). `schedule`, `on_trace_ready`: as in `profile`, to trace only some steps, each ended by
    `step()`. MindSpore's other settings are for its own devices: accepted without effect. A `with`
    block starts the profiler, and stops it at the end.

    The trace is a file `*.trace.json.gz` for https://ui.perfetto.dev, with one for TensorBoard
    beside it; `analyse()` ends the trace, prints its path and returns it.

    Raises TypeError for a setting that MindSpore lacks, RuntimeError if started while a profiler is
    running, or stopped while it is not running.

    >>> profiler = Profiler(output_path="outputs/profile", start_profile=False)
    >>> profiler.start()
    >>> print(Tensor([1.0, 2.0]).sum())
    3.0
    >>> profiler.stop()
    """

    _running = None  # the tracing profiler of this process

    def __init__(self, **kwargs):
        super().__init__()
        steps = {name: kwargs.pop(name, None) for name in ("schedule", "on_trace_ready")}
        unknown = kwargs.keys() - _SETTINGS.keys()
        if unknown:
            raise rejection("keyword-argument-one-argument-unknown", "Profiler", got=min(unknown))
        options = {name: row.default for name, row in _SETTINGS.items()} | kwargs
        for name, words in _TYPE_NAMES.items():
            require(isinstance(options[name], _SETTINGS[name].types),
                    "must-be-argument-type-argument-checks", "Profiler", argument=name, value=words,
                    got=options[name])  # fmt: skip
        self._folder, self._steps = Path(options["output_path"]).absolute(), None
        if any(function is not None for function in steps.values()):
            self._steps = hooks.step_profiler(start_profile=False, **steps)
            if not hasattr(steps["on_trace_ready"], "folder"):
                self._steps.folder = self._folder
            self._folder, self._metadata = self._steps.folder, self._steps._metadata
        if options["start_profile"]:
            self.start()

    def start(self):
        """Begin the trace, after pending operations have run."""
        if self._steps is not None:
            self._steps.start()
        else:
            Profiler.begin(self, self._folder)

    def step(self):
        """End a step of the `schedule`; without a schedule, only warn."""
        if self._steps is not None:
            self._steps.step()
        else:
            warn("'Profiler.step' has no effect without a 'schedule'.")

    def __enter__(self):
        if Profiler._running is not self and (self._steps is None or not self._steps.has_started):
            self.start()
        return self

    def __exit__(self, *error):
        if Profiler._running is self or (self._steps is not None and self._steps.has_started):
            self.stop()

    def op_analyse(self, op_name, device_id=None):
        """Raise NotImplementedError: programs are compiled whole, so operations have no times."""
        raise rejection("sporax-no-profiler-op-analyse")

    def stop(self):
        """End the trace, after pending operations have run, and write it."""
        if self._steps is not None:
            self._steps.stop()
            return
        require(Profiler._running is self, "profiler-run-does-not", "Profiler.stop")
        Profiler.end(self)
        self._write_metadata(self._folder)

    @staticmethod
    def offline_analyse(path, pretty=False, step_list=None, data_simplification=True):
        """Print the path of the newest trace below a folder, and return it."""
        return analyse(path)

    @staticmethod
    def begin(owner, folder):
        """Begin the trace of a `Profiler` or a `profile`; raise RuntimeError if one is running."""
        if Profiler._running is not None:
            raise rejection("no-other-profiler-run", f"{type(owner).__name__}.start")
        settle()
        jax.profiler.start_trace(str(folder))
        Profiler._running = owner

    @staticmethod
    def end(owner):
        """End and write the trace of `owner`, if it is running."""
        if Profiler._running is owner:
            settle()
            Profiler._running = None
            jax.profiler.stop_trace()

    @staticmethod
    def is_running():
        """Return True if a trace is being recorded."""
        return Profiler._running is not None

    def analyse(self):
        """End the trace if it is running; print and return the path of the newest trace."""
        if Profiler._running is self or (self._steps is not None and self._steps.has_started):
            self.stop()
        return analyse(self._folder)


def analyse(
    profiler_path, max_process_number=None, pretty=False, step_list=None, data_simplification=True
):
    """Print the path of the newest trace below a folder, and return it; the other arguments concern
    MindSpore's own files and have no effect."""
    traces = sorted(Path(profiler_path).rglob("*.trace.json.gz"), key=os.path.getmtime)
    require(traces, "trace-none", "Profiler.analyse", profiler_path=profiler_path)
    print(f"The profile is {traces[-1]}; open it in https://ui.perfetto.dev")
    return str(traces[-1])


def settle():
    """Run pending operations, and wait for the device."""
    run_pending()
    synchronize()
