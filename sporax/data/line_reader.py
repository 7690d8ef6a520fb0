"""`LineReader`: random access to the lines of a text file."""

import os

from sporax._src.diagnosis.argument_kinds import INT, STR, within
from sporax._src.diagnosis.rules import rejection, require


class LineReader:
    """Random access to the lines of a text file, numbered from 1; it is indexed once.

    `reader[n]` and `readline(n)` return a line without its line ending. Raises TypeError if the
    name is not a str, RuntimeError without such a file, ValueError without such a line.

    >>> LineReader(__file__)[3]
    'import os'
    """

    def __init__(self, filename):
        STR("LineReader", filename=filename)
        self.filename = os.path.realpath(filename)
        is_file = os.path.isfile(self.filename)
        require(is_file, "existing-file", "LineReader", filename=filename, error=RuntimeError)
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
        within(1, len(self.offsets), INT)("LineReader.readline", line=line)
        if self._file.closed:
            self._file = open(self.filename, "rb")  # noqa: SIM115
        self._file.seek(self.offsets[line - 1])
        try:
            return self._file.readline().rstrip(b"\r\n").decode("utf-8")
        except UnicodeDecodeError as error:
            fields = {"number": line, "reason": error.reason, "start": error.start}
            who, path = "LineReader.readline", self.filename
            raise rejection("file-utf-8-line", who, path=path, **fields) from None

    def close(self):
        """Close the file; the next `readline` reopens it."""
        self._file.close()

    def __del__(self):
        if hasattr(self, "_file"):
            self._file.close()
