"""Small files in the public formats of the data sets of images; all images are PNG's, whatever
their names, so that every decoder gives the same pixels."""

import json
import struct

import numpy as np
from PIL import Image
from scipy import io, sparse


def pixels(seed, *shape):
    return np.random.RandomState(seed).randint(0, 256, shape or (4, 5, 3)).astype(np.uint8)


def picture(path, seed, *shape):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels(seed, *shape)).save(path, "PNG")


def text(path, *lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def mat(path, **arrays):
    path.parent.mkdir(parents=True, exist_ok=True)
    io.savemat(path, arrays)


def idx(path, array):
    code = 8 if array.dtype == np.uint8 else 12
    head = struct.pack(f">BBBB{array.ndim}I", 0, 0, code, array.ndim, *array.shape)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head + array.astype(array.dtype.newbyteorder(">")).tobytes())


def manifest(top):
    rows = [("cat", "TRAIN"), ("dog", "train"), ("ant", "train"), ("dog", "eval"), (None, "train")]
    lines = []
    for i, (kind, usage) in enumerate(rows):
        picture(top / f"{i}.png", i)
        notes = [{"type": "modelarts/image_classification", "name": kind}] if kind else []
        lines.append({"source": f"{top}/{i}.png", "usage": usage, "annotation": notes})
    several = [{"name": "dog"}, {"name": "cat"}]
    lines.append({"source": f"{top}/1.png", "usage": "inference", "annotation": several})
    lines.append({"source": f"{top}/notes.txt", "usage": "train", "annotation": several})
    text(top / "notes.txt", "none")
    text(top / "some.manifest", *map(json.dumps, lines))
    text(top / "damaged.manifest", json.dumps(lines[1]), '{"source": ')
    text(top / "unlabelled.manifest", json.dumps({"source": f"{top}/1.png", "usage": "train",
                                                  "annotation": [{"type": "x"}]}))  # fmt: skip
    text(top / "sourceless.manifest", json.dumps({"usage": "train", "annotation": several}))
    text(top / "missing.manifest", json.dumps({**lines[1], "source": f"{top}/9.png"}))
    text(top / "relative.manifest", json.dumps({**lines[1], "source": "1.png"}))
    text(top / "unused.manifest", json.dumps({"source": f"{top}/1.png", "annotation": several}))


VOC_OBJECT = (
    "<object><name>{}</name>{}{}<bndbox><xmin>{}</xmin><ymin>{}</ymin><xmax>{}</xmax><ymax>{}"
    "</ymax></bndbox></object>"
)


def voc(top):
    boxes = {
        "a": [("dog", 1, 0, 1, 2, 3, 4), ("cat", 0, 1, 2, 1, 5, 3)],
        "b": [("car", 0, 0, 1, 1, 5, 4)],
        "c": [("cat", 1, 1, 1, 1, 2, 2)],
    }  # fmt: skip
    for seed, (name, objects) in enumerate(boxes.items()):
        picture(top / "JPEGImages" / f"{name}.jpg", seed)
        picture(top / "SegmentationClass" / f"{name}.png", seed + 10)
        inner = "".join(
            VOC_OBJECT.format(kind, f"<truncated>{cut}</truncated>",
                              f"<difficult>{hard}</difficult>", *box)
            for kind, hard, cut, *box in objects
        )  # fmt: skip
        text(top / "Annotations" / f"{name}.xml", f"<annotation>{inner}</annotation>")
    damaged = {
        "broken": "<annotation><object>", "no_object": "<annotation></annotation>",
        "no_box": "<annotation><object><name>dog</name></object></annotation>",
        "reversed": "<annotation>" + VOC_OBJECT.format("dog", "", "", 3, 1, 1, 2) + "</annotation>",
        "word": "<annotation>" + VOC_OBJECT.format("dog", "", "", "x", 1, 1, 2) + "</annotation>",
        "bare": "<annotation>" + VOC_OBJECT.format("dog", "", "", 1, 1, 4, 3) + "</annotation>",
    }  # fmt: skip
    for name, content in damaged.items():
        picture(top / "JPEGImages" / f"{name}.jpg", 5)
        text(top / "Annotations" / f"{name}.xml", content)
        text(top / "ImageSets" / "Main" / f"{name}.txt", name)
    for part in ("Main", "Segmentation"):
        text(top / "ImageSets" / part / "train.txt", "b", "a", "c")
        text(top / "ImageSets" / part / "val.txt", "c")
        text(top / "ImageSets" / part / "gone.txt", "z")
        text(top / "ImageSets" / part / "none.txt")


