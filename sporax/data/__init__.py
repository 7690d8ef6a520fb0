"""From which data? Pipelines of rows, from Python objects and arrays."""

import enum

from sporax.core.errors import missing
from sporax.data import config, transforms
from sporax.data.batch import BatchInfo
from sporax.data.dataset import Dataset
from sporax.data.parts import zip_datasets as zip
from sporax.data.sampler import (
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    SubsetSampler,
    WeightedRandomSampler,
)
from sporax.data.source import GeneratorDataset, NumpySlicesDataset


class Shuffle(enum.StrEnum):
    """What is shuffled: all rows, or files and rows, or files."""

    GLOBAL = "global"
    FILES = "files"
    INFILE = "infile"


__all__ = [
    "BatchInfo",
    "Dataset",
    "DistributedSampler",
    "GeneratorDataset",
    "NumpySlicesDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "Shuffle",
    "SubsetRandomSampler",
    "SubsetSampler",
    "WeightedRandomSampler",
    "config",
    "transforms",
    "zip",
]


def __getattr__(name):
    raise missing("dataset", name)
