"""Tensors that are made in a worker process: arrays until the main process has them.

XLA's threads do not survive a fork, so that a forked worker must not put anything onto a device.
"""

import numpy as np

from sporax.core.tensor import Tensor

is_worker = False  # set in the processes of a DataLoader


class TensorToBe(np.ndarray):
    """An array that is a Tensor when it is unpickled."""

    def __reduce__(self):
        return Tensor, (np.asarray(self),)


def as_tensor(array):
    """A Tensor of an array; in a worker, the array until the main process has it."""
    return np.asarray(array).view(TensorToBe) if is_worker else Tensor(array)
