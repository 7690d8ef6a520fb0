"""Datasets of image files: folders of images, and faces."""

from pathlib import Path
from typing import ClassVar

import numpy as np

from sporax._src.diagnosis.argument_kinds import STR
from sporax._src.diagnosis.rules import message, rejection
from sporax.data import argument_checks as check
from sporax.data.file_set import FileSet


class _Pictures(FileSet):
    """Base of datasets that can be limited to files with certain `extensions`."""

    def _open(self, arguments):
        who, extensions = type(self).__name__, arguments["extensions"]
        if extensions is not None:
            check.several(who, "extensions", extensions, (), STR)
        super()._open(arguments)

    def _taken(self, path):
        return self.given.extensions is None or path.suffix in self.given.extensions


class ImageFolderDataset(_Pictures):
    """Image files in one folder per class, labelled Int32 in the order of the folder names.

    `dataset_dir`: the folder of these folders. `class_indexing`: {folder: label}, for some of
    them. `extensions`: a list of the file extensions to read, such as '.jpg'; all by default.
    `decode`: whether the images are arrays (H, W, 3), rather than the files' bytes. `num_samples`,
    `shuffle`, `sampler`, `num_shards`, `shard_id`: which rows, as for `GeneratorDataset`.
    `num_parallel_workers`, `cache`: as for `map`. `decrypt`: a function from path to file content.

    >>> import pathlib, tempfile
    >>> from PIL import Image
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for kind in ("cat", "dog"):
    ...     (folder / kind).mkdir()
    ...     Image.new("RGB", (5, 4), "red").save(folder / kind / "1.png")
    >>> data = ImageFolderDataset(str(folder), shuffle=False, decode=True)
    >>> [(image.shape, label.item()) for image, label in data], data.get_class_indexing()
    ([((4, 5, 3), 0), ((4, 5, 3), 1)], {'cat': 0, 'dog': 1})
    """

    def __init__(
        self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None,
        extensions=None, class_indexing=None, decode=False, num_shards=None, shard_id=None,
        cache=None, decrypt=None,
    ):  # fmt: skip
        if class_indexing is not None:
            for name, label in dict(class_indexing).items():
                check.INT32.checked("ImageFolderDataset", f"class_indexing['{name}']", label)
        self._open(locals())

    def get_class_indexing(self):
        """Return {folder: label}."""
        if self.given.class_indexing is not None:
            return dict(self.given.class_indexing)
        folders = sorted(path.name for path in self.given.dataset_dir.iterdir() if path.is_dir())
        return {name: i for i, name in enumerate(folders)}

    def num_classes(self):
        """Return the number of folders that are read."""
        return len(self.get_class_indexing())

    def _rows(self):
        return [
            (path, np.int32(label))
            for name, label in sorted(self.get_class_indexing().items())
            for path in sorted((self.given.dataset_dir / name).glob("*"))
            if path.is_file() and self._taken(path)
        ]


class CelebADataset(_Pictures):
    """Faces with 40 binary attributes, UInt32 (Liu et al. 2015).

    `dataset_dir`: the folder of the images, of `list_attr_celeba.txt` and, for a `usage` other
    than 'all' ('train', 'valid' or 'test'), of `list_eval_partition.txt`. The other arguments are
    as for `ImageFolderDataset`.

    >>> import pathlib, tempfile
    >>> from PIL import Image
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> Image.new("RGB", (5, 4)).save(folder / "1.png")
    >>> text = "1\\nBald Smiling\\n1.png -1 1\\n"
    >>> _ = (folder / "list_attr_celeba.txt").write_text(text)
    >>> image, known = next(iter(CelebADataset(str(folder), decode=True)))
    >>> image.shape, known.tolist()
    ((4, 5, 3), [0, 1])
    """

    columns: ClassVar = ("image", "attr")
    # usage -> partition numbers
    splits: ClassVar = {"all": (0, 1, 2), "train": (0,), "valid": (1,), "test": (2,)}

    def __init__(
        self, dataset_dir, num_parallel_workers=None, shuffle=None, usage="all", sampler=None,
        decode=False, extensions=None, num_samples=None, num_shards=None, shard_id=None,
        cache=None, decrypt=None,
    ):  # fmt: skip
        self._open(locals())

    def _rows(self):
        path = self.given.dataset_dir / "list_attr_celeba.txt"
        chosen = self._chosen()
        return [
            (self.given.dataset_dir / name, np.array([n > 0 for n in numbers], np.uint32))
            for name, numbers in self._table(path, 2)
            if (chosen is None or name in chosen) and self._taken(Path(name))
        ]

    def _chosen(self):
        """Return the names of the images of `usage`; None for all."""
        if self.given.usage == "all":
            return None
        (wanted,) = self.splits[self.given.usage]
        path = self.given.dataset_dir / "list_eval_partition.txt"
        return {name for name, numbers in self._table(path, 0, 1) if numbers == [wanted]}

    def _table(self, path, skip, width=None):
        """Yield (name, numbers) of each line after the first `skip`, all of one width."""
        for i, line in enumerate(self._lines(path)[skip:], skip + 1):
            name, *words = line.split() or [""]
            numbers = self._numbers(path, i, int, words)
            width = len(numbers) if width is None else width
            if not name or len(numbers) != width:
                what = message("name-and-numbers", n=width)
                raise rejection("file-line-holds", self._who, path=path, what=what, i=i, got=line)
            yield name, numbers


__all__ = ["CelebADataset", "ImageFolderDataset"]
