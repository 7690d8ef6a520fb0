"""`Function`: a pair of functions, `forward` and `backward`, as one differentiable operation."""

import inspect

from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of
from sporax._src.core.value import thread
from sporax._src.diagnosis.rules import rejection
from sporax._src.runtime.engine.recorder import wrap
from sporax._src.transforms.autodiff.custom_vjp import (
    CustomVjp,
    collect,
    cotangents,
    differentiated_by,
)
from sporax._src.transforms.autodiff.saved_tensors import Packed
from sporax._src.transforms.autodiff.tape import active_tape


class Function:
    """Base class of functions with a user-defined derivative: subclass it, call `apply`.

    `forward(ctx, ...)` takes the arguments of `apply`. `backward(ctx, *grads)` takes a gradient for
    each output and returns one for each input, None where there is none. `ctx` is an instance of
    the class, which passes data from `forward` to `backward`.

    >>> class Double(Function):
    ...     forward = staticmethod(lambda ctx, x: x * 2)
    ...     backward = staticmethod(lambda ctx, g: g * 2)
    >>> grad(Double.apply)(Tensor([3.0])).asnumpy()
    array([2.], dtype=float32)
    """

    materialize_grads = True
    needs_input_grad: tuple = ()
    _saved: tuple = ()
    _packs, _packed = False, None
    _cut: tuple = ()

    @staticmethod
    def forward(ctx, *args, **kwargs):
        """Compute the function; a subclass defines it."""
        raise rejection("static-method-defined", "Function", other="forward")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """Return the inputs' gradients for the outputs' gradients; a subclass defines it."""
        raise rejection("static-method-defined", "Function", other="backward")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Fill `ctx`; if a subclass defines this, `forward` takes no `ctx`."""
        raise rejection("subclass-s-define", "Function", argument="setup_context")

    @classmethod
    def apply(cls, *args, **kwargs):
        """Call `forward`, with `backward` as its derivative."""
        ctx = cls()
        run = ctx._run
        if cls.setup_context is not Function.setup_context:
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs, run = bound.args, bound.kwargs, ctx._run_apart
        ctx.needs_input_grad = tuple(
            any(t._value.tracked for t in tensors_of(argument))
            for argument in (*args, *kwargs.values())
        )
        if active_tape() is None:
            return run(*args, **kwargs)
        ctx._packs = True in ctx.needs_input_grad
        return differentiated_by(FunctionBackward(ctx), run, args, kwargs)

    def _run(self, *args, **kwargs):
        return type(self).forward(self, *args, **kwargs)

    def _run_apart(self, *args, **kwargs):
        output = type(self).forward(*args, **kwargs)
        type(self).setup_context(self, args, output)
        return output

    def save_for_backward(self, *tensors):
        """Keep Tensors (or None) with their current contents, for `saved_tensors`."""
        self._saved = tuple((t, t._lift() if isinstance(t, Tensor) else None) for t in tensors)
        if self._packs and thread.saving is not None:
            self._packed = Packed([(i, v) for i, (_, v) in enumerate(self._saved) if v is not None])

    @property
    def saved_tensors(self):
        """The Tensors passed to `save_for_backward`, with their contents then."""
        if self._packed is not None:
            values = self._packed.restored([value for _, value in self._saved])
            pairs = zip(self._saved, values, strict=True)
            return tuple(t if value is None else wrap(value) for (t, _), value in pairs)
        return tuple(
            t if value is None or t._value is value else wrap(value) for t, value in self._saved
        )

    def mark_dirty(self, *tensors):
        """Accepted and ignored: in-place changes by `forward` are detected."""

    def mark_non_differentiable(self, *tensors):
        """Mark outputs that are not differentiated."""
        self._cut = tensors

    def set_materialize_grads(self, value):
        """Set whether `backward` gets zeros or None for an output without a gradient."""
        self.materialize_grads = value


class FunctionBackward(CustomVjp):
    """The derivative computed by a `Function`'s `backward`."""

    __slots__ = ("ctx",)

    def __init__(self, ctx):
        self.ctx = ctx

    @property
    def who(self):
        """The name in messages."""
        return f"{type(self.ctx).__name__}.backward"

    def cut(self):
        """Return the ids of the handles of outputs that are not differentiated."""
        return [id(t) for t in self.ctx._cut]

    def backward(self, operands, out, arriving):
        """Call the user's `backward`; returns its gradients in the order of the operands."""
        ctx = self.ctx
        grads = cotangents(self.result, out, arriving, ctx.materialize_grads)
        grads = grads if isinstance(grads, (tuple, list)) else (grads,)
        if self.on_host:
            result = self.call_captured(type(ctx).backward, (ctx, *grads), {})
        else:
            result = type(ctx).backward(ctx, *grads)
        args, kwargs = self.inputs(operands)
        inputs = [(str(i), argument) for i, argument in enumerate(args)]
        inputs += kwargs.items()
        gradients = _one_for_each(result, len(inputs))
        return collect(self.who, gradients, inputs, tensors_of((args, kwargs)))


def _one_for_each(result, n):
    """Return `n` gradients as a tuple: None means all None; surplus Nones at the end are cut."""
    if result is None:
        return (None,) * n
    gradients = list(result) if isinstance(result, (tuple, list)) else [result]
    while len(gradients) > n and gradients[-1] is None:
        gradients.pop()
    return tuple(gradients)


_Function = Function
