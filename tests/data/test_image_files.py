"""Files of images, boxes and policies of augmentation: what MindSpore makes of them
(`tools.record image_sets`)."""

import random
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from sporax import data
from sporax.data import vision
from sporax.data.vision import auto_augment
from tests import records
from tests.case_results import result_or_error
from tests.data.image_file_cases import (
    BOXES,
    CASES,
    IMAGE,
    OUTCOMES,
    VIDEOS,
    outcomes,
    write_pictures,
)

MS = SimpleNamespace(ds=data, vision=vision)


@pytest.fixture(scope="module")
def where(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    write_pictures(folder)
    return folder


@pytest.fixture(scope="module")
def recorded():
    result = {}
    with np.load(records.FOLDER / "image_files.npz") as file:
        for key in file.files:
            result.setdefault(key.rpartition("#")[0], []).append(file[key])
    return result


@pytest.mark.parametrize("name", CASES)
def test_answers_as_mindspore(name, where, recorded):
    case, apart = CASES[name]
    outcome = result_or_error(lambda ms: case(ms, where), MS)
    several = outcome if isinstance(outcome, tuple) else (outcome,)
    assert len(several) == len(recorded[name])
    for result, expected in zip(map(np.asarray, several), recorded[name], strict=True):
        if expected.dtype.kind == "U" or result.dtype.kind == "U":
            assert result == expected
            continue
        assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
        difference = np.abs(result.astype(float) - expected.astype(float))
        assert difference.max(initial=0) <= apart


def far(images, others):
    """How far each image is from the nearest of others: the share of values that differ by more
    than one level."""
    return np.array([np.min((np.abs(others.astype(int) - x) > 1).mean((1, 2, 3))) for x in images])


@pytest.mark.parametrize("name", OUTCOMES)
def test_policies_make_what_mindspores_make(name, recorded, monkeypatch):
    """MindSpore multiplies what an image is moved by with its size again, so that nothing of it is
    left; so it is here for this comparison."""
    monkeypatch.setattr(auto_augment, "_by_size", lambda image: (1e3, 1e3))
    (expected,) = recorded[name]
    result = outcomes(MS, OUTCOMES[name](MS), 1500)
    assert (far(result, expected) < 0.05).mean() > 0.9
    assert (far(expected, result) < 0.05).mean() > 0.9


def test_images_are_moved_by_parts_of_their_size():
    wide = np.random.RandomState(0).randint(0, 256, (4, 331, 3)).astype(np.uint8)
    data.config.set_seed(2)
    augment = vision.RandAugment(1, 30, fill_value=9)
    found = {augment(wide).tobytes() for _ in range(150)}
    for by in (150, -150):
        moved = np.roll(wide, by, 1)
        moved[:, slice(0, by) if by > 0 else slice(by, None)] = 9
        assert moved.tobytes() in found


def test_the_seed_decides_what_is_augmented():
    first, again = (outcomes(MS, vision.AutoAugment(), 60, 3) for _ in range(2))
    other = outcomes(MS, vision.AutoAugment(), 60, 4)
    assert np.array_equal(first, again) and not np.array_equal(first, other)


def crops(transform, count=200):
    data.config.set_seed(1)
    return [transform(IMAGE, BOXES) for _ in range(count)]


def test_boxes_go_with_their_crop():
    """A pixel's colours tell where it was: what is in a box stays in it."""
    results = crops(vision.RandomCropWithBBox((4, 4)))
    assert len({image.tobytes() for image, _ in results}) == 35
    for image, boxes in results:
        left, top = image[0, 0, 0] // 25, image[0, 0, 1] // 30
        kept = []
        for x, y, width, height, mark in BOXES.tolist():
            ends = [(max(a - low, 0), min(a + n - low, 4)) for a, n, low in
                    ((x, width, int(left)), (y, height, int(top)))]  # fmt: skip
            if all(first <= last for first, last in ends):
                (x0, x1), (y0, y1) = ends
                kept.append([x0, y0, x1 - x0, y1 - y0, mark])
        assert boxes.tolist() == kept
    for image, boxes in crops(vision.RandomResizedCropWithBBox((8, 8), (0.2, 0.5)), 50):
        assert image.shape == (8, 8, 3) and 1 <= len(boxes) <= 3
        assert (boxes[:, :4] >= 0).all() and (boxes[:, :2] + boxes[:, 2:4] <= 8 + 1e-5).all()
    (image, boxes) = crops(vision.RandomResizeWithBBox((16, 20)), 1)[0]
    assert image.shape == (16, 20, 3)
    np.testing.assert_array_equal(boxes, BOXES * [2, 2, 2, 2, 1])
    ((_, boxes),) = crops(
        lambda i, b: vision.RandomCropWithBBox(2)(i, np.float32([[9, 7, 1, 1]])), 1
    )
    assert vision.RandomHorizontalFlipWithBBox(1.0)(IMAGE, boxes)[1].shape == (len(boxes), 4)


def test_some_boxes_are_augmented():
    boxes = np.float32([[0, 0, 3, 3], [4, 0, 3, 3], [0, 4, 3, 3], [4, 4, 3, 3]])
    data.config.set_seed(1)
    augment, changed = vision.BoundingBoxAugment(vision.Invert(), 0.5), set()
    for _ in range(60):
        image, same = augment(IMAGE, boxes)
        assert np.array_equal(same, boxes)
        parts = [(slice(y, y + h), slice(x, x + w)) for x, y, w, h in boxes.astype(int)]
        inverted = [i for i, part in enumerate(parts)
                    if np.array_equal(image[part], 255 - IMAGE[part])]  # fmt: skip
        changed.add(tuple(inverted))
    assert changed == {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}


def test_batches_are_mixed_by_their_labels():
    images = np.arange(4.0).reshape(4, 1, 1, 1) * np.ones((1, 2, 2, 3))
    labels = np.eye(4)
    data.config.set_seed(2)
    mixed, result = vision.MixUp(4, 0.5)(images, labels)
    np.testing.assert_allclose(mixed[:, 0, 0, 0], result @ np.arange(4), rtol=1e-12)
    assert ((result > 0) <= (labels + np.roll(labels, -1, 0) > 0)).all()
    mix = vision.MixUp(4, 0.5, is_single=False)
    first, same = mix(images, labels)
    assert np.array_equal(first, images) and np.array_equal(same, labels)
    second, result = mix(images[::-1], labels[::-1])
    np.testing.assert_allclose(second[:, 0, 0, 0], result @ np.arange(4), rtol=1e-12)
    assert ((result > 0) == (labels + labels[::-1] > 0)).all()
    with pytest.raises(ValueError, match="For 'MixUp', there must be 3 images"):
        vision.MixUp(3, 0.5)(images, labels)


def test_frames_of_a_video():
    """A file's frames by index are those that `read_video` gives; B-frames come in order."""
    decoder = vision.VideoDecoder(str(VIDEOS / "moving.mp4"))
    frames, _, _ = vision.read_video(decoder.source)
    assert np.array_equal(decoder.get_frames_at([5, 0, 5]), frames[[5, 0, 5]])
    assert decoder.get_frames_at([]).shape == (0, 16, 32, 3)
    times, rate = vision.read_video_timestamps(decoder.source, "sec")
    np.testing.assert_allclose(times, np.arange(8) / 10)
    assert rate == 10
    for indices, kind in (([8], ValueError), ([-1], ValueError), ((0,), TypeError),
                          ([0.5], TypeError)):  # fmt: skip
        with pytest.raises(kind, match="For 'get_frames_at', 'indices"):
            decoder.get_frames_at(indices)


def test_damaged_videos(tmp_path):
    draw, path, words = random.Random(3), tmp_path / "damaged.mp4", set()
    content = (VIDEOS / "silent.mp4").read_bytes()
    for _ in range(40):
        damaged = bytearray(content)
        for _ in range(draw.choice([4, 40])):
            damaged[draw.randrange(len(content))] = draw.randrange(256)
        path.write_bytes(damaged[: draw.choice([200, len(content)])])
        try:
            vision.read_video(str(path))
        except RuntimeError as error:
            words.add(str(error).partition(": ")[0])
    assert words == {f"For 'read_video', '{path}' must be a whole video"}


def test_without_pyav(monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install .*\[video\]'"):
        vision.read_video(str(VIDEOS / "moving.mp4"))
