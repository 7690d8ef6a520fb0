"""`vjp`, `jvp`, `jacfwd`, `jacrev`: directional derivatives and full Jacobians."""

import functools
from collections.abc import Callable
from contextlib import closing
from itertools import accumulate

import jax.numpy as jnp

from sporax._src.core.parameter import Parameter
from sporax._src.core.signature_errors import fitting
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import flatten, tensors_of, unflatten
from sporax._src.diagnosis.argument_kinds import BOOL
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import record, wrap
from sporax._src.transforms.autodiff.backward import BackwardPass, TapeScope
from sporax._src.transforms.autodiff.grad import Derivative, check_function, parameters_of
from sporax._src.transforms.autodiff.lifted_function import LiftedFunction
from sporax._src.transforms.autodiff.tape import ones_like, or_zeros, paused


class TapedCall(Derivative):
    """A function called once, with the recording that its derivative needs.

    `result`: its result. `ends`: the Values in it that are differentiated. Its gradients can be
    computed repeatedly, at any time: Values do not change.
    """

    seed = "v"

    def __init__(self, who, fn, args, positions, weights=(), has_aux=False):
        super().__init__(who, fn, positions, weights, has_aux, sens=True)
        args = self._separate(args, positions)
        handles = tensors_of([args[i] for i in positions])
        with closing(TapeScope([*handles, *weights])) as recording, recording:
            self.hooks = recording.tape.hooks
            self.result = fn(*args)
            self.ends = [t._lift() for t in self._outputs(self.result)]
            self.entries = recording.tape.entries[recording.start :]
            self.wanted = recording.variables

    @property
    def differentiated(self):
        """The part of the result that is differentiated."""
        return self.result[0] if self.has_aux else self.result

    @property
    def aux(self):
        """The other results: a tuple, or the only one."""
        return self.result[1] if len(self.result) == 2 else self.result[1:]

    def back(self, cotangents):
        """Return the gradients of the wanted values, None where there is none."""
        return BackwardPass(self.entries, 0, self.hooks).run(self.ends, cotangents, self.wanted)

    def gradients(self, cotangents):
        """Return the gradients of the wanted values, zeros where there is none."""
        return or_zeros(self.wanted, self.back(cotangents))

    def cotangents(self, v):
        """Check the cotangents of the ends that a user passes; returns their Values."""
        return self._cotangents(self.ends, v)

    def seeds(self):
        """Return cotangents of the ends, tracked to differentiate with respect to them."""
        with paused("custom_spans"):  # they depend on nothing
            seeds = [ones_like(v) for v in self.ends]
        for value in seeds:
            value.tracked = True
        return seeds

    def untrack(self):
        """Stop differentiating the intermediate values."""
        for _, _, out in self.entries:
            for value in out if out.__class__ is tuple else (out,):
                value.tracked = False
        for value in self.wanted:
            value.tracked = False


class Linearization:
    """A function called once, with its derivative there in any direction.

    The pullback is linear in its cotangent; its own pullback, applied to the tangents, gives the
    output tangents. So everything with a pullback is supported, including a bprop.
    """

    def __init__(self, who, fn, args, positions, has_aux=False):
        with closing(TapeScope()) as recording, recording:
            self.taped = TapedCall(who, fn, args, positions, (), has_aux)
            self.seeds = self.taped.seeds()
            self.gradients = self.taped.back(self.seeds)
            if recording.outer is None:  # it is not differentiated
                self.taped.untrack()
            self.entries = recording.tape.entries[recording.start :]
        self.recording = recording

    def push(self, tangents, is_first=False):
        """Return the tangents of the results for the arguments' `tangents`. `is_first`: whether
        nothing was recorded since, so that the backward pass may be replayed."""
        pairs = [(g, t) for g, t in zip(self.gradients, tangents, strict=True) if g is not None]
        run = BackwardPass(self.entries, 0, self.recording.tape.hooks).run
        if is_first:
            run = self.recording.gradients
        return or_zeros(self.seeds, run([g for g, _ in pairs], [t for _, t in pairs], self.seeds))


