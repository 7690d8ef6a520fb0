"""Choices among values and functions, which are operations if the selector is a traced Tensor."""

import functools
from typing import Any

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.transforms.control_flow.cond import is_traced
from sporax._src.transforms.control_flow.runtime import branch
from sporax.ops.declare import composite


@composite()
def switch(cond, true_branch, false_branch) -> Any:
    """Return `true_branch` if `cond` is true, else `false_branch`; also for functions.

    >>> ops.switch(True, 1, 2)
    1
    """
    if not is_traced(cond):
        return true_branch if cond else false_branch
    if callable(true_branch) and callable(false_branch):

        def chosen(*args):
            return branch(cond, lambda: true_branch(*args), lambda: false_branch(*args), ())

        return chosen
    return branch(cond, lambda: true_branch, lambda: false_branch, ())


@composite()
def switch_layer(index, layers) -> Any:
    """Return the function or Cell `index` of `layers`; a negative index counts from the end.

    `index`: an int or a Tensor. In a captured function, the choice is an operation.

    >>> ops.switch_layer(1, (nn.ReLU(), nn.Tanh()))
    Tanh()
    """
    layers = tuple(layers)
    if is_traced(index):
        return functools.partial(_switch, index, layers)
    i, n = int(index), len(layers)
    require(
        -n <= i < n,
        "in-interval",
        "switch_layer",
        index=i,
        interval=f"[{-n}, {n})",
        error=IndexError,
    )
    return layers[i]


def _switch(index, layers, *args):
    """Call layer `index` (a traced Tensor) with `args`: a condition for each layer but the last."""

    def select(first):
        if first == len(layers) - 1:
            return layers[first](*args)
        is_this = (index == first) | (index == first - len(layers))
        return branch(is_this, lambda: layers[first](*args), lambda: select(first + 1), ())

    return select(0)


@composite(primitive="GeSwitch()(data, pred)")
def geswitch(data, pred) -> tuple:
    """Return `(data, None)` if `pred` is false, `(None, data)` if it is true; see `merge`.

    >>> ops.geswitch(3, True)
    (None, 3)
    """
    return (None, data) if pred else (data, None)


@composite(primitive="Merge()(inputs)")
def merge(inputs) -> tuple:
    """Return the first of `inputs` that is not None, and its index, an Int32 Tensor.

    >>> ops.merge(ops.geswitch(3, True))[0]
    3
    """
    for i, item in enumerate(inputs):
        if item is not None:
            return item, Tensor(i, "int32")
    raise rejection("item-not-none-none", "merge", argument="inputs")
