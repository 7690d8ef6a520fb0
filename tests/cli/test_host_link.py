"""Strangers at the launchers of several hosts: what they send neither ends a job nor is printed."""

import contextlib
import os
import random
import socket
import threading
import time

import pytest

from sporax._src.workbench.cli import host_link, job_key
from sporax._src.workbench.cli.host_link import Failure, FirstHost, OtherHost
from sporax._src.workbench.cli.launch import CannotLaunch, _link

KEY = b"a key of the job"
HOSTS = ("127.0.0.1", "second", "third")
RANKS = 6
FDS = "/proc/self/fd"


def until(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


@pytest.fixture
def links():
    """first() -> the first host's link; other(index, ...) -> that of another host, at it."""
    with contextlib.ExitStack() as cleanup:
        made = []

        def first():
            made.append(FirstHost(("127.0.0.1", 0), HOSTS, RANKS, KEY))
            cleanup.callback(made[0].close)
            return made[0]

        def other(index, key=KEY, hosts=HOSTS, ranks=RANKS, address=None):
            link = OtherHost(address or made[0].listener.getsockname(), index, hosts, ranks, key)
            cleanup.callback(link.close)
            return link

        first.other = other
        yield first


def connection(first):
    stranger = socket.create_connection(first.listener.getsockname(), 5)
    stranger.settimeout(5)
    return stranger


def answer(first, *parts):
    """All that a stranger reads who sends this."""
    with connection(first) as stranger:
        read = b""
        with contextlib.suppress(OSError):  # it is refused before it has sent all
            for part in parts:
                stranger.sendall(part)
            while part := stranger.recv(4096):
                read += part
        return read


class Relay:
    """A stranger between two launchers, who reads what they send and may alter it."""

    def __init__(self, first, alter=lambda data: data):
        self.first, self.alter, self.recorded = first, alter, b""
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        with self.listener:
            other, _ = self.listener.accept()
        first = connection(self.first)
        threading.Thread(target=self._pass, args=(first, other), daemon=True).start()
        self._pass(other, first, is_recorded=True)

    def _pass(self, source, target, is_recorded=False):
        source.settimeout(None)
        with contextlib.suppress(OSError), source:
            while data := source.recv(4096):
                if is_recorded:
                    self.recorded += data
                    data = self.alter(data)
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)  # a thread may wait for what comes from it


def greeting(of=b"0" * 32):
    return b"sporax-launch " + of + b"\n"


def leave(first, link):
    """Have a launcher that has come go, as if it never had: its place is free."""
    until(lambda: link.index in first.channels and link.channels)  # else it says no "done"
    first.channels.pop(link.index).is_done = True
    link.close()


def replay(first, other):
    relay = Relay(first)
    leave(first, other(1, address=relay.address))
    until(lambda: relay.recorded.endswith(b"done\n"))
    answer(first, relay.recorded)


def wrong_key(first, other):
    link = other(1, key=b"another key, of another job")
    until(lambda: link.refusal)
    assert "does not have this host's key of the job; set SPORAX_JOB_KEY" in link.refusal


def idle(first, other):
    until(lambda: not first.pending)  # of strangers who have gone
    before, threads = len(os.listdir(FDS)), threading.active_count()
    with contextlib.ExitStack() as strangers:
        for _ in range(300):
            strangers.enter_context(connection(first))
        until(lambda: len(first.pending) == 64)
        until(lambda: len(os.listdir(FDS)) - before == 300 + 64)  # of both sides
        assert threading.active_count() == threads
        if not first.may_start.is_set():
            leave(first, other(1))


def long_line(first, other, *before):
    assert answer(first, *before, b"9" * 257).endswith(b"refused\n")  # while it is still open
    answer(first, *before, *[b"9" * 65536] * 16)


def one_byte_at_a_time(first, other):
    with connection(first) as stranger:
        begun = time.monotonic()
        while time.monotonic() - begun < 5:
            try:
                stranger.sendall(b"s")
            except OSError:
                break
            time.sleep(0.05)
        assert time.monotonic() - begun < 4


