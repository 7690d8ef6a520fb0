"""The rows of the table of loaders: the files of each, their mutations, and the call that reads
everything in them."""

import io

import numpy as np
from PIL import Image

import sporax as ms
from sporax import data as ds
from sporax import nn
from sporax.data import mindrecord, text, vision
from sporax.io import untrusted_file
from tests.data import (
    file_cases,
    image_set_files,
    record_cases,
    sound_cases,
    text_file_cases,
    text_model_cases,
    tfrecord_cases,
)
from tests.fuzz import file_formats, graphs, mutations
from tests.fuzz.file_formats import gzipped, png
from tests.fuzz.loader_table import add, copied
from tests.fuzz.mutations import binary, json_lines, xml
from tests.fuzz.mutations import text as words
from tests.fuzz.training_files import LOADERS

# parameters ---------------------------------------------------------------------------------------


def small_parameters(ending):
    def write(folder):
        kinds = ["float32", "float16", "int64", "uint8", "bool", "float64"]
        parameters = [
            ms.Parameter(np.arange(6).reshape(2, 3).astype(kind), name=f"p.{kind}")
            for kind in kinds
        ]
        parameters.append(ms.Parameter(np.float32(3), name="scalar"))
        extra = {"epoch": 3, "note": "text é"} if ending == "ckpt" else None
        ms.save_checkpoint(
            parameters, str(folder / f"a.{ending}"), append_dict=extra, format=ending,
            crc_check=True,
        )  # fmt: skip

    return write


def loaded_checkpoint(ending, **options):
    return lambda folder: ms.load_checkpoint(str(folder / f"a.{ending}"), format=ending, **options)


add("ckpt", small_parameters("ckpt"), loaded_checkpoint("ckpt"),
    changes={"*.ckpt": mutations.protobuf})  # fmt: skip
add("ckpt, crc_check", small_parameters("ckpt"), loaded_checkpoint("ckpt", crc_check=True),
    changes={"*.ckpt": file_formats.summed})  # fmt: skip
add("safetensors", small_parameters("safetensors"), loaded_checkpoint("safetensors"),
    only=("*.safetensors",), changes={"*.safetensors": file_formats.safetensors})  # fmt: skip
add("safetensors, crc_check", small_parameters("safetensors"),
    loaded_checkpoint("safetensors", crc_check=True), only=("*.safetensors",),
    changes={"*.safetensors": file_formats.safetensors})  # fmt: skip


def conversion(folder):
    ms.ckpt_to_safetensors(str(folder / "a.ckpt"), str(folder / "out"))


add("ckpt_to_safetensors", lambda folder: small_parameters("ckpt")(folder) or _without_text(folder),
    conversion, changes={"*.ckpt": mutations.protobuf}, only=("a.ckpt",))  # fmt: skip


def _without_text(folder):
    ms.save_checkpoint([ms.Parameter(np.ones((2, 3), "f4"), name="a")], str(folder / "a.ckpt"))


def write_training(folder):
    net = nn.Dense(2, 3)
    saver = ms.train.Checkpointer(str(folder), network=net)
    saver.save(step=3, more={"list": [1, 2.5, "x"], "array": np.arange(3)})


def restore_training(folder):
    saver = ms.train.Checkpointer(str(folder), network=nn.Dense(2, 3))
    return saver.restore()


add("Checkpointer", write_training, restore_training, changes={"*.ckpt": file_formats.state})

for name in ("torch.pth", "torch_legacy.pth", "torch_net.pth"):
    add(f"load_torch {name}", copied(name), lambda folder, name=name: ms.io.load_torch(
        folder / name), changes={"*.pth": file_formats.torch})  # fmt: skip

# images, sounds, videos ---------------------------------------------------------------------------


def one_image(form, mode="RGB", **options):
    def write(folder):
        pixels = np.random.RandomState(0).randint(0, 256, (9, 12, 3)).astype(np.uint8)
        file = io.BytesIO()
        Image.fromarray(pixels).convert(mode).save(file, form, **options)
        (folder / "image").write_bytes(file.getvalue())

    return write


