"""Image datasets, read by MindSpore 2.10 and by sporax.

Each case is a function of a namespace with `ds` (`mindspore.dataset`) and of the folder that
`write_image_sets` filled.
"""

from pathlib import Path

import numpy as np


def summary(data, shapes=True):
    """Return names, size, dtypes and rows. Images are given by shape and sum of pixels, file
    contents by length."""
    rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    values = [[_value(x) for x in row] for row in rows]
    return data.get_col_names(), data.get_dataset_size(), _kinds(data), values


def _kinds(data):
    return [str(kind) for kind in data.output_types()]


def _value(x):
    x = np.asarray(x)
    if x.dtype == np.uint8 and x.ndim > 1:
        return [*x.shape, int(x.astype(int).sum()), int(x.reshape(-1)[3])]
    if x.dtype == np.uint8 and x.ndim == 1:
        return f"{x.size} bytes"
    if x.dtype.kind == "f":
        return x.round(5).tolist()
    if x.dtype.kind == "S":
        return np.char.decode(x).tolist()
    return x.tolist()


def of(name, path, *args, sampler=None, seed=None, get=summary, shuffle=False, **options):
    """Return a case: a summary of the dataset `name` at `path`; strings that begin with '@' are
    also paths."""

    def case(ms, where):
        if seed is not None:
            ms.ds.config.set_seed(seed)
        given = {} if sampler else {"shuffle": shuffle}
        if sampler:
            given["sampler"] = sampler(ms.ds)
        paths = [str(where / x[1:]) if str(x).startswith("@") else x for x in args]
        return get(getattr(ms.ds, name)(str(where / path), *paths, **given, **options))

    return case


SETS = {}


def add(name, path, *args, label="", **options):
    key = f"{name} {path} {' '.join(map(str, args))} {label}".strip()
    assert key not in SETS, key
    SETS[key] = of(name, path, *args, **options)


def each(name, path, argument, values, **options):
    for value in values:
        add(name, path, label=f"{argument}={value}", **{argument: value}, **options)


def indexing(data):
    return data.get_class_indexing()


add("ManifestDataset", "manifest/some.manifest", decode=True)
each("ManifestDataset", "manifest/some.manifest", "usage", ["eval", "inference", "train", "other"])
add("ManifestDataset", "manifest/some.manifest", "train", label="indexed",
    class_indexing={"dog": 3, "cat": 11}, decode=True)  # fmt: skip
add("ManifestDataset", "manifest/some.manifest", "inference", label="partly indexed",
    class_indexing={"dog": 3})  # fmt: skip
add("ManifestDataset", "manifest/some.manifest", label="classes", get=indexing)
add("ManifestDataset", "manifest/some.manifest", label="of other type", class_indexing=3)
add("ManifestDataset", "manifest/some.manifest", label="number of classes",
    get=lambda data: data.num_classes())  # fmt: skip
for name in ("damaged", "unlabelled", "sourceless", "missing", "relative", "unused", "none"):
    add("ManifestDataset", f"manifest/{name}.manifest")

add("VOCDataset", "voc", decode=True)
add("VOCDataset", "voc", "Detection", decode=True)
add("VOCDataset", "voc", "Detection", label="encoded")
each("VOCDataset", "voc", "usage", ["val", "gone", "none", "other"])
each("VOCDataset", "voc", "task", ["Other", 3])
add("VOCDataset", "voc", "Detection", label="classes", get=indexing)
add("VOCDataset", "voc", "Segmentation", label="classes", get=indexing)
add("VOCDataset", "voc", "Detection", label="indexed", class_indexing={"cat": 0, "dog": 5})
add("VOCDataset", "voc", "Detection", label="indexed, get", class_indexing={"cat": 0, "dog": 5},
    get=indexing)  # fmt: skip
add("VOCDataset", "voc", label="segmentation indexed", class_indexing={"cat": 0})
add("VOCDataset", "voc", "Detection", "val", label="metadata", extra_metadata=True, decode=True)
add("VOCDataset", "voc", "Segmentation", "val", label="metadata", extra_metadata=True)
for name in ("broken", "no_object", "no_box", "reversed", "word", "bare"):
    add("VOCDataset", "voc", "Detection", name, decode=True)
add("VOCDataset", "voc", "Detection", label="shuffled", seed=5, shuffle=True, decode=True)
add("VOCDataset", "voc", "Detection", label="shard", num_shards=2, shard_id=1)
add("VOCDataset", "voc", "Detection", label="samples", num_samples=2)
add("VOCDataset", "voc", label="sampler", sampler=lambda ds: ds.SubsetSampler([2, 0]), decode=True)
add("VOCDataset", "voc", label="decrypted", decode=True,
    decrypt=lambda path: Path(path).read_bytes())  # fmt: skip

