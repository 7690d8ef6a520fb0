"""Writing a file whole or not at all."""

import contextlib
import errno
import os
import secrets
import stat


@contextlib.contextmanager
def replacing(path):
    """Gives the name of a new, empty file in the same folder to be filled; it then takes the place
    of `path` in one step, once it is on the disk. If that fails, the old file stays as it was, and
    the new one goes. Several may replace one file at the same time: the last one stays."""
    folder, name = os.path.split(os.path.realpath(path))
    part = os.path.join(folder, f".{name}.{secrets.token_hex(4)}.part")
    try:
        with open(part, "xb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        yield part
        os.chmod(part, mode)  # a library may have created the file readable by its owner alone
        with open(part, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(part, os.path.join(folder, name))
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
        raise
    _settle(folder)


@contextlib.contextmanager
def errors_named(who, path):
    """Let an error of the system say which call could not write which file."""
    try:
        yield
    except OSError as error:
        raise OSError(
            error.errno or errno.EIO,
            f"For '{who}', '{path}' could not be written: {error.strerror or error}. Make room, or "
            "choose another folder",
        ) from error


def write(path, content):
    """As `Path.write_bytes`, whole or not at all."""
    with replacing(path) as part, open(part, "wb") as file:
        file.write(content)


def _settle(folder):
    """Make the new name last through a power cut, where folders can be synchronised."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