def decoded(folder):
    return vision.Decode()(np.frombuffer((folder / "image").read_bytes(), np.uint8))


def read_image(folder):
    for mode in vision.ImageReadMode:
        vision.read_image(str(folder / "image"), mode)


_FORMS = "PNG", "JPEG", "BMP", "GIF", "TIFF", "WEBP", "PPM", "JPEG2000"
for form in _FORMS:
    change = {"image": png if form == "PNG" else binary}
    add(f"Decode {form}", one_image(form), decoded, changes=change, names_file=False,
        tricks=False)  # fmt: skip
for form in ("PNG", "JPEG", "BMP", "TIFF"):
    change = {"image": png if form == "PNG" else binary}
    add(f"read_image {form}", one_image(form), read_image, changes=change)
add("read_image PNG of a palette", one_image("PNG", "P"), read_image, changes={"image": png})
add("read_image TIFF, deflated", one_image("TIFF", compression="tiff_adobe_deflate"), read_image)


def video(name, load):
    add(f"{load.__name__} {name}", copied(name), lambda folder: load(str(folder / name)),
        only=(name,))  # fmt: skip


def decode_video(path):
    return vision.DecodeVideo()(np.fromfile(path, np.uint8))


def frames(path):
    return vision.VideoDecoder(path).get_frames_at([0])


for name in ("moving.mp4", "moving.avi"):
    video(name, vision.read_video)
video("silent.mp4", vision.read_video_timestamps)
video("silent.mp4", frames)
add("DecodeVideo silent.mp4", copied("silent.mp4"), lambda folder: decode_video(
    folder / "silent.mp4"), names_file=False, tricks=False)  # fmt: skip


def write_video(form, codec):
    def write(folder):
        import av

        with av.open(str(folder / "a.video"), "w", format=form) as container:
            stream = container.add_stream(codec, rate=10, width=32, height=16)
            stream.pix_fmt = "yuv420p"
            for i in range(4):
                frame = av.VideoFrame.from_ndarray(np.full((16, 32, 3), 60 * i, np.uint8))
                container.mux(stream.encode(frame))
            container.mux(stream.encode())

    return write


for form, codec in (("matroska", "mpeg4"), ("mpegts", "mpeg2video"), ("asf", "wmv2"),
                    ("flv", "flv1")):  # fmt: skip
    add(f"read_video {form}", write_video(form, codec), lambda folder:
        vision.read_video(str(folder / "a.video")), only=("a.video",))  # fmt: skip
add("read_file", one_image("BMP"), lambda folder: vision.read_file(str(folder / "image")))

# rows ---------------------------------------------------------------------------------------------


def rows(data):
    """Query the properties of a dataset; return all its rows."""
    data.get_dataset_size(), data.get_col_names(), data.output_types(), data.output_shapes()
    return list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))


def read_rows(kind, *args, at="", **options):
    """Return a function that reads a dataset; strings that begin with '@' are also paths."""

    def load(folder):
        paths = [str(folder / x[1:]) if str(x).startswith("@") else x for x in args]
        return rows(getattr(ds, kind)(str(folder / at), *paths, shuffle=False, **options))

    return load


def write_records(name):
    def write(folder):
        writer = mindrecord.FileWriter(str(folder / "a.mindrecord"))
        record_cases.write(writer, *record_cases.RECORDS[name])

    return write


def read_records(folder):
    return rows(ds.MindDataset(str(folder / "a.mindrecord"), shuffle=False))


def read_raw_records(folder):
    return list(mindrecord.FileReader(str(folder / "a.mindrecord")).get_next())


def read_pages(folder):
    pages = mindrecord.MindPage(str(folder / "a.mindrecord"))
    if "label" not in pages.candidate_fields:
        return
    pages.category_field = "label"
    if pages.read_category_info().startswith('{"categories":[{'):  # there are rows
        pages.read_at_page_by_id(0, 0, 2)


