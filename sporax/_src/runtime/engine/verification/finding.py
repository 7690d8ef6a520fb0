"""`Finding`: a compiled program that is wrong, and the message about it."""

import importlib

from sporax._src.core.errors import describe
from sporax._src.runtime.engine.verification.location import Located, located
from sporax._src.runtime.engine.verification.report import described, report
from sporax._src.runtime.numpy_interpreter.plans import Unsupported
from sporax._src.versions import JAXLIB


class Finding:
    """A program of a trace whose outputs `alive` differ by `difference` from the interpreter's, for
    some operands. `located`: the wrong part of it. `file`: a reproducer; None if there is none, for
    the reason `no_file`."""

    def __init__(self, trace, alive, operands, difference):
        self.trace, self.difference = trace, difference
        self.located: Located | None = None
        self.file, self.no_file = None, "no part of the program is wrong by itself"
        try:
            self.located = located(trace, alive[difference.output], operands)
        except Unsupported as missing:
            self.no_file = f"the interpreter has no rule for '{missing}'"
        if self.located is not None:
            reproducer = importlib.import_module("sporax.io.reproducer")
            self.file, self.no_file = reproducer.write(self.located)
        report.findings.append(self)

    @property
    def who(self):
        """The first wrong operation, and where it was recorded."""
        if self.located is None:
            return f"the program of {described(self.trace)}"
        return f"'{self.located.op.name}'{self.located.origin or ''}"

    def text(self, instead):
        """Return the message on what is wrong; `instead`: the words for what runs instead."""
        case = self.located
        difference = self.difference if case is None else case.difference
        operands = "" if case is None else f" for {', '.join(map(describe, case.rule.operands))}"
        file = f"To reproduce it: sporax verify {self.file}"
        if self.file is None:
            file = f"There is no file that reproduces it: {self.no_file}."
        return (
            f"For {self.who}, the compiled program must give what the interpreter gives, but "
            f"{difference}{operands}. jaxlib {JAXLIB} compiles it wrongly, so {instead}. {file}"
        )
