"""Derivatives under MindSpore's names in `ops`."""

from sporax._src.core.signature_errors import fitting
from sporax._src.core.tree import unflatten
from sporax._src.runtime.engine.recorder import wrap
from sporax._src.transforms import autodiff
from sporax._src.transforms.autodiff.hooks import Gate, avals_of, check_callable, replaced
from sporax._src.transforms.autodiff.jacobian import Linearization, arguments_of, tangents_of
from sporax._src.transforms.autodiff.tape import zeros_like
from sporax._src.transforms.batching import vmap
from sporax.ops.declare import FUNCTIONS, PRIMITIVES
from sporax.ops.operand_checks import TENSOR
from sporax.ops.primitive import Primitive


class StopGradient(Primitive):
    """Return the same Tensors, with derivatives stopped; as `stop_gradient`.

    >>> ops.StopGradient()(Tensor([3.0])).asnumpy()
    array([3.], dtype=float32)
    """

    def __init__(self):
        super().__init__("StopGradient")

    def __call__(self, value):
        return autodiff.stop_gradient(value)


class HookBackward(Primitive):
    """Return the same Tensors; in the backward pass, call `hook_fn(grads)` with the tuple of
    gradients.

    `hook_fn` may return other gradients: a Tensor, or a tuple with one for each.

    >>> doubled = ops.HookBackward(lambda grads: grads[0] * 2)
    >>> grad(lambda x: doubled(x))(Tensor([3.0])).asnumpy()
    array([2.], dtype=float32)
    """

    def __init__(self, hook_fn, cell_id=""):
        super().__init__("HookBackward")
        check_callable("HookBackward", hook_fn)
        self.hook_fn, self.cell_id = hook_fn, cell_id

    def __call__(self, *inputs):
        for item in inputs:
            TENSOR("HookBackward", input=item)
        outputs = HookGate(self.hook_fn).through(inputs)
        outputs = tuple([wrap(t._lift()) for t in inputs]) if outputs is None else outputs[0]
        return outputs[0] if len(outputs) == 1 else outputs


class HookGate(Gate):
    """The gate of one call of a `HookBackward`."""

    who = "HookBackward"

    __slots__ = ("hook_fn",)

    def __init__(self, hook_fn):
        self.hook_fn = hook_fn

    def answer(self, out, cotangents):
        """Return the hook's gradients for `cotangents`, with zeros in place of None."""
        outs = out if out.__class__ is tuple else (out,)
        cotangents = tuple(
            [wrap(zeros_like(v)) if g is None else g for g, v in zip(cotangents, outs, strict=True)]
        )
        result = self.hook_fn(cotangents)
        if result is None:
            return cotangents
        return replaced("HookBackward", self.hook_fn, "input", avals_of(out), result)


@fitting
def linearize(fn, inputs) -> tuple:
    """`(fn(*inputs), function)`, where the function maps tangents of the inputs to $J v$.

    `inputs`: a Tensor, or a tuple or list of them. The function takes the same, of the same shapes
    and dtypes, and does not evaluate `fn` again. It is fixed at the values that inputs and
    Parameters had at the call. See `jvp`.

    >>> y, push = ops.linearize(lambda x: x * x, Tensor([3.0]))
    >>> push(Tensor([10.0])).asnumpy()
    array([60.], dtype=float32)
    """
    inputs = arguments_of("linearize", "inputs", inputs)
    linear = Linearization("linearize", fn, inputs, tuple(range(len(inputs))))
    result = linear.taped.result

    def push(v):
        tangents = linear.push(tangents_of("linearize", inputs, v))
        return unflatten(result, map(wrap, tangents), lambda _: None)

    return result, push


def stop_gradient_(input):
    """Stop derivatives through `input` from here on, in place; returns `input`.

    >>> def f(x):
    ...     y = x * x
    ...     ops.stop_gradient_(y)
    ...     return x * y
    >>> grad(f)(Tensor([3.0])).asnumpy()
    array([9.], dtype=float32)
    """
    TENSOR("stop_gradient_", input=input)
    return input._rebind(autodiff.stop_gradient(input)._value)


FUNCTIONS.update(
    stop_gradient_=stop_gradient_,
    stop_gradient=autodiff.stop_gradient,
    grad=autodiff.grad,
    value_and_grad=autodiff.value_and_grad,
    get_grad=autodiff.get_grad,
    jacfwd=autodiff.jacfwd,
    jacrev=autodiff.jacrev,
    jvp=autodiff.jvp,
    linearize=linearize,
    vjp=autodiff.vjp,
    vmap=vmap,
)
PRIMITIVES.update(
    StopGradient=StopGradient, HookBackward=HookBackward, GradOperation=autodiff.GradOperation
)
