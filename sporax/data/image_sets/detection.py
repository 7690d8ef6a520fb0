"""Datasets of images with annotated objects: boxes, labels, outlines, captions."""

from pathlib import Path
from typing import ClassVar
from xml.etree import ElementTree

import numpy as np

from sporax._src.diagnosis.argument_kinds import DICT, STR, optional
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.data import argument_checks as check
from sporax.data.file_set import FileSet, existing, location_phrase

_CONTENT = "its-content", 0  # as in `location_phrase`


def column(values, kind):
    """Return values as (n, 1), one for each object."""
    return np.array(values).astype(kind).reshape(-1, 1)


def _check_task(who, task, *tasks):
    require(task in tasks, "needs-task", who, get_class_indexing=task, tasks=tasks)


def _indexing(who, given):
    """Check the argument `class_indexing`."""
    optional(DICT)(who, class_indexing=given)
    for name, label in (given or {}).items():
        check.INT32.checked(who, f"class_indexing[{name!r}]", label)


class ManifestDataset(FileSet):
    """Images listed in a manifest, and their classes (the format of Huawei's ModelArts).

    `dataset_file`: lines of JSON with 'source' (an image's path), 'usage' and 'annotation', a list
    of objects with a 'name'. `usage`: 'train', 'eval' or 'inference'. `class_indexing`: {class:
    label}, by default in the order of the names; images of other classes are omitted. 'label' is
    Int32, 1-d for several objects. The other arguments are as for `ImageFolderDataset`.

    >>> import pathlib, tempfile
    >>> from PIL import Image
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> Image.new("RGB", (5, 4)).save(folder / "1.png")
    >>> line = {"source": f"{folder}/1.png", "usage": "train", "annotation": [{"name": "cat"}]}
    >>> _ = (folder / "some.manifest").write_text(__import__("json").dumps(line))
    >>> data = ManifestDataset(str(folder / "some.manifest"), decode=True)
    >>> [(image.shape, label.item()) for image, label in data], data.get_class_indexing()
    ([((4, 5, 3), 0)], {'cat': 0})
    """

    def __init__(
        self, dataset_file, usage="train", num_samples=None, num_parallel_workers=None,
        shuffle=None, sampler=None, class_indexing=None, decode=False, num_shards=None,
        shard_id=None, cache=None,
    ):  # fmt: skip
        _indexing(type(self).__name__, class_indexing)
        self._open(locals())

    def _listed(self):
        """Yield (path, names) of each image of `usage`."""
        path, usage = self.given.dataset_file, self.given.usage or "train"
        choices = "train", "eval", "inference"
        fits = usage in choices
        require(fits, "one-of", self._who, usage=usage, choices=choices, error=RuntimeError)
        for i, line in enumerate(self._lines(path)):
            keys = "source", "usage", "annotation"
            source, is_used, notes = self._entry(path, i, self._parsed(path, line), *keys)
            names = [self._entry(path, i, note, "name")[0] for note in notes]
            is_file = Path(source).is_file()
            require(is_file, "file-lists-files", self._who, path=path, i=i, got=source)
            if is_used.lower() == usage and names and Path(source).suffix.lower() in _SUFFIXES:
                yield Path(source), names

    def get_class_indexing(self):
        """Return {class: label}."""
        if self.given.class_indexing:
            return dict(self.given.class_indexing)
        return {
            k: i for i, k in enumerate(sorted({k for _, names in self._listed() for k in names}))
        }

    def num_classes(self):
        """Return the number of classes."""
        return len(self.get_class_indexing())

    def _rows(self):
        labels, rows = self.get_class_indexing(), []
        for path, names in self._listed():
            present = [labels[name] for name in names if name in labels]
            if present:
                rows.append((path, np.squeeze(np.array(present, np.int32))))
        return rows


_SUFFIXES = ".jpeg", ".jpg", ".png", ".gif", ".bmp"


