"""`grad`, `value_and_grad`, `GradOperation`: derivatives of functions and Cells."""

import copy
import functools
from collections.abc import Callable
from contextlib import closing
from typing import Any

import jax.numpy as jnp

from sporax._src.core.dtype import Type, from_numpy
from sporax._src.core.errors import warn
from sporax._src.core.from_host import plain
from sporax._src.core.parameter import Parameter
from sporax._src.core.signature_errors import fitting
from sporax._src.core.tree import flatten, map_tensors, nothing, tensors_of, unflatten
from sporax._src.core.value import scalar_value, thread
from sporax._src.diagnosis.argument_kinds import BOOL
from sporax._src.diagnosis.rules import message, rejection, require
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import as_graph, record, run_pending, wrap
from sporax._src.transforms.autodiff.backward import TapeScope
from sporax._src.transforms.autodiff.per_sample import PerSample
from sporax._src.transforms.autodiff.set_grad_cache import announced_call
from sporax._src.transforms.autodiff.tape import ones_like, or_zeros, takes_indices, zeros_like


class Derivative:
    """The derivative of `fn`, computed when called.

    `positions`: the positional arguments to differentiate ("all": all that hold Tensors).
    `weights`: a list of Parameters. `sens`: whether the last argument is the cotangent of the
    output. `has_aux`: whether only the first output is differentiated.
    """

    seed = "sens"  # the name of the outputs' gradients in messages

    def __init__(self, who, fn, positions, weights, has_aux=False, sens=False):
        check_function(who, fn)
        self.who, self.fn, self.positions, self.weights = who, fn, positions, weights
        self.has_aux, self.sens = has_aux, sens

    def __call__(self, args, kwargs):
        """Return (outputs, arguments' gradients in their containers, weights' gradients)."""
        if thread.tape is None and thread.recorder.tracer is None:
            # the second call in one trace is the next iteration of a loop that reads no value
            if self in thread.recorder.derivatives:
                run_pending()
            thread.recorder.derivatives.add(self)
        seeds, args, kwargs = self._take_sens(args, kwargs)
        positions = self._positions(args)
        args = self._separate(args, positions)
        handles, treedef = flatten([args[i] for i in positions], on_other=nothing)
        handles += self.weights
        call = announced_call(self.fn, args, kwargs, handles)
        if call is not None:
            with call.reopened(handles) as (result, recording, values):
                cotangents = self._walk(result, seeds, recording, values, positions)
        else:
            with closing(TapeScope(handles)) as recording, recording:
                result = self.fn(*args, **kwargs)
                values = recording.variables
                cotangents = self._walk(result, seeds, recording, values, positions)
                if thread.watch is not None and None in cotangents:
                    thread.watch.zero(self, args, positions, values, cotangents)
        wrapped = map(wrap, or_zeros(values, cotangents))
        gradients = (recording.returned.get(id(v), g) for v, g in zip(values, wrapped, strict=True))
        by_position = unflatten(treedef, gradients, nothing)
        return result, by_position, list(gradients)

    def _walk(self, result, seeds, recording, values, positions):
        """Return the cotangent, or None, of each of the tracked `values`."""
        ends = [t._lift() for t in self._outputs(result)]
        cotangents = recording.gradients(ends, self._cotangents(ends, seeds), values)
        hooks, first = recording.tape.hooks, len(values) - len(self.weights)
        for i, value in enumerate(values[first:], first) if hooks else ():
            if cotangents[i] is None and value.tracked and id(value) in hooks:
                # a weight's hook is called even if nothing depends on it, as in MindSpore
                cotangents[i] = hooks[id(value)][1].run(zeros_like(value))
        if not recording.tape.paused_spans:  # else `no_grad` may be the reason
            self._refuse_integers(values, cotangents, positions, recording)
        return cotangents

    def _refuse_integers(self, values, cotangents, positions, recording):
        """Raise TypeError if the only variables are integers used as indices: probably a mistake.
        If the output depends on them by comparisons, or not at all, the gradient is zero."""
        if (
            not values
            or any(v.aval.inexact for v in values)
            or cotangents.count(None) < len(cotangents)
        ):
            return
        if not any(map(takes_indices, recording.tape.entries[recording.start :])):
            return
        dtypes = sorted({str(from_numpy(v.aval.dtype)) for v in values})
        of_weights = message("the-weights")
        where = message("argument-numbers", numbers=positions) if positions else of_weights
        raise rejection("what-differentiated-numbers-output", self.who, got=dtypes, where=where)

    def _take_sens(self, args, kwargs):
        if not self.sens:
            return None, args, kwargs
        if "sens" in kwargs:
            kwargs = dict(kwargs)
            return kwargs.pop("sens"), args, kwargs
        require(args, "sens-param-true-last-argument", name=self.who)
        return args[-1], args[:-1], kwargs

    def _positions(self, args):
        if self.positions == "all":
            return [i for i, a in enumerate(args) if tensors_of(a)]
        for i in self.positions:
            fits, n = i < len(args), len(args)
            given = {"grad_position": i, "count": n, "error": IndexError if as_graph() else None}
            require(fits, "name-one-arguments-call", self.who, **given)
        holding = [i for i in self.positions if tensors_of(args[i])]
        others = [i for i in self.positions if i not in holding and args[i] is not None]
        if others and not holding:
            i = others[0]
            raise rejection("argument-hold-tensors-differentiated", self.who, i=i, got=args[i])
        return holding

    @staticmethod
    def _separate(args, positions):
        """Return the arguments with a new handle for each repetition of a differentiated Tensor,
        since each occurrence has its own derivative."""
        every = tensors_of(args)
        if len({id(t) for t in every}) == len(every):
            return args
        args, seen = list(args), set()

        def first(tensor):
            tensor = apart(tensor)
            seen.add(id(tensor))
            return tensor

        def apart(tensor):
            return copy.copy(tensor) if id(tensor) in seen else tensor

        for i in positions:
            args[i] = map_tensors(first, args[i])
        others = [i for i in range(len(args)) if i not in positions]
        for i in others:
            args[i] = map_tensors(apart, args[i])
        return args

    def _outputs(self, result):
        if self.has_aux:
            if not isinstance(result, (tuple, list)) or len(result) < 2:
                raise rejection("has-aux-true-function-return", name=self.who)
            result = result[0]
        if result is None:
            warn(message("function-returns-none", self.who))
            return []
        outputs = tensors_of(result)
        if not outputs and not _is_constant(result):
            raise rejection("function-return-tensor-containers", self.who, got=result)
        return outputs

    def _cotangents(self, ends, seeds):
        """Return the initial cotangents of the outputs: ones, or from `sens`."""
        if not self.sens or not ends:
            return [ones_like(v) for v in ends]
        seeds = plain(seeds)
        if isinstance(seeds, (int, float)):
            factor = scalar_value(self.who, seeds)
            return [record(_filled, v, factor) for v in ends]
        tensors = tensors_of(seeds)
        fits, seed = len(tensors) == len(ends), self.seed
        n, got = len(ends), len(tensors)
        require(fits, "hold-gradient-outputs", self.who, argument=seed, count=n, got=got)
        return [self._cotangent(i, *pair) for i, pair in enumerate(zip(tensors, ends, strict=True))]

    def _cotangent(self, i, seed, end):
        """Convert a Tensor to the cotangent of output `i`; graph mode broadcasts one element."""
        if seed.shape == end.aval.shape:
            return _cast(seed._lift(), end.aval.dtype)
        if seed.size == 1 and (end.aval.ndim == 0 or as_graph()):
            return record(_filled, end, seed._lift())
        name, shape = self.seed, end.aval.shape
        raise rejection("shape-output", self.who, argument=name, i=i, shape=shape, got=seed.shape)