def append_record(folder):
    (folder / "again").mkdir(exist_ok=True)
    for path in folder.glob("a.*"):
        (folder / "again" / path.name).write_bytes(untrusted_file.content(path))
    writer = mindrecord.FileWriter.open_for_append(str(folder / "again/a.mindrecord"))
    writer.write_raw_data(record_cases.RECORDS["everything"][1][0][:1])
    writer.commit()


KEY = "0123456789012345"


def encrypting(act):
    """Wrap `act` to run with an encryption key for MindRecord files."""

    def encrypted(folder):
        mindrecord.set_enc_key(KEY)
        try:
            return act(folder)
        finally:
            mindrecord.set_enc_key(None)

    return encrypted


_RECORD = {"*.mindrecord": file_formats.record}
for name in ("everything", "long ints", "numbers and strings"):
    add(f"MindRecord, {name}", write_records(name), read_records, changes=_RECORD,
        only=("*.mindrecord",))  # fmt: skip
add("MindRecord, its database", write_records("everything"), read_records, only=("*.db",))
add("MindRecord, FileReader", write_records("everything"), read_raw_records, changes=_RECORD,
    only=("a.*",))  # fmt: skip
add("MindRecord, appended", write_records("everything"), append_record, changes=_RECORD,
    only=("a.*",), tricks=False, names_file=False)  # fmt: skip
for part in ("a.mindrecord", "a.mindrecord.db"):
    add(f"MindRecord, encrypted, {part}", encrypting(write_records("everything")),
        encrypting(read_records), only=(part,), changes={
            "*.mindrecord": file_formats.encrypted(file_formats.record, KEY),
            "*.db": file_formats.encrypted(file_formats.sqlite, KEY)})  # fmt: skip
add("MindRecord, MindPage", write_records("everything"), read_pages, changes=_RECORD,
    only=("a.*",))  # fmt: skip

_TF = {"a.tfrecord": file_formats.tfrecord, "a.gz": gzipped(file_formats.tfrecord)}


def read_tfrecord(file, schema=None, **options):
    def load(folder):
        named = None if schema is None else str(folder / schema)
        return rows(ds.TFRecordDataset(str(folder / file), named, shuffle=False, **options))

    return load


add("TFRecord", tfrecord_cases.write, read_tfrecord("a.tfrecord"), changes=_TF)
add("RandomDataset", tfrecord_cases.write, lambda folder: rows(
    ds.RandomDataset(3, str(folder / "schema.json"))))  # fmt: skip
add("TFRecord GZIP", tfrecord_cases.write, read_tfrecord("a.gz", compression_type="GZIP"),
    changes=_TF)  # fmt: skip
add("TFRecord ZLIB", tfrecord_cases.write, read_tfrecord("a.zlib", compression_type="ZLIB"),
    changes={"a.zlib": file_formats.deflated(file_formats.tfrecord)})  # fmt: skip
add("TFRecord and schema", tfrecord_cases.write, read_tfrecord("a.tfrecord", "schema.json"),
    changes=_TF)  # fmt: skip


def small_files(part):
    """Those of `file_cases` below one folder."""

    def write(folder):
        top = folder.with_name(folder.name + "x")
        top.mkdir()
        file_cases.write_files(top)
        (top / part).rename(folder / part)
        import shutil

        shutil.rmtree(top)

    return write


def write_cifar(folder):
    random = np.random.RandomState(0)
    for name in (*[f"data_batch_{i}.bin" for i in range(1, 6)], "test_batch.bin"):
        (folder / name).write_bytes(random.randint(0, 10, 2 * 3073).astype(np.uint8).tobytes())
    for name in ("train.bin", "test.bin"):
        (folder / name).write_bytes(random.randint(0, 10, 2 * 3074).astype(np.uint8).tobytes())


add("Mnist", small_files("digits"), read_rows("MnistDataset", at="digits"))
add("Cifar10", write_cifar, read_rows("Cifar10Dataset"))
add("Cifar100", write_cifar, read_rows("Cifar100Dataset"))
add("ImageFolder", small_files("kinds"), read_rows("ImageFolderDataset", at="kinds", decode=True))
add("CelebA", small_files("faces"), read_rows("CelebADataset", at="faces"),
    only=("*.txt",))  # fmt: skip
