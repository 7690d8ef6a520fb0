"""Window functions, and the short-time Fourier transform."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.from_host import plain
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.diagnosis.sizes import check_size
from sporax.ops.declare import Array, composite, op
from sporax.ops.operand_checks import require_shapes


def _length(who, value):
    """Return a window's number of elements, given as an int or a one-element integer Tensor."""
    is_scalar = isinstance(value, Tensor) and value.size == 1
    number: Any = value.reshape(()).item() if is_scalar else plain(value)
    is_int = isinstance(number, int) and not isinstance(number, bool)
    require(is_int, "int-tensor-one", who, window_length=value)
    require(number >= 0, "at-least", who, window_length=number, n=0)
    return number


def _window(who, length, periodic, dtype, formula):
    """Evaluate `formula` at the points $n / (N - 1)$, in `dtype`. A `periodic` window has the first
    N elements of one of length N + 1."""
    length = _length(who, length)
    kinds.BOOL(who, periodic=periodic)
    wanted = dtypes.to_numpy(dtype)
    require(wanted.kind in "fV", "must-be-type", who, dtype=dtype, kind="a-floating-dtype")
    check_size(who, (length,), np.dtype(np.float64), "'window_length'")
    if length <= 1:
        return Tensor(np.ones(length).astype(wanted))
    points = np.arange(length) / (length if periodic else length - 1)
    return Tensor(formula(points).astype(wanted))


@composite(
    function="bartlett_window(window_length, periodic=True, *, dtype=None)",
    primitive="BartlettWindow(periodic=True, dtype=float32)(window_length)",
)
def bartlett_window(window_length, periodic=True, dtype=None):
    r"""The triangle $w_n = 1 - |2 n / (N - 1) - 1|$, $n = 0 \ldots N - 1$; Float32 by default.

    `window_length`: N, an int or a one-element Tensor. `periodic`: the first N of N + 1 elements.

    >>> ops.bartlett_window(Tensor(4)).asnumpy()
    array([0. , 0.5, 1. , 0.5], dtype=float32)
    """
    wanted = dtype or dtypes.float32
    return _window("BartlettWindow", window_length, periodic, wanted,
                   lambda x: 1 - np.abs(2 * x - 1))  # fmt: skip


@composite(
    function="blackman_window(window_length, periodic=True, *, dtype=None)",
    primitive="BlackmanWindow(periodic=True, dtype=float32)(window_length)",
)
def blackman_window(window_length, periodic=True, dtype=None):
    r"""$w_n = 0.42 - 0.5 \cos \frac{2 \pi n}{N - 1} + 0.08 \cos \frac{4 \pi n}{N - 1}$.

    Other arguments as for `bartlett_window`.

    >>> ops.blackman_window(Tensor(4)).asnumpy().round(2)
    array([-0.  ,  0.34,  1.  ,  0.34], dtype=float32)
    """
    return _window(
        "BlackmanWindow", window_length, periodic, dtype or dtypes.float32,
        lambda x: 0.42 - 0.5 * np.cos(2 * np.pi * x) + 0.08 * np.cos(4 * np.pi * x),
    )  # fmt: skip


@composite(
    function="hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None)",
    primitive="HammingWindow(periodic=True, alpha=0.54, beta=0.46, dtype=float32)"
    "(length: window_length)",
)
def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, dtype=None):
    r"""$w_n = \alpha - \beta \cos \frac{2 \pi n}{N - 1}$; arguments as for `bartlett_window`.

    >>> ops.hamming_window(4).asnumpy()
    array([0.08, 0.54, 1.  , 0.54], dtype=float32)
    """
    kinds.FLOAT("HammingWindow", alpha=alpha, beta=beta)
    return _window("HammingWindow", window_length, periodic, dtype or dtypes.float32,
                   lambda x: alpha - beta * np.cos(2 * np.pi * x))  # fmt: skip


@composite(function="hann_window(window_length, periodic=True, *, dtype=None)")
def hann_window(window_length, periodic=True, dtype=None):
    r"""$w_n = \frac{1}{2} - \frac{1}{2} \cos \frac{2 \pi n}{N - 1}$; Float64 by default.

    Other arguments as for `bartlett_window`.

    >>> ops.hann_window(4).asnumpy()
    array([0. , 0.5, 1. , 0.5])
    """
    return _window("hann_window", window_length, periodic, dtype or dtypes.float64,
                   lambda x: 0.5 - 0.5 * np.cos(2 * np.pi * x))  # fmt: skip


@composite(function="kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None)")
def kaiser_window(window_length, periodic=True, beta=12.0, dtype=None):
    r"""$w_n = I_0(\beta \sqrt{1 - (2 n / (N - 1) - 1)^2}) / I_0(\beta)$ with the Bessel function
    $I_0$; Float64 by default. A larger `beta` makes a narrower window.

    Other arguments as for `bartlett_window`.

    >>> ops.kaiser_window(4, beta=2.0).asnumpy().round(3)
    array([0.439, 0.835, 1.   , 0.835])
    """
    return _window(
        "kaiser_window", window_length, periodic, dtype or dtypes.float64,
        lambda x: np.i0(beta * np.sqrt(1 - (2 * x - 1) ** 2)) / np.i0(beta),
    )  # fmt: skip


