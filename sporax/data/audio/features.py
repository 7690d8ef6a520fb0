"""Deltas and normalisation along the frames of a spectrogram."""

from typing import Annotated

import numpy as np

from sporax._src.diagnosis.argument_kinds import INT, within
from sporax.data.argument_checks import MOST
from sporax.data.audio import short_time
from sporax.data.audio.enums import BorderType
from sporax.data.audio.waveform import AudioTensorOperation, Whole


class ComputeDeltas(AudioTensorOperation):
    r"""Differences along the frames, $d_t = \sum_{n=1}^N n (c_{t+n} - c_{t-n}) / (2 \sum_n n^2)$
    with $N$ = (`win_length` - 1) // 2.

    `win_length`: an int, at least 3. `pad_mode`: the padding of the ends. Spectrogram
    (..., freq, frames).

    >>> ComputeDeltas()(np.arange(6.0)[None] ** 2).round(1)
    array([[0.9, 2.2, 4. , 6. , 5.8, 4.1]])
    """

    _shape = "..., freq, frames"

    win_length: Annotated[int, within(3, MOST, INT)] = 5
    pad_mode: BorderType = BorderType.EDGE

    def _transformed(self, spectrogram):
        reach = (self.win_length - 1) // 2
        weights = np.arange(-reach, reach + 1, dtype=spectrogram.dtype)
        padded = short_time.padded(spectrogram, reach, reach, self.pad_mode)
        return short_time.frames(padded, len(weights), 1) @ (weights / np.square(weights).sum())


class SlidingWindowCmn(AudioTensorOperation):
    r"""Subtracts from cepstral coefficients their mean over a window of `cmn_window` frames and,
    with `norm_vars`, divides them by their standard deviation there.

    `center`: whether the window is centred at the frame, rather than ending with it; otherwise it
    has at least `min_cmn_window` frames at the beginning. Coefficients (..., frames, freq).

    >>> SlidingWindowCmn(cmn_window=3, center=True)(np.arange(4.0)[:, None]).ravel()
    array([-1.,  0.,  0.,  1.])
    """

    _shape = "..., frames, freq"

    cmn_window: Whole = 600
    min_cmn_window: Whole = 100
    center: bool = False
    norm_vars: bool = False

    def _transformed(self, coefficients):
        start, end = self._windows(coefficients.shape[-2])
        count = (end - start)[:, None]
        mean = self._sums(coefficients, start, end) / count
        centred = coefficients - mean
        if self.norm_vars:
            variance = self._sums(np.square(coefficients, dtype=float), start, end) / count
            with np.errstate(divide="ignore", invalid="ignore"):
                scaled = centred / np.sqrt(variance - mean**2)
            centred = np.where(count == 1, 0, scaled)
        return centred.astype(coefficients.dtype)

    def _windows(self, frames):
        """Return the first frame of each window, and the frame after its last."""
        position = np.arange(frames)
        start = position - (self.cmn_window // 2 if self.center else self.cmn_window)
        end = start + self.cmn_window if self.center else position + 1
        end = np.where(start < 0, end - start, end)
        start = np.maximum(start, 0)
        if not self.center:
            end = np.where(end > position, np.maximum(position + 1, self.min_cmn_window), end)
        start = np.where(end > frames, np.maximum(start - (end - frames), 0), start)
        return start, np.minimum(end, frames)

    def _sums(self, values, start, end):
        totals = np.cumsum(values, -2, dtype=float)
        totals = np.concatenate([np.zeros_like(totals[..., :1, :]), totals], -2)
        return totals[..., end, :] - totals[..., start, :]


__all__ = ["ComputeDeltas", "SlidingWindowCmn"]
