"""Datasets of images in one folder per class."""

from typing import ClassVar

import numpy as np

from sporax._src.diagnosis.argument_kinds import BOOL, LIST, one_of, optional
from sporax.data.file_set import FileSet


def folders(path):
    """Return the folders in a folder, sorted by name."""
    return sorted(inner for inner in path.iterdir() if inner.is_dir())


def images(path):
    """Return the files in a folder, sorted by name."""
    return sorted(inner for inner in path.iterdir() if inner.is_file())


def labelled(classes, kind: type[np.integer] = np.uint32):
    """Return (image, label) of the files in these folders, labelled in order; None: missing."""
    return [
        (image, kind(i)) for i, folder in enumerate(classes) if folder for image in images(folder)
    ]


class Caltech101Dataset(FileSet):
    """Objects of 101 classes, labelled Int64 in the order of their names, with their contours
    (Fei-Fei et al. 2004).

    `dataset_dir`: the folder of `101_ObjectCategories` and `Annotations`. `target_type`: the
    columns besides 'image': 'category' (the default), 'annotation' (a contour (2, n) of Float64) or
    'all'. `decode`: whether images are arrays (H, W, 3), rather than the files' bytes.
    `num_samples`, `shuffle`, `sampler`, `num_shards`, `shard_id`: which rows, as for
    `GeneratorDataset`. `num_parallel_workers`: as for `map`.

    >>> import pathlib, tempfile
    >>> from PIL import Image
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "101_ObjectCategories" / "ant").mkdir(parents=True)
    >>> Image.new("RGB", (5, 4)).save(folder / "101_ObjectCategories" / "ant" / "image_0001.jpg")
    >>> data = Caltech101Dataset(str(folder), decode=True)
    >>> [(image.shape, label.item()) for image, label in data], data.get_class_indexing()
    ([((4, 5, 3), 0)], {'ant': 0})
    """

    choices: ClassVar = {"target_type": ("category", "annotation", "all")}
    # classes with contours in folders of other names
    _contours: ClassVar = {
        "Faces": "Faces_2", "Faces_easy": "Faces_3", "Motorbikes": "Motorbikes_16",
        "airplanes": "Airplanes_Side_2",
    }  # fmt: skip

    def __init__(
        self, dataset_dir, target_type=None, num_samples=None, num_parallel_workers=1, shuffle=None,
        decode=False, sampler=None, num_shards=None, shard_id=None,
    ):  # fmt: skip
        self._open(locals())

    def _column_names(self):
        every = ["category", "annotation"]
        target = self.given.target_type
        return ["image", *(every if target == "all" else [target])]

    def _classes(self):
        kinds = folders(self._folder("101_ObjectCategories"))
        return [kind for kind in kinds if kind.name != "BACKGROUND_Google"]

    def get_class_indexing(self):
        """Return {class: label}."""
        return {folder.name: i for i, folder in enumerate(self._classes())}

    def _rows(self):
        return labelled(self._classes(), np.int64)

    def _read_row(self, i, row):
        path, label = row
        values = {"image": path, "category": label}
        if "annotation" in self._columns:
            name = self._contours.get(path.parent.name, path.parent.name)
            file = path.stem.replace("image", "annotation") + ".mat"
            path = self.given.dataset_dir / "Annotations" / name / file
            (values["annotation"],) = self._mat(path, "obj_contour")
        return super()._read_row(i, [values[name] for name in self._columns])


