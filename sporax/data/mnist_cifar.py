"""MNIST and CIFAR: data sets in folders of files, read lazily."""

import functools
from pathlib import Path
from typing import ClassVar

import numpy as np

from sporax.data import argument_checks as check
from sporax.data.source import GeneratorDataset


class _Rows:
    """Rows loaded by a function at the first access."""

    def __init__(self, find):
        self._find = find

    @functools.cached_property
    def _rows(self):
        return self._find()

    def __len__(self):
        return len(self._rows)

    def __getitem__(self, i):
        return self._rows[i]


class _Folder(GeneratorDataset):
    """A data set in a folder; a subclass gives `_columns_there`, `_usages`, and `_found()`, the
    rows by index."""

    _usages = ()

    def __init__(self, dataset_dir, usage, sampling, cache):
        who = type(self).__name__
        if not isinstance(dataset_dir, (str, Path)):
            raise TypeError(
                f"For '{who}', 'dataset_dir' must be a path, but got {type(dataset_dir).__name__}."
            )
        self._folder = Path(dataset_dir)
        if not self._folder.is_dir():
            raise ValueError(f"For '{who}', there must be a folder '{dataset_dir}'.")
        if cache is not None:
            raise NotImplementedError(f"sporax has no 'cache' of '{who}'")
        if usage is not None:
            check.one_of(who, "usage", usage, self._usages)
        self._usage = usage
        if sampling["sampler"] is not None and sampling["shuffle"] is not None:
            raise RuntimeError(f"For '{who}', 'sampler' must come without 'shuffle', but got both.")
        super().__init__(_Rows(self._found), self._columns_there, **sampling)

    def _files(self, *patterns):
        """The paths of these patterns, sorted; there must be some."""
        paths = sorted({path for pattern in patterns for path in self._folder.glob(pattern)})
        if not paths:
            raise RuntimeError(
                f"For '{type(self).__name__}', there must be files {' or '.join(patterns)} in "
                f"'{self._folder}', but there are none."
            )
        return paths

    def _damaged(self, path, reason):
        return RuntimeError(f"For '{type(self).__name__}', the file '{path}' {reason}.")


class _Pairs:
    """Images and labels side by side, by index."""

    def __init__(self, images, *labels):
        self.images, self.labels = images, [label.astype(np.uint32) for label in labels]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self._image(self.images[i]), *[label[i] for label in self.labels]

    def _image(self, stored):
        return stored.copy()


