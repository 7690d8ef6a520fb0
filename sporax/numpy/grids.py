"""Grids, diagonals, triangles, and their indices."""

import jax.numpy as jnp
import numpy as np

from sporax import ops
from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import require
from sporax._src.diagnosis.sizes import check_size
from sporax.numpy.creation import arange, linspace
from sporax.numpy.faces import Array, Arrays, array_of, array_op, composite, in_one_dtype


@composite(numpy=True)
def meshgrid(*xi, sparse=False, indexing="xy") -> list:
    """Coordinates of the grid over the flattened `xi`: a list with one Tensor per argument.

    `sparse`: size 1 along the other dimensions. `indexing`: the first argument varies along
    dimension 1 with 'xy', along dimension 0 with 'ij'.

    >>> [t.shape for t in meshgrid(Tensor([1, 2]), Tensor([1, 2, 3]))]
    [(3, 2), (3, 2)]
    """
    who, choices = "numpy.meshgrid", ("xy", "ij")
    require(indexing in choices, "one-of", who, TypeError, indexing=indexing, choices=choices)
    flat = [ops.ravel(array_of(x, "meshgrid", "xi")) for x in xi]
    axes = [1, 0, *range(2, len(flat))] if indexing == "xy" and len(flat) > 1 else range(len(flat))
    shape = [0] * len(flat)
    for axis, x in zip(axes, flat, strict=True):
        shape[axis] = x.size
    open_ = [x.reshape([-1 if i == axis else 1 for i in range(len(flat))])
             for axis, x in zip(axes, flat, strict=True)]  # fmt: skip
    return open_ if sparse else [ops.broadcast_to(x, tuple(shape)) for x in open_]


class Grid:
    """Coordinates of a grid over slices, `mgrid[1:5, 0:2]`, as `numpy.mgrid` and `ogrid`.

    An imaginary step is the number of points, with the stop inclusive.

    >>> mgrid[0:2, 0:3].shape
    (2, 2, 3)
    """

    def __init__(self, sparse):
        self.sparse = sparse

    def __getitem__(self, keys):
        keys = (keys,) if isinstance(keys, slice) else keys
        grids = meshgrid(*map(self._along, keys), sparse=self.sparse, indexing="ij")
        if len(grids) == 1:
            return grids[0]
        return grids if self.sparse else ops.stack(in_one_dtype(grids))

    @staticmethod
    def _along(key):
        if isinstance(key.step, complex):
            return linspace(key.start, key.stop, int(abs(key.step)))
        return arange(key.start or 0, key.stop, key.step or 1)


mgrid, ogrid = Grid(sparse=False), Grid(sparse=True)


@composite(numpy=True)
def indices(dimensions, dtype=dtypes.int32, sparse=False) -> list:
    """The coordinates of a grid of shape `dimensions`, a list of Tensors.

    >>> indices((2, 3))[0].asnumpy()
    array([[0, 0, 0],
           [1, 1, 1]], dtype=int32)
    """
    is_sequence = isinstance(dimensions, (tuple, list))
    require(is_sequence, "tuple-ints", "numpy.indices", dimensions=dimensions)
    return meshgrid(*[arange(n, dtype=dtype) for n in dimensions], sparse=sparse, indexing="ij")


@composite(numpy=True)
def ix_(*args) -> Arrays:
    """An open grid of 1-d Tensors, each along its own dimension: a tuple.

    >>> [t.shape for t in ix_(Tensor([0, 1]), Tensor([2]))]
    [(2, 1), (1, 1)]
    """
    arrays = [array_of(x, "ix_", "args") for x in args]
    shapes = [x.shape for x in arrays]
    are_vectors = all(len(shape) == 1 for shape in shapes)
    require(are_vectors, "argument-1-dimension", "numpy.ix_", items=shapes)
    return tuple(meshgrid(*arrays, sparse=True, indexing="ij"))


# diagonals ----------------------------------------------------------------------------------


def _one_or_two(v):
    require(v.ndim in (1, 2), "dimensions", argument="v", n=1, n2=2, shape=v.shape)


@array_op("diagflat(v, k=0)")
def diagflat(v: Array, k=0):
    """The matrix with the flattened `v` on its diagonal `k` and zeros elsewhere.

    >>> diagflat(Tensor([[1, 2]])).asnumpy()
    array([[1, 0],
           [0, 2]])
    """
    return jnp.diagflat(v, k)


