"""`sporax launch`: runs a script as several processes, one per rank.

The ranks find each other through JAX's coordinator, which runs in rank 0. The first failed rank is
reported, and the others are stopped.
"""

import contextlib
import functools
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import Any

from sporax._src import operating_system
from sporax._src.devices.distributed.launch_environment import LAUNCHER_PIPE, LOOPBACK
from sporax._src.diagnosis.rules import message, rejection, require
from sporax._src.workbench.cli.host_link import PATIENCE, Failure, FirstHost, OtherHost
from sporax._src.workbench.cli.job_key import VARIABLE, NoJobKey, job_key

PORT = 8118  # of the coordinator on several hosts, as in msrun; + 1: of the launchers
_GRACE = 3.0  # seconds that the other ranks have to report and end
_POLL = 0.02
_QUIET = 5.0  # seconds until the missing launchers are printed
# runtime logs about each connection, and in ranks that have lost another rank
_CHATTER = re.compile(
    rb"\[Gloo\] |[IWEF]\d{4} [\d:.]+ +\d+ (coordination_service|client\.h|preemption)"
    rb"|\*\*\* Check failure stack|Additional GRPC error|:UNKNOWN:Error received|:\{grpc_"
)
_STACK = re.compile(rb"    @ +0x")
_CAUSE = 0.3  # seconds by which a rank may be seen to end before the lost rank that caused it


class CannotLaunch(Exception):
    """Raised before the start: mismatched hosts and rank counts, or a port in use."""


def launch(n, command, hosts=(), host_index=None, port=None, bind=True):
    """Run `command`, the arguments of `sporax run`, as `n` ranks in total; return the exit code.

    `hosts`: if several hosts share the ranks, each runs this with the same list. The first has the
    coordinator, at `port`, and its launcher listens at `port + 1` for the other launchers. Ranks
    start once all launchers are authenticated with the job key. `host_index`: this host's index,
    found by its name if None. `bind`: pin each rank to its own processor cores, if this host has at
    least one per rank.
    """
    if not operating_system.HAS_PROCESS_GROUPS:
        reason = message("launch-needs-posix", system=sys.platform)
        print(f"sporax launch: {reason}.", file=sys.stderr)
        return 2
    with contextlib.ExitStack() as cleanup:
        try:
            index = _host_index(hosts) if host_index is None else host_index
            first, local = _share(n, hosts, index)
            address = hosts[0] if hosts else LOOPBACK
            port = port or (PORT if len(hosts) > 1 else 0)
            if index == 0:
                reserved = cleanup.enter_context(reserve_port(address, port))
                port = reserved.getsockname()[1]
            link = _link((address, port + 1), index, hosts, n) if len(hosts) > 1 else None
        except (CannotLaunch, NoJobKey) as error:
            print(f"sporax launch: {error}.", file=sys.stderr)
            return 2
        if link is not None:
            cleanup.callback(link.close)
        told = {
            "MS_WORKER_NUM": n, "RANK_SIZE": n, "MS_ROLE": "MS_WORKER", "MS_SCHED_HOST": address,
            "MS_SCHED_PORT": port, "LOCAL_WORLD_SIZE": local,
        }  # fmt: skip
        start = functools.partial(_start, cleanup, first, local, command, told, bind)
        return _Watch(start, link)()


def _start(cleanup, first, local, command, told, bind):
    """Start the ranks of this host, from number `first` on; `cleanup` ends them."""
    closes_with_us, kept = os.pipe()
    for end in closes_with_us, kept:
        cleanup.callback(os.close, end)
    ranks = []
    cores = cores_of_ranks(local) if bind else [None] * local
    for i in range(local):
        own = {"RANK_ID": first + i, "MS_NODE_ID": first + i, "DEVICE_ID": i, "LOCAL_RANK": i,
               LAUNCHER_PIPE: closes_with_us}  # fmt: skip
        ranks.append(_Rank(first + i, command, told | own, closes_with_us, cores[i]))
        cleanup.callback(ranks[-1].end, signal.SIGKILL)
    return ranks


def reserve_port(host, port):
    """Return a socket that reserves a port of this host (0: any free one). Only programs of this
    user that set SO_REUSEPORT, as JAX's coordinator does, can bind it."""
    reserved = None
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        reserved = socket.socket(family, kind)
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a job may have just ended
        reserved.bind(address)
    except OSError as error:
        if reserved is not None:
            reserved.close()
        raise rejection("port-free-coordinator-choose", port=port, host=host, cause=error,
                        error=CannotLaunch) from None  # fmt: skip
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    return reserved


def _link(address, index, hosts, n):
    key = job_key()
    if index:
        return OtherHost(address, index, hosts, n, key)
    try:
        return FirstHost(address, hosts, n, key)
    except OSError as error:
        raise rejection("port-free-launchers-choose", address=address[1], address2=address[0],
                        cause=error, error=CannotLaunch) from None  # fmt: skip


def _host_index(hosts):
    """Return this host's index in the list, found by name or by address."""
    if len(hosts) < 2:
        return 0
    own = {socket.gethostname(), socket.getfqdn(), socket.gethostname().partition(".")[0]}
    own |= {entry[4][0] for name in list(own) for entry in _addresses(name)}
    for index, host in enumerate(hosts):
        if host in own or any(entry[4][0] in own for entry in _addresses(host)):
            return index
    raise rejection("host-none-hosts-say", gethostname=socket.gethostname(), names=",".join(hosts),
                    error=CannotLaunch)  # fmt: skip