class VOCDataset(FileSet):
    """Objects of 20 classes, with boxes or outlines (Everingham et al. 2010).

    `dataset_dir`: the folder of `JPEGImages`, `ImageSets`, and `SegmentationClass` or
    `Annotations`. `task`: 'Segmentation', with the columns 'image' and 'target' (an image), or
    'Detection', with 'image', 'bbox' (n, 4) of Float32 (x, y, width, height), and 'label',
    'difficult' and 'truncate' (n, 1) of UInt32. `usage`: the name of a list in `ImageSets`.
    `class_indexing`: {class: label}, for 'Detection', by default in the order of the names; other
    objects are omitted. `extra_metadata`: a column '_meta-filename', visible once it is renamed.
    `decrypt`: a function from a path to the file's bytes. The other arguments are as for
    `ImageFolderDataset`.

    >>> import pathlib, tempfile
    >>> from PIL import Image
    >>> top = pathlib.Path(tempfile.mkdtemp())
    >>> for name in ("ImageSets/Segmentation", "JPEGImages", "SegmentationClass"):
    ...     (top / name).mkdir(parents=True)
    >>> _ = (top / "ImageSets" / "Segmentation" / "train.txt").write_text("a")
    >>> Image.new("RGB", (5, 4)).save(top / "JPEGImages" / "a.jpg")
    >>> Image.new("P", (5, 4)).save(top / "SegmentationClass" / "a.png")
    >>> [(image.shape, target.shape) for image, target in VOCDataset(str(top), decode=True)]
    [((4, 5, 3), (4, 5, 3))]
    """

    choices: ClassVar = {"task": ("Segmentation", "Detection")}

    def __init__(
        self, dataset_dir, task="Segmentation", usage="train", class_indexing=None,
        num_samples=None, num_parallel_workers=None, shuffle=None, decode=False, sampler=None,
        num_shards=None, shard_id=None, cache=None, extra_metadata=False, decrypt=None,
    ):  # fmt: skip
        who = type(self).__name__
        STR(who, usage=usage)
        _indexing(who, class_indexing)
        self._open(locals())
        fits = class_indexing is None or self.given.task == "Detection"
        require(fits, "none-segmentation", who, class_indexing=class_indexing)
        folder = "Main" if self.given.task == "Detection" else "Segmentation"
        path = self.given.dataset_dir / "ImageSets" / folder / f"{usage}.txt"
        self._list = existing(who, "usage", path, is_folder=False)

    def _column_names(self):
        detected = ["bbox", "label", "difficult", "truncate"]
        columns = ["image", *(detected if self.given.task == "Detection" else ["target"])]
        return [*columns, *(["_meta-filename"] if self.given.extra_metadata else [])]

    def get_class_indexing(self):
        """Return {class: label}, for 'Detection'."""
        _check_task("VOCDataset", self.given.task, "Detection")
        if self.given.class_indexing:
            return dict(self.given.class_indexing)
        kinds = {kind for name in self._names() for kind, *_ in self._objects(name)}
        return {kind: i for i, kind in enumerate(sorted(kinds))}

    def _names(self):
        """Return the image names; in the lists of some classes, a line has further fields."""
        return [line.split()[0] for line in self._lines(self._list) if line]

    def _objects(self, name):
        """Yield (class, [x, y, width, height], difficult, truncated) of each object."""
        path = self.given.dataset_dir / "Annotations" / f"{name}.xml"
        try:
            content = self._content(self._inside(path))
            objects = ElementTree.fromstring(content).findall("object")
        except ElementTree.ParseError as error:
            raise rejection("file-xml", self._who, path=path, cause=error) from None
        require(objects, "file-objects", self._who, path=path)
        for i, entry in enumerate(objects):
            where = "object-number", i
            texts = {x.tag: x.text for x in [*entry, *entry.iterfind("bndbox/*")]}
            corners = "xmin", "ymin", "xmax", "ymax"
            kind, *corners = self._entry(path, where, texts, "name", *corners)
            left, top, right, bottom = self._numbers(path, where, float, corners)
            if left <= 0 or top <= 0 or right <= left or bottom <= top:
                fields = {"corners": corners, "where": location_phrase(where)}
                raise rejection("file-corners", self._who, path=path, **fields)
            hard = [texts.get(tag) or 0 for tag in ("difficult", "truncated")]
            box = [left, top, right - left, bottom - top]
            yield kind, box, *self._numbers(path, where, int, hard)

    def _rows(self):
        top, names = self.given.dataset_dir, self._names()
        ends = [[name] if self.given.extra_metadata else [] for name in names]
        images = [top / "JPEGImages" / f"{name}.jpg" for name in names]
        if self.given.task != "Detection":
            targets = [top / "SegmentationClass" / f"{name}.png" for name in names]
            return [(*row, *end) for *row, end in zip(images, targets, ends, strict=True)]
        labels, rows = self.get_class_indexing(), []
        for name, image, end in zip(names, images, ends, strict=True):
            objects = [(box, labels[kind], *flags) for kind, box, *flags in self._objects(name)
                       if kind in labels]  # fmt: skip
            if objects:
                boxes, *flags = zip(*objects, strict=True)
                columns = [column(x, np.uint32) for x in flags]
                rows.append((image, np.array(boxes, np.float32), *columns, *end))
        return rows


