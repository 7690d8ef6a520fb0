"""`Metric`: the base class of metrics."""

import functools
from typing import TypeVar

import numpy as np

from sporax._src.core.signature_errors import Fitting
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection, require

_State = TypeVar("_State")


def rearrange_inputs(func):
    """Decorator of a metric's `update` that selects the inputs chosen by `set_indexes`."""

    @functools.wraps(func)
    def chosen(self, *inputs):
        indexes = self.indexes
        return func(self, *(inputs if not indexes else [inputs[i] for i in indexes]))

    return chosen


class Metric(Fitting):
    """Base class of metrics: a subclass defines `clear`, `update(*inputs)` and `eval`.

    Calling it clears the state, updates it with the inputs and returns the result.

    >>> from sporax.train import MAE
    >>> MAE()(Tensor([1.0, 2.0]), Tensor([0.0, 0.0]))
    1.5
    """

    _indexes = None

    def __init__(self):
        self._indexes = None

    def _convert_data(self, data):
        """Convert a Tensor, list or array to an array."""
        if isinstance(data, Tensor):
            return data.asnumpy()
        if not isinstance(data, (list, np.ndarray)):
            raise rejection("inputs-tensors-lists-arrays", type(self).__name__, got=data)
        return np.asarray(data)

    def _two(self, inputs):
        """Return predictions and labels as arrays."""
        self._check_number(inputs, 2, "predictions and labels")
        return [self._convert_data(data) for data in inputs]

    def _check_number(self, inputs, number, words):
        if len(inputs) != number:
            raise rejection("update-takes", type(self).__name__, words=words, got=len(inputs))

    def _require_samples(self, is_empty):
        if is_empty:
            raise rejection("samples-before-eval", type(self).__name__)

    def _sampled(self, state: _State | None) -> _State:
        """Return what `update` stored; raises RuntimeError before the first one."""
        if state is None:
            raise rejection("samples-before-eval", type(self).__name__)
        return state

    @property
    def indexes(self):
        """Indices of the inputs of `update`; None for all."""
        return self._indexes

    def set_indexes(self, indexes):
        """Select the inputs of `update` by index, in this order; returns the metric."""
        fits = isinstance(indexes, list) and all(isinstance(i, int) for i in indexes)
        require(fits, "list-ints", "set_indexes", indexes=indexes, error=ValueError)
        self._indexes = indexes
        return self

    def __call__(self, *inputs):
        self.clear()
        self.update(*inputs)
        return self.eval()

    def clear(self):
        """Reset the accumulated state."""
        raise _undefined(self, "clear")

    def update(self, *inputs):
        """Accumulate one batch."""
        raise _undefined(self, "update")

    def eval(self):
        """Return the value of the metric."""
        raise _undefined(self, "eval")


def _undefined(metric, name):
    return rejection("method-defined", type(metric).__name__, other=name)


def classes_of(labels, predictions):
    """Convert labels to class indices: one-hot rows with the dimensions of the predictions are
    reduced by argmax."""
    if predictions.ndim != labels.ndim or labels.ndim < 2:
        return labels
    is_binary = np.isin(labels, (0, 1)).all()
    return labels.argmax(axis=1) if is_binary and (labels.sum(axis=1) == 1).all() else labels
