"""Datasets of small images in few files: digits, letters and thumbnails."""

from typing import ClassVar

import numpy as np

from sporax._src.diagnosis.argument_kinds import one_of
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.data import Shuffle
from sporax.data.file_set import LoadedSet, existing, location_phrase
from sporax.data.row_files import RowFiles
from sporax.data.text_lines import lines


class EMnistDataset(LoadedSet):
    """Handwritten letters and digits (Cohen et al. 2017): images (28, 28, 1) of UInt8, and labels,
    UInt32.

    `dataset_dir`: the folder of files such as `emnist-letters-train-images-idx3-ubyte`. `name`:
    'byclass', 'bymerge', 'balanced', 'letters', 'digits' or 'mnist'. `usage`: 'train', 'test' or
    'all', the default. The other arguments are as for `MnistDataset`.

    >>> EMnistDataset("nowhere", "letters")
    Traceback (most recent call last):
    ValueError: For 'EMnistDataset', 'dataset_dir' must be a folder, but got 'nowhere'.
    """

    choices: ClassVar = {
        "name": ("byclass", "bymerge", "balanced", "letters", "digits", "mnist"),
    }
    splits: ClassVar = {"all": ("test", "train"), "train": ("train",), "test": ("test",)}

    def __init__(
        self, dataset_dir, name, usage=None, num_samples=None, num_parallel_workers=None,
        shuffle=None, sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _split_rows(self, split):
        start = self.given.dataset_dir / f"emnist-{self.given.name}-{split}"
        labels = start.with_name(f"{start.name}-labels-idx1-ubyte")
        images = self._idx(start.with_name(f"{start.name}-images-idx3-ubyte"), 3)[..., None]
        return self._paired(images, self._idx(labels, 1).astype(np.uint32), labels)


class QMnistDataset(LoadedSet):
    """Handwritten digits of MNIST and 50,000 more (Yadav and Bottou 2019): images (28, 28, 1) of
    UInt8, and labels, UInt32.

    `dataset_dir`: the folder of `qmnist-train-images-idx3-ubyte`, `qmnist-train-labels-idx2-int`,
    and the same files of `qmnist-test` and `xnist`. `usage`: 'train', 'test', 'test10k' and
    'test50k' (parts of the test), 'nist' or 'all', the default. `compat`: whether a label is the
    digit, rather than the 8 numbers known about it. The other arguments are as for `MnistDataset`.

    >>> QMnistDataset("nowhere")
    Traceback (most recent call last):
    ValueError: For 'QMnistDataset', 'dataset_dir' must be a folder, but got 'nowhere'.
    """

    splits: ClassVar = {
        "all": ("train", "test", "nist"), "train": ("train",), "test": ("test",),
        "test10k": ("test10k",), "test50k": ("test50k",), "nist": ("nist",),
    }  # fmt: skip
    # split -> (prefix of its file names, its first row, its end)
    _rows_of: ClassVar = {
        "train": ("qmnist-train", 0, None), "test": ("qmnist-test", 0, None),
        "test10k": ("qmnist-test", 0, 10_000), "test50k": ("qmnist-test", 10_000, 60_000),
        "nist": ("xnist", 0, None),
    }  # fmt: skip

    def __init__(
        self, dataset_dir, usage=None, compat=True, num_samples=None, num_parallel_workers=None,
        shuffle=None, sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _split_rows(self, split):
        start, first, last = self._rows_of[split]
        path = self.given.dataset_dir / f"{start}-images-idx3-ubyte"
        images = self._idx(path, 3)[..., None]
        got = len(images)
        require(last is None or got >= last, "file-images", self._who, path=path, n=last, got=got)
        path = path.with_name(f"{start}-labels-idx2-int")
        labels = self._idx(path, 2, np.int32).astype(np.uint32)
        labels = labels[:, 0] if self.given.compat else labels
        return self._paired(images, labels, path)[first:last]


class SemeionDataset(LoadedSet):
    """Handwritten digits: images (16, 16) of UInt8, each pixel 0 or 1, and labels, UInt32 (Semeion
    and Tactile 1994).

    `dataset_dir`: the folder of `semeion.data`. The other arguments are as for `MnistDataset`.

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
            if (got := len(numbers)) != 266 or sum(numbers[256:]) != 1:
                what = message("pixels-and-numbers")
                raise rejection("file-line-holds", self._who, path=path, what=what, i=i, got=got)
            pixels = np.array(numbers[:256], np.uint8).reshape(16, 16)
            rows.append((pixels, np.uint32(numbers[256:].index(1))))
        return rows


class STL10Dataset(LoadedSet):
    """Photographs (96, 96, 3) of UInt8 in 10 classes, and labels, Int32, -1 if unlabelled
    (Coates et al. 2011).

    `dataset_dir`: the folder of `train_X.bin`, `train_y.bin`, the same files of `test`, and
    `unlabeled_X.bin`. `usage`: 'train', 'test', 'unlabeled', 'train+unlabeled' or 'all', the
    default. The other arguments are as for `MnistDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "unlabeled_X.bin").write_bytes(bytes(3 * 96 * 96))
    >>> [(image.shape, label.item()) for image, label in STL10Dataset(str(folder), "unlabeled")]
    [((96, 96, 3), -1)]
    """

    splits: ClassVar = {
        "all": ("test", "train", "unlabeled"), "train": ("train",), "test": ("test",),
        "unlabeled": ("unlabeled",), "train+unlabeled": ("train", "unlabeled"),
    }  # fmt: skip

    def __init__(
        self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
        sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _split_rows(self, split):
        path = self.given.dataset_dir / f"{split}_X.bin"
        content = np.frombuffer(self._content(path), np.uint8)
        n, got = 3 * 96 * 96, content.size
        require(got and not got % n, "file-records", self._who, path=path, n=n, got=got)
        images = content.reshape(-1, 3, 96, 96).transpose(0, 3, 2, 1)  # column-major, as in MATLAB
        if split == "unlabeled":
            return [(image, np.int32(-1)) for image in images]
        path = path.with_name(f"{split}_y.bin")
        labels = np.frombuffer(self._content(path), np.uint8).astype(np.int32) - 1
        return self._paired(images, labels, path)


class SVHNDataset(LoadedSet):
    """House number digits: images (32, 32, 3) of UInt8, and labels, UInt32 (Netzer et al. 2011).

    `dataset_dir`: the folder of `train_32x32.mat`, `test_32x32.mat` and `extra_32x32.mat`. `usage`:
    'train', 'test', 'extra' or 'all', the default. The other arguments are as for `MnistDataset`.

    >>> import pathlib, tempfile
    >>> from scipy.io import savemat
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> images = np.zeros((32, 32, 3, 2), np.uint8)
    >>> savemat(folder / "test_32x32.mat", {"X": images, "y": np.array([[10], [3]])})
    >>> [x.item() for _, x in SVHNDataset(str(folder), "test", shuffle=False)]
    [0, 3]
    """

    splits: ClassVar = {
        "all": ("train", "test", "extra"), "train": ("train",), "test": ("test",),
        "extra": ("extra",),
    }  # fmt: skip

    def __init__(
        self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=1, shuffle=None,
        sampler=None, num_shards=None, shard_id=None,
    ):  # fmt: skip
        self._open(locals())

    def _split_rows(self, split):
        path = self.given.dataset_dir / f"{split}_32x32.mat"
        images, labels = self._mat(path, "X", "y")
        got = images.dtype, images.shape
        fits = got[0] == np.uint8 and images.ndim == 4 and got[1][:3] == (32, 32, 3)
        require(fits, "file-of-house-numbers", self._who, path=path, got=got)
        labels = labels.astype(np.uint32).ravel()
        return self._paired(images.transpose(3, 0, 1, 2), np.where(labels == 10, 0, labels), path)


class USPSDataset(RowFiles):
    """Digits of zip codes: images (16, 16, 1) of UInt8, and labels, UInt32 (Hull 1994).

    `dataset_dir`: the folder of `usps` and `usps.t`, lines such as `7 1:-1 2:-0.8 ...` with a digit
    plus 1, and values in [-1, 1]. `usage`: 'train', 'test' or 'all', the default. The other
    arguments are as for `TextFileDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "usps").write_text("4 " + " ".join(f"{i}:1" for i in range(1, 257)))
    >>> [(image.shape, label.item()) for image, label in USPSDataset(str(folder), "train")]
    [((16, 16, 1), 3)]
    """

    _files: ClassVar = {"all": ("usps", "usps.t"), "train": ("usps",), "test": ("usps.t",)}

    def __init__(
        self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None,
        shuffle=Shuffle.GLOBAL, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        folder = existing(self._who, "dataset_dir", dataset_dir, is_folder=True)
        usage = one_of(*self._files).checked(self._who, "usage", usage or "all")
        paths = [folder / name for name in self._files[usage]]
        super().__init__(
            paths, ["image", "label"], num_samples, shuffle, num_shards, shard_id, cache
        )

    def _read(self, path):
        for i, line in enumerate(lines(self._who, path), 1):
            words = line.split()
            try:
                label = int(words[0])
                values = np.array([word.partition(":")[2] for word in words[1:]], np.float32)
            except (IndexError, ValueError) as error:
                fields = {"where": location_phrase(i), "cause": error}
                raise rejection("file-numbers", self._who, path=path, **fields) from None
            if len(values) != 256 or not 1 <= label <= 10:
                fields = {"what": message("digit-and-values"), "got": (label, len(values))}
                raise rejection("file-line-holds", self._who, path=path, i=i, **fields)
            pixels = ((values.astype(float) + 1) * 127.5).astype(np.uint8)
            yield pixels.reshape(16, 16, 1), np.uint32(label - 1)


__all__ = [
    "EMnistDataset", "QMnistDataset", "STL10Dataset", "SVHNDataset", "SemeionDataset",
    "USPSDataset",
]  # fmt: skip
