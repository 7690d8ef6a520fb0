"""Files of images, boxes and videos, read by MindSpore 2.10 and by sporax.

Each case is a function of a namespace with `ds` and `vision`, and of the folder that
`write_pictures` filled (the videos are in tests/recorded, written with PyAV); an answer is an array
or a tuple of arrays, and `CASES` gives the tolerance.
"""

import numpy as np
from PIL import Image

from tests import records

_RANDOM = np.random.RandomState(0)
RGB = _RANDOM.randint(0, 256, (4, 6, 3)).astype(np.uint8)
RGBA = _RANDOM.randint(0, 256, (4, 6, 4)).astype(np.uint8)
_y, _x = np.mgrid[:8, :10]
IMAGE = np.stack([_x * 25, _y * 30, (_x + _y) * 14], -1).astype(np.uint8)
BOXES = np.array([[1, 2, 3, 4, 7], [0, 0, 10, 8, 8], [5.5, 1, 2, 2.5, 9]], np.float32)
CASES = {}


def write_pictures(folder):
    pictures = {
        "rgb": RGB, "grey": RGB[..., 0], "rgba": RGBA,
        "sixteen": RGB[..., 0].astype(np.uint16) * 200, "real": RGB[..., 0].astype(np.float32),
    }  # fmt: skip
    for name, mode, ends in [
        ("rgb", None, "png bmp tiff jpg gif"), ("grey", None, "png jpg"), ("rgba", None, "png"),
        ("sixteen", None, "png"), ("real", None, "tiff"), ("rgb", "P", "p.png"),
        ("rgb", "1", "1.png"), ("rgb", "LA", "la.png"), ("rgb", "CMYK", "cmyk.jpg cmyk.tiff"),
    ]:  # fmt: skip
        picture = Image.fromarray(pictures[name])
        for end in ends.split():
            (picture.convert(mode) if mode else picture).save(folder / f"{name}.{end}")
    turned = Image.fromarray(RGB)
    turned.getexif()[0x112] = 6
    turned.save(folder / "turned.jpg", exif=turned.getexif())
    (folder / "cut.png").write_bytes((folder / "rgb.png").read_bytes()[:60])
    for name in ("text.png", "text.mp4"):
        (folder / name).write_text("none")
    (folder / "empty.png").write_bytes(b"")


def add_case(name, case, apart=0.0):
    assert name not in CASES, name
    CASES[name] = case, apart


def case_of(function, *args, apart=0.0, label="", **options):
    """Add a call of `vision.<function>`; strings that begin with '@' are paths in the folder."""

    def case(ms, where):
        inputs = [str(where / x[1:]) if isinstance(x, str) and x[:1] == "@" else x for x in args]
        return getattr(ms.vision, function)(*inputs, **options)

    add_case(f"{function} {label or args}", case, apart)


def reading(file, mode):
    return lambda ms, where: ms.vision.read_image(
        str(where / file), getattr(ms.vision.ImageReadMode, mode)
    )


FILES = [
    "rgb.png", "rgb.bmp", "rgb.tiff", "rgb.jpg", "rgb.gif", "grey.png", "grey.jpg", "rgba.png",
    "sixteen.png", "rgb.p.png", "rgb.1.png", "rgb.la.png", "rgb.cmyk.jpg", "rgb.cmyk.tiff",
    "turned.jpg", "cut.png", "text.png", "empty.png", "none.png",
]  # fmt: skip
for file in FILES:
    for mode in ("UNCHANGED", "GRAYSCALE", "COLOR"):
        add_case(f"read {file} {mode}", reading(file, mode), 1)
for file in FILES:  # MindSpore decodes no GIF
    if file not in ("none.png", "rgb.gif"):
        add_case(f"decode {file}", lambda ms, where, file=file: ms.vision.Decode()(
            np.fromfile(where / file, np.uint8)), 1)  # fmt: skip
add_case("read real.tiff", reading("real.tiff", "UNCHANGED"))
for args in ((3,), ("@rgb.png", 0), ("@",)):
    case_of("read_image", *args)
for args in (("@rgb.1.png",), ("@none.png",), ("@",), ("@empty.png",), (3,)):
    case_of("read_file", *args)


def written(function, name, *args):
    """Return a case: the content of a file after it was written."""

    def case(ms, where):
        getattr(ms.vision, function)(str(where / name), *args)
        if function == "write_jpeg":
            return ms.vision.read_image(str(where / name))
        return ms.vision.read_file(str(where / name)) if function == "write_file" else (
            ms.vision.read_image(str(where / name))
        )  # fmt: skip

    return case


