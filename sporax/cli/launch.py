"""`sporax launch`: a script as several processes, one for each rank.

The ranks find each other through JAX's coordinator, which runs in rank 0. The first that fails is
named, and ends the others.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import Any

from sporax.cli.host_link import HostLink
from sporax.distributed.launch_environment import LAUNCHER_PIPE, LOOPBACK

PORT = 8118  # of the coordinator where there are several hosts, as of msrun; + 1: of the launchers
_GRACE = 3.0  # seconds in which the other ranks may say what happened to them
_POLL = 0.02
# what the runtime says of each connection, and in ranks that have lost another one
_CHATTER = re.compile(
    rb"\[Gloo\] |[IWEF]\d{4} [\d:.]+ +\d+ (coordination_service|client\.h|preemption)"
    rb"|\*\*\* Check failure stack|Additional GRPC error|:UNKNOWN:Error received|:\{grpc_"
)
_STACK = re.compile(rb"    @ +0x")
_CAUSE = 0.3  # seconds in which a rank may be seen to end before the one that it has lost


class WrongHosts(Exception):
    """Hosts and numbers of ranks that do not fit."""


def launch(n, command, hosts=(), host_index=None, port=None, bind=True):
    """Run `command`, the arguments of `sporax run`, as `n` ranks in all; returns the exit code.

    `hosts`: where several hosts share the ranks, each of them runs this with the same list; the
    first has the coordinator, at `port`, and its launcher listens at the next one for those of the
    others. `host_index`: this host's place among them, found by its name if
    None. `bind`: where this host has a processor core for each of its ranks, each has its own ones.
    """
    try:
        index = _host_index(hosts) if host_index is None else host_index
        first, local = _share(n, hosts, index)
    except WrongHosts as error:
        print(f"sporax launch: {error}", file=sys.stderr)
        return 2
    address = hosts[0] if hosts else LOOPBACK
    port = port or (PORT if len(hosts) > 1 else _free_port())
    closes_with_us, kept = os.pipe()
    ranks, link = [], None
    cores = cores_of_ranks(local) if bind else [None] * local
    try:
        for i in range(local):
            told = {
                "MS_WORKER_NUM": n, "RANK_SIZE": n, "RANK_ID": first + i, "MS_NODE_ID": first + i,
                "MS_ROLE": "MS_WORKER", "MS_SCHED_HOST": address, "MS_SCHED_PORT": port,
                "DEVICE_ID": i, "LOCAL_RANK": i, "LOCAL_WORLD_SIZE": local,
                LAUNCHER_PIPE: closes_with_us,
            }  # fmt: skip
            ranks.append(_Rank(first + i, command, told, closes_with_us, cores[i]))
        if len(hosts) > 1:
            link = HostLink((address, port + 1), index, hosts)
        return _Watch(ranks, link)()
    finally:
        if link is not None:
            link.close()
        for rank in ranks:
            rank.end(signal.SIGKILL)
        os.close(closes_with_us)
        os.close(kept)


def _free_port():
    with socket.socket() as free:
        free.bind((LOOPBACK, 0))
        return free.getsockname()[1]


def _host_index(hosts):
    """This host's place in the list: by name, or by an address that it has."""
    if len(hosts) < 2:
        return 0
    own = {socket.gethostname(), socket.getfqdn(), socket.gethostname().partition(".")[0]}
    own |= {entry[4][0] for name in list(own) for entry in _addresses(name)}
    for index, host in enumerate(hosts):
        if host in own or any(entry[4][0] in own for entry in _addresses(host)):
            return index
    raise WrongHosts(
        f"this host ({socket.gethostname()}) is none of the --hosts {','.join(hosts)}; say which "
        "with --host-index"
    )


def _addresses(host):
    try:
        return socket.getaddrinfo(host, None)
    except OSError:
        return []


def _share(n, hosts, index):
    """(the first rank of this host, how many it has)"""
    count = len(hosts) or 1
    if n % count:
        raise WrongHosts(f"-n must be a multiple of the {count} hosts, but got {n}")
    if not 0 <= index < count:
        raise WrongHosts(f"--host-index must be from 0 to {count - 1}, but got {index}")
    return n // count * index, n // count