for task, file in {"Detection": "instances", "Stuff": "instances", "Keypoint": "instances",
                   "Panoptic": "panoptic", "Captioning": "captions"}.items():  # fmt: skip
    add("CocoDataset", "coco/images", f"@coco/{file}.json", task, decode=True)
    add("CocoDataset", "coco/images", f"@coco/{file}.json", task, label="metadata",
        extra_metadata=True)  # fmt: skip
    add("CocoDataset", "coco/images", f"@coco/{file}.json", task, label="classes", get=indexing)
for file in ("no_images", "no_categories", "no_annotations", "other_category", "no_box", "missing",
             "broken", "none", "captions"):  # fmt: skip
    add("CocoDataset", "coco/images", f"@coco/{file}.json")
add("CocoDataset", "coco/images", "@coco/instances.json", "Other")
add("CocoDataset", "coco/images", "@coco/instances.json", "Captioning", label="of others")
add("CocoDataset", "coco/images", "@coco/instances.json", label="samples", num_samples=1)
add("CocoDataset", "coco/images", "@coco/instances.json", label="shard", num_shards=2, shard_id=0)

for usage in ("train", "test", "extra", "all", None, "other"):
    add("SVHNDataset", "svhn", usage)
add("SVHNDataset", "svhn", "extra", label="samples", num_samples=2)

for usage in ("train", "test", "all", None, "other"):
    for name in ("mnist", "letters"):
        add("EMnistDataset", "digits/emnist", name, usage)
    add("USPSDataset", "digits/usps", usage, num_parallel_workers=1)
add("EMnistDataset", "digits/emnist", "other")
add("EMnistDataset", "digits/emnist", "digits")
for usage in ("train", "test", "test10k", "test50k", "nist", "all", None, "other"):
    add("QMnistDataset", "digits/qmnist", usage)
add("QMnistDataset", "digits/qmnist", "train", False)
add("QMnistDataset", "digits/qmnist", "nist", False)
add("USPSDataset", "digits/usps broken", "train", num_parallel_workers=1)
add("USPSDataset", "digits/usps", "train", label="samples", num_samples=2, num_parallel_workers=1)
for shard in (0, 1):
    add(
        "USPSDataset",
        "digits/usps",
        label=f"shard {shard}",
        num_shards=2,
        shard_id=shard,
        num_parallel_workers=1,
    )
add("USPSDataset", "digits/usps", label="shuffled", seed=3, shuffle=True, num_parallel_workers=1)
add("SemeionDataset", "digits/semeion")
add("SemeionDataset", "digits/semeion", label="samples", num_samples=2)
add("SemeionDataset", "digits/semeion broken")
for usage in ("train", "test", "unlabeled", "train+unlabeled", "all", None, "other"):
    add("STL10Dataset", "digits/stl10", usage)

for kind in (None, "category", "annotation", "all", "other"):
    add("Caltech101Dataset", "class_folders/caltech101", kind, decode=True)
add("Caltech101Dataset", "class_folders/caltech101", label="encoded")
add("Caltech256Dataset", "class_folders/caltech256", decode=True)
add("Caltech256Dataset", "class_folders/caltech256", label="classes", get=indexing)
for usage in (
    "train",
    "test",
    "other",
):  # in others, MindSpore's labels depend on what is listed first
    add("RenderedSST2Dataset", "class_folders/rendered", usage, decode=True)
for usage in ("train", "valid", "test", "all", None, "other"):
    add("LSUNDataset", "class_folders/lsun", usage, decode=True)
add("LSUNDataset", "class_folders/lsun", "train", ["classroom"], decode=True)
add("LSUNDataset", "class_folders/lsun", "valid", "tower", decode=True)
add("LSUNDataset", "class_folders/lsun", "valid", ["tower", "bedroom"], decode=True)
add("LSUNDataset", "class_folders/lsun", "train", ["kitchen"])
add("LSUNDataset", "class_folders/lsun", "train", ["cellar"])
for background in (None, True, False):
    add("OmniglotDataset", "class_folders/omniglot", background, decode=True)
add("SUN397Dataset", "class_folders/sun397", decode=True)

for usage in ("train", "test", "all", None, "other"):
    add("Food101Dataset", "listed/food101", usage, decode=True)
for usage in ("train", "valid", "test", "all", None, "other"):
    add("Flowers102Dataset", "listed/flowers", "Classification", usage, decode=True)
add("Flowers102Dataset", "listed/flowers", "Segmentation", decode=True)
add("Flowers102Dataset", "listed/flowers", "Segmentation", label="encoded")
add("Flowers102Dataset", "listed/flowers", "Other")
add("Flowers102Dataset", "listed/flowers", label="classes", get=indexing)
for name, path, *rest in [("VOCDataset", "voc", "Detection"), ("LFWDataset", "faces/lfw"),
                          ("CocoDataset", "coco/images", "@coco/instances.json")]:  # fmt: skip
    add(name, path, *rest, label="number of classes", get=lambda data: data.num_classes())
for usage in (None, "train-standard", "train-challenge", "val", "other"):
    for small in (True, False):
        add("Places365Dataset", "listed/places", usage, small, True)
