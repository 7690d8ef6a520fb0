"""Data pipelines of rows from Python objects, arrays and files."""

import enum
import importlib

from sporax._src.core.errors import missing
from sporax.data import config, transforms
from sporax.data.batch import BatchInfo
from sporax.data.cache import DatasetCache
from sporax.data.callbacks import DSCallback
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
    IterSampler,
    PKSampler,
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


# Names that are imported on first use, by module.
_MODULES = {
    "image_folders": "CelebADataset ImageFolderDataset",
    "image_sets.class_folders": "Caltech101Dataset Caltech256Dataset LSUNDataset OmniglotDataset"
    " RenderedSST2Dataset SUN397Dataset",
    "image_sets.detection": "CocoDataset KITTIDataset ManifestDataset VOCDataset WIDERFaceDataset",
    "image_sets.digits": "EMnistDataset QMnistDataset STL10Dataset SVHNDataset SemeionDataset"
    " USPSDataset",
    "image_sets.generated": "FakeImageDataset RandomDataset",
    "image_sets.listed": "FlickrDataset Flowers102Dataset Food101Dataset LFWDataset"
    " Places365Dataset SBUDataset",
    "image_sets.paired": "CityscapesDataset DIV2KDataset PhotoTourDataset SBDataset",
    "json_corpora": "CLUEDataset SQuADDataset",
    "mind_dataset": "MindDataset",
    "serialization": "compare deserialize serialize show",
    "sound_sets": "CMUArcticDataset GTZANDataset LJSpeechDataset LibriTTSDataset"
    " SpeechCommandsDataset TedliumDataset YesNoDataset",
    "text_corpora": "AGNewsDataset AmazonReviewDataset CoNLL2000Dataset DBpediaDataset"
    " EnWik9Dataset IMDBDataset PennTreebankDataset SST2Dataset SogouNewsDataset UDPOSDataset"
    " WikiTextDataset YahooAnswersDataset YelpReviewDataset",
    "line_reader": "LineReader",
    "text_files": "CSVDataset TextFileDataset",
    "tfrecord": "Schema TFRecordDataset",
    "translation_corpora": "IWSLT2016Dataset IWSLT2017Dataset Multi30kDataset",
}
_LATER = {name: module for module, names in _MODULES.items() for name in names.split()}
_LATER |= {"audio": None, "text": None, "vision": None}

__all__ = [
    "BatchInfo", "Cifar10Dataset", "Cifar100Dataset", "DSCallback", "Dataset", "DatasetCache",
    "DistributedSampler", "FashionMnistDataset", "GeneratorDataset", "IterSampler", "KMnistDataset",
    "MnistDataset", "NumpySlicesDataset", "PKSampler", "PaddedDataset", "RandomSampler", "Sampler",
    "SequentialSampler", "Shuffle", "SubsetRandomSampler", "SubsetSampler",
    "WeightedRandomSampler", "config", "transforms", "zip",
    *(name for name in _LATER if _LATER[name]),
]  # fmt: skip


def __getattr__(name):
    if name in _LATER:
        module = importlib.import_module(f"sporax.data.{_LATER[name] or name}")
        return module if _LATER[name] is None else getattr(module, name)
    raise missing("dataset", name)