def coco(top):
    names = ["2.png", "1.png", "3.png"]
    for i, name in enumerate(names):
        picture(top / "images" / name, i)
    images = [{"id": 10 + i, "file_name": name, "height": 4, "width": 5}
              for i, name in enumerate(names)]  # fmt: skip
    kinds = [{"id": 7, "name": "person", "isthing": 1}, {"id": 3, "name": "dog", "isthing": 0},
             {"id": 5, "name": "cat", "isthing": 1}]  # fmt: skip
    points = {"num_keypoints": 2, "keypoints": [1, 2, 2, 3, 1, 1]}
    notes = [
        {"id": 1, "image_id": 11, "category_id": 3, "bbox": [1, 1, 2.5, 2], "iscrowd": 0,
         "segmentation": [[1, 1, 3, 1, 3, 3]], **points},
        {"id": 2, "image_id": 10, "category_id": 7, "bbox": [0, 0, 3, 3.25], "iscrowd": 1,
         "segmentation": {"counts": [3, 4, 13], "size": [4, 5]}, "num_keypoints": 1,
         "keypoints": [4, 3, 2]},
        {"id": 3, "image_id": 10, "category_id": 5, "bbox": [1, 0, 2, 2], "iscrowd": 0,
         "segmentation": [[0, 0, 2, 0, 2, 2, 0, 2], [1, 1, 2, 2]], **points},
    ]  # fmt: skip
    panoptic = [
        {"image_id": image, "file_name": name, "segments_info": [
            {"id": i, "category_id": kind, "bbox": [i, 0, 2, 2], "area": 4 + i, "iscrowd": i % 2}
            for i, kind in enumerate(list_of)]}
        for image, name, list_of in ((11, "1.png", [3, 7]), (10, "2.png", [5]))
    ]  # fmt: skip
    captions = [{"id": i, "image_id": image, "caption": words} for i, (image, words) in enumerate(
        [(10, "a dog"), (12, "two cats"), (10, "a man with a dog")])]  # fmt: skip

    def write(name, annotations, **rest):
        content = {"images": images, "categories": kinds, "annotations": annotations} | rest
        text(top / f"{name}.json", json.dumps({k: v for k, v in content.items() if v is not None}))

    write("instances", notes)
    write("panoptic", panoptic)
    write("captions", captions)
    write("no_images", notes, images=None)
    write("no_categories", notes, categories=None)
    write("no_annotations", None)
    write("other_category", [{**notes[0], "category_id": 99}])
    write("no_box", [{k: v for k, v in notes[0].items() if k != "bbox"}])
    write("missing", notes, images=[*images[:2], {**images[1], "file_name": "gone.png"}])
    text(top / "broken.json", "{")


def svhn(top):
    for seed, part in enumerate(("train", "test", "extra")):
        mat(top / f"{part}_32x32.mat", X=pixels(seed, 32, 32, 3, seed + 2),
            y=np.array([[10], [1], [7], [3]][: seed + 2], np.uint8))  # fmt: skip
    text(top / "broken" / "train_32x32.mat", "none")
    mat(top / "other" / "train_32x32.mat", Z=np.zeros(3))


