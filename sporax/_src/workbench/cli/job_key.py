"""The job key: launchers on several hosts accept commands only from launchers that have it."""

import os

from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.compilation_cache import user_key

VARIABLE = "SPORAX_JOB_KEY"  # not an argument: other users of the machine can see those
_SHORTEST = 16  # characters of the variable


class NoJobKey(Exception):
    """Raised if this host has no usable key."""


def path():
    """Return the path of the key file, which is used if the variable is not set. It is in the
    user's folder, per host, or shared by hosts that share the home folder."""
    return user_key.path().with_name("job_key")


def job_key(environ=os.environ):
    """Return the variable's key, else the file's, which is written if it does not exist."""
    text = environ.get(VARIABLE)
    if text is None:
        try:
            return user_key.in_file(path())
        except OSError as error:
            raise rejection("job-s-key-file", cause=error, error=NoJobKey) from None
    require(len(text) >= _SHORTEST, "at-least-characters", variable=VARIABLE, shortest=_SHORTEST,
            got=len(text), error=NoJobKey)  # fmt: skip
    return os.fsencode(text)
