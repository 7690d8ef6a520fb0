"""JAX's persistent cache of compiled programs, on by default, with a separate file storage.

JAX computes the key of a program from the computation, the versions of jaxlib and the platform,
XLA's flags and options, and a fingerprint of the devices, which for a CPU includes its instruction
sets. The storage is replaced because JAX writes files in place and never rewrites them: a process
killed during a write, or a full disk, leaves a file on which every later process fails. JAX's size
limit also inspects every file at each addition (with 4,000 programs, compiling a small one takes
120 ms instead of 45). A compiled program is executable code: it is loaded only from a folder that
only the user can write, and only with an authentication code made with the user's key.
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
from typing import Any, ClassVar

import jax

from sporax._src.core.jax_internals import set_compilation_cache
from sporax._src.runtime.compilation_cache import user_key

VARIABLE = "SPORAX_CACHE_DIR"  # the folder of the cache; "off" disables it
MOST_BYTES = 2**30
PRUNED_AFTER = 2**26  # bytes a process writes between prunings; the excess over the limit
_SUFFIX, _PART = ".program", ".part"
_USES, _USES_BYTES = "uses", 1 << 14  # hits and additions, a line per process
_USE = re.compile(r"([0-9]{1,18}) ([0-9]{1,18})")
_ABANDONED = 3600  # seconds after which a partial file is abandoned
_config: Any = jax.config


def folder():
    """Return the folder of the cache; None if the user has disabled it."""
    chosen = os.environ.get(VARIABLE)
    if chosen in ("off", "0", ""):
        return None
    if chosen is not None:
        return Path(chosen).absolute()  # the script may change directory
    return default_folder()


def default_folder():
    """Return the default folder of the cache."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base).absolute() / "sporax" / "xla"


def switch_on():
    """Make JAX cache every compiled program, unless the user has set JAX's own cache folder."""
    chosen = folder()
    if chosen is None or _config.jax_compilation_cache_dir is not None:
        return
    jax.config.update("jax_compilation_cache_dir", str(chosen))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
    _keep_in(chosen)


def _keep_in(chosen):
    """Make JAX cache compiled programs in a `Folder` at this path."""
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
    """Compiled programs by key; each file begins with an authentication code of key and content.

    Files are renamed into place atomically, so processes need no lock: they write equal content. A
    damaged file counts as missing, and is rewritten. Reading a file updates its time.
    """

    packed: ClassVar[Any] = {}  # programs of a packed file: {name: content}, read before files

    def __init__(self, path):
        self._path = Path(path)
        self._unpruned = PRUNED_AFTER  # bytes since the last pruning
        self._refused = False
        self._is_trusted = None
        self._found = self._made = 0  # programs of this process
        self._process = os.getpid()
        atexit.register(self.note_uses)

    def get(self, key):
        """Return the cached program; None if it is missing or damaged."""
        file = self._file(key)
        if file.name in self.packed:
            return self.packed[file.name]
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
        with contextlib.suppress(OSError):  # the folder may be read-only
            os.utime(file)
        self._found += 1
        return kept

    def put(self, key, value):
        """Store a program. On failure, warn once and make no further attempts."""
        if self._refused:
            return
        file = self._file(key)
        temporary = file.with_name(secrets.token_hex(8) + _PART)
        try:
            self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._trusted():
                self._refused = True
                return
            code = user_key.code(file.name.encode(), value)
            try:
                temporary.write_bytes(code + value)
                os.replace(temporary, file)
            except BaseException:
                temporary.unlink(missing_ok=True)
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
        """Return (number of cached programs, their total bytes)."""
        sizes = [file.stat().st_size for file in self._path.glob(f"*{_SUFFIX}")]
        return len(sizes), sum(sizes)

    def uses(self):
        """Return (cache hits, programs compiled and stored) of the last processes."""
        try:
            lines = (self._path / _USES).read_text("ascii", "replace").splitlines()
        except OSError:
            return 0, 0
        pairs = [(int(p[1]), int(p[2])) for line in lines if (p := _USE.fullmatch(line))]
        return sum(hits for hits, _ in pairs), sum(made for _, made in pairs)

    def note_uses(self):
        """Append the hits and additions of this process at exit; forked children write nothing."""
        is_own = self._is_trusted and os.getpid() == self._process
        if not is_own or not self._found + self._made:
            return
        file = self._path / _USES
        with contextlib.suppress(OSError):  # such a folder cannot store programs either
            line = f"{self._found} {self._made}\n".encode()
            is_long = file.exists() and file.stat().st_size > _USES_BYTES
            with open(file, "wb" if is_long else "ab") as kept:
                kept.write(line)

    def _trusted(self):
        """Return True if only the user can write the files; else warn once."""
        if self._is_trusted is None:
            reason, status = None, os.stat(self._path)
            if self._path == default_folder() and status.st_uid == getattr(os, "geteuid", int)():
                os.chmod(self._path, status.st_mode & 0o755)  # a umask may allow group writes
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
        return self._path / _name(key)


def _name(key):
    """Return the name of the file of a key, which ends with the hash."""
    return f"{key[-128:]}{_SUFFIX}"


class Recorded:
    """Compiled programs in memory, {name of a file: content}: a cache that begins empty, since XLA
    cannot write a program to a file that it has loaded from one. `is_open`: whether programs are
    read and added."""

    def __init__(self):
        self.programs, self.is_open = {}, True

    def get(self, key):
        """Return the cached program, or None."""
        return self.programs.get(_name(key)) if self.is_open else None

    def put(self, key, value):
        """Store a program."""
        if self.is_open:
            self.programs[_name(key)] = bytes(value)


def record():
    """Make JAX keep the programs that it compiles in a `Recorded` alone, and return it."""
    cache, name = Recorded(), "recorded"
    jax.config.update("jax_enable_compilation_cache", True)
    jax.config.update("jax_compilation_cache_dir", name)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
    jax.config.update("jax_persistent_cache_enable_xla_caches", "none")
    set_compilation_cache(name, cache)
    return cache


def prune(where, most_bytes):
    """Delete the least recently used files of a folder until at most `most_bytes` are left. Other
    processes may prune and write concurrently."""
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
