"""What is said below uncaught errors: the Cell that they come from, in Chinese what they say, and
the command that explains them.

SPORAX_LANG=zh or en says whether in Chinese; without it the system's locale does.
"""

import os
import sys

from sporax.core.cell_tree import innermost
from sporax.core.environment import choice
from sporax.diagnosis import chinese

_LOCALES = "LC_ALL", "LC_MESSAGES", "LANG"  # the first that is set says
_CELL = {"en": "In the Cell '{}' ({}).", "zh": "所在的 Cell：'{}'（{}）。"}
_MORE = {
    "en": "Cause and remedy: sporax errors {}",
    "zh": "原因与解决方法：sporax errors {}",
}


def language():
    """'zh' or 'en'."""
    chosen = choice("SPORAX_LANG", "locale", "en", "zh")
    if chosen != "locale":
        return chosen
    locale = next((value for name in _LOCALES if (value := os.environ.get(name))), "")
    return "zh" if locale.startswith("zh") else "en"


def annotate(error):
    """Add notes to an exception, once: its Cell if that is in another one, in Chinese what it says,
    and its entry of the error index."""
    if getattr(error, "_is_annotated", False):
        return
    error._is_annotated = True
    found, chosen = innermost(error.__traceback__), language()
    if found is not None:
        error.add_note(_CELL[chosen].format(found[0], type(found[1]).__name__))
    if chosen == "zh" and (told := chinese.message(str(error))) is not None:
        error.add_note(told)
    from sporax.diagnosis import error_index  # only where there is an error

    if (entry := error_index.entry_of(error)) is not None:
        error.add_note(_MORE[chosen].format(entry.name))


def annotate_uncaught():
    """Have Python's display of uncaught exceptions begin with `annotate`, and IPython's, which
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