add("FlickrDataset", "listed/flickr/images", "@listed/flickr/token.txt", decode=True)
for name in ("missing", "broken", "none"):
    add("FlickrDataset", "listed/flickr/images", f"@listed/flickr/{name}.txt")
add("SBUDataset", "listed/sbu", decode=True)
for usage in ("train", "test", None, "other"):
    add("KITTIDataset", "listed/kitti", usage, decode=True)

for usage in ("train", "val", "train_noval", "all", "other"):
    add("SBDataset", "segmented/sbd", "Boundaries", usage)
    add("SBDataset", "segmented/sbd", "Segmentation", usage, decode=True)
for quality, usages in {
    "fine": ["train", "test", "val", "all", "train_extra"],
    "coarse": ["train", "train_extra", "val", "all", "test"],
}.items():
    for usage in usages:
        add("CityscapesDataset", "segmented/cityscapes", usage, quality, decode=True)
for task in ("semantic", "polygon", "color", "other"):
    add("CityscapesDataset", "segmented/cityscapes", "train", "fine", task, decode=True)
add("CityscapesDataset", "segmented/cityscapes", label="encoded")
add("CityscapesDataset", "segmented/cityscapes", "train", "other")
for usage in ("train", "valid", "all", "test"):
    add("DIV2KDataset", "segmented/div2k", usage, decode=True)
for how, scale in [
    ("bicubic", 3),
    ("bicubic", 8),
    ("unknown", 4),
    ("mild", 4),
    ("difficult", 4),
    ("wild", 4),
    ("wild", 2),
    ("unknown", 8),
    ("bicubic", 5),
    ("other", 2),
]:
    add("DIV2KDataset", "segmented/div2k", "train", how, scale, decode=True)

for task in ("people", "pairs"):
    for usage in ("10fold", "train", "test", "all", None):
        add("LFWDataset", "faces/lfw", task, usage, decode=True)
for kind in ("original", "funneled", "deepfunneled", None, "other"):
    add("LFWDataset", "faces/lfw", "people", "test", kind, decode=True)
add("LFWDataset", "faces/lfw", "other")
add("LFWDataset", "faces/lfw", None, "other")
for usage in ("test", "other"):  # in others, three of MindSpore's columns have each other's names
    add("WIDERFaceDataset", "faces/wider", usage, decode=True)
for usage in ("train", "test", None, "other"):
    add("PhotoTourDataset", "faces/tour", "liberty", usage, num_samples=3)
add("PhotoTourDataset", "faces/tour", "yosemite_harris", "test", num_samples=3)
add("PhotoTourDataset", "faces/tour", "other")
for usage in ("train", "test"):
    add("PhotoTourDataset", "faces/tour", "liberty", usage, label="size",
        get=lambda data: data.get_dataset_size())  # fmt: skip


def renamed(data):
    return summary(data.rename("_meta-filename", "file"))


def first_keys(data):
    return list(next(data.create_dict_iterator(num_epochs=1, output_numpy=True)))


for get in (renamed, first_keys):
    options = {"label": get.__name__, "get": get, "extra_metadata": True}
    add("VOCDataset", "voc", "Detection", **options)
    add("VOCDataset", "voc", **options)
    add("CocoDataset", "coco/images", "@coco/captions.json", "Captioning", **options)

EMPTY = ("Caltech101", "Caltech256", "Cityscapes", "DIV2K", "Flowers102", "Food101", "KITTI", "LFW",
         "LSUN", "Omniglot", "Places365", "QMnist", "RenderedSST2", "SB", "SBU", "Semeion", "STL10",
         "SUN397", "SVHN", "USPS", "VOC", "WIDERFace")  # fmt: skip
for name in EMPTY:
    if name not in ("Caltech101", "SB", "SVHN"):  # an OSError in MindSpore
        add(f"{name}Dataset", "empty")
    add(f"{name}Dataset", "nowhere")


def fake(*args, get=summary, **options):
    return lambda ms, where: get(ms.ds.FakeImageDataset(*args, **{"shuffle": False} | options))


def labels(data):
    """Return shapes and labels without pixels, most of which MindSpore leaves at 0."""
    rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    return data.get_col_names(), _kinds(data), [[*image.shape, int(k)] for image, k in rows]


SETS["fake"] = fake(4, (3, 4, 3), 5, 2, get=labels)
SETS["fake, other seed"] = fake(3, [2, 2, 1], 100, 7, get=labels)
SETS["fake, samples"] = fake(9, (2, 2, 3), num_samples=2, get=labels)
SETS["fake, all rows"] = fake(get=lambda data: (data.get_dataset_size(), data.get_col_names()))
for key, arguments in {
    "of none": (0,), "of one size": (3, 4), "of two sizes": (3, (2, 2)),
    "of no classes": (3, (2, 2, 3), 0), "of sizes 0": (3, (0, 2, 3)),
}.items():  # fmt: skip
    SETS[f"fake {key}"] = fake(*arguments)
