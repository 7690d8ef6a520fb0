"""Gradients for each example of a batch."""

import jax.numpy as jnp

from sporax._src.core.tree import flatten, map_tensors, unflatten
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import record, wrap
from sporax._src.transforms.autodiff.lifted_function import LiftedFunction

_as_batch = Op("per_sample.expand", lambda x: x[None])
_as_example = Op("per_sample.squeeze", lambda x: jnp.squeeze(x, 0))


class PerSample:
    """A `Derivative` computed for each example separately, in one vectorized call.

    Every Tensor in the arguments that is not 0-d is sliced along its first axis, and the function
    receives batches of size 1. Results have the examples along their first axis.
    """

    def __init__(self, derivative):
        self.derivative, self.who = derivative, derivative.who

    def __call__(self, args, kwargs):
        every, treedef = flatten((args, kwargs))
        cut = [t for t in every if t.ndim]
        sizes = {t.shape[0] for t in cut}
        shapes = [t.shape for t in every]
        require(len(sizes) == 1, "per-sample-true-first-axes", name=self.who, shapes=shapes)
        outputs_treedef = None

        def run(inputs):
            nonlocal outputs_treedef
            remaining = iter(inputs)
            batches = [wrap(record(_as_batch, next(remaining))) if t.ndim else t for t in every]
            result, by_position, by_weight = self.derivative(*unflatten(treedef, batches))
            # gradients are of batches of size 1, as are most results
            by_position = map_tensors(lambda g: _squeezed(g, g.ndim), by_position)
            result = map_tensors(lambda t: _squeezed(t, t.ndim and t.shape[0] == 1), result)
            tensors, outputs_treedef = flatten((result, by_position, by_weight))
            return [t._lift() for t in tensors], [0] * len(tensors)

        outputs = LiftedFunction(self.who, sizes.pop())(
            run, [t._lift() for t in cut], [0] * len(cut)
        )
        return unflatten(outputs_treedef, map(wrap, outputs))


def _squeezed(tensor, is_batch):
    return wrap(record(_as_example, tensor._lift())) if is_batch else tensor
