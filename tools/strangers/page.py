"""Writes `docs/libraries.md` and its Chinese counterpart from the records."""


def write(table):
    pass
