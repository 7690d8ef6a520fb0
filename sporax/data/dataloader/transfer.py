"""Tensors created in a worker process, which are arrays until they reach the main process.

XLA's threads do not survive a fork, so that a forked worker must not transfer data to a device.
"""

import numpy as np

from sporax._src.core.tensor import Tensor

is_worker = False  # set in the processes of a DataLoader


class TensorToBe(np.ndarray):
    """An array that is unpickled as a Tensor."""

    def __reduce__(self):
        return Tensor, (np.asarray(self),)


def as_tensor(array):
    """Return a Tensor of an array; in a worker, an array that is unpickled as a Tensor."""
    return np.asarray(array).view(TensorToBe) if is_worker else Tensor(array)