def digits(top):
    for name in ("mnist", "letters"):
        for seed, part in enumerate(("train", "test")):
            start = f"emnist-{name}-{part}"
            idx(top / "emnist" / f"{start}-images-idx3-ubyte", pixels(seed, seed + 2, 28, 28))
            idx(top / "emnist" / f"{start}-labels-idx1-ubyte", np.arange(seed + 2, dtype=np.uint8))
    for seed, start in enumerate(("qmnist-train", "qmnist-test", "xnist")):
        count = 3 if seed != 1 else 5
        idx(top / "qmnist" / f"{start}-images-idx3-ubyte", pixels(seed, count, 28, 28))
        labels = np.arange(8 * count, dtype=np.int32).reshape(count, 8)
        idx(top / "qmnist" / f"{start}-labels-idx2-int", labels)
    for seed, (name, count) in enumerate((("usps", 3), ("usps.t", 2))):
        levels = np.random.RandomState(seed).uniform(-1, 1, (count, 256)).round(3)
        text(top / "usps" / name, *[
            f"{i + 1} " + "".join(f"{j + 1}:{x} " for j, x in enumerate(row))
            for i, row in enumerate(levels)
        ])  # fmt: skip
    text(top / "usps broken" / "usps", "1 1:0.5 2:x")
    bits = np.random.RandomState(3).randint(0, 2, (3, 256))
    hot = np.eye(10, dtype=int)[[4, 0, 9]]
    text(top / "semeion" / "semeion.data", *[
        "".join(f"{x}.0000 " for x in row) + " ".join(map(str, label)) + " "
        for row, label in zip(bits, hot, strict=True)
    ])  # fmt: skip
    text(top / "semeion broken" / "semeion.data", "1.0000 0.0000")
    for seed, part in enumerate(("train", "test", "unlabeled")):
        path = top / "stl10" / f"{part}_X.bin"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(pixels(seed, 2, 3, 96, 96).tobytes())
        if part != "unlabeled":
            path.with_name(f"{part}_y.bin").write_bytes(bytes([seed + 1, 10]))


def class_folders(top):
    for seed, (kind, note) in enumerate({"ant": "ant", "Faces": "Faces_2", "BACKGROUND_Google": "x",
                                         "airplanes": "Airplanes_Side_2"}.items()):  # fmt: skip
        for i in (1, 2):
            picture(top / "caltech101/101_ObjectCategories" / kind / f"image_{i:04}.jpg", seed + i)
            mat(top / "caltech101/Annotations" / note / f"annotation_{i:04}.mat",
                obj_contour=np.arange(4.0 + 2 * i).reshape(2, -1))  # fmt: skip
    for seed, kind in enumerate(("002.american-flag", "001.ak47", "257.clutter")):
        for i in (2, 1):
            picture(top / "caltech256" / kind / f"{kind[:3]}_{i:04}.jpg", seed + i)
    for seed, (part, kind) in enumerate([("train", "negative"), ("train", "positive"),
                                         ("valid", "positive"), ("test", "negative")]):  # fmt: skip
        for i in (1, 0):
            picture(top / "rendered" / part / kind / f"000{i}.png", seed + i)
    for seed, kind in enumerate(("bedroom_train", "bedroom_val", "classroom_train", "tower_val")):
        for i in (1, 2):
            picture(top / "lsun" / kind / f"1_{i}.jpg", seed + i)
    picture(top / "lsun" / "test" / "9.jpg", 9)
    for part in ("background", "evaluation"):
        for seed, kind in enumerate(
            ("Latin/character02", "Greek/character01", "Latin/character01")
        ):
            for i in (1, 2):
                picture(top / "omniglot" / f"images_{part}" / kind / f"0{i}.png", seed + i)
    kinds = "/a/abbey", "/b/balcony/exterior", "/b/balcony/interior"
    for seed, kind in enumerate(kinds):
        for i in ("y", "x"):
            picture(top / f"sun397{kind}/sun_{i}.jpg", seed + ord(i))
    text(top / "sun397" / "ClassName.txt", *kinds)


