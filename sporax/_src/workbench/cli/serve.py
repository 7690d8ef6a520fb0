"""`sporax serve`: an exported graph as an HTTP service."""

import contextlib
import os
import secrets
import socket
import stat
import sys

from sporax._src.diagnosis.rules import message, rejection
from sporax._src.installation import as_installed

_REFUSED = 2
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}
_CONNECTIONS = 1000  # beyond these, uvicorn answers with status 503


def serve(options):
    """Serve a file until Ctrl-C; return the exit code: 0, or 2 if the server cannot start."""
    try:
        import uvicorn

        from sporax._src.workbench.serving import ServedGraph, application
    except ImportError as error:
        remedy = as_installed("pip install 'sporax[serve]'")
        print(f"sporax: 'serve' needs the package {error.name}: {remedy}", file=sys.stderr)
        return _REFUSED
    try:
        token = _token(options)
        served = ServedGraph(options.file)
        listening = _socket(options.host, options.port)
    except (OSError, RuntimeError, ValueError) as error:
        print(f"sporax: {error}", file=sys.stderr)
        return _REFUSED
    with listening:
        served.prepare(options.batch)
        port = listening.getsockname()[1]
        is_local = options.host in _LOOPBACK
        app = application(
            served, batch=options.batch, most_waiting=options.waiting,
            most_bytes=options.megabytes * 10**6, token=token,
            hosts={f"{name}:{port}" for name in _LOOPBACK} if is_local else None,
            title=os.path.basename(options.file),
        )  # fmt: skip
        shown = f"[{options.host}]" if ":" in options.host else options.host
        query = f"?token={token}" if token is not None and options.token is None else ""
        print(f"http://{shown}:{port}/{query} (Ctrl-C ends it)", flush=True)
        if served.batch is None:
            print(f"sporax serve: {served.why_single}.", flush=True)
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, date_header=False,
            limit_concurrency=_CONNECTIONS, lifespan="on",
        )  # fmt: skip
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])
    return 0


def _token(options):
    """Return the token that requests need: that of the file; one made here if the server can be
    reached from other machines; else None. Raises PermissionError if others can read the file."""
    if options.token is None:
        return None if options.host in _LOOPBACK else secrets.token_urlsafe(24)
    if os.name == "posix" and stat.S_IMODE(os.stat(options.token).st_mode) & 0o077:
        raise PermissionError(message("serve-token-file", path=options.token))
    with open(options.token, encoding="utf8") as file:
        token = file.read().strip()
    if len(token) < 16:
        raise ValueError(message("serve-token-short", path=options.token))
    return token


def _socket(host, port):
    family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listening = socket.socket(family, kind)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_CONNECTIONS)
    except OSError as error:
        listening.close()
        why = message("cannot-be-opened", cause=error.strerror)
        raise rejection("port", port=port, why=why, error=OSError) from None
    return listening
