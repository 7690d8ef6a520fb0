"""Errors of what is done to rows name the operation, the row, the file and the cause."""

import numpy as np
import pytest
from PIL import Image

from sporax import data
from sporax.data import audio, mindrecord, text, transforms, vision

DECODE, VOCAB = vision.Decode(), text.Vocab.from_list(["cat"])
NUMBERS = data.NumpySlicesDataset({"n": np.arange(9)}, shuffle=False)
PROCESSES = {"num_parallel_workers": 2, "python_multiprocessing": True}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    (folder / "images" / "a").mkdir(parents=True)
    for i in range(3):
        Image.new("RGB", (50, 40)).save(folder / "images" / "a" / f"{i}.jpg")
    cut = folder / "images" / "a" / "1.jpg"
    cut.write_bytes(cut.read_bytes()[:300])
    (folder / "words.txt").write_text("cat\ndog\n")
    (folder / "table.csv").write_text("a,b\n1,x\n2,y\n")
    writer = mindrecord.FileWriter(str(folder / "records"))
    writer.add_schema({"image": {"type": "bytes"}})
    writer.write_raw_data([{"image": b"\xff\xd8\xff"}])
    writer.commit()
    return folder


def images(folder):
    return data.ImageFolderDataset(str(folder / "images"), shuffle=False)


def words(folder, **options):
    return data.TextFileDataset(str(folder / "words.txt"), shuffle=False, **options)


CUT = "For 'Decode', the bytes must be an image's: OSError: "
IMAGE = "which came from the file '{}/images/a/1.jpg'"
ROWS = {  # name -> (pipeline of a folder, words of the error and its notes)
    "decode": (lambda f: images(f).map(DECODE, "image").batch(3),
               (CUT, "For 'map', Decode raised this for row 1 of epoch 0, " + IMAGE)),
    "threads": (lambda f: images(f).map(DECODE, "image", num_parallel_workers=2),
                (CUT, "Decode raised this for row 1", IMAGE, "In the thread 'map worker ")),
    "processes": (lambda f: images(f).map(DECODE, "image", **PROCESSES).batch(2),
                  (CUT, "Decode raised this for row 1", IMAGE, "In worker process ")),
    "compose": (lambda f: images(f).map(transforms.Compose([DECODE, vision.ToTensor()]), "image"),
                (CUT, "Compose raised this for row 1", IMAGE)),
    "later map": (lambda f: images(f).map(lambda x: x, "image").map(DECODE, "image"), (CUT, IMAGE)),
    "shuffled": (lambda f: images(f).shuffle(3).project("image").map(DECODE), (CUT, IMAGE)),
    "skipped": (lambda f: images(f).skip(1).repeat(2).take(1).map(DECODE),
                (CUT, "for row 0 of epoch 0", IMAGE)),
    "zip": (lambda f: images(f).zip(NUMBERS).map(DECODE, "image"), (CUT, IMAGE)),
    "concat": (lambda f: words(f).rename("text", "n").concat(images(f).project("image")
               .rename("image", "n").map(DECODE)), (CUT, IMAGE)),
    "cache": (lambda f: data.ImageFolderDataset(str(f / "images"), cache=data.DatasetCache(1),
              shuffle=False).map(DECODE, "image"), (CUT, IMAGE)),
    "crop": (lambda f: images(f).map([DECODE, vision.RandomCrop(90)], "image"),
             ("'size' must be at most the image's", "RandomCrop raised this for row 0")),
    "images": (lambda f: data.ImageFolderDataset(str(f / "images"), decode=True, shuffle=False),
               ("the file '{}/images/a/1.jpg' must be an image: ", "It belongs to row 1.")),
    "record": (lambda f: data.MindDataset(str(f / "records")).map(DECODE, "image"),
               ("they are none of JPEG, PNG", "which came from record 0 of '{}/records'")),
    "word": (lambda f: words(f).map(text.Lookup(VOCAB), "text"),
             ("got 'dog'. Give an 'unknown_token'", "record 1 of '{}/words.txt'")),
    "filter": (lambda f: words(f).filter(lambda x: {"cat": 1}[str(x)], "text"),
               ("For 'filter', <lambda> raised this for row 1", "record 1 of '{}/words.txt'")),
    "table": (lambda f: data.CSVDataset(str(f / "table.csv"), shuffle=False).map(int, "b"),
              ("For 'map', int raised this for row 0 of epoch 0", "record 0 of '{}/table.csv'")),
    "sound": (lambda f: NUMBERS.map(audio.AmplitudeToDB(), "n"),
              ("For 'AmplitudeToDB', the input must", "AmplitudeToDB raised this for row 0")),
    "index": (lambda f: data.GeneratorDataset({0: 1, 1: 2, 3: 4}, "x", shuffle=False),
              ("For 'GeneratorDataset', this came of the row at index 2",)),
    "item": (lambda f: data.GeneratorDataset(lambda: (1 // (2 - i) for i in range(4)), "x"),
             ("For 'GeneratorDataset', this came of row 2",)),
    "per batch": (lambda f: NUMBERS.batch(2, per_batch_map=lambda n, i: n[4 - i.get_batch_num()]),
                  ("'per_batch_map' raised this for batch ",)),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_errors_say_where_a_row_came_from(name, folder):
    make, words = ROWS[name]
    with pytest.raises(Exception) as caught:
        list(make(folder).create_tuple_iterator(num_epochs=1, output_numpy=True))
    said = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
    for part in words:
        assert part.replace("{}", str(folder)) in said


def test_rows_are_tuples_all_the_same(folder):
    row = next(words(folder)._begin()())
    assert row == (np.array("cat"),) and row.origins == [(str(folder / "words.txt"), 0)]
    plain = next(NUMBERS._begin()())
    assert type(plain) is tuple