@fitting
def vjp(fn, *inputs, weights=None, has_aux=False) -> tuple:
    """Return `(fn(*inputs), function)`; the function maps cotangents to gradients, $v^T J$.

    It takes one cotangent for each output, of its shape, and returns a tuple with a gradient for
    each input; with `weights` (a Parameter, or several) `(inputs' gradients, weights' gradients)`.
    It may be called repeatedly, and later: it uses the contents that inputs and Parameters had.
    With `has_aux` only the first output is differentiated, and the others are returned third.

    >>> y, pull = vjp(lambda x: x * x, Tensor([3.0]))
    >>> pull(Tensor([10.0]))[0].asnumpy()
    array([60.], dtype=float32)
    """
    BOOL("vjp", has_aux=has_aux)
    _check_tensors("vjp", "inputs", inputs)
    parameters = parameters_of("vjp", weights)
    _, treedef = flatten(inputs)
    taped = TapedCall("vjp", fn, inputs, tuple(range(len(inputs))), parameters, has_aux)

    def pull(*v):
        gradients = iter([wrap(g) for g in taped.gradients(taped.cotangents(v))])
        by_input = unflatten(treedef, gradients, lambda _: None)
        if weights is None:
            return by_input
        by_weight = tuple(gradients)
        return by_input, by_weight[0] if isinstance(weights, Parameter) else by_weight

    if has_aux:
        return taped.differentiated, pull, taped.aux
    return taped.result, pull


@fitting
def jvp(fn, inputs, v, has_aux=False) -> tuple:
    """Return `(fn(*inputs), J v)`: the derivative of all outputs along `v`.

    `inputs`: a Tensor, or a tuple or list of them. `v`: the same, of the same shapes and dtypes.
    With `has_aux` only the first output is differentiated, and the others are returned third.

    >>> y, dy = jvp(lambda x: x * x, Tensor([3.0]), Tensor([10.0]))
    >>> dy.asnumpy()
    array([60.], dtype=float32)
    """
    BOOL("jvp", has_aux=has_aux)
    inputs = arguments_of("jvp", "inputs", inputs)
    tangents = tangents_of("jvp", inputs, v)
    linear = Linearization("jvp", fn, inputs, tuple(range(len(inputs))), has_aux)
    taped, out_tangents = linear.taped, linear.push(tangents, is_first=True)
    along = unflatten(taped.differentiated, map(wrap, out_tangents), lambda _: None)
    return (taped.differentiated, along, taped.aux) if has_aux else (taped.result, along)


def arguments_of(who, name, inputs):
    """Check inputs or tangents; returns a tuple."""
    inputs = tuple(inputs) if isinstance(inputs, (list, tuple)) else (inputs,)
    _check_tensors(who, name, inputs)
    return inputs


def tangents_of(who, inputs, v):
    """Check the tangents of the inputs; returns their Values."""
    primals, tangents = tensors_of(inputs), tensors_of(arguments_of(who, "v", v))
    n, got = len(primals), len(tangents)
    require(n == got, "hold-tensor-inputs", who, v=got, count=n)
    for i, (x, t) in enumerate(zip(primals, tangents, strict=True)):
        error = ValueError if x.shape != t.shape else TypeError
        fits = (x.shape, x.dtype) == (t.shape, t.dtype)
        require(fits, "as-the-inputs", who, error, v=t, primal=x, i=i)
    return [t._lift() for t in tangents]


@fitting
def jacfwd(fn, grad_position=0, has_aux=False) -> Callable:
    """Return a function that computes the Jacobian of `fn`, column by column.

    `grad_position`: an int or tuple of ints, the arguments to differentiate. The derivative of an
    output of shape `a` with respect to an input of shape `b` has shape `a + b`; several outputs
    give a tuple, several positions a tuple inside it. With `has_aux` only the first output is
    differentiated: `(Jacobian, other outputs)`. See `jacrev`, which is faster with more inputs
    than outputs.

    >>> jacfwd(lambda x: x * x)(Tensor([1.0, 2.0])).asnumpy()
    array([[2., 0.],
           [0., 4.]], dtype=float32)
    """
    return _jacobian("jacfwd", fn, grad_position, has_aux, _by_columns)


@fitting
def jacrev(fn, grad_position=0, has_aux=False) -> Callable:
    """Return a function that computes the Jacobian of `fn`, row by row.

    Arguments and results are as for `jacfwd`.

    >>> jacrev(lambda x: (x * x).sum())(Tensor([1.0, 2.0])).asnumpy()
    array([2., 4.], dtype=float32)
    """
    return _jacobian("jacrev", fn, grad_position, has_aux, _by_rows)


