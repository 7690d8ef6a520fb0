"""`DynamicProfilerMonitor`: profile steps selected by a file during training."""

import json
import os
import time
from pathlib import Path
from typing import Any

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.workbench.profiler.profile import profile, tensorboard_trace_handler
from sporax.io import untrusted_file
from sporax.train.callback import Callback

_START = {"start_step": -1, "stop_step": -1}


class DynamicProfilerMonitor(Callback):
    """Profiles the steps selected by `cfg_path/profiler_config.json`: `{"start_step": 6,
    "stop_step": 7}`, which may change during training. -1 means none.

    The file is created with -1 if absent, and re-read at most every `poll_interval` seconds. Traces
    are written to a subfolder `rank0_start6_stop7` of `output_path` ('dyn_profile_data');
    `prof_path` in the file overrides it. All other settings of the file have no effect. As a
    callback of `Model.train`, steps are the run's steps; in a custom loop, call `step()` after
    each.

    >>> import tempfile
    >>> monitor = DynamicProfilerMonitor(tempfile.mkdtemp())
    >>> monitor.step()
    """

    def __init__(self, cfg_path=None, output_path=None, poll_interval=2, **kwargs):
        who = "DynamicProfilerMonitor"
        path = kinds.instance((str, Path), "a-path")
        cfg_path = path.checked(who, "cfg_path", cfg_path)
        kinds.optional(path)(who, output_path=output_path)
        kinds.POSITIVE(who, poll_interval=poll_interval)
        self._file = Path(cfg_path) / "profiler_config.json"
        self._output = Path("dyn_profile_data" if output_path is None else output_path)
        self._interval, self._read_at = poll_interval, None
        self._options: dict[str, Any] = dict(_START)
        self._profile, self._last, self._count = None, None, 0
        if not os.path.lexists(self._file):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text(json.dumps(_START, indent=4))

    def step_begin(self, run_context):
        """Start the trace if this is the first step in the file."""
        self._begin(run_context.original_args().cur_step_num)

    def step_end(self, run_context):
        """Stop the trace if this is the last step."""
        self._end(run_context.original_args().cur_step_num)

    def end(self, run_context):
        """Stop a trace whose last step was not reached."""
        self._stop()

    def step(self):
        """End a step of a custom loop: step 0 lasts until the first call."""
        self._end(self._count)
        self._count += 1
        self._begin(self._count)

    def _steps(self):
        """Return the first and the last step currently in the file."""
        now = time.monotonic()
        if self._read_at is None or now - self._read_at >= self._interval:
            self._read_at = now
            try:
                options = untrusted_file.json_of(untrusted_file.content(self._file))
                self._options = _START | options
                Path(self._options.get("prof_path") or "")
            except untrusted_file.MALFORMED as error:
                raise rejection("json-object-reading-says", "DynamicProfilerMonitor",
                                file=self._file, cause=error) from None  # fmt: skip
        first, last = self._options["start_step"], self._options["stop_step"]
        require(type(first) is int and type(last) is int and (first < 0 or last >= first),
                "stop-step-ints-start-step-stop-step", "DynamicProfilerMonitor", start_step=first,
                file=self._file, last=last)  # fmt: skip
        return first, last

    def _begin(self, step):
        first, last = self._steps()
        if self._profile is None and first == step:
            folder = Path(self._options.get("prof_path") or self._output)
            handler = tensorboard_trace_handler(folder / f"rank0_start{first}_stop{last}")
            self._profile, self._last = profile(on_trace_ready=handler), last
        elif self._profile is not None:
            self._profile.step()

    def _end(self, step):
        if self._profile is not None and step >= self._last:
            self._stop()

    def _stop(self):
        if self._profile is not None:
            self._profile.stop()
            self._profile = None
