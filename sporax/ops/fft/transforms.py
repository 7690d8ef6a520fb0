"""Fourier transforms by name: along one, two or several axes; real, Hermitian, inverse."""

import jax.numpy as jnp
import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.from_host import plain
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, composite, op
from sporax.ops.shape.joining import roll

_SCALE = kinds.one_of(None, "backward", "forward", "ortho")
_NAMES = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")


def _hermitian(compute, inverse):
    """Return a transform of several axes that NumPy lacks: real spectra of Hermitian signals."""

    def transformed(x, sizes, axes, norm):
        opposite = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}
        x = x if inverse else jnp.conj(x)
        result = compute(x, sizes, axes, opposite[norm])
        return jnp.conj(result) if inverse else result

    return transformed


_SEVERAL = {
    "fft": jnp.fft.fftn, "ifft": jnp.fft.ifftn, "rfft": jnp.fft.rfftn, "irfft": jnp.fft.irfftn,
    "hfft": _hermitian(jnp.fft.irfftn, False), "ihfft": _hermitian(jnp.fft.rfftn, True),
}  # fmt: skip


@op(function=(), name="fft")
def fft_of_kind(input: Array, kind, sizes=None, axes=None, norm=None):
    """Compute the transform `kind` along `axes` (None: all), with `sizes` elements along each."""
    _SCALE(None, norm=norm)
    real = kind in ("rfft", "ihfft")
    require(not (real and jnp.iscomplexobj(input)), "real-numbers", input=input.dtype)
    wide = input.dtype in (jnp.float64, jnp.complex128)
    x = input.astype(jnp.float64 if wide else jnp.float32) if real else input.astype(
        jnp.complex128 if wide else jnp.complex64
    )  # fmt: skip
    axes = axes if axes is not None or sizes is None else tuple(range(-len(sizes), 0))
    return _SEVERAL[kind](x, sizes, axes, norm)


def _declare(kind, letters):
    def along_one(input, n=None, dim=-1, norm=None):
        return fft_of_kind(input, kind, None if n is None else (n,), (dim,), norm)

    def along_several(input, s=None, dim=None, norm=None):
        return fft_of_kind(input, kind, s, dim, norm)

    if letters == "":
        function, what = along_one, "along `dim`, of `n` numbers (cut, or zeros added)"
    else:
        function = along_several
        what = f"along {'two' if letters == '2' else 'several'} axes `dim`, of `s` numbers of each"
    name = kind + letters
    words = {"r": "of real numbers, half of it", "h": "to real numbers, of half a spectrum"}
    title = words.get(kind.strip("i")[0], "of complex numbers")
    function.__name__, function.__module__ = name, __name__
    function.__doc__ = f"""The {"inverse " * kind.startswith("i")}Fourier transform {title}, {what}.

    `norm`: 'backward' (None), 'ortho' or 'forward': the direction that is divided by $n$.

    >>> ops.{name}(ops.ones((2, 4))).shape[0]
    2
    """
    axis = "(-2, -1)" if letters == "2" else "None"
    written = f"{name}(input, n=None, dim=-1, norm=None)"
    several = f"{name}(input, s=None, dim={axis}, norm=None)"
    face = composite(function=written if letters == "" else several, name=name)(function)
    return name, face


FOURIER = dict(_declare(kind, letters) for kind in _NAMES for letters in ("", "2", "n"))


def _frequencies(name, compute, shown):
    def function(n, d=1.0, dtype=None):
        return Tensor(compute(n, d), dtype or dtypes.float32)

    function.__name__, function.__module__ = name, __name__
    function.__doc__ = f"""The frequencies of the result of `{name[:-4]}`: `n` samples, spacing `d`.

    >>> ops.{name}(4).tolist()
    {shown}
    """
    return composite()(function)


def _shifted(name, compute):
    def function(input, dim=None):
        axes = range(input.ndim) if dim is None else plain(dim)
        axes = axes.tolist() if isinstance(axes, Tensor) else axes
        axes = (axes,) if isinstance(axes, int) else axes
        return roll(input, tuple(compute(input.shape[a]) for a in axes), tuple(axes))

    function.__name__, function.__module__ = name, __name__
    function.__doc__ = f"""Move frequency 0 {"from" if name[0] == "i" else "to"} the middle of axes.

    >>> sorted(ops.{name}(Tensor([0, 1, 2])).tolist())
    [0, 1, 2]
    """
    return composite()(function)


FOURIER |= {
    "fftfreq": _frequencies("fftfreq", np.fft.fftfreq, "[0.0, 0.25, -0.5, -0.25]"),
    "rfftfreq": _frequencies("rfftfreq", np.fft.rfftfreq, "[0.0, 0.25, 0.5]"),
    "fftshift": _shifted("fftshift", lambda n: n // 2),
    "ifftshift": _shifted("ifftshift", lambda n: -(n // 2)),
}
globals().update(FOURIER)
