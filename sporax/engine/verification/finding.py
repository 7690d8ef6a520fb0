"""`Finding`: a compiled program that is wrong, and the words about it."""

import importlib

from sporax.core.errors import describe
from sporax.engine.verification.location import Located, located
from sporax.engine.verification.report import described, report
from sporax.versions import JAXLIB


class Finding:
    """A program of a trace whose outputs `alive` are not what the interpreter gives for some
    operands: `difference`. `located`: the part of it that is wrong. `file`: reproduces it."""

    def __init__(self, trace, alive, operands, difference):
        self.trace, self.difference = trace, difference
        self.located: Located | None = located(trace, alive[difference.output], operands)
        self.file = None
        if self.located is not None:
            reproducer = importlib.import_module("sporax.io.reproducer")
            self.file = reproducer.write(self.located)
        report.findings.append(self)

    @property
    def who(self):
        """The first operation that is wrong, and where it was recorded."""
        if self.located is None:
            return f"the program of {described(self.trace)}"
        return f"'{self.located.op.name}'{self.located.origin or ''}"

    def text(self, options):
        """One sentence on what is wrong, and on what runs instead: a program compiled with these
        options; None: the interpreter."""
        part, found = self.located, self.difference if self.located is None else None
        found = found or part.difference
        operands = "" if part is None else f" for {', '.join(map(describe, part.rule.operands))}"
        instead = "the interpreter goes on, which is slower"
        if options:
            chosen = ", ".join(f"{name}={value!r}" for name, value in options.items())
            instead = f"it is compiled again with {chosen}"
        file = "" if self.file is None else f" To reproduce it: sporax verify {self.file}"
        return (
            f"For {self.who}, the compiled program must give what the interpreter gives, but "
            f"{found}{operands}. jaxlib {JAXLIB} compiles it wrongly, so {instead}."
            f"{file}"
        )
