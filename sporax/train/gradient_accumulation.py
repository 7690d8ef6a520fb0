"""Accumulate gradients over several batches before a weight update."""

from sporax._src.core.dtype import int32
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.transforms.control_flow.runtime import branch
from sporax.nn.cell import Cell
from sporax.ops import HyperMap, MultitypeFuncGraph, assign, assign_add, depend, partial, zeros_like

gradient_accumulation_op = MultitypeFuncGraph("gradient_accumulation_op")
gradient_clear_op = MultitypeFuncGraph("gradient_clear_op")


__all__ = ["GradientAccumulation", "gradient_accumulation_op", "gradient_clear_op"]


@gradient_accumulation_op.register("Int64", "Tensor", "Tensor")
def _add_share(steps, total, grad):
    assign_add(total, grad / steps)
    return total


@gradient_clear_op.register("Tensor")
def _clear(total):
    return assign(total, zeros_like(total))


class GradientAccumulation(Cell):
    r"""Calls `optimizer` once every `max_accumulation_step` calls, with their mean gradient.

    `cell(loss, grads)` adds $g / n$ to one accumulator per Parameter of the optimizer, starting at
    0, and returns `loss`. The n-th call updates the weights and clears the accumulators. Errors are
    raised by the optimizer.

    >>> weight = Parameter(Tensor([1.0]), name="weight")
    >>> step = GradientAccumulation(2, nn.SGD([weight], learning_rate=1.0))
    >>> for gradient in (0.5, 0.25):
    ...     _ = step(Tensor(0.0), (Tensor([gradient]),))
    >>> weight.asnumpy()
    array([0.625], dtype=float32)
    """

    def __init__(self, max_accumulation_step, optimizer):
        super().__init__()
        self._max_accumulation_step = max_accumulation_step
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.hyper_map = HyperMap()
        self._grad_accumulation = self.weights.clone(prefix="grad_accumulation", init="zeros")
        self._accumulation_step = Parameter(Tensor(0, dtype=int32), name="accumulation_step")

    def construct(self, loss, grads):
        add = partial(gradient_accumulation_op, self._max_accumulation_step)
        loss = depend(loss, self.hyper_map(add, self._grad_accumulation, grads))
        self._accumulation_step += 1
        is_due = self._accumulation_step >= self._max_accumulation_step
        branch(is_due, self._update, lambda: None, ())
        return loss

    def _update(self):
        self.optimizer(self._grad_accumulation)
        self.hyper_map(gradient_clear_op, self._grad_accumulation)
        assign(self._accumulation_step, 0)
