"""Image transforms, run by MindSpore 2.10 and by sporax.

Each is a function of a namespace with `vision` and `transforms` of `mindspore.dataset`; it returns
an array, a Pillow image, or a tuple of them. `CASES`: name -> (function, tolerance). Results that
OpenCV computes with integer weights may differ by one grey level.
"""

import io

import numpy as np
from PIL import Image

_y, _x = np.mgrid[:9, :12]
IMAGE = np.stack(
    [
        (_x * 20 + _y * 3 + 7 * (_x % 3)) % 256,
        (230 - _y * 21 + 5 * (_x % 2)) % 256,
        (_x * _y * 2 + 30 * ((_x + _y) % 4)) % 256,
    ],
    -1,
).astype(np.uint8)
REAL = (IMAGE / 255).astype(np.float32)
GREY = np.ascontiguousarray(IMAGE[..., 0])
FORMS = {"bytes": IMAGE, "reals": REAL, "grey": GREY}
PICTURE = Image.fromarray(IMAGE)


def encoded(format):
    file = io.BytesIO()
    PICTURE.save(file, format)
    return np.frombuffer(file.getvalue(), np.uint8)


PNG = encoded("PNG")
CASES = {}


def add_case(name, case, apart=0.0):
    CASES[name] = case, apart


def transformed(name, *args, on=IMAGE, modes=()):
    """Return a case: an image after the transform `name`; `modes`: {argument's position:
    'Enum.MEMBER'}."""

    def case(ms):
        inputs = list(args)
        for place, mode in dict(modes).items():
            kind, _, member = mode.partition(".")
            inputs.insert(place, getattr(getattr(ms.vision, kind), member))
        return getattr(ms.vision, name)(*inputs)(on)

    return case


def each(name, args, forms, apart=None, label="", **options):
    for form in forms.split():
        allowed = {"bytes": 0.0, "grey": 0.0, "reals": 2e-6} | (apart or {})
        case = transformed(name, *args, on=FORMS[form], **options)
        add_case(f"{name}{label or args} of {form}", case, allowed[form])


LEVEL = {"bytes": 1, "grey": 1}
ALL = "bytes reals grey"
WAYS = ["LINEAR", "NEAREST", "BICUBIC", "AREA"]

for way in WAYS:
    for size in ((4, 5), (20, 17), (9, 30), 6):
        each("Resize", (size,), ALL, LEVEL, f"({size}, {way})", modes={1: f"Inter.{way}"})
    for degrees in (30, -45.5):
        each("Rotate", (degrees,), ALL, LEVEL, f"({degrees}, {way})", modes={1: f"Inter.{way}"})
    mode = {1: f"Inter.{way}"}
    each("Rotate", (30, True, None, 7), ALL, LEVEL, f"(30, {way}, expanded)", modes=mode)
    each("Rotate", (90, False, (3, 4), 5), "bytes", LEVEL, f"(90, {way})", modes=mode)
    args = 20, (0.1, 0.2), 0.9, (10.0, 5.0), 9
    each("Affine", args, "bytes grey", LEVEL, f"({way})", modes={4: f"Inter.{way}"})
    args = 1, 2, 6, 5, (5, 6)
    each("ResizedCrop", args, ALL, LEVEL, f"({way})", modes={5: f"Inter.{way}"})
corners = [[1, 0], [10, 1], [11, 7], [0, 8]], [[1, 1], [10, 2], [9, 7], [0, 6]]
for way in ("LINEAR", "NEAREST"):
    each("Perspective", corners, ALL, LEVEL, f"({way})", modes={2: f"Inter.{way}"})
for size in ((4, 5), (20, 17), 6):
    each("Resize", (size,), "bytes", LEVEL, f"({size}, PILCUBIC)", modes={1: "Inter.PILCUBIC"})

for name, args in {
    "HWC2CHW": [()], "HorizontalFlip": [()], "VerticalFlip": [()],
    "CenterCrop": [(4,), ((5, 15),), ((12, 3),)],
    "Crop": [((1, 2), 4), ((0, 3), (5, 6))], "PadToSize": [(15,), ((14, 20), (1, 2), 5)],
    "Normalize": [([100.0], [50.0])], "AdjustBrightness": [(0.0,), (0.5,), (1.7,)],
    "Pad": [(2,), ((1, 2), (1, 2, 3)), ((1, 2, 3, 4), 9)],
}.items():  # fmt: skip
    for given in args:
        each(name, given, ALL)
each("ToTensor", (), ALL, {"bytes": 6e-8, "grey": 6e-8})
each("Rescale", (1 / 255, -0.5), ALL, {"bytes": 6e-8, "grey": 6e-8})
for border in ("EDGE", "REFLECT", "SYMMETRIC"):
    each("Pad", ((1, 2, 3, 4), 0), ALL, None, f"({border})", modes={2: f"Border.{border}"})
    each("PadToSize", (15, None, 0), "bytes", None, f"({border})", modes={3: f"Border.{border}"})
