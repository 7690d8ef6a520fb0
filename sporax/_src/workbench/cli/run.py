"""Runs a script or a module as `__main__`, with `mindspore` as an alias of sporax."""

import builtins
import importlib.machinery
import importlib.util
import io
import os
import runpy
import sys
import types

from sporax._src.core.language import annotate, hide_frames, language
from sporax._src.mindspore.compat import install_as_mindspore, installed_with

_NO_SCRIPT, _FAILED, _INTERRUPTED = 2, 1, 130
_PYTHONS = (importlib.util.__file__, runpy.__file__, "<frozen importlib", "<frozen runpy")


def run_script(path, arguments):
    """Run the file at `path` as Python would; return the exit code."""
    if not os.path.exists(path):
        return _refused(f"can't open file '{os.path.abspath(path)}': no such file")
    if os.path.isdir(path) and not os.path.exists(os.path.join(path, "__main__.py")):
        return _refused(f"can't run folder '{path}': it has no __main__.py")
    is_folder = os.path.isdir(path)
    folder = os.path.realpath(path) if is_folder else os.path.dirname(os.path.realpath(path))
    _set_process([path, *arguments], folder)
    if is_folder:
        path = os.path.join(path, "__main__.py")
    return _guarded(_run_file, path)


def run_module(name, arguments):
    """Run the module `name` as `python -m` would; return the exit code."""
    _set_process([name, *arguments], os.getcwd())
    return _guarded(_run_named, name)


def _run_named(name):
    try:
        there = importlib.util.find_spec(name) is not None
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # the module exists, but imports one that does not
        there = False
    if not there:
        return _refused(f"no module named '{name}'")
    runpy.run_module(name, run_name="__main__", alter_sys=True)
    return 0


def _refused(reason):
    print(f"sporax: {reason}", file=sys.stderr)
    return _NO_SCRIPT


def _set_process(arguments, folder):
    sys.argv = arguments
    if not sys.flags.safe_path:
        sys.path[0] = folder
    install_as_mindspore()


def _run_file(path):
    path = os.path.abspath(path)  # for tracebacks, even if the script changes directory
    with io.open_code(path) as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    # a separate module, kept alive for threads and atexit functions of the script
    script = types.ModuleType("__main__")
    script.__file__ = path
    script.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
    script.__builtins__ = builtins
    sys.modules["__main__"] = script
    exec(code, script.__dict__)
    return 0


def _guarded(run, target):
    try:
        return run(target)
    except SystemExit as error:  # so that a rank's `sys.exit` also records `raise SystemExit(3)`
        sys.exit(error.code)
    except KeyboardInterrupt as error:
        _report(error)
        return _INTERRUPTED
    except Exception as error:  # noqa: BLE001 - whatever the script raises is shown as Python does
        _report(error)
        return _FAILED


def _report(error):
    """Show a script's exception as Python would, without the frames of the runner."""
    annotate(error)
    absent = isinstance(error, ModuleNotFoundError) and installed_with.missing(error.name)
    if absent:
        error.add_note(absent.chinese if language() == "zh" else absent)
    hide_frames(error, _PYTHONS)
    sys.excepthook(type(error), error, error.__traceback__)
