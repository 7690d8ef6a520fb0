"""HTTP server for the live page of runs, on the loopback address only, for who has its token."""

import errno
import hmac
import json
import secrets
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from sporax._src.diagnosis.rules import message, rejection
from sporax._src.workbench import pages
from sporax.insight.dashboard import data_of, live_page
from sporax.insight.run_files import Runs

_HOST = "127.0.0.1"
_HEADERS = pages.HEADERS | {"Cross-Origin-Resource-Policy": "same-origin"}


class DashboardServer(ThreadingHTTPServer):
    """Serve the page of the runs at `paths` (`/`) and its data (`/data`) at `address`, which has a
    token, as other users of the machine can connect, too.

    `port`: 0 selects a free port. Raises what `Runs` raises if a path holds no run, and OSError if
    the port is not available.
    """

    daemon_threads = True

    def __init__(self, paths, port=0):
        self._runs, self._lock = Runs(paths), threading.Lock()
        self._data = data_of(self._runs)
        try:
            super().__init__((_HOST, port), _Handler)
        except OSError as error:
            is_used = error.errno == errno.EADDRINUSE
            why = message("in-use") if is_used else message("cannot-be-opened", cause=error)
            raise rejection("port", port=port, why=why) from None
        self.hosts = {f"{name}:{self.server_port}" for name in (_HOST, "localhost")}
        self.token = secrets.token_urlsafe(24)
        self.address = f"http://{_HOST}:{self.server_port}/?token={self.token}"

    def page(self):
        """Return (content type, text) of the page."""
        return "text/html; charset=utf-8", live_page(self._latest())

    def data(self):
        """Return (content type, text) of the page's current data, as JSON."""
        text = json.dumps(self._latest(), ensure_ascii=False, allow_nan=False)
        return "application/json", text

    def _latest(self):
        with self._lock:
            if self._runs.update():
                self._data = data_of(self._runs)
            return self._data


def _icon(server):
    """Return (content type, text) of an empty favicon, which browsers request."""
    return "image/x-icon", ""


_ICON = "/favicon.ico"  # which browsers request without a token
_PAGES = {"/": DashboardServer.page, "/data": DashboardServer.data, _ICON: _icon}


class _Handler(BaseHTTPRequestHandler):
    """Answer GET requests whose Host header names this server; others are rejected, as a protection
    against DNS rebinding."""

    server: DashboardServer
    timeout = 10
    server_version, sys_version = "sporax", ""

    def do_GET(self):
        named = self.headers.get_all("Host", [])
        if len(named) != 1 or named[0].lower() not in self.server.hosts:
            self.send_error(HTTPStatus.FORBIDDEN, "Another host is meant")
            return
        asked = urlsplit(self.path)
        made = _PAGES.get(asked.path)
        if made is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        (given,) = parse_qs(asked.query).get("token", [""])[:1]
        is_open = asked.path == _ICON
        if not is_open and not hmac.compare_digest(given.encode(), self.server.token.encode()):
            self.send_error(HTTPStatus.UNAUTHORIZED, "The address must have the token")
            return
        try:
            status, (kind, text) = HTTPStatus.OK, made(self.server)
        except (OSError, ValueError) as error:  # a run was damaged in the meantime
            status, kind, text = HTTPStatus.INTERNAL_SERVER_ERROR, "text/plain", str(error)
        content = text.encode("utf8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _refuse(self):
        self.send_error(HTTPStatus.METHOD_NOT_ALLOWED)

    do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _refuse

    def end_headers(self):
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format, *arguments):
        """Log nothing: the terminal shows only the address."""
