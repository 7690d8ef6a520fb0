"""Datasets of paired images: with outlines, lower resolutions, or other views."""

import json
from typing import ClassVar

import numpy as np

from sporax._src.diagnosis.argument_kinds import one_of
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.data.file_set import FileSet
from sporax.data.vision.format_conversion import opened


class SBDataset(FileSet):
    """Photographs with edges or regions of objects of 20 classes (Hariharan et al. 2011).

    `dataset_dir`: the folder of `img`, `cls`, `train.txt` and `val.txt`. `task`: 'Boundaries' (the
    column 'task' is (20, H, W) of numbers, one image per class) or 'Segmentation' ((H, W) of
    UInt8, the class of each pixel). `usage`: 'train', 'val', 'train_noval' or 'all', train and
    val. The other arguments are as for `ImageFolderDataset`.

    >>> SBDataset("nowhere")
    Traceback (most recent call last):
    ValueError: For 'SBDataset', 'dataset_dir' must be a folder, but got 'nowhere'.
    """

    columns: ClassVar = ("image", "task")
    choices: ClassVar = {"task": ("Boundaries", "Segmentation")}
    splits: ClassVar = {
        "all": ("train", "val"), "train": ("train",), "val": ("val",),
        "train_noval": ("train_noval",),
    }  # fmt: skip

    def __init__(
        self, dataset_dir, task="Boundaries", usage="all", num_samples=None, num_parallel_workers=1,
        shuffle=None, decode=None, sampler=None, num_shards=None, shard_id=None,
    ):  # fmt: skip
        self._open(locals())

    def _split_rows(self, split):
        top = self.given.dataset_dir
        names = self._lines(top / f"{split}.txt")
        return [(top / "img" / f"{name}.jpg", top / "cls" / f"{name}.mat") for name in names]

    def _read_row(self, i, row):
        image, path = row
        (classes,) = self._mat(self._inside(path), "GTcls")
        try:
            target = classes[0, 0][self.given.task]
            if self.given.task == "Boundaries":
                target = np.stack(target.ravel().tolist())
        except (AttributeError, IndexError, ValueError) as error:
            fields = {"task": self.given.task, "i": i, "cause": error}
            raise rejection("file-boundaries", self._who, path=path, **fields) from None
        return super()._read_row(i, (image, target))


