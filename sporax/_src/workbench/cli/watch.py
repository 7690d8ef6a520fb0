"""`sporax watch`: the page of runs, served on this machine or written to a file."""

import contextlib
import signal
import sys
import threading

from sporax import insight
from sporax.insight.dashboard_server import DashboardServer

_REFUSED = 2


def watch(runs, port=0, seconds=None, html=None):
    """Serve or write the page; return the exit code: 0, or 2 after an OSError or ValueError."""
    try:
        if html is not None:
            print(insight.write_dashboard(runs, html))
            return 0
        server = DashboardServer(runs, port)
    except (OSError, ValueError) as error:
        named = isinstance(error, OSError) and error.strerror
        text = f"'{error.filename}': {error.strerror}" if named else str(error)
        print(f"sporax: {text}", file=sys.stderr)
        return _REFUSED
    with contextlib.suppress(KeyboardInterrupt), server, _ended_by_signal(server):
        print(f"{server.address} (Ctrl-C ends it)", flush=True)
        if seconds is not None:
            timer = threading.Timer(seconds, server.shutdown)
            timer.daemon = True
            timer.start()
        server.serve_forever(poll_interval=0.1)
    return 0


@contextlib.contextmanager
def _ended_by_signal(server):
    """Make SIGTERM end the server, if this is the main thread, which receives signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number, frame):  # `shutdown` here would wait for this very thread
        threading.Thread(target=server.shutdown, daemon=True).start()

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
