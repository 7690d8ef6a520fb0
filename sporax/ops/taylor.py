"""`jet` and `derivative`: higher derivatives along a curve, by Taylor series.

They differentiate what is computed: a `bprop` or a hook in it is not used.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import jet as jax_jet

from sporax._src.core import dtype as dtypes
from sporax._src.core.signature_errors import fitting
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import flatten, unflatten
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.engine.recorder import wrap
from sporax._src.transforms.autodiff.lifted_function import LiftedFunction
from sporax._src.transforms.lifting.lifted_op import LiftedOp
from sporax.ops.declare import FUNCTIONS
from sporax.ops.shape.creation import zeros
from sporax.ops.shape.joining import concat


class TaylorOp(LiftedOp):
    """Stack the results of an abstract trace with their derivatives of order 1 to `size - 1` along
    a first axis. Inputs with an axis are stacked likewise; other inputs are constant."""

    __slots__ = ()
    uses_python_derivatives = False

    def differing(self, avals, which):
        """Return none: written variables have the value at the point itself."""
        return []

    def _mapped(self, run, *arrays):
        moving = [i for i, axis in enumerate(self.axes) if axis is not None]

        def results(*inputs):
            operands = list(arrays)
            for i, x in zip(moving, inputs, strict=True):
                operands[i] = x
            return run(*operands)

        if moving:
            series = _series(results, [arrays[i] for i in moving])
        else:
            series = [jnp.stack([x] + [jnp.zeros_like(x)] * (self.size - 1)) for x in run(*arrays)]
        return tuple(x if axis == 0 else x[0] for x, axis in zip(series, self.outs, strict=True))


def _series(function, curves):
    """Return a function's results, each stacked with its derivatives as `curves` are."""
    primals, series = [c[0] for c in curves], [list(c[1:]) for c in curves]
    try:
        outs, terms = jax_jet.jet(function, primals, series)
    except (NotImplementedError, KeyError):  # JAX lacks Taylor series for some operations
        return _nested(function, curves)
    return [jnp.stack([out, *term]) for out, term in zip(outs, terms, strict=True)]


def _nested(function, curves):
    """As `_series`, by nested derivatives along the curves."""

    def on_curves(t):
        points = []
        for curve in curves:
            x = jnp.zeros_like(curve[0])
            for k in reversed(range(1, len(curve))):  # Horner's scheme
                x = (x + curve[k]) * (t / k).astype(curve.dtype)
            points.append(curve[0] + x)
        return function(*points)

    def differentiated(f):
        return lambda t: jax.jvp(f, (t,), (jnp.ones_like(t),))[1]

    orders, f = [], on_curves
    for _ in range(len(curves[0])):
        orders.append(f(jnp.zeros((), np.float64)))
        f = differentiated(f)
    return [jnp.stack(terms) for terms in zip(*orders, strict=True)]


@fitting
def jet(fn, primals, series) -> tuple:
    r"""$f(x(t))$ at $t = 0$ and its derivatives with respect to $t$, on a curve.

    `primals`: $x(0)$, a Tensor, or a tuple of Tensors for several inputs. `series`: the derivatives
    $x'(0), x''(0), \ldots, x^{(n)}(0)$ along a new first axis, for each input; without that axis
    only the first one. Returns `(f, derivatives)`, the latter of order 1 to n along a first axis;
    if `fn` returns a tuple, both are lists. Integers are converted to Float32. J. Bettencourt, M.
    Johnson, D. Duvenaud: Taylor-Mode Automatic Differentiation for Higher-Order Derivatives in JAX
    (2019).

    >>> y, terms = ops.jet(lambda x: x * x * x, Tensor([2.0]), Tensor([[1.0], [0.0], [0.0]]))
    >>> y.asnumpy(), terms.asnumpy().ravel()
    (array([8.], dtype=float32), array([12., 12.,  6.], dtype=float32))
    """
    together = isinstance(primals, tuple)
    if together != isinstance(series, tuple) or (together and len(primals) != len(series)):
        error = ValueError if together and isinstance(series, tuple) else TypeError
        raise rejection("primals-and-series", "jet", error=error, got=primals, series=series)
    points = [_floating("jet", "primals", x) for x in (primals if together else (primals,))]
    terms = [_floating("jet", "series", x) for x in (series if together else (series,))]
    curves = []
    for x, dx in zip(points, terms, strict=True):
        require(dx.dtype == x.dtype, "dtype-primals", "jet", series=dx.dtype, dtype=x.dtype)
        if dx.shape == x.shape:
            dx = dx.expand_dims(0)
        fits, shapes = dx.shape[1:] == x.shape and dx.shape[0], [dx.shape, x.shape]
        require(fits, "hold-derivatives-shape-primals", "jet", argument="series", shapes=shapes)
        curves.append(concat((x.expand_dims(0), dx)))
    counts = [len(c) - 1 for c in curves]
    require(len({*counts}) <= 1, "many-derivatives-input", "jet", series=counts)
    results = _taylor("jet", fn, curves)
    if isinstance(results, tuple):
        return [r[0] for r in results], [r[1:] for r in results]
    return results[0], results[1:]


@fitting
def derivative(fn, primals, order) -> tuple:
    r"""$f(x)$ and its derivative of an order with respect to $t$ along $x + t$: of each element, if
    `fn` is elementwise.

    `primals`: a Tensor, or a tuple of Tensors for several inputs, all of which vary. `order`: an
    int from 1. Returns `(f, derivative)`; if `fn` returns a tuple, both are lists. Integers are
    converted to Float32. See `jet`.

    >>> y, third = ops.derivative(lambda x: x * x * x, Tensor([2.0]), 3)
    >>> y.asnumpy(), third.asnumpy()
    (array([8.], dtype=float32), array([6.], dtype=float32))
    """
    require(kinds.INT.accepts(order), "int-argument-type-taylor", "derivative", order=order)
    require(order >= 1, "at-least-1", "derivative", order=order)
    curves = []
    for x in primals if isinstance(primals, tuple) else (primals,):
        x = _floating("derivative", "primals", x)
        line = zeros((order, *x.shape), x.dtype)
        line[0] = 1
        curves.append(concat((x.expand_dims(0), line)))
    results = _taylor("derivative", fn, curves)
    if isinstance(results, tuple):
        return [r[0] for r in results], [r[order] for r in results]
    return results[0], results[order]


def _taylor(who, fn, curves):
    """Return the results of `fn` at the curves' points, each Tensor with its derivatives."""
    require(callable(fn), "function-cell-grad-function", who, fn=fn)
    treedef = None

    def run(inputs):
        nonlocal treedef
        results, treedef = flatten(fn(*map(wrap, inputs)))
        return [t._lift() for t in results], [0] * len(results)

    lifted = LiftedFunction(who, len(curves[0]), TaylorOp)
    outputs = lifted(run, [c._lift() for c in curves], [0] * len(curves))
    return unflatten(treedef, map(wrap, outputs))


_TAKEN = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


def _floating(who, name, x):
    if not isinstance(x, Tensor) or x.dtype not in _TAKEN:
        got = x.dtype if isinstance(x, Tensor) else type(x).__name__
        raise rejection("tensors-float32-float64-int32", who, argument=name, got=got)
    return x if x.dtype in _TAKEN[2:] else x.astype(dtypes.float32)


FUNCTIONS.update(jet=jet, derivative=derivative)