add("CelebA, a part", small_files("faces"), read_rows("CelebADataset", at="faces", usage="train"),
    only=("*.txt",))  # fmt: skip


def image_set(kind, writer, *args, at="", label="", only=(), **options):
    name = f"{kind} {' '.join(map(str, args))} {label}".strip()
    load = read_rows(f"{kind}Dataset", *args, at=at, **options)
    add(name, getattr(image_set_files, writer), load, only=only)


image_set("Manifest", "manifest", at="some.manifest", only=("some.manifest",))
for task in ("Detection", "Segmentation"):
    image_set("VOC", "voc", task)
image_set("VOC", "voc", "Detection", label="lists", only=("*.xml", "*.txt"), extra_metadata=True)
for task, file in {"Detection": "instances", "Stuff": "instances", "Keypoint": "instances",
                   "Panoptic": "panoptic", "Captioning": "captions"}.items():  # fmt: skip
    image_set("Coco", "coco", f"@{file}.json", task, at="images", only=("*.json",))
image_set("SVHN", "svhn", "extra")
image_set("EMnist", "digits", "mnist", "train", at="emnist")
image_set("QMnist", "digits", "train", at="qmnist")
image_set("QMnist", "digits", "train", False, at="qmnist")
image_set("USPS", "digits", "test", at="usps")
image_set("Semeion", "digits", at="semeion")
image_set("STL10", "digits", "train", at="stl10")
image_set("Caltech101", "class_folders", "annotation", at="caltech101", only=("*.mat",))
image_set("Caltech101", "class_folders", "category", at="caltech101", decode=True)
image_set("Caltech256", "class_folders", at="caltech256")
image_set("RenderedSST2", "class_folders", "train", at="rendered", decode=True)
image_set("LSUN", "class_folders", "train", at="lsun")
image_set("Omniglot", "class_folders", at="omniglot")
image_set("SUN397", "class_folders", at="sun397")
image_set("Food101", "listed", "train", at="food101")
image_set("Flowers102", "listed", "Classification", "all", at="flowers")
image_set("Flowers102", "listed", "Segmentation", "train", at="flowers")
image_set("Places365", "listed", "val", at="places")
image_set("Flickr", "listed", "@flickr/token.txt", at="flickr/images")
image_set("SBU", "listed", at="sbu")
image_set("KITTI", "listed", "train", at="kitti")
image_set("SB", "segmented", "Boundaries", "train", at="sbd")
image_set("SB", "segmented", "Segmentation", "train", at="sbd")
image_set("Cityscapes", "segmented", "train", "fine", "polygon", at="cityscapes")
image_set("Cityscapes", "segmented", "val", "fine", at="cityscapes")
image_set("DIV2K", "segmented", "train", at="div2k")
for task in ("people", "pairs"):
    image_set("LFW", "faces", task, "train", at="lfw")
image_set("WIDERFace", "faces", "train", at="wider")
image_set("WIDERFace", "faces", "test", at="wider")
image_set("PhotoTour", "faces", "liberty", "train", at="tour", num_samples=2)
image_set("PhotoTour", "faces", "liberty", "test", at="tour")


def write_sounds(folder):
    """Those of `sound_cases`, with few of its thousand files of music."""
    genres, sound_cases.GENRES = sound_cases.GENRES, ()
    try:
        sound_cases.write_sounds(folder)
    finally:
        sound_cases.GENRES = genres
    sound_cases.write_wav(folder / "gtzan/blues/blues.00000.wav", [1, 2], 22050)
    for width, form in ((1, 1), (3, 1), (4, 1), (4, 3), (8, 3)):
        sound_cases.write_wav(folder / f"yesno/1_0_{width}_{form}.wav", [1] * 9, 8000, width, form)
        (folder / f"yesno/1_0_{width}_{form}.wav").rename(
            folder / f"yesno/{width}_{form}_0_0_0_0_0_0.wav"
        )


