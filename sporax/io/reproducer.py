"""Files that reproduce a miscompiled program: its smallest wrong part, the operands, and the
interpreter's results for them. `sporax verify FILE` runs one.

They contain user data, so only the user can read them, and they stay on the machine.
"""

import hashlib
import os
from pathlib import Path

import jax
import numpy as np
from jax import export as stablehlo

from sporax._src.capture.graph_capture.export.exported_graph import Spec
from sporax._src.core import dtype as dtypes
from sporax._src.core.units import bytes_text
from sporax._src.runtime.compilation_cache import folder
from sporax._src.runtime.engine.verification.agreement import Tolerance
from sporax._src.runtime.xla_kernels import jaxlib_faults
from sporax.io import portable_program, program_file, untrusted_file
from sporax.io.corrupt_file import CorruptFile, rejection
from sporax.io.expectation import Expectation

VARIABLE = "SPORAX_VERIFY_FILES"  # another folder for the files; "off" for none
SUFFIX = ".reproducer"
MOST_BYTES = 2**24  # of operands and results
_KEPT_BYTES = 2**28  # of all files


def write(located):
    """Write a `Located`; return (path, None), or (None, reason why no file was written)."""
    where = chosen_folder()
    if where is None:
        return None, f"{VARIABLE} or {folder.VARIABLE} is 'off'"
    try:
        header, arrays = contents(located)
        size = sum(array.nbytes for array in arrays.values())
        if size > MOST_BYTES:
            return None, f"operands and results take {bytes_text(size)}"
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = hashlib.sha256(arrays[portable_program.TEXT].tobytes()).hexdigest()[:12]
        path = where / f"{header['operation']}-{name}{SUFFIX}"
        program_file.write(path, program_file.REPRODUCER, header, arrays)
        path.chmod(0o600)
        if where == default_folder():
            folder.prune(where, _KEPT_BYTES)
    except (CorruptFile, NotImplementedError, OSError, TypeError, ValueError) as error:
        return None, str(error).strip().splitlines()[0].rstrip(".")
    return path, None


def chosen_folder():
    """Return the folder of the files: by default beside the compiled programs; None if the user
    disabled the files."""
    wanted = os.environ.get(VARIABLE)
    if wanted in ("off", "0", "") or (wanted is None and folder.folder() is None):
        return None
    if wanted is not None:
        return Path(wanted).absolute()
    return default_folder()


def default_folder():
    """Return the folder of the files unless the user sets another one."""
    return folder.default_folder().with_name("reproducers")


def contents(located):
    """Return (header, arrays) of a `Located`. Raises CorruptFile if `restored` rejects them, and
    the errors of `jax.export`."""
    operands, expected = located.operands, [np.asarray(x) for x in located.expected]
    inputs = jax.tree.leaves(
        (
            np.array([v.array for v in operands.reals], np.float64) if operands.reals else (),
            np.array([v.array for v in operands.integers], np.int64) if operands.integers else (),
            [operands.arrays[k] for k in located.program.kept],
        )
    )
    specs = located.program.specs(operands.arrays, operands.reals, operands.integers)
    program = stablehlo.export(located.program.compiled)(*specs)
    tolerance = Tolerance.for_trace(located.trace).measured(
        located.trace, located.outputs, operands.on_host(located.trace), expected
    )
    header, arrays = portable_program.stored(program)
    arrays |= Expectation(inputs, expected, tolerance).stored()
    header = {
        "operation": located.op.name,
        "where": str(located.origin or "").lstrip(", "),
        "found": str(located.difference),
        "tolerance": tolerance,
        "XLA_FLAGS": os.environ.get("XLA_FLAGS", ""),
        "compiler options": jaxlib_faults.compiler_options() or {},
        "program": header,
    }
    restored(header, arrays)
    return header, arrays


def restored(header, arrays):
    """Return (`jax.export.Exported`, `Expectation`) of a file; raises CorruptFile."""
    expectation = Expectation.read(header["tolerance"], arrays)
    specs = [
        [Spec(f"{name}{i}", a.shape, dtypes.from_numpy(a.dtype).name) for i, a in enumerate(each)]
        for name, each in (("input", expectation.inputs), ("output", expectation.expected))
    ]
    program = portable_program.restored(
        header["program"], arrays, *specs, is_own=False, custom_calls=False
    )
    return program, expectation


class Reproducer:
    """A reproducer file. `header`: its metadata; `described`: its description, in lines. Nothing in
    it is trusted or run before it is checked. Raises CorruptFile, or OSError if unreadable."""

    def __init__(self, path):
        self.path = path
        if os.path.getsize(path) > 4 * MOST_BYTES:
            raise rejection("more-bytes", number=4 * MOST_BYTES)
        try:
            contents = program_file.read(path, program_file.REPRODUCER)
            self.header = header = contents.header
            self.program, self.expectation = restored(header, contents.arrays)
            self.described = [
                f"'{header['operation']}' {header['where']}".rstrip(),
                f"found by {contents.writer} with {header['XLA_FLAGS'] or 'no XLA_FLAGS'}: "
                f"{header['found']}",
            ]
        except OSError:
            raise
        except untrusted_file.MALFORMED as error:
            raise rejection("header-none", cause=untrusted_file.cause(error)) from error

    def difference(self, options):
        """See `Expectation.difference`."""
        return self.expectation.difference(self.path, self.program, options=options)
