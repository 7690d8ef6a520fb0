"""What a row of docs/graph_syntax.md is: some code, what MindSpore says of it, what sporax does.

`@row(says, *calls)` stands above a function or a Cell class, `@factory(says, *calls)` above a
function without parameters that returns one (and, in a tuple with it, a function that looks at
the state it leaves). The docstring is what the page shows. Each of `calls` is the arguments of
one call.
"""

import inspect
from dataclasses import dataclass
from typing import Any

WORKS, BREAKS, REFUSED = "works", "breaks the graph", "refused"


@dataclass
class Row:
    """`note`: what the page adds. `error`: (type, words) of a refusal; `words`: in the warning;
    `whole`: whether `fullgraph=True` decides at the first call, as the verdict has it."""

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
        """What is written, in one line of words."""
        return " ".join(inspect.getdoc(self.about).split())


ROWS = []


def _noting(make_of, says, calls, verdict, note, error, words, whole):
    def note_it(about):
        row = Row(make_of(about), about, says, calls or ((),), verdict, note, error, words, whole)
        ROWS.append(row)
        return about

    return note_it


def row(says, *calls, verdict=WORKS, note="", error=(), words="", whole=True):
    """Note a function, or a Cell class, of which each making is a new Cell."""

    def make_of(about):
        return lambda: (about() if isinstance(about, type) else about, lambda: None)

    return _noting(make_of, says, calls, verdict, note, error, words, whole)


def factory(says, *calls, verdict=WORKS, note="", error=(), words="", whole=True):
    """Note a function that makes what is called."""

    def make_of(about):
        def make():
            it = about()
            return it if isinstance(it, tuple) else (it, lambda: None)

        return make

    return _noting(make_of, says, calls, verdict, note, error, words, whole)