_WAVES = ("*.wav",)
for kind, at, args in [("CMUArctic", "arctic", ()), ("LibriTTS", "libri", ()),
                       ("LJSpeech", "lj", ()), ("SpeechCommands", "commands", ("valid",)),
                       ("YesNo", "yesno", ()), ("GTZAN", "gtzan", ())]:  # fmt: skip
    add(kind, write_sounds, read_rows(f"{kind}Dataset", *args, at=at))
add("Tedlium", write_sounds, read_rows("TedliumDataset", "release1", "dev", at="old"),
    only=("old/dev/*",), changes={"*.stm": words})  # fmt: skip


def write_other_sounds(folder):
    import soundfile

    samples = np.sin(np.arange(400) / 9)
    for i, (form, subtype) in enumerate([("FLAC", "PCM_16"), ("OGG", "VORBIS"), ("AIFF", "PCM_24"),
                                         ("AU", "FLOAT"), ("WAV", "FLOAT"), ("WAV", "IMA_ADPCM"),
                                         ("WAV", "ULAW")]):  # fmt: skip
        bits = "_".join(f"{i:08b}")
        soundfile.write(folder / f"{bits}.wav", samples, 8000, subtype, format=form)


add("sounds of other formats", write_other_sounds, read_rows("YesNoDataset"), only=_WAVES)


def text_set(kind, at, *args, label="", **options):
    add(f"{kind} {at} {label}".strip(), text_file_cases.write_text_files,
        read_rows(f"{kind}Dataset", *args, at=at, **options))  # fmt: skip


text_set("TextFile", "lines/a.txt")
text_set("CSV", "csv/head.csv")
text_set("CSV", "csv/plain.csv", ",", [1, 2.0, ""], ["x", "y", "z"], label="typed")
text_set("CSV", "csv/quotes.csv")
for task in text_file_cases.CLUE:
    for usage in ("train", "test"):
        text_set("CLUE", f"clue/{task}.{usage}.json", task, usage)
        LOADERS[f"CLUE clue/{task}.{usage}.json"].changes = {"*.json": json_lines}
text_set("SQuAD", "squad1", "train")
text_set("SQuAD", "squad2", "dev")
for kind, at in {"AGNews": "ag", "AmazonReview": "amazon", "DBpedia": "dbpedia",
                 "SogouNews": "sogou", "YahooAnswers": "yahoo", "YelpReview": "yelp",
                 "SST2": "sst2", "CoNLL2000": "conll", "UDPOS": "udpos", "PennTreebank": "ptb",
                 "WikiText": "wiki", "Multi30k": "multi", "IMDB": "imdb",
                 "IWSLT2016": "iwslt2016", "IWSLT2017": "iwslt2017"}.items():  # fmt: skip
    text_set(kind, at)
    LOADERS[f"{kind} {at}"].changes = {"*": xml if "IWSLT" in kind else words}
text_set("EnWik9", "enwik")

# words --------------------------------------------------------------------------------------------


def write_models(folder):
    text_model_cases.write_model_files(folder)
    vocab = text.SentencePieceVocab.from_file(
        [str(folder / "corpus")], 60, 1.0, text.SentencePieceModel.BPE, {}
    )
    text.SentencePieceVocab.save_model(vocab, str(folder), "m.model")


def add_words(name, file, load, change=words):
    add(name, write_models, lambda folder: load(str(folder / file)), changes={"*": change},
        only=(file,))  # fmt: skip


add_words("Vocab.from_file", "plain.txt", lambda path: text.Vocab.from_file(path, " ").vocab())
for kind, file in {"Vectors": "plain.txt", "GloVe": "glove.6B.3d.txt", "FastText": "wiki.vec",
                   "CharNGram": "ngrams.txt"}.items():  # fmt: skip
    add_words(kind, file, lambda path, kind=kind: text.ToVectors(
        getattr(text, kind).from_file(path))("the"))  # fmt: skip


def jieba(folder):
    tokenizer = text.JiebaTokenizer(str(folder / "hmm"), str(folder / "dict"))
    tokenizer.add_dict(str(folder / "user"))
    return tokenizer(text_model_cases.CHINESE)


