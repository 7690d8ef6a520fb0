"""Where rows came from, for the errors of what is done to them."""


class FileRow(tuple):
    """A row out of files. `origins`: (file, number of its record or None for the whole of it) of
    each."""

    def __new__(cls, values, origins):
        row = super().__new__(cls, values)
        row.origins = origins
        return row

    def __reduce__(self):
        return FileRow, (tuple(self), self.origins)


def row_like(row, values):
    """A row of values that came from where `row` did."""
    return FileRow(values, row.origins) if type(row) is FileRow else tuple(values)


def joined_row(rows):
    """The columns of several rows as one row."""
    origins = [origin for row in rows if type(row) is FileRow for origin in row.origins]
    return FileRow([value for row in rows for value in row], origins)


def note(error, who, function, at, row):
    """Say in an error which function raised it, and for which row: its (epoch, number), and the
    files that it came from."""
    name = getattr(function, "__name__", type(function).__name__)
    files = [
        f"the file '{path}'" if number is None else f"record {number} of '{path}'"
        for path, number in getattr(row, "origins", ())
    ]
    origin = f", which came from {' and '.join(files)}" if files else ""
    error.add_note(f"For '{who}', {name} raised this for row {at[1]} of epoch {at[0]}{origin}.")


__all__ = ["FileRow", "joined_row", "note", "row_like"]
