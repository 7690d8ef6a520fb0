"""What has been compared so far, for `explain` and `sporax verify`."""

import collections
import threading

from sporax.engine.debug import compile_log


class Report:
    """`compared`: comparisons; `equal`: of them, those of programs that were right;
    `left_out`: {reason: programs that were not compared}; `findings`: of wrong programs."""

    def __init__(self):
        self.lock = threading.Lock()
        self.clear()

    def clear(self):
        """Forget all."""
        self.compared = self.equal = 0
        self.left_out, self.findings = collections.Counter(), []

    def note(self, differs):
        """A program was compared."""
        with self.lock:
            self.compared += 1
            self.equal += differs is None

    def leave_out(self, trace, reason, *values):
        """A program of a trace is used without a comparison, for a reason."""
        reason = reason.format(*values)
        with self.lock:
            self.left_out[reason] += 1
        if compile_log.channel.is_on:
            compile_log.log(f"the program of {described(trace)} is not compared: {reason}")


def described(trace):
    """A trace in words: its operations."""
    names = list(dict.fromkeys(f"'{op.name}'" for op, _, _ in trace.steps))
    shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    count = sum(op.recorded or 1 for op, _, _ in trace.steps)
    return f"{shown} ({compile_log.counted(count)})"


report = Report()
