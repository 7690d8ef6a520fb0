"""Origins of rows, for the errors of operations on them."""


class FileRow(tuple):
    """A row from files. `origins`: a list of (file, number of the record or None for the whole
    file)."""

    origins: list

    def __new__(cls, values, origins):
        row = super().__new__(cls, values)
        row.origins = origins
        return row

    def __reduce__(self):
        return FileRow, (tuple(self), self.origins)


def row_like(row, values):
    """Return a row of values with the origins of `row`."""
    return FileRow(values, row.origins) if type(row) is FileRow else tuple(values)


def joined_row(rows):
    """Return the columns of several rows as one row."""
    origins = [origin for row in rows if type(row) is FileRow for origin in row.origins]
    return FileRow([value for row in rows for value in row], origins)


def note(error, who, function, position, row):
    """Add to an error the function that raised it and the row: its (epoch, number), and the files
    it came from."""
    name = getattr(function, "__name__", type(function).__name__)
    files = [
        f"the file '{path}'" if number is None else f"record {number} of '{path}'"
        for path, number in getattr(row, "origins", ())
    ]
    origin = f", which came from {' and '.join(files)}" if files else ""
    error.add_note(
        f"For '{who}', {name} raised this for row {position[1]} of epoch {position[0]}{origin}."
    )


__all__ = ["FileRow", "joined_row", "note", "row_like"]
