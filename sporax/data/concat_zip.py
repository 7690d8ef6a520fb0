"""Several datasets as one, and one as several: `concat`, `zip`, `split`."""

from sporax.data import random_streams
from sporax.data.dataset import Dataset
from sporax.data.pipeline import Step, in_steps, step


@step("concat")
class Concat(Step):
    """The rows, then those of other datasets of the same columns."""

    _children = "dataset", "datasets"

    def __init__(self, dataset, datasets):
        others = [datasets] if isinstance(datasets, Dataset) else list(datasets)
        for other in others:
            _check_dataset("concat", other)
            if other.get_col_names() != dataset.get_col_names():
                raise RuntimeError(
                    "For 'concat', the columns must be the same, but got "
                    f"{dataset.get_col_names()} and {other.get_col_names()}."
                )
        Dataset.__init__(self, dataset.get_col_names(), dataset, *others)

    @property
    def _size(self):
        return sum(child.get_dataset_size() for child in self.children)

    def _begin(self):
        epochs = [child._begin() for child in self.children]
        return lambda: (row for epoch in epochs for row in epoch())


@in_steps
class Zip(Dataset):
    """Several datasets side by side, as long as the shortest."""

    _children = ("datasets",)

    def __init__(self, datasets):
        for dataset in datasets:
            _check_dataset("zip", dataset)
        columns = [name for dataset in datasets for name in dataset.get_col_names()]
        if len(set(columns)) < len(columns):
            raise RuntimeError(
                f"For 'zip', the columns must be different, but got {columns}. Rename some first."
            )
        super().__init__(columns, *datasets)

    @property
    def _size(self):
        return min(child.get_dataset_size() for child in self.children)

    def _begin(self):
        epochs = [child._begin() for child in self.children]
        return lambda: (
            tuple([array for row in rows for array in row])
            for rows in zip(*[epoch() for epoch in epochs], strict=False)
        )


def zip_datasets(datasets):
    """The columns of several datasets side by side; as long as the shortest.

    >>> from sporax.data import NumpySlicesDataset
    >>> a = NumpySlicesDataset([1, 2], ["a"], shuffle=False)
    >>> b = NumpySlicesDataset([3, 4, 5], ["b"], shuffle=False)
    >>> [row["b"].tolist() for row in zip_datasets((a, b)).create_dict_iterator(1, True)]
    [3, 4]
    """
    if not isinstance(datasets, (tuple, list)) or len(datasets) < 2:
        raise TypeError(
            f"For 'zip', 'datasets' must be a tuple of at least two datasets, but got {datasets!r}."
        )
    return Zip(datasets)


def _zip_with(self, datasets):
    """The columns of this dataset and of others side by side; as long as the shortest."""
    others = datasets if isinstance(datasets, (tuple, list)) else (datasets,)
    return Zip((self, *others))


Dataset.zip = _zip_with


def _check_dataset(who, dataset):
    if not isinstance(dataset, Dataset):
        raise TypeError(
            f"For '{who}', there must be datasets only, but got {type(dataset).__name__}."
        )


def _split(self, sizes, randomize=True):
    """Parts of the dataset, as a list of datasets without common rows.

    `sizes`: the number of rows of each part, or each part's share, in sum 1. `randomize`: whether
    rows are chosen at random (by the seed of `dataset.config`), rather than as they come.
    """
    total = self.get_dataset_size()
    rows = _sizes(sizes, total)
    source = Settled(self, randomize)
    parts, start = [], 0
    for size in rows:
        part = source.skip(start) if start else source
        parts.append(part.take(size))
        start += size
    return parts


Dataset.split = _split
_split.__name__ = "split"


@in_steps
class Settled(Step):
    """All rows in one order, the same in every epoch and for whoever begins; `randomize`: in a
    random one."""

    def __init__(self, dataset, randomize, seed=None):
        super().__init__(dataset)
        self._seed = random_streams.seed() if seed is None else seed
        self._randomize = randomize

    def _parameters(self):
        return super()._parameters() | {"seed": self._seed}

    def _begin(self):
        def one():
            with random_streams.fixed(self._seed):
                rows = self._source._begin()()
            if not self._randomize:
                return rows
            if self._source.is_in_place:  # MindSpore has a sampler choose the rows then
                listed = list(rows)
                random_streams.shuffle(listed, random_streams.Twister(self._seed))
                return iter(listed)
            return random_streams.through_buffer(
                rows, self.get_dataset_size(), random_streams.LongTwister(self._seed)
            )

        return one


def _sizes(sizes, total):
    who = "For 'split', 'sizes' must be"
    kinds = {type(size) for size in sizes} if isinstance(sizes, list) and sizes else set()
    if kinds not in ({int}, {float}) or any(size <= 0 for size in sizes):
        raise ValueError(f"{who} a list of positive ints, or of floats, but got {sizes!r}.")
    if kinds == {int}:
        rows = list(sizes)
    else:
        if any(size > 1 for size in sizes) or abs(sum(sizes) - 1) > 1e-6:
            raise ValueError(f"{who} shares of 1 in sum, but got {sizes}.")
        rows = [round(size * total) for size in sizes]
        rows[0] += total - sum(rows)  # what rounding left over
    if sum(rows) != total:
        raise RuntimeError(f"{who} {total} in sum, the number of rows, but got {sizes}.")
    return rows


__all__ = ["zip_datasets"]