for label, value in {"bytes": np.arange(5, dtype=np.uint8), "none": np.zeros(0, np.uint8),
                     "ints": np.arange(5), "two axes": np.zeros((2, 2), np.uint8),
                     "a list": [1, 2]}.items():  # fmt: skip
    add_case(f"write_file {label}", written("write_file", "some.bin", value))
add_case("write_file nowhere", written("write_file", "nowhere/x", np.zeros(2, np.uint8)))
IMAGES = {
    "rgb": RGB, "grey": RGB[..., 0], "one channel": RGB[..., :1], "two": RGB[..., :2], "four": RGBA,
    "reals": RGB.astype(np.float32), "one axis": RGB[0, 0], "a batch": RGB[None],
    "no rows": RGB[:0], "a list": RGB.tolist(),
}  # fmt: skip
for label, image in IMAGES.items():
    add_case(f"write_png {label}", written("write_png", "some.png", image))
    add_case(f"write_jpeg {label}", written("write_jpeg", "some.jpg", image), 1)
    case_of("get_image_size", image, label=label)
    case_of("get_image_num_channels", image, label=label)
    if label in ("two", "four", "reals", "one axis", "a batch", "no rows", "a list"):
        case_of("encode_jpeg", image, label=label)
        case_of("encode_png", image, label=label)
for quality in (1, 50, 100, 0, 101, 75.0):
    add_case(f"write_jpeg of {quality}", written("write_jpeg", "some.jpg", RGB, quality), 1)
for level in (0, 9, -1, 10, 3.0):
    add_case(f"write_png of {level}", written("write_png", "some.png", RGB, level))
add_case("write_png nowhere", written("write_png", "nowhere/x.png", RGB))
case_of("write_png", 3, RGB, label="to 3")
for mode in ("RGB", "L", "RGBA", "CMYK"):
    picture = Image.fromarray(RGB).convert(mode)
    case_of("get_image_size", picture, label=f"picture {mode}")
    case_of("get_image_num_channels", picture, label=f"picture {mode}")


def boxed(name, *args, image=IMAGE, boxes=BOXES, inner=None, apart=0.0, label="", **options):
    """Add a case: an image and its boxes transformed by `vision.<name>`; `inner`: a transform
    passed to it."""

    def case(ms, where):
        first = [getattr(ms.vision, inner[0])(*inner[1:])] if inner else []
        transform = getattr(ms.vision, name)(*first, *args, **options)
        given = boxes.copy() if isinstance(boxes, np.ndarray) else boxes  # MindSpore writes in it
        return tuple(transform(image.copy(), given))

    add_case(f"{name} {label or args}", case, apart)


for name in ("RandomHorizontalFlipWithBBox", "RandomVerticalFlipWithBBox"):
    boxed(name, 1.0)
    boxed(name, 0.0)
    boxed(name, 1.0, image=IMAGE[..., 0], label="grey")
    for label, boxes in {
        "of 3": BOXES[:, :3], "one axis": BOXES[0], "of ints": BOXES.astype(np.int32),
        "outside": np.float32([[5, 5, 6, 2]]), "before": np.float32([[-1, 0, 2, 2]]),
        "of no size": np.float32([[1, 1, 0, 0]]),
    }.items():  # fmt: skip
        boxed(name, 1.0, boxes=boxes, label=label)
boxed("RandomHorizontalFlipWithBBox", 1.5)
for size in ((4, 20), 4, 16, (5, 5)):
    boxed("ResizeWithBBox", size, apart=1)
boxed("ResizeWithBBox", "x")
boxed("RandomCropWithBBox", (8, 10))
boxed("RandomCropWithBBox", (12, 16), [1, 1, 5, 3])
boxed("RandomCropWithBBox", (10, 12))
boxed("RandomResizedCropWithBBox", (16, 20), (1.0, 1.0), (1.25, 1.25), apart=1)
for label, boxes in {"all": BOXES, "a part": np.float32([[5.5, 1, 2, 2.5]]),
                     "ints": BOXES.astype(np.int32)}.items():  # fmt: skip
    boxed("BoundingBoxAugment", 1.0, inner=("RandomHorizontalFlip", 1.0), boxes=boxes[:1],
          label=f"flip of {label}")  # fmt: skip
boxed("BoundingBoxAugment", 0.0, inner=("Invert",))
boxed("BoundingBoxAugment", 1.0, inner=("Invert",), boxes=BOXES[[0, 2]], label="two")
boxed("BoundingBoxAugment", 1.0, inner=("Resize", (2, 2)), boxes=BOXES[:1], apart=1, label="resize")
boxed("BoundingBoxAugment", 1.5, inner=("Invert",), label="of a ratio over 1")
boxed("BoundingBoxAugment", 1.0, inner=("ToPIL",), label="of Pillow's")

VIDEOS = records.FOLDER


