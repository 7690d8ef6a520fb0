"""Connections between the launchers of several hosts: they start together and report the first
failed rank to each other.

The first host's launcher listens. Each side of a connection sends a nonce; after that, each line
begins with a code: the HMAC-SHA256, with the job key, of both nonces, the line's direction, number
and text:

    other host: <code> host 1 2 8           its index, the number of hosts, of ranks
    first host: <code> joined               or "refused" and the reason
    first host: <code> start                once all launchers have joined
    both:       <code> failed 1 5 -9        host, rank or "launcher", as `Popen.returncode`
    both:       <code> done                 before the connection is closed in order

From an unauthenticated peer at most 256 bytes are read, for 10 s; at most 64 such connections are
open at once.
"""

import contextlib
import hmac
import re
import secrets
import selectors
import signal
import socket
import sys
import threading
import time
from typing import NamedTuple

from sporax._src.workbench.cli import job_key

PATIENCE = 300  # seconds until all launchers must have joined, as for ranks at JAX's coordinator
_RETRY = 0.5  # seconds between attempts to connect to the first host's launcher
_ACCEPT = 0.01  # seconds to wait after a failed `accept`
_LOOK = 0.2  # seconds between checks whether the link is closed
_PENDING = 64  # most unauthenticated connections; beyond it the oldest is dropped
_HANDSHAKE = 10.0  # seconds to authenticate
_LONGEST = 256  # bytes of a line
_REPORTED = 8  # most addresses of unauthenticated peers that are printed
_GREETING = re.compile(rb"sporax-launch ([0-9a-f]{32})")
_HOST = re.compile(r"host (\d{1,6}) (\d{1,6}) (\d{1,9})")
_FAILED = re.compile(r"failed (\d{1,6}) (launcher|\d{1,9}) (-?\d{1,3})")
_SIGNALS = range(1, signal.NSIG)


class Failure(NamedTuple):
    """The first failure of a job: a rank or 'launcher' on `host` (None: this host) ended with
    `code`, as `Popen.returncode`; `code` None: its connection was lost."""

    who: object
    code: int | None
    host: str | None


class _Stranger(Exception):
    """Raised for a line with a wrong code, or with text that launchers do not send."""


class _Channel:
    """Lines between two launchers, with codes that detect altered and replayed lines. `index`: the
    peer's host index, None until it is authenticated."""

    def __init__(self, connection, key, is_first):
        connection.setblocking(False)
        self.connection, self.key, self.is_first = connection, key, is_first
        self.nonce, self.session = secrets.token_hex(16).encode(), None
        self.sent = self.received = 0  # lines
        self.buffer, self.index, self.is_done = b"", None, False
        self.deadline = time.monotonic() + _HANDSHAKE
        self.lock = threading.Lock()
        self.write(b"sporax-launch " + self.nonce)

    def write(self, line):
        with contextlib.suppress(OSError):  # the peer has ended; reading detects it
            self.connection.send(line + b"\n")

    def send(self, text):
        with self.lock:
            code = self._code(self.is_first, self.sent, text.encode())
            self.sent += 1
            self.write(code + b" " + text.encode())

    def texts(self):
        """Yield the received texts, "" for the greeting; raise EOFError if the connection ended."""
        try:
            data = self.connection.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            raise EOFError
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        for line in lines:
            yield self._opened(line)
        if len(self.buffer) > _LONGEST:
            raise _Stranger

    def _opened(self, line):
        if self.session is None:
            greeting = _GREETING.fullmatch(line)
            if greeting is None:
                raise _Stranger
            nonces = [self.nonce, greeting[1]]
            nonces = b" ".join(nonces if self.is_first else nonces[::-1])
            self.session = hmac.digest(self.key, nonces, "sha256")
            return ""
        code, _, text = line.partition(b" ")
        if not hmac.compare_digest(code, self._code(not self.is_first, self.received, text)):
            raise _Stranger
        self.received += 1
        return text.decode("ascii", "replace")

    def _code(self, is_of_first, number, text):
        content = b"%d %d %s" % (is_of_first, number, text)
        return hmac.new(self.session or b"", content, "sha256").hexdigest().encode()


