"""Rows for `sporax.ops.indexing`: `scatter`, `in_place` and `slicing`."""

import numpy as np

from sporax import ops
from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample

ROWS = np.array([[0, 1], [1, 2], [0, 1]])
DISTINCT = np.array([[0, 1], [1, 2], [1, 0]])
ALONG = np.array([[2, 0], [1, 0]])
SEGMENTS = np.array([1, 0, 1, -1])
PLACE = {
    "update": np.copyto, "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
    "max": np.maximum, "min": np.minimum,
}  # fmt: skip


def scatter_nd(reduction):
    def reference(x, indices, updates):
        x = x.copy()
        for at, u in zip(map(tuple, indices), updates, strict=True):
            x[at] = u if reduction == "update" else PLACE[reduction](x[at], u)
        return x

    return reference


def zeros_with(indices, updates, shape):
    return scatter_nd("add")(np.zeros(shape), indices, updates)


def elements(x, indices, updates, axis=0, reduction="none"):
    x = x.copy()
    for place in np.ndindex(indices.shape):
        at = list(place)
        at[axis] = indices[place]
        at, u = tuple(at), updates[place]
        x[at] = u if reduction == "none" else PLACE[reduction](x[at], u)
    return x


def add_at_index(x, index, y, axis):
    x = np.moveaxis(x.copy(), axis, 0)
    np.add.at(x, index, np.moveaxis(y, axis, 0))
    return np.moveaxis(x, 0, axis)


def index_fill(x, index, value, axis):
    x = x.copy()
    np.moveaxis(x, axis, 0)[index] = value
    return x


def segments(reduce):
    def reference(x, ids, num_segments):
        return np.stack([reduce(x[ids == i], 0) for i in range(num_segments)])

    return reference


def strided_slice(x, begin, end, strides, **masks):
    assert masks == {"begin_mask": 1, "shrink_axis_mask": 2}
    return x[: end[0] : strides[0], begin[1]]


def put_at(x, values, *indices, accumulate=False):
    x = x.copy()
    if accumulate:
        np.add.at(x, indices, values)
    else:
        x[indices] = values
    return x


def index_copy(x, index, new, dim):
    return put_at(x.swapaxes(0, dim), new.swapaxes(0, dim), index).swapaxes(0, dim)


def put_flat(x, index, source, accumulate=False):
    flat = put_at(x.ravel(), source.ravel(), index.ravel(), accumulate=accumulate)
    return flat.reshape(x.shape)


ONCE, TWICE = np.array([[5, -6]]), np.array([[5, -1]])
SAMPLES = [
    Sample("put_at", [(3, 4), (2,), np.array([2, -3]), np.array([1, 1])], put_at, packed=True),
    Sample("put_at", [(3, 4), (4,), np.array([2, 2])], put_at, {"accumulate": True}, packed=True),
    Sample(
        "index_copy",
        [(2, 3), np.array([2, 0]), (2, 2)],
        index_copy,
        {"dim": 1},
        names=["input", "index", "tensor"],
    ),
    Sample("put_flat", [(2, 3), ONCE, (2, 1)], put_flat),
    Sample("put_flat", [(2, 3), TWICE, (2,)], put_flat, {"accumulate": True}),
    Sample(
        "choose_among",
        [np.array([1, 0, 2]), (3, 3)],
        lambda a, choices, mode: np.choose(a, choices, mode=mode),
        {"mode": "raise"},
    ),
    *[
        Sample(f"tensor_scatter_{name}", [(2, 3), rows, (3,)], scatter_nd(name))
        for name, rows in [
            ("update", DISTINCT),
            ("add", ROWS),
            ("sub", ROWS),
            ("max", DISTINCT),
            ("min", DISTINCT),
        ]
    ],
    *[
        Sample(f"tensor_scatter_{name}", [(2, 3), ROWS, (3,)], scatter_nd(name))
        for name in ("mul", "div")
    ],
    Sample("unsorted_segment_prod", [(4, 2), SEGMENTS], segments(np.prod), {"num_segments": 2}),
    Sample("tensor_scatter_add", [(2, 3), ROWS[:, :1], (3, 3)], scatter_nd("add")),
    Sample("scatter_nd", [ROWS, (3,)], zeros_with, {"shape": (2, 4)}),
    Sample("tensor_scatter_elements", [(2, 3), ALONG, (2, 2)], elements, {"axis": 1}),
    Sample("tensor_scatter_elements", [(3, 2), ALONG, (2, 2)], elements, {"reduction": "add"}),
    Sample("index_add_functional", [(2, 3), np.array([2, 2]), (2, 2)], add_at_index, {"axis": 1}),
    Sample("index_fill", [(2, 3), np.array([2, 0]), ()], index_fill, {"axis": 1}),
    *[
        Sample(
            f"unsorted_segment_{name}",
            [(4, 2), SEGMENTS],
            segments(reduce),
            {"num_segments": 2},
        )
        for name, reduce in [("sum", np.sum), ("max", np.max), ("min", np.min)]
    ],
    Sample(
        "slice",
        [(3, 4)],
        lambda x, begin, size: x[1:, 2:3],
        {"begin": (1, 2), "size": (-1, 1)},
    ),
    Sample(
        "strided_slice",
        [(3, 4)],
        strided_slice,
        {"begin": (1, 2), "end": (3, 4), "strides": (2, 1), "begin_mask": 1, "shrink_axis_mask": 2},
    ),
    Sample(
        "strided_slice",
        [(3,)],
        lambda x, begin, end, strides: x[::-1],
        {"begin": (-1,), "end": (-4,), "strides": (-1,)},
    ),
    Sample(
        "narrow",
        [(3, 4)],
        lambda x, axis, start, length: x[:, 2:],
        {"axis": 1, "start": -2, "length": 2},
    ),
    Sample(
        "view_as_dtype",
        [(3, 4)],
        lambda x, dtype: x.astype(np.float32).view(dtype.numpy_dtype),
        {"dtype": dtypes.NAMES["int16"]},
        sharp="bytes have no derivative",
    ),
]
for _sample in SAMPLES:
    if _sample.op == "index_fill":
        _sample.names = ["x", "index", "value"]

AT, FAR = (Tensor([0]),), (Tensor([2]),)
REFUSALS = [
    Refusal(
        "index-put-accumulate",
        lambda: ops.IndexPut(2)(ops.ones(2), ops.ones(1), (Tensor([0]),)),
        ValueError,
        ("'IndexPut'", "'accumulate'", "2"),
    ),
    Refusal(
        "index-put-vector",
        lambda: ops.IndexPut()(ops.ones(2), ops.ones((1, 1)), (Tensor([0]),)),
        ValueError,
        ("'x2'", "(1, 1)"),
    ),
    Refusal(
        "index-put-far",
        lambda: ops.IndexPut()(ops.ones(2), ops.ones(1), (Tensor([2]),)).asnumpy(),
        ValueError,
        ("'index_put'", "but got 2"),
    ),
    Refusal(
        "slice-far",
        lambda: ops.slice(Tensor([1, 2, 3]), (2,), (2,)),
        ValueError,
        ("For 'Slice'", "'begin' (2,)", "(3,)"),
    ),
    Refusal(
        "assign-shape",
        lambda: ops.assign(Tensor([1.0, 2.0]), Tensor([1.0])),
        ValueError,
        ("For 'Assign'", "the shape (2,) of 'variable'", "(1,)"),
    ),
]
