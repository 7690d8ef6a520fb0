"""A run as TensorBoard event files, in addition to the files for `sporax watch`."""

import weakref

import numpy as np

from sporax.io import atomic_write
from sporax.train.event_file import EventFile, buckets_summary, image_summary, scalar_summary


class RunEvents:
    """Write the records that `RunFolder` gets to an event file in the run's folder.

    Raises ModuleNotFoundError if the package `tensorboard` is missing.
    """

    def __init__(self, folder):
        self._file = EventFile("RunRecord", folder)
        weakref.finalize(self, self._file.discard)  # each event is flushed, or its error raised

    def append(self, step, scalars=None, layers=None):
        """Write scalars, and histograms by kind and layer."""
        made = [scalar_summary(name, np.float64(v)) for name, v in (scalars or {}).items()]
        made += [
            buckets_summary(
                f"{kind}/{name}", statistics["low"], statistics["high"], statistics["counts"]
            )
            for kind, of_layers in (layers or {}).items()
            for name, statistics in of_layers.items()
        ]
        self._write(step, made)

    def add_images(self, step, name, images):
        """Write uint8 images of shape (N, C, H, W) side by side."""
        self._write(step, [image_summary(name, images)])

    def _write(self, step, summaries):
        with atomic_write.errors_named("RunRecord", self._file.path):
            for summary in summaries:
                self._file.write(step, summary=summary)
            self._file.flush()
