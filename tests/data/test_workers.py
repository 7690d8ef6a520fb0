"""Rows computed by threads and processes: the same as by the thread that reads them, and one clear
error whatever ends a worker."""

import atexit
import gc
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
import traceback

import numpy as np
import pytest

from sporax import data
from sporax.data import config, random_streams, row_channel, vision, workers

KINDS = {
    "threads": {"num_parallel_workers": 3},
    "processes": {"num_parallel_workers": 2, "python_multiprocessing": True},
}


class Squares:
    def __len__(self):
        return 11

    def __getitem__(self, i):
        return np.full((3, 2, 3), i, np.uint8), np.int32(i * i)


def numbers(n=12):
    return data.NumpySlicesDataset({"x": np.arange(n), "y": np.arange(n) * 0.5}, shuffle=False)


def squares(**kind):
    kind = {"python_multiprocessing": False} | kind
    return data.GeneratorDataset(Squares(), ["x", "y"], **kind)


def large(x):
    return np.full((90, 90, 3), x, np.float32)  # sent in shared memory between processes


PIPELINES = {
    "map": lambda kind: numbers().map(lambda x: x + 1, "x", **kind),
    "maps": lambda kind: numbers().map(large, "x", **kind).map(lambda x: x * 2, "x", **kind),
    "map in the thread": lambda kind: numbers().map(large, "x", **kind).map(lambda x: x * 2, "x"),
    "map, batch": lambda kind: numbers().map(large, "x", **kind).project("x").batch(5),
    "map, shuffle": lambda kind: numbers().map(lambda x: x + 1, "x", **kind).shuffle(4),
    "shuffle, map": lambda kind: numbers().shuffle(4).map(lambda x: x + 1, "x", **kind).batch(5),
    "batch": lambda kind: numbers().batch(5, True, per_batch_map=lambda x, y, i: (y, x), **kind),
    "batch sizes": lambda kind: numbers().map(lambda x: x, **kind).batch(
        lambda info: info.get_batch_num() + 1),
    "filter, map": lambda kind: numbers().filter(lambda x: x > 3, "x").map(np.sin, "y", **kind),
    "read": lambda kind: squares(**kind),
    "read, map": lambda kind: squares(**kind).map(
        [vision.RandomHorizontalFlip(), vision.RandomVerticalFlip()], "x", **kind).batch(3),
    "random maps": lambda kind: squares(**kind).map(lambda x: x[:, :2] + np.arange(2)[:, None], "x")
        .map(vision.RandomHorizontalFlip(), "x", **kind).map(vision.RandomCrop(2), "x", **kind),
    "dicts": lambda kind: numbers().project("x").map(lambda x: {"a": x, "b": [x, 1]}, **kind),
    "take, repeat": lambda kind: numbers().map(lambda x: x + 1, "x", **kind).take(3).repeat(2),
}  # fmt: skip


def listed(rows):
    return [[repr(x) if isinstance(x, dict) else (x.dtype, x.shape, x.tobytes()) for x in row]
            for row in rows]  # fmt: skip


OTHERS = set()  # processes that tests of other files keep


@pytest.fixture(autouse=True)
def others():
    OTHERS.update(p.pid for p in multiprocessing.active_children())


def own_children():
    return [p for p in multiprocessing.active_children() if p.pid not in OTHERS]


def two_epochs(pipeline, kind):
    config.set_seed(7)
    rows = pipeline(kind).create_tuple_iterator(num_epochs=2, output_numpy=True)
    return listed(rows), listed(rows)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PIPELINES)
def test_rows_are_the_same_for_any_workers(name, kind):
    expected = two_epochs(PIPELINES[name], {})
    for count in {KINDS[kind]["num_parallel_workers"], 2}:
        pipeline = KINDS[kind] | {"num_parallel_workers": count}
        assert two_epochs(PIPELINES[name], pipeline) == expected
    assert not own_children()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["map, batch", "read, map", "batch", "batch sizes", "random maps"])
def test_rows_from_the_middle_are_the_same(name, kind):
    for first in (0, 2):
        with random_streams.fixed(5):
            expected = listed(PIPELINES[name]({})._begin()())
        with random_streams.fixed(5):
            assert listed(PIPELINES[name](KINDS[kind])._rows_from(first)) == expected[first:]


