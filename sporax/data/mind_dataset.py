"""`MindDataset`: the rows of MindRecord files."""

from bisect import bisect_right
from itertools import accumulate
from pathlib import Path

import numpy as np

from sporax._src.diagnosis.rules import require
from sporax.data.dataset import count, names
from sporax.data.mindrecord import opened
from sporax.data.mindrecord_file import is_blob
from sporax.data.sampler import PKSampler
from sporax.data.source import GeneratorDataset


class _Records:
    """The rows of several files, as tuples of arrays, then `padded` copies of `sample`."""

    def __init__(self, files, columns, sample, padded):
        self.files, self.columns = files, columns
        self.ends = list(accumulate(len(file) for file in files))
        self.padding = [self._array(name, sample[name]) for name in columns] if padded else []
        self.padded = padded

    def __len__(self):
        return self.ends[-1] + self.padded

    def __getitem__(self, i):
        i = range(len(self))[i]
        if i >= self.ends[-1]:
            return tuple(self.padding)
        file, number = self._location(i)
        row = file.row(number)
        return tuple([self._array(name, row[name]) for name in self.columns])

    def _location(self, i):
        """Return the file of a row, and the row's index in it."""
        file_index = bisect_right(self.ends, i)
        return self.files[file_index], i - (self.ends[file_index - 1] if file_index else 0)

    def origins(self, i):
        """Return the origins of row `i`, as in `FileRow`."""
        if i >= self.ends[-1]:
            return []
        file, number = self._location(i)
        return [(file.path, number)]

    def _array(self, name, value):
        kind = self.files[0].schema[name]
        if isinstance(value, bytes):
            return np.array([value])
        return np.asarray(value, None if kind["type"] == "string" else kind["type"])


class MindDataset(GeneratorDataset):
    """The rows of MindRecord files, written by MindSpore or by `mindrecord.FileWriter`.

    `dataset_files`: one file of a set written together, or a list of files. `columns_list`: the
    fields, all by default. Bytes become an array of one byte string, which `vision.Decode` accepts.
    `padded_sample`: a dict, a row that is appended `num_padded` times. `num_samples`, `shuffle`,
    `sampler`, `num_shards`, `shard_id`: which rows, as for `GeneratorDataset`.
    `num_parallel_workers`, `cache`: as for `map`.

    >>> import tempfile
    >>> from sporax.data import NumpySlicesDataset
    >>> path = tempfile.mkdtemp() + "/rows"
    >>> NumpySlicesDataset({"x": [1, 2]}, shuffle=False).save(path)
    >>> [x.item() for x, in MindDataset(path, shuffle=False)]
    [1, 2]
    """

    def __init__(
        self, dataset_files, columns_list=None, num_parallel_workers=None, shuffle=None,
        num_shards=None, shard_id=None, sampler=None, padded_sample=None, num_padded=None,
        num_samples=None, cache=None,
    ):  # fmt: skip
        if isinstance(shuffle, str):
            require(shuffle == "global", "sporax-no-shuffle-minddataset", shuffle=shuffle)
            shuffle = True
        fits = shuffle is None or isinstance(shuffle, bool)
        require(fits, "bool-member-shuffle", "MindDataset", shuffle=shuffle)
        one = isinstance(dataset_files, (str, Path))
        for path in [dataset_files] if one else dataset_files:
            require(Path(path).is_file(), "there-must-be-file", "MindDataset", path=path)
        files = opened(dataset_files)
        columns = list(files[0].schema) if columns_list is None else columns_list
        columns = names("MindDataset", columns)
        for name in columns:
            schema = [*files[0].schema]
            require(name in schema, "columns-among", "MindDataset", schema=schema, got=name)
        padded = count("MindDataset", "num_padded", num_padded, 0) or 0
        fits = not padded or set(padded_sample or {}) == set(columns)
        require(fits, "columns", "MindDataset", padded_sample=padded_sample, columns=columns)
        super().__init__(
            _Records(files, columns, padded_sample, padded), columns, num_samples=num_samples,
            shuffle=shuffle, sampler=sampler, num_shards=num_shards, shard_id=shard_id,
        )  # fmt: skip

    def _indices(self):
        """Extend `GeneratorDataset._indices`: a `PKSampler` gets the rows' classes."""
        if not isinstance(self.sampler, PKSampler):
            return super()._indices()
        name, files = self.sampler.class_column, self.source.files
        fits, known = not is_blob(files[0].schema.get(name, {"type": "bytes"})), [*files[0].schema]
        require(fits, "column-of-classes", "MindDataset", class_column=name, columns=known)
        classes = [file.row(i)[name] for file in files for i in range(len(file))]
        return self.sampler.begin_classes(np.array(classes))


__all__ = ["MindDataset"]
