"""Random mixtures of several images, or of several transforms."""

import math

import numpy as np

from sporax._src.diagnosis.argument_kinds import BOOL, INT, POSITIVE, member_of, within
from sporax._src.diagnosis.rules import rejection, require
from sporax.data import argument_checks as check
from sporax.data import random_streams
from sporax.data.transforms import Compose, RandomApply, checked_transforms
from sporax.data.vision.enums import ImageBatchFormat
from sporax.data.vision.image import PyTensorOperation, TensorOperation
from sporax.data.vision.random_colour import probability


def _batch(who, images, labels):
    images, labels = np.asarray(images), np.asarray(labels)
    fits = images.ndim == 4 and labels.ndim in (2, 3) and len(images) == len(labels)
    require(fits, "batch-of-images", who, got=images.shape, labels=labels.shape)
    return images, labels.astype(np.float32)


class MixUp(PyTensorOperation):
    """Mixes each of `batch_size` images with another one, by its own weight drawn from
    Beta(alpha, alpha), and likewise the labels (one-hot) (Zhang et al. 2018).

    The other image is the next one of the batch, or, unless `is_single`, the result of this
    transform for the previous batch. For a `batch_size` of 1, one weight and image serve all.

    >>> images, labels = MixUp(2, 0.5)(np.ones((2, 1, 1, 3)), np.eye(2))
    >>> images.shape, labels.sum(1).round(6).tolist()
    ((2, 1, 1, 3), [1.0, 1.0])
    """

    def __init__(self, batch_size, alpha, is_single=True):
        who = type(self).__name__
        self.is_single = BOOL.checked(who, "is_single", is_single)
        self.batch_size = check.COUNT.checked(who, "batch_size", batch_size)
        self.alpha = POSITIVE.checked(who, "alpha", alpha)
        self._before = None

    def __call__(self, image, label):
        batches, n = (np.asarray(image), np.asarray(label)), self.batch_size
        share = random_streams.stream().beta(self.alpha, self.alpha, n)
        try:
            others = self._before
            if self.is_single:
                others = [batch[[*range(1, n), 0]] for batch in batches]
            elif others is None:  # the first batch is unchanged
                share, others = np.ones(n), (0.0, 0.0)
            shares = share.reshape(n, 1, 1, 1), share.reshape(n, 1)
            triples = zip(shares, batches, others, strict=True)
            mixed = [weight * batch + (1 - weight) * other for weight, batch, other in triples]
        except (ValueError, IndexError):
            fields = {"n": n, "got": batches[0].shape, "labels": batches[1].shape}
            raise rejection("images-of-batch", type(self).__name__, **fields) from None
        self._before = mixed
        return tuple(mixed)


class MixUpBatch(TensorOperation):
    """Mixes each image of a batch with another one, with weights `p` and `1 - p`, and likewise the
    labels (one-hot); `p` is drawn from Beta(alpha, alpha) (Zhang et al. 2018)."""

    def __init__(self, alpha=1.0):
        self.alpha = POSITIVE.checked(type(self).__name__, "alpha", alpha)

    def __call__(self, images, labels):
        images, labels = _batch(type(self).__name__, images, labels)
        draw = random_streams.stream()
        share, other = draw.beta(self.alpha, self.alpha), draw.permutation(len(images))
        mixed = images * share + images[other] * (1 - share)
        if not np.issubdtype(images.dtype, np.floating):
            mixed = np.rint(mixed)
        mixed_labels = labels * share + labels[other] * (1 - share)
        return mixed.astype(images.dtype), mixed_labels.astype(np.float32)


class CutMixBatch(TensorOperation):
    """Replaces a random rectangle of each image of a batch by another image's, with probability
    `prob`, and mixes the labels (one-hot) by its area (Yun et al. 2019); `image_batch_format`: the
    position of the channels."""

    def __init__(self, image_batch_format, alpha=1.0, prob=1.0):
        who = type(self).__name__
        member_of(ImageBatchFormat)(who, image_batch_format=image_batch_format)
        self.format = image_batch_format
        self.alpha, self.prob = POSITIVE.checked(who, "alpha", alpha), probability(who, prob)

    def __call__(self, images, labels):
        images, labels = _batch(type(self).__name__, images, labels)
        draw, images = random_streams.stream(), images.copy()
        if draw.random() >= self.prob:
            return images, labels
        first = 1 if self.format == ImageBatchFormat.NHWC else 2
        sizes, other = images.shape[first : first + 2], draw.permutation(len(images))
        side = math.sqrt(1 - draw.beta(self.alpha, self.alpha))
        box = []
        for n in sizes:
            centre, half = draw.integers(n), int(n * side) // 2
            box.append(slice(max(centre - half, 0), min(centre + half, n)))
        where = (slice(None),) * first + tuple(box)
        images[where] = images[other][where]
        share = math.prod(b.stop - b.start for b in box) / math.prod(sizes)
        return images, (labels * (1 - share) + labels[other] * share).astype(np.float32)


class UniformAugment(PyTensorOperation):
    """Applies `num_ops` of the transforms, chosen for each image at random, each with probability
    0.5 (LingChen et al. 2020)."""

    def __init__(self, transforms, num_ops=2):
        who = type(self).__name__
        self.transforms = checked_transforms(who, transforms)
        self.num_ops = within(1, len(transforms), INT).checked(who, "num_ops", num_ops)

    def __call__(self, image):
        draw = random_streams.stream()
        for i in draw.choice(len(self.transforms), self.num_ops, replace=False):
            if draw.random() < 0.5:
                image = self.transforms[i](image)
        return image


class RandomSelectSubpolicy(TensorOperation):
    """Applies a random list of `policy`, which has pairs of a transform and its probability."""

    def __init__(self, policy):
        who = type(self).__name__
        fits = isinstance(policy, list) and policy
        error = ValueError if isinstance(policy, list) else TypeError
        require(fits, "list-of-policies", who, policy=policy, error=error)
        self.policy = [
            Compose([RandomApply([transform], prob) for transform, prob in steps])
            for steps in policy
        ]

    def __call__(self, image):
        return self.policy[int(random_streams.stream().integers(len(self.policy)))](image)


__all__ = ["CutMixBatch", "MixUp", "MixUpBatch", "RandomSelectSubpolicy", "UniformAugment"]
