"""Callbacks of `Dataset.map`.

Rows are computed lazily, in the thread that requests them: `ds_step_end` comes after its row and
before the next row's `ds_step_begin`.
"""

from types import SimpleNamespace

from sporax._src.diagnosis.argument_kinds import instance_of
from sporax._src.diagnosis.rules import rejection
from sporax.data import argument_checks as check

EVENTS = "begin", "epoch_begin", "epoch_end", "step_begin", "step_end"


class DSCallback:
    """Base of callbacks of `Dataset.map(..., callbacks=...)`: a subclass defines some of
    `ds_begin`, `ds_epoch_begin`, `ds_epoch_end`, `ds_step_begin` and `ds_step_end`.

    Each receives an object with `cur_epoch_num`, `cur_step_num_in_epoch` and `cur_step_num`; a step
    is a row. `step_size`: the step methods are called for every `step_size`-th row, starting with
    the first. An exception in a method ends the iteration.

    >>> from sporax.data import NumpySlicesDataset
    >>> class Steps(DSCallback):
    ...     def ds_step_begin(self, ds_run_context):
    ...         print(ds_run_context.cur_epoch_num, ds_run_context.cur_step_num)
    >>> data = NumpySlicesDataset([5, 6, 7], "x").map(lambda x: x, "x", callbacks=Steps(2))
    >>> for row in data.create_tuple_iterator(num_epochs=1):
    ...     pass
    1 1
    1 3
    """

    to_define = tuple(f"ds_{event}" for event in EVENTS)

    def __init__(self, step_size=1):
        self.step_size = check.COUNT.checked(type(self).__name__, "step_size", step_size)


def _nothing(event):
    def method(self, ds_run_context):
        pass

    method.__name__, method.is_default = f"ds_{event}", True
    method.__doc__ = f"Called at `{event}`; does nothing by default."
    return method


for _event in EVENTS:
    setattr(DSCallback, f"ds_{_event}", _nothing(_event))


def check_defined(callback):
    """Raise AttributeError if a callback defines none of the methods."""
    cls = type(callback)
    if all(getattr(getattr(cls, name), "is_default", False) for name in cls.to_define):
        raise rejection("one-methods-defined-none", cls.__name__, names=", ".join(cls.to_define))


def following(epoch, callbacks):
    """Add callbacks to `epoch`, which returns an iterator over functions that compute the rows."""
    context = SimpleNamespace(cur_epoch_num=0, cur_step_num_in_epoch=0, cur_step_num=0)

    def tell(event, everyone=True):
        for callback in callbacks:
            if everyone or (context.cur_step_num_in_epoch - 1) % callback.step_size == 0:
                getattr(callback, f"ds_{event}")(context)

    def one():
        if not context.cur_epoch_num:
            tell("begin")
        context.cur_epoch_num, context.cur_step_num_in_epoch = context.cur_epoch_num + 1, 0
        tell("epoch_begin")
        for make_row in epoch():
            context.cur_step_num_in_epoch += 1
            context.cur_step_num += 1
            tell("step_begin", everyone=False)
            row = make_row()
            tell("step_end", everyone=False)
            yield row
        tell("epoch_end")

    return one


def listed_callbacks(callbacks):
    """Return the argument `callbacks` of `map` as a list."""
    if callbacks is None:
        return []
    listed = callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]
    for callback in listed:
        check_defined(instance_of(DSCallback).checked("map", "callbacks", callback))
    return list(listed)


__all__ = ["DSCallback"]
