"""Rows that a thread computes and puts onto the device ahead of their reader."""

import contextlib
import os
import queue
import threading

import jax

from sporax.data.worker_pools import refuse_forked

_AHEAD = 2  # rows on the device besides the reader's
_PATIENCE = 1.0  # seconds that leaving an iteration waits for the thread


def is_needed():
    """Whether arrays go to another memory; a CPU reads aligned ones where they are."""
    return jax.default_backend() != "cpu"


def rows_ahead(rows, convert):
    """`convert(row)` of each row, by a thread that ends with this iterator."""
    results, is_left = queue.Queue(_AHEAD), threading.Event()
    arguments = rows, convert, results, is_left
    thread = threading.Thread(target=_fill, args=arguments, name="device prefetch", daemon=True)
    del rows, arguments  # the thread's alone, which closes files and workers with them
    thread.start()
    home = os.getpid()
    try:
        while True:
            refuse_forked("create_tuple_iterator", home)
            row, error = results.get()
            if error is not None:
                thread.join()
                if error is _END:
                    return
                raise error
            yield row
            del row  # the device's memory is the reader's to free
    finally:
        is_left.set()
        with contextlib.suppress(queue.Empty):
            while True:
                results.get_nowait()
        if thread is not threading.current_thread():  # where the collector closes iterators
            thread.join(_PATIENCE)


_END = StopIteration()


def _fill(rows, convert, results, is_left):
    error = _END
    try:
        for row in rows:
            results.put((convert(row), None))
            del row
            if is_left.is_set():
                return
    except BaseException as raised:  # noqa: BLE001 - raised where the row is read
        error = raised
    finally:
        del rows
        results.put((None, error))


__all__ = ["is_needed", "rows_ahead"]
