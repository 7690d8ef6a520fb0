"""The folder of a run: `run.jsonl` and PNG images. The first line of `run.jsonl` holds the format's
version, each further line one record.

A record is appended with a single write. A last line without a newline is still being written, or
the process ended while writing it; it is ignored.
"""

import base64
import json
import math
import os
import re
import time
from pathlib import Path

from sporax._src.diagnosis.rules import rejection, require
from sporax.io import atomic_write, untrusted_file
from sporax.train.event_file import png

FILE, FORMAT, VERSION = "run.jsonl", "sporax run", 1
RANK = "rank"  # prefix of a rank's folder inside the run's folder
LAYER_KINDS = ("parameters", "gradients", "activations")
_IMAGE = re.compile(r"image-\d+-\d+\.png")
_NOT_FINITE = ("nan", "inf", "-inf")
STATISTICS = ("low", "high", "mean", "std", "norm", "zeros", "not_finite")


def number(value):
    """Return a number for JSON: a float if it is finite, else 'nan', 'inf' or '-inf'."""
    value = float(value)
    return value if math.isfinite(value) else str(value)


class RunFolder:
    """A run's folder to write to, created if missing.

    Raises FileExistsError if it already holds a run and `resume` is False, ValueError if that run
    cannot be read.
    """

    def __init__(self, folder, name, resume, **about):
        self.path = Path(folder) / FILE
        self.last_step, self._images = 0, 0
        with atomic_write.errors_named("RunRecord", folder):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        if not self.path.exists():
            header = {"format": FORMAT, "version": VERSION, "name": name, "started": time.time(),
                      **about}  # fmt: skip
            with atomic_write.errors_named("RunRecord", self.path):
                atomic_write.write(self.path, _line(header))
        elif resume:
            self._go_on()
        else:
            raise rejection("hold-no-run", "RunRecord", folder=folder)

    def _go_on(self):
        run = Run(self.path.parent)
        run.update()
        self.last_step = run.last_step
        numbers = [int(p.stem.split("-")[1]) for p in self.path.parent.glob("image-*-*.png")]
        self._images = max(numbers, default=-1) + 1
        os.truncate(self.path, run.offset)  # drop an incomplete last line

    def append(self, **record):
        """Append one record."""
        line = _line({"time": time.time(), **record})
        with atomic_write.errors_named("RunRecord", self.path):
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND)
            try:
                require(os.write(descriptor, line) == len(line), "part-record-could-written")
            finally:
                os.close(descriptor)

    def add_images(self, step, name, images):
        """Write uint8 images of shape (N, C, H, W) as PNG files, and a record with their names."""
        names = [f"image-{self._images}-{k}.png" for k in range(len(images))]
        self._images += 1
        for file, image in zip(names, images, strict=True):
            with atomic_write.errors_named("RunRecord", self.path.parent / file):
                (self.path.parent / file).write_bytes(png(image))  # before the record that names it
        self.append(step=step, images={name: names})


def _line(record):
    text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf8", "backslashreplace") + b"\n"


