"""`Profiler`: what ran when, as JAX's own profiler sees it."""

import os
from pathlib import Path

import jax

from sporax.core.to_host import synchronize
from sporax.engine.recorder import run_pending

# What MindSpore's counts on its own devices, and how it writes that down: taken, without effect.
_ELSEWHERE = {
    "activities", "aic_metrics", "aicore_metrics", "data_process", "data_simplification",
    "experimental_config", "export_type", "hbm_ddr", "host_sys", "l2_cache", "mstx",
    "mstx_domain_exclude", "mstx_domain_include", "op_time", "parallel_strategy", "pcie",
    "profile_communication", "profile_framework", "profile_memory", "profiler_level",
    "record_shapes", "sync_enable", "sys_interconnection", "sys_io", "timeline_limit", "with_stack",
}  # fmt: skip
_RULES = {"start_profile": (bool, "a bool"), "output_path": ((str, os.PathLike), "a path")}


class Profiler:
    """A trace of what the program does from `start()` to `stop()`: XLA's programs and operations,
    and Python's calls, each with its time.

    `output_path`: the folder for it (default './data'). `start_profile`: whether to start at once
    (default True). MindSpore's other settings count things on its own devices: they are taken, and
    have no effect.

    The trace is a file `*.trace.json.gz` for https://ui.perfetto.dev, and beside it one for
    TensorBoard; `analyse()` ends the trace, says where it is, and returns the path.

    Raises TypeError for a setting that MindSpore has not, RuntimeError where a profiler is started
    while one runs, or stopped while none does.

    >>> profiler = Profiler(output_path="outputs/profile", start_profile=False)
    >>> profiler.start()
    >>> print(Tensor([1.0, 2.0]).sum())
    3.0
    >>> profiler.stop()
    """

    _running = None  # the one of this process that traces

    def __init__(self, **kwargs):
        options = {"start_profile": True, "output_path": "./data", **kwargs}
        unknown = options.keys() - _ELSEWHERE - _RULES.keys()
        if unknown:
            raise TypeError(
                f"For 'Profiler', a keyword argument must be one that it has, but got "
                f"'{min(unknown)}'. What has an effect is 'output_path' and 'start_profile'."
            )
        for name, (kinds, rule) in _RULES.items():
            if not isinstance(options[name], kinds):
                raise TypeError(
                    f"For 'Profiler', '{name}' must be {rule}, but got "
                    f"{type(options[name]).__name__}."
                )
        self._folder = Path(options["output_path"]).absolute()
        if options["start_profile"]:
            self.start()

    def start(self):
        """Begin the trace, after pending operations have run."""
        if Profiler._running is not None:
            raise RuntimeError(
                "For 'Profiler.start', no other profiler must run, but one does. Call its 'stop' "
                "or 'analyse' first."
            )
        _settle()
        jax.profiler.start_trace(str(self._folder))
        Profiler._running = self

    def stop(self):
        """End the trace, after pending operations have run, and write it."""
        if Profiler._running is not self:
            raise RuntimeError(
                "For 'Profiler.stop', the profiler must run, but it does not. Call 'start' first."
            )
        _settle()
        Profiler._running = None
        jax.profiler.stop_trace()

    def analyse(self):
        """End the trace if it runs, say where it is, and return the path of its newest file."""
        if Profiler._running is self:
            self.stop()
        traces = sorted(self._folder.rglob("*.trace.json.gz"), key=os.path.getmtime)
        if not traces:
            raise RuntimeError(
                f"For 'Profiler.analyse', there must be a trace in {self._folder}, but there is "
                "none. Call 'start' first."
            )
        print(f"The profile is {traces[-1]}; open it in https://ui.perfetto.dev")
        return str(traces[-1])


def _settle():
    run_pending()
    synchronize()