class Caltech256Dataset(FileSet):
    """Objects of 257 classes, labelled Int32 in the order of their names (Griffin et al. 2007).

    `dataset_dir`: a folder with one folder per class. The other arguments are as for
    `ImageFolderDataset`.

    >>> import pathlib, tempfile
    >>> from PIL import Image
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "001.ak47").mkdir()
    >>> Image.new("RGB", (5, 4)).save(folder / "001.ak47" / "001_0001.jpg")
    >>> [(i.shape, x.item()) for i, x in Caltech256Dataset(str(folder), decode=True)]
    [((4, 5, 3), 0)]
    """

    def __init__(
        self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, decode=False,
        sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _rows(self):
        return labelled(folders(self.given.dataset_dir), np.int32)


class OmniglotDataset(Caltech256Dataset):
    """Handwritten characters of 50 alphabets, labelled Int32 in the order of alphabets and
    characters (Lake et al. 2015).

    `dataset_dir`: the folder of `images_background` (30 alphabets; with `background`, the default)
    and `images_evaluation` (the others). The other arguments are as for `ImageFolderDataset`.

    >>> import pathlib, tempfile
    >>> from PIL import Image
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "images_background" / "Greek" / "character01"
    >>> folder.mkdir(parents=True)
    >>> Image.new("1", (5, 4)).save(folder / "0394_01.png")
    >>> [(i.shape, x.item()) for i, x in OmniglotDataset(str(folder.parents[2]), decode=True)]
    [((4, 5, 3), 0)]
    """

    def __init__(
        self, dataset_dir, background=None, num_samples=None, num_parallel_workers=None,
        shuffle=None, decode=False, sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        optional(BOOL)(type(self).__name__, background=background)
        self._open(locals())

    def _rows(self):
        subset = "evaluation" if self.given.background is False else "background"
        alphabets = folders(self._folder(f"images_{subset}"))
        return labelled([inner for folder in alphabets for inner in folders(folder)], np.int32)


class RenderedSST2Dataset(FileSet):
    """Sentences rendered as images, labelled 0 (negative) or 1 (positive), UInt32 (Radford et al.
    2021).

    `dataset_dir`: the folder of `train`, `valid` and `test`, each with one folder per class.
    `usage`: 'train', 'val', 'test' or 'all', the default. The other arguments are as for
    `ImageFolderDataset`.

    >>> import pathlib, tempfile
    >>> from PIL import Image
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "train" / "positive"
    >>> folder.mkdir(parents=True)
    >>> Image.new("RGB", (5, 4)).save(folder / "1.png")
    >>> [x.item() for _, x in RenderedSST2Dataset(str(folder.parents[1]), "train")]
    [1]
    """

    splits: ClassVar = {
        "all": ("test", "train", "valid"), "train": ("train",), "val": ("valid",), "test": ("test",)
    }  # fmt: skip

    def __init__(
        self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
        decode=False, sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _split_rows(self, split):
        kinds = [self.given.dataset_dir / split / kind for kind in ("negative", "positive")]
        return labelled([kind if kind.is_dir() else None for kind in kinds])


_SCENES = (
    "bedroom", "bridge", "church_outdoor", "classroom", "conference_room", "dining_room", "kitchen",
    "living_room", "restaurant", "tower",
)  # fmt: skip


class LSUNDataset(FileSet):
    """Scenes, labelled UInt32 in the order of the folder names (Yu et al. 2015).

    `dataset_dir`: the folder of folders such as `bedroom_train`, `bedroom_val` and `test`. `usage`:
    'train', 'valid', 'test' or 'all', the default: train and valid. `classes`: a list of classes
    to read, all by default. The other arguments are as for `ImageFolderDataset`.

    >>> import pathlib, tempfile
    >>> from PIL import Image
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "tower_val"
    >>> folder.mkdir()
    >>> Image.new("RGB", (5, 4)).save(folder / "1_1.jpg")
    >>> [x.item() for _, x in LSUNDataset(str(folder.parent), "valid", ["tower"])]
    [0]
    """

    choices: ClassVar = {"usage": ("all", "train", "test", "valid")}

    def __init__(
        self, dataset_dir, usage=None, classes=None, num_samples=None, num_parallel_workers=None,
        shuffle=None, decode=False, sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        who = type(self).__name__
        if classes is not None:
            LIST(who, classes=classes)
            for i, name in enumerate(classes):
                one_of(*_SCENES).checked(who, f"classes[{i}]", name)
        self._open(locals())

    def _rows(self):
        usage = self.given.usage
        kinds = _SCENES if self.given.classes is None else self.given.classes
        splits = {"train": ("train",), "valid": ("val",)}.get(usage, ("train", "val"))
        names = {"test"} if usage == "test" else {f"{k}_{split}" for k in kinds for split in splits}
        return labelled([f for f in folders(self.given.dataset_dir) if f.name in names])


class SUN397Dataset(FileSet):
    """Scenes of 397 classes, labelled UInt32 (Xiao et al. 2010).

    `dataset_dir`: the folder of `ClassName.txt`, which lists the class folders (such as
    `/a/abbey`), and of these. The other arguments are as for `ImageFolderDataset`.

    >>> import pathlib, tempfile
    >>> from PIL import Image
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "ClassName.txt").write_text("/a/abbey")
    >>> (folder / "a" / "abbey").mkdir(parents=True)
    >>> Image.new("RGB", (5, 4)).save(folder / "a" / "abbey" / "sun_x.jpg")
    >>> [x.item() for _, x in SUN397Dataset(str(folder))]
    [0]
    """

    def __init__(
        self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, decode=False,
        sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _rows(self):
        names = self._lines(self.given.dataset_dir / "ClassName.txt")
        return labelled([self._folder(name.strip("/")) for name in names])


__all__ = [
    "Caltech101Dataset", "Caltech256Dataset", "LSUNDataset", "OmniglotDataset",
    "RenderedSST2Dataset", "SUN397Dataset",
]  # fmt: skip
