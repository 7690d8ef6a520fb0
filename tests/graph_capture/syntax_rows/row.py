"""The rows of docs/graph_syntax.md: code, MindSpore's statement about it, and sporax's behaviour.

`@row(says, *calls)` decorates a function or a Cell class, `@factory(says, *calls)` a function
without parameters that returns one (or a tuple of it and a function that reads the resulting
state). The page shows the docstring. Each of `calls` has the arguments of one call.
"""

import inspect
from dataclasses import dataclass
from typing import Any

WORKS, BREAKS, REJECTED = "works", "breaks the graph", "rejected"


@dataclass
class Row:
    """`note`: added text on the page. `error`: (type, words) of a rejected row; `words`: in the
    warning; `whole`: True if `fullgraph=True` decides at the first call, as the verdict says."""

    make: Any  # -> what is called, and a function that looks at its state
    about: Any  # the definition
    says: str
    calls: tuple
    verdict: str
    note: str
    error: tuple
    words: str
    whole: bool

    @property
    def name(self):
        return f"{self.topic}-{self.about.__name__}"

    @property
    def topic(self):
        return self.about.__module__.rpartition(".")[2]

    @property
    def written(self):
        """The docstring of the row in one line."""
        return " ".join(inspect.getdoc(self.about).split())


ROWS = []


def _noting(make_of, says, calls, verdict, note, error, words, whole):
    def note_it(about):
        row = Row(make_of(about), about, says, calls or ((),), verdict, note, error, words, whole)
        ROWS.append(row)
        return about

    return note_it


def row(says, *calls, verdict=WORKS, note="", error=(), words="", whole=True):
    """Register a function, or a Cell class, which is instantiated anew each time."""

    def make_of(about):
        return lambda: (about() if isinstance(about, type) else about, lambda: None)

    return _noting(make_of, says, calls, verdict, note, error, words, whole)


def factory(says, *calls, verdict=WORKS, note="", error=(), words="", whole=True):
    """Register a function that makes the callable."""

    def make_of(about):
        def make():
            it = about()
            return it if isinstance(it, tuple) else (it, lambda: None)

        return make

    return _noting(make_of, says, calls, verdict, note, error, words, whole)