class MnistDataset(_Folder):
    """Handwritten digits, in MNIST's files: images (28, 28, 1) of UInt8, and labels, UInt32.

    `dataset_dir`: the folder of `train-images-idx3-ubyte`, `train-labels-idx1-ubyte` and those of
    `t10k`. `usage`: 'train', 'test' or 'all', by default all. `num_samples`, `shuffle`, `sampler`,
    `num_shards`, `shard_id`: which rows, as for `GeneratorDataset`. The other arguments steer
    MindSpore's workers and have no effect here.

    >>> MnistDataset("nowhere")
    Traceback (most recent call last):
    ValueError: For 'MnistDataset', there must be a folder 'nowhere'.
    """

    _columns_there = "image", "label"
    _usages = "train", "test", "all"
    _parts: ClassVar = {"train": ("train",), "test": ("t10k",), "all": ("t10k", "train")}

    def __init__(
        self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
        sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        sampling = {
            "num_samples": num_samples, "shuffle": shuffle, "sampler": sampler,
            "num_shards": num_shards, "shard_id": shard_id,
        }  # fmt: skip
        super().__init__(dataset_dir, usage, sampling, cache)

    def _found(self):
        images, labels = [], []
        parts = self._parts[self._usage or "all"]
        there = self._files(*[f"{part}-images-idx3-ubyte" for part in parts])
        for path in there:
            part = path.name.partition("-")[0]
            some = self._array(path, 3)
            theirs = self._array(*self._files(f"{part}-labels-idx1-ubyte"), 1)
            if len(some) != len(theirs):
                raise RuntimeError(
                    f"For '{type(self).__name__}', there must be a label for each image, but there "
                    f"are {len(theirs)} and {len(some)} in the files of '{part}'."
                )
            images.append(some[..., None])
            labels.append(theirs)
        return _Pairs(np.concatenate(images), np.concatenate(labels))

    def _array(self, path, ndim):
        content = path.read_bytes()
        if len(content) < 4 + 4 * ndim or content[:4] != bytes([0, 0, 8, ndim]):
            raise self._damaged(path, f"is none of unsigned bytes with {ndim} axes, by its start")
        shape = np.frombuffer(content, ">u4", ndim, 4).astype(int)
        if len(content) != 4 + 4 * ndim + shape.prod():
            raise self._damaged(
                path, f"must hold {shape.prod()} bytes of data, as its start says, but holds "
                f"{len(content) - 4 - 4 * ndim}",
            )  # fmt: skip
        return np.frombuffer(content, np.uint8, offset=4 + 4 * ndim).reshape(shape)


class FashionMnistDataset(MnistDataset):
    """Pictures of clothes (Xiao et al. 2017), in files as MNIST's; see `MnistDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for what, start in ("images-idx3", b"\\0\\0\\x08\\3\\0\\0\\0\\1\\0\\0\\0\\1\\0\\0\\0\\1"), (
    ...     "labels-idx1", b"\\0\\0\\x08\\1\\0\\0\\0\\1"):
    ...     _ = (folder / f"t10k-{what}-ubyte").write_bytes(start + b"\\7")
    >>> [x.tolist() for x in next(iter(FashionMnistDataset(str(folder), "test")))]
    [[[[7]]], 7]
    """


class KMnistDataset(MnistDataset):
    """Handwritten Japanese characters (Clanuwat et al. 2018), in files as MNIST's; see
    `MnistDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for what, start in ("images-idx3", b"\\0\\0\\x08\\3\\0\\0\\0\\1\\0\\0\\0\\1\\0\\0\\0\\1"), (
    ...     "labels-idx1", b"\\0\\0\\x08\\1\\0\\0\\0\\1"):
    ...     _ = (folder / f"t10k-{what}-ubyte").write_bytes(start + b"\\7")
    >>> [x.tolist() for x in next(iter(KMnistDataset(str(folder), "test")))]
    [[[[7]]], 7]
    """


class _Coloured(_Pairs):
    def _image(self, stored):
        return np.ascontiguousarray(stored.reshape(3, 32, 32).transpose(1, 2, 0))


class Cifar10Dataset(MnistDataset):
    """Small photographs in 10 classes, in CIFAR-10's binary files: images (32, 32, 3) of UInt8, and
    labels, UInt32.

    `dataset_dir`: the folder of `data_batch_1.bin` to `data_batch_5.bin` and `test_batch.bin`. The
    other arguments are those of `MnistDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "test_batch.bin").write_bytes(bytes([3, *[0] * 3072]))
    >>> image, label = next(iter(Cifar10Dataset(str(folder), "test")))
    >>> image.shape, label.item()
    ((32, 32, 3), 3)
    """

    _parts: ClassVar = { 
        "train": ("data_batch_*.bin",), "test": ("test_batch.bin",),
        "all": ("data_batch_*.bin", "test_batch.bin"),
    }  # fmt: skip
    _labels = 1

    def _found(self):
        patterns = self._parts[self._usage or "all"]
        rows = np.concatenate([self._records(path) for path in self._files(*patterns)])
        labels = [rows[:, i] for i in range(self._labels)]
        return _Coloured(rows[:, self._labels :], *labels)

    def _records(self, path):
        content, size = np.fromfile(path, np.uint8), self._labels + 3 * 32 * 32
        if not content.size or content.size % size:
            raise self._damaged(path, f"must hold records of {size} bytes, but holds "
                                      f"{content.size} bytes")  # fmt: skip
        return content.reshape(-1, size)


class Cifar100Dataset(Cifar10Dataset):
    """Small photographs in 100 classes, and 20 coarser ones, in CIFAR-100's binary files: images
    (32, 32, 3) of UInt8, coarse and fine labels, UInt32.

    `dataset_dir`: the folder of `train.bin` and `test.bin`. The other arguments are those of
    `MnistDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "test.bin").write_bytes(bytes([3, 41, *[0] * 3072]))
    >>> image, coarse, fine = next(iter(Cifar100Dataset(str(folder), "test")))
    >>> image.shape, coarse.item(), fine.item()
    ((32, 32, 3), 3, 41)
    """

    _columns_there = "image", "coarse_label", "fine_label"
    _parts: ClassVar = { 
        "train": ("train.bin",), "test": ("test.bin",), "all": ("train.bin", "test.bin"),
    }  # fmt: skip
    _labels = 2


__all__ = [
    "Cifar10Dataset",
    "Cifar100Dataset",
    "FashionMnistDataset",
    "KMnistDataset",
    "MnistDataset",
]
