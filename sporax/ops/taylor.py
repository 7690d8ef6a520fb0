"""`jet` and `derivative`: higher derivatives along a curve, by Taylor series.

They are those of what is computed: a `bprop` or a hook on the way is not asked.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import jet as jax_jet

from sporax.autodiff.lifted_function import LiftedFunction
from sporax.core import dtype as dtypes
from sporax.core.signature_errors import fitting
from sporax.core.tensor import Tensor
from sporax.core.tree import flatten, unflatten
from sporax.engine.recorder import wrap
from sporax.lifting.lifted_op import LiftedOp
from sporax.ops.declare import FUNCTIONS
from sporax.ops.shape.creation import zeros
from sporax.ops.shape.joining import concat


class TaylorOp(LiftedOp):
    """What an abstract trace computes, and its derivatives of order 1 to `size - 1`, along its
    first axis. So are the inputs that have an axis; what else it reads does not change."""

    __slots__ = ()
    uses_python_derivatives = False

    def differing(self, avals, which):
        """None: what is written has the value at the point itself."""
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
    """The results of a function on arrays, each with its derivatives, stacked as `curves` are."""
    primals, series = [c[0] for c in curves], [list(c[1:]) for c in curves]
    try:
        outs, terms = jax_jet.jet(function, primals, series)
    except (NotImplementedError, KeyError):  # of some operations JAX has no Taylor series
        return _nested(function, curves)
    return [jnp.stack([out, *term]) for out, term in zip(outs, terms, strict=True)]


def _nested(function, curves):
    """As `_series`, by derivatives of derivatives along the curves."""

    def at(t):
        points = []
        for curve in curves:
            x = jnp.zeros_like(curve[0])
            for k in reversed(range(1, len(curve))):  # Horner's scheme
                x = (x + curve[k]) * (t / k).astype(curve.dtype)
            points.append(curve[0] + x)
        return function(*points)

    def differentiated(f):
        return lambda t: jax.jvp(f, (t,), (jnp.ones_like(t),))[1]

    orders, f = [], at
    for _ in range(len(curves[0])):
        orders.append(f(jnp.zeros((), np.float64)))
        f = differentiated(f)
    return [jnp.stack(terms) for terms in zip(*orders, strict=True)]


@fitting
def jet(fn, primals, series) -> tuple:
    r"""$f(x(t))$ at $t = 0$ and its derivatives by $t$, for a curve given by its own derivatives.

    `primals`: $x(0)$, a Tensor, or a tuple of Tensors for several inputs. `series`: the derivatives
    $x'(0), x''(0), \ldots, x^{(n)}(0)$ along a new first axis, for each input; without that axis
    the first one alone. Returns `(f, derivatives)`, the latter of order 1 to n along a first axis;
    where `fn` returns a tuple, both are lists. Integers are taken as Float32. J. Bettencourt,
    M. Johnson, D. Duvenaud: Taylor-Mode Automatic Differentiation for Higher-Order Derivatives in
    JAX (2019).

    >>> y, terms = ops.jet(lambda x: x * x * x, Tensor([2.0]), Tensor([[1.0], [0.0], [0.0]]))
    >>> y.asnumpy(), terms.asnumpy().ravel()
    (array([8.], dtype=float32), array([12., 12.,  6.], dtype=float32))
    """
    together = isinstance(primals, tuple)
    if together != isinstance(series, tuple) or (together and len(primals) != len(series)):
        raise (ValueError if together and isinstance(series, tuple) else TypeError)(
            "For 'jet', 'primals' and 'series' must be two Tensors, or two tuples of as many, but "
            f"got {_shown(primals)} and {_shown(series)}. Give the derivatives of each input."
        )
    points = [_floating("jet", "primals", x) for x in (primals if together else (primals,))]
    terms = [_floating("jet", "series", x) for x in (series if together else (series,))]
    curves = []
    for x, dx in zip(points, terms, strict=True):
        if dx.dtype != x.dtype:
            raise TypeError(
                f"For 'jet', 'series' must have the dtype of 'primals', but got {dx.dtype} for "
                f"{x.dtype}. Convert it with 'astype'."
            )
        if dx.shape == x.shape:
            dx = dx.expand_dims(0)
        if dx.shape[1:] != x.shape or not dx.shape[0]:
            raise ValueError(
                "For 'jet', 'series' must hold derivatives of the shape of 'primals' along its "
                f"first axis, but got shape {dx.shape} for {x.shape}. Stack them with 'ops.stack'."
            )
        curves.append(concat((x.expand_dims(0), dx)))
    if len({len(c) for c in curves}) > 1:
        raise ValueError(
            "For 'jet', 'series' must have as many derivatives for each input, but got "
            f"{[len(c) - 1 for c in curves]}. Fill up with zeros."
        )
    results = _taylor("jet", fn, curves)
    if isinstance(results, tuple):
        return [r[0] for r in results], [r[1:] for r in results]
    return results[0], results[1:]


@fitting
def derivative(fn, primals, order) -> tuple:
    r"""$f(x)$ and its derivative of an order by $t$ along $x + t$: of each element, if `fn` works
    element by element.

    `primals`: a Tensor, or a tuple of Tensors for several inputs, all of which move. `order`: an
    int from 1. Returns `(f, derivative)`; where `fn` returns a tuple, both are lists. Integers are
    taken as Float32. See `jet`.

    >>> y, third = ops.derivative(lambda x: x * x * x, Tensor([2.0]), 3)
    >>> y.asnumpy(), third.asnumpy()
    (array([8.], dtype=float32), array([6.], dtype=float32))
    """
    if not isinstance(order, int) or isinstance(order, bool):
        raise TypeError(
            f"For 'derivative', 'order' must be an int, but got {_shown(order)}. Give 1 or more."
        )
    if order < 1:
        raise ValueError(
            f"For 'derivative', 'order' must be at least 1, but got {order}. Call the function "
            "itself for its values."
        )
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
    """The results of `fn` at the curves' points, each Tensor with its derivatives."""
    if not callable(fn):
        raise TypeError(
            f"For '{who}', 'fn' must be a function or a Cell, but got {_shown(fn)}. Give what is "
            "to be differentiated."
        )
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
        raise TypeError(
            f"For '{who}', '{name}' must be Tensors of Float32, Float64, Int32 or Int64, but got "
            f"{x.dtype if isinstance(x, Tensor) else _shown(x)}. Convert them with 'astype'."
        )
    return x if x.dtype in _TAKEN[2:] else x.astype(dtypes.float32)


def _shown(value):
    return type(value).__name__


FUNCTIONS.update(jet=jet, derivative=derivative)