def test_settings_say_how_many_there_are(monkeypatch):
    requested = workers.requested
    assert requested("map", {"num_parallel_workers": None}) is None
    assert requested("map", {"num_parallel_workers": 1, "python_multiprocessing": True}) is None
    monkeypatch.setitem(config._times, "num_parallel_workers", 1)
    monkeypatch.setitem(config._values, "num_parallel_workers", 4)
    assert requested("map", {"num_parallel_workers": None}) == (4, False)
    for wrong, kind in ((0, ValueError), (-2, ValueError), (1.5, TypeError), (True, TypeError)):
        with pytest.raises(kind, match="For 'map', 'num_parallel_workers' must be"):
            requested("map", {"num_parallel_workers": wrong})


def raises(x):
    if x == 5:
        raise KeyError(f"no {x}")
    return x


class OddError(Exception):
    def __init__(self, a, b):  # which is not what pickle calls it with
        super().__init__(f"odd {a} {b}")


def raises_oddly(x):
    if x == 5:
        raise OddError(1, 2)
    return x


def dies(x):
    if x == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def leaves(x):
    if x == 5:
        os._exit(3)
    return x


def hangs(x):
    if x == 5:
        time.sleep(60)
    return x


def returns_nothing(x):
    return x if x != 5 else None


def doubled(x):
    return 2 * x


@pytest.mark.slow
def test_processes_that_are_not_forked(monkeypatch):
    monkeypatch.setitem(config._values, "multiprocessing_start_method", "spawn")
    rows = numbers().map(doubled, "x", **KINDS["processes"]).batch(5)
    batches = rows.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert [x.tolist() for x, _ in batches] == [[0, 2, 4, 6, 8], [10, 12, 14, 16, 18], [20, 22]]


def test_functions_that_cannot_be_pickled(monkeypatch):
    monkeypatch.setitem(config._values, "multiprocessing_start_method", "spawn")
    rows = numbers().map(lambda x: x, "x", **KINDS["processes"])
    with pytest.raises(RuntimeError, match="For 'map', worker processes that are not forked need"):
        next(rows.create_tuple_iterator())


FAILURES = [  # function, kind of worker, error, text
    *[(raises, kind, KeyError, "raises raised this for row 5 of epoch 0") for kind in KINDS],
    (raises, "processes", KeyError, r"In worker process 2 of 2 \(pid"),
    (raises_oddly, "processes", RuntimeError, "OddError: odd 1 2"),
    (raises_oddly, "threads", OddError, "odd 1 2"),
    (raises, "threads", KeyError, "In the thread 'map worker [0-2]'"),
    (
        lambda x: {"a": lambda: 0} if x == 5 else {},
        "processes",
        RuntimeError,
        "For 'map', what a worker process computes must be picklable, but row 5 of epoch 0 is not",
    ),
    *[(returns_nothing, kind, TypeError, "rows must hold numbers") for kind in KINDS],
    (
        dies,
        "processes",
        RuntimeError,
        r"pid \d+\) was ended by SIGKILL \(perhaps .* row 5 of epoch",
    ),
    (leaves, "processes", RuntimeError, "ended with exit code 3 before it finished row 5"),
    (hangs, "threads", RuntimeError, "within 0.3 seconds, but a thread has not finished row 5"),
    (hangs, "processes", RuntimeError, r"but worker process 2 of 2 \(pid \d+\) has not finished"),
]


@pytest.mark.parametrize(("function", "kind", "error", "said"), FAILURES)
def test_a_worker_that_fails_ends_the_iteration(function, kind, error, said, monkeypatch):
    seconds = 0.3 if function is hangs else 60
    monkeypatch.setitem(config._values, "multiprocessing_timeout_interval", seconds)
    rows = numbers().project("x").map(function, "x", **KINDS[kind])
    began = time.time()
    with pytest.raises(error, match=said) as refusal:
        listed(rows.create_tuple_iterator(num_epochs=1, output_numpy=True))
    assert type(refusal.value) is error and time.time() - began < 20
    assert not own_children()


def begin_and_wait(report):
    iterators = [numbers(100).map(hangs, **KINDS["processes"]).create_tuple_iterator(
        output_numpy=True) for _ in range(2)]  # fmt: skip
    for iterator in iterators:
        next(iterator)
    report.send([process.pid for process in multiprocessing.active_children()])
    time.sleep(60)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.filterwarnings("ignore:.*fork")
