"""A Mesh whose devices belong to several processes, the ranks of a launcher.

Each rank runs the same script, and records the same programs. Arrays on the Mesh are global: each
rank holds the parts on its own devices. Local data (Tensors made from NumPy, a batch, the scalars
in a program) must be the same on all ranks; otherwise they would wait for each other in different
programs, or continue with different values. So each rank logs its launches and their inputs, and
the ranks compare their logs before a launch with a new entry, every `_OFTEN` launches, and when
they leave the Mesh.
"""

import collections
import functools
import hashlib
import itertools
import json
from weakref import ref

import jax
import numpy as np
from jax.sharding import NamedSharding

from sporax._src.core.jax_internals import backends_are_initialized, coordinator, equations
from sporax._src.devices.distributed import groups, processes
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.engine.program import Program

_OFTEN = 64  # launches between two comparisons if nothing is new
_KNOWN = 1 << 16  # number of compared launches to remember
_NAMES = 4  # operations of a program that the log names


def spans_ranks(devices):
    """Return True if some of the devices belong to another process."""
    return any(d.process_index != jax.process_index() for d in devices)


def start_devices(who):
    """Wait for all ranks, then start this rank's devices, whose start waits for the others."""
    if processes.World.launch is not None and not backends_are_initialized():
        groups.meet(who)


class RanksOfMesh(groups.Group):
    """The ranks that own a Mesh's devices, with this rank's log since the last comparison."""

    patience = 0.5  # seconds; `_answer` only ends a process whose log differs

    def __init__(self, ranks):
        super().__init__(ranks, "mesh")
        self.log: list[str] = []
        self.known: collections.OrderedDict = collections.OrderedDict()
        self.last_running = None  # the launch of this rank at the last `_look`

    @staticmethod
    @functools.cache
    def of_devices(devices):
        """Return the ranks that own these devices."""
        return RanksOfMesh(tuple(sorted({d.process_index for d in devices})))

    def settle(self, who):
        """Raise RuntimeError on all ranks unless their logs are the same."""
        if self.log:
            self.compare_now(who, json.dumps(self.log))
            self.log.clear()

    def agree(self, who, entries):
        """Log entries that must be equal on all ranks; new ones are compared at once."""
        self.log += entries
        self.launches += 1
        key = tuple(entries)
        if groups.CHECKS_ALL or key not in self.known or self.launches % _OFTEN == 0:
            self.settle(who)
        self.known[key] = None
        if len(self.known) > _KNOWN:
            self.known.popitem(last=False)

    def launch(self, who, entries, run):
        """Call `run()`, which launches a program on all ranks. `entries`: the log entries of the
        program and its inputs."""
        self.agree(who, entries)
        self.running = (who,)
        try:
            results = run()
            if jax.default_backend() == "cpu":  # errors are raised by waiting
                jax.block_until_ready(results)
            return results
        except (ValueError, jax.errors.JaxRuntimeError) as error:
            if "Gloo" not in str(error) and "endezvous" not in str(error):
                raise
            fields = {"timeout": processes.timeout(), "absent": self.absent(), "cause": error}
            raise rejection("all-run-same-programs", who, mesh=self, **fields) from None
        finally:
            self.running = None

    def _answer(self, number, program):
        own = [*self.log]
        if self.comparison.round > number:
            return  # the late rank has come, and the log may belong to the next round
        others = [json.loads(text) for text in self.comparison.given(number)]
        if any(other[: len(own)] != own for other in others):
            self._end_with(number, program, json.dumps(own))

    def _look(self, number):
        """End the process if ranks have been in different programs for some time."""
        running, before = self.running, self.last_running
        self.last_running = running
        if running is None or running is not before:
            return
        key, own = f"{self.messages.key}/log/{number}", [*self.log]
        if self.running is not running or self.comparison.round != number:
            return
        text = json.dumps(own)
        coordinator().key_value_set(f"{key}/{processes.rank()}", text, allow_overwrite=True)
        texts = [text] * self.size
        for name, other in coordinator().key_value_dir_get(key):
            texts[self.ranks.index(int(name.rpartition("/")[2]))] = other
        if any(a != b for log in map(json.loads, texts) for a, b in zip(log, own, strict=False)):
            self._end_saying(self._disagreement(running[0], texts))

    def _disagreement(self, who, texts):
        logs = [json.loads(text) for text in texts]
        i, rank = min((_first_difference(logs[0], log), k) for k, log in enumerate(logs) if k)
        one, two = (log[i] if i < len(log) else "nothing more" for log in (logs[0], logs[rank]))
        return (
            f"For '{who}', all ranks must compute the same with the same numbers, but rank "
            f"{self.ranks[0]} has {one} where rank {self.ranks[rank]} has {two}. Call 'set_seed', "
            "read the same data, and compute on all ranks what one of them reads or prints."
        )


def _first_difference(one, two):
    pairs = itertools.zip_longest(one, two)
    differs = [k for k, (a, b) in enumerate(pairs) if a != b]
    return differs[0] if differs else len(one) + len(two)


def digest_of(array):
    """Return a digest of a NumPy array's contents, for the log."""
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return hashlib.sha256(data).hexdigest()[:16]


def entry_of(what, array):
    """Return the log entry of an array that is local to this rank."""
    return f"{what} {array.dtype.name}{list(array.shape)} #{digest_of(array)}"


def global_array(data, sharding):
    """Convert a NumPy array that all ranks have to a global array."""
    return jax.make_array_from_callback(data.shape, sharding, lambda index: data[index])