class CityscapesDataset(FileSet):
    """Street scenes of 50 cities, with annotated pixels (Cordts et al. 2016).

    `dataset_dir`: the folder of `leftImg8bit` and of `gtFine` or `gtCoarse`, for the `quality_mode`
    'fine' or 'coarse'. `usage`: 'train', 'val', 'all', and for 'fine' 'test', else 'train_extra'.
    `task`: 'instance', 'semantic' or 'color', images; or 'polygon', a string of JSON. The other
    arguments are as for `ImageFolderDataset`.

    >>> CityscapesDataset("nowhere")
    Traceback (most recent call last):
    ValueError: For 'CityscapesDataset', 'dataset_dir' must be a folder, but got 'nowhere'.
    """

    columns: ClassVar = ("image", "task")
    _ends: ClassVar = {"instance": "instanceIds.png", "semantic": "labelIds.png",
                       "color": "color.png", "polygon": "polygons.json"}  # fmt: skip
    # quality -> the splits, in the order of 'all'
    _splits: ClassVar = {
        "fine": ("train", "test", "val"),
        "coarse": ("train", "train_extra", "val"),
    }
    choices: ClassVar = {"quality_mode": tuple(_splits), "task": tuple(_ends)}

    def __init__(
        self, dataset_dir, usage="train", quality_mode="fine", task="instance", num_samples=None,
        num_parallel_workers=None, shuffle=None, decode=None, sampler=None, num_shards=None,
        shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())
        splits = self._splits[self.given.quality_mode]
        one_of(*splits, "all")(self._who, usage=usage)

    def _rows(self):
        quality, usage = self.given.quality_mode, self.given.usage
        truth, end = f"gt{quality.capitalize()}", self._ends[self.given.task]
        rows = []
        for split in self._splits[quality] if usage == "all" else (usage,):
            for image in sorted(self._folder(f"leftImg8bit/{split}").glob("*/*_leftImg8bit.png")):
                goal = self._folder(f"{truth}/{split}/{image.parent.name}")
                name = image.name.removesuffix("leftImg8bit.png")
                rows.append((image, goal / f"{name}{truth}_{end}"))
        return rows

    def _read_row(self, i, row):
        image, goal = row
        if self.given.task == "polygon":
            polygons = self._json(self._inside(goal))
            goal = json.dumps(polygons, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return super()._read_row(i, (image, goal))


class DIV2KDataset(FileSet):
    """Photographs in 2K and in lower resolutions, for super-resolution (Agustsson, Timofte 2017).

    `dataset_dir`: the folder of folders such as `DIV2K_train_HR` and `DIV2K_train_LR_bicubic/X2`.
    `usage`: 'train', 'valid' or 'all'. `downgrade`: the degradation, 'bicubic', 'unknown',
    'mild', 'difficult' or 'wild'; `scale`: its factor, 2, 3, 4 or 8 (8 only for 'bicubic', and only
    4 for the last three). The other arguments are as for `ImageFolderDataset`.

    >>> DIV2KDataset("nowhere")
    Traceback (most recent call last):
    ValueError: For 'DIV2KDataset', 'dataset_dir' must be a folder, but got 'nowhere'.
    """

    columns: ClassVar = ("hr_image", "lr_image")
    # degradation -> factors, and the letter after them in the file names
    _ways: ClassVar = {
        "bicubic": ((2, 3, 4, 8), ""), "unknown": ((2, 3, 4), ""), "mild": ((4,), "m"),
        "difficult": ((4,), "d"), "wild": ((4,), "w"),
    }  # fmt: skip
    choices: ClassVar = {"downgrade": tuple(_ways)}
    splits: ClassVar = {"train": ("train",), "valid": ("valid",), "all": ("train", "valid")}

    def __init__(
        self, dataset_dir, usage="train", downgrade="bicubic", scale=2, num_samples=None,
        num_parallel_workers=None, shuffle=None, decode=None, sampler=None, num_shards=None,
        shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())
        factors, _ = self._ways[self.given.downgrade]
        one_of(*factors).checked(self._who, f"scale' of '{downgrade}", scale)

    def _split_rows(self, split):
        how, scale = self.given.downgrade, self.given.scale
        end = f"x{scale}{self._ways[how][1]}"
        smaller = "x8" if scale == 8 else how if len(end) > 2 else f"{how}/X{scale}"
        low = self._folder(f"DIV2K_{split}_LR_{smaller}")
        images = sorted(self._folder(f"DIV2K_{split}_HR").glob("*.png"))
        return [(image, low / f"{image.stem}{end}.png") for image in images]


class PhotoTourDataset(FileSet):
    """Patches (64, 64, 1) of UInt8 from three sights, or pairs of patches (Brown and Lowe 2007).

    `dataset_dir`: a folder with a folder `name`: 'notredame', 'yosemite', 'liberty',
    'notredame_harris', 'yosemite_harris' or 'liberty_harris', with `info.txt`,
    `m50_100000_100000_0.txt`, `patches0000.bmp` and following. `usage`: 'train', the default, has
    the column 'image'; 'test' has 'image1', 'image2' and 'matches', UInt32, 1 if both show one
    point. The other arguments are as for `ImageFolderDataset`.

    >>> PhotoTourDataset("nowhere", "liberty")
    Traceback (most recent call last):
    ValueError: For 'PhotoTourDataset', 'dataset_dir' must be a folder, but got 'nowhere'.
    """

    choices: ClassVar = {
        "usage": ("train", "test"),
        "name": ("notredame", "yosemite", "liberty", "notredame_harris", "yosemite_harris",
                 "liberty_harris"),
    }  # fmt: skip

    def __init__(
        self, dataset_dir, name, usage=None, num_samples=None, num_parallel_workers=None,
        shuffle=None, sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())
        self._sheets = {}

    def _column_names(self):
        return ["image"] if self.given.usage == "train" else ["image1", "image2", "matches"]

    def _rows(self):
        folder = self._folder(self.given.name)
        path = folder / "info.txt"
        points = [self._numbers(path, i, int, line.split()[:1] or [""])[0]
                  for i, line in enumerate(self._lines(path))]  # fmt: skip
        if self.given.usage == "train":
            return [(i,) for i in range(len(points))]
        path, rows = folder / "m50_100000_100000_0.txt", []
        for i, line in enumerate(self._lines(path)):
            numbers = self._numbers(path, i, int, line.split())
            if len(numbers) != 7 or max(numbers[0], numbers[3]) >= len(points):
                what = message("numbers-of-patches", n=len(points))
                raise rejection("file-line-holds", self._who, path=path, what=what, i=i, got=line)
            rows.append((numbers[0], numbers[3], np.uint32(numbers[1] == numbers[4])))
        return rows

    def _read_row(self, i, row):
        patches = [self._patch(n) for n in row[:2]]
        return *patches, *row[2:]

    def _patch(self, n):
        """Return patch `n`; a sheet has 256 patches, row by row."""
        sheet, index = divmod(n, 256)
        if sheet not in self._sheets:
            path = self.given.dataset_dir / self.given.name / f"patches{sheet:04}.bmp"
            content = np.frombuffer(self._content(path), np.uint8)
            try:
                pixels = np.asarray(opened(self._who, content).convert("L"))
            except RuntimeError as error:
                raise rejection("file-image", self._who, path=path, cause=error) from None
            got = pixels.shape
            require(got == (1024, 1024), "file-sheet", self._who, path=path, got=got)
            self._sheets[sheet] = pixels
        top, left = (64 * x for x in divmod(index, 16))
        return self._sheets[sheet][top : top + 64, left : left + 64, None].copy()


__all__ = ["CityscapesDataset", "DIV2KDataset", "PhotoTourDataset", "SBDataset"]
