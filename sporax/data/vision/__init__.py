"""Transforms of images: of arrays (H, W, C) and of Pillow's images.

Those of arrays need nothing but NumPy; files are decoded, and images of Pillow's changed, by
Pillow, an optional part: `pip install 'sporax[vision]'`.
"""

from sporax.core.errors import missing
from sporax.data.transforms import not_random
from sporax.data.vision.batch_mixing import (
    CutMixBatch,
    MixUpBatch,
    RandomSelectSubpolicy,
    UniformAugment,
)
from sporax.data.vision.colour_transforms import (
    AdjustBrightness,
    AdjustContrast,
    AdjustGamma,
    AdjustHue,
    AdjustSaturation,
    AdjustSharpness,
    AutoContrast,
    ConvertColor,
    Equalize,
    GaussianBlur,
    Grayscale,
    HsvToRgb,
    Invert,
    Posterize,
    RgbToHsv,
    Solarize,
)
from sporax.data.vision.cropping import (
    CenterCrop,
    Crop,
    FiveCrop,
    HorizontalFlip,
    Pad,
    PadToSize,
    SlicePatches,
    TenCrop,
    VerticalFlip,
)
from sporax.data.vision.enums import (
    AutoAugmentPolicy,
    Border,
    ConvertMode,
    ImageBatchFormat,
    ImageReadMode,
    Inter,
    SliceMode,
)
from sporax.data.vision.erasing import CutOut, Erase, RandomErasing
from sporax.data.vision.format_conversion import (
    HWC2CHW,
    Decode,
    LinearTransformation,
    Normalize,
    NormalizePad,
    Rescale,
    ToNumpy,
    ToPIL,
    ToTensor,
    ToType,
)
from sporax.data.vision.geometry import Affine, Perspective, Resize, ResizedCrop, Rotate
from sporax.data.vision.image import ImageTensorOperation
from sporax.data.vision.random_colour import (
    RandomAdjustSharpness,
    RandomAutoContrast,
    RandomColor,
    RandomColorAdjust,
    RandomEqualize,
    RandomGrayscale,
    RandomHorizontalFlip,
    RandomInvert,
    RandomLighting,
    RandomPosterize,
    RandomSharpness,
    RandomSolarize,
    RandomVerticalFlip,
)
from sporax.data.vision.random_geometry import (
    RandomAffine,
    RandomCrop,
    RandomCropDecodeResize,
    RandomPerspective,
    RandomResize,
    RandomResizedCrop,
    RandomRotation,
)

__all__ = [
    "HWC2CHW", "AdjustBrightness", "AdjustContrast", "AdjustGamma", "AdjustHue", "AdjustSaturation",
    "AdjustSharpness", "Affine", "AutoAugmentPolicy", "AutoContrast", "Border", "CenterCrop",
    "ConvertColor", "ConvertMode", "Crop", "CutMixBatch", "CutOut", "Decode", "Equalize", "Erase",
    "FiveCrop", "GaussianBlur", "Grayscale", "HorizontalFlip", "HsvToRgb", "ImageBatchFormat",
    "ImageReadMode", "ImageTensorOperation", "Inter", "Invert", "LinearTransformation",
    "MixUpBatch", "Normalize", "NormalizePad", "Pad", "PadToSize", "Perspective", "Posterize",
    "RandomAdjustSharpness", "RandomAffine", "RandomAutoContrast", "RandomColor",
    "RandomColorAdjust", "RandomCrop", "RandomCropDecodeResize", "RandomEqualize", "RandomErasing",
    "RandomGrayscale", "RandomHorizontalFlip", "RandomInvert", "RandomLighting",
    "RandomPerspective", "RandomPosterize", "RandomResize", "RandomResizedCrop", "RandomRotation",
    "RandomSelectSubpolicy", "RandomSharpness", "RandomSolarize", "RandomVerticalFlip", "Rescale",
    "Resize", "ResizedCrop", "RgbToHsv", "Rotate", "SliceMode", "SlicePatches", "Solarize",
    "TenCrop", "ToNumpy", "ToPIL", "ToTensor", "ToType", "UniformAugment", "VerticalFlip",
    "not_random",
]  # fmt: skip


def __getattr__(name):
    raise missing("dataset.vision", name)
