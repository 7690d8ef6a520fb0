"""A background thread that writes files."""

import logging
import threading

from sporax._src.core.interruptions import uninterrupted

_NAME = "asyn_save_ckpt"  # MindSpore's name for the thread, which scripts look up
_lock = threading.Lock()
_thread = None
_failures = []
_log = logging.getLogger("sporax")


def start(write, *args):
    """Call `write(*args)` in a thread, after the previous one has ended."""
    wait()
    _start(write, args)


@uninterrupted
def _start(write, args):
    global _thread
    with _lock:
        wait()
        thread = threading.Thread(target=_call, args=(write, *args), name=_NAME)
        thread.start()
        _thread = thread


def _call(write, *args):
    try:
        write(*args)
    except Exception as error:  # noqa: BLE001 - raised by `wait`; logged, for it may never be called
        _log.error("%s", error)
        _failures.append(error)


def wait():
    """Wait for a pending write, and raise its exception."""
    if _thread is not None:
        _thread.join()
    if _failures:
        raise _failures.pop()


def async_ckpt_thread_status():
    """Return True if an asynchronous save is still writing.

    >>> async_ckpt_thread_status()
    False
    """
    return _thread is not None and _thread.is_alive()
