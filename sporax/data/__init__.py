"""Data pipelines of rows from Python objects, arrays and files."""

import enum
import importlib

from sporax.core.errors import missing
from sporax.data import config, transforms
from sporax.data.batch import BatchInfo
from sporax.data.concat_zip import zip_datasets as zip
from sporax.data.dataset import Dataset
from sporax.data.mnist_cifar import (
    Cifar10Dataset,
    Cifar100Dataset,
    FashionMnistDataset,
    KMnistDataset,
    MnistDataset,
)
from sporax.data.sampler import (
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    SubsetSampler,
    WeightedRandomSampler,
)
from sporax.data.source import GeneratorDataset, NumpySlicesDataset, PaddedDataset


class Shuffle(enum.StrEnum):
    """Levels of shuffling: all rows, files and rows, or files.

    >>> Shuffle.GLOBAL
    <Shuffle.GLOBAL: 'global'>
    """

    GLOBAL = "global"
    FILES = "files"
    INFILE = "infile"


__all__ = [
    "BatchInfo", "CelebADataset", "Cifar10Dataset", "Cifar100Dataset", "Dataset",
    "DistributedSampler", "FashionMnistDataset", "GeneratorDataset", "ImageFolderDataset",
    "KMnistDataset", "MindDataset", "MnistDataset", "NumpySlicesDataset", "PaddedDataset",
    "RandomSampler", "Sampler", "SequentialSampler", "Shuffle", "SubsetRandomSampler",
    "SubsetSampler", "WeightedRandomSampler", "config", "transforms", "zip",
]  # fmt: skip


# What is looked up when it is used: name -> its module.
_LATER = {
    "vision": None,
    "CelebADataset": "image_folders",
    "ImageFolderDataset": "image_folders",
    "MindDataset": "mind_dataset",
}


def __getattr__(name):
    if name in _LATER:
        module = importlib.import_module(f"sporax.data.{_LATER[name] or name}")
        return module if _LATER[name] is None else getattr(module, name)
    raise missing("dataset", name)
