"""Rows for `sporax.ops.shape.permuting`."""

import numpy as np

from tests.samples import Sample

MASK = np.array([[True, False, True], [False, True, False]])


def masked(x, mask, source):
    out = np.broadcast_to(x, np.broadcast_shapes(x.shape, mask.shape)).copy()
    out[np.broadcast_to(mask, out.shape)] = source.reshape(-1)[
        : np.broadcast_to(mask, out.shape).sum()
    ]
    return out


def turned(x, lengths, seq_dim, batch_dim=0):
    out = np.moveaxis(x, (batch_dim, seq_dim), (0, 1)).copy()
    for row, n in zip(out, lengths, strict=True):
        row[:n] = row[:n][::-1].copy()
    return np.moveaxis(out, (0, 1), (batch_dim, seq_dim))


SAMPLES = [
    Sample("masked_scatter", [(2, 3), MASK, (4,)], masked),
    Sample("masked_scatter", [(3,), MASK, (2, 3)], masked),
    Sample("reverse_sequence", [(2, 3), np.array([2, 3])], turned, {"seq_dim": 1}),
    Sample("reverse_sequence", [(3, 2, 2), np.array([1, 3])], turned,
           {"seq_dim": 0, "batch_dim": 1}),
    Sample("intopk", [np.array([[1.0, 3, 2], [4, 4, 5]]), np.array([2, 0])],
           lambda x, t, k: np.array([True, True]), {"k": 2}),
    Sample("intopk", [np.array([[1.0, 3, 2], [4, 4, 5]]), np.array([0, 2])],
           lambda x, t, k: np.array([False, True]), {"k": 2}),
]  # fmt: skip
