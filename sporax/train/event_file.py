"""TensorBoard's event files: records of scalars, histograms, images and tensors.

Records and formats come from the package `tensorboard`, the extra `summary`.
"""

import importlib
import os
import socket
import struct
import time
import zlib
from pathlib import Path

import numpy as np

from sporax._src.core.errors import warn
from sporax._src.diagnosis.rules import rejection
from sporax.io import atomic_write


def tensorboard(module, who="SummaryRecord"):
    """Import a module of the package `tensorboard`."""
    try:
        return importlib.import_module(f"tensorboard.{module}")
    except ModuleNotFoundError as cause:
        raise rejection("package-tensorboard-installed-format", who) from cause


class EventFile:
    """A new event file in a folder, which is created if needed.

    `who`: the name used in error messages. `prefix`, `suffix`: of the file name. Raises OSError if
    it cannot be written.
    """

    def __init__(self, who, folder, prefix="events", suffix=""):
        writer = tensorboard("summary.writer.record_writer", who).RecordWriter
        self.folder = Path(folder).absolute()
        with atomic_write.errors_named(who, self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        name = f"{prefix}.out.tfevents.{time.time():.0f}.{socket.gethostname()}.{os.getpid()}"
        self.path = self.folder / f"{name}{suffix}"
        with atomic_write.errors_named(who, self.path):
            self._file = open(self.path, "ab")  # noqa: SIM115 - closed by `close`
        self._writer = writer(self._file)
        try:
            self.write(0, file_version="brain.Event:2")
        except OSError:
            self._file.close()
            raise

    @property
    def is_closed(self):
        """True after `close`."""
        return self._file.closed

    def write(self, step, limit=None, **content):
        """Write an event; returns False if the file would exceed `limit` bytes."""
        event = tensorboard("compat.proto.event_pb2").Event(
            wall_time=time.time(), step=step, **content
        )
        data = event.SerializeToString()
        if limit is not None and self._file.tell() + len(data) + 16 > limit:
            return False
        self._writer.write(data)
        return True

    def flush(self):
        """Flush written events to disk."""
        self._writer.flush()

    def close(self):
        """Close the file."""
        self._file.close()

    def discard(self):
        """Close the file, discarding unflushed events."""
        self._file.raw.close()


# summaries of values -----------------------------------------------------------------------------


def scalar_summary(name, array):
    """Return the summary of an array with one element."""
    return tensorboard("plugins.scalar.summary_v2").scalar_pb(name, float(array.reshape(())))


def tensor_summary(name, array):
    """Return the summary of an array."""
    proto = tensorboard("compat.proto.summary_pb2").Summary()
    made = tensorboard("util.tensor_util").make_tensor_proto(array)
    proto.value.add(tag=name, tensor=made)
    return proto


def histogram_summary(name, array):
    """Return the histogram summary of the finite elements of an array."""
    finite = array.astype(np.float64).ravel()
    finite = finite[np.isfinite(finite)]
    if finite.size < array.size:
        warn(f"{array.size - finite.size} of the {array.size} values of '{name}' are not finite.")
    return tensorboard("plugins.histogram.summary_v2").histogram_pb(name, finite)


def buckets_summary(name, low, high, counts):
    """Return a histogram summary with `counts` of equal buckets between `low` and `high`."""
    edges = np.linspace(low, high, len(counts) + 1)
    made = tensor_summary(name, np.stack([edges[:-1], edges[1:], counts], 1))
    metadata = tensorboard("plugins.histogram.metadata").create_summary_metadata(None, None)
    made.value[0].metadata.CopyFrom(metadata)
    return made


def png(image):
    """Encode bytes of shape (C, H, W), with 1 or 3 channels, as PNG (ISO 15948)."""
    channels, height, width = image.shape
    kind = {1: 0, 3: 2}[channels]  # grey, or red, green and blue
    rows = np.zeros((height, 1 + width * channels), np.uint8)  # each row starts with 0: no filter
    rows[:, 1:] = image.transpose(1, 2, 0).reshape(height, -1)
    chunks = [
        (b"IHDR", struct.pack(">2I5B", width, height, 8, kind, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows.tobytes())),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + name + content
        + struct.pack(">I", zlib.crc32(name + content))
        for name, content in chunks
    )  # fmt: skip


def image_summary(name, array):
    """Return a summary of a batch of images, (N, C, H, W), side by side."""
    if array.dtype != np.uint8:
        finite = np.nan_to_num(array.astype(np.float32), posinf=1.0, neginf=0.0)
        array = (np.clip(finite, 0, 1) * 255).round().astype(np.uint8)
    row = np.concatenate(list(array), 2)
    proto = tensorboard("compat.proto.summary_pb2").Summary()
    made = proto.value.add(tag=name).image
    made.colorspace, made.height, made.width = row.shape
    made.encoded_image_string = png(row)
    return proto
