"""`mindspore.numpy.fft`: the transforms of `ops` with NumPy's parameters, resolved lazily."""

import importlib

from sporax._src.core.errors import missing


def _face(declared, name):
    """Return `declared` with `axis` or `axes` for `dim`, and `a` (`x` for a shift) for `input`."""
    declaration = declared.declaration
    first, *others = declaration.signature.parameters
    if first != "input":
        return declared
    plane = "(-2, -1)" if name.endswith("2") else "None"
    written = {
        "n": "(a: input, n=None, axis: dim=-1, norm=None)",
        "s": f"(a: input, s=None, axes: dim={plane}, norm=None)",
        "dim": "(x: input, axes: dim=None)",
    }[others[0]]
    return declaration.face(name + written)


def __getattr__(name):
    functions = importlib.import_module("sporax.ops.fft.transforms").FOURIER
    if name not in functions:
        raise missing("numpy.fft", name)
    return globals().setdefault(name, _face(functions[name], name))


def __dir__():
    return sorted(importlib.import_module("sporax.ops.fft.transforms").FOURIER)
