"""Rows for the operations of `sporax.numpy` that `sporax.ops` does not have."""

import numpy as np

import sporax.numpy as mnp
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample

DECLARED = mnp.__all__  # read here, since the families are imported when they are needed

RISING = np.array([0.0, 1.0, 2.5, 4.0])
INDEX = np.array([[2, 0], [1, 1]])
WHOLE = np.array([4, 6, 9], np.int32)
HOLES = np.array([[1.0, np.nan, 2.0], [4.0, 0.5, np.nan]])
CONDITIONS = np.array([[True, False, False], [True, True, False]])


def numpys(name, function=None, **fixed):
    """A row of an operation that NumPy has under the same name."""
    result = function or getattr(np, name)

    def row(inputs, sharp="", limits=(-2.0, 2.0), **attrs):
        def reference(*arrays, **options):
            return result(*arrays, **options, **fixed)

        return Sample(f"numpy_{name}", inputs, reference, attrs, range=limits, sharp=sharp)

    return row


def select(conditions, choices, default=0):
    return np.select(list(conditions), list(choices), default)


def gradient_along(f, h, axis):
    return np.gradient(f, axis=axis) / h


def bincount(x, weights=None, length=0):
    return np.bincount(x, weights, length)[:length]


SAMPLES = [
    numpys("rot90")([(2, 3)]),
    numpys("rot90")([(2, 3, 2)], k=-1, axes=(1, 2)),
    numpys("linspace")([(2,), (2,)], num=5),
    numpys("linspace")([(2,), (1,)], num=4, endpoint=False, axis=1),
    numpys("geomspace")([(2,), (2,)], num=4, limits=(0.5, 3.0)),
    numpys("diagflat")([(2, 2)], k=1),
    numpys("trace")([(3, 4)], offset=1),
    numpys("trace")([(2, 3, 3)], axis1=1, axis2=2),
    numpys("tril")([(3, 3)], k=1),
    numpys("tril")([(3,)]),
    numpys("triu")([(2, 3, 3)], k=-1),
    numpys("heaviside")([(2, 3), (3,)]),
    numpys("gcd")([WHOLE, np.array(6, np.int32)]),
    numpys("lcm")([WHOLE, np.array(6, np.int32)]),
    numpys("copysign")([(2, 3), (3,)]),
    numpys("cbrt")([(3,)], limits=(0.5, 3.0)),
    numpys("diff")([(2, 4)], n=2),
    numpys("diff", lambda a, prepend, append, axis: np.diff(a, 1, axis, prepend, append))(
        [(3, 2), (1, 2), (2, 2)], axis=0
    ),
    numpys("ediff1d")([(2, 3), (2,), (1,)]),
    numpys("gradient_along", gradient_along)([(4, 2), np.array(0.5)], axis=0),
    numpys("trapz", np.trapezoid)([(2, 4), RISING]),
    numpys("trapz", np.trapezoid)([(2, 4)], axis=0),
    numpys("unwrap")([np.array([0.5, 5.0, 10.5, 4.0])]),
    numpys("interp")([np.array([0.25, 3.0]), RISING, (4,)]),
    numpys("interp")([np.array([-1.0, 7.0]), RISING, (4,), np.array(0.5), np.array(2.0)]),
    numpys("cross")([(2, 3), (3,)]),
    numpys("cross")([(3, 4), (3, 4)], axis=0),
    numpys("kron")([(2, 2), (3,)]),
    numpys("matrix_power", np.linalg.matrix_power)([(3, 3)], n=3),
    numpys("convolve")([(4,), (2,)]),
    numpys("convolve")([(4,), (2,)], mode="same"),
    numpys("correlate")([(4,), (2,)], mode="full"),
    numpys("searchsorted")([RISING, np.array([1.0, 9.0])], side="right"),
    numpys("bincount", bincount)([np.array([0, 2, 2]), (3,)], length=4),
    numpys("bincount", bincount)([np.array([0, 2, 2])], length=3),
    numpys("polyval")([(3,), (2, 2)]),
    numpys("take_along_axis")([(2, 3), INDEX], axis=1),
    numpys("select", select)([CONDITIONS, (2, 3)]),
    numpys("unravel_index")([np.array([5, 0])], shape=(2, 3)),
    numpys("isin")([WHOLE, np.array([6, 7], np.int32)], invert=True),
    numpys("nanmean")([HOLES], axis=1, sharp="NaN has no neighbours"),
    numpys("nanmean")([(2, 3)], axis=0),
    numpys("nanvar")([HOLES], axis=1, sharp="NaN has no neighbours"),
    numpys("nanvar")([(2, 3)], keepdims=True),
    numpys("nanstd")([HOLES], axis=1, sharp="NaN has no neighbours"),
    numpys("nanstd")([(2, 3)], ddof=1),
    numpys("covariance", np.cov)([(2, 5)]),
    numpys("covariance", lambda m, aweights, ddof: np.cov(m, aweights=aweights, ddof=ddof))(
        [(2, 3), np.array([1.0, 2.0, 0.5])], ddof=0
    ),
    Sample(
        "numpy_padded", [(2, 3)],
        lambda arr, pad_width, mode, options: np.pad(arr, pad_width, mode),
        {"pad_width": 1, "mode": "edge", "options": ()},
    ),
    Sample(
        "numpy_ravel_multi_index", [np.array([[0, 1], [2, 1]])],
        lambda index, dims: np.ravel_multi_index(tuple(index), dims), {"dims": (2, 3)},
    ),
    Sample(
        "numpy_chain", [(2, 3), (3, 4), (4, 2)], lambda *xs: np.linalg.multi_dot(xs), packed=True
    ),
]  # fmt: skip