def _is_constant(result):
    """Return True if `result` describes Tensors: a size, shape, dtype or text, with gradient zero.

    A float is usually a loss that was read.
    """
    if isinstance(result, (tuple, list)):
        return bool(result) and all(map(_is_constant, result))
    return isinstance(result, (int, str, Type))


_filled = Op("gradient.sens", lambda end, seed: jnp.full_like(end, jnp.reshape(seed, ())))


def _cast(value, dtype):
    return value if value.aval.dtype == dtype else record(_casting(dtype), value)


@functools.cache
def _casting(dtype):
    return Op("gradient.cast", lambda x: x.astype(dtype))


@fitting
def grad(
    fn, grad_position: int | tuple[int, ...] | None = 0, weights=None, has_aux=False,
    return_ids=False, sens_param=False, *, per_sample=False,
) -> Callable:  # fmt: skip
    """Return a function that computes the gradient of `fn`.

    `grad_position`: an int or tuple of ints, the arguments to differentiate; None for none. An
    argument that is None has no gradient. `weights`: a Parameter, ParameterTuple or list of
    Parameters, or None. Of several outputs the sum is differentiated; with `has_aux` only the
    first, and the others are returned beside the gradient. `return_ids` puts the position or the
    parameter's name beside each gradient. `sens_param`: the last argument of a call (or the keyword
    `sens`) is the gradient of the outputs, by default ones.

    With `per_sample` (not in MindSpore) there is a gradient for each example of a batch, along the
    first axis of inputs, values and gradients. `fn` receives batches of size 1; what it writes must
    be the same for all examples, so a BatchNorm in training raises ValueError, and all examples
    draw the same random numbers.

    The result is one gradient for an int position or a single Parameter, a tuple for several, and
    `(inputs, weights)` for both.

    >>> grad(lambda x: x * x)(Tensor([3.0])).asnumpy()
    array([6.], dtype=float32)
    """
    both = _transform(
        "grad", fn, grad_position, weights, has_aux, return_ids, sens_param, per_sample
    )

    @functools.wraps(fn, updated=())
    def gradient(*args, **kwargs):
        result, gradients = both(*args, **kwargs)
        return (gradients, tuple(result[1:])) if has_aux else gradients

    return gradient


