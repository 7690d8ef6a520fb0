"""`sporax pack`: writes the compiled programs of a run to a file for `sporax run --packed`."""

import sys
import time
from pathlib import Path

from sporax import __version__
from sporax._src.core.units import bytes_text
from sporax._src.diagnosis.rules import rejection
from sporax._src.runtime.compilation_cache import user_key
from sporax._src.runtime.engine import packing
from sporax._src.runtime.engine.verification.report import report
from sporax._src.workbench.cli.run import run_module, run_script

_REFUSED = 2


def pack(options):
    """Run a script or module with all programs compiled, and write them to a file; return its exit
    code: no file is written unless that is 0."""
    name = options.module[0] if options.module else Path(options.script).stem
    path = Path(options.output or f"{name}.packed").absolute()  # the script may change directory
    try:
        key = _key(options.key, is_new=True)
        path.touch()  # found out before the run, not after it
    except OSError as error:
        return _said(error)
    packing.begin()
    start, size = time.perf_counter(), path.stat().st_size
    try:
        if options.module:
            code = run_module(options.module[0], options.module[1:])
        else:
            code = run_script(options.script, options.arguments)
    except SystemExit as error:
        code = error.code
    if code not in (None, 0):
        if not size:
            path.unlink(missing_ok=True)
        print("sporax: nothing is packed, since the script failed", file=sys.stderr)
        sys.exit(code)
    ran = time.perf_counter() - start
    count, missing, size = packing.end(path, __version__, key)
    left_out = f", {missing} cannot be packed" if missing else ""
    compared = f"compared with the interpreter: {report.compared}, equal: {report.equal}"
    print(f"sporax pack: {count} programs in {path}, {bytes_text(size)}{left_out}; the run took "
          f"{ran:.1f} s; {compared}")  # fmt: skip
    return 0


def use(path, key):
    """Load programs from a packed file in this run; return 0, or the exit code after a message."""
    try:
        packing.load(path, __version__, _key(key, is_new=False))
    except (OSError, ValueError) as error:
        return _said(error)
    return 0


def _key(path, is_new):
    """Return the key in a file, by default the user's; `is_new`: write it if it is missing."""
    if path is None:
        return user_key.in_file(user_key.path())
    if not is_new and not Path(path).exists():
        raise rejection("pack-key", path=path)
    return user_key.in_file(Path(path))


def _said(error):
    print(f"sporax: {error}", file=sys.stderr)
    return _REFUSED
