"""Transforms of images: what MindSpore makes of them (`tools.record vision`)."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from sporax import data
from sporax.data import transforms, vision
from tests import records
from tests.case_results import result_or_error
from tests.data.vision_cases import CASES, IMAGE, PICTURE, PNG, REAL

pytestmark = pytest.mark.usefixtures("on_numpy")

MS = SimpleNamespace(vision=vision, transforms=transforms)


@pytest.fixture(scope="module")
def recorded_arrays():
    result = {}
    with np.load(records.FOLDER / "vision.npz") as file:
        for key in file.files:
            result.setdefault(key.rpartition("#")[0], []).append(file[key])
    return result


@pytest.mark.parametrize("name", CASES)
def test_answers_as_mindspore(name, recorded_arrays):
    case, apart = CASES[name]
    outcome = result_or_error(case, MS)
    several = outcome if isinstance(outcome, tuple) else (outcome,)
    assert len(several) == len(recorded_arrays[name])
    for result, expected in zip(map(np.asarray, several), recorded_arrays[name], strict=True):
        if expected.dtype.kind == "U" or result.dtype.kind == "U":
            assert result == expected
            continue
        assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
        difference = np.abs(result.astype(float) - expected.astype(float))
        assert difference.max(initial=0) <= apart


def mapped(operations, images=16, seed=7):
    data.config.set_seed(seed)
    source = data.NumpySlicesDataset([IMAGE] * images, ["image"], shuffle=False)
    rows = source.map(operations, "image").create_tuple_iterator(num_epochs=1, output_numpy=True)
    return [image for (image,) in rows]


RANDOM = {
    "RandomHorizontalFlip": (), "RandomVerticalFlip": (), "RandomCrop": (5,), "RandomResize": (5,),
    "RandomResizedCrop": (5,), "RandomColor": (), "RandomSharpness": (), "RandomInvert": (),
    "RandomColorAdjust": (0.4, 0.4, 0.4, 0.1), "RandomRotation": (40,), "RandomEqualize": (),
    "RandomAffine": (30, (-0.2, 0.2), (0.8, 1.2), 10), "RandomPosterize": ((2, 8),),
    "RandomSolarize": (), "RandomLighting": (1.0,), "CutOut": (3, 2), "RandomErasing": (),
    "RandomAdjustSharpness": (2.0,), "RandomAutoContrast": (20.0,),
}  # fmt: skip


@pytest.mark.parametrize("name", RANDOM)
def test_the_seed_decides_what_is_random(name):
    transform = getattr(vision, name)(*RANDOM[name])
    first, again, other = mapped(transform), mapped(transform), mapped(transform, seed=8)
    assert all(map(np.array_equal, first, again))
    assert not all(map(np.array_equal, first, other))
    assert len({image.tobytes() for image in first}) > 1


def test_calls_outside_of_pipelines_follow_the_seed_too():
    crop = vision.RandomCrop(3)
    drawn = []
    for _ in range(2):
        data.config.set_seed(5)
        drawn.append([crop(IMAGE) for _ in range(8)])
    assert np.array_equal(*drawn)
    assert len({image.tobytes() for image in drawn[0]}) > 1


def test_transforms_of_one_pipeline_draw_independently():
    result = mapped([vision.RandomHorizontalFlip(), vision.RandomVerticalFlip()], 64)
    kinds = [IMAGE, IMAGE[:, ::-1], IMAGE[::-1], IMAGE[::-1, ::-1]]
    counts = [sum(np.array_equal(image, kind) for image in result) for kind in kinds]
    assert sum(counts) == 64 and min(counts) > 4


def test_crops_are_parts_of_the_image():
    windows = np.lib.stride_tricks.sliding_window_view(IMAGE, (5, 5, 3)).reshape(-1, 5, 5, 3)
    every = {window.tobytes() for window in windows}
    result = {image.tobytes() for image in mapped(vision.RandomCrop(5), 200)}
    assert result <= every and len(result) > len(every) * 0.8


def test_what_is_covered():
    result = np.stack(mapped(vision.CutOut(3)))
    assert ((result == 0).all(-1).sum((1, 2)) >= 9).all()
    channels = REAL.transpose(2, 0, 1)
    data.config.set_seed(1)
    supported = vision.RandomErasing(1.0, (0.1, 0.2), value=(7, 8, 9))(channels)
    changed = (supported != channels).all(0)
    assert 0.05 < changed.mean() < 0.3
    assert (supported[:, changed] == [[7], [8], [9]]).all()
    rows, columns = np.nonzero(changed)
    assert changed[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1].all()


def test_batches_are_mixed_as_their_labels():
    images = np.arange(4.0).reshape(4, 1, 1, 1) * np.ones((1, 6, 6, 3))
    labels = np.eye(4)
    data.config.set_seed(2)
    mixed, result = vision.MixUpBatch(0.5)(images, labels)
    np.testing.assert_allclose(mixed[:, 0, 0, 0], result @ np.arange(4), rtol=1e-6)
    levels, result = vision.MixUpBatch(0.5)((images * 50).astype(np.uint8), labels)
    assert levels.dtype == np.uint8
    np.testing.assert_array_equal(levels[:, 0, 0, 0], np.rint(result @ (50 * np.arange(4))))
    cut, result = vision.CutMixBatch(vision.ImageBatchFormat.NHWC, 1.0)(images, labels)
    np.testing.assert_allclose(cut.mean((1, 2, 3)), result @ np.arange(4), rtol=1e-6)
    first = images.transpose(0, 3, 1, 2)
    cut, result = vision.CutMixBatch(vision.ImageBatchFormat.NCHW, 1.0)(first, labels)
    np.testing.assert_allclose(cut.mean((1, 2, 3)), result @ np.arange(4), rtol=1e-6)


def test_channels_of_zeros_come_last():
    result = vision.NormalizePad([10.0], [2.0])(IMAGE)
    np.testing.assert_allclose(result[..., :3], (IMAGE - 10.0) / 2, rtol=1e-6)
    assert not result[..., 3].any()


def test_fill_values_are_red_green_and_blue():
    result = vision.Rotate(45, vision.Inter.LINEAR, fill_value=(1, 2, 3))(IMAGE)
    assert result[0, 0].tolist() == [1, 2, 3]


@pytest.mark.parametrize("transform", [
    lambda x: vision.Rescale(x, 0.0), vision.Rotate, lambda x: vision.AdjustGamma(1.0, x),
    lambda x: vision.Affine(30.0, [1, 1], 1.0, [x, 0.0]),
])  # fmt: skip
def test_numbers_are_not_nan(transform):
    with pytest.raises(ValueError, match="must be a number, but got nan"):
        transform(float("nan"))


def test_transforms_chosen_at_random():
    steps = [[(lambda x: x + 1, 1.0)], [(lambda x: x + 2, 1.0), (lambda x: x * 0, 0.0)]]
    chosen = vision.RandomSelectSubpolicy(steps)
    assert {chosen(3) for _ in range(40)} == {4, 5}
    augment = vision.UniformAugment([lambda x: x + 1, lambda x: x + 10, lambda x: x + 100], 2)
    assert {augment(0) for _ in range(300)} == {0, 1, 10, 100, 11, 101, 110}


def test_hues_of_reals_turn_by_parts_of_the_circle():
    red = np.array([[[0.8, 0.2, 0.2]]], np.float32)
    np.testing.assert_allclose(vision.AdjustHue(1 / 3)(red)[0, 0], [0.2, 0.8, 0.2], atol=1e-6)


def test_the_old_modules(monkeypatch):
    from sporax.data.vision import c_transforms, py_transforms

    picture = py_transforms.Decode()(PNG)
    assert picture.size == PICTURE.size
    assert np.array_equal(c_transforms.Decode()(PNG), IMAGE)
    np.testing.assert_allclose(
        py_transforms.Normalize([0.5], [0.5])(REAL.transpose(2, 0, 1)),
        REAL.transpose(2, 0, 1) * 2 - 1, atol=1e-6,
    )  # fmt: skip


def test_without_pillow_an_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert vision.Resize((2, 2))(np.zeros((4, 4, 3), np.uint8)).shape == (2, 2, 3)
    with pytest.raises(ModuleNotFoundError, match=r"pip install .*\[vision\]'"):
        vision.Decode()(np.zeros(3, np.uint8))


@pytest.mark.slow
def test_without_pillow_arrays_are_changed_and_files_are_not():
    script = (
        "import sys; sys.modules['PIL'] = None\n"
        "import numpy as np\n"
        "from sporax.data import vision\n"
        "print(vision.Resize((2, 2))(np.zeros((4, 4, 3), np.uint8)).shape)\n"
        "try:\n    vision.Decode()(np.zeros(3, np.uint8))\n"
        "except ModuleNotFoundError as error:\n    print(error)"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.stdout.startswith("(2, 2, 3)\n") and "[vision]'" in result.stdout
