"""`mindspore.dataset.debug`: hooks that see the inputs and outputs of the operations of `map`.

`config.set_debug_mode(True, [hook])` adds hooks before the first operation and after each one of
the maps created from then on; a hook may also be one of a map's operations.
"""

import copy
from abc import ABC, abstractmethod

import numpy as np

from sporax._src.diagnosis.argument_kinds import LIST
from sporax._src.diagnosis.rules import require

_hooks = []


class DebugHook(ABC):
    """Base of hooks: `compute` is called with the tuple of columns.

    >>> from sporax.data import NumpySlicesDataset
    >>> from sporax.data.debug_hooks import PrintDataHook
    >>> data = NumpySlicesDataset([5], "x").map([lambda x: x + 1, PrintDataHook()])
    >>> for row in data.create_tuple_iterator(num_epochs=1):
    ...     pass
    Column 0. The data is [6].
    """

    is_first_op = None

    def __init__(self, prev_op_name=None):
        self.prev_op_name = prev_op_name

    def __call__(self, *columns):
        if self.prev_op_name:
            which = "INPUT" if self.is_first_op else "OUTPUT"
            print(f"[Dataset debugger] Print the [{which}] of the operation [{self.prev_op_name}].")
        self.compute(columns)
        return columns

    @abstractmethod
    def compute(self, *args):
        """Inspect the columns; the return value is ignored."""

    def set_previous_op_name(self, prev_op_name):
        """Set the name of the operation after which the hook is placed."""
        self.prev_op_name = prev_op_name

    def set_is_first(self, is_first_op):
        """Set whether the hook is placed before that operation."""
        self.is_first_op = is_first_op


class PrintDataHook(DebugHook):
    """Prints the columns."""

    def compute(self, *args):
        for number, column in enumerate(*args):
            print(f"Column {number}. The data is [{column}].")
        return args


class PrintMetaDataHook(DebugHook):
    """Prints the dtype and shape of each column."""

    def compute(self, *args):
        for number, column in enumerate(*args):
            column = np.asarray(column)
            print(f"Column {number}. The dtype is [{column.dtype}]. The shape is [{column.shape}].")
        return args


def set_hooks(hooks):
    """Set the hooks of the maps created from now on; [] for none."""
    LIST("set_debug_mode", debug_hook_list=hooks)
    for hook in hooks:
        is_one = isinstance(hook, DebugHook)
        require(is_one, "hold-debughooks", "set_debug_mode", debug_hook_list=hook)
    _hooks[:] = hooks


def with_hooks(operations):
    """Return the operations of a map, with the hooks before the first one and after each."""
    if not _hooks:
        return operations
    placed = _placed(operations[0], True)
    for operation in operations:
        placed += [operation, *_placed(operation, False)]
    return placed


def _placed(operation, is_first):
    hooks = [copy.copy(hook) for hook in _hooks]
    for hook in hooks:
        hook.set_previous_op_name(getattr(operation, "__name__", type(operation).__name__))
        hook.set_is_first(is_first)
    return hooks