each("Normalize", ([120.0, 110.0, 100.0], [50.0, 60.0, 70.0]), "bytes reals", {"bytes": 2e-6})
add_case("Normalize of channels first",
    transformed("Normalize", [0.4, 0.5, 0.6], [0.2, 0.3, 0.4], False, on=REAL.transpose(2, 0, 1)),
    2e-6,
)  # fmt: skip
add_case("NormalizePad",
    transformed("NormalizePad", [0.4, 0.5, 0.6], [0.2, 0.3, 0.4], "float16", False,
         on=REAL.transpose(2, 0, 1)), 4e-3,
)  # fmt: skip
for name in ("AdjustContrast", "AdjustSaturation"):
    for factor in (0.0, 0.5, 1.7):
        each(name, (factor,), "bytes reals", LEVEL)
for factor in (0.0, 0.5, 1.7):
    each("AdjustSharpness", (factor,), ALL, LEVEL)
for factor in (-0.5, -0.2, 0.1, 0.5):
    each("AdjustHue", (factor,), "bytes", {"bytes": 6})  # 256 steps of 360 degrees, both ways
each("AdjustGamma", (2.0, 1), ALL, LEVEL)
each("AdjustGamma", (0.5, 1.2), "bytes grey", LEVEL)
each("Invert", (), "bytes")
each("Equalize", (), "bytes grey")
for cutoff in (0.0, 10.0, 30.0):
    each("AutoContrast", (cutoff,), "bytes grey", LEVEL)
    each("AutoContrast", (cutoff, [3, 100]), "bytes grey", LEVEL)
for bits in (0, 3, 8):
    each("Posterize", (bits,), "bytes grey")
for threshold in ((50, 120), 50, (0, 255)):
    each("Solarize", (threshold,), "bytes grey")
for kernel in (3, (5, 3), 7, 9):
    for sigma in (None, 1.5, (1.0, 2.0)):
        each("GaussianBlur", (kernel, sigma), ALL, LEVEL)
each("Erase", (1, 2, 3, 4, (1, 2, 3)), "bytes reals")
each("Erase", (7, 9, 5, 5, 8), "bytes")
for source, many in (("BGR", 3), ("RGB", 3), ("BGRA", 4), ("RGBA", 4), ("GRAY", 1)):
    image = GREY if many == 1 else np.concatenate([IMAGE, IMAGE[..., :1]], -1)[..., :many]
    for target in ("BGR", "RGB", "BGRA", "RGBA", "GRAY"):
        mode = f"ConvertMode.COLOR_{source}2{target}"
        if source != target and not (many == 3 and mode.endswith(f"{source}A2{source}")):
            add_case(mode, transformed("ConvertColor", on=image, modes={0: mode}), 1)
each("RgbToHsv", (True,), "reals", {"reals": 1e-6})
each("HsvToRgb", (True,), "reals", {"reals": 1e-6})
add_case("SlicePatches", transformed("SlicePatches", 2, 5))
add_case("SlicePatches that drops", transformed("SlicePatches", 2, 5, modes={2: "SliceMode.DROP"}))
add_case("LinearTransformation",
    transformed("LinearTransformation", np.diag(np.arange(1.0, 13)), np.arange(12.0),
         on=REAL[:2, :2].transpose(2, 0, 1)), 1e-6,
)  # fmt: skip

add_case("Decode", transformed("Decode", on=PNG))
add_case("Decode to_pil", transformed("Decode", True, on=PNG))
for name, args in {
    "Resize": [((4, 5),), (6,), ((20, 17),)], "CenterCrop": [(5,), (15,)], "Invert": [()],
    "Pad": [((1, 2, 3, 4), (1, 2, 3))], "Equalize": [()], "AutoContrast": [(10.0,), (0.0, 3)],
    "AdjustBrightness": [(1.3,)], "AdjustContrast": [(0.4,)], "AdjustSaturation": [(0.4,)],
    "AdjustHue": [(0.1,), (-0.3,)], "AdjustGamma": [(2.0,)], "Grayscale": [(), (3,)],
    "ToTensor": [()], "Perspective": [corners], "HorizontalFlip": [()], "FiveCrop": [(5,)],
    "TenCrop": [(4,), ((3, 5), True)], "ToNumpy": [()], "ToPIL": [()],
}.items():  # fmt: skip
    for given in args:
        add_case(f"{name}{given} of a picture", transformed(name, *given, on=PICTURE), 1e-6)
for way in ("NEAREST", "BICUBIC", "ANTIALIAS"):
    add_case(f"Resize({way}) of a picture",
        transformed("Resize", (4, 5), on=PICTURE, modes={1: f"Inter.{way}"}))  # fmt: skip
for border in ("EDGE", "REFLECT", "SYMMETRIC"):
    add_case(f"Pad({border}) of a picture",
        transformed("Pad", 2, 0, on=PICTURE, modes={2: f"Border.{border}"}))  # fmt: skip

