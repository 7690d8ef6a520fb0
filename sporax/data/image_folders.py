"""Data sets of image files."""

from pathlib import Path

import numpy as np

from sporax.data import argument_checks as check
from sporax.data.mnist_cifar import _Folder
from sporax.data.vision.format_conversion import opened

_IMAGES = b"\xff\xd8\xff", b"\x89PNG", b"BM", b"GIF8", b"II*\0", b"MM\0*", b"RIFF"  # as files begin


class _Pictures(_Folder):
    """Files with what is known about each; images encoded, or arrays (H, W, 3)."""

    def __init__(self, dataset_dir, usage, sampling, decode, extensions, cache, decrypt):
        who = type(self).__name__
        if decrypt is not None:
            raise NotImplementedError(f"sporax has no 'decrypt' of '{who}'")
        self._decode = check.true_or_false(who, "decode", decode)
        if extensions is not None:
            extensions = check.several(who, "extensions", extensions, (), _text)
        self._extensions = extensions
        super().__init__(dataset_dir, usage, sampling, cache)

    def _read(self, path):
        content = path.read_bytes()
        if not content.startswith(_IMAGES):
            raise self._damaged(path, "must be an image, but begins with other bytes")
        encoded = np.frombuffer(content, np.uint8)
        return np.asarray(opened(type(self).__name__, encoded)) if self._decode else encoded

    def _taken(self, path):
        return self._extensions is None or path.suffix in self._extensions


class _Named:
    """(path, its label or attributes) by index; a file is read when its row is."""

    def __init__(self, pairs, read):
        self.pairs, self._read = pairs, read

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, i):
        path, known = self.pairs[i]
        return self._read(path), known


def _text(who, name, value):
    if not isinstance(value, str):
        raise TypeError(f"For '{who}', '{name}' must be a str, but got {type(value).__name__}.")
    return value


class ImageFolderDataset(_Pictures):
    """Image files in a folder for each class, labelled Int32 in the order of the folders' names.

    `dataset_dir`: the folder of these folders. `class_indexing`: {folder: label}, for some of
    them. `extensions`: a list of those taken, such as '.jpg'; all by default. `decode`: whether
    the images are arrays (H, W, 3), rather than the files' bytes. `num_samples`, `shuffle`,
    `sampler`, `num_shards`, `shard_id`: which rows, as for `GeneratorDataset`. The other arguments
    steer MindSpore's workers and have no effect here.

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

    _columns_there = "image", "label"

    def __init__(
        self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None,
        extensions=None, class_indexing=None, decode=False, num_shards=None, shard_id=None,
        cache=None, decrypt=None,
    ):  # fmt: skip
        sampling = {
            "num_samples": num_samples, "shuffle": shuffle, "sampler": sampler,
            "num_shards": num_shards, "shard_id": shard_id,
        }  # fmt: skip
        if class_indexing is not None:
            for name, label in dict(class_indexing).items():
                check.whole("ImageFolderDataset", f"class_indexing['{name}']", label, -(2**31))
        self._given = class_indexing
        super().__init__(dataset_dir, None, sampling, decode, extensions, cache, decrypt)

    def get_class_indexing(self):
        """{folder: label}."""
        if self._given is not None:
            return dict(self._given)
        folders = sorted(path.name for path in self._folder.iterdir() if path.is_dir())
        return {name: i for i, name in enumerate(folders)}

    def num_classes(self):
        """The number of folders that are taken."""
        return len(self.get_class_indexing())

    def _found(self):
        pairs = []
        for name, label in sorted(self.get_class_indexing().items()):
            paths = sorted(p for p in (self._folder / name).glob("*") if p.is_file())
            pairs += [(path, np.int32(label)) for path in paths if self._taken(path)]
        if not pairs:
            raise RuntimeError(
                f"For 'ImageFolderDataset', '{self._folder}' must hold a folder of images for each "
                f"class, but there are none. 'extensions' is {self._extensions}, 'class_indexing' "
                f"{self._given}."
            )
        return _Named(pairs, self._read)


class CelebADataset(_Pictures):
    """Faces, and 0 or 1 for each of 40 attributes, UInt32 (Liu et al. 2015).

    `dataset_dir`: the folder of the images, of `list_attr_celeba.txt` and, for a `usage` other
    than 'all' ('train', 'valid' or 'test'), of `list_eval_partition.txt`. The other arguments are
    those of `ImageFolderDataset`.

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

    _columns_there = "image", "attr"
    _usages = "train", "valid", "test", "all"

    def __init__(
        self, dataset_dir, num_parallel_workers=None, shuffle=None, usage="all", sampler=None,
        decode=False, extensions=None, num_samples=None, num_shards=None, shard_id=None,
        cache=None, decrypt=None,
    ):  # fmt: skip
        sampling = {
            "num_samples": num_samples, "shuffle": shuffle, "sampler": sampler,
            "num_shards": num_shards, "shard_id": shard_id,
        }  # fmt: skip
        super().__init__(dataset_dir, usage, sampling, decode, extensions, cache, decrypt)

    def _found(self):
        names, rows = self._table("list_attr_celeba.txt", skip=2)
        if self._usage != "all":
            listed, parts = self._table("list_eval_partition.txt", skip=0)
            part = dict(zip(listed, [int(row[0]) for row in parts], strict=True))
            wanted = ("train", "valid", "test").index(self._usage)
            kept = [i for i, name in enumerate(names) if part.get(name) == wanted]
        else:
            kept = range(len(names))
        pairs = [
            (self._folder / names[i], np.array([int(x) > 0 for x in rows[i]], np.uint32))
            for i in kept
            if self._taken(Path(names[i]))
        ]
        if not pairs:
            raise RuntimeError(
                f"For 'CelebADataset', there must be images of usage '{self._usage}' and of "
                f"'extensions' {self._extensions} in '{self._folder}', but there are none."
            )
        return _Named(pairs, self._read)

    def _table(self, name, skip):
        lines = [line.split() for line in self._files(name)[0].read_text().splitlines()[skip:]]
        lines = [line for line in lines if line]
        return [line[0] for line in lines], [line[1:] for line in lines]


__all__ = ["CelebADataset", "ImageFolderDataset"]