def listed(top):
    for seed, (kind, name) in enumerate([("apple_pie", 1), ("apple_pie", 2), ("bibimbap", 3)]):
        picture(top / "food101/images" / kind / f"{name}.jpg", seed)
    text(top / "food101/meta/train.txt", "bibimbap/3", "apple_pie/1")
    text(top / "food101/meta/test.txt", "apple_pie/2")
    text(top / "food101/meta/classes.txt", "apple_pie", "bibimbap")
    for i in range(1, 5):
        picture(top / f"flowers/jpg/image_{i:05}.jpg", i)
        picture(top / f"flowers/segmim/segmim_{i:05}.jpg", i + 10)
    mat(top / "flowers/imagelabels.mat", labels=np.array([[5, 1, 102, 7]], np.uint8))
    mat(top / "flowers/setid.mat", trnid=np.array([[3, 1]]), valid=np.array([[4]]),
        tstid=np.array([[2]]))  # fmt: skip
    places = "/a/airfield 0", "/b/bakery/shop 1"
    text(top / "places/categories_places365.txt", *places)
    for mode in ("standard", "challenge"):
        files = [f"{p.split()[0]}/0000000{i}.jpg" for p in places for i in (2, 1)]
        text(top / f"places/places365_train_{mode}.txt",
             *[f"{name} {i // 2}" for i, name in enumerate(files)])  # fmt: skip
        for folder in (f"data_256_{mode}", f"data_large_{mode}"):
            for i, name in enumerate(files):
                picture(top / f"places/{folder}{name}", i + (folder[5] == "l"))
    text(top / "places/places365_val.txt",
         *[f"Places365_val_0000000{i}.jpg {i % 2}" for i in (1, 2)])  # fmt: skip
    for i in (1, 2):
        picture(top / f"places/val_256/Places365_val_0000000{i}.jpg", i)
        picture(top / f"places/val_large/Places365_val_0000000{i}.jpg", i + 5)
    for i, name in enumerate(("b", "a", "c")):
        picture(top / f"flickr/images/{name}.jpg", i)
    text(top / "flickr/token.txt", *[f"{name}.jpg#{i}\tcaption {i} of {name} ."
                                     for name in "ba" for i in range(5)])  # fmt: skip
    text(top / "flickr/missing.txt", "z.jpg#0\tnone .")
    text(top / "flickr/broken.txt", "a.jpg no number")
    urls = [f"http://static.flickr.com/{n}/{n}5_ab.jpg" for n in (3326, 2522, 1111)]
    text(top / "sbu/SBU_captioned_photo_dataset_urls.txt", *urls)
    text(top / "sbu/SBU_captioned_photo_dataset_captions.txt", "one cat ", "two dogs", "three cows")
    for i, n in enumerate((3326, 2522)):
        picture(top / f"sbu/sbu_images/m_{n}_{n}5_ab.jpg", i)
    for i in range(3):
        start = top / "kitti/data_object_image_2"
        picture(start / f"training/image_2/00000{2 - i}.png", i)
        picture(start / f"testing/image_2/00000{i}.png", i + 5)
        text(top / f"kitti/data_object_label_2/training/label_2/00000{i}.txt",
             "Car 0.00 0 -1.58 587.01 173.33 614.12 200.12 1.65 1.67 3.64 -0.65 1.71 46.70 -1.59",
             *["Pedestrian 0.50 2 1.50 1.25 2.5 3.75 4.5 1 2 3 4 5 6 0.25",
               "DontCare -1 -1 -10 5 1 2 4 -1 -1 -1 -1000 -1000 -1000 -10"][:i])  # fmt: skip


def segmented(top):
    for seed, name in enumerate(("x", "y", "z")):
        picture(top / f"sbd/img/{name}.jpg", seed)
        edges = np.empty((20, 1), object)
        for i in range(20):
            edges[i, 0] = sparse.csc_matrix(np.eye(4, 5) if i == seed else np.zeros((4, 5)))
        mat(top / f"sbd/cls/{name}.mat",
            GTcls={"Boundaries": edges, "Segmentation": pixels(seed, 4, 5)})  # fmt: skip
    text(top / "sbd/train.txt", "y", "x")
    text(top / "sbd/val.txt", "z")
    text(top / "sbd/train_noval.txt", "x")
    parts = [("train", "Fine"), ("val", "Fine"), ("test", "Fine"), ("train_extra", "Coarse"),
             ("train", "Coarse"), ("val", "Coarse")]  # fmt: skip
    for first, (part, quality) in enumerate(parts):
        for seed, city in enumerate(("bonn", "aachen"), 3 * (first % 4)):
            start = f"{city}_00000{seed}_000019"
            picture(top / f"cityscapes/leftImg8bit/{part}/{city}/{start}_leftImg8bit.png", seed)
            goal = top / f"cityscapes/gt{quality}/{part}/{city}"
            for i, kind in enumerate(("color", "instanceIds", "labelIds")):
                picture(goal / f"{start}_gt{quality}_{kind}.png", seed + i, 4, 5)
            polygons = {"objects": [{"polygon": [[1, 2]]}], "city": city, "height": 1.5}
            text(goal / f"{start}_gt{quality}_polygons.json", json.dumps(polygons))
    folders = {
        "LR_bicubic/X2": "x2", "LR_bicubic/X3": "x3", "LR_unknown/X4": "x4", "LR_mild": "x4m",
        "LR_difficult": "x4d", "LR_wild": "x4w", "LR_x8": "x8", "HR": "",
    }  # fmt: skip
    for part, first in (("train", 1), ("valid", 801)):
        for i in (first, first + 1):
            for seed, (folder, end) in enumerate(folders.items()):
                picture(top / f"div2k/DIV2K_{part}_{folder}/{i:04}{end}.png", i + seed)