ESCAPES = b"\x1b]0;evil\x07\x1b[2J\x1b[31mrank 0 was ended\n"
ATTACKS = {
    "no key": lambda first, other: answer(first, b"host 1\nevil -9\n"),
    "no key, index": lambda first, other: answer(first, b"host 77\nevil -9\n"),
    "wrong key": wrong_key,
    "no code": lambda first, other: answer(first, greeting(), b"host 1 3 6\nfailed 1 2 -9\n"),
    "empty code": lambda first, other: answer(first, greeting(), b" host 1 3 6\n"),
    "replay": replay,
    "garbage": lambda first, other: answer(first, random.Random(0).randbytes(100_000)),
    "garbage lines": lambda first, other: answer(
        first, greeting(), *[random.Random(i).randbytes(50) + b"\n" for i in range(100)]
    ),
    "zeros": lambda first, other: answer(first, greeting(), bytes(1000) + b"\n"),
    "long line": long_line,
    "long line after the greeting": lambda first, other: long_line(first, other, greeting()),
    "300 idle connections": idle,
    "one byte at a time": one_byte_at_a_time,
    "escape sequences": lambda first, other: answer(first, ESCAPES),
    "escape sequences after the greeting": lambda first, other: answer(first, greeting(), ESCAPES),
    "own greeting": lambda first, other: answer(first, answer(first, b"\n").split(b"\n")[0] * 2),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_strangers_change_nothing(attack, links, monkeypatch, capsys):
    # 300 connections may take longer than the handshake of one
    monkeypatch.setattr(host_link, "_HANDSHAKE", 60.0 if ATTACKS[attack] is idle else 1.0)
    first = links()
    ATTACKS[attack](first, links.other)
    assert first.failure is None and not first.channels
    second, third = links.other(1), links.other(2)
    until(lambda: first.may_start.is_set() and third.may_start.is_set())
    ATTACKS[attack](first, links.other) if attack not in ("wrong key", "replay") else None
    assert first.failure is None
    second.tell(3, -9)
    until(lambda: third.failure)
    assert first.failure == third.failure == Failure("3", -9, "second")
    printed = capsys.readouterr()
    assert not printed.out and printed.err.count("\n") <= 1 and "\x1b" not in printed.err
    if printed.err:
        assert printed.err == ("sporax launch: refused a connection from 127.0.0.1, which does "
                               "not have this job's key.\n")  # fmt: skip


@pytest.mark.parametrize(("index", "options", "why"), [
    (77, {}, "another -n or --hosts"),
    (1, {"ranks": 12}, "another -n or --hosts"),
    (1, {"hosts": HOSTS[:2]}, "another -n or --hosts"),
    (2, {}, "another launcher has come as host 2 (--host-index)"),
])  # fmt: skip
def test_a_launcher_that_does_not_fit_is_refused(index, options, why, links):
    first = links()
    links.other(2)
    until(lambda: 2 in first.channels)
    link = links.other(index, **options)
    until(lambda: link.refusal)
    assert why in link.refusal and not link.may_start.is_set()
    links.other(1)
    until(first.may_start.is_set)
    assert first.failure is None


@pytest.mark.parametrize("text", [
    "failed 1 \x1b[2J -9", "failed 1 0 -9", "failed 2 4 -9", "failed 9 launcher -9",
    "failed 1 3 999", "failed 1 3 -99", "failed 1 3 0", "failed 1 3", "host 1 3 6", "",
    "failed 1 99999999999999999999 -9", "start", "refused index",
])  # fmt: skip
def test_what_no_launcher_sends_is_not_taken(text, links, capsys):
    """Even with the key: the connection ends, as where the launcher has."""
    first = links()
    second, third = links.other(1), links.other(2)
    until(lambda: third.may_start.is_set() and second.may_start.is_set())
    second.channels[0].send(text)
    until(lambda: first.failure and third.failure)
    assert first.failure == Failure("launcher", None, "second")
    assert third.failure == Failure("launcher", 1, "second")
    assert not any(capsys.readouterr())


@pytest.mark.parametrize(
    "alter",
    {
        "rank": lambda data: data.replace(b" 3 -9", b" 2 -9"),
        "twice": lambda data: data * 2 if b"failed" in data else data,
        "left out": lambda data: b"" if b" 3 -9" in data else data,
    }.items(),
    ids=lambda row: row[0],
)
def test_lines_that_a_stranger_alters_are_not_taken(alter, links):
    what, alter = alter
    first = links()
    relay = Relay(first, alter)
    second, third = links.other(1, address=relay.address), links.other(2)
    until(lambda: third.may_start.is_set() and second.may_start.is_set())
    second.tell(3, -9)
    until(lambda: what == "left out" or first.failure)
    assert (
        first.failure
        == {
            "rank": Failure("launcher", None, "second"),
            "twice": Failure("3", -9, "second"),
            "left out": None,
        }[what]
    )
    second.tell(2, -9)
    until(lambda: first.failure)
    assert first.failure.code == (-9 if what == "twice" else None)
    until(lambda: second.failure)  # the connection is closed


def test_a_launcher_that_ends_without_a_word_is_a_failure(links):
    first = links()
    second, third = links.other(1), links.other(2)
    until(lambda: third.may_start.is_set() and second.may_start.is_set())
    second.channel.connection.shutdown(socket.SHUT_RDWR)
    until(lambda: first.failure and third.failure)
    assert first.failure == Failure("launcher", None, "second")


def test_a_launcher_that_ends_in_order_is_none(links):
    first = links()
    second, third = links.other(1), links.other(2)
    until(lambda: third.may_start.is_set() and second.may_start.is_set())
    second.close()
    until(lambda: first.channels[1].is_done)
    time.sleep(0.1)
    first.close()
    until(lambda: third.channel.is_done)
    assert first.failure is None and third.failure is None


@pytest.mark.parametrize("what", ["shorter", "others can read it", "a link", "a folder"])
def test_keys_that_are_refused(what, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    file = job_key.path()
    assert job_key.job_key({}) == job_key.job_key({}) == file.read_bytes()  # it is written once
    assert file.stat().st_mode & 0o777 == 0o600 and len(file.read_bytes()) == 32
    environ = {}
    if what == "shorter":
        environ[job_key.VARIABLE] = "fifteen letters"
    elif what == "others can read it":
        file.chmod(0o644)
    else:
        moved = file.rename(tmp_path / "elsewhere")
        file.symlink_to(moved) if what == "a link" else file.mkdir()
    with pytest.raises(job_key.NoJobKey, match="must"):
        job_key.job_key(environ)


def test_a_port_that_is_taken_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotLaunch, match=f"port {port} of 127.0.0.1 must be free for the la"):
            _link(("127.0.0.1", port), 0, HOSTS, RANKS)
