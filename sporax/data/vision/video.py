"""Video decoding by PyAV, an optional dependency: `pip install 'sporax[video]'`."""

import contextlib
import ctypes
import functools
import io
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from sporax._src.core.signature_errors import fitting
from sporax._src.diagnosis.argument_kinds import (
    INT,
    LIST,
    STR,
    at_least,
    instance,
    optional,
    within,
)
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.data.operation import TensorOperation
from sporax.io import untrusted_file
from sporax.io.untrusted_file import MALFORMED

_TIME = instance((int, float, Fraction), "a-number")
_UNITS = "pts", "sec"  # of timestamps: ticks of the stream, or seconds


_MOST_PIXELS = 2**25  # of a frame, 8K
_MOST_BYTES = 2**27  # that FFmpeg may allocate at a time, whatever a header says
# Only these: some of FFmpeg's formats name further files and addresses, which it would open.
_OPTIONS = {
    "format_whitelist": "asf,avi,flv,gif,h264,hevc,ivf,m4v,matroska,mov,mpeg,mpegts,mpegvideo,ogg,"
    "webm,yuv4mpegpipe",
    "protocol_whitelist": "none",
}


@functools.cache
def _limit_memory(library):
    """Limit each of FFmpeg's allocations to `_MOST_BYTES`; `library`: the path of a part of PyAV,
    which is linked with it."""
    with contextlib.suppress(AttributeError):  # Windows searches only the part itself
        ctypes.CDLL(library).av_max_alloc(ctypes.c_size_t(_MOST_BYTES))


@contextlib.contextmanager
def _opened(who, source) -> Iterator[Any]:
    """Open a video as PyAV's container; `source`: a path, or bytes."""
    try:
        import av
        from av import error as av_error
        from av import frame
    except ModuleNotFoundError:
        raise rejection("sporax-needs-pyav-decode", who) from None
    is_content = isinstance(source, bytes)
    try:
        file = io.BytesIO(source if is_content else untrusted_file.content(source))
        _limit_memory(frame.__file__)
        with av.open(file, container_options=_OPTIONS) as container:
            yield container
    except (av_error.FFmpegError, MemoryError, *MALFORMED) as error:
        if is_content:
            what = message("content-of-bytes", n=len(source))
        else:
            what = message("the-file", path=source)
        raise rejection("whole-video", who, what=what, cause=error) from error


def _existing(who, filename, kind):
    STR(who, filename=filename)
    is_file = Path(filename).is_file()
    require(is_file, "existing-file", who, filename=filename, error=kind)
    return filename


def _stream(container):
    """Return the stream of pictures of a video."""
    require(container.streams.video, "no-pictures")
    stream = container.streams.video[0]
    width, height = stream.width, stream.height
    fits = width * height <= _MOST_PIXELS
    require(fits, "pictures-x-pixels", width=width, height=height)
    return stream


def _frames(container, *streams):
    """Return the frames of some streams, each in the order in which they are shown."""
    frames = {stream.index: [] for stream in streams}
    for packet in container.demux(streams):
        frames[packet.stream.index] += packet.decode()
    return [_in_order(group) for group in frames.values()]


def _in_order(frames):
    """Sort frames by time; a frame without a time, as in some formats, follows the previous one."""
    last = 0
    for frame in frames:
        last = frame.pts = last if frame.pts is None else frame.pts
    return sorted(frames, key=lambda frame: frame.pts)


def _pictures(frames, stream):
    """Return the pictures of frames as an array (frames, height, width, 3)."""
    if frames:
        return np.stack([frame.to_ndarray(format="rgb24") for frame in frames])
    return np.zeros((0, stream.height, stream.width, 3), np.uint8)


def _whole(stream):
    """Return an audio stream whose decoder keeps the padding of the last packet, which FFmpeg 8
    removes, unlike earlier versions and MindSpore's."""
    from av.codec.context import Flags2  # optional: `stream` is PyAV's

    stream.codec_context.flags2 |= Flags2.skip_manual
    return stream


def _samples(frames, stream):
    """Return (channels, samples) from time 0 on, in the stream's own dtype."""
    channels = stream.codec_context.channels
    early = -frames[0].pts if frames else 0  # codec delay
    skipped = max(round(early * stream.time_base * stream.rate), 0)
    arrays = [frame.to_ndarray() for frame in frames]
    if not arrays:
        return np.zeros((channels, 0), np.float32)
    joined = np.concatenate(arrays, 1)
    joined = joined if frames[0].format.is_planar else joined.reshape(-1, channels).T
    return joined[:, skipped:]


