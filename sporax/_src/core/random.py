"""The global seed, the generators that random operations advance, and NumPy's generator for initial
values."""

import os
import weakref
from collections.abc import Callable
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np

from sporax._src.core.from_host import plain
from sporax._src.core.interruptions import uninterrupted
from sporax._src.core.tensor import Tensor, concrete
from sporax._src.core.value import updating
from sporax._src.diagnosis.argument_kinds import COUNT, INT, within
from sporax._src.diagnosis.rules import rejection

_BITS = (1 << 64) - 1
_SEED = within(-(1 << 63), _BITS, INT)
_generators = weakref.WeakSet()  # all generators


class Generator:
    """A source of random numbers with its own state, for `generator=` arguments.

    A new one starts from seed 0. The state is a Tensor that operations read and advance, so it is
    part of a captured function's state; `get_state` and `set_state` work there too.

    >>> g = Generator().manual_seed(5)
    >>> state, x = g.get_state(), mint.rand(3, generator=g)
    >>> g.set_state(state)
    >>> bool((mint.rand(3, generator=g) == x).all())
    True
    >>> g.initial_seed()
    5
    """

    # (global seed) -> the seed of the state, initially and after `set_seed`; None: 0, whatever the
    # global seed is
    _seed_from: Callable | None = None

    def __init__(self):
        self._state = None
        _generators.add(self)

    @classmethod
    def _following(cls, seed_from):
        """Return a generator that follows `set_seed`."""
        generator = cls()
        generator._seed_from = seed_from
        return generator

    def _initial_seed(self):
        return 0 if self._seed_from is None else self._seed_from(_Seed.value) & _BITS

    @property
    def state(self):
        """The Tensor that operations advance: UInt32 (key, key, count)."""
        if self._state is None:
            # not by `Tensor(...)`: a function being captured would treat it as a constant
            self._state = concrete(jnp.asarray(_words(self._initial_seed())))
        return self._state

    def manual_seed(self, seed):
        """Restart from `seed`, an int of at most 64 bits; returns the generator."""
        seed = _SEED.checked("manual_seed", "seed", plain(seed))
        self._rebind(Tensor(_words(seed)))
        return self

    def seed(self):
        """Restart from a seed drawn from the operating system; returns it."""
        seed = int.from_bytes(os.urandom(4), "little")
        self.manual_seed(seed)
        return seed

    def initial_seed(self):
        """Return the seed that the generator last started from."""
        high, low, _ = map(int, self.state.asnumpy())
        seed = high << 32 | low
        return seed - (seed >> 63 << 64)

    def get_state(self):
        """Return the state as a Tensor, for `set_state`."""
        state = object.__new__(Tensor)
        state._value = self.state._lift()
        return state

    def set_state(self, state):
        """Continue from a state returned by `get_state`."""
        mine = self.state
        if not isinstance(state, Tensor) or (state.shape, state.dtype) != (mine.shape, mine.dtype):
            raise rejection("tensor-get-state-uint32-3", "set_state", state=state)
        self._rebind(state)

    @uninterrupted
    def _rebind(self, state):
        with updating:
            self.state._rebind(state._lift())


def is_random_state(handle):
    """Return True if a Tensor is the state of a generator."""
    return handle is not None and any(g._state is handle for g in _generators)


def _words(seed):
    seed &= _BITS
    return np.array([seed >> 32, seed & 0xFFFFFFFF, 0], np.uint32)


class _Seed:
    """The last seed passed to `set_seed`; None before."""

    value: int | None = None
    own_draws = 0  # draws by sporax itself from NumPy's global generator
    followers: ClassVar[list[Any]] = []  # functions called with a new seed


def _seed_or_draw(seed):
    """Return the seed; for None, a number from NumPy's global generator, as scripts that only call
    `numpy.random.seed` expect."""
    return int(draw_on_host(np.random.randint, 2**31)) if seed is None else seed


def draw_on_host(draw, *args, **options):
    """Call a function of `numpy.random`, counted as a draw by sporax itself."""
    _Seed.own_draws += 1
    return draw(*args, **options)


def own_draws():
    """Return the number of draws by sporax itself from NumPy's global generator."""
    return _Seed.own_draws


default_generator = Generator._following(_seed_or_draw)


def states():
    """Return the states (Tensors) of all generators that have been used."""
    return [g._state for g in _generators if g._state is not None]


def host_seed():
    """Draw a seed for randomness on the host, such as initial values, from NumPy's global
    generator, which `set_seed` and `numpy.random.seed` seed."""
    return int(draw_on_host(np.random.randint, 1, 2**63, dtype=np.int64))


def set_seed(seed):
    """Seed all randomness: initial values, operations, and NumPy's global generator.

    `seed`: an int, at least 0.

    >>> ms.set_seed(3)
    >>> a = ops.rand(2)
    >>> ms.set_seed(3)
    >>> (a == ops.rand(2)).asnumpy()
    array([ True,  True])
    """
    number: Any = COUNT.checked("set_seed", "seed", plain(seed))
    _Seed.value = number
    np.random.seed(number % 2**32)
    for follower in _Seed.followers:
        follower(number)
    for generator in list(_generators):
        if generator._state is not None and generator._seed_from is not None:
            generator.manual_seed(generator._initial_seed())


def get_seed():
    """Return the last seed, or None.

    >>> ms.set_seed(3)
    >>> ms.get_seed()
    3
    """
    return _Seed.value


def seed():
    """Seed the default generator from the operating system; returns the seed.

    >>> ms.seed() != ms.seed()
    True
    """
    return default_generator.seed()


def manual_seed(seed):
    """Seed the default generator, used by all operations without their own seed or generator.

    Initial values follow `set_seed`. Returns the generator.

    >>> generator = ms.manual_seed(3)
    >>> ms.initial_seed()
    3
    """
    return default_generator.manual_seed(seed)


def initial_seed():
    """Return the seed that the default generator last started from.

    >>> generator = ms.manual_seed(3)
    >>> ms.initial_seed()
    3
    """
    return default_generator.initial_seed()


def get_rng_state():
    """Return the default generator's state, a Tensor.

    >>> state = ms.get_rng_state()
    >>> a = ops.rand(2)
    >>> ms.set_rng_state(state)
    >>> (a == ops.rand(2)).asnumpy()
    array([ True,  True])
    """
    return default_generator.get_state()


def set_rng_state(state):
    """Set the default generator to a state returned by `get_rng_state`.

    >>> state = ms.get_rng_state()
    >>> ms.set_rng_state(state)
    """
    default_generator.set_state(state)
