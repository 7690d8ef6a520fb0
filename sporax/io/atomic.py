"""Writing a file whole or not at all."""

import contextlib
import os
import secrets


def write(path, chunks):
    """Write chunks of bytes to `path`, all or nothing.

    They go to a new file in the same folder, which takes the place of the old one only when it is
    complete and on the disk. If that fails, the old file stays as it was.
    """
    folder, name = os.path.split(os.path.realpath(path))
    part = os.path.join(folder, f".{name}.{secrets.token_hex(4)}.part")
    descriptor = os.open(
        part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666
    )
    try:
        with open(descriptor, "wb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, os.path.join(folder, name))
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
        raise
    _settle(folder)


def _settle(folder):
    """Make the new name last through a power cut, where folders can be synchronised."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
