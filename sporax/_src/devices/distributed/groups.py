"""`Group`: ranks that communicate, and the names that scripts give to groups."""

import atexit
import os
import sys
import threading
import time
import urllib.parse
from typing import Any

import jax
import numpy as np

from sporax._src.core.environment import choice
from sporax._src.core.hooks import hooks
from sporax._src.core.jax_internals import axis_environment, coordinator
from sporax._src.devices.distributed import processes
from sporax._src.devices.distributed.collective_program import CollectiveProgram, CollectiveSequence
from sporax._src.devices.distributed.exchange import Exchange
from sporax._src.devices.distributed.rank_function import PREFIX
from sporax._src.diagnosis.rules import message, rejection, require
from sporax._src.runtime.engine.recorder import run_pending

CHECKS_ALL = choice("SPORAX_CHECK_RANKS", "0", "1") == "1"
_AGAIN = 0.1  # seconds between two checks for a missing rank
_POLL = 1  # seconds
_NOTICE = 1.5  # seconds in which all ranks notice and report a failure
_groups: dict[Any, Any] = {}  # (ranks, channel) -> Group
_joined: dict[Any, Any] = {}  # set of Groups -> their Groups


class Group:
    """Ranks, in order; equal groups are the same object. `channel`: distinguishes independent
    communication of the same ranks, such as sending in the two directions."""

    patience = 15.0  # seconds in a collective before this rank answers a comparison

    def __init__(self, ranks, channel):
        self.ranks, self.size = ranks, len(ranks)
        self.axis_name = f"{PREFIX}{'.'.join(map(str, ranks))}/{channel}"
        self.messages = Exchange(ranks, channel, self._check_names)
        self.comparison = Exchange(ranks, f"{channel}/collectives", self._check_names)
        self.running: Any = None  # (the current program of this rank,), a new tuple per launch
        self.launches = 0  # number of programs that this rank has run with the group
        self.seen = set()  # the lists of collectives that the ranks have compared
        self.is_watched = False  # by a thread, see `_watch`
        self._mesh: Any = None

    @staticmethod
    def intern(ranks, channel=""):
        """Return the group of these ranks."""
        key = tuple(ranks), channel
        if key not in _groups:
            _groups[key] = Group(*key)
        return _groups[key]

    def __repr__(self):
        return f"ranks {list(self.ranks)}"

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return Group.intern, (self.ranks,)

    @property
    def rank(self):
        """This process's rank in the group; None if it is not a member."""
        own = processes.rank()
        return self.ranks.index(own) if own in self.ranks else None

    @property
    def mesh(self):
        """The mesh of one device of each rank, along the group's axis."""
        if self._mesh is None:
            joined = self.size == 1 or processes.World.launch is not None
            require(joined, "rank-simulated", ranks=list(self.ranks))
            first = {d.process_index: d for d in reversed(_devices())}
            self._mesh = jax.sharding.Mesh(
                np.array([first[r] for r in self.ranks]), (self.axis_name,)
            )
        return self._mesh

    def axis(self):
        """Return a context in which functions that use the axis of ranks can be traced."""
        return axis_environment({self.axis_name: self.size})

    @property
    def groups(self):
        """The groups of its programs' collectives: this one."""
        return (self,)

    def joined(self, other):
        """Return the `Group` or `Groups` of a trace with collectives of `other` and this group."""
        return self if other in (None, self) else Groups.intern({*self.groups, *other.groups})

    def program(self, *args):
        """Return the program of a trace that has collectives of this group."""
        return CollectiveProgram(self, *args)

    def exchange(self, data, who, sources=None):
        """Return the bytes that each rank gives, in order; of `sources`, if only these give any."""
        if hooks.spans_ranks:
            run_pending()  # others may run theirs now, and would wait for this rank
        return self.messages(data, who, sources)

    def compare(self, who, text):
        """Raise RuntimeError on all ranks if some call other collectives than `text`; a text that
        has been compared is not compared again."""
        if text not in self.seen or CHECKS_ALL:
            self.compare_now(who, text)
            self.seen.add(text)

    def compare_now(self, who, text):
        """Raise RuntimeError on all ranks if they give different texts."""
        texts = self.comparison(text.encode(), who)
        if len(set(texts)) > 1:
            if processes.rank() == 0:  # the coordinator ends with it, which ends the others
                time.sleep(_NOTICE)
            raise RuntimeError(self._disagreement(who, texts))
        if not self.is_watched:
            self.is_watched = True
            _watching.start(self)

    def absent(self):
        """Return the ranks that did not take part in the launch that has failed here, in words."""
        key = f"{self.messages.key}/failed/{self.launches}"
        try:
            coordinator().key_value_set(f"{key}/{processes.rank()}", "")
            time.sleep(_NOTICE)  # the others note the failure, too
            came = {name.rpartition("/")[2] for name, _ in coordinator().key_value_dir_get(key)}
        except jax.errors.JaxRuntimeError:  # rank 0 has ended, and the coordinator with it
            return message("rank-numbers", ranks=[0])
        late = [r for r in self.ranks if str(r) not in came]
        return message("rank-numbers", ranks=late) if late else message("one-of-them")

    def _check_names(self):
        """Raise ValueError if others gave other ranks under a name of this group."""
        for name, group in list(_named.items()):
            if group is self:
                _check_members(name)

    def _disagreement(self, who, texts):
        called = [message("rank-calls", rank=r, text=t.decode())
                  for r, t in zip(self.ranks, texts, strict=True)]  # fmt: skip
        return message("ranks-disagree", who, called=called)

    def _watch(self):
        """Answer for this rank when others compare new collectives while it waits for them in a
        collective compared earlier: report this and exit, since nothing else can."""
        while not _watching.ended.wait(_POLL):
            number = self.comparison.round
            try:
                if not self.comparison.has_begun(number):
                    self._look(number)
                    continue
            except jax.errors.JaxRuntimeError:
                return  # the coordinator has ended
            running, since = self.running, time.monotonic()
            while self.comparison.round <= number and self.running is running:
                if running is None or _watching.ended.wait(_AGAIN):
                    break
                is_late = time.monotonic() - since > self.patience
                if is_late and self.comparison.round <= number and self.running is running:
                    self._answer(number, running[0])

    def _look(self, number):
        """Called periodically while no rank compares."""

    def _answer(self, number, program):
        self._end_with(number, program.who, program.text)

    def _end_with(self, number, who, text):
        self._end_saying(
            self._disagreement(who, self.comparison.answer(number, text.encode(), who))
        )

    def _end_saying(self, message):
        print(f"RuntimeError: {message}", file=sys.stderr)
        sys.stderr.flush()
        time.sleep(_NOTICE)  # the others notice it
        os._exit(1)


