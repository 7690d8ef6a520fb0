"""Rows for `sporax.ops.linalg.products`."""

import numpy as np

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample

DEFINITE = np.array([[4.0, 1.0], [1.0, 3.0]])
WHOLE = np.array([[1, 2], [3, 4]], np.int32)


def transposed(a, b, transpose_a=False, transpose_b=False):
    a = np.swapaxes(a, -1, -2) if transpose_a else a
    return a @ (np.swapaxes(b, -1, -2) if transpose_b else b)


def zeros(*shape):
    return Tensor(np.zeros(shape, np.float32))


SAMPLES = [
    *[
        Sample("matmul", shapes, np.matmul)
        for shapes in (
            [(2, 3), (3, 2)],
            [(2, 2, 3), (3, 2)],
            [(2, 2, 3), (2, 3, 1)],
            [(3,), (3,)],
            [(3,), (3, 2)],
            [(2, 3), (3,)],
            [(2, 1, 2, 3), (3, 3, 2)],
        )
    ],
    Sample("matmul", [WHOLE, WHOLE], np.matmul),
    Sample(
        "matmul_transposed",
        [(3, 2), (2, 3)],
        transposed,
        {"transpose_a": True, "transpose_b": True},
    ),
    Sample("matmul_transposed", [(2, 3, 2), (4, 2)], transposed, {"transpose_b": True}),
    Sample("mm", [(2, 3), (3, 2)], np.matmul),
    Sample("bmm", [(2, 2, 3), (2, 3, 1)], np.matmul),
    Sample("bmm", [(2, 3, 2, 3), (2, 3, 3, 1)], np.matmul),
    Sample("mv", [(2, 3), (3,)], np.matmul),
    Sample("dot", [(2, 3), (3, 2)], np.dot),
    Sample("dot", [(2, 3, 2), (2, 2, 1)], np.dot),
    Sample("dot", [(3,), (3,)], np.dot),
    Sample("inner", [(2, 3), (4, 3)], np.inner),
    Sample("outer", [(2,), (3,)], np.outer),
    Sample(
        "contraction",
        [(2, 3), (4, 3)],
        lambda *xs, equation: np.einsum(equation, *xs),
        {"equation": "ij,kj->ik"},
        packed=True,
    ),
    Sample(
        "tensor_dot",
        [(2, 3), (4, 3)],
        lambda a, b, axes: np.tensordot(a, b, axes),
        {"axes": ((1,), (1,))},
    ),
    Sample("trace", [(3, 3)], np.trace),
    Sample("inverse", [DEFINITE], np.linalg.inv),
    Sample("det", [DEFINITE], np.linalg.det),
    Sample("cholesky", [DEFINITE], np.linalg.cholesky),
    Sample("cross", [(2, 3), (2, 3)], np.cross),
]

REFUSALS = [
    Refusal(
        "matmul",
        lambda: zeros(2, 3) @ zeros(4, 5),
        ValueError,
        ("For 'MatMul'", "Float32 (2, 3)", "Float32 (4, 5)", "second-last", "transpose"),
    ),
    Refusal(
        "matmul-vector",
        lambda: ops.matmul(zeros(2, 3), zeros(4)),
        ValueError,
        ("For 'MatMul'", "(2, 3)", "(4,)", "only"),
    ),
    Refusal(
        "matmul-number", lambda: ops.matmul(zeros(2, 3), 2.0), TypeError, ("For 'MatMul'", "'mul'")
    ),
    Refusal(
        "mm-3d",
        lambda: ops.mm(zeros(2, 3, 4), zeros(4, 5)),
        ValueError,
        ("For 'mm'", "(2, 3, 4)", "'matmul'"),
    ),
]

SAMPLES += [
    Sample("cond", [(2, 3, 3)], lambda x, p=None: np.linalg.cond(x, p), {"p": p}, rtol=1e-4)
    for p in (None, 1, "fro")
]