def _addresses(host):
    try:
        return socket.getaddrinfo(host, None)
    except OSError:
        return []


def _share(n, hosts, index):
    """Return (first rank of this host, number of its ranks)."""
    count = len(hosts) or 1
    require(not n % count, "n-multiple-hosts", count=count, got=n, error=CannotLaunch)
    if not 0 <= index < count:
        raise rejection("host-index-0", number=count - 1, got=index, error=CannotLaunch)
    return n // count * index, n // count


def cores_of_ranks(count):
    """Return the processor cores of each rank of this host; None: all."""
    cores = sorted(operating_system.cores())
    each = len(cores) // count
    return [cores[i * each : (i + 1) * each] or None for i in range(count)]


class _Rank:
    """The process of a rank, and the threads that forward its output."""

    printing = threading.Lock()

    def __init__(self, number, command, told, pipe, cores):
        self.number = number
        environment = {k: v for k, v in os.environ.items() if k != VARIABLE}
        environment |= {k: str(v) for k, v in told.items()} | {"PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sporax", "run", *command],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, pass_fds=(pipe,), start_new_session=True,
        )  # fmt: skip
        if cores:
            operating_system.pin(self.process.pid, cores)
        streams = (self.process.stdout, sys.stdout), (self.process.stderr, sys.stderr)
        self.threads = [threading.Thread(target=self._show, args=s, daemon=True) for s in streams]
        for thread in self.threads:
            thread.start()

    def _show(self, stream, out):
        is_chatter = False
        with stream:
            for line in stream:
                is_chatter = bool(_CHATTER.match(line)) or (is_chatter and bool(_STACK.match(line)))
                if not is_chatter:
                    text = line.decode("utf8", "replace").rstrip("\r\n")
                    with self.printing:
                        print(f"[{self.number}] {text}", file=out, flush=True)

    def end(self, how):
        """Send signal `how` to the process group, unless the process has ended."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, how)


def _failed(ranks):
    return [rank for rank in ranks if rank.process.poll() not in (None, 0)]


class _Watch:
    """Waits for the launchers of other hosts, starts the ranks of this host (`start()`) and waits
    for them; the first failure on any host, or Ctrl-C, stops them."""

    def __init__(self, start, link):
        self.start, self.link, self.ranks = start, link, []
        self.failure: Any = None  # a `Failure`
        self.refusal = None  # why nothing is started
        self.deadline = None
        self.interrupts = []

    def __call__(self):
        """Run the job; return the exit code."""
        kept = {s: signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)}
        try:
            for s in kept:
                signal.signal(s, lambda number, frame: self.interrupts.append(number))
            if self.link is None or self._all_have_come():
                self.ranks = self.start()
            while any(rank.process.poll() is None for rank in self.ranks):
                self._look()
                time.sleep(_POLL)
        finally:
            for s, handler in kept.items():
                signal.signal(s, handler)
        for rank in self.ranks:
            for thread in rank.threads:
                thread.join(_GRACE)  # a child process of the rank may keep its output open
        self._look()
        if self.interrupts:
            return 128 + self.interrupts[0]
        if self.failure is None and self.refusal is None:
            return 0
        print(f"sporax launch: {self.refusal or self._told()}.", file=sys.stderr, flush=True)
        if self.refusal is not None:
            return 2
        code = self.failure.code or 1
        return 128 - code if code < 0 else code

    def _all_have_come(self):
        """Wait for the launchers of all hosts; return False if the job cannot start."""
        begun, is_quiet = time.monotonic(), True
        while not self.link.may_start.is_set():
            self._look()
            time.sleep(_POLL)
            missing = " and ".join(self.link.missing())
            waited = time.monotonic() - begun
            self.refusal = self.link.refusal
            if waited > PATIENCE:
                who = missing or self.link.hosts[0]
                self.refusal = f"the launcher of {who} did not come within {PATIENCE} s"
            if self.refusal is not None:
                self._tell("launcher", 2)
            if self.interrupts or self.failure is not None or self.refusal is not None:
                return False
            if waited > _QUIET and missing and is_quiet:
                is_quiet = False
                print(f"sporax launch: waiting for the launcher of {missing}", file=sys.stderr,
                      flush=True)  # fmt: skip
        return True

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
        """Set the deadline for the ranks to end, and send them signal `how` if given."""
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
        return Failure(number, code, None)

    def _tell(self, who, code):
        if self.link is not None:
            self.link.tell(who, code)

    def _told(self):
        who, code, host = self.failure
        what = who if who == "launcher" else f"rank {who}"
        where = "" if host is None else f" on {host}"
        if not self.ranks:
            others = "; nothing was started"
        else:
            others = "" if host is None and len(self.ranks) == 1 else "; the others were stopped"
        return f"{what}{where} {_how(code)}{others}"


def _how(code):
    """Return text for an exit code as `Popen.returncode`; None: unknown."""
    if code is None:
        return "ended without a word"
    if code >= 0:
        return f"ended with exit code {code}"
    known = {s.value: s.name for s in signal.Signals}
    return f"was ended by {known.get(-code, f'signal {-code}')}"
