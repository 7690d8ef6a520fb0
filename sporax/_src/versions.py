"""The versions of Python, JAX and NumPy that sporax runs with; docs/versions.md shows them.

Checked when sporax is imported, before JAX is: the first error with another version would be a
missing name.
"""

import re
import sys
from importlib.machinery import PathFinder
from pathlib import Path

import jaxlib

from sporax._src.diagnosis.rules import phrase, rejection

JAXLIB: str = jaxlib.__version__  # type: ignore[reportPrivateImportUsage]  # not in its __all__
OLDEST, OLDEST_NUMPY = "0.10.2", "2.0"
TOO_OLD = phrase(
    "ends the process in reductions that it fuses (jax-ml/jax#39264)",
    "在它融合的归约中使进程中止 (jax-ml/jax#39264)",
)
REFUSED = {
    "0.11.1": phrase(
        "writes into arrays in loops up to 37,000 times slower (jax-ml/jax#40101)",
        "在循环中写入数组最多慢 37,000 倍 (jax-ml/jax#40101)",
    )
}
# Python version -> the newest JAX that supports it
NEWEST = {"3.11": "0.10.2", "3.12": "0.12.0.1", "3.13": "0.12.0.1", "3.14": "0.12.0.1"}


def numbers(text):
    """Return a version as a tuple that can be compared."""
    return tuple(int(number) for number in text.split(".")[:4] if number.isdigit())


def installed_numpy():
    """Return the version of the installed NumPy, which is not imported for it; None if its file
    cannot be found."""
    if "numpy" in sys.modules:
        return sys.modules["numpy"].__version__
    found = PathFinder.find_spec("numpy")
    file = None if found is None or found.origin is None else Path(found.origin)
    file = file and file.with_name("version.py")
    if file is None or not file.is_file():
        return None
    version = re.search(r'^(?:short_)?version = "(.+)"$', file.read_text("utf8"), re.MULTILINE)
    return version and version[1]


def check(version=JAXLIB, numpy=None):
    """Raise ImportError if sporax does not support this version of jaxlib or of NumPy; default: the
    installed ones."""
    numpy = numpy or installed_numpy()
    if numpy is not None and numbers(numpy) < numbers(OLDEST_NUMPY):
        raise rejection("sporax-numpy-later", oldest=OLDEST_NUMPY, got=numpy)
    reason = TOO_OLD if numbers(version) < numbers(OLDEST) else REFUSED.get(version)
    if reason is not None:
        excluded = "".join(f",!={bad}" for bad in REFUSED)
        raise rejection(
            "sporax-jaxlib-later-not",
            oldest=OLDEST,
            names=", ".join(REFUSED),
            got=version,
            reason=reason,
            excluded=excluded,
        )