def _jacobian(who, fn, grad_position, has_aux, compute):
    BOOL(who, has_aux=has_aux)
    check_function(who, fn)

    @functools.wraps(fn, updated=())
    def jacobian(*args):
        positions = _positions(who, grad_position, args)
        blocks, aux = compute(who, fn, args, positions, has_aux)
        rows = tuple(row[0] if len(positions) == 1 else tuple(row) for row in blocks)
        whole = rows[0] if len(rows) == 1 else rows
        return (whole, aux) if has_aux else whole

    return jacobian


def _by_columns(who, fn, args, positions, has_aux):
    """Return ([[block for each input] for each output], other results)."""
    avals = tuple([args[i]._lift().aval for i in positions])
    aux = None

    def run(tangents):
        nonlocal aux
        linear = Linearization(who, fn, args, positions, has_aux)
        out_tangents = linear.push(tangents, is_first=True)
        aux = linear.taped.aux if has_aux else None
        beside = [t._lift() for t in tensors_of(aux)]
        # the columns lie along the last axis
        return [*beside, *out_tangents], [None] * len(beside) + [v.aval.ndim for v in out_tangents]

    results = _mapped(who, run, avals)
    n_beside = len(tensors_of(aux))
    aux = unflatten(aux, map(wrap, results[:n_beside]))
    blocks = [record(_split(avals, -1), value) for value in results[n_beside:]]
    return [list(map(wrap, row)) for row in blocks], aux


def _by_rows(who, fn, args, positions, has_aux):
    """Return ([[block for each input] for each output], other results)."""
    taped = TapedCall(who, fn, args, positions, (), has_aux)
    avals = tuple([v.aval for v in taped.ends])

    def run(cotangents):
        gradients = taped.gradients(cotangents)
        return gradients, [0] * len(gradients)

    results = _mapped(who, run, avals)
    columns = [record(_split(avals, 0), value) for value in results]
    rows = [
        # the gradient of complex numbers is the conjugate of the derivative
        [wrap(record(_conj, v) if aval.dtype.kind == "c" else v) for v in row]
        for aval, row in zip(avals, zip(*columns, strict=True), strict=True)
    ]
    return rows, taped.aux if has_aux else None


_conj = Op("jacobian.conj", jnp.conj)


def _mapped(who, run, avals):
    """Map `run` over the rows of the identity matrix of all elements of these avals."""
    rows, size = record(_identity(avals)), sum(a.size for a in avals)
    return LiftedFunction(who, size)(run, rows, [0] * len(avals))


@functools.cache
def _identity(avals):
    """Make the identity matrix of all elements of these avals: columns for each, in its shape."""
    ends = list(accumulate(a.size for a in avals))

    def identity():
        return tuple([
            jnp.eye(ends[-1], a.size, a.size - end, dtype=a.dtype).reshape(ends[-1], *a.shape)
            for a, end in zip(avals, ends, strict=True)
        ])  # fmt: skip

    return Op("jacobian.identity", identity)


@functools.cache
def _split(avals, axis):
    """Split the first or last axis (0, -1), and give each part the shape of an aval there."""
    ends = list(accumulate(a.size for a in avals))

    def split(x):
        before, after = ((), x.shape[1:]) if axis == 0 else (x.shape[:-1], ())
        xs = jnp.split(x, ends[:-1], axis)
        return tuple(p.reshape(before + a.shape + after) for p, a in zip(xs, avals, strict=True))

    return Op("jacobian.split", split)


def _positions(who, grad_position, args):
    """Check the positions against the call; returns a tuple."""
    positions = grad_position if isinstance(grad_position, tuple) else (grad_position,)
    are_ints = positions and all(isinstance(i, int) for i in positions)
    require(are_ints, "must-be-type", who, grad_position=grad_position, kind="int-or-ints")
    n = len(args)
    fits = len(set(positions)) == len(positions) and all(0 <= i < n for i in positions)
    require(fits, "name-some-arguments-number", who, grad_position=grad_position, count=n)
    _check_tensors(who, "the arguments at 'grad_position'", [args[i] for i in positions], True)
    return positions


def _check_tensors(who, name, items, bare=False):
    for item in items:
        is_tensor = isinstance(item, Tensor) if bare else tensors_of(item)
        require(is_tensor, "tensors", who, name=name, got=item)
