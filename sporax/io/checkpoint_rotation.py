"""Rotation of a training run's checkpoints: removes the oldest files of a folder."""

import logging
import os
import stat

_log = logging.getLogger("sporax")


class CheckpointManager:
    """The checkpoints of one prefix in a folder, as MindSpore's callback manages them.

    `format`: the file extension, without the dot. A checkpoint's name is `prefix-` followed by
    characters other than letters, such as `net-1_32.ckpt`.

    >>> CheckpointManager().ckpoint_num
    0
    """

    def __init__(self, format="ckpt"):
        self._format, self._files = format, []
        self._written = {}  # path -> order of writing; clocks may be set back

    @property
    def ckpoint_filelist(self):
        """Paths of the checkpoint files."""
        return self._files

    @property
    def ckpoint_num(self):
        """The number of files."""
        return len(self._files)

    def update_ckpoint_filelist(self, directory, prefix, spared=None):
        """Refresh the list of files, leaving out the path `spared`."""
        self._files = []
        for name in os.listdir(directory):
            stem, ending = os.path.splitext(name)
            number = stem.removeprefix(f"{prefix}-")
            if ending == f".{self._format}" and number != stem and not _has_letters(number):
                path = os.path.join(directory, name)
                if path != spared:
                    self._files.append(path)

    def remove_ckpoint_file(self, file_name):
        """Remove a file from the folder and the list; log a warning if that fails."""
        try:
            os.chmod(
                file_name, stat.S_IREAD | stat.S_IWRITE
            )  # Windows cannot remove read-only files
            os.remove(file_name)
            self._files.remove(file_name)
        except (OSError, ValueError) as error:
            _log.warning("The older checkpoint '%s' could not be removed: %s", file_name, error)

    def _note_written(self, path):
        self._written.pop(path, None)
        self._written[path] = max(self._written.values(), default=0) + 1

    def remove_oldest_ckpoint_file(self):
        """Remove the oldest file: files of earlier runs first, by modification time."""
        age = lambda path: (self._written.get(path, 0), os.path.getmtime(path))  # noqa: E731
        self.remove_ckpoint_file(min(self._files, key=age))

    def keep_one_ckpoint_per_minutes(self, minutes, cur_time):
        """Remove all but the first file modified within `minutes` of `cur_time` (in seconds)."""
        times = {path: os.path.getmtime(path) for path in self._files}
        recent = [path for path in self._files if abs(cur_time - times[path]) < 60 * minutes]
        for path in sorted(recent, key=times.__getitem__)[1:]:
            self.remove_ckpoint_file(path)


def _has_letters(text):
    return any(character.isalpha() for character in text)
