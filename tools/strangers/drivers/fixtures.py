"""Data that a library's tests download: random images and labels of the same form.

python fixtures.py NAME    # in the library's folder
"""

import re
import sys
from pathlib import Path

import numpy as np
from PIL import Image

RNG = np.random.default_rng(0)


def _image(path, height=96, width=128):
    path.parent.mkdir(parents=True, exist_ok=True)
    coarse = RNG.integers(0, 256, (6, 8, 3), np.uint8)
    Image.fromarray(coarse).resize((width, height)).save(path, "JPEG")


def mindocr():
    """Images for the repository's dummy labels; configurations without downloaded weights, and
    checkpoints of one parameter, in the place of downloads, for models that are always pretrained.
    """
    tensor = b"\x08\x01\x12\x07Float32\x1a\x04" + bytes(4)  # shape (1,), dtype, contents
    value = b"\x0a\x01w\x12" + bytes([len(tensor)]) + tensor
    models = Path("../.mindspore/models")
    models.mkdir(parents=True, exist_ok=True)
    for path in Path("mindocr").rglob("*.py"):
        for name in re.findall(r"/([\w.-]+\.ckpt)", path.read_text("utf8")):
            models.joinpath(name).write_bytes(b"\x0a" + bytes([len(value)]) + value)
    for path in Path("configs").rglob("*.yaml"):
        text = path.read_text("utf8")
        path.write_text(re.sub(r"(pretrained: *)(True|http\S+)", r"\1False", text), "utf8")
    for split in ("train", "val"):
        for i in range(120):
            _image(Path("data/Canidae", split, "dogs", f"{i:03}.JPEG"))


def mindyolo():
    """Eight images with a box or three each, in the form of coco128."""
    for i in range(8):
        _image(Path(f"coco128/images/train2017/{i:012}.jpg"), 240, 320)
        label = Path(f"coco128/labels/train2017/{i:012}.txt")
        label.parent.mkdir(parents=True, exist_ok=True)
        sizes = RNG.uniform(0.1, 0.4, (i % 3 + 1, 2))
        boxes = np.hstack([RNG.uniform(0.3, 0.7, sizes.shape), sizes])
        rows = [" ".join([str(RNG.integers(80)), *(f"{x:.6f}" for x in box)]) for box in boxes]
        label.write_text("\n".join(rows) + "\n")


def mindarmour():
    """Images for the 10,000 labels, if a copy of the repository lacks this file of 40 MB."""
    path = Path("tests/ut/python/dataset/test_images.npy")
    if not path.exists():
        np.save(path, RNG.uniform(0, 1, (10_000, 1, 32, 32)).astype(np.float32))


def sciai():
    """The package of the tests, which a package of that name in the environment would hide."""
    for folder in ("tests", "tests/st"):
        Path(folder, "__init__.py").touch()


golden_stick = sciai


if __name__ == "__main__":
    found = globals().get(sys.argv[1])
    if found:
        found()