class CocoDataset(FileSet):
    """Objects, key points, regions or captions of images (Lin et al. 2014).

    `dataset_dir`: the folder of the images. `annotation_file`: the JSON file that describes them.
    `task`, and the columns besides 'image' for an image with n annotations:

    - 'Detection': 'bbox' (n, 4) of Float32 (x, y, width, height), 'category_id' and 'iscrowd'
    - 'Panoptic': these, and 'area'
    - 'Stuff': 'segmentation' of Float32, one row per polygon, padded with -1; 'iscrowd'
    - 'Keypoint': 'keypoints' (n, 3 k) of Float32, padded with -1; 'num_keypoints'
    - 'Captioning': 'captions' (n, 1) of strings

    Integers are (n, 1) of UInt32. Images without annotations are omitted. `extra_metadata`,
    `decrypt`: as for `VOCDataset`. The other arguments are as for `ImageFolderDataset`.

    >>> CocoDataset("nowhere", "instances.json")
    Traceback (most recent call last):
    ValueError: For 'CocoDataset', 'dataset_dir' must be a folder, but got 'nowhere'.
    """

    # task -> the fields of an annotation that are columns
    _fields: ClassVar = {
        "Detection": ("bbox", "category_id", "iscrowd"), "Stuff": ("segmentation", "iscrowd"),
        "Keypoint": ("keypoints", "num_keypoints"),
        "Panoptic": ("bbox", "category_id", "iscrowd", "area"), "Captioning": ("caption",),
    }  # fmt: skip
    choices: ClassVar = {"task": tuple(_fields)}

    def __init__(
        self, dataset_dir, annotation_file, task="Detection", num_samples=None,
        num_parallel_workers=None, shuffle=None, decode=False, sampler=None, num_shards=None,
        shard_id=None, cache=None, extra_metadata=False, decrypt=None,
    ):  # fmt: skip
        self._open(locals())

    def _column_names(self):
        fields = ["captions" if f == "caption" else f for f in self._fields[self.given.task]]
        return ["image", *fields, *(["_meta-filename"] if self.given.extra_metadata else [])]

    def _categories(self, content):
        """Return {class id: its entry}."""
        (categories,) = self._entry(self.given.annotation_file, _CONTENT, content, "categories")
        return {entry["id"]: entry for entry in categories}

    def get_class_indexing(self):
        """Return {class: [id]}, for 'Panoptic' with 1 for things and 0 for stuff."""
        _check_task("CocoDataset", self.given.task, "Detection", "Panoptic")
        more = ["isthing"] if self.given.task == "Panoptic" else []
        kinds = self._categories(self._json(self.given.annotation_file)).values()
        return {kind["name"]: [kind[key] for key in ("id", *more)] for kind in kinds}

    def _rows(self):
        path, task = self.given.annotation_file, self.given.task
        content, notes = self._json(path), {}
        images, annotations = self._entry(path, _CONTENT, content, "images", "annotations")
        kinds = self._categories(content) if "category_id" in self._fields[task] else {}
        for i, note in enumerate(annotations):
            where = "annotation-number", i
            (image,) = self._entry(path, where, note, "image_id")
            items = [note]
            if task == "Panoptic":
                (items,) = self._entry(path, where, note, "segments_info")
            for item in items:
                values = self._entry(path, where, item, *self._fields[task])
                notes.setdefault(image, []).append(values)
                if kinds and item["category_id"] not in kinds:
                    fields = {"got": item["category_id"], "where": location_phrase(where)}
                    raise rejection("file-categories", self._who, path=path, **fields)
        rows = []
        for i, entry in enumerate(images):
            number, name = self._entry(path, ("image-number", i), entry, "id", "file_name")
            if number in notes:
                end = [Path(name).stem] if self.given.extra_metadata else []
                values = self._values(path, ("image-number", i), notes[number])
                rows.append((self.given.dataset_dir / name, *values, *end))
        return rows

    def _values(self, path, where, notes):
        """Return the columns of one image."""
        fields = self._fields[self.given.task]
        try:
            return [
                _CONVERTED.get(field, _whole)(list(values))
                for field, values in zip(fields, zip(*notes, strict=True), strict=True)
            ]
        except (TypeError, ValueError, KeyError) as error:
            said = {"names": fields, "where": location_phrase(where), "cause": error}
            raise rejection("file-of-coco", self._who, path=path, **said) from None


