"""Data sets in files: the rows that MindSpore reads (`tools.record vision`)."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from sporax import data
from tests import records
from tests.case_results import result_or_error
from tests.data.file_cases import FILES, images, write_files

MS = SimpleNamespace(ds=data)
RECORDED = records.read("files")


@pytest.fixture(scope="module")
def where(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    write_files(folder)
    return folder


@pytest.mark.parametrize("name", FILES)
def test_answers_as_mindspore(name, where):
    outcome = result_or_error(lambda ms: FILES[name](ms, where), MS)
    assert json.loads(json.dumps(outcome)) == RECORDED[name]


def rows(dataset):
    return list(dataset.create_tuple_iterator(num_epochs=1, output_numpy=True))


@pytest.mark.parametrize(
    ("kind", "labels", "files", "order"),
    [
        (
            "Cifar10Dataset",
            1,
            {"train": ["data_batch_1", "data_batch_2"], "test": ["test_batch"]},
            ("train", "test"),
        ),
        ("Cifar100Dataset", 2, {"train": ["train"], "test": ["test"]}, ("test", "train")),
    ],
)
def test_cifar_by_its_format(tmp_path, kind, labels, files, order):
    expected = {"train": [], "test": []}
    for usage, names in files.items():
        for name in names:
            records = images(3, labels + 3072, seed=len(name))
            (tmp_path / f"{name}.bin").write_bytes(records.tobytes())
            expected[usage] += list(records)
    expected["all"] = [r for usage in order for r in expected[usage]]
    for usage, records in expected.items():
        result = rows(getattr(data, kind)(str(tmp_path), usage, shuffle=False))
        assert len(result) == len(records)
        for (image, *some), record in zip(result, records, strict=True):
            assert [label.dtype for label in some] == [np.uint32] * labels
            assert [int(label) for label in some] == record[:labels].tolist()
            for c in range(3):  # the planes red, green and blue, row by row
                plane = record[labels + 1024 * c : labels + 1024 * (c + 1)]
                assert image[..., c].ravel().tolist() == plane.tolist()
    (tmp_path / f"{files['test'][0]}.bin").write_bytes(b"12345")
    with pytest.raises(RuntimeError, match=f"For '{kind}', the file .* must hold records of"):
        rows(getattr(data, kind)(str(tmp_path), "test"))


def test_nothing_is_read_before_it_is_asked_for(tmp_path):
    result = data.MnistDataset(str(tmp_path)).map(lambda x: x, "image").batch(2)
    with pytest.raises(RuntimeError, match=r"must have files t10k-images-idx3-ubyte"):
        rows(result)


@pytest.mark.parametrize("labels, end, words", [
    ("t10k", None, "a label for each of 5 images, but holds 3"),
    ("train", -1, "must hold 3920 bytes of data, .* but holds 3919"),
], ids=["another count of labels", "a file cut short"])  # fmt: skip
def test_files_that_do_not_fit(labels, end, words, where, tmp_path):
    for kind, name in (("train", "images-idx3"), (labels, "labels-idx1")):
        content = (where / "digits" / f"{kind}-{name}-ubyte").read_bytes()
        (tmp_path / f"train-{name}-ubyte").write_bytes(content[:end])
    with pytest.raises(RuntimeError, match=words):
        rows(data.MnistDataset(str(tmp_path), "train"))
