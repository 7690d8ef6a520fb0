"""The job's key: launchers of several hosts take commands only from those that have it."""

import os

from sporax.compilation_cache import user_key

VARIABLE = "SPORAX_JOB_KEY"  # never an argument, which other users of the machine would see
_SHORTEST = 16  # characters of the variable


class NoJobKey(Exception):
    """There is no key that this host could use."""


def path():
    """The file of the key where the variable is not set: the user's, of this host or, in a home
    folder that hosts share, of all of them."""
    return user_key.path().with_name("job_key")


def job_key(environ=os.environ):
    """The key of the variable, else that of the file, which is written if it does not exist."""
    text = environ.get(VARIABLE)
    if text is None:
        try:
            return user_key.in_file(path())
        except OSError as error:
            raise NoJobKey(f"the job's key must be in a file of your own: {error}") from None
    if len(text) < _SHORTEST:
        raise NoJobKey(f"{VARIABLE} must have at least {_SHORTEST} characters, but got {len(text)}")
    return os.fsencode(text)
