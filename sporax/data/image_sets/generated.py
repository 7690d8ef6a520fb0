"""Datasets of random values, to try pipelines without files."""

import math

import numpy as np

from sporax._src.core.from_host import plain
from sporax._src.diagnosis.argument_kinds import STR, one_of
from sporax._src.diagnosis.rules import rejection, require
from sporax.data import argument_checks as check
from sporax.data import random_streams
from sporax.data.source import GeneratorDataset
from sporax.io.untrusted_file import MALFORMED, content, json_of

_MOST, _MOST_DIMS = 2**24, 64  # maximum elements and dimensions of a value


class _Drawn:
    """Rows by index, each drawn with its own seed."""

    def __init__(self, count, draw):
        self._count, self._draw = count, draw

    def __len__(self):
        return self._count

    def __getitem__(self, i):
        return self._draw(int(i))


class FakeImageDataset(GeneratorDataset):
    """Images of random pixels, UInt8, and labels, UInt32.

    `num_images`, `image_size` (height, width, channels), `num_classes`: the counts and the size.
    `base_seed`: the seed of the first row; each next row has the next seed. The other arguments are
    as for `MnistDataset`.

    >>> [(image.shape, label.item()) for image, label in FakeImageDataset(1, (4, 6, 3))]
    [((4, 6, 3), 5)]
    """

    def __init__(
        self, num_images=1000, image_size=(224, 224, 3), num_classes=10, base_seed=0,
        num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None, num_shards=None,
        shard_id=None, cache=None,
    ):  # fmt: skip
        who = type(self).__name__
        check.COUNT(who, num_images=num_images)
        self._shape = check.several(who, "image_size", image_size, (), check.COUNT)
        require(len(image_size) == 3, "height-width-channels", who, image_size=image_size)
        self._classes = check.COUNT.checked(who, "num_classes", num_classes)
        self._base = check.WHOLE.checked(who, "base_seed", base_seed)
        super().__init__(
            _Drawn(num_images, self._draw), ["image", "label"], num_samples=num_samples,
            shuffle=shuffle, sampler=sampler, num_shards=num_shards, shard_id=shard_id,
        )  # fmt: skip

    def _draw(self, i):
        label = random_streams.Twister(self._base + i).below(self._classes)
        pixels = np.random.default_rng(self._base + i).integers(0, 256, self._shape, np.uint8)
        return pixels, np.uint32(label)


_KINDS = "bool", "int8", "uint8", "int16", "int32", "int64", "float32", "float64"


class RandomDataset(GeneratorDataset):
    """Rows of random values.

    `total_rows`: by default `num_samples`, "numRows" of the schema, or random. `schema`: the
    columns, a path of JSON such as {"columns": [{"name": "x", "type": "int32", "shape": [2]}]} or a
    `Schema`; random by default. `columns_list`: names of the columns to keep, or of the random
    ones, by default 'c0', 'c1' and so on. Integers span the range of the dtype, others [0, 1). The
    other arguments are as for `GeneratorDataset`, but without shuffling by default.

    >>> data = RandomDataset(3, columns_list=["x", "y"])
    >>> data.get_col_names(), data.get_dataset_size()
    (['x', 'y'], 3)
    """

    def __init__(
        self, total_rows=None, schema=None, columns_list=None, num_samples=None,
        num_parallel_workers=None, cache=None, shuffle=None, num_shards=None, shard_id=None,
    ):  # fmt: skip
        who = type(self).__name__
        if columns_list is not None:
            check.several(who, "columns_list", columns_list, (), STR)
        if total_rows is not None:
            check.WHOLE(who, total_rows=plain(total_rows))
        self._seed = random_streams.seed()
        draw = np.random.default_rng(self._seed)
        columns, rows = _described(who, schema) if schema is not None else ({}, None)
        if schema is None:
            listed = columns_list or [f"c{i}" for i in range(draw.integers(1, 5))]
            columns = {name: (draw.choice(_KINDS), draw.integers(1, 5, draw.integers(0, 3)))
                       for name in listed}  # fmt: skip
        elif columns_list:
            for name in columns_list:
                one_of(*columns)(who, columns_list=name)
            columns = {name: columns[name] for name in columns_list}
        self._described = {name: (np.dtype(kind), tuple(shape))
                           for name, (kind, shape) in columns.items()}  # fmt: skip
        count = total_rows or num_samples or rows or int(draw.integers(1, 100))
        super().__init__(
            _Drawn(plain(count), self._draw), list(columns), num_samples=num_samples,
            shuffle=bool(shuffle), num_shards=num_shards, shard_id=shard_id,
        )  # fmt: skip

    def _draw(self, i):
        draw = np.random.default_rng((self._seed, i))
        return tuple([_values(draw, *described) for described in self._described.values()])


def _values(draw, kind, shape):
    if kind.kind == "b":
        return draw.integers(0, 2, shape).astype(kind)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        return draw.integers(limits.min, limits.max, shape, kind, endpoint=True)
    return draw.random(shape).astype(kind)


def _described(who, schema):
    """Return ({column: (dtype, shape)}, the number of rows or None) of a schema."""
    try:
        text = content(schema).decode() if isinstance(schema, str) else schema.to_json()
        described = json_of(text)
        columns = described["columns"]
        if isinstance(columns, dict):  # {name: description}, which MindSpore accepts too
            columns = [{"name": name, **column} for name, column in columns.items()]
        kinds = {c["name"]: np.dtype(c["type"]) for c in columns}
        fits = all(kind.kind in "biuf" for kind in kinds.values())
        require(fits, "types-of-numbers", kinds=kinds)
        shapes = {c["name"]: c.get("shape", ()) for c in columns}
        for shape in shapes.values():
            sizes = all(type(n) is int and n >= 0 for n in shape) and len(shape) <= _MOST_DIMS
            fits = sizes and math.prod(shape) <= _MOST
            require(fits, "sizes-of-shape", most=_MOST, shape=shape)
    except MALFORMED as error:
        raise rejection("schema-path-json-file", who, schema=schema, cause=error) from None
    return {name: (kinds[name], shapes[name]) for name in kinds}, described.get("numRows")


__all__ = ["FakeImageDataset", "RandomDataset"]
