"""Writing a file whole or not at all."""

import contextlib
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


def _settle(folder):
    """Make the new name last through a power cut, where folders can be synchronised."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
