"""`HostLink`: the launchers of several hosts tell each other of the first rank that fails."""

import contextlib
import socket
import threading
import time

_RETRY = 0.5  # seconds between attempts to reach the launcher of the first host
_LONGEST = 64  # bytes of a message


class HostLink:
    """Connections between the first host's launcher, which listens at `address`, and the others'.

    `failure`: (who, how, exit code) of what has failed on another host; None while nothing has.
    """

    def __init__(self, address, index, hosts):
        self.hosts, self.index, self.failure = hosts, index, None
        self.address, self.is_closed, self.connections = address, False, {}
        self.listener = socket.create_server(address) if index == 0 else None
        self._start(self._accept if index == 0 else self._connect)

    def _start(self, run, *args):
        threading.Thread(target=run, args=args, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:  # it is closed
                return
            self._start(self._read, connection)

    def _connect(self):
        while not self.is_closed:
            try:
                connection = socket.create_connection(self.address)
            except OSError:  # the first host's launcher has not begun yet
                time.sleep(_RETRY)
                continue
            connection.sendall(f"host {self.index}\n".encode())
            self._read(connection, 0)
            return

    def _read(self, connection, index=None):
        """Take what another launcher tells, until it closes the connection."""
        with connection, connection.makefile("rb") as lines:
            if index is None:
                index = self._index(lines.readline(_LONGEST))
            if index is None:
                return  # no launcher
            self.connections[index] = connection
            with contextlib.suppress(OSError):  # it has ended without a word: as at the end of file
                for line in iter(lambda: lines.readline(_LONGEST), b""):
                    if line == b"done\n":
                        return
                    self._note(line.decode("ascii", "replace").split(), index)
            self._note(("launcher", "0"), index)

    def _index(self, line):
        _, _, number = line.decode("ascii", "replace").partition("host ")
        return int(number) if number.strip().isdigit() else None

    def _note(self, words, index):
        if self.failure is not None or len(words) != 2 or not words[1].lstrip("-").isdigit():
            return
        who, code = words[0], int(words[1])
        self.failure = who, code, self.hosts[index]
        if self.index == 0:
            self.tell(who, code)

    def tell(self, who, code):
        """Tell the other launchers that a rank ('launcher': all of a host) has ended with `code`,
        as `Popen.returncode`."""
        self._send(f"{who} {code}\n".encode())

    def _send(self, message):
        for connection in list(self.connections.values()):
            with contextlib.suppress(OSError):  # that launcher has ended
                connection.sendall(message)

    def close(self):
        """Say that this launcher ends in order."""
        self.is_closed = True
        self._send(b"done\n")
        if self.listener is not None:
            self.listener.close()