@fitting
def value_and_grad(
    fn, grad_position: int | tuple[int, ...] | None = 0, weights=None, has_aux=False,
    return_ids=False, sens_param=False, *, per_sample=False,
) -> Callable:  # fmt: skip
    """Return a function that computes `fn` and its gradient: `(value, gradient)`; see `grad`.

    >>> value, gradient = value_and_grad(lambda x: x * x)(Tensor([3.0]))
    >>> value.asnumpy(), gradient.asnumpy()
    (array([9.], dtype=float32), array([6.], dtype=float32))
    """
    return _transform(
        "value_and_grad", fn, grad_position, weights, has_aux, return_ids, sens_param, per_sample
    )


def _transform(who, fn, grad_position, weights, has_aux, return_ids, sens_param, per_sample):
    positions = _checked_positions(who, grad_position, weights)
    bare_weight = isinstance(weights, Parameter)
    parameters = parameters_of(who, weights)
    BOOL(who, sens_param=sens_param)
    derivative: Any = Derivative(who, fn, positions, parameters, has_aux, sens_param)
    if per_sample:
        derivative = PerSample(derivative)

    @functools.wraps(fn, updated=())
    def value_and_gradient(*args, **kwargs) -> tuple[Any, Any]:
        result, inputs, by_weight = derivative(args, kwargs)
        if return_ids:
            with_tensors = [i for i in positions if tensors_of(args[i])]
            inputs = list(zip(with_tensors, inputs, strict=True))
            by_weight = [(p.name, g) for p, g in zip(parameters, by_weight, strict=True)]
        inputs = inputs[0] if len(inputs) == 1 else tuple(inputs)
        by_weight = by_weight[0] if bare_weight else tuple(by_weight)
        if grad_position is None:
            return result, by_weight
        return result, inputs if weights is None else (inputs, by_weight)

    return value_and_gradient