def _thinned(part):
    """Return some of an answer's values, and its shape; for a dict, the rates."""
    if isinstance(part, dict):
        return (np.array([part.get(k, 0) for k in ("video_fps", "audio_fps")]),)
    part = np.asarray(part)
    some = part[:, ::4, ::4] if part.ndim == 4 else part[..., ::60] if part.ndim == 2 else part
    return some, np.array(part.shape)


def video(function, name, *args):
    """Add a case: the result of `vision.<function>` for a video."""

    def case(ms, where):
        answer = getattr(ms.vision, function)(str(VIDEOS / name), *args)
        return sum(map(_thinned, answer), ())

    add_case(f"{function} {name} {args}", case, 3 if function == "read_video" else 1e-6)


for name, ticks in (("moving.mp4", 1024), ("moving.avi", 1), ("silent.mp4", 1024)):
    for limits in ((), (ticks, 2 * ticks), (0.12, 0.29, "sec"), (50, 60, "sec")):
        video("read_video", name, *limits)
    if name != "moving.mp4":  # of which MindSpore gives the order of decoding
        video("read_video_timestamps", name)
        video("read_video_timestamps", name, "sec")
    add_case(f"decode {name}", lambda ms, where, path=VIDEOS / name: sum(map(
        _thinned, ms.vision.DecodeVideo()(np.fromfile(path, np.uint8))), ()), 3)  # fmt: skip
    add_case(f"metadata {name}", lambda ms, where, name=name: np.array(
        [*ms.vision.VideoDecoder(str(VIDEOS / name)).metadata.values()]))  # fmt: skip
for arguments in ((-1,), (3, 2), (0, 1, "hours"), ("a",), (0, "a"), (0, 1, 3)):
    video("read_video", "moving.mp4", *arguments)
for function in ("read_video", "read_video_timestamps", "VideoDecoder"):
    for file in ("@none.mp4", "@text.mp4", 3):
        case_of(function, file)
for content in (np.zeros(5, np.uint8), np.zeros((5, 2), np.uint8), np.zeros(5, np.int32),
                np.zeros(0, np.uint8)):  # fmt: skip
    label = f"of {content.dtype} {content.shape}"
    add_case(f"DecodeVideo {label}", lambda ms, where, x=content: ms.vision.DecodeVideo()(x))
video("read_video_timestamps", "moving.avi", "hours")

# the random ones: what they can make of IMAGE, without order and repetition
OUTCOMES = {
    "RandAugment 9": lambda ms: ms.vision.RandAugment(1, 9, 31),
    "RandAugment 20": lambda ms: ms.vision.RandAugment(1, 20, 31, ms.vision.Inter.NEAREST, 40),
    "RandAugment linear": lambda ms: ms.vision.RandAugment(1, 3, 10, ms.vision.Inter.BILINEAR, 7),
    "TrivialAugmentWide": lambda ms: ms.vision.TrivialAugmentWide(3),
}  # fmt: skip
for policy in ("IMAGENET", "CIFAR10", "SVHN"):
    OUTCOMES[f"AutoAugment {policy}"] = lambda ms, policy=policy: ms.vision.AutoAugment(
        getattr(ms.vision.AutoAugmentPolicy, policy)
    )


def outcomes(ms, transform, count, seed=1):
    """Return the distinct images among `count` random outputs."""
    ms.ds.config.set_seed(seed)
    rows = ms.ds.NumpySlicesDataset(np.stack([IMAGE] * count), ["image"], shuffle=False)
    rows = rows.map(transform, "image", num_parallel_workers=1)
    images = rows.create_tuple_iterator(num_epochs=1, output_numpy=True)
    found = {image.tobytes() for (image,) in images}
    return np.stack([np.frombuffer(x, np.uint8).reshape(IMAGE.shape) for x in sorted(found)])


for name, args in {
    "RandAugment": [(-1,), (2, 31), (2, -1), (2, 9, 1), (2.0,), (2, 9, 31, 3), (0,)],
    "TrivialAugmentWide": [(1,), (2, 3), (31.0,)], "AutoAugment": [("imagenet",)],
    "MixUp": [(2, 0), (0, 1.0), (2, 1.0, 3), (2.0, 1.0)],
}.items():  # fmt: skip
    for given in args:
        add_case(f"{name}{given}", lambda ms, where, name=name, given=given: (
            getattr(ms.vision, name)(*given) and np.zeros(0)))  # fmt: skip
for label, image in {"grey": IMAGE[..., 0], "reals": IMAGE / 255.0, "a batch": IMAGE[None]}.items():
    for name in ("RandAugment", "TrivialAugmentWide", "AutoAugment"):
        add_case(f"{name} of {label}", lambda ms, where, name=name, image=image: (
            getattr(ms.vision, name)()(image)))  # fmt: skip
