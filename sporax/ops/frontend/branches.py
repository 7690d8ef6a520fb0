"""Choices among values and functions, as operations where the choice is a traced Tensor."""

import functools
from typing import Any

from sporax.control_flow.cond import is_traced
from sporax.control_flow.runtime import branch
from sporax.core.tensor import Tensor
from sporax.ops.declare import composite


@composite()
def switch(cond, true_branch, false_branch) -> Any:
    """`true_branch` if `cond` holds, else `false_branch`; functions: the chosen one.

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
    """The function or Cell number `index` of `layers`; a negative one counts from the end.

    `index`: an int or a Tensor. Where a function is captured, the choice is an operation.

    >>> ops.switch_layer(1, (nn.ReLU(), nn.Tanh()))
    Tanh()
    """
    layers = tuple(layers)
    if is_traced(index):
        return functools.partial(_of_layers, index, layers)
    number = int(index)
    if not -len(layers) <= number < len(layers):
        raise IndexError(
            f"For 'switch_layer', 'index' must be in [{-len(layers)}, {len(layers)}), but got "
            f"{number}."
        )
    return layers[number]


def _of_layers(index, layers, *args):
    """The layer number `index` (a traced Tensor) of `args`: a condition for each but the last."""

    def of(first):
        if first == len(layers) - 1:
            return layers[first](*args)
        is_this = (index == first) | (index == first - len(layers))
        return branch(is_this, lambda: layers[first](*args), lambda: of(first + 1), ())

    return of(0)


@composite(primitive="GeSwitch()(data, pred)")
def geswitch(data, pred) -> tuple:
    """`(data, None)` where `pred` does not hold, `(None, data)` where it does; see `merge`.

    >>> ops.geswitch(3, True)
    (None, 3)
    """
    return (None, data) if pred else (data, None)


@composite(primitive="Merge()(inputs)")
def merge(inputs) -> tuple:
    """The first of `inputs` that is not None, and its number, a Tensor of Int32.

    >>> ops.merge(ops.geswitch(3, True))[0]
    3
    """
    for i, item in enumerate(inputs):
        if item is not None:
            return item, Tensor(i, "int32")
    raise ValueError("For 'merge', 'inputs' must have an item that is not None, but has none.")
