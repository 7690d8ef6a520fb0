"""Rows for `sporax.ops.shape.reshape`, `sporax.ops.shape.joining` and `sporax.ops.casting`."""

import numpy as np

from sporax import ops
from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample


def zeros(*shape):
    return Tensor(np.zeros(shape, np.float32))


def flatten(x, order="C", start_dim=1, end_dim=-1):
    x = x.transpose() if order == "F" else x
    return x.reshape(*x.shape[:start_dim], -1) if end_dim == -1 else x.reshape(-1, x.shape[-1])


def split(x, split_size_or_sections, axis=0):
    size = split_size_or_sections
    ends = range(size, x.shape[axis], size) if isinstance(size, int) else np.cumsum(size)[:-1]
    return np.split(x, list(ends), axis)


def chunk(x, chunks, axis=0):
    return split(x, -(-x.shape[axis] // chunks), axis)


def unstack(x, axis=0):
    return [np.take(x, i, axis) for i in range(x.shape[axis])]


WHOLE = "what comes out has no derivative"
SAMPLES = [
    Sample("reshape", [(2, 6)], lambda x, shape: x.reshape(shape), {"shape": (3, -1)}),
    Sample("reshape", [(1, 1)], lambda x, shape: x.reshape(shape), {"shape": ()}),
    Sample("transpose", [(2, 3, 4)], lambda x, dims: x.transpose(dims), {"dims": (1, -1, 0)}),
    Sample(
        "swapaxes",
        [(2, 3, 2)],
        lambda x, axis0, axis1: np.swapaxes(x, axis0, axis1),
        {"axis0": 0, "axis1": -1},
    ),
    Sample(
        "movedim",
        [(2, 3, 4)],
        lambda x, source, destination: np.moveaxis(x, source, destination),
        {"source": (0, 1), "destination": (-1, 0)},
    ),
    Sample("expand_dims", [(2, 3)], np.expand_dims, {"axis": -1}),
    Sample("squeeze", [(1, 3, 1)], lambda x, axis: np.squeeze(x, axis), {"axis": 0}),
    Sample("squeeze", [(1, 3, 1)], lambda x: np.squeeze(x)),
    Sample("squeeze", [(1, 3, 1)], lambda x, axis: np.squeeze(x, -1), {"axis": (1, -1)}),
    Sample("flatten", [(2, 3, 2)], flatten),
    Sample("flatten", [(2, 3, 2)], flatten, {"start_dim": 0, "end_dim": 1}),
    Sample("flatten", [(2, 3)], flatten, {"order": "F", "start_dim": 0}),
    # joining
    Sample(
        "concat",
        [(2, 3), (2, 1)],
        lambda *xs, axis: np.concatenate(xs, axis),
        {"axis": -1},
        packed=True,
    ),
    Sample(
        "concat",
        [(2, 3), np.array([[1, 2, 3]], np.int32)],
        lambda *xs: np.concatenate(xs),
        packed=True,
    ),
    Sample(
        "stack",
        [(2, 3), (2, 3)],
        lambda *xs, axis: np.stack(xs, axis),
        {"axis": 1},
        packed=True,
    ),
    Sample("split", [(2, 5)], split, {"split_size_or_sections": 2, "axis": 1}),
    Sample("split", [(2, 5)], split, {"split_size_or_sections": (1, 4), "axis": -1}),
    Sample(
        "split_of_class",
        [(4, 2)],
        lambda x, output_num: np.split(x, output_num),
        {"output_num": 2},
    ),
    Sample("chunk", [(5, 2)], chunk, {"chunks": 3}),
    Sample(
        "tensor_split",
        [(5, 2)],
        lambda x, indices_or_sections: np.array_split(x, indices_or_sections),
        {"indices_or_sections": 3},
    ),
    Sample(
        "tensor_split",
        [(5, 2)],
        lambda x, indices_or_sections: np.split(x, indices_or_sections),
        {"indices_or_sections": (1, 3)},
    ),
    Sample("unstack", [(2, 3)], unstack, {"axis": 1}),
    Sample("tile", [(2, 3)], lambda x, dims: np.tile(x, dims), {"dims": (2, 1, 2)}),
    Sample(
        "broadcast_to",
        [(3, 1)],
        lambda x, shape: np.broadcast_to(x, (2, 3, 2)),
        {"shape": (2, -1, 2)},
    ),
    Sample(
        "repeat_elements",
        [(2, 3)],
        lambda x, rep, axis: np.repeat(x, rep, axis),
        {"rep": 2, "axis": 1},
    ),
    Sample(
        "repeat_elements",
        [(2, 3)],
        lambda x, rep, axis: np.repeat(x, rep, axis),
        {"rep": (2, 0, 1), "axis": 1},
    ),
    Sample("flip", [(2, 3)], lambda x, dims: np.flip(x, dims), {"dims": (0, 1)}),
    Sample(
        "roll",
        [(2, 3)],
        lambda x, shifts, dims: np.roll(x, shifts, dims),
        {"shifts": (1, -1), "dims": (0, 1)},
    ),
    Sample("roll", [(2, 3)], lambda x, shifts: np.roll(x, shifts), {"shifts": 2}),
    # casting
    Sample("cast", [(2, 3)], lambda x, dtype: np.trunc(x), {"dtype": dtypes.int32}, sharp=WHOLE),
    Sample(
        "cast",
        [(2, 3)],
        lambda x, dtype: x.astype(np.float16),
        {"dtype": dtypes.float16},
        rtol=1e-3,
        sharp="float16 is too coarse for differences",
    ),
    Sample("cast", [(2, 3)], lambda x, dtype: x, {"dtype": dtypes.float64}),
    Sample(
        "cast",
        [np.array([0.0, -2.0])],
        lambda x, dtype: x != 0,
        {"dtype": dtypes.bool_},
        sharp=WHOLE,
    ),
]


def refused(name, call, *says, error=ValueError):
    return Refusal(name, call, error, says)


REFUSALS = [
    refused("unstack", lambda: ops.Unstack(0, 3)(zeros(2, 3)), "For 'Unstack'", "'num'", "2", "3"),
    refused(
        "reshape-size", lambda: zeros(2, 3).reshape(4, -1), "For 'Reshape'", "(2, 3)", "(4, -1)"
    ),
    refused(
        "transpose-few",
        lambda: ops.transpose(zeros(2, 3, 4), (1, 0)),
        "For 'Transpose'",
        "(2, 3, 4)",
        "swapaxes",
    ),
    refused("t-3d", lambda: ops.t(zeros(2, 3, 4)), "For 't'", "(2, 3, 4)"),
    refused("expand-far", lambda: zeros(2, 3).expand_dims(5), "For 'ExpandDims'", "(2, 3)", "5"),
    refused(
        "concat-rank",
        lambda: ops.concat((zeros(2), zeros(2, 3))),
        "For 'Concat'",
        "Float32 (2,)",
        "Float32 (2, 3)",
    ),
    refused(
        "concat-size",
        lambda: ops.concat((zeros(2, 2), zeros(2, 3))),
        "For 'Concat'",
        "(2, 2)",
        "(2, 3)",
    ),
    refused(
        "concat-tensor",
        lambda: ops.concat(zeros(2, 2)),
        "For 'Concat'",
        "tuple or list",
        error=TypeError,
    ),
    refused("stack-shapes", lambda: ops.stack((zeros(2), zeros(3))), "For 'Stack'", "(2,)", "(3,)"),
    refused("split-sum", lambda: ops.split(zeros(4), (1, 2)), "For 'split'", "(1, 2)", "4"),
    refused("split-uneven", lambda: ops.Split(0, 3)(zeros(4)), "For 'Split'", "output_num=3"),
    refused(
        "broadcast", lambda: zeros(2, 3).broadcast_to(4, 2), "For 'BroadcastTo'", "(2, 3)", "(4, 2)"
    ),
    refused("cast-to-3", lambda: zeros(2).astype(3), "3", error=TypeError),
]
