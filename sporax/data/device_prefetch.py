"""Rows that a thread computes and transfers to the device ahead of their reader."""

import contextlib
import os
import queue
import threading

from sporax._src.core.jax_internals import default_platform
from sporax.data.worker_pools import refuse_forked

_AHEAD = 2  # rows on the device besides the reader's
_PATIENCE = 1.0  # seconds to wait for the thread when an iteration is left


def is_needed():
    """Return True if arrays are copied to another memory; a CPU uses aligned ones in place."""
    return default_platform() != "cpu"


def rows_ahead(rows, convert):
    """Yield `convert(row)` of each row, computed by a thread that ends with this iterator."""
    results, is_left = queue.Queue(_AHEAD), threading.Event()
    arguments = rows, convert, results, is_left
    thread = threading.Thread(target=_fill, args=arguments, name="device prefetch", daemon=True)
    del rows, arguments  # owned by the thread alone, which thereby closes files and workers
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
            del row  # the reader alone decides when to free the device memory
    finally:
        is_left.set()
        with contextlib.suppress(queue.Empty):
            while True:
                results.get_nowait()
        if thread is not threading.current_thread():  # the garbage collector may run there
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
