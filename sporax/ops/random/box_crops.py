"""Random crops of an image that show enough of an object."""

import jax.numpy as jnp
import numpy as np

from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, Arrays, composite, op
from sporax.ops.random.draws import next_key, source_of, uniform_from_key


@op(function=(), name="SampleDistortedBoundingBoxV2", differentiable=False)
def first_fitting_crop(
    draws: Array, image_size: Array, bounding_boxes: Array, min_object_covered: Array,
    aspect_ratio_range=(0.75, 1.33), area_range=(0.05, 1.0),
) -> Arrays:  # fmt: skip
    """Return begin, size and box of the crop for the first row of `draws` `(n, 4)` that fits, else
    of the whole image. A row has numbers in [0, 1) for aspect ratio, area, and position down and
    across.
    """
    shape, boxes = image_size.shape, bounding_boxes.shape
    require(shape == (3,), "shape-letters", image_size=shape, letters="(3,)")
    are_boxes = len(boxes) == 3 and boxes[2] == 4
    require(are_boxes, "shape-letters", bounding_boxes=boxes, letters="(batch, N, 4)")
    require(min_object_covered.size == 1, "hold-one-number", argument="min_object_covered")
    for name, value in (("aspect_ratio_range", aspect_ratio_range), ("area_range", area_range)):
        is_range = isinstance(value, tuple) and len(value) == 2 and 0 < value[0] < value[1]
        require(is_range, "two-rising-positive-numbers", argument=name, got=value)
    ratio, area, *position = jnp.moveaxis(draws, -1, 0)
    ratio = aspect_ratio_range[0] + ratio * (aspect_ratio_range[1] - aspect_ratio_range[0])
    area = area_range[0] + area * (area_range[1] - area_range[0])
    image = image_size[:2].astype(jnp.float32)
    pixels = area * image.prod()
    sizes = jnp.round(jnp.stack([jnp.sqrt(pixels / ratio), jnp.sqrt(pixels * ratio)], -1))
    starts = jnp.floor(jnp.stack(position, -1) * (image - sizes + 1))
    boxes = bounding_boxes.reshape(-1, 4)
    low, high = boxes[:, :2] * image, boxes[:, 2:] * image
    sides = jnp.minimum(high, (starts + sizes)[:, None]) - jnp.maximum(low, starts[:, None])
    seen = jnp.maximum(sides, 0).prod(-1) / jnp.maximum((high - low).prod(-1), 1e-12)
    least = min_object_covered.reshape(())
    covers = (seen >= least).any(-1) | (least == 0) | (boxes.shape[0] == 0)
    share = sizes.prod(-1) / image.prod()
    is_allowed = (share >= area_range[0]) & (share <= area_range[1])
    fits = (sizes > 0).all(-1) & (sizes <= image).all(-1) & is_allowed & covers
    first, any_fits = jnp.argmax(fits), fits.any()
    start = jnp.where(any_fits, starts[first], 0)
    size = jnp.where(any_fits, sizes[first], image)
    begin = jnp.concatenate([start, jnp.zeros(1)]).astype(image_size.dtype)
    extent = jnp.concatenate([size, -jnp.ones(1)]).astype(jnp.int64).astype(image_size.dtype)
    box = jnp.concatenate([start / image, (start + size) / image]).astype(jnp.float32)
    return begin, extent, box.reshape(1, 1, 4)


@composite(
    primitive="SampleDistortedBoundingBoxV2(seed=0, seed2=0, aspect_ratio_range=(0.75, 1.33), "
    "area_range=(0.05, 1.0), max_attempts=100, use_image_if_no_bounding_boxes=False)"
    "(image_size, bounding_boxes, min_object_covered)",
    function=(),
)
def sample_distorted_bounding_box(
    itself, image_size, bounding_boxes, min_object_covered, seed=0, seed2=0,
    aspect_ratio_range=(0.75, 1.33), area_range=(0.05, 1.0), max_attempts=100,
    use_image_if_no_bounding_boxes=False,
) -> Arrays:  # fmt: skip
    """A random crop of an image of `image_size`, (height, width, channels), that covers at least
    `min_object_covered` of one of `bounding_boxes` `(batch, N, 4)`, (y1, x1, y2, x2) relative to
    the image: its begin (y, x, 0), size (height, width, -1), and box `(1, 1, 4)`.

    Its width over its height, and its area over the image's, are in the two ranges. After
    `max_attempts` failed attempts it is the whole image. Without boxes any crop is allowed if
    `use_image_if_no_bounding_boxes`, else ValueError is raised.

    >>> box, part = Tensor([[[0.25, 0.25, 0.75, 0.75]]]), Tensor([0.5])
    >>> begin, size, crop = ops.SampleDistortedBoundingBoxV2()(Tensor([64, 48, 3]), box, part)
    >>> begin.shape, size.shape, crop.shape
    ((3,), (3,), (1, 1, 4))
    """
    who = "SampleDistortedBoundingBoxV2"
    is_count = isinstance(max_attempts, int) and max_attempts >= 1
    require(is_count, "int-at-least", who, max_attempts=max_attempts, n=1)
    has_box = bounding_boxes.size or use_image_if_no_bounding_boxes
    require(has_box, "hold-box", who, argument="bounding_boxes", shape=bounding_boxes.shape)
    key = next_key(source_of(itself, seed, seed2))
    draws = uniform_from_key(key, (max_attempts, 4), np.dtype(np.float32))
    ranges = tuple(aspect_ratio_range), tuple(area_range)
    return first_fitting_crop(draws, image_size, bounding_boxes, min_object_covered, *ranges)
