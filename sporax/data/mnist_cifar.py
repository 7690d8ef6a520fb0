"""MNIST and CIFAR: datasets of small images in few files."""

from typing import ClassVar

import numpy as np

from sporax._src.diagnosis.rules import require
from sporax.data.file_set import LoadedSet

_KINDS = "images-idx3", "labels-idx1"


class MnistDataset(LoadedSet):
    """Handwritten digits, in MNIST's files: images (28, 28, 1) of UInt8, and labels, UInt32.

    `dataset_dir`: the folder of `train-images-idx3-ubyte`, `train-labels-idx1-ubyte` and the same
    files of `t10k`. `usage`: 'train', 'test' or 'all', the default. `num_samples`, `shuffle`,
    `sampler`, `num_shards`, `shard_id`: which rows, as for `GeneratorDataset`.
    `num_parallel_workers`, `cache`: as for `map`.

    >>> MnistDataset("nowhere")
    Traceback (most recent call last):
    ValueError: For 'MnistDataset', 'dataset_dir' must be a folder, but got 'nowhere'.
    """

    splits: ClassVar = {"all": ("t10k", "train"), "train": ("train",), "test": ("t10k",)}

    def __init__(
        self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
        sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _split_rows(self, split):
        start = self.given.dataset_dir / split
        folder = self.given.dataset_dir
        if self.given.usage == "all" and not [*folder.glob(f"{split}-*")]:
            there = any([*folder.glob(f"{other}-*")] for other in self.splits["all"])
            names = [f"{n}-{k}-ubyte" for n in self.splits["all"] for k in _KINDS]
            fields = {"dataset_dir": folder, "pattern": ", ".join(names)}
            require(there, "files-none", self._who, **fields, error=RuntimeError)
            return []
        labels = start.with_name(f"{split}-labels-idx1-ubyte")
        images = self._idx(start.with_name(f"{split}-images-idx3-ubyte"), 3)[..., None]
        return self._paired(images, self._idx(labels, 1).astype(np.uint32), labels)


class FashionMnistDataset(MnistDataset):
    """Pictures of clothes (Xiao et al. 2017), in MNIST's file format; see `MnistDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for what, start in ("images-idx3", b"\\0\\0\\x08\\3\\0\\0\\0\\1\\0\\0\\0\\1\\0\\0\\0\\1"), (
    ...     "labels-idx1", b"\\0\\0\\x08\\1\\0\\0\\0\\1"):
    ...     _ = (folder / f"t10k-{what}-ubyte").write_bytes(start + b"\\7")
    >>> [x.tolist() for x in next(iter(FashionMnistDataset(str(folder), "test")))]
    [[[[7]]], 7]
    """


class KMnistDataset(MnistDataset):
    """Handwritten Japanese characters (Clanuwat et al. 2018), in MNIST's file format; see
    `MnistDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for what, start in ("images-idx3", b"\\0\\0\\x08\\3\\0\\0\\0\\1\\0\\0\\0\\1\\0\\0\\0\\1"), (
    ...     "labels-idx1", b"\\0\\0\\x08\\1\\0\\0\\0\\1"):
    ...     _ = (folder / f"t10k-{what}-ubyte").write_bytes(start + b"\\7")
    >>> [x.tolist() for x in next(iter(KMnistDataset(str(folder), "test")))]
    [[[[7]]], 7]
    """


class Cifar10Dataset(MnistDataset):
    """Small photographs in 10 classes, in CIFAR-10's binary files: images (32, 32, 3) of UInt8, and
    labels, UInt32.

    `dataset_dir`: the folder of `data_batch_1.bin` to `data_batch_5.bin` and `test_batch.bin`, or
    some of them. The other arguments are as for `MnistDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "test_batch.bin").write_bytes(bytes([3, *[0] * 3072]))
    >>> image, label = next(iter(Cifar10Dataset(str(folder), "test")))
    >>> image.shape, label.item()
    ((32, 32, 3), 3)
    """

    columns: ClassVar = ("image", "label")
    splits: ClassVar = {
        "all": ("*_batch*.bin",), "train": ("data_batch_*.bin",), "test": ("test_batch.bin",),
    }  # fmt: skip

    def _split_rows(self, split):
        paths = sorted(self.given.dataset_dir.glob(split))
        fields = {"dataset_dir": self.given.dataset_dir, "pattern": split}
        require(paths, "files-none", self._who, **fields, error=RuntimeError)
        labels = len(self.columns) - 1
        for path in paths:
            records = self._records(path, labels + 3 * 32 * 32)
            images = records[:, labels:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
            yield from zip(images, *records[:, :labels].T.astype(np.uint32), strict=True)

    def _records(self, path, size):
        content = np.frombuffer(self._content(path), np.uint8)
        got = content.size
        require(got and not got % size, "file-records", self._who, path=path, n=size, got=got)
        return content.reshape(-1, size)


class Cifar100Dataset(Cifar10Dataset):
    """Small photographs in 100 fine and 20 coarse classes, in CIFAR-100's binary files: images
    (32, 32, 3) of UInt8, coarse and fine labels, UInt32.

    `dataset_dir`: the folder of `train.bin` and `test.bin`. The other arguments are as for
    `MnistDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "test.bin").write_bytes(bytes([3, 41, *[0] * 3072]))
    >>> image, coarse, fine = next(iter(Cifar100Dataset(str(folder), "test")))
    >>> image.shape, coarse.item(), fine.item()
    ((32, 32, 3), 3, 41)
    """

    columns: ClassVar = ("image", "coarse_label", "fine_label")
    splits: ClassVar = {
        "all": ("test.bin", "train.bin"), "train": ("train.bin",), "test": ("test.bin",),
    }  # fmt: skip


__all__ = [
    "Cifar10Dataset",
    "Cifar100Dataset",
    "FashionMnistDataset",
    "KMnistDataset",
    "MnistDataset",
]
