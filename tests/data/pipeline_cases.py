"""Pipelines over small files that MindSpore 2.10 and sporax describe as JSON
(`tools.record pipelines`)."""

import numpy as np


def write(folder):
    from PIL import Image

    for kind in "ab":
        (folder / "images" / kind).mkdir(parents=True)
        for i in range(2):
            pixels = np.arange(90).reshape(6, 5, 3) * (i + 1) + (kind == "b")
            Image.fromarray(pixels.astype(np.uint8)).save(folder / "images" / kind / f"{i}.png")
    (folder / "lines.txt").write_text("a b\nc d\ne\n")
    (folder / "table.csv").write_text("1,x\n3,y\n")


DECODED = 'images(shuffle=False).map([vision.Decode(), {}], "image")'
CASES = [
    "images(shuffle=False)",
    "images()",
    "images(num_samples=3, decode=True, shuffle=False)",
    "images(num_shards=2, shard_id=1, shuffle=False)",
    "images(sampler=ds.PKSampler(1))",
    "images(sampler=ds.SequentialSampler(1, 2))",
    "images(sampler=ds.RandomSampler())",
    "images(sampler=ds.SubsetSampler([3, 1]))",
    "images(sampler=child(ds.SubsetSampler([0, 1]), ds.SequentialSampler(1)))",
    'images(class_indexing={"b": 5}, shuffle=False)',
    *[
        DECODED.format(operation)
        for operation in (
            "vision.Resize((4, 3), vision.Inter.NEAREST)",
            "vision.Resize([4, 3], vision.Inter.NEAREST), vision.HWC2CHW()",
            "vision.Normalize([1.0, 2.0, 3.0], [1.0, 1.0, 2.0])",
            "vision.CenterCrop(2), vision.Rescale(0.5, 1.0)",
            "vision.Pad([1, 2], 7)",
        )
    ],
    'images(shuffle=False).map(transforms.TypeCast("int64"), "label")',
    'images(shuffle=False).project("label").batch(3, True)',
    'images(shuffle=False).project(["label"]).rename("label", "z").repeat(2).skip(1).take(3)',
    'lines(shuffle=False).map(text.WhitespaceTokenizer(), ["text"], ["words"])',
    "lines(shuffle=False) + lines(shuffle=False, num_samples=1)",
    "ds.zip((images(shuffle=False), lines(shuffle=False)))",
    'table(column_names=["n", "s"], shuffle=False).batch(2)',
]


def child(sampler, of):
    sampler.add_child(of)
    return sampler


def built(case, ds, folder):
    import functools

    sets = {
        "images": functools.partial(ds.ImageFolderDataset, str(folder / "images")),
        "lines": functools.partial(ds.TextFileDataset, str(folder / "lines.txt")),
        "table": functools.partial(ds.CSVDataset, str(folder / "table.csv")),
    }
    modules = {name: getattr(ds, name) for name in ("vision", "transforms", "text")}
    return eval(case, {"ds": ds, "child": child, **modules, **sets})


def rows(dataset):
    return [
        [[str(x.dtype), list(x.shape), x.ravel().tolist()] for x in row]
        for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)
    ]
