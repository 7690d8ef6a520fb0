"""The language of error messages: English, and Chinese below it for who reads that.

SPORAX_LANG=zh or en says which; without it the system's locale does.
"""

import os
import sys

from sporax.core.environment import choice
from sporax.diagnosis import chinese

_LOCALES = "LC_ALL", "LC_MESSAGES", "LANG"  # the first that is set says


def language():
    """'zh' or 'en'."""
    chosen = choice("SPORAX_LANG", "locale", "en", "zh")
    if chosen != "locale":
        return chosen
    locale = next((value for name in _LOCALES if (value := os.environ.get(name))), "")
    return "zh" if locale.startswith("zh") else "en"


def show_chinese():
    """Have uncaught exceptions say in Chinese, below their message, what it says."""
    if language() != "zh":
        return
    show = sys.excepthook

    def show_both(kind, error, trace):
        told = chinese.message(str(error))
        if told is not None and told not in getattr(error, "__notes__", ()):
            error.add_note(told)
        show(kind, error, trace)

    sys.excepthook = show_both
