"""The seed, the state that random operations draw from, and the generator of initial values."""

import jax.numpy as jnp
import numpy as np

from sporax.core.tensor import concrete


class RandomState:
    """Where random numbers come from.

    `seed`: as given to `set_seed`, or None. `device`: a UInt32 Tensor (key, key, count) that each
    random operation reads and advances, so that it is part of a captured function's state. An
    operation that is given a seed of its own has a state for it.
    """

    def __init__(self):
        self.seed, self._host = None, None
        self._states = {}  # an operation's own seed, or None -> its state

    def reset(self, seed):
        """Begin again from `seed`."""
        self.seed = seed
        self._host = None
        for own, state in self._states.items():
            state._rebind(self._start(own)._value)

    def _entropy(self):
        """The seed; without one, a number from NumPy's global generator, as scripts that only call
        `numpy.random.seed` expect."""
        return np.random.randint(2**31) if self.seed is None else self.seed

    def _start(self, own):
        seed = self._entropy() if own is None else own ^ (self.seed or 0) * 0x9E3779B97F4A7C15
        # not made by `Tensor(...)`: a function being captured would take it for a constant
        key = [seed >> 32 & 0xFFFFFFFF, seed & 0xFFFFFFFF, 0]
        return concrete(jnp.asarray(np.array(key, np.uint32)))

    def on_device(self, own=None):
        """The state on the device for an operation's `own` seed, made at its first use."""
        state = self._states.get(own)
        if state is None:
            state = self._states[own] = self._start(own)
        return state

    @property
    def device(self):
        """The state of all operations that have no seed of their own."""
        return self.on_device()

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
