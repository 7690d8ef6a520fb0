"""Data sets of images: the rows that MindSpore reads (`tools.record image_sets`)."""

import inspect
import json
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

from sporax import data
from tests import records
from tests.case_results import result_or_error
from tests.data.image_set_cases import SETS
from tests.data.image_set_files import write_image_sets

MS = SimpleNamespace(ds=data)
RECORDED = records.read("image_sets")


@pytest.fixture(scope="module")
def where(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets")
    write_image_sets(folder)
    return folder


@pytest.mark.parametrize("name", SETS)
def test_rows_are_mindspores(name, where):
    outcome = result_or_error(lambda ms: SETS[name](ms, where), MS)
    assert json.loads(json.dumps(outcome)) == RECORDED[name]


def rows(dataset):
    return list(dataset.create_tuple_iterator(num_epochs=1, output_numpy=True))


def test_columns_of_faces_have_their_own_names(where):
    """The format's own order is x, y, width, height, blur, expression, illumination, invalid,
    occlusion, pose; MindSpore gives the last three each other's names."""
    dataset = data.WIDERFaceDataset(str(where / "faces/wider"), "train", shuffle=False, decode=True)
    expected = {
        "bbox": [[1, 2, 3, 4], [5, 6, 7, 8]], "blur": [0, 2], "expression": [1, 0],
        "illumination": [0, 1], "invalid": [0, 0], "occlusion": [2, 0], "pose": [1, 0],
    }  # fmt: skip
    found = [
        {name: value.tolist() for name, value in row.items() if name != "image"}
        for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True)
    ]
    assert found[:2] == [{k: v[:n] for k, v in expected.items()} for n in (1, 2)]
    assert found[2] == {name: [[0] * 4] if name == "bbox" else [0] for name in expected}


@pytest.mark.parametrize("usage, labels", [
    ("train", [0, 0, 1, 1]), ("val", [1, 1]), ("test", [0, 0]), (None, [0, 0, 0, 0, 1, 1, 1, 1]),
])  # fmt: skip
def test_negative_is_0_and_positive_1(usage, labels, where):
    dataset = data.RenderedSST2Dataset(str(where / "class_folders/rendered"), usage, shuffle=False)
    assert [int(label) for _, label in rows(dataset)] == labels


def test_classes_of_folders(where):
    dataset = data.Caltech101Dataset(str(where / "class_folders/caltech101"))
    expected = {"Faces": 0, "airplanes": 1, "ant": 2}
    assert dataset.get_class_indexing() == dataset.map(lambda x: x).get_class_indexing() == expected