def _decoded(container, start=0, end=None):
    """Return the pictures and audio of the frames from `start` to `end` (in ticks of the stream),
    and the rates. The audio is cut at the same fractions of the whole as the pictures."""
    stream = _stream(container)
    audio = [*map(_whole, container.streams.audio[:1])]
    every, *sound = _frames(container, stream, *audio)
    chosen = [i for i, f in enumerate(every) if start <= f.pts and (end is None or f.pts <= end)]
    rates = {"video_fps": float(stream.average_rate)}
    samples = np.zeros((1, 0), np.float32)
    if audio:
        samples = _samples(sound[0], audio[0])
        rates["audio_fps"] = audio[0].rate
        a_frame = samples.shape[1] / max(len(every), 1)
        first = round(chosen[0] * a_frame) if chosen else 0
        samples = samples[:, first : first + round(len(chosen) * a_frame)]
    return _pictures([every[i] for i in chosen], stream), samples, rates


def _unit(who, value, kind):
    STR(who, pts_unit=value)
    require(value in _UNITS, "one-of", who, pts_unit=value, choices=[*_UNITS], error=kind)
    return value


@fitting
def read_video(filename, start_pts=0, end_pts=None, pts_unit="pts"):
    """Read (pictures, audio, rates) of a video file: UInt8 (frames, height, width, 3), an array
    (channels, samples), and a dict with 'video_fps' and, if there is audio, 'audio_fps'.

    `start_pts`, `end_pts`: the first and the last frame, in ticks of the stream or, for `pts_unit`
    'sec', in seconds.

    >>> read_video("nowhere.mp4")
    Traceback (most recent call last):
    ValueError: For 'read_video', 'filename' must be a file, but got 'nowhere.mp4'.
    """
    who = "read_video"
    at_least(0, _TIME)(who, start_pts=start_pts)
    optional(at_least(start_pts, _TIME))(who, end_pts=end_pts)
    _unit(who, pts_unit, ValueError)
    with _opened(who, _existing(who, filename, ValueError)) as container:
        if pts_unit == "sec":
            base = _stream(container).time_base
            start_pts, end_pts = round(start_pts / base), end_pts and round(end_pts / base)
        return _decoded(container, start_pts, end_pts)


@fitting
def read_video_timestamps(filename, pts_unit="pts"):
    """Read (timestamps of the frames, frames per second) of a video file; in ticks of the stream
    or, for `pts_unit` 'sec', in seconds.

    >>> read_video_timestamps("nowhere.mp4")
    Traceback (most recent call last):
    RuntimeError: For 'read_video_timestamps', 'filename' must be a file, but got 'nowhere.mp4'.
    """
    who = "read_video_timestamps"
    _unit(who, pts_unit, RuntimeError)
    with _opened(who, _existing(who, filename, RuntimeError)) as container:
        stream = _stream(container)
        times = sorted(p.pts for p in container.demux(stream) if p.pts is not None)
        unit = 1 if pts_unit == "pts" else float(stream.time_base)
        return [time * unit for time in times], float(stream.average_rate) if times else None


class DecodeVideo(TensorOperation):
    """Decodes the bytes of a video file to (pictures, audio); see `read_video`.

    >>> DecodeVideo()(np.zeros((2, 2), np.uint8))
    Traceback (most recent call last):
    RuntimeError: For 'DecodeVideo', an encoded video must be uint8 (n,), but got uint8 (2, 2).
    """

    def __call__(self, video):
        who, video = type(self).__name__, np.asarray(video)
        got, shape = video.dtype, video.shape
        fits = video.ndim == 1 and got == np.uint8 and video.size
        require(fits, "encoded-video-uint8-n", who, got=got, shape=shape)
        with _opened(who, video.tobytes()) as container:
            return _decoded(container)[:2]


class VideoDecoder:
    """Random access to the frames of a video file.

    >>> VideoDecoder("nowhere.mp4")
    Traceback (most recent call last):
    ValueError: For 'VideoDecoder', 'source' must be a file, but got 'nowhere.mp4'.
    """

    def __init__(self, source):
        who = type(self).__name__
        STR(who, source=source)
        require(Path(source).is_file(), "existing-file", who, source=source)
        self.source = source
        self._metadata = self.metadata

    @property
    def metadata(self):
        """A dict of 'width', 'height', 'duration_seconds', 'num_frames' and 'average_fps'."""
        with _opened("VideoDecoder", self.source) as container:
            stream = _stream(container)
            return {
                "width": stream.width, "height": stream.height,
                "duration_seconds": round(float(stream.duration * stream.time_base), 6),
                "num_frames": stream.frames, "average_fps": float(stream.average_rate),
            }  # fmt: skip

    def get_frames_at(self, indices):
        """Return the pictures at some indices, UInt8 (frames, height, width, 3)."""
        who, count = "get_frames_at", self._metadata["num_frames"]
        LIST(who, indices=indices)
        require(not indices or count >= 1, "frames-says", who, argument=self.source, count=count)
        for i, index in enumerate(indices):
            within(0, count - 1, INT).checked(who, f"indices[{i}]", index)
        with _opened("VideoDecoder", self.source) as container:
            stream = _stream(container)
            (frames,) = _frames(container, stream)
            return _pictures([frames[i] for i in indices], stream)


__all__ = ["DecodeVideo", "VideoDecoder", "read_video", "read_video_timestamps"]
