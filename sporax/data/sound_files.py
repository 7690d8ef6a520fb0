"""Reading of sound files: integer WAV by Python's `wave`, other formats by soundfile."""

import os
import struct
import wave

import numpy as np

from sporax._src.diagnosis.rules import message, rejection, require
from sporax.io import untrusted_file

_MOST_BYTES = 2**29  # of a recording
_ROOM, _GROWTH = 2**27, 128  # limit of decoded bytes: fixed, and per byte of the file (Opus: 96)
_BLOCK = 2**18  # samples decoded at a time: a header may claim any number

# first bytes of sound files: WAV, NIST's SPHERE, FLAC, Ogg, AIFF, AU, MP3
_SOUNDS = (
    b"RIFF", b"NIST_1A", b"fLaC", b"OggS", b"FORM", b".snd", b"ID3", b"\xff\xfb", b"\xff\xf3",
)  # fmt: skip


def read(path, start=0.0, end=None):
    """Return (samples, rate): Float32 (channels, time) in [-1, 1], from `start` to `end` seconds.

    16-bit integers are divided by 32767, as in MindSpore, others by 2^(bits - 1). A damaged file
    raises ValueError.
    """
    with untrusted_file.opened(path) as file:
        require(file.read(8).startswith(_SOUNDS), "sound-begins-other-bytes")
    try:
        with wave.open(str(path), "rb") as file:
            return _read_wave(file, *_range(file.getframerate(), start, end, file.getnframes()))
    except EOFError:
        raise rejection("whole-wav-file-ends") from None
    except wave.Error:  # another format, or floats
        return _read_other(path, start, end)
    except (ArithmeticError, LookupError, RuntimeError, TypeError, struct.error) as error:
        reason = str(error) or message("part-of-wrong-size")
        raise rejection("whole-wav-file", reason=reason) from error


def _range(rate, start, end, count):
    """Return the first frame, and the number of frames."""
    first = int(start * rate)
    last = count if end is None else int(end * rate)
    fits = 0 <= first <= last <= count
    require(fits, "last-until-s-text", end=end, number=count / rate)
    return first, last - first


def _read_wave(file, first, count):
    width, channels = file.getsampwidth(), file.getnchannels()
    file.setpos(first)
    fits = count * width * channels <= _MOST_BYTES
    require(fits, "less-than-bytes-frames", most_bytes=_MOST_BYTES, count=count)
    content = file.readframes(count)
    n, size, got = count, width * channels, len(content)
    require(got == n * size, "hold-frames-bytes", n=n, size=size, got=got)
    samples = _floats(np.frombuffer(content, np.uint8), width)
    return samples.reshape(count, channels).T, file.getframerate()


def _floats(content, width):
    if width == 1:  # the only unsigned width
        return (content - np.float32(128)) / np.float32(128)
    if width == 2:
        return content.view("<i2") / np.float32(32767)
    high = np.zeros((content.size // width, 4), np.uint8)
    high[:, 4 - width :] = content.reshape(-1, width)
    return (high.view("<i4")[:, 0] / 2.0**31).astype(np.float32)


def _read_other(path, start, end):
    try:
        import soundfile
    except ModuleNotFoundError:
        raise rejection("sporax-needs-soundfile-read", path=path) from None
    try:
        with soundfile.SoundFile(path) as file:
            first, count = _range(file.samplerate, start, end, file.frames)
            fits = 4 * count * file.channels <= _ROOM + _GROWTH * os.path.getsize(path)
            require(fits, "fewer-frames-size-says", count=count, channels=file.channels)
            file.seek(first)
            kind = "int16" if file.subtype == "PCM_16" else "float32"
            blocks: list[np.ndarray] = [np.zeros((0, file.channels), kind)]
            left = count
            most = max(_BLOCK // file.channels, 1)
            while left and len(block := file.read(min(left, most), kind, always_2d=True)):
                blocks.append(block)
                left -= len(block)
            samples, rate = np.concatenate(blocks).T, file.samplerate
    except soundfile.LibsndfileError as error:
        raise rejection("sound", value=error.error_string) from None
    except (ArithmeticError, LookupError, RuntimeError, TypeError) as error:
        raise rejection("sound", value=error) from error
    got = samples.shape[1]
    require(got == count, "hold-frames", n=count, got=got)
    return (samples / np.float32(32767) if kind == "int16" else samples), rate


__all__ = ["read"]
