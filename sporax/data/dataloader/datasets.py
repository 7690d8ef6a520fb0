"""Datasets that a `DataLoader` reads: by index, or by iteration."""

from typing import Generic, TypeVar

from sporax._src.diagnosis.rules import rejection, require
from sporax.data.dataloader import transfer

Sample = TypeVar("Sample", covariant=True)


class Dataset(Generic[Sample]):
    """A dataset whose samples are read by index: a subclass defines `__getitem__`, `__len__`."""

    def __getitem__(self, index):
        raise rejection("return-sample-index", type(self).__name__, argument="__getitem__")


class IterableDataset(Dataset[Sample]):
    """A dataset whose samples are iterated over: a subclass defines `__iter__`.

    In a worker process `get_worker_info()` identifies the part of the samples to yield; without
    this, each worker yields all of them.
    """

    def __iter__(self):
        raise rejection("return-iterator-over-samples", type(self).__name__, argument="__iter__")


class TensorDataset(Dataset):
    """Tensors of the same first size: sample `i` is the tuple of their rows `i`.

    >>> from sporax.data.dataloader import TensorDataset
    >>> len(TensorDataset(Tensor([1, 2, 3]), Tensor([4, 5, 6])))
    3
    """

    def __init__(self, *tensors):
        sizes = [tensor.shape[0] for tensor in tensors]
        require(len(set(sizes)) <= 1, "tensors-same-first-size", "TensorDataset", got=sizes)
        self.tensors = tensors

    def __getitem__(self, index):
        if transfer.is_worker:
            return tuple([transfer.as_tensor(tensor.asnumpy()[index]) for tensor in self.tensors])
        return tuple([tensor[index] for tensor in self.tensors])

    def __len__(self):
        return self.tensors[0].shape[0]