class Harmful:
    """An object that runs code when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def damage(folder, name, content):
    """A file in place of a good one; `content`: bytes, None for no file, or a count of bytes of
    the present content that are kept."""
    path = folder / name
    if content is None:
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:content] if isinstance(content, int) else content)


@pytest.mark.parametrize("kind, folder, file, content, words", [
    ("SVHNDataset", "svhn", "test_32x32.mat", b"none", "must hold X and y as MATLAB writes them"),
    ("SVHNDataset", "svhn", "test_32x32.mat", 300, "must hold X and y as MATLAB writes them"),
    ("SVHNDataset", "svhn", "test_32x32.mat", None, "No such file"),
    ("STL10Dataset", "digits/stl10", "train_y.bin", 1, "a label for each of 2 images, .* holds 1"),
    ("STL10Dataset", "digits/stl10", "train_X.bin", 100, "records of 27648 bytes, but holds 100"),
    ("SemeionDataset", "digits/semeion", "semeion.data", 700, "line 0, but holds 100"),
    ("USPSDataset", "digits/usps", "usps", b"\xff\xfe", "must be UTF-8, but line 1"),
    ("Caltech256Dataset", "class_folders/caltech256", "001.ak47/001_0001.jpg", 60,
     r"must be an image: .* It belongs to row 0"),
    ("Caltech256Dataset", "class_folders/caltech256", "001.ak47/001_0002.jpg", b"GIF",
     r"must be an image, but begins with other bytes. It belongs to row 1"),
    ("SUN397Dataset", "class_folders/sun397", "ClassName.txt", b"/z/zoo", "be a folder .*z/zoo"),
    ("Food101Dataset", "listed/food101", "images/bibimbap/3.jpg", None, "No such file .* row 0"),
    ("Flowers102Dataset", "listed/flowers", "imagelabels.mat", b"", "must hold labels"),
    ("Places365Dataset", "listed/places", "places365_train_standard.txt", b"/a/x.jpg one",
     "must hold numbers in line 0"),
    ("SBUDataset", "listed/sbu", "SBU_captioned_photo_dataset_captions.txt", b"one", "for each of"),
    ("LFWDataset", "faces/lfw", "peopleDevTrain.txt", b"1\nNobody\t1", "1, but holds 'Nobody'"),
    ("KITTIDataset", "listed/kitti", "data_object_label_2/training/label_2/000001.txt", b"Car 1 2",
     "14 numbers in line 0, but holds 2"),
    ("SBDataset", "segmented/sbd", "cls/y.mat", b"MATLAB", "must hold GTcls"),
    ("CityscapesDataset", "segmented/cityscapes",
     "gtFine/train/aachen/aachen_000001_000019_gtFine_instanceIds.png", None, "No such file"),
    ("WIDERFaceDataset", "faces/wider", "wider_face_split/wider_face_train_bbx_gt.txt",
     b"a.jpg\n2\n1 2 3 4 5 6 7 8 9 0\n", "must hold 2 lines of 10 numbers after line 1"),
    ("VOCDataset", "voc", "SegmentationClass/b.png", 50, "must be an image"),
])  # fmt: skip
def test_damaged_files_are_named(kind, folder, file, content, words, tmp_path):
    write_image_sets(tmp_path, folder.partition("/")[0])
    damage(tmp_path / folder, file, content)
    name = (tmp_path / folder / file).name
    decode = {"decode": True} if "decode" in parameters(kind) else {}
    with pytest.raises(RuntimeError, match=f"For '{kind}'.*{words}") as error:
        rows(getattr(data, kind)(str(tmp_path / folder), shuffle=False, **decode))
    assert name in str(error.value) or file == "ClassName.txt"


def parameters(kind):
    return inspect.signature(getattr(data, kind)).parameters


def test_pickled_objects_are_not_loaded(tmp_path):
    write_image_sets(tmp_path, "svhn")
    goal = tmp_path / "executed"
    (tmp_path / "svhn/test_32x32.mat").write_bytes(pickle.dumps({"X": Harmful(goal)}))
    with pytest.raises(RuntimeError, match="as MATLAB writes them"):
        rows(data.SVHNDataset(str(tmp_path / "svhn"), "test"))
    assert not goal.exists()


def test_entities_of_xml_do_not_grow(tmp_path):
    """A 'billion laughs' is refused by the parser, with the file's name."""
    write_image_sets(tmp_path, "voc")
    entities = "".join(f'<!ENTITY a{i + 1} "{f"&a{i};" * 10}">' for i in range(9))
    text = f'<!DOCTYPE x [<!ENTITY a0 "ha">{entities}]><annotation>&a9;</annotation>'
    (tmp_path / "voc/Annotations/b.xml").write_text(text)
    with pytest.raises(RuntimeError, match=r"b.xml' must be XML"):
        rows(data.VOCDataset(str(tmp_path / "voc"), "Detection"))


def test_random_rows(tmp_path):
    schema = {"columns": [{"name": "x", "type": "int8", "rank": 1, "shape": [300]},
                          {"name": "y", "type": "float32", "rank": 0}], "numRows": 4}  # fmt: skip
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(schema))
    data.config.set_seed(3)
    first, again = (rows(data.RandomDataset(schema=str(path))) for _ in range(2))
    assert len(first) == 4
    assert [(x.shape, x.dtype) for x in first[0]] == [((300,), np.int8), ((), np.float32)]
    assert all(np.array_equal(a, b) for x, y in zip(first, again, strict=True)
               for a, b in zip(x, y, strict=True))  # fmt: skip
    assert -128 <= first[0][0].min() < -64 and 64 < first[0][0].max() <= 127
    assert data.RandomDataset(7, columns_list=["a", "b"]).get_col_names() == ["a", "b"]
    assert len(rows(data.RandomDataset(7, str(path), ["y"], num_shards=2, shard_id=0))) == 4
    path.write_text("{}")
    with pytest.raises(RuntimeError, match="For 'RandomDataset', 'schema' must be a Schema"):
        data.RandomDataset(3, str(path))


def test_fake_images_are_random():
    fake = data.FakeImageDataset(5, (20, 20, 3), shuffle=False)
    first, again = (np.stack([image for image, _ in rows(fake)]) for _ in range(2))
    assert np.array_equal(first, again) and len({image.tobytes() for image in first}) == 5
    assert abs(first.mean() - 127.5) < 5 and (first.min(), first.max()) == (0, 255)