def faces(top):
    people = {"Ann_B": 2, "Carl_D": 1, "Eve_F": 2}
    for folder in ("lfw", "lfw_funneled", "lfw-deepfunneled"):
        for seed, (name, count) in enumerate(people.items()):
            for i in range(1, count + 1):
                picture(top / f"lfw/{folder}/{name}/{name}_{i:04}.jpg", len(folder) + seed + i)
    text(top / "lfw/lfw-names.txt", *[f"{name}\t{count}" for name, count in people.items()])
    text(top / "lfw/peopleDevTrain.txt", 2, "Ann_B\t2", "Carl_D\t1")
    text(top / "lfw/peopleDevTest.txt", 1, "Eve_F\t2")
    text(top / "lfw/people.txt", 2, 1, "Eve_F\t2", 2, "Ann_B\t2", "Carl_D\t1")
    text(top / "lfw/pairsDevTrain.txt", 1, "Ann_B\t1\t2", "Ann_B\t2\tCarl_D\t1")
    text(top / "lfw/pairsDevTest.txt", 1, "Eve_F\t2\t1", "Carl_D\t1\tEve_F\t1")
    text(top / "lfw/pairs.txt", "2\t1", "Ann_B\t1\t2", "Ann_B\t2\tCarl_D\t1", "Eve_F\t2\t1",
         "Carl_D\t1\tEve_F\t1")  # fmt: skip
    for part in ("train", "val", "test"):
        lines = []
        for i in range(2):
            name = f"{i}--Parade/{i}_Parade_{part}.jpg"
            picture(top / f"wider/WIDER_{part}/images/{name}", i)
            rows = ["1 2 3 4 0 1 0 0 2 1 ", "5 6 7 8 2 0 1 0 0 0 "][: i + 1]
            lines += [name] if part == "test" else [name, len(rows), *rows]
        if part == "train":  # an image without a face has a row of zeros
            picture(top / "wider/WIDER_train/images/1--Parade/none.jpg", 7)
            lines += ["1--Parade/none.jpg", 0, "0 0 0 0 0 0 0 0 0 0 "]
        end = "filelist" if part == "test" else "bbx_gt"
        text(top / f"wider/wider_face_split/wider_face_{part}_{end}.txt", *lines)
    for kind in ("liberty", "yosemite_harris"):
        (top / "tour" / kind).mkdir(parents=True)
        patches = Image.fromarray(pixels(3, 1024, 1024))
        patches.save(top / "tour" / kind / "patches0000.bmp")
        text(top / "tour" / kind / "info.txt", *[f"{i // 2} 0" for i in range(20)])
        text(top / "tour" / kind / "m50_100000_100000_0.txt", "0 0 0 1 0 0 0", "2 1 0 5 2 0 0",
             "17 4 0 3 1 0 0")  # fmt: skip


WRITERS = (
    manifest, voc, coco, svhn, digits, class_folders, listed, segmented, faces,
)  # fmt: skip


def write_image_sets(folder, *names):
    """Write all image datasets, or the named ones, to a folder each."""
    for writer in WRITERS:
        if not names or writer.__name__ in names:
            top = folder / writer.__name__
            top.mkdir()
            writer(top)
    (folder / "empty").mkdir()
