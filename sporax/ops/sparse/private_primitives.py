"""Primitives on the parts of CSR matrices, from MindSpore's private modules."""

import numpy as np

from sporax._src.core.from_host import plain
from sporax._src.core.tensor import Tensor
from sporax.ops.primitive import Primitive
from sporax.ops.sparse import functions, structure
from sporax.ops.sparse.tensors import CSRTensor


def _matrix(indptr, indices, values, dense_shape):
    shape = dense_shape.asnumpy().tolist() if isinstance(dense_shape, Tensor) else dense_shape
    return CSRTensor(indptr, indices, values, tuple(plain(shape)))


def _matrix_add(shape, batches, indptr, indices, values, *others):
    """Add matrices, given by shape, batch pointers, row pointers, columns, values; alpha, beta."""
    *other, alpha, beta = others
    result = _matrix(indptr, indices, values, shape).add(
        _matrix(other[2], other[3], other[4], other[0]), alpha, beta
    )
    pointers = Tensor(np.array([0, result.size]), batches.dtype)
    return shape, pointers, result.indptr, result.indices, result.values


# class -> the function that a call computes
_CALLS = {
    "CSRReduceSum": lambda *components: _matrix(*components[:4]).sum(components[4]),
    "CSRMV": lambda *components: _matrix(*components[:4]).mv(components[4]),
    "CSRMM": lambda *components: _matrix(*components[:4]).mm(components[4]),
    "CSRMul": lambda *components: (_matrix(*components[:4]) * components[4]).values,
    "CSRDiv": lambda *components: (_matrix(*components[:4]) / components[4]).values,
    "CSRGather": lambda *components: functions.csr_gather(*components),
    "CSR2COO": lambda *components: structure.csr2coo(*components),
    "COO2CSR": lambda *components: structure.coo2csr(*components),
    "SparseMatrixAdd": _matrix_add,
}


def _declare(name, compute):
    def __init__(self):
        Primitive.__init__(self, name)

    def __call__(self, *components):
        return compute(*components)

    doc = "The function of `ops.sparse` of that name, on a matrix given by its parts."
    members = {"__init__": __init__, "__call__": __call__, "__doc__": doc, "__module__": __name__}
    return type(name, (Primitive,), members)


globals().update({name: _declare(name, compute) for name, compute in _CALLS.items()})
