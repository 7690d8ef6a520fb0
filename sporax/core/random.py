"""The seed, the state that random operations draw from, and the generator of initial values."""

import numpy as np

from sporax.core.tensor import Tensor


class RandomState:
    """Where random numbers come from.

    `seed`: as given to `set_seed`, or None. `device`: a UInt32 Tensor (key, key, count) that each
    random operation reads and advances, so that it is part of a captured function's state.
    """

    def __init__(self):
        self.seed, self._device, self._host = None, None, None

    def reset(self, seed):
        """Begin again from `seed`."""
        self.seed = seed
        self._host = None
        if self._device is not None:
            self._device._rebind(self._start()._value)

    def _entropy(self):
        """The seed; without one, a number from NumPy's global generator, as scripts that only call
        `numpy.random.seed` expect."""
        return np.random.randint(2**31) if self.seed is None else self.seed

    def _start(self):
        seed = self._entropy()
        return Tensor(np.array([seed >> 32 & 0xFFFFFFFF, seed & 0xFFFFFFFF, 0], np.uint32))

    @property
    def device(self):
        """The state on the device, made at its first use."""
        if self._device is None:
            self._device = self._start()
        return self._device

    @property
    def host(self):
        """NumPy's generator for what is drawn on the host, such as initial values."""
        if self._host is None:
            self._host = np.random.default_rng(self._entropy())
        return self._host


state = RandomState()


def set_seed(seed):
    """Seed everything random: initial values, operations, and NumPy's global generator.

    `seed`: an int, at least 0.
    """
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise TypeError(f"For 'set_seed', 'seed' must be an int, but got {type(seed).__name__}.")
    if seed < 0:
        raise ValueError(f"For 'set_seed', 'seed' must be at least 0, but got {seed}.")
    state.reset(seed)
    np.random.seed(seed % 2**32)


def get_seed():
    """The seed set last, or None."""
    return state.seed
