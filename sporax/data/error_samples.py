"""Handling of rows for which an operation of `map` raises: `config.set_error_samples_mode`."""

import itertools
from enum import IntEnum

from sporax._src.diagnosis.rules import rejection

_REPLACING = 1000  # rows kept as replacements


class ErrorSamplesMode(IntEnum):
    """RETURN: raise the error. REPLACE: at the end of the epoch, repeat its first rows in place of
    the failed ones. SKIP: omit the failed rows."""

    RETURN = 0
    REPLACE = 1
    SKIP = 2


def rows_without_errors(calls, mode):
    """Yield the rows of an epoch; `calls`: functions that return one row each."""
    kept, failed, error = [], 0, None
    for call in calls:
        try:
            row = call()
        except Exception as raised:  # whatever user operations raise
            if mode == ErrorSamplesMode.RETURN:
                raise
            failed, error = failed + 1, raised
            continue
        if mode == ErrorSamplesMode.REPLACE and len(kept) < _REPLACING:
            kept.append(row)
        yield row
    if mode == ErrorSamplesMode.REPLACE and failed:
        if not kept:
            raise rejection("operation-raised-every-row", "map") from error
        yield from itertools.islice(itertools.cycle(kept), failed)
