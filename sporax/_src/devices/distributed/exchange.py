"""Exchange of bytes between ranks, through the key-value store of JAX's coordinator."""

import jax

from sporax._src.core.jax_internals import coordinator
from sporax._src.devices.distributed import processes
from sporax._src.diagnosis.rules import rejection, require

_CHUNK = 1 << 20  # bytes; a message to the coordinator has at most 4 MB
_LOOK = 1000  # milliseconds after which a waiting rank looks for a reason


class Exchange:
    """Exchange of data between ranks, in rounds.

    `while_waiting` is called periodically, and raises if a rank will never arrive.
    """

    def __init__(self, ranks, channel="", while_waiting=lambda: None):
        self.ranks, self.while_waiting = tuple(ranks), while_waiting
        self.key = f"sporax/{'.'.join(map(str, self.ranks))}/{channel}"
        self.round = 0

    def __call__(self, data, who, sources=None):
        """Return the data of each rank, in order; of `sources`, if only these give any."""
        if len(self.ranks) == 1:
            return [data]
        joined = processes.World.launch is not None
        require(joined, "rank-simulated", who, ranks=list(self.ranks))
        number, self.round = self.round, self.round + 1
        own = processes.rank()
        coordinator().key_value_set(f"{self.key}/{number}/begun", "", allow_overwrite=True)
        sources = self.ranks if sources is None else sources
        if own in sources:
            self._put(f"{self.key}/{number}/{own}", data)
        if number >= 2:  # all have read that round, since all have begun the next one
            for name in (f"{own}/", "begun"):
                coordinator().key_value_delete(f"{self.key}/{number - 2}/{name}")
        results = [
            data if r == own else self._get(f"{self.key}/{number}/{r}", r, who) for r in sources
        ]
        if len(sources) < len(self.ranks):  # else ranks that only give could be rounds ahead
            self._wait(number, who)
        return results

    def has_begun(self, number):
        """Return True if a rank has begun round `number`."""
        try:
            coordinator().key_value_try_get(f"{self.key}/{number}/begun")
        except jax.errors.JaxRuntimeError as error:
            if "NOT_FOUND" not in str(error):
                raise
            return False
        return True

    def given(self, number):
        """Return the data that other ranks have given in round `number` so far."""
        store, own = coordinator(), processes.rank()
        keys = [f"{self.key}/{number}/{r}" for r in self.ranks if r != own]
        counts = {key: _number(store, f"{key}/parts", 1) for key in keys}
        return [self._joined(key, count) for key, count in counts.items() if count is not None]

    def answer(self, number, data, who):
        """Take part in round `number` while this rank does something else; returns like a call."""
        own = processes.rank()
        self._put(f"{self.key}/{number}/{own}", data)
        return [data if r == own else self._get(f"{self.key}/{number}/{r}", r, who)
                for r in self.ranks]  # fmt: skip

    def _wait(self, number, who):
        own = processes.rank()
        self._put(f"{self.key}/{number}/read{own}", b"")
        for r in self.ranks:
            if r != own:
                self._get(f"{self.key}/{number}/read{r}", r, who)

    def _put(self, key, data):
        store, chunks = coordinator(), range(0, max(len(data), 1), _CHUNK)
        for i, start in enumerate(chunks):
            store.key_value_set_bytes(f"{key}/{i}", data[start : start + _CHUNK])
        store.key_value_set(f"{key}/parts", str(len(chunks)))

    def _get(self, key, rank, who):
        store, left = coordinator(), processes.timeout() * 1000
        n_chunks = None
        while n_chunks is None and left > 0:
            n_chunks = _number(store, f"{key}/parts", min(left, _LOOK))
            if n_chunks is None:
                self.while_waiting()
            left -= _LOOK
        if n_chunks is None:
            fields = {"ranks": list(self.ranks), "rank": rank, "timeout": processes.timeout()}
            raise rejection("all-ranks-take-part", who, **fields)
        return self._joined(key, n_chunks)

    def _joined(self, key, n_chunks):
        return b"".join(
            coordinator().blocking_key_value_get_bytes(f"{key}/{i}", processes.timeout() * 1000)
            for i in range(n_chunks)
        )


def _number(store, key, milliseconds):
    """Return the number under a key; None if it does not arrive in time."""
    try:
        return int(store.blocking_key_value_get(key, milliseconds))
    except jax.errors.JaxRuntimeError as error:
        if "DEADLINE_EXCEEDED" not in str(error):
            raise
        return None
