"""`cases.py` runs under MindSpore and under sporax, which is `mindspore` in tests."""

import sys

if "mindspore" not in sys.modules:
    import sporax

    sporax.install_as_mindspore()
