"""Records the public names that tests call: `pytest --calls FOLDER` stores the ones called in
passing tests.

A function or method counts if a test calls it directly, not if sporax calls it internally; a layer
or a Primitive counts if it runs, also inside a network. Each process writes a separate file.
"""

import os
import sys
from pathlib import Path

import pytest

import sporax
from tests.compat import surface

_FACES = {"_apply", "_fn"}  # names that the code of a face calls
_PACKAGE = str(Path(sporax.__file__).parent)


class Calls:
    """Watches each test's run; `names`: the names called in tests that passed."""

    def __init__(self, folder):
        self.folder, self.names, self.pending = Path(folder), set(), set()
        self.functions, self.classes = {}, {}  # code -> names; code -> {class: name}
        for symbol in {*surface.public_names(), *[symbol for symbol, *_ in surface.uses()]}:
            result = surface.follow(symbol)
            code = surface.code_of(result)
            if code is None:
                continue
            if isinstance(result, type):
                self.classes.setdefault(code, {}).setdefault(result, set()).add(symbol)
            else:
                self.functions.setdefault(code, set()).add(symbol)

    def watch(self, frame, event, _):
        if event != "call":
            return
        code = frame.f_code
        if code in self.functions and not _is_ours(frame.f_back):
            self.pending |= self.functions[code]
        if code in self.classes:
            public = self.classes[code]
            itself = frame.f_locals.get(code.co_varnames[0])
            kind = next((k for k in type(itself).__mro__ if k in public), None)
            self.pending |= public.get(kind, set())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        self.pending = set()
        sys.setprofile(self.watch)
        try:
            result = yield
        finally:
            sys.setprofile(None)
        self.names |= self.pending
        return result

    def pytest_sessionfinish(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        text = "".join(f"{name}\n" for name in sorted(self.names))
        (self.folder / f"{worker}-{os.getpid()}.txt").write_text(text, "utf8")


def _is_ours(frame):
    """Return True if the call comes from sporax, or from a face, which is compiled without a
    file."""
    return frame.f_code.co_filename.startswith(_PACKAGE) or not _FACES.isdisjoint(frame.f_globals)
