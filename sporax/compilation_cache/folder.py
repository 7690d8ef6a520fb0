"""The compiled programs that outlive the process: JAX's persistent cache, on by default.

JAX makes the key of a program: what is computed, the versions of jaxlib and of the platform, XLA's
flags and options, and a fingerprint of the devices, which for a CPU has its instruction sets. How a
program lies in the folder is said here, since JAX writes files in place and never again: a process
that is killed while it writes, or a full disk, leaves a file that every later one stumbles over.
Its own bound looks at every file each time one is added (4,000 programs kept: compiling a small one
takes 120 ms instead of 45). A compiled program is code: one is taken only from a folder that nobody
else can write, and with a code of the user's key.
"""

import atexit
import contextlib
import os
import re
import secrets
import stat
import time
import warnings
from pathlib import Path
from typing import Any

import jax

from sporax.compilation_cache import user_key
from sporax.core.jax_internals import set_compilation_cache

VARIABLE = "SPORAX_CACHE_DIR"  # another folder for it; "off" for none
MOST_BYTES = 2**30
PRUNED_AFTER = 2**26  # bytes written by a process; it may exceed the bound by as much
_SUFFIX, _PART = ".program", ".part"
_USES, _USES_BYTES = "uses", 1 << 14  # what processes found and made, a line each
_USE = re.compile(r"([0-9]{1,18}) ([0-9]{1,18})")
_ABANDONED = 3600  # seconds after which nobody writes a part any more
_config: Any = jax.config


def folder():
    """Where compiled programs are kept; None where the user has switched that off."""
    chosen = os.environ.get(VARIABLE)
    if chosen in ("off", "0", ""):
        return None
    if chosen is not None:
        return Path(chosen).absolute()  # the script may go elsewhere
    return default_folder()


def default_folder():
    """Where they are kept unless the user says another place."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base).absolute() / "sporax" / "xla"


def switch_on():
    """Have JAX keep every program it compiles, unless the user chose a folder of JAX's own."""
    chosen = folder()
    if chosen is None or _config.jax_compilation_cache_dir is not None:
        return
    jax.config.update("jax_compilation_cache_dir", str(chosen))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
    _keep_in(chosen)


def _keep_in(chosen):
    """Have JAX keep compiled programs in a `Folder` at that path."""
    try:
        set_compilation_cache(str(chosen), Folder(chosen))
    except (ImportError, AttributeError):
        warnings.warn(
            f"How jax {jax.__version__} keeps compiled programs is new to this sporax: it is left "
            f"to JAX, which does not bound '{chosen}'. Set {VARIABLE}=off to keep none.",
            RuntimeWarning,
            stacklevel=2,
        )


class Folder:
    """Compiled programs by key, each in a file that begins with a code of the key and the rest.

    A file takes its name in one step, so several processes need no lock: both write the same. One
    that is damaged is as one that is not there, and is written again. Reading makes a file young.
    """

    def __init__(self, path):
        self._path = Path(path)
        self._unpruned = PRUNED_AFTER  # bytes written since; the first program finds it due
        self._refused = False
        self._is_trusted = None
        self._found = self._made = 0  # programs of this process
        self._process = os.getpid()
        atexit.register(self.note_uses)

    def get(self, key):
        """What was kept; None if nothing, or nothing whole."""
        file = self._file(key)
        try:
            if not self._path.is_dir() or not self._trusted():
                return None
            if not stat.S_ISREG(os.lstat(file).st_mode):
                return None
            content = memoryview(file.read_bytes())
        except OSError:
            return None
        kept = content[user_key.SIZE :]
        if not user_key.is_own(content[: user_key.SIZE], file.name.encode(), kept):
            return None
        with contextlib.suppress(OSError):  # a folder that may only be read
            os.utime(file)
        self._found += 1
        return kept

    def put(self, key, value):
        """Keep a program. Where that fails, there is one warning and no further attempt."""
        if self._refused:
            return
        file = self._file(key)
        part = file.with_name(secrets.token_hex(8) + _PART)
        try:
            self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._trusted():
                self._refused = True
                return
            code = user_key.code(file.name.encode(), value)
            try:
                part.write_bytes(code + value)
                os.replace(part, file)
            except BaseException:
                part.unlink(missing_ok=True)
                raise
            self._made += 1
            self._unpruned += len(value)
            if self._unpruned >= PRUNED_AFTER:
                self._unpruned = 0
                prune(self._path, MOST_BYTES)
        except OSError as cause:
            self._refused = True
            warnings.warn(
                f"Compiled programs cannot be kept in '{self._path}' ({cause.strerror}): the next "
                f"start compiles again. Let {VARIABLE} name another folder, or 'off'.",
                RuntimeWarning,
                stacklevel=2,
            )

    def content(self):
        """(how many programs are kept, their bytes)"""
        sizes = [file.stat().st_size for file in self._path.glob(f"*{_SUFFIX}")]
        return len(sizes), sum(sizes)

    def uses(self):
        """(how many programs the last processes found, how many they compiled and put here)"""
        try:
            lines = (self._path / _USES).read_text("ascii", "replace").splitlines()
        except OSError:
            return 0, 0
        pairs = [(int(p[1]), int(p[2])) for line in lines if (p := _USE.fullmatch(line))]
        return sum(found for found, _ in pairs), sum(made for _, made in pairs)

    def note_uses(self):
        """Add what this process found and made, as it ends; one that it forked says nothing."""
        is_own = self._is_trusted and os.getpid() == self._process
        if not is_own or not self._found + self._made:
            return
        file = self._path / _USES
        with contextlib.suppress(OSError):  # such a folder keeps nothing either
            line = f"{self._found} {self._made}\n".encode()
            is_long = file.exists() and file.stat().st_size > _USES_BYTES
            with open(file, "wb" if is_long else "ab") as kept:
                kept.write(line)

    def _trusted(self):
        """Whether nobody else can write the files. Where others can, there is one warning."""
        if self._is_trusted is None:
            reason, status = None, os.stat(self._path)
            if self._path == default_folder() and status.st_uid == getattr(os, "geteuid", int)():
                os.chmod(self._path, status.st_mode & 0o755)  # a umask may let groups write
            if not user_key.is_private(os.stat(self._path)):
                reason = f"others can write in '{self._path}'. Take that from them: chmod go-w"
            elif user_key.code() is None:
                reason = f"there is no key in '{user_key.path()}' that only you can read"
            self._is_trusted = reason is None
            if reason is not None:
                warnings.warn(
                    f"Compiled programs are neither kept nor taken, since {reason}. Or let "
                    f"{VARIABLE} name a folder of your own, or 'off'.",
                    RuntimeWarning,
                    stacklevel=2,
                )
        return self._is_trusted

    def _file(self, key):
        return self._path / f"{key[-128:]}{_SUFFIX}"  # it ends in the hash


def prune(where, most_bytes):
    """Delete the files of a folder that were not used for longest, until at most `most_bytes` are
    left. Other processes may do so, and write, at the same time."""
    files, writing = [], time.time() - _ABANDONED
    for file in os.scandir(where) if where.is_dir() else ():
        with contextlib.suppress(FileNotFoundError):
            if file.is_file(follow_symlinks=False):
                status = file.stat(follow_symlinks=False)
                if file.name.endswith(_PART) and status.st_mtime > writing:
                    continue
                files.append((status.st_mtime, status.st_size, file.path))
    excess = sum(size for _, size, _ in files) - most_bytes
    for _, size, path in sorted(files):
        if excess <= 0:
            return
        Path(path).unlink(missing_ok=True)
        excess -= size