def _padded(rows):
    """Pad rows of numbers with -1 to equal length."""
    result = np.full((len(rows), max(map(len, rows))), -1, np.float32)
    for i, row in enumerate(rows):
        result[i, : len(row)] = row
    return result


def _regions(values):
    """Return polygons, or the run lengths of a mask, one per row."""
    return _padded([
        row for value in values
        for row in ([value["counts"]] if isinstance(value, dict) else value)
    ])  # fmt: skip


def _whole(values):
    return column(values, np.uint32)


_CONVERTED = {
    "bbox": lambda boxes: np.array(boxes, np.float32).reshape(-1, 4), "segmentation": _regions,
    "keypoints": _padded, "caption": lambda captions: np.array(captions, str).reshape(-1, 1),
}  # fmt: skip


class KITTIDataset(FileSet):
    """Traffic scenes from a car, with 2-d and 3-d boxes (Geiger et al. 2012).

    `dataset_dir`: the folder of `data_object_image_2` and `data_object_label_2`. `usage`: 'train',
    the default, or 'test', which has only images. For n objects, 'label' (in the order of the
    class names) and 'occluded' are (n, 1) of UInt32; 'truncated', 'alpha' and 'rotation_y'
    (n, 1), 'bbox' (n, 4), 'dimensions' and 'location' (n, 3) of Float32. The other arguments are
    as for `ImageFolderDataset`.

    >>> KITTIDataset("nowhere")
    Traceback (most recent call last):
    ValueError: For 'KITTIDataset', 'dataset_dir' must be a folder, but got 'nowhere'.
    """

    splits: ClassVar = {"train": ("training",), "test": ("testing",)}
    # columns after 'label' -> (first field of a line, end, dtype)
    _fields: ClassVar = {
        "truncated": (1, 2, np.float32), "occluded": (2, 3, np.uint32), "alpha": (3, 4, np.float32),
        "bbox": (4, 8, np.float32), "dimensions": (8, 11, np.float32),
        "location": (11, 14, np.float32), "rotation_y": (14, 15, np.float32),
    }  # fmt: skip

    def __init__(
        self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
        decode=False, sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _column_names(self):
        return ["image", *(["label", *self._fields] if self.given.usage == "train" else [])]

    def _split_rows(self, split):
        images = sorted(self._folder(f"data_object_image_2/{split}/image_2").iterdir())
        if split == "testing":
            return [(image,) for image in images]
        objects = {image: list(self._objects(image.stem)) for image in images}
        kinds = sorted({kind for annotations in objects.values() for kind, _ in annotations})
        return [
            (image, column([kinds.index(kind) for kind, _ in annotations], np.uint32),
             *[self._column(annotations, *field) for field in self._fields.values()])
            for image, annotations in objects.items()
        ]  # fmt: skip

    def _column(self, objects, first, last, kind):
        values = np.array([numbers[first - 1 : last - 1] for _, numbers in objects])
        # unknown values are -1, which is the largest number as UInt32
        values = values.astype(np.int64) if kind == np.uint32 else values
        return values.astype(kind).reshape(-1, last - first)

    def _objects(self, name):
        path = self.given.dataset_dir / "data_object_label_2/training/label_2" / f"{name}.txt"
        for i, line in enumerate(self._lines(path)):
            kind, *words = line.split() or [""]
            numbers = self._numbers(path, i, float, words)
            if (got := len(numbers)) != 14:
                what = message("name-and-numbers", n=14)
                raise rejection("file-line-holds", self._who, path=path, what=what, i=i, got=got)
            yield kind, numbers


class WIDERFaceDataset(FileSet):
    """Faces with their boxes (Yang et al. 2016).

    `dataset_dir`: the folder of `WIDER_train`, `WIDER_val`, `WIDER_test` and `wider_face_split`.
    `usage`: 'train', 'valid', 'test' (only images) or 'all', the default: train and valid. For
    n faces, 'bbox' is (n, 4) of Int32 (x, y, width, height), and 'blur', 'expression',
    'illumination', 'occlusion', 'pose' and 'invalid' are (n,) of Int32. The other arguments are
    as for `ImageFolderDataset`.

    >>> WIDERFaceDataset("nowhere")
    Traceback (most recent call last):
    ValueError: For 'WIDERFaceDataset', 'dataset_dir' must be a folder, but got 'nowhere'.
    """

    splits: ClassVar = {
        "all": ("train", "val"),
        "train": ("train",),
        "valid": ("val",),
        "test": ("test",),
    }
    # column -> its field in a line
    _fields: ClassVar = {"blur": 4, "expression": 5, "illumination": 6, "occlusion": 8, "pose": 9,
                         "invalid": 7}  # fmt: skip

    def __init__(
        self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
        decode=False, sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _column_names(self):
        return ["image", *(["bbox", *self._fields] if self.given.usage != "test" else [])]

    def _split_rows(self, split):
        end = "filelist" if split == "test" else "bbx_gt"
        folder = self._folder(f"WIDER_{split}/images")
        path = self.given.dataset_dir / "wider_face_split" / f"wider_face_{split}_{end}.txt"
        lines = self._lines(path)
        if split == "test":
            return [(folder / name,) for name in lines]
        rows, index = [], 0
        while index < len(lines):
            image = folder / lines[index]
            (count,) = self._numbers(path, index + 1, int, lines[index + 1 : index + 2] or [""])
            n = max(count, 1)
            faces = [self._numbers(path, index + 2 + i, int, line.split())
                     for i, line in enumerate(lines[index + 2 : index + 2 + n])]  # fmt: skip
            fits = len(faces) == n and {len(face) for face in faces} == {10}
            require(fits, "file-faces", self._who, path=path, n=n, i=index + 1)
            faces, index = np.array(faces, np.int32), index + 2 + len(faces)
            columns = [faces[:, i] for i in self._fields.values()]
            rows.append((image, faces[:, :4], *columns))
        return rows


__all__ = ["CocoDataset", "KITTIDataset", "ManifestDataset", "VOCDataset", "WIDERFaceDataset"]