def cores_of_ranks(count):
    """For each rank of this host the processor cores that it may use; None: all."""
    if not hasattr(os, "sched_getaffinity"):
        return [None] * count
    cores = sorted(os.sched_getaffinity(0))
    each = len(cores) // count
    return [cores[i * each : (i + 1) * each] or None for i in range(count)]


class _Rank:
    """A process that is a rank, and the thread that shows what it prints."""

    printing = threading.Lock()

    def __init__(self, number, command, told, pipe, cores):
        self.number = number
        environment = {**os.environ, **{k: str(v) for k, v in told.items()}}
        environment["PYTHONUNBUFFERED"] = "1"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sporax", "run", *command],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, pass_fds=(pipe,), start_new_session=True,
        )  # fmt: skip
        if cores:
            os.sched_setaffinity(self.process.pid, cores)
        streams = (self.process.stdout, sys.stdout), (self.process.stderr, sys.stderr)
        self.threads = [threading.Thread(target=self._show, args=s, daemon=True) for s in streams]
        for thread in self.threads:
            thread.start()

    def _show(self, stream, out):
        is_chatter = False
        for line in stream:
            is_chatter = bool(_CHATTER.match(line)) or (is_chatter and bool(_STACK.match(line)))
            if not is_chatter:
                text = line.decode("utf8", "replace").rstrip("\r\n")
                with self.printing:
                    print(f"[{self.number}] {text}", file=out, flush=True)

    def end(self, how):
        """Send a signal to the process and those it has started, unless it has ended."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, how)


def _failed(ranks):
    return [rank for rank in ranks if rank.process.poll() not in (None, 0)]


class _Watch:
    """Waits for all ranks of this host; the first failure, here or elsewhere, or Ctrl-C, ends
    them."""

    def __init__(self, ranks, link):
        self.ranks, self.link = ranks, link
        self.failure: Any = None  # (who, how it has ended as `Popen.returncode`, host or None)
        self.deadline = None
        self.interrupts = []

    def __call__(self):
        """The exit code."""
        kept = {s: signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)}
        try:
            for s in kept:
                signal.signal(s, lambda number, frame: self.interrupts.append(number))
            while any(rank.process.poll() is None for rank in self.ranks):
                self._look()
                time.sleep(_POLL)
        finally:
            for s, handler in kept.items():
                signal.signal(s, handler)
        for rank in self.ranks:
            for thread in rank.threads:
                thread.join(_GRACE)  # a process that the rank has started may keep its output open
        self._look()
        if self.interrupts:
            return 128 + self.interrupts[0]
        if self.failure is None:
            return 0
        code = self.failure[1]
        print(f"sporax launch: {self._told()}", file=sys.stderr, flush=True)
        return 128 - code if code < 0 else code

    def _look(self):
        if self.interrupts and self.deadline is None:
            self._tell("launcher", -self.interrupts[0])
            self._stop(self.interrupts[0])
        elif self.failure is None and not self.interrupts:
            self.failure = self._first_failure()
        late = self.deadline is not None and time.monotonic() > self.deadline
        if late or len(self.interrupts) > 1:
            for rank in self.ranks:
                rank.end(signal.SIGKILL)

    def _stop(self, how=None):
        """Give the ranks a few seconds to end."""
        self.deadline = time.monotonic() + _GRACE
        for rank in self.ranks if how else ():
            rank.end(how)

    def _first_failure(self):
        elsewhere = None if self.link is None else self.link.failure
        if elsewhere is None:
            if not _failed(self.ranks):
                return None
            time.sleep(_CAUSE)
            elsewhere = None if self.link is None else self.link.failure
        self._stop(signal.SIGTERM if elsewhere else None)
        if elsewhere is not None:
            return elsewhere
        codes = [(rank.number, rank.process.returncode) for rank in _failed(self.ranks)]
        number, code = min(codes, key=lambda one: one[1] == -signal.SIGABRT)
        self._tell(number, code)
        return number, code, None

    def _tell(self, who, code):
        if self.link is not None:
            self.link.tell(who, code)

    def _told(self):
        who, code, host = self.failure
        what = who if who == "launcher" else f"rank {who}"
        where = "" if host is None else f" on {host}"
        if code < 0:
            how = f"was ended by {signal.Signals(-code).name}"
        else:
            how = f"ended with exit code {code}"
        others = "" if host is None and len(self.ranks) == 1 else "; the others were stopped"
        return f"{what}{where} {how}{others}."
