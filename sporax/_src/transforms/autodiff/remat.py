"""`recompute`: less memory in a training step, for more computation."""

from typing import Any

from sporax._src.core.tree import flatten, unflatten
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.engine.recorder import wrap
from sporax._src.transforms.autodiff.lifted_function import LiftedFunction
from sporax._src.transforms.autodiff.remat_op import RematLiftedOp
from sporax._src.transforms.autodiff.tape import active_tape


def recompute(
    block, *args, use_reentrant=True, output_recompute=False, early_stop=True, context_fn=None,
    **kwargs,
) -> Any:  # fmt: skip
    """Call `block(*args, **kwargs)`; the backward pass recomputes its intermediate values.

    `block`: a Cell or a function. Only its inputs are kept. Both passes draw the same random
    numbers, and what the block writes (moving statistics) is written once. A concrete value that
    the block needs (`if`, `float`) is computed at that point; in a captured function, and within
    `vmap`, only a condition may need one, else RuntimeError is raised.

    `use_reentrant`, `output_recompute` and `early_stop` are accepted as in MindSpore and ignored:
    there is one way to recompute, derivatives of any order are supported, and the block's outputs
    are kept. `context_fn` is not supported: Python code runs once.

    >>> grad(lambda x: recompute(nn.ReLU(), x * x))(Tensor([3.0])).asnumpy()
    array([6.], dtype=float32)
    """
    require(callable(block), "must-be-type", "recompute", block=block, kind="a-function-or-cell")
    check_context("recompute", use_reentrant and not output_recompute, context_fn)
    name = getattr(block, "__name__", type(block).__name__)
    return recomputed(f"recompute of {name}", block, args, kwargs)


def check_context(who, use_reentrant, context_fn):
    """Raise ValueError or NotImplementedError for a `context_fn`."""
    if context_fn is not None:
        require(not use_reentrant, "none-use-reentrant-true", who, context_fn=context_fn)
        raise rejection("not-supported-function-s", who, argument="context_fn")


def recomputed(who, function, args, kwargs):
    """Call `function(*args, **kwargs)`; the backward pass recomputes its intermediate values."""
    if active_tape() is None:
        return function(*args, **kwargs)
    treedef = None

    def run(inputs):
        nonlocal treedef
        results, treedef = flatten(function(*args, **kwargs))
        return [t._lift() for t in results], [None] * len(results)

    outputs = LiftedFunction(who, kind=RematLiftedOp)(run)
    return unflatten(treedef, map(wrap, outputs))