# the short-time Fourier transform ---------------------------------------------------------------

_MODES = {"REFLECT": "reflect", "SYMMETRIC": "symmetric", "CONSTANT": "constant"}
_MODE = kinds.one_of(*_MODES)


def _check_frames(x, window, **sizes):
    for name, value in sizes.items():
        fits = isinstance(value, int) and not isinstance(value, bool) and value >= 1
        require(fits, "int-at-least", argument=name, n=1, got=value)
    n_fft, win_length = sizes["n_fft"], sizes["win_length"]
    require_shapes(x=(x, "L | N L"))
    fits = window.shape == (win_length,) and win_length <= n_fft
    given = {"window": window.shape, "win_length": win_length, "n_fft": n_fft}
    require(fits, "shape-win-length-at-most-n-fft", **given)


@op(
    function=(), name="STFT",
    primitive="STFT(n_fft, hop_length, win_length, normalized, onesided, return_complex)"
    "(x, window)",
)  # fmt: skip
def stft_of_class(
    x: Array, window: Array, n_fft, hop_length, win_length, normalized, onesided, return_complex,
    around=0, pad_mode="CONSTANT",
):  # fmt: skip
    """Compute the spectra of a signal's frames; see `stft`.

    >>> ops.STFT(4, 2, 4, False, True, True)(ops.ones((8,)), ops.ones((4,))).shape
    (3, 3)
    """
    _check_frames(x, window, n_fft=n_fft, hop_length=hop_length, win_length=win_length)
    are_real = not jnp.iscomplexobj(x) and not jnp.iscomplexobj(window)
    require(not onesided or are_real, "false-x-window-complex", argument="onesided")
    if around:
        x = jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(around, around)], mode=_MODES[pad_mode])
    require(x.shape[-1] >= n_fft, "at-least-n-fft-elements", x=x.shape[-1], n_fft=n_fft)
    before = (n_fft - win_length) // 2
    window = jnp.pad(window, (before, n_fft - win_length - before))
    starts = jnp.arange(0, x.shape[-1] - n_fft + 1, hop_length)
    frames = x[..., starts[:, None] + jnp.arange(n_fft)] * window
    spectrum = (jnp.fft.rfft if onesided else jnp.fft.fft)(frames)
    if normalized:
        spectrum = spectrum / jnp.sqrt(n_fft).astype(jnp.real(spectrum).dtype)
    spectrum = jnp.swapaxes(spectrum, -1, -2)
    if return_complex:
        return spectrum
    return jnp.stack([jnp.real(spectrum), jnp.imag(spectrum)], -1)


@composite()
def stft(
    x, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="REFLECT",
    normalized=False, onesided=None, return_complex=None,
):  # fmt: skip
    r"""The short-time Fourier transform $X_{\omega m} = \sum_k w_k x_{m h + k} e^{-2 \pi i \omega k
    / n}$, n being `n_fft`, h `hop_length` (n // 4 by default), w the `window` (ones by default).

    `x`: `(L,)` or `(N, L)`. The result is `(*, F, T)` for T frames, complex if `return_complex` (by
    default as `x` and `window`), else `(*, F, T, 2)`. F is n, or n // 2 + 1 if `onesided` (by
    default for real signals). `win_length`: the length of the window (n by default), zero-padded on
    both sides to n. `center`: pads `x` by n // 2 on both sides, with `pad_mode` 'REFLECT',
    'SYMMETRIC' or 'CONSTANT' (zeros). `normalized`: divides by $\sqrt n$.

    >>> ops.stft(ops.ones((8,)), 4, return_complex=True).asnumpy()[:, 0]
    array([4.+0.j, 0.+0.j, 0.+0.j], dtype=complex64)
    """
    kinds.INT("stft", n_fft=n_fft)
    check_size("stft", (max(n_fft, 0),), np.dtype(np.complex64), "'n_fft'")
    mode = pad_mode.upper() if isinstance(pad_mode, str) else pad_mode
    _MODE("stft", pad_mode=mode if _MODE.accepts(mode) else pad_mode)
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    if window is None:
        fits = isinstance(win_length, int) and 0 < win_length <= n_fft
        require(fits, "int-0-n-fft", "stft", win_length=win_length, n_fft=n_fft)
        window = Tensor(np.ones(win_length, np.float32))
    is_complex = any(t.dtype in (dtypes.complex64, dtypes.complex128) for t in (x, window))
    onesided = not is_complex if onesided is None else onesided
    return_complex = is_complex if return_complex is None else return_complex
    return stft_of_class(
        x, window, n_fft, hop_length, win_length, normalized, onesided, return_complex,
        n_fft // 2 if center else 0, mode,
    )  # fmt: skip
