"""One thread that writes while the program goes on."""

import threading

_NAME = "asyn_save_ckpt"  # scripts look for MindSpore's thread under this name
_lock = threading.Lock()
_thread = None


def start(write, *args):
    """Call `write(*given)` in a thread, after the one before has ended."""
    global _thread
    with _lock:
        wait()
        _thread = threading.Thread(target=write, args=args, name=_NAME)
        _thread.start()


def wait():
    """Until nothing is being written."""
    if _thread is not None:
        _thread.join()


def async_ckpt_thread_status():
    """Whether an asynchronous save is still writing.

    >>> async_ckpt_thread_status()
    False
    """
    return _thread is not None and _thread.is_alive()