class HostLink:
    """The connections of this host's launcher, number `index` of `hosts`, which share `ranks`.

    `address`: where the first host's launcher listens. `failure`: the `Failure` of another host.
    `refusal`: why this launcher cannot join. `may_start`: set when all launchers have joined.
    """

    def __init__(self, address, index, hosts, ranks, key):
        self.address, self.index, self.hosts = address, index, hosts
        self.ranks, self.key = ranks, key
        self.failure = self.refusal = None
        self.may_start = threading.Event()
        self.is_closed, self.channels = False, {}
        self.selector = selectors.DefaultSelector()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        while not self.is_closed:
            self._prepare()
            for key, _ in self.selector.select(_LOOK):
                if key.data is None:
                    self._accept()
                else:
                    self._read(key.data)
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()

    def _open(self, connection):
        channel = _Channel(connection, self.key, self.index == 0)
        self.selector.register(connection, selectors.EVENT_READ, channel)
        return channel

    def _read(self, channel):
        if channel.connection.fileno() < 0:  # dropped in favour of a newer one
            return
        try:
            for text in channel.texts():
                self._take(channel, text)
        except EOFError:
            self._drop(channel)
        except _Stranger:
            if channel.index is None:
                self._refuse(channel)
            self._drop(channel)

    def _drop(self, channel):
        self.selector.unregister(channel.connection)
        channel.connection.close()
        if channel.index is not None and not channel.is_done and not self.is_closed:
            self._note(Failure("launcher", None, self.hosts[channel.index]), channel.index)

    def _told(self, channel, text):
        """Handle a line of an authenticated launcher."""
        if text == "done":
            channel.is_done |= self.may_start.is_set()  # else it leaves before the start
            return
        failed = _FAILED.fullmatch(text)
        if failed is None:
            raise _Stranger
        host, who, code = int(failed[1]), failed[2], int(failed[3])
        share = self.ranks // len(self.hosts)
        is_of_host = who == "launcher" or int(who) // share == host
        if host >= len(self.hosts) or not is_of_host or not (0 < code < 256 or -code in _SIGNALS):
            raise _Stranger
        if self.index == 0 and host != channel.index:
            raise _Stranger
        self._note(Failure(who, code, self.hosts[host]), host)

    def _note(self, failure, host):
        if self.failure is None:
            self.failure = failure
            if self.index == 0:
                self.tell(failure.who, failure.code or 1, host)

    def tell(self, who, code, host=None):
        """Report to the other launchers that a rank of a host (None: this host), or its 'launcher',
        ended with `code`, as `Popen.returncode`."""
        host = self.index if host is None else host
        for index, channel in list(self.channels.items()):
            if index != host:
                channel.send(f"failed {host} {who} {code}")

    def close(self):
        """Announce the orderly end of this launcher, and stop the thread."""
        for channel in list(self.channels.values()):
            channel.send("done")
        self.is_closed = True
        if self.thread.is_alive():
            self.thread.join(2 * _LOOK)


class FirstHost(HostLink):
    """The first host's link, which listens and forwards reported failures to the other hosts."""

    def __init__(self, address, hosts, ranks, key):
        super().__init__(address, 0, hosts, ranks, key)
        self.pending, self.strangers = [], set()
        self.listener = socket.create_server(address, backlog=128)
        self.listener.setblocking(False)
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.thread.start()

    def missing(self):
        """Return the hosts whose launchers have not joined."""
        return [h for i, h in enumerate(self.hosts) if i and i not in self.channels]

    def _prepare(self):
        for channel in list(self.pending):
            if time.monotonic() > channel.deadline:
                self._drop(channel)

    def _accept(self):
        try:
            connection, _ = self.listener.accept()
        except OSError:  # the peer has disconnected, or too many files are open
            time.sleep(_ACCEPT)
            return
        if len(self.pending) == _PENDING:
            self._drop(self.pending[0])
        self.pending.append(self._open(connection))

    def _drop(self, channel):
        if channel in self.pending:
            self.pending.remove(channel)
        super()._drop(channel)

    def _refuse(self, channel):
        with contextlib.suppress(OSError):
            address = channel.connection.getpeername()[0]
            if address not in self.strangers and len(self.strangers) < _REPORTED:
                self.strangers.add(address)
                print(f"sporax launch: refused a connection from {address}, which does not have "
                      "this job's key.", file=sys.stderr, flush=True)  # fmt: skip
        channel.write(b"refused")

    def _take(self, channel, text):
        if channel.index is not None:
            self._told(channel, text)
        elif text:  # its code was right
            self._join(channel, text)

    def _join(self, channel, text):
        host = _HOST.fullmatch(text)
        if host is None:
            raise _Stranger
        index, *sizes = map(int, host.groups())
        if sizes != [len(self.hosts), self.ranks] or not 0 < index < len(self.hosts):
            channel.send("refused sizes")
        elif index in self.channels:
            channel.send("refused index")
        else:
            channel.index = index
            self.pending.remove(channel)
            self.channels[index] = channel
            channel.send("joined")
            if not self.missing():
                for one in self.channels.values():
                    one.send("start")
                self.may_start.set()


class OtherHost(HostLink):
    """The link of any other host, which connects to the first host."""

    def __init__(self, address, index, hosts, ranks, key):
        super().__init__(address, index, hosts, ranks, key)
        self.channel = None
        self.reasons = {
            "refused index": f"another launcher has come as host {index} (--host-index)",
            "refused sizes": f"the launcher of {hosts[0]} was started with another -n or --hosts",
        }
        self.thread.start()

    def missing(self):
        """Return [the first host] until its launcher has answered, then []."""
        return [] if 0 in self.channels else [self.hosts[0]]

    def _prepare(self):
        if self.refusal or self.failure:
            return
        if self.channel is None:
            try:
                connection = socket.create_connection(self.address, _HANDSHAKE)
            except OSError:  # the first host's launcher is not listening yet
                time.sleep(_RETRY)
            else:
                self.channel = self._open(connection)
        elif self.channel.index is None and time.monotonic() > self.channel.deadline:
            self._drop(self.channel)

    def _drop(self, channel):
        super()._drop(channel)
        if channel.index is None:
            self.channel = None
            time.sleep(_RETRY)

    def _refuse(self, channel):
        host, port = self.hosts[0], self.address[1]
        self.refusal = (
            f"the launcher of {host} (port {port}) does not have this host's key of the job; set "
            f"{job_key.VARIABLE} to the same text on all hosts, or copy '{job_key.path()}' of "
            f"{host} to here"
        )

    def _take(self, channel, text):
        if not text:
            channel.send(f"host {self.index} {len(self.hosts)} {self.ranks}")
        elif text == "joined":
            channel.index = 0
            self.channels[0] = channel
        elif text == "start":
            self.may_start.set()
        elif text in self.reasons:
            self.refusal = self.reasons[text]
        else:
            self._told(channel, text)
