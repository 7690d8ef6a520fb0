"""Statistics of comparisons, for `explain` and `sporax verify`."""

import collections
import threading

from sporax._src.runtime.engine.debug import compile_log


class Report:
    """`compared`: the number of comparisons; `equal`: how many found the program right;
    `left_out`: {reason: number of programs not compared}; `findings`: of wrong programs."""

    def __init__(self):
        self.lock = threading.Lock()
        self.clear()

    def clear(self):
        """Clear the report."""
        self.compared = self.equal = 0
        self.left_out, self.findings = collections.Counter(), []

    def note(self, differs):
        """Count a comparison of a program."""
        with self.lock:
            self.compared += 1
            self.equal += differs is None

    def leave_out(self, trace, reason, *values):
        """Count a trace's program that is used without a comparison, for a reason."""
        reason = reason.format(*values)
        with self.lock:
            self.left_out[reason] += 1
        if compile_log.channel.is_on:
            compile_log.log(f"the program of {described(trace)} is not compared: {reason}")


def described(trace):
    """Describe a trace in words: its operations."""
    names = list(dict.fromkeys(f"'{op.name}'" for op, _, _ in trace.steps))
    shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    count = sum(op.recorded or 1 for op, _, _ in trace.steps)
    return f"{shown} ({compile_log.counted(count)})"


report = Report()