class Groups:
    """Several groups whose collectives are in one trace."""

    def __init__(self, groups):
        self.groups = tuple(groups)
        self.of_axis = {group.axis_name: group for group in groups}

    @staticmethod
    def intern(groups):
        """Return these groups; equal sets are the same object."""
        key = frozenset(groups)
        if key not in _joined:
            _joined[key] = Groups(sorted(key, key=lambda group: group.axis_name))
        return _joined[key]

    def axis(self):
        """Return a context in which functions that use the axes of these ranks can be traced."""
        return axis_environment({group.axis_name: group.size for group in self.groups})

    def program(self, *args):
        """Return the program of a trace that has collectives of these groups."""
        return CollectiveSequence(self, *args)

    joined = Group.joined


class _Watching:
    """The threads that watch groups; they end before Python exits, which would end them in JAX."""

    def __init__(self):
        self.ended, self.threads = threading.Event(), []

    def start(self, group):
        if not self.threads:
            atexit.register(self.end)
        self.threads.append(threading.Thread(target=group._watch, daemon=True))
        self.threads[-1].start()

    def end(self):
        self.ended.set()
        for thread in self.threads:
            thread.join()


_watching = _Watching()


def _devices():
    device: Any = jax.config.jax_default_device  # pyright: ignore[reportAttributeAccessIssue]
    return jax.devices() if device is None else jax.devices(device.platform)


def world():
    """Return the group of all ranks."""
    return Group.intern(range(processes.size()))


def meet(who):
    """Wait for all ranks and start the devices: the start of each waits for the others."""
    world().exchange(b"", who)
    jax.local_devices()


WORLD_NAMES = "hccl_world_group", "nccl_world_group", "mccl_world_group"
_named: dict[str, Group] = {}


def named(name, who):
    """Return the group of a name; raise ValueError if there is none, TypeError if not a string."""
    require(isinstance(name, str), "string", who, group=name)
    if name in WORLD_NAMES:
        return world()
    if name not in _named:
        raise rejection("name-group", who, group=name, names=[*WORLD_NAMES, *_named])
    return _named[name]


def member(name, who):
    """Return the group of a name, of which this process must be a member."""
    group = named(name, who)
    if group.rank is None:
        fields = {"rank": processes.rank(), "ranks": list(group.ranks), "name": name}
        raise rejection("process-member-group-rank", who, **fields)
    return group


def add(name, ranks):
    """Name a group; raise ValueError if its members give other ranks under this name."""
    _named[name] = Group.intern(ranks)
    if processes.World.launch is not None:
        listed = ",".join(map(str, ranks))
        coordinator().key_value_set(_key(name, processes.rank()), listed, allow_overwrite=True)
        _check_members(name)


def _check_members(name):
    own = processes.rank()
    entries = coordinator().key_value_dir_get(_key(name))
    given = {int(key.rpartition("/")[2]): ranks.split(",") for key, ranks in entries}
    ranks = [str(r) for r in _named[name].ranks]
    wrong = {r: other for r, other in given.items()
             if other != ranks and (str(r) in ranks or str(own) in other)}  # fmt: skip
    if wrong:
        _named.pop(name)
        gave = [message("rank-gave", rank=r, ranks=other)
                for r, other in sorted({**wrong, own: ranks}.items())]  # fmt: skip
        raise rejection("all-members-group-give", "create_group", name=name, gave=gave)


def _key(name, rank: int | str = ""):
    """Return the key under which a rank stores the ranks that it gave under a name."""
    return f"sporax/names/{urllib.parse.quote(name, safe='')}/{rank}"


def remove(name):
    """Remove a name."""
    if _named.pop(name, None) is not None and processes.World.launch is not None:
        coordinator().key_value_delete(_key(name, processes.rank()))


def names():
    """Return the names of the groups that scripts have created."""
    return list(_named)
