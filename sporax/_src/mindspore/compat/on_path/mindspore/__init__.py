"""`mindspore` in a child process of a process where it is sporax: imports sporax, too.

This folder's parent is on the path of the child (`sporax._src.mindspore.compat.child_processes`).
An interpreter without sporax, which a program may start as well, imports its own `mindspore`.
"""

import importlib
import importlib.util
import os
import sys

del sys.modules[__name__]
_on_path = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:] = [path for path in sys.path if path != _on_path]
if importlib.util.find_spec("sporax"):
    importlib.import_module("sporax._src.mindspore.compat").install_as_mindspore()
else:
    importlib.import_module(__name__)
