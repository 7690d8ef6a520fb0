"""Data sets of small images in few files: digits, letters and thumbnails."""

import bisect
import itertools
import math
from typing import ClassVar

import numpy as np

from sporax.data import Shuffle, random_streams
from sporax.data.dataset import count
from sporax.data.image_sets.file_set import FileSet
from sporax.data.sampler import Sampler


class _Stored(FileSet):
    """Rows that the files hold whole."""

    def _read_row(self, i, row):
        image, *labels = row
        return image.copy(), *labels

    def _joined(self, parts):
        return [row for part in parts for row in self._part(part)]

    def _paired(self, images, labels, path):
        if len(images) != len(labels):
            raise self._damaged(path, f"must hold a label for each of {len(images)} images, but "
                                      f"holds {len(labels)}")  # fmt: skip
        return list(zip(images, labels, strict=True))


class EMnistDataset(_Stored):
    """Handwritten letters and digits (Cohen et al. 2017): images (28, 28, 1) of UInt8, and labels,
    UInt32.

    `dataset_dir`: the folder of files such as `emnist-letters-train-images-idx3-ubyte`. `name`:
    'byclass', 'bymerge', 'balanced', 'letters', 'digits' or 'mnist'. `usage`: 'train', 'test' or
    'all', the default. The other arguments are those of `MnistDataset`.

    >>> EMnistDataset("nowhere", "letters")
    Traceback (most recent call last):
    ValueError: For 'EMnistDataset', 'dataset_dir' must be a folder, but got 'nowhere'.
    """

    choices: ClassVar = {
        "usage": ("all", "train", "test"),
        "name": ("byclass", "bymerge", "balanced", "letters", "digits", "mnist"),
    }

    def __init__(
        self, dataset_dir, name, usage=None, num_samples=None, num_parallel_workers=None,
        shuffle=None, sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _rows(self):
        usage = self.given.usage
        return self._joined(("test", "train") if usage == "all" else (usage,))

    def _part(self, part):
        start = self.given.dataset_dir / f"emnist-{self.given.name}-{part}"
        labels = start.with_name(f"{start.name}-labels-idx1-ubyte")
        images = self._idx(start.with_name(f"{start.name}-images-idx3-ubyte"), 3)[..., None]
        return self._paired(images, self._idx(labels, 1).astype(np.uint32), labels)


class QMnistDataset(_Stored):
    """Handwritten digits, MNIST's and 50,000 more (Yadav and Bottou 2019): images (28, 28, 1) of
    UInt8, and labels, UInt32.

    `dataset_dir`: the folder of `qmnist-train-images-idx3-ubyte`, `qmnist-train-labels-idx2-int`,
    those of `qmnist-test` and of `xnist`. `usage`: 'train', 'test', 'test10k' and 'test50k' (parts
    of the test), 'nist' or 'all', the default. `compat`: whether a label is the digit, else the 8
    numbers that are known of it. The other arguments are those of `MnistDataset`.

    >>> QMnistDataset("nowhere")
    Traceback (most recent call last):
    ValueError: For 'QMnistDataset', 'dataset_dir' must be a folder, but got 'nowhere'.
    """

    choices: ClassVar = {"usage": ("all", "train", "test", "test10k", "test50k", "nist")}
    # part -> (start of its files' names, its first row, its last)
    _parts: ClassVar = {
        "train": ("qmnist-train", 0, None), "test": ("qmnist-test", 0, None),
        "test10k": ("qmnist-test", 0, 10_000), "test50k": ("qmnist-test", 10_000, 60_000),
        "nist": ("xnist", 0, None),
    }  # fmt: skip

    def __init__(
        self, dataset_dir, usage=None, compat=True, num_samples=None, num_parallel_workers=None,
        shuffle=None, sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _rows(self):
        usage = self.given.usage
        return self._joined(("train", "test", "nist") if usage == "all" else (usage,))

    def _part(self, part):
        start, first, last = self._parts[part]
        path = self.given.dataset_dir / f"{start}-images-idx3-ubyte"
        images = self._idx(path, 3)[..., None]
        if last is not None and len(images) < last:
            raise self._damaged(path, f"must hold {last} images, but holds {len(images)}")
        path = path.with_name(f"{start}-labels-idx2-int")
        labels = self._idx(path, 2, np.int32).astype(np.uint32)
        labels = labels[:, 0] if self.given.compat else labels
        return self._paired(images, labels, path)[first:last]


class SemeionDataset(_Stored):
    """Handwritten digits: images (16, 16) of UInt8, each pixel 0 or 1, and labels, UInt32 (Semeion
    and Tactile 1994).

    `dataset_dir`: the folder of `semeion.data`. The other arguments are those of `MnistDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "semeion.data").write_text("1.0 " * 256 + "0 1" + " 0" * 8)
    >>> [(image.shape, label.item()) for image, label in SemeionDataset(str(folder))]
    [((16, 16), 1)]
    """

    def __init__(
        self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None,
        num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _rows(self):
        path, rows = self.given.dataset_dir / "semeion.data", []
        for i, line in enumerate(self._lines(path)):
            numbers = self._numbers(path, i, float, line.split())
            if len(numbers) != 266 or sum(numbers[256:]) != 1:
                raise self._damaged(path, f"must hold 256 pixels and 10 numbers, of which one is 1,"
                                          f" in line {i}, but holds {len(numbers)}")  # fmt: skip
            pixels = np.array(numbers[:256], np.uint8).reshape(16, 16)
            rows.append((pixels, np.uint32(numbers[256:].index(1))))
        return rows


class STL10Dataset(_Stored):
    """Photographs (96, 96, 3) of UInt8 in 10 classes, and labels, Int32, -1 for those without
    (Coates et al. 2011).

    `dataset_dir`: the folder of `train_X.bin`, `train_y.bin`, those of `test`, and
    `unlabeled_X.bin`. `usage`: 'train', 'test', 'unlabeled', 'train+unlabeled' or 'all', the
    default. The other arguments are those of `MnistDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "unlabeled_X.bin").write_bytes(bytes(3 * 96 * 96))
    >>> [(image.shape, label.item()) for image, label in STL10Dataset(str(folder), "unlabeled")]
    [((96, 96, 3), -1)]
    """

    choices: ClassVar = {"usage": ("all", "train", "test", "unlabeled", "train+unlabeled")}

    def __init__(
        self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
        sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _rows(self):
        usage = self.given.usage
        return self._joined(("test", "train", "unlabeled") if usage == "all" else usage.split("+"))

    def _part(self, part):
        path = self.given.dataset_dir / f"{part}_X.bin"
        content = np.frombuffer(self._content(path), np.uint8)
        if not content.size or content.size % (3 * 96 * 96):
            raise self._damaged(path, f"must hold images of {3 * 96 * 96} bytes, but holds "
                                      f"{content.size} bytes")  # fmt: skip
        images = content.reshape(-1, 3, 96, 96).transpose(0, 3, 2, 1)  # as MATLAB keeps them
        if part == "unlabeled":
            return [(image, np.int32(-1)) for image in images]
        path = path.with_name(f"{part}_y.bin")
        labels = np.frombuffer(self._content(path), np.uint8).astype(np.int32) - 1
        return self._paired(images, labels, path)


class SVHNDataset(_Stored):
    """House numbers' digits: images (32, 32, 3) of UInt8, and labels, UInt32 (Netzer et al. 2011).

    `dataset_dir`: the folder of `train_32x32.mat`, `test_32x32.mat` and `extra_32x32.mat`. `usage`:
    'train', 'test', 'extra' or 'all', the default. The other arguments are those of `MnistDataset`.

    >>> import pathlib, tempfile
    >>> from scipy.io import savemat
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> images = np.zeros((32, 32, 3, 2), np.uint8)
    >>> savemat(folder / "test_32x32.mat", {"X": images, "y": np.array([[10], [3]])})
    >>> [x.item() for _, x in SVHNDataset(str(folder), "test", shuffle=False)]
    [0, 3]
    """

    choices: ClassVar = {"usage": ("all", "train", "test", "extra")}

    def __init__(
        self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=1, shuffle=None,
        sampler=None, num_shards=None, shard_id=None,
    ):  # fmt: skip
        self._open(locals())

    def _rows(self):
        usage = self.given.usage
        return self._joined(self.choices["usage"][1:] if usage == "all" else (usage,))

    def _part(self, part):
        path = self.given.dataset_dir / f"{part}_32x32.mat"
        images, labels = self._mat(path, "X", "y")
        if images.ndim != 4 or images.shape[:3] != (32, 32, 3) or images.dtype != np.uint8:
            raise self._damaged(path, f"must hold 'X' of uint8 (32, 32, 3, n), but holds "
                                      f"{images.dtype} {images.shape}")  # fmt: skip
        labels = labels.astype(np.uint32).ravel()
        return self._paired(images.transpose(3, 0, 1, 2), np.where(labels == 10, 0, labels), path)


class _ByFile(Sampler):
    """The rows of several files as MindSpore reads them: a contiguous block for each shard, of
    which one row of each file comes after another, shuffled through a buffer."""

    def __init__(self, source, shuffle, num_samples, num_shards, shard_id):
        super().__init__(num_samples)
        self.source, self.shuffle = source, shuffle
        self.shards, self.shard = num_shards or 1, shard_id or 0

    def begin(self, size):
        count = math.ceil(size / self.shards)
        block = [i % size for i in range(count * self.shard, count * (self.shard + 1))]
        files = {}
        for i in block:
            files.setdefault(self.source.file_of(i), []).append(i)
        turns = itertools.chain.from_iterable(itertools.zip_longest(*files.values()))
        order = [i for i in turns if i is not None]
        if not self.shuffle:
            return lambda: order[: self.num_samples]
        draw = random_streams.LongTwister(random_streams.seed())
        return lambda: list(random_streams.through_buffer(order, 10_000, draw))[: self.num_samples]


class USPSDataset(_Stored):
    """Digits of zip codes: images (16, 16, 1) of UInt8, and labels, UInt32 (Hull 1994).

    `dataset_dir`: the folder of `usps` and `usps.t`, lines such as `7 1:-1 2:-0.8 ...` of a digit
    plus 1, and values in [-1, 1]. `usage`: 'train', 'test' or 'all', the default. `shuffle`: a
    member of `Shuffle`, or a bool. `num_samples`, `num_shards`, `shard_id`: which rows; a shard is
    a contiguous part. The other arguments steer MindSpore's workers and have no effect here.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "usps").write_text("4 " + " ".join(f"{i}:1" for i in range(1, 257)))
    >>> [(image.shape, label.item()) for image, label in USPSDataset(str(folder), "train")]
    [((16, 16, 1), 3)]
    """

    choices: ClassVar = {"usage": ("all", "train", "test")}

    def __init__(
        self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None,
        shuffle=Shuffle.GLOBAL, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        who = type(self).__name__
        if not isinstance(shuffle, (bool, Shuffle)) and shuffle is not None:
            raise TypeError(
                f"For '{who}', 'shuffle' must be of Shuffle or a bool, but got {shuffle!r}."
            )
        if (num_shards is None) != (shard_id is None):
            raise RuntimeError(
                f"For '{who}', 'num_shards' and 'shard_id' must be given together, but got "
                f"{num_shards} and {shard_id}."
            )
        num_samples = count(who, "num_samples", num_samples, 1, 0)
        is_shuffled = shuffle not in (False, Shuffle.FILES)
        sampler = _ByFile(self, is_shuffled, num_samples, num_shards, shard_id)
        self._open({"dataset_dir": dataset_dir, "usage": usage, "cache": cache,
                    "sampler": sampler, "shuffle": None})  # fmt: skip

    def _rows(self):
        usage = self.given.usage
        parts = [self._part(p) for p in (("train", "test") if usage == "all" else (usage,))]
        self._ends = list(itertools.accumulate(map(len, parts)))
        return [row for part in parts for row in part]

    def file_of(self, row):
        """The position of the file that a row is in."""
        return bisect.bisect_right(self._ends, row)

    def _part(self, part):
        path, rows = self.given.dataset_dir / {"train": "usps", "test": "usps.t"}[part], []
        for i, line in enumerate(self._lines(path)):
            digit, *pairs = line.split()
            values = [pair.partition(":")[2] for pair in pairs]
            label, *values = self._numbers(path, i, float, [digit, *values])
            if len(values) != 256 or not 1 <= label <= 10:
                raise self._damaged(path, f"must hold a digit from 1 to 10 and 256 values in line "
                                          f"{i}, but holds {digit} and {len(values)}")  # fmt: skip
            pixels = ((np.float32(values).astype(float) + 1) * 127.5).astype(np.uint8)
            rows.append((pixels.reshape(16, 16, 1), np.uint32(label - 1)))
        return rows


__all__ = [
    "EMnistDataset", "QMnistDataset", "STL10Dataset", "SVHNDataset", "SemeionDataset",
    "USPSDataset",
]  # fmt: skip