class Run:
    """The records of a run's folder; `update` reads the records added since the last call.

    `about`: its hyperparameters and note; `times`: {step: seconds since the start}; `curves`:
    {name: {step: number}}; `layers`: {kind: {name: {step: statistics}}}; `images`:
    {name: {step: [file]}}; `offset`: bytes read. A later record of a step overrides an earlier one.
    Raises FileNotFoundError if the folder has no run, ValueError if the run is damaged or has
    another version.
    """

    def __init__(self, folder):
        self.folder, self.offset, self.last_step, self._lines = Path(folder), 0, 0, 0
        self.curves, self.images = {}, {}
        self.about, self.times, self._started = {"hyperparameters": {}, "note": ""}, {}, None
        self.layers = {kind: {} for kind in LAYER_KINDS}
        is_run = (self.folder / FILE).is_file()
        require(is_run, "no-run-no-writes", "RunRecord", argument=folder, file=FILE)
        self.name, self._inode = self.folder.absolute().name, (self.folder / FILE).stat().st_ino
        self.update()
        require(self._lines, "no-run-begins-no", "RunRecord", argument=folder, file=FILE)

    def update(self):
        """Read the records added since the last call; return True if there are any."""
        path = self.folder / FILE
        try:
            with untrusted_file.opened(path) as file:
                file.seek(self.offset)
                content = file.read()
        except OSError as error:
            cause = untrusted_file.cause(error)
            raise rejection("cannot-read", "RunRecord", argument=path, cause=cause) from None
        whole = content.rfind(b"\n") + 1
        for line in content[:whole].splitlines():
            self._lines += 1
            try:
                record = untrusted_file.json_of(line.decode("utf8"))
                self._header(record) if self._lines == 1 else self._add(record)
            except untrusted_file.MALFORMED as error:
                if isinstance(error, _OtherVersion):
                    raise
                fields = {"path": path, "line": self._lines, "cause": untrusted_file.cause(error)}
                raise rejection("damaged-line", "RunRecord", **fields) from None
        self.offset += whole
        return whole > 0

    def goes_on(self):
        """Return True if the file is still the one that was read: same inode, not truncated."""
        try:
            status = (self.folder / FILE).stat()
        except FileNotFoundError:
            return False
        return status.st_ino == self._inode and status.st_size >= self.offset

    def _header(self, header):
        require(header["format"] == FORMAT, "says", header=header["format"])
        require(header["version"] == VERSION, "run-version-sporax-reads", "RunRecord",
                argument=self.folder, header=header["version"], version=VERSION,
                error=_OtherVersion)  # fmt: skip
        self.name = str(header["name"] or self.name)
        self._started = float(header.get("started", 0))
        of_run = header.get("hyperparameters", {})
        fits = all(isinstance(v, (str, int, float, bool, type(None))) for v in of_run.values())
        require(fits, "hyperparameters-plain")
        self.about = {"hyperparameters": of_run, "note": str(header.get("note", ""))}

    def _add(self, record):
        step = record["step"]
        require(isinstance(step, int), "step-no-whole-number")
        self.last_step = max(self.last_step, step)
        if self._started and "time" in record:
            self.times[step] = max(float(_checked(record["time"])) - self._started, 0.0)
        for name, value in record.get("scalars", {}).items():
            self.curves.setdefault(name, {})[step] = _checked(value)
        for kind, layers in record.get("layers", {}).items():
            for name, statistics in layers.items():
                kept = {key: _checked(statistics[key]) for key in STATISTICS}
                kept["counts"] = [int(count) for count in statistics["counts"]]
                self.layers[kind].setdefault(name, {})[step] = kept
        for name, files in record.get("images", {}).items():
            require(all(_IMAGE.fullmatch(file) for file in files), "names-image-no-file")
            self.images.setdefault(name, {})[step] = files

    def image(self, file):
        """Return an image as a data URL; None if its file cannot be read."""
        try:
            content = untrusted_file.content(self.folder / file)
        except OSError:
            return None
        return f"data:image/png;base64,{base64.b64encode(content).decode()}"


class _OtherVersion(ValueError):
    pass


def _checked(value):
    fits = value in _NOT_FINITE or (isinstance(value, (int, float)) and math.isfinite(value))
    require(fits, "no-number", value=value)
    return value


class Runs:
    """The runs at `paths`: each path is a run's folder, or contains folders of runs or of ranks.

    Raises what `Run` raises, and FileNotFoundError if a folder does not exist.
    """

    def __init__(self, paths):
        self.paths, self._of = [Path(path) for path in paths], {}
        self.update()

    def __iter__(self):
        return iter(self._of.values())

    def update(self):
        """Read added records and find new runs; return True if anything changed."""
        before, self._of, is_new = self._of, {}, False
        for folder in self._folders():
            run = before.get(folder)
            if run is None or not run.goes_on():
                run, is_new = Run(folder), True
            else:
                is_new |= run.update()
            self._of[folder] = run
        return is_new or len(before) != len(self._of)

    def _folders(self):
        for path in self.paths:
            require(path.is_dir(), "folder", "RunRecord", path=path, error=FileNotFoundError)
            ways = (f"*/{FILE}", f"*/{RANK}*/{FILE}")
            inside = sorted(p.parent for way in ways for p in path.glob(way))
            yield from inside if inside and not (path / FILE).exists() else [path]
