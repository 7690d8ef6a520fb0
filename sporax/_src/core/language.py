"""Notes below uncaught errors: the Cell that raised, the message in Chinese, and the command that
explains it.

SPORAX_LANG=zh or en selects the language; the default is the system's locale.
"""

import os
import sys

from sporax._src.core.cell_tree import innermost
from sporax._src.core.environment import choice
from sporax._src.diagnosis.rules import Message

_LOCALES = "LC_ALL", "LC_MESSAGES", "LANG"  # the first that is set applies
_CELL = {"en": "In the Cell '{}' ({}).", "zh": "所在的 Cell：'{}'（{}）。"}
_MORE = {
    "en": "Cause and remedy: sporax errors {}",
    "zh": "原因与解决方法：sporax errors {}",
}


def language():
    """Return 'zh' or 'en'."""
    chosen = choice("SPORAX_LANG", "locale", "en", "zh")
    if chosen != "locale":
        return chosen
    locale = next((value for name in _LOCALES if (value := os.environ.get(name))), "")
    return "zh" if locale.startswith("zh") else "en"


def annotate(error):
    """Add notes to an exception, once: its Cell if that is in another one, its message in Chinese
    if that is the language, and its entry in the error index."""
    if getattr(error, "_is_annotated", False):
        return
    error._is_annotated = True
    found, chosen = innermost(error.__traceback__), language()
    if found is not None:
        error.add_note(_CELL[chosen].format(found[0], type(found[1]).__name__))
    said = error.args[0] if error.args else None
    if chosen == "zh" and isinstance(said, Message):
        error.add_note(said.chinese)
    from sporax._src.diagnosis import error_index  # imported only after an error

    if (entry := error_index.entry_of(error)) is not None:
        error.add_note(_MORE[chosen].format(entry.name))


def annotate_uncaught():
    """Call `annotate` before Python displays an uncaught exception, and before IPython does, which
    does not use `sys.excepthook`."""
    show = sys.excepthook

    def show_annotated(kind, error, trace):
        annotate(error)
        show(kind, error, trace)

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
        return show(exc_tuple, *args, **kwargs)

    shell.showtraceback = show_annotated