add("JiebaTokenizer", write_models, jieba, changes={"*": words}, only=("hmm", "dict", "user"))
add_words("SentencePiece", "m.model", lambda path: text.SentencePieceTokenizer(
    path, text.SPieceTokenizerOutType.STRING)("the lowest dog"), mutations.protobuf)  # fmt: skip
add_words("SentencePiece training", "corpus", lambda path: text.SentencePieceVocab.from_file(
    [path], 60, 1.0, text.SentencePieceModel.CHAR, {}))  # fmt: skip

# converters ---------------------------------------------------------------------------------------


def write_python_cifar(folder):
    import pickle

    random = np.random.RandomState(0)
    images = random.randint(0, 256, (2, 3072)).astype(np.uint8)
    for name, keys in (("data_batch_1", [b"labels"]), ("test_batch", [b"labels"]),
                       ("train", [b"fine_labels", b"coarse_labels"]),
                       ("test", [b"fine_labels", b"coarse_labels"])):  # fmt: skip
        content = {b"data": images, **{key: [3, 4] for key in keys}}
        (folder / name).write_bytes(pickle.dumps(content, 2))


def write_mnist_gz(folder):
    import gzip

    for part in ("train", "t10k"):
        for kind, array in (("images-idx3", file_cases.images(2, 28, 28)),
                            ("labels-idx1", np.array([3, 4], np.uint8))):  # fmt: skip
            path = folder / "raw"
            file_cases.write_idx(path, array)
            packed = gzip.compress(path.read_bytes())
            (folder / f"{part}-{kind}-ubyte.gz").write_bytes(packed)
            path.unlink()


def converted(kind, *args):
    def load(folder):
        import shutil

        out = folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        paths = [str(folder / x[1:]) if x.startswith("@") else x for x in args]
        getattr(mindrecord, kind)(*paths, str(out / "rows")).transform()

    return load


def write_imagenet(folder):
    (folder / "map").write_text("dog 1\ncat 2\n")
    file_cases.write_pictures(folder / "dog", ["1.jpg"])
    file_cases.write_pictures(folder / "cat", ["2.jpg"])


_PICKLED = {"*": file_formats.pickled}
add("Cifar10ToMR", write_python_cifar, converted("Cifar10ToMR", "@"), changes=_PICKLED)
add("Cifar100ToMR", write_python_cifar, converted("Cifar100ToMR", "@"), changes=_PICKLED)
add("MnistToMR", write_mnist_gz, converted("MnistToMR", "@"))
FEATURES = {"label": ([], "int64"), "x": ([4], "float32"), "name": ([], "string"),
            "img": ([], "string")}  # fmt: skip


def convert_tfrecord(folder):
    out = folder / "out"
    for path in folder.glob("out*"):
        path.unlink()
    mindrecord.TFRecordToMR(str(folder / "a.tfrecord"), str(out), FEATURES, ["img"]).transform()


add("TFRecordToMR", tfrecord_cases.write, convert_tfrecord, changes=_TF, only=("a.tfrecord",))
add("CsvToMR", text_file_cases.write_text_files, converted("CsvToMR", "@csv/head.csv"),
    only=("csv/head.csv",))  # fmt: skip
add("ImageNetToMR", write_imagenet, converted("ImageNetToMR", "@map", "@"),
    changes={"map": words}, only=("map",))  # fmt: skip

# programs -----------------------------------------------------------------------------------------

add("graphs", graphs.write, graphs.load, changes={"*.mindir": graphs.change}, seconds=20.0)
add("graphs, called", graphs.write, graphs.load_and_call, changes={"*.mindir": graphs.change},
    seconds=20.0)  # fmt: skip
add("graphs, verified", graphs.write, graphs.verify, changes={"*.mindir": graphs.change},
    seconds=20.0)  # fmt: skip
add("graphs of MindSpore", graphs.write_mindir, graphs.load_mindir, seconds=20.0)
add("reproducers", graphs.write_reproducer, graphs.load_reproducer,
    changes={"*.reproducer": graphs.change_reproducer}, seconds=20.0)  # fmt: skip
add("compile cache", graphs.write_cache, graphs.load_cache, only=("*.program",))