# random ones that can do one thing only
for name, args in {
    "RandomHorizontalFlip": [(1.0,), (0.0,)], "RandomVerticalFlip": [(1.0,), (0.0,)],
    "RandomCrop": [((9, 12),), ((13, 16), 2), ((11, 16), (1, 2, 3, 0))],
    "RandomResizedCrop": [((4, 5), (1.0, 1.0), (12 / 9, 12 / 9))],
    "RandomColor": [((0.5, 0.5),)], "RandomSharpness": [((1.7, 1.7),)],
    "RandomColorAdjust": [(), ((0.5, 0.5),), ((1, 1), (0.5, 0.5))],
    "RandomRotation": [((30, 30),)],
    "RandomAffine": [((20, 20),), ((0, 0), (0.25, 0.25, 0.5, 0.5))],
    "RandomInvert": [(1.0,), (0.0,)], "RandomEqualize": [(1.0,)],
    "RandomAutoContrast": [(10.0, None, 1.0)], "RandomAdjustSharpness": [(1.7, 1.0)],
    "RandomPosterize": [((3, 3),), (2,)], "RandomSolarize": [((100, 100),)],
    "RandomLighting": [(0.0,)], "RandomErasing": [(0.0,)],
}.items():  # fmt: skip
    for given in args:
        add_case(f"{name}{given}", transformed(name, *given), 1)
for name, args in {
    "RandomHorizontalFlip": [(1.0,)], "RandomVerticalFlip": [(1.0,)], "RandomCrop": [((9, 12),)],
    "RandomGrayscale": [(1.0,)], "RandomColor": [((0.5, 0.5),)],
    "RandomSharpness": [((1.7, 1.7),)], "RandomRotation": [((30, 30),)],
    "RandomResizedCrop": [((4, 5), (1.0, 1.0), (12 / 9, 12 / 9))],
    "RandomPerspective": [(0.5, 0.0)],
}.items():  # fmt: skip
    for given in args:
        add_case(f"{name}{given} of a picture", transformed(name, *given, on=PICTURE), 1)
add_case("RandomCropDecodeResize",
    transformed("RandomCropDecodeResize", (4, 5), (1.0, 1.0), (12 / 9, 12 / 9), on=PNG), 1
)  # fmt: skip

# what is refused
WRONG = {
    "Resize": [(0,), ((1, 2, 3),), ("x",), (3, 7), ((3, 0),)],
    "Normalize": [([1.0], [1.0, 2.0]), ([300.0], [1.0]), ([1.0], [0.0]), (1.0, 1.0)],
    "CenterCrop": [(0,), (1.5,), ((1, 2, 3),)], "Crop": [((0, 0), (50, 50)), ((0,), 3), (0, 3)],
    "Pad": [(-1,), ((1, 2, 3),), (1, 300), (1, 0, "edge")], "RandomCrop": [(50,), ("x",)],
    "RandomHorizontalFlip": [(2,), ("x",), (-0.1,)], "RandomRotation": [(-5,), ((30, 10),)],
    "RandomColorAdjust": [(-1,), ((2, 1),), (1, 1, 1, 2)], "Rescale": [("x", 0.0)],
    "RandomResizedCrop": [(4, (1.0, 0.5)), (4, (0.1, 0.5), (0.0, 1.0)), (4, None, None, 3)],
    "Decode": [("x",)], "ToPIL": [("x",)], "Posterize": [(9,), (1.5,)],
    "Solarize": [((5, 1),), ((0, 300),)], "GaussianBlur": [(2,), (3, -1)], "CutOut": [(0,), (50,)],
    "RandomErasing": [(2.0,), (0.5, (0.5, 0.1)), (1.0, (0.1, 0.2), (0.3, 3.3), "x")],
    "AdjustHue": [(0.6,)], "AdjustGamma": [(-1.0,)], "Grayscale": [(2,), (1,)],
    "Rotate": [("x",), (3, 1)], "ConvertColor": [(1,)], "MixUpBatch": [(0,)],
    "AdjustBrightness": [(-1,)], "RandomPosterize": [((0, 9),), ((5, 3),)],
    "RandomSelectSubpolicy": [(3,), ([],)], "UniformAugment": [([], 2), (3,)],
}  # fmt: skip
for name, args in WRONG.items():
    for given in args:
        add_case(f"{name}{given} is refused", transformed(name, *given))
for name, args, on in (
    ("HWC2CHW", (), IMAGE[0, 0]), ("HWC2CHW", (), IMAGE[None]), ("Resize", (3,), IMAGE[0, 0]),
    ("Resize", (3,), IMAGE.astype(np.int32)), ("Equalize", (), REAL), ("Invert", (), GREY),
    ("AdjustContrast", (1.2,), GREY), ("AutoContrast", (), REAL), ("ToPIL", (), REAL),
    ("ToPIL", (), IMAGE[None]), ("Decode", (), IMAGE), ("Decode", (), PNG[:20]),
    ("Normalize", ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), GREY), ("RandomErasing", (1.0,), GREY),
    ("Posterize", (3,), REAL), ("FiveCrop", (20,), PICTURE), ("TenCrop", (4,), IMAGE),
):  # fmt: skip
    add_case(f"{name}{args} of {on.size} {getattr(on, 'dtype', '')} is refused",
        transformed(name, *args, on=on))  # fmt: skip
