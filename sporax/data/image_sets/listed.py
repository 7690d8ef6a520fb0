"""Datasets of images listed in text files, with labels or texts."""

from pathlib import Path
from typing import ClassVar

import numpy as np

from sporax._src.diagnosis.argument_kinds import BOOL
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.data.file_set import FileSet, existing


class Food101Dataset(FileSet):
    """Images of dishes, labelled by name (Bossard et al. 2014).

    `dataset_dir`: the folder of `images` and `meta`, where `train.txt` and `test.txt` list images,
    such as `apple_pie/1005649`. `usage`: 'train', 'test' or 'all', the default. The other arguments
    are as for `ImageFolderDataset`.

    >>> Food101Dataset("nowhere")
    Traceback (most recent call last):
    ValueError: For 'Food101Dataset', 'dataset_dir' must be a folder, but got 'nowhere'.
    """

    splits: ClassVar = {"all": ("train", "test"), "train": ("train",), "test": ("test",)}

    def __init__(
        self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
        decode=False, sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _split_rows(self, split):
        top = self.given.dataset_dir
        names = self._lines(top / "meta" / f"{split}.txt")
        return [(top / "images" / f"{name}.jpg", name.partition("/")[0]) for name in names]


class Flowers102Dataset(FileSet):
    """Flowers of 102 classes, labelled UInt32, with outlines (Nilsback and Zisserman 2008).

    `dataset_dir`: the folder of `imagelabels.mat`, `setid.mat`, `jpg` and `segmim`. `task`:
    'Classification', or 'Segmentation', which adds the column 'segmentation'. `usage`: 'train',
    'valid', 'test' or 'all'. The other arguments are as for `ImageFolderDataset`.

    >>> Flowers102Dataset("nowhere")
    Traceback (most recent call last):
    ValueError: For 'Flowers102Dataset', 'dataset_dir' must be a folder, but got 'nowhere'.
    """

    choices: ClassVar = {"task": ("Classification", "Segmentation")}
    splits: ClassVar = {
        "all": ("trnid", "tstid", "valid"), "train": ("trnid",), "valid": ("valid",),
        "test": ("tstid",),
    }  # fmt: skip

    def __init__(
        self, dataset_dir, task="Classification", usage="all", num_samples=None,
        num_parallel_workers=1, shuffle=None, decode=False, sampler=None, num_shards=None,
        shard_id=None,
    ):  # fmt: skip
        self._open(locals())
        existing(self._who, "dataset_dir", self.given.dataset_dir / "jpg", is_folder=True)

    def _column_names(self):
        segments = ["segmentation"] if self.given.task == "Segmentation" else []
        return ["image", *segments, "label"]

    def get_class_indexing(self):
        """Return {class: label} of the 102 flowers."""
        names = Path(__file__).with_name("flowers102.txt").read_text("utf-8").splitlines()
        return {name: i for i, name in enumerate(names)}

    def _split_rows(self, split):
        top, ids = self.given.dataset_dir, self.given.dataset_dir / "setid.mat"
        (labels,), (numbers,) = self._mat(top / "imagelabels.mat", "labels"), self._mat(ids, split)
        labels = labels.ravel()
        for i in numbers.ravel().tolist():
            n = len(labels)
            require(1 <= i <= n, "file-numbers-of-labels", self._who, path=ids, n=n, got=i)
            files = [top / "jpg" / f"image_{i:05}.jpg", top / "segmim" / f"segmim_{i:05}.jpg"]
            yield *files[: len(self._columns) - 1], np.uint32(labels[i - 1] - 1)


class Places365Dataset(FileSet):
    """Scenes of 365 classes, labelled UInt32 (Zhou et al. 2017).

    `dataset_dir`: the folder of `places365_train_standard.txt`, `places365_train_challenge.txt` and
    `places365_val.txt`, with an image and its label per line, and of the image folders, such as
    `data_256_standard` and `val_large`. `usage`: 'train-standard' (the default), 'train-challenge'
    or 'val'. `small`: whether to read images of 256 x 256, rather than of high resolution. The
    other arguments are as for `ImageFolderDataset`.

    >>> Places365Dataset("nowhere")
    Traceback (most recent call last):
    ValueError: For 'Places365Dataset', 'dataset_dir' must be a folder, but got 'nowhere'.
    """

    choices: ClassVar = {"usage": ("train-standard", "train-challenge", "val")}

    def __init__(
        self, dataset_dir, usage=None, small=True, decode=False, num_samples=None,
        num_parallel_workers=None, shuffle=None, sampler=None, num_shards=None, shard_id=None,
        cache=None,
    ):  # fmt: skip
        BOOL(type(self).__name__, small=small)
        self._open(locals())

    def _rows(self):
        top, (_, _, mode) = self.given.dataset_dir, self.given.usage.partition("-")
        size = "256" if self.given.small else "large"
        folder = top / (f"data_{size}_{mode}" if mode else f"val_{size}")
        path, rows = top / f"places365_{self.given.usage.replace('-', '_')}.txt", []
        for i, line in enumerate(self._lines(path)):
            name, _, label = line.rpartition(" ")
            (label,) = self._numbers(path, i, int, [label])
            rows.append((folder / name.strip("/"), np.uint32(label)))
        return rows


class FlickrDataset(FileSet):
    """Photographs with captions: Flickr8k and Flickr30k (Hodosh et al. 2013).

    `dataset_dir`: the folder of the images. `annotation_file`: lines of an image's name, '#', the
    number of a sentence, a tab and the sentence. 'annotation' is an array of an image's sentences.
    The other arguments are as for `ImageFolderDataset`.

    >>> FlickrDataset("nowhere", "token.txt")
    Traceback (most recent call last):
    ValueError: For 'FlickrDataset', 'dataset_dir' must be a folder, but got 'nowhere'.
    """

    columns: ClassVar = ("image", "annotation")

    def __init__(
        self, dataset_dir, annotation_file, num_samples=None, num_parallel_workers=None,
        shuffle=None, decode=None, sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _rows(self):
        path, sentences = self.given.annotation_file, {}
        for i, line in enumerate(self._lines(path)):
            name, mark, tail = line.partition("#")
            _, tab, sentence = tail.partition("\t")
            if not (mark and tab):
                what = message("image-and-sentence")
                raise rejection("file-line-holds", self._who, path=path, what=what, i=i, got=line)
            sentences.setdefault(self.given.dataset_dir / name, []).append(sentence)
        return [(image, np.array(sentences[image])) for image in sorted(sentences)]


class SBUDataset(FileSet):
    """Photographs from Flickr with captions (Ordonez et al. 2011).

    `dataset_dir`: the folder of `SBU_captioned_photo_dataset_urls.txt`,
    `SBU_captioned_photo_dataset_captions.txt` and `sbu_images`, where the image of
    `http://.../3326/3596303505_3c.jpg` is `m_3326_3596303505_3c.jpg`; missing images are omitted.
    The other arguments are as for `ImageFolderDataset`.

    >>> SBUDataset("nowhere")
    Traceback (most recent call last):
    ValueError: For 'SBUDataset', 'dataset_dir' must be a folder, but got 'nowhere'.
    """

    columns: ClassVar = ("image", "caption")

    def __init__(
        self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, decode=False,
        sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())
        for name in ("urls", "captions"):
            existing(self._who, "dataset_dir", self._list(name), is_folder=False)

    def _list(self, name):
        return self.given.dataset_dir / f"SBU_captioned_photo_dataset_{name}.txt"

    def _rows(self):
        urls, captions = (self._lines(self._list(name)) for name in ("urls", "captions"))
        n, got, path = len(urls), len(captions), self._list("captions")
        require(n == got, "file-captions", self._who, path=path, n=n, got=got)
        folder = self._folder("sbu_images")
        # file names as in the dataset's own program: without "http://static.flickr.co"
        pairs = [
            (folder / url[23:].replace("/", "_"), caption)
            for url, caption in zip(urls, captions, strict=True)
        ]
        return [pair for pair in pairs if pair[0].is_file()]


class LFWDataset(FileSet):
    """Faces in the wild, labelled UInt32 by person, or pairs, labelled 1 for the same person and 0
    for two (Huang et al. 2007).

    `dataset_dir`: the folder of `lfw-names.txt`, `people.txt`, `pairs.txt`, `peopleDevTrain.txt`
    and so on for `DevTest`, and of one image folder per `image_set`: 'funneled' (the default),
    'original' or 'deepfunneled'. `task`: 'people' (the default) or 'pairs'. `usage`: '10fold',
    'train', 'test' or 'all', the default: train and test. The other arguments are as for
    `ImageFolderDataset`.

    >>> LFWDataset("nowhere")
    Traceback (most recent call last):
    ValueError: For 'LFWDataset', 'dataset_dir' must be a folder, but got 'nowhere'.
    """

    choices: ClassVar = {
        "task": ("people", "pairs"), "image_set": ("funneled", "original", "deepfunneled")
    }  # fmt: skip
    # usage -> suffixes of the list names
    splits: ClassVar = {
        "all": ("DevTrain", "DevTest"), "10fold": ("",), "train": ("DevTrain",),
        "test": ("DevTest",),
    }  # fmt: skip
    _folders: ClassVar = {
        "original": "lfw",
        "funneled": "lfw_funneled",
        "deepfunneled": "lfw-deepfunneled",
    }

    def __init__(
        self, dataset_dir, task=None, usage=None, image_set=None, num_samples=None,
        num_parallel_workers=None, shuffle=None, decode=False, sampler=None, num_shards=None,
        shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _column_names(self):
        images = ["image"] if self.given.task == "people" else ["image1", "image2"]
        return [*images, "label"]

    def _face(self, person, number):
        folder = self._folders[self.given.image_set]
        return self.given.dataset_dir / folder / person / f"{person}_{number:04}.jpg"

    def _split_rows(self, split):
        path = self.given.dataset_dir / f"{self.given.task}{split}.txt"
        return self._people(path) if self.given.task == "people" else self._pairs(path)

    def _people(self, path):
        people = self._lines(self.given.dataset_dir / "lfw-names.txt")
        labels = {line.split()[0]: np.uint32(i) for i, line in enumerate(people) if line}
        for i, line in enumerate(self._lines(path)):
            person, *count = line.split() or [""]
            if len(count) != 1:
                continue  # the number of lines that follow
            (count,) = self._numbers(path, i, int, count)
            if person not in labels:
                what = message("names-of-lfw")
                raise rejection("file-line-holds", self._who, path=path, what=what, i=i, got=person)
            if count > 0 and not self._face(person, count).is_file():
                what, got = message("images-of-each"), f"{count} {person}"
                raise rejection("file-line-holds", self._who, path=path, what=what, i=i, got=got)
            yield from [(self._face(person, n), labels[person]) for n in range(1, count + 1)]

    def _pairs(self, path):
        for i, line in enumerate(self._lines(path)):
            words = line.split()
            if len(words) == 3:
                words.insert(2, words[0])
            if len(words) == 4:
                numbers = self._numbers(path, i, int, words[1::2])
                faces = [self._face(*face) for face in zip(words[::2], numbers, strict=True)]
                yield *faces, np.uint32(words[0] == words[2])


__all__ = [
    "FlickrDataset", "Flowers102Dataset", "Food101Dataset", "LFWDataset", "Places365Dataset",
    "SBUDataset",
]  # fmt: skip
