"""`LineReader`: random access to the lines of a text file."""

import os


class LineReader:
    """Random access to the lines of a text file, numbered from 1; it is indexed once.

    `reader[n]` and `readline(n)` return a line without its line ending. Raises TypeError if the
    name is not a str, RuntimeError without such a file, ValueError without such a line.

    >>> LineReader(__file__)[3]
    'import os'
    """

    def __init__(self, filename):
        if not isinstance(filename, str):
            raise TypeError(
                f"For 'LineReader', 'filename' must be a str, but got {type(filename).__name__}."
            )
        self.filename = os.path.realpath(filename)
        if not os.path.isfile(self.filename):
            raise RuntimeError(
                f"For 'LineReader', 'filename' must name a file, but got '{filename}'."
            )
        self._file = open(self.filename, "rb")  # noqa: SIM115 - it lives as long as the reader
        self.offsets = [0]
        while self._file.readline():
            self.offsets.append(self._file.tell())
        self.offsets.pop()

    def __getitem__(self, line):
        return self.readline(line)

    def __len__(self):
        return len(self.offsets)

    def len(self):
        """Return the number of lines."""
        return len(self.offsets)

    def readline(self, line):
        """Return the line of that number, without its line ending."""
        if not isinstance(line, int) or isinstance(line, bool):
            raise TypeError(
                f"For 'LineReader.readline', 'line' must be an int, but got {type(line).__name__}."
            )
        if not 1 <= line <= len(self.offsets):
            raise ValueError(
                f"For 'LineReader.readline', 'line' must be in [1, {len(self.offsets)}], but got "
                f"{line}."
            )
        if self._file.closed:
            self._file = open(self.filename, "rb")  # noqa: SIM115
        self._file.seek(self.offsets[line - 1])
        try:
            return self._file.readline().rstrip(b"\r\n").decode("utf-8")
        except UnicodeDecodeError as error:
            raise RuntimeError(
                f"For 'LineReader.readline', line {line} of '{self.filename}' must be UTF-8, but: "
                f"{error.reason} at byte {error.start}."
            ) from None

    def close(self):
        """Close the file; the next `readline` reopens it."""
        self._file.close()

    def __del__(self):
        if hasattr(self, "_file"):
            self._file.close()