def _checked_positions(who, grad_position, weights):
    if grad_position is None:
        if weights is None:
            raise rejection("weights-not-both-none", who, argument="grad_position")
        return ()
    positions = grad_position if isinstance(grad_position, tuple) else (grad_position,)
    are_ints = all(isinstance(i, int) for i in positions)
    require(are_ints, "int-tuple-ints-none", who, grad_position=grad_position)
    require(positions, "at-least-one-position", who, argument="grad_position")
    fits = min(positions) >= 0 and len(set(positions)) == len(positions)
    require(fits, "name-arguments-number-0", who, grad_position=grad_position)
    return positions


def check_function(who, fn):
    """Raise TypeError if `fn` is not callable."""
    require(callable(fn), "must-be-type", who, fn=fn, kind="a-function-or-cell")


def parameters_of(who, weights):
    """Check `weights` (None, one Parameter, or several); returns a list."""
    if weights is None:
        return []
    parameters = [weights] if isinstance(weights, Parameter) else list(weights)
    for p in parameters:
        require(isinstance(p, Parameter), "parameters", who, weights=p)
    return parameters


def get_grad(gradients, identifier):
    """Return the gradient with that identifier from a result of `return_ids=True`.

    `identifier`: an input's position (int) or a Parameter.

    >>> slopes = grad(lambda x: x * x, 0, return_ids=True)(Tensor([3.0]))
    >>> get_grad(slopes, 0).asnumpy()
    array([6.], dtype=float32)
    """
    is_one = isinstance(identifier, (int, Parameter))
    require(is_one, "int-parameter-not", "get_grad", identifier=identifier)
    wanted = identifier.name if isinstance(identifier, Parameter) else identifier
    stack = [gradients]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple):
            if len(item) != 2 or not isinstance(item[0], (int, str)):
                stack.extend(item)
            elif item[0] == wanted:
                return item[1]
    raise rejection("no-gradient-identifier", "get_grad", wanted=wanted)


class GradOperation:
    """Creates gradient functions.

    `get_all`: differentiate all inputs, else the first. `get_by_list`: differentiate the weights.
    `sens_param`: the last argument of the call is the gradient of the output.

    >>> double = ops.GradOperation(sens_param=True)(lambda x: x * x)
    >>> double(Tensor([3.0]), Tensor([2.0])).asnumpy()
    array([12.], dtype=float32)
    """

    def __init__(self, get_all=False, get_by_list=False, sens_param=False):
        flags = {"get_all": get_all, "get_by_list": get_by_list, "sens_param": sens_param}
        for name, flag in flags.items():
            BOOL.checked("GradOperation", name, flag)
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def __call__(self, fn, weights=None) -> Callable:
        both = self.with_value(fn, weights)

        @functools.wraps(fn, updated=())
        def gradient(*args, **kwargs):
            return both(*args, **kwargs)[1]

        return gradient

    def with_value(self, fn, weights=None):
        """Return a function that computes (outputs, gradients)."""
        parameters = []
        if self.get_by_list:
            if weights is None and hasattr(fn, "trainable_params"):
                weights = fn.trainable_params()
            parameters = parameters_of("GradOperation", weights)
        positions = "all" if self.get_all else () if self.get_by_list else (0,)
        derivative = Derivative("GradOperation", fn, positions, parameters, sens=self.sens_param)

        def both(*args, **kwargs):
            if positions == (0,) and len(args) + len(kwargs) == self.sens_param:
                return fn(), ()  # it has no inputs
            result, inputs, by_weight = derivative(args, kwargs)
            by_weight = by_weight[0] if isinstance(weights, Parameter) else tuple(by_weight)
            inputs = inputs[0] if inputs and positions == (0,) else tuple(inputs)
            if not self.get_by_list:
                return result, inputs
            return result, (inputs, by_weight) if self.get_all else by_weight

        return both
