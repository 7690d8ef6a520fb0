"""`mindspore.dataset.dataloader`: PyTorch-style data loading, with samplers."""

from sporax.data.dataloader.collate import collate, default_collate, default_convert
from sporax.data.dataloader.datasets import Dataset, IterableDataset, TensorDataset
from sporax.data.dataloader.loader import DataLoader
from sporax.data.dataloader.samplers import (
    BatchSampler,
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
)
from sporax.data.dataloader.workers import get_worker_info

__all__ = [
    "BatchSampler", "DataLoader", "Dataset", "DistributedSampler", "IterableDataset",
    "RandomSampler", "Sampler", "SequentialSampler", "TensorDataset", "collate",
    "default_collate", "default_convert", "get_worker_info",
]  # fmt: skip
