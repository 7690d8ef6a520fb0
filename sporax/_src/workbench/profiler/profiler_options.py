"""Options of the profilers: enums, `_ExperimentalConfig` and `schedule`."""

import logging
from enum import Enum

from sporax._src.diagnosis.rules import require

_log = logging.getLogger("sporax")

_COUNTERS = "PipeUtilization ArithmeticUtilization Memory MemoryL0 MemoryUB ResourceConflictRatio"


def _enum(name, meaning, **values):
    kind = Enum(name, values, module=__name__)
    kind.__doc__ = meaning
    return kind


ProfilerLevel = _enum(
    "ProfilerLevel",
    "Detail of MindSpore's records on an Ascend; the trace has all programs at every level.",
    **{level: level for level in ("LevelNone", "Level0", "Level1", "Level2")},
)
ProfilerActivity = _enum(
    "ProfilerActivity",
    "Devices to record; the trace has the host and the device of the programs.",
    **{device: device for device in ("NPU", "GPU", "CPU")},
)
AicoreMetrics = _enum(
    "AicoreMetrics",
    "Hardware counters of an Ascend; ignored.",
    **{name: name for name in f"{_COUNTERS} L2Cache MemoryAccess".split()},
    AiCoreNone="None",
)
ExportType = _enum(
    "ExportType",
    "MindSpore's file formats; the trace here has those of Perfetto and TensorBoard.",
    Db="db",
    Text="text",
)
HostSystem = _enum(
    "HostSystem",
    "Counters of the host that MindSpore's tools read; without effect here.",
    CPU="cpu", MEM="mem", DISK="disk", NETWORK="network", OSRT="osrt",
)  # fmt: skip


class ProfilerAction(Enum):
    """The action of a profiler at a step."""

    NONE = 0
    WARM_UP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class _ExperimentalConfig:
    """Settings of the Ascend profiler: kept as attributes, without effect (logged once).

    >>> _ExperimentalConfig(profiler_level=ProfilerLevel.Level1).profiler_level
    <ProfilerLevel.Level1: 'Level1'>
    """

    _is_mentioned = False

    def __init__(
        self, profiler_level=ProfilerLevel.Level0, aic_metrics=AicoreMetrics.AiCoreNone,
        l2_cache=False, mstx=False, data_simplification=True, export_type=None,
        mstx_domain_include=None, mstx_domain_exclude=None, sys_io=False,
        sys_interconnection=False, host_sys=None,
    ):  # fmt: skip
        options = {name: value for name, value in locals().items() if name != "self"}
        self.__dict__.update(options)
        if not _ExperimentalConfig._is_mentioned:
            _ExperimentalConfig._is_mentioned = True
            _log.warning(
                "'_ExperimentalConfig' has no effect here: its settings are an Ascend's counters."
            )


class Schedule:
    """Selects the recorded steps: `skip_first` steps are skipped, then each cycle waits for `wait`
    steps, warms up for `warmup` and records `active`; `repeat` cycles, 0 for no limit.

    Called with a step number, from 0, it returns a `ProfilerAction`: NONE, WARM_UP (nothing is
    recorded), RECORD, or RECORD_AND_SAVE at the last recorded step of a cycle.

    Raises TypeError if an argument is not an int; ValueError if `active` is below 1 or another is
    below 0.

    >>> plan = Schedule(wait=1, warmup=0, active=2, repeat=1)
    >>> [plan(step).name for step in range(4)]
    ['NONE', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """

    def __init__(self, *, wait, active, warmup=0, repeat=0, skip_first=0):
        self._options = {
            "wait": wait, "active": active, "warmup": warmup, "repeat": repeat,
            "skip_first": skip_first,
        }  # fmt: skip
        for name, value in self._options.items():
            least = 1 if name == "active" else 0
            if type(value) is not int or value < least:
                raise (ValueError if type(value) is int else TypeError)(
                    f"For 'schedule', '{name}' must be an int from {least}, but got {value!r:.80}. "
                    "Give a number of steps."
                )
        self.__dict__.update(self._options)

    def __call__(self, step):
        require(step >= 0, "int-0", "schedule", step=step)
        cycle, position = divmod(step - self.skip_first, self.wait + self.warmup + self.active)
        is_over = 0 < self.repeat <= cycle
        if cycle < 0 or is_over or position < self.wait:
            return ProfilerAction.NONE
        if position < self.wait + self.warmup:
            return ProfilerAction.WARM_UP
        is_last = position == self.wait + self.warmup + self.active - 1
        return ProfilerAction.RECORD_AND_SAVE if is_last else ProfilerAction.RECORD

    def __repr__(self):
        names = ("wait", "active", "warmup", "repeat", "skip_first")
        return f"Schedule({', '.join(f'{name}={self._options[name]!r}' for name in names)})"

    def to_dict(self):
        """Return the parameters by name."""
        return dict(self._options)


schedule = Schedule
