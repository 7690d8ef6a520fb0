"""From which data? The settings of data pipelines; the pipelines themselves are still to come."""

from sporax.core.errors import missing
from sporax.data import config

__all__ = ["config"]


def __getattr__(name):
    raise missing("dataset", name)