def placed(mesh, array, sharding):
    """Convert an array that each rank has, or a global one, to a global array of a sharding."""
    if array.is_fully_addressable:
        data = np.asarray(array)
        mesh.ranks.log.append(entry_of("a Tensor", data))
        return global_array(data, sharding)
    specs = " to ".join(f"{s.spec} on {dict(s.mesh.shape)}" for s in (array.sharding, sharding))
    entry = f"{array.dtype.name}{list(array.shape)} moved from {specs}"
    return mesh.ranks.launch(str(mesh), [entry], lambda: _moved(sharding)(array))


def ordered(mesh, tensors):
    """Sort Tensors found by the garbage collector in an order that is the same on all ranks."""

    def key(tensor):
        array = tensor._value.read()
        where = "" if array.is_fully_addressable else str(array.sharding)
        return str(getattr(tensor, "name", "")), where, array.shape, str(array.dtype)

    result = []
    for (name, where, *_), same in itertools.groupby(sorted(tensors, key=key), key):
        same = [*same]
        if len(same) > 1 and not where:
            same.sort(key=lambda tensor: digest_of(tensor.asnumpy()))
        elif len(same) > 1 and not same[0]._value.read().is_fully_replicated:
            n = len(same)
            raise rejection("parameters-divided-among-ranks", mesh, count=n, name=name)
        result += same
    return result


@functools.cache
def _moved(sharding):
    return jax.jit(lambda x: x, out_shardings=sharding)


def of_first_rank(mesh, array):
    """Broadcast a NumPy array from the first rank to all ranks."""
    ranks = mesh.ranks
    (data,) = ranks.exchange(array.tobytes(), str(mesh), sources=ranks.ranks[:1])
    return np.frombuffer(data, array.dtype).reshape(array.shape)


def batch(mesh, data, shards):
    """Return a batch as a global array; `data`: the whole batch, or each rank's part of it."""
    if shards == 1:
        mesh.ranks.log.append(entry_of("a batch", data))
        return global_array(data, mesh.of_batch(data.shape).sharding)
    ranks = mesh.ranks
    require(shards == ranks.size, "batch-all-ranks-one", mesh, size=ranks.size, shards=shards)
    ranks.agree(str(mesh), [f"a batch's part {data.dtype.name}{list(data.shape)}"])
    first, *others = data.shape or (0,)
    shape = first * shards, *others
    sharding = mesh.of_batch(shape).sharding
    rows = {index[0].indices(shape[0])[:2] if index else ()
            for index in sharding.addressable_devices_indices_map(shape).values()}  # fmt: skip
    own = range(ranks.rank * first, (ranks.rank + 1) * first)
    is_own = first and sorted(i for begin_end in rows for i in range(*begin_end)) == [*own]
    require(is_own, "rank-s-part-batch", mesh, got=first)
    return jax.make_array_from_process_local_data(sharding, data, shape)


_global_of = {}  # (id, sharding) -> (weak reference to a local array, global array, log entry)


def _of_own(array, sharding):
    """Return (global array, log entry) of a local array, cached while the local array lives."""
    entry = _global_of.get((id(array), sharding))
    if entry is None or entry[0]() is not array:
        data, key = np.asarray(array), (id(array), sharding)
        alive = ref(array, lambda _: _global_of.pop(key, None))
        entry = alive, global_array(data, sharding), entry_of("a Tensor", data)
        _global_of[key] = entry
    return entry[1:]


class ProgramOfRanks(Program):
    """A program that all ranks run together; without global arrays it is local to each rank."""

    __slots__ = ("entries", "mesh", "names")

    def __init__(self, mesh, function, avals, alive, dead):
        super().__init__(function, avals, alive, dead)
        self.mesh, self.entries = mesh, {}  # shardings of inputs -> the log entry, or None
        names = dict.fromkeys([op.name for op, _, refs in function.steps if refs is not None])
        shown = ", ".join([*names][:_NAMES])
        self.names = f"a program of {shown}{' ...' if len(names) > _NAMES else ''}"

    def __call__(self, arrays, reals, integers, results):
        placed = tuple([x.sharding for x in arrays])
        if placed not in self.entries:
            self.entries[placed] = self._entry(arrays, reals, integers)
        entry = self.entries[placed]
        if entry is None:
            super().__call__(arrays, reals, integers, results)
            return
        entries, arrays = [entry], list(arrays)
        if reals or integers:
            entries.append(f"the numbers {[v.array for v in (*reals, *integers)]}")
        for k, x in enumerate(arrays):
            if x.is_fully_addressable:
                arrays[k], of_own = _of_own(x, self.mesh.whole)
                entries.append(of_own)
        run, who = super().__call__, str(self.mesh)

        def launch():
            run(arrays, reals, integers, results)
            return results

        self.mesh.ranks.launch(who, entries, launch)

    def _entry(self, arrays, reals, integers):
        """Return the log entry for such inputs; None if nothing is on several ranks."""
        specs = [
            jax.ShapeDtypeStruct(
                x.shape, x.dtype, sharding=self.mesh.whole if x.is_fully_addressable else x.sharding
            )
            for x in arrays
        ]
        numbers = [jax.ShapeDtypeStruct((len(v),), kind) if v else ()
                   for v, kind in ((reals, np.float64), (integers, np.int64))]  # fmt: skip
        inputs = ([specs[k] for k in indices] for indices in (self.donated, self.kept))
        traced = self.compiled.trace(*numbers, *inputs)
        if all(x.is_fully_addressable for x in arrays) and not _is_placed(traced.jaxpr.jaxpr):
            return None
        text = traced.lower().as_text()
        return f"{self.names} #{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _is_placed(jaxpr):
    """Return True if something is placed on devices of several ranks."""
    placements = (equation.params.get("sharding") for equation in equations(jaxpr))
    return any(isinstance(s, NamedSharding) and spans_ranks(s.device_set) for s in placements)