@array_op("trace(a, offset=0, axis1=0, axis2=1, dtype=None)")
def trace(a: Array, offset=0, axis1=0, axis2=1, dtype=None):
    """The sum along the diagonal `offset` of two dimensions; integers are summed in Int64 unless
    `dtype` is given.

    >>> trace(Tensor([[1, 2], [3, 4]])).asnumpy()
    array(5)
    """
    own = a.dtype if jnp.issubdtype(a.dtype, jnp.inexact) else jnp.int64
    wanted = own if dtype is None else dtypes.to_numpy(dtype)
    return jnp.trace(a.astype(wanted), offset, axis1, axis2, wanted)


@array_op("tril(m, k=0)")
def tril(m: Array, k=0):
    """The triangle at and below the diagonal `k`, zeros above; a vector is broadcast to rows first.

    >>> tril(Tensor([[1, 2], [3, 4]])).asnumpy()
    array([[1, 0],
           [3, 4]])
    """
    return _triangle(jnp.tril, m, k)


@array_op("triu(m, k=0)")
def triu(m: Array, k=0):
    """The triangle at and above the diagonal `k`, zeros below; a vector is broadcast to rows first.

    >>> triu(Tensor([[1, 2], [3, 4]])).asnumpy()
    array([[1, 2],
           [0, 4]])
    """
    return _triangle(jnp.triu, m, k)


def _triangle(cut, m, k):
    require(m.ndim != 0, "dimension", argument="m")
    return cut(jnp.broadcast_to(m, (m.shape[0], m.shape[0])) if m.ndim == 1 else m, k)


# indices ------------------------------------------------------------------------------------


def _int32(arrays):
    return tuple([Tensor(np.asarray(a, np.int32)) for a in arrays])


@composite(numpy=True)
def diag_indices(n, ndim=2) -> Arrays:
    """The indices of the main diagonal of `ndim` dimensions of size `n`: a tuple of Int32.

    >>> diag_indices(2)[0].asnumpy()
    array([0, 1], dtype=int32)
    """
    return (arange(n),) * ndim


def _triangle_indices(name, n, k, m):
    sizes = n, n if m is None else m
    for argument, value in (("n", n), ("k", k), ("m", sizes[1])):
        is_number = isinstance(value, (int, float))
        require(
            is_number,
            "must-be-type",
            f"numpy.{name}",
            argument=argument,
            got=value,
            kind="a-number",
        )
    check_size(f"numpy.{name}", [int(max(s, 0)) for s in sizes], np.dtype(bool), ["'n'", "'m'"])
    return _int32(getattr(np, name)(n, k, m))


@composite(numpy=True)
def tril_indices(n, k=0, m=None) -> Arrays:
    """Rows and columns of the lower triangle of an `n` by `m` matrix: a pair of Int32.

    >>> [t.tolist() for t in tril_indices(2)]
    [[0, 1, 1], [0, 0, 1]]
    """
    return _triangle_indices("tril_indices", n, k, m)


@composite(numpy=True)
def triu_indices(n, k=0, m=None) -> Arrays:
    """Rows and columns of the upper triangle of an `n` by `m` matrix: a pair of Int32.

    >>> [t.tolist() for t in triu_indices(2)]
    [[0, 0, 1], [0, 1, 1]]
    """
    return _triangle_indices("triu_indices", n, k, m)


def _matrix_shape(name, arr):
    shape = array_of(arr, name, "arr").shape
    require(len(shape) == 2, "matrix", f"numpy.{name}", argument="arr", shape=shape)
    return shape


@composite(numpy=True)
def tril_indices_from(arr, k=0) -> Arrays:
    """`tril_indices` for the shape of the matrix `arr`.

    >>> [t.tolist() for t in tril_indices_from(Tensor([[1, 2], [3, 4]]))]
    [[0, 1, 1], [0, 0, 1]]
    """
    rows, columns = _matrix_shape("tril_indices_from", arr)
    return _triangle_indices("tril_indices", rows, k, columns)


@composite(numpy=True)
def triu_indices_from(arr, k=0) -> Arrays:
    """`triu_indices` for the shape of the matrix `arr`.

    >>> [t.tolist() for t in triu_indices_from(Tensor([[1, 2], [3, 4]]))]
    [[0, 0, 1], [0, 1, 1]]
    """
    rows, columns = _matrix_shape("triu_indices_from", arr)
    return _triangle_indices("triu_indices", rows, k, columns)