# named where the inputs are not the first parameters
for _sample in SAMPLES:
    if "axis" in _sample.attrs and _sample.op == "numpy_diff" and len(_sample.inputs) > 1:
        _sample.names = ["a", "prepend", "append"]
    if _sample.op == "numpy_covariance" and len(_sample.inputs) > 1:
        _sample.names = ["m", "aweights"]

X = Tensor(np.ones((2, 3), np.float32))
_REFUSED = [
    (lambda: mnp.exp("a"), TypeError, ("numpy.exp", "'x'", "str")),
    (lambda: mnp.add(X, None), TypeError, ("numpy.add", "'x2'", "None")),
    (lambda: mnp.exp(X, dtype="float33"), TypeError, ("'dtype'", "float33")),
    (lambda: mnp.exp(X, axis=1), TypeError, ("numpy.exp", "axis")),
    (lambda: mnp.add(X, [1, 2]), ValueError, ("'Add'", "sizes 2 and 3")),
    (lambda: mnp.array([[1, 2], [3]]), ValueError, ("numpy.array", "as many in each row")),
    (lambda: mnp.sum(X, axis=2), ValueError, ("'sum'", "[-2, 2)", "2")),
    (lambda: mnp.sum(X, axis="a"), TypeError, ("numpy.sum", "'axis'", "'a'")),
    (lambda: mnp.exp(X, X), TypeError, ("'dtype'", "Tensor")),
    (lambda: mnp.eye("a"), TypeError, ("Eye", "'a'")),
    (lambda: mnp.arange("a"), TypeError, ("numpy.arange", "'start'", "str")),
    (lambda: mnp.reshape(X, "a"), TypeError, ("numpy.reshape", "'new_shape'")),
    (lambda: mnp.amax(X, axis=2), ValueError, ("numpy.amax", "'axis'", "[-2, 2)", "2")),
    (lambda: mnp.max(X, where=X > 0), ValueError, ("numpy.amax", "'initial'")),
    (lambda: mnp.amax(X, axis=(0, 0)), ValueError, ("numpy.amax", "repeat")),
    (lambda: mnp.zeros((2, -1)), ValueError, ("numpy.zeros", "'shape'", "-1")),
    (lambda: mnp.zeros("a"), TypeError, ("numpy.zeros", "'shape'", "'a'")),
    (lambda: mnp.full(2, "a"), TypeError, ("numpy.full", "'fill_value'", "str")),
    (lambda: mnp.arange(1, 2, 0), ValueError, ("numpy.arange", "'step'")),
    (lambda: mnp.linspace(0, 1, 2.5), TypeError, ("numpy.linspace", "'num'", "float")),
    (lambda: mnp.randint(3, 1), ValueError, ("numpy.randint", "'maxval'", "3")),
    (lambda: mnp.rand(2, dtype="int32"), ValueError, ("numpy.rand", "'dtype'")),
    (lambda: mnp.reshape(X, (4, 2)), ValueError, ("Reshape", "(4, 2)")),
    (lambda: mnp.expand_dims(X, "a"), TypeError, ("numpy.expand_dims", "'axis'")),
    (lambda: mnp.concatenate((X, X), 2), ValueError, ("numpy.concatenate", "'axis'", "[-2, 2)")),
    (lambda: mnp.concatenate(3), TypeError, ("numpy.concatenate", "'arrays'", "int")),
    (lambda: mnp.stack([]), ValueError, ("numpy.stack", "at least one")),
    (lambda: mnp.split(X, 2, axis=1), ValueError, ("numpy.split", "divide", "3")),
    (lambda: mnp.split(X, "a"), TypeError, ("numpy.split", "'indices_or_sections'")),
    (lambda: mnp.flip(X, 2), ValueError, ("numpy.flip", "'axis'", "[-2, 2)")),
    (lambda: mnp.broadcast_arrays(X, [1, 2]), ValueError, ("numpy.broadcast_arrays", "(2, 3)")),
    (lambda: mnp.where(X), TypeError, ("numpy.where", "'x'", "None")),
    (lambda: mnp.take(X, [0], axis=5), ValueError, ("numpy.take", "'axis'", "5")),
    (lambda: mnp.take(X, [0], mode="raise"), NotImplementedError, ("numpy.take", "'raise'")),
    (lambda: mnp.clip(X, None, None), ValueError, ("numpy.clip", "'xmin'")),
    (lambda: mnp.cross(X, [1, 2, 3, 4]), ValueError, ("numpy.cross", "2 or 3")),
    (lambda: mnp.diff(X, n=-1), ValueError, ("numpy.diff", "'n'", "-1")),
    (lambda: mnp.gradient(X, edge_order=2), NotImplementedError, ("numpy.gradient", "edge_order")),
    (lambda: mnp.pad(X, 1, mode="median"), ValueError, ("numpy.pad", "'mode'", "median")),
    (lambda: mnp.convolve(X, [1.0]), ValueError, ("numpy.convolve", "vectors", "(2, 3)")),
    (lambda: mnp.trace(Tensor([1.0])), ValueError, ("numpy.trace",)),
    (lambda: mnp.diag(1.0), ValueError, ("'diag'", "(n,) or (M, N)")),
    (lambda: mnp.bincount(X), TypeError, ("numpy.bincount", "'x'")),
    (lambda: mnp.searchsorted(X, X), ValueError, ("numpy.searchsorted", "'a'", "(2, 3)")),
    (lambda: mnp.histogram(X, bins="auto"), NotImplementedError, ("numpy.histogram", "auto")),
    (lambda: mnp.average(X, weights=[1.0]), TypeError, ("numpy.average", "'weights'", "(1,)")),
    (lambda: mnp.matmul(X, X), ValueError, ("MatMul", "transpose")),
    (lambda: mnp.norm(X, ord="a"), ValueError, ("'norm'", "'a'")),
    (lambda: mnp.no_such_name, AttributeError, ("mindspore.numpy.no_such_name",)),
]
REFUSALS = [
    Refusal(f"numpy-{i}-{says[0]}", call, error, says)
    for i, (call, error, says) in enumerate(_REFUSED)
]
