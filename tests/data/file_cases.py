"""Datasets in files, read by MindSpore 2.10 and by sporax.

Each is a function of a namespace with `ds` (`mindspore.dataset`) and of the folder that
`write_files` filled.
"""

import struct

import numpy as np
from PIL import Image


def images(count, *shape, seed=0):
    return np.random.RandomState(seed).randint(0, 256, (count, *shape)).astype(np.uint8)


def write_idx(path, array):
    path.write_bytes(
        struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape) + array.tobytes()
    )


def write_pictures(folder, names, seed=0):
    folder.mkdir(parents=True)
    for name, image in zip(names, images(len(names), 4, 5, 3, seed=seed), strict=True):
        Image.fromarray(image).save(folder / name)


def write_files(folder):
    """Write small files in the formats of the datasets."""
    (folder / "digits").mkdir()
    for part, count in (("train", 5), ("t10k", 3)):
        write_idx(folder / "digits" / f"{part}-images-idx3-ubyte", images(count, 28, 28))
        labels = np.arange(count, dtype=np.uint8)
        write_idx(folder / "digits" / f"{part}-labels-idx1-ubyte", labels)
    (folder / "damaged").mkdir()
    for name in ("images-idx3", "labels-idx1"):
        (folder / "damaged" / f"train-{name}-ubyte").write_bytes(b"abc")
    (folder / "empty").mkdir()
    for seed, kind in enumerate(("dog", "cat", "10", "2")):
        write_pictures(folder / "kinds" / kind, ["3.png", "1.png", "2.png"], seed)
    write_pictures(folder / "mixed" / "a", ["1.png", "2.jpg"])
    (folder / "mixed" / "a" / "notes.txt").write_text("none")
    write_pictures(folder / "faces", [f"00000{i}.png" for i in range(1, 5)])
    rows = [
        f"00000{i}.png {' '.join('1' if i >> j & 1 else '-1' for j in range(3))}\n"
        for i in range(1, 5)
    ]
    (folder / "faces" / "list_attr_celeba.txt").write_text("4\nA B C\n" + "".join(rows))
    parts = "".join(f"00000{i}.png {i % 3}\n" for i in range(1, 5))
    (folder / "faces" / "list_eval_partition.txt").write_text(parts)


def number(x):
    if x.ndim == 1:
        return x[:4].tolist()
    return x.tolist() if x.ndim == 0 else int(x.astype(int).sum())


def summary(data):
    """Return names, size, dtypes, numbers of axes, and rows; for images their sums, and for encoded
    images, which differ between Pillow versions, the first bytes."""
    rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    return (
        data.get_col_names(), data.get_dataset_size(),
        [str(kind) for kind in data.output_types()], [len(s) for s in data.output_shapes()],
        [[number(x) for x in row] for row in rows],
    )  # fmt: skip


def of(name, folder, *args, seed=None, sampler=None, **options):
    def case(ms, where):
        if seed is not None:
            ms.ds.config.set_seed(seed)
        if sampler is not None:
            options["sampler"] = sampler(ms.ds)
        return summary(getattr(ms.ds, name)(str(where / folder), *args, **options))

    return case


still = {"shuffle": False}
FILES = {
    f"{name} {usage}": of(name, "digits", usage, **still)
    for name in ("MnistDataset", "FashionMnistDataset", "KMnistDataset")
    for usage in ("train", "test", "all", None, "other")
}
MNIST = "MnistDataset", "digits", "train"
FILES |= {
    "samples": of(*MNIST, 2, **still),
    "shards": of(*MNIST, num_shards=2, shard_id=1, **still),
    "shuffled": of(*MNIST, seed=3),
    "shuffled shards": of(*MNIST, seed=3, num_shards=2, shard_id=1),
    "a sampler": of(*MNIST, sampler=lambda ds: ds.SubsetSampler([3, 1])),
    "samples of a sampler": of(*MNIST, sampler=lambda ds: ds.SequentialSampler(1, 2)),
    "indices": of(*MNIST, sampler=lambda ds: [2, 0]),
    "sampler and shuffle": of(*MNIST, shuffle=True, sampler=lambda ds: ds.SequentialSampler()),
    "a shard without a number": of(*MNIST, num_shards=2),
    "samples below 0": of(*MNIST, -1),
    "no folder": of("MnistDataset", "nowhere"),
    "no files": of("MnistDataset", "empty"),
    "damaged files": of("MnistDataset", "damaged"),
    "Cifar10Dataset without files": of("Cifar10Dataset", "empty"),
    "Cifar100Dataset without files": of("Cifar100Dataset", "empty"),
    "Cifar10Dataset other": of("Cifar10Dataset", "empty", "other"),
    "kinds": of("ImageFolderDataset", "kinds", **still),
    "kinds decoded": of("ImageFolderDataset", "kinds", decode=True, **still),
    "kinds numbered": lambda ms, where: summary(
        ms.ds.ImageFolderDataset(
            str(where / "kinds"), class_indexing={"cat": 7, "dog": 2}, decode=True, shuffle=False
        )
    )[2:],
    "kinds that are not there": of(
        "ImageFolderDataset", "kinds", class_indexing={"cow": 1}, **still
    ),
    "kinds numbered by names": of("ImageFolderDataset", "kinds", class_indexing={"cat": "x"}),
    "kinds shuffled": of("ImageFolderDataset", "kinds", seed=4, decode=True),
    "kinds, some": of("ImageFolderDataset", "kinds", 4, **still),
    "extensions": of("ImageFolderDataset", "mixed", extensions=[".png", ".jpg"], **still),
    "one extension": of("ImageFolderDataset", "mixed", extensions=[".png"], **still),
    "other extension": of("ImageFolderDataset", "kinds", extensions=[".jpg"], **still),
    "files of any kind": of("ImageFolderDataset", "mixed", decode=True, **still),
    "no kinds": of("ImageFolderDataset", "empty", **still),
    "decode what": of("ImageFolderDataset", "kinds", decode=3),
    "indexing": lambda ms, where: [
        ms.ds.ImageFolderDataset(str(where / "kinds"), class_indexing=given).get_class_indexing()
        for given in (None, {"cat": 7, "dog": 2})
    ],
    "number of kinds": lambda ms, where: [
        ms.ds.ImageFolderDataset(str(where / "kinds")).map(lambda x: x, "label").num_classes(),
        ms.ds.ImageFolderDataset(str(where / "kinds"), class_indexing={"cat": 7}).num_classes(),
        ms.ds.MnistDataset(str(where / "digits")).num_classes(),
    ],
    "another sampler": lambda ms, where: _resampled(ms, where),
}
for usage in ("all", "train", "valid", "test", "other"):
    FILES[f"faces {usage}"] = of("CelebADataset", "faces", usage=usage, **still)
FILES["faces decoded"] = of("CelebADataset", "faces", decode=True, num_samples=2, **still)
FILES["faces of other files"] = of("CelebADataset", "faces", extensions=[".jpg"], **still)


def _resampled(ms, where):
    data = ms.ds.MnistDataset(str(where / "digits"), "train")
    data.use_sampler(ms.ds.SequentialSampler(2))
    return summary(data)
