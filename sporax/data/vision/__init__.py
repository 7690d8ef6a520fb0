"""Image transforms of arrays (H, W, C) and of Pillow images.

Array transforms require only NumPy; files are decoded, and Pillow images changed, by Pillow, an
optional dependency: `pip install 'sporax[vision]'`.
"""

from sporax._src.core.errors import missing
from sporax.data.transforms import not_random
from sporax.data.vision.auto_augment import AutoAugment, RandAugment, TrivialAugmentWide
from sporax.data.vision.batch_mixing import (
    CutMixBatch,
    MixUp,
    MixUpBatch,
    RandomSelectSubpolicy,
    UniformAugment,
)
from sporax.data.vision.boxes import (
    BoundingBoxAugment,
    RandomCropWithBBox,
    RandomHorizontalFlipWithBBox,
    RandomResizedCropWithBBox,
    RandomResizeWithBBox,
    RandomVerticalFlipWithBBox,
    ResizeWithBBox,
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
from sporax.data.vision.image_files import (
    encode_jpeg,
    encode_png,
    get_image_num_channels,
    get_image_size,
    read_file,
    read_image,
    write_file,
    write_jpeg,
    write_png,
)
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
from sporax.data.vision.video import DecodeVideo, VideoDecoder, read_video, read_video_timestamps

__all__ = [
    "HWC2CHW", "AdjustBrightness", "AdjustContrast", "AdjustGamma", "AdjustHue", "AdjustSaturation",
    "AdjustSharpness", "Affine", "AutoAugment", "AutoAugmentPolicy", "AutoContrast", "Border",
    "BoundingBoxAugment", "CenterCrop", "ConvertColor", "ConvertMode", "Crop", "CutMixBatch",
    "CutOut", "Decode", "DecodeVideo", "Equalize", "Erase", "FiveCrop", "GaussianBlur", "Grayscale",
    "HorizontalFlip", "HsvToRgb", "ImageBatchFormat", "ImageReadMode", "ImageTensorOperation",
    "Inter", "Invert", "LinearTransformation", "MixUp", "MixUpBatch", "Normalize", "NormalizePad",
    "Pad", "PadToSize", "Perspective", "Posterize", "RandAugment", "RandomAdjustSharpness",
    "RandomAffine", "RandomAutoContrast", "RandomColor", "RandomColorAdjust", "RandomCrop",
    "RandomCropDecodeResize", "RandomCropWithBBox", "RandomEqualize", "RandomErasing",
    "RandomGrayscale", "RandomHorizontalFlip", "RandomHorizontalFlipWithBBox", "RandomInvert",
    "RandomLighting", "RandomPerspective", "RandomPosterize", "RandomResize",
    "RandomResizeWithBBox", "RandomResizedCrop", "RandomResizedCropWithBBox", "RandomRotation",
    "RandomSelectSubpolicy", "RandomSharpness", "RandomSolarize", "RandomVerticalFlip",
    "RandomVerticalFlipWithBBox", "Rescale", "Resize", "ResizeWithBBox", "ResizedCrop", "RgbToHsv",
    "Rotate", "SliceMode", "SlicePatches", "Solarize", "TenCrop", "ToNumpy", "ToPIL", "ToTensor",
    "ToType", "TrivialAugmentWide", "UniformAugment", "VerticalFlip", "VideoDecoder", "encode_jpeg",
    "encode_png", "get_image_num_channels", "get_image_size", "not_random", "read_file",
    "read_image", "read_video", "read_video_timestamps", "write_file", "write_jpeg", "write_png",
]  # fmt: skip


def __getattr__(name):
    raise missing("dataset.vision", name)
