"""What `map` does with rows of which an operation raises: `config.set_error_samples_mode`."""

import itertools
from enum import IntEnum

_REPLACING = 1000  # rows that are kept to stand for others


class ErrorSamplesMode(IntEnum):
    """RETURN: the error is raised. REPLACE: other rows come at the end of the epoch in place of
    those that failed, its first ones. SKIP: they are left out."""

    RETURN = 0
    REPLACE = 1
    SKIP = 2


def rows_without_errors(calls, mode):
    """The rows of an epoch, by functions that give one each."""
    kept, failed, error = [], 0, None
    for call in calls:
        try:
            row = call()
        except Exception as raised:  # whatever the operations of the user raise
            if mode == ErrorSamplesMode.RETURN:
                raise
            failed, error = failed + 1, raised
            continue
        if mode == ErrorSamplesMode.REPLACE and len(kept) < _REPLACING:
            kept.append(row)
        yield row
    if mode == ErrorSamplesMode.REPLACE and failed:
        if not kept:
            raise RuntimeError(
                "For 'map', an operation raised for every row, so that there is none to replace "
                "them. See the error above; ErrorSamplesMode.RETURN raises the first."
            ) from error
        yield from itertools.islice(itertools.cycle(kept), failed)
