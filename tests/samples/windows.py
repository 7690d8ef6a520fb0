"""Rows for `sporax.ops.fft.windows`."""

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample


def stft(
    x, window, n_fft, hop_length, win_length, normalized, onesided, return_complex, around=0,
    pad_mode="REFLECT",
):  # fmt: skip
    """The sum as it is written, frame by frame."""
    x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(around, around)], mode=pad_mode.lower())
    w = np.zeros(n_fft)
    w[(n_fft - win_length) // 2 :][:win_length] = window
    turns = np.exp(-2j * np.pi * np.outer(np.arange(n_fft), np.arange(n_fft)) / n_fft)
    starts = range(0, x.shape[-1] - n_fft + 1, hop_length)
    out = np.stack([turns @ (x[..., m : m + n_fft] * w).T for m in starts], -1)
    out = np.moveaxis(out, 0, -2) if x.ndim == 2 else out
    out = out[..., : n_fft // 2 + 1, :] if onesided else out
    out = out / np.sqrt(n_fft) if normalized else out
    return out if return_complex else np.stack([out.real, out.imag], -1)


def settings(*values, **more):
    names = "n_fft", "hop_length", "win_length", "normalized", "onesided", "return_complex"
    return dict(zip(names, values, strict=True)) | more


CLOSE = {"rtol": 1e-4, "atol": 1e-5}
SAMPLES = [
    Sample("stft_of_class", [(12,), (4,)], stft, settings(4, 2, 4, False, True, False), **CLOSE),
    Sample("stft_of_class", [(2, 12), (4,)], stft, settings(6, 2, 4, True, False, False), **CLOSE),
    Sample("stft_of_class", [(12,), (3,)], stft,
           settings(4, 3, 3, False, True, False, around=2, pad_mode="REFLECT"), **CLOSE),
    Sample("stft_of_class", [(12,), (4,)], stft, settings(4, 2, 4, False, True, True), **CLOSE,
           sharp="complex outputs"),
]  # fmt: skip

X = ops.ones((12,))
REFUSALS = [
    Refusal(f"windows-{name}", call, error, says)
    for name, call, error, says in [
        ("float", lambda: ops.hann_window(5.0), TypeError, ("'hann_window'", "5.0")),
        ("negative", lambda: ops.kaiser_window(-1), ValueError, ("at least 0", "-1")),
        ("periodic", lambda: ops.hann_window(5, 1), TypeError, ("'periodic'", "1")),
        ("dtype", lambda: ops.hann_window(5, dtype=np.int32), TypeError, ("'dtype'", "floating")),
        ("alpha", lambda: ops.hamming_window(5, True, 1), TypeError, ("'alpha'", "a float")),
        ("short", lambda: ops.stft(X, 16, center=False), ValueError, ("'STFT'", "'n_fft' 16")),
        ("window", lambda: ops.stft(X, 4, window=ops.ones((3,))), ValueError, ("'window'", "(4,)")),
        ("n_fft", lambda: ops.stft(X, 4.0), TypeError, ("'n_fft'", "4.0")),
        ("mode", lambda: ops.stft(X, 4, pad_mode="edge"), ValueError, ("'pad_mode'", "'edge'")),
    ]
]