def test_workers_end_with_a_process_that_is_killed():
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe()
    process = context.Process(target=begin_and_wait, args=(sender,))
    process.start()
    pids = receiver.recv()
    process.kill()
    process.join()
    for _ in range(100):
        left = [pid for pid in pids if os.path.exists(f"/proc/{pid}")]
        if not left:
            break
        time.sleep(0.1)
    assert len(pids) == 4 and not left


def forked(compute):
    """How a forked process ends, in which `compute()` is called; at most 20 s later."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(20)
        try:
            compute()
            gc.collect()
            atexit._run_exitfuncs()  # as a process that ends by itself
            os._exit(0)
        except BaseException:  # noqa: BLE001 - the process must not go on as pytest
            traceback.print_exc()
            os._exit(1)
    return os.waitpid(child, 0)[1]


@pytest.mark.filterwarnings("ignore:.*fork")
@pytest.mark.parametrize("does", ["reads on", "drops it", "begins another"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_process_is_forked_while_workers_run(kind, does):
    """It gets an error where it would wait for workers that it does not have, may begin another
    iteration, and leaves those of the other alone."""
    rows = numbers(40).map(lambda x: x + 1, "x", **KINDS[kind])
    iterators = [rows.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    seen = [int(next(iterators[0])[0]) for _ in range(3)]

    def reads_on():
        with pytest.raises(RuntimeError, match="For 'map', an iteration with workers must go on "
                           r"in the process that began it \(pid"):  # fmt: skip
            next(iterators[0])

    def begins_another():
        again = rows.create_tuple_iterator(num_epochs=1, output_numpy=True)
        assert [int(x) for x, _ in again] == list(range(1, 41))

    act = {"reads on": reads_on, "drops it": iterators.clear, "begins another": begins_another}
    assert forked(act[does]) == 0
    seen += [int(x) for x, _ in iterators[0]]
    assert seen == list(range(1, 41))


def test_an_error_says_its_row_without_workers_too():
    with pytest.raises(KeyError, match="For 'map', raises raised this for row 0 of epoch 0"):
        list(numbers().skip(5).map(raises, "x"))
    with pytest.raises(KeyError, match="'per_batch_map' raised this for batch 1 of epoch 0"):
        list(numbers().batch(5, per_batch_map=lambda x, y, info: ([raises(v) for v in x], y)))


def test_reading_ahead_is_bounded(monkeypatch):
    monkeypatch.setitem(config._values, "prefetch_size", 2)
    read = []
    rows = numbers(100).map(lambda x: read.append(int(x)) or x, "x", num_parallel_workers=2)
    iterator = rows.create_tuple_iterator(output_numpy=True)
    assert not read
    next(iterator)
    time.sleep(0.1)
    assert len(read) <= 4


def test_only_a_first_row_needs_no_workers():
    rows = numbers().map(lambda x: np.int32(os.getpid()), "x", **KINDS["processes"])
    assert rows.output_types()[0] == np.int32 and rows.get_dataset_size() == 12
    assert int(rows._first[0]) == os.getpid()
    assert {int(x) for x, _ in rows.create_tuple_iterator(num_epochs=1)} - {os.getpid()} and (
        not own_children()
    )


@pytest.mark.parametrize("is_windows", [False, True])
def test_messages_of_any_size_arrive_whole(is_windows, monkeypatch):
    if is_windows:
        for module, name in ((os, "memfd_create"), (socket, "recv_fds"), (socket, "send_fds")):
            monkeypatch.delattr(module, name, raising=False)
    ends = [row_channel.Channel(end) for end in socket.socketpair()]
    for size in (0, 10, 10_000_000):
        message = {"x": np.arange(size), "y": "text"}
        sender = threading.Thread(target=ends[0].send, args=(message,))
        sender.start()
        received = ends[1].receive(20)
        sender.join()
        assert np.array_equal(received["x"], message["x"]) and received["y"] == "text"
    ends[0].close()
    with pytest.raises(EOFError):
        ends[1].receive(20)
    ends[1].close()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_files_are_closed_when_an_iteration_is_left():
    def one_row():
        return next(numbers().map(large, "x", **KINDS["processes"]).create_tuple_iterator())

    one_row()
    before = len(os.listdir("/proc/self/fd"))
    one_row()
    assert len(os.listdir("/proc/self/fd")) <= before and not own_children()
