"""Notes below uncaught errors: the Cell that raised, the message in Chinese, and the command that
explains it.

SPORAX_LANG=zh or en selects the language; the default is the system's locale.
"""

import difflib
import dis
import itertools
import os
import re
import sys
import types
from typing import Any

from sporax._src import PACKAGE
from sporax._src.core.cell_tree import innermost
from sporax._src.core.environment import choice
from sporax._src.diagnosis import error_index
from sporax._src.diagnosis.rules import message_of

_LOCALES = "LC_ALL", "LC_MESSAGES", "LANG"  # the first that is set applies
_CELL = {"en": "In the Cell '{}' ({}).", "zh": "所在的 Cell：'{}'（{}）。"}
_MORE = {
    "en": "Cause and remedy: sporax errors {}",
    "zh": "原因与解决方法：sporax errors {}",
}
_NOTHING = {
    "en": "'{}.construct' returns nothing: its 'return' may be missing.",
    "zh": "'{}.construct' 没有返回值：可能缺少 'return'。",
}
_OF_NONE = re.compile(r"(?<!\[)None")  # no index such as x[None]
_MEANT = {"en": "Did you mean '{}'?", "zh": "是不是想写 '{}'？"}
_SEARCHED = 750  # names of an object among which Python itself looks for a similar one
_REFUSES = "For '", "sporax has no '"  # prefixes of sporax's messages about user code
_RUNNERS = tuple(f"{PACKAGE}_src{os.sep}{room}{os.sep}" for room in ("workbench", "mindspore"))


def language():
    """Return 'zh' or 'en'."""
    chosen = choice("SPORAX_LANG", "locale", "en", "zh")
    if chosen != "locale":
        return chosen
    locale = next((value for name in _LOCALES if (value := os.environ.get(name))), "")
    return "zh" if locale.startswith("zh") else "en"


def annotate(error):
    """Add notes to an exception, once: its Cell if that is in another one, its message in Chinese
    if that is the language, the name that was meant, and its entry in the error index."""
    if getattr(error, "_is_annotated", False):
        return
    error._is_annotated = True
    inner_cell, chosen = innermost(error.__traceback__), language()
    if inner_cell is not None:
        error.add_note(_CELL[chosen].format(inner_cell[0], type(inner_cell[1]).__name__))
    said = message_of(error)
    if chosen == "zh" and said is not None:
        error.add_note(said.chinese)
    if (kind := _without_result(error)) is not None:
        error.add_note(_NOTHING[chosen].format(kind.__name__))
    if (name := _meant(error)) is not None:
        error.add_note(_MEANT[chosen].format(name))
    if (entry := error_index.entry_of(error)) is not None:
        error.add_note(_MORE[chosen].format(entry.name))


class LastWithoutResult:
    """The class `kind` of the last Cell whose `construct` returned None."""

    kind: Any = None


def _without_result(error):
    """Return the class of a Cell whose `construct` never returns a value, if None came from such a
    Cell last and an error is about None."""
    kind, kinds = LastWithoutResult.kind, (AttributeError, TypeError, ValueError)
    if kind is None or not isinstance(error, kinds) or not _OF_NONE.search(str(error)):
        return None
    code = getattr(kind.construct, "__code__", None)
    steps = itertools.pairwise(dis.get_instructions(code) if code else ())
    ends = [pair for pair in steps if pair[1].opname in ("RETURN_VALUE", "RETURN_CONST")]
    return kind if ends and all(itertools.starmap(_is_none, ends)) else None


def _is_none(before, step):
    """Return True if an instruction that returns, after the one before, returns a literal None."""
    loads = step if step.opname == "RETURN_CONST" else before
    return loads.opname in ("RETURN_CONST", "LOAD_CONST") and loads.argval is None


def _meant(error):
    """Return the name of a module most similar to a missing one, if Python does not look for it."""
    name: Any
    if isinstance(error, AttributeError):
        module, name = error.obj, error.name
    elif isinstance(error, ImportError) and str(error).startswith(_REFUSES):
        path, _, name = (error.name or "").rpartition(".")
        module = sys.modules.get(path)
    else:
        return None
    if not isinstance(module, types.ModuleType) or not module.__name__.startswith(_ROOTS):
        return None
    names = dir(module)
    is_left = isinstance(error, ImportError) or len(names) > _SEARCHED
    return next(iter(difflib.get_close_matches(name, names, 1, 0.7)), None) if is_left else None


_ROOTS = "sporax", "mindspore"


def hide_frames(error, also=()):
    """Remove frames from the tracebacks of an exception and of those that it came from: of the
    command `sporax`, of the files `also`, and, of sporax's own errors about user code, all frames
    of sporax; with those, the internal error that was handled when it was raised."""
    seen, pending = set(), [error]
    while pending:
        one = pending.pop()
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            context = one.__context__
            if _is_rejection(one) and context is not None and context.__traceback__ is not None:
                files = [trace.tb_frame.f_code.co_filename for trace in _frames(context)]
                one.__suppress_context__ |= all(file.startswith(PACKAGE) for file in files)
            one.__traceback__ = _shown_frames(one, also)
            pending += [one.__cause__, context]


def _is_rejection(error):
    return str(error.args[0] if error.args else "").startswith(_REFUSES)


def _frames(error):
    frames, trace = [], error.__traceback__
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    return frames


def _shown_frames(error, also):
    frames = _frames(error)
    lacks = any(  # an attribute
        code.co_filename.startswith(PACKAGE) and code.co_name in ("__getattr__", "__get__")
        for code in [trace.tb_frame.f_code for trace in frames[-1:]]
    )
    refuses = lacks or _is_rejection(error)
    left_out = *_RUNNERS, *also, *((PACKAGE, "<string>") if refuses else ())
    kept = [trace for trace in frames if not trace.tb_frame.f_code.co_filename.startswith(left_out)]
    for this, following in itertools.zip_longest(kept, kept[1:]):
        this.tb_next = following
    return kept[0] if kept else None


def annotate_uncaught():
    """Call `annotate` and `hide_frames` before Python displays an uncaught exception, and before
    IPython does, which does not use `sys.excepthook`."""
    show = sys.excepthook

    def show_annotated(kind, error, trace):
        annotate(error)
        hide_frames(error)
        show(kind, error, error.__traceback__)

    sys.excepthook = show_annotated
    shell = "IPython" in sys.modules and sys.modules["IPython"].get_ipython()
    if shell:
        _annotate_in_notebook(shell)


def _annotate_in_notebook(shell):
    show = shell.showtraceback

    def show_annotated(exc_tuple=None, *args, **kwargs):
        error = (exc_tuple or sys.exc_info())[1]
        if error is not None:
            annotate(error)
            hide_frames(error)
            exc_tuple = exc_tuple and (*exc_tuple[:2], error.__traceback__)
        return show(exc_tuple, *args, **kwargs)

    shell.showtraceback = show_annotated
