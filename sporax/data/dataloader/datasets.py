"""Datasets that a `DataLoader` reads: by index, or by iteration."""

from typing import Generic, TypeVar

from sporax.data.dataloader import transfer

Sample = TypeVar("Sample", covariant=True)


class Dataset(Generic[Sample]):
    """A dataset whose samples are read by index: a subclass defines `__getitem__`, `__len__`."""

    def __getitem__(self, index):
        raise NotImplementedError(
            f"For '{type(self).__name__}', '__getitem__' must return the sample of an index. "
            "Define it."
        )


class IterableDataset(Dataset[Sample]):
    """A dataset whose samples are iterated over: a subclass defines `__iter__`.

    In a worker process `get_worker_info()` identifies the part of the samples to yield; without
    this, each worker yields all of them.
    """

    def __iter__(self):
        raise NotImplementedError(
            f"For '{type(self).__name__}', '__iter__' must return an iterator over the samples. "
            "Define it."
        )


class TensorDataset(Dataset):
    """Tensors of the same first size: sample `i` is the tuple of their rows `i`.

    >>> from sporax.data.dataloader import TensorDataset
    >>> len(TensorDataset(Tensor([1, 2, 3]), Tensor([4, 5, 6])))
    3
    """

    def __init__(self, *tensors):
        sizes = [tensor.shape[0] for tensor in tensors]
        if len(set(sizes)) > 1:
            raise ValueError(
                "For 'TensorDataset', the tensors must have the same first size, but got "
                f"{sizes}. Give as many rows of each."
            )
        self.tensors = tensors

    def __getitem__(self, index):
        if transfer.is_worker:
            return tuple([transfer.as_tensor(tensor.asnumpy()[index]) for tensor in self.tensors])
        return tuple([tensor[index] for tensor in self.tensors])

    def __len__(self):
        return self.tensors[0].shape[0]
