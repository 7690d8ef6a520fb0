"""Cosine transforms."""

from typing import Any

import jax.numpy as jnp
import jax.scipy.fft as fft

from sporax._src.core.errors import missing
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, op
from sporax.ops.math.arithmetic import floating

_NORM = kinds.optional(kinds.one_of("ortho", "backward"))


@op(function=(), name="dct")
def cosine_transform(x: Array, sizes=None, axes=None, norm="ortho", inverse=False):
    """The cosine transform of type 2 along `axes` (None: all), or its inverse."""
    _NORM(None, norm=norm)
    norm = "ortho" if norm is None else norm
    require(not jnp.iscomplexobj(x), "real-numbers-dtype-complex", argument="x")
    compute: Any = fft.idctn if inverse else fft.dctn
    return compute(floating(x), 2, sizes, axes, norm=norm)


def _checked(who, type):
    require(
        type == 2, "must-equal", f"scipy.fft.{who}", type=type, value=2, error=NotImplementedError
    )


def dct(x, type=2, n=None, axis=-1, norm=None):
    r"""$c_k \sum_j x_j \cos(\pi k (2 j + 1) / 2 n)$ along `axis`.

    `norm`: 'ortho', or None (as in MindSpore, not as in SciPy): orthonormal, $c_0 = \sqrt{1 / n}$,
    else $c_k = \sqrt{2 / n}$; 'backward': $c_k = 2$.

    >>> sporax.scipy.fft.dct(Tensor([1.0, 1.0]), norm="backward").asnumpy().round(4).tolist()[0]
    4.0
    """
    _checked("dct", type)
    return cosine_transform(x, None if n is None else (n,), (axis,), norm, False)


def idct(x, type=2, n=None, axis=-1, norm=None):
    """The inverse of `dct`."""
    _checked("idct", type)
    return cosine_transform(x, None if n is None else (n,), (axis,), norm, True)


def dctn(x, type=2, s=None, axes=None, norm=None):
    """`dct` along several axes, by default all."""
    _checked("dctn", type)
    return cosine_transform(x, s, axes, norm, False)


def idctn(x, type=2, s=None, axes=None, norm=None):
    """The inverse of `dctn`."""
    _checked("idctn", type)
    return cosine_transform(x, s, axes, norm, True)


def __getattr__(name):
    raise missing("scipy.fft", name)
