"""Malicious files, as rows: the loader of `tests/fuzz` that reads them, the bytes that replace its
intact files (or a function of these), and words of the error."""

import gzip
import io
import json
import os
import pickle
import struct
import tarfile
import zipfile
import zlib

import numpy as np

from tests.data.tfrecord_cases import block, masked_crc, varint
from tests.fuzz.file_formats import MARK, _Executing
from tests.fuzz.mutations import BILLION

CALL = pickle.dumps(_Executing(os.mkdir, MARK), 2)
PICKLE = pickle.dumps({b"data": _Executing(os.mkdir, MARK)}, 2)

# pickles, and what PyTorch and NumPy put around them ----------------------------------------------


def archive(**members):
    """Return a PyTorch file in the current (archive) format; a member given as (bytes, size) claims
    that size."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in members.items():
            content, size = content if isinstance(content, tuple) else (content, len(content))
            zipped.writestr(f"a/{name.replace('__', '/').replace('_pkl', '.pkl')}", content)
            zipped.filelist[-1].file_size = size
    return file.getvalue()


def sequence(content):
    """Return a PyTorch file in the format before 1.6: a sequence of pickles."""
    magic = pickle.dumps(0x1950A86A20F9469CFC6C, 2) + pickle.dumps(1001, 2)
    return magic + pickle.dumps({"little_endian": True}, 2) + content


def tensor(sizes, strides):
    """Return the pickle of a PyTorch tensor whose storage has the key "0"."""

    def text(word):
        return b"X" + struct.pack("<I", len(word)) + word.encode()

    def ints(numbers):
        return b"(" + b"".join(b"I%d\n" % n for n in numbers) + b"t"

    storage = b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text("0") + text("cpu")
    storage += b"I1\ntQ"
    call = b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + b"I0\n" + ints(sizes)
    return b"\x80\x02}" + text("w") + call + ints(strides) + b"I00\n}tRs."


def doubled(times):
    """Return nested lists that double in size at each level."""
    tree = [1]
    for _ in range(times):
        tree = [tree, tree]
    return pickle.dumps(tree, 2)


def npy(array):
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def claimed_shape(content):
    return content.replace(b"(3, 3), }", b"(3000000, 3000000), }")


def tar():
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archived:
        archived.addfile(tarfile.TarInfo("../../storages"), io.BytesIO())
    return file.getvalue()


def and_member(name):
    """Return a change that adds an archive member, whose name leads out of the archive."""

    def change(content):
        file = io.BytesIO(content)
        with zipfile.ZipFile(file, "a") as zipped:
            zipped.writestr(name, b"evil")
        return file.getvalue()

    return change


# sizes that are claimed ---------------------------------------------------------------------------


def zeros(megabytes):
    """Return a zlib stream of so many megabytes of zeros, without an end marker."""
    stream, piece = zlib.compressobj(9), bytes(10**6)
    first, next_one = [stream.compress(piece) + stream.flush(zlib.Z_FULL_FLUSH) for _ in range(2)]
    return first + next_one * (megabytes - 1)


def png(width, height, *chunks):
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), *chunks, (b"IDAT", zeros(2)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def webp(kind, size):
    data = bytes(4) + struct.pack("<I", size - 1)[:3] * 2
    if kind == b"VP8L":
        data = b"\x2f" + struct.pack("<I", size - 1 | size - 1 << 14) + bytes(20)
    chunk = b"WEBP" + kind + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(chunk)) + chunk


def jpeg2000(content):
    at, head = content.index(b"\xff\x51") + 6, content.index(b"ihdr") + 4
    size = struct.pack(">II", 60000, 60000)
    content = content[:head] + size + content[head + 8 :]
    content = content[:at] + size + content[at + 8 :]
    return content[: at + 16] + size + content[at + 24 :]


def matlab(megabytes):
    def change(content):
        data = zeros(megabytes)
        return content[:128] + struct.pack("<II", 15, len(data)) + data

    return change


def record_of(size):
    head = struct.pack("<Q", size)
    return head + masked_crc(head)


def checkpoint(*values):
    return b"".join(block(1, value) for value in values)


def value(dims, content):
    return block(1, b"a") + block(2, dims + block(2, b"Float32") + block(3, content))


def flac(content):
    import soundfile

    file = io.BytesIO()
    soundfile.write(file, np.zeros(400), 8000, "PCM_16", format="FLAC")
    content = file.getvalue()
    return content[:21] + bytes([content[21] & 0xF0 | 8]) + content[22:]  # 2**35 samples


def samples_claimed(content):
    at = content.index(b"stsz") + 12
    return content[:at] + struct.pack(">I", 2**31 - 1) + content[at + 4 :]


# names --------------------------------------------------------------------------------------------


def header_with(**changes):
    """Return a change of a MindRecord file's header."""

    def change(content):
        size = int.from_bytes(content[:8], "little")
        head = json.dumps(json.loads(content[8 : 8 + size]) | changes).encode()
        start = len(head).to_bytes(8, "little") + head
        return start.ljust(16 * 1024, b"\0") + content[16 * 1024 :]

    return change


def coco(content):
    tree = json.loads(content)
    for image in tree["images"]:
        image["file_name"] = "../" * 9 + "etc/passwd"
    return json.dumps(tree).encode()


def link(target):
    def change(content, path):
        path.unlink()
        path.symlink_to(target)

    return change


PIXELS = "MAX_IMAGE_PIXELS|exceeds limit"
OUT = "../" * 12 + "tmp/sporax_evil"
READ_TORCH, NPY, FOLDER = "load_torch torch.pth", "DimReduce, a matrix", "Checkpointer"
CHECKPOINT = "checkpoint-000000000003.ckpt"
OF_MANY = "transform_checkpoints, json"
LAYOUTS = {"parallel_layout_item": {"w": {"dev_matrix": [10**12], "tensor_map": [0]}}}
WRITTEN = {"filename": MARK, "data": {"python_type": "array", "value": [1], "dtype": "uint8"}}


def operation(**described):
    rows = {"op_type": "NumpySlicesDataset", "data": [1, 2], "children": []}
    return {"a.json": json.dumps(
        {"op_type": "Skip", "count": described, "children": [rows]}).encode()}  # fmt: skip


HARMFUL = {
    # what a pickle names is not called, wherever it stands
    "a pickle for a .ckpt": ("ckpt", {"a.ckpt": PICKLE}, "no whole MindSpore checkpoint"),
    "a pickle for a .safetensors": ("safetensors", {"a.safetensors": PICKLE}, "no whole safe"),
    "a pickle for a checkpoint": (FOLDER, {CHECKPOINT: PICKLE}, "are damaged"),
    "a pickle for a graph": ("graphs", {"dense.mindir": PICKLE}, "does not begin as one"),
    "a pickle for records": ("MindRecord, everything", {"a.mindrecord": PICKLE}, "begin like one"),
    "a pickle for a database": (
        "MindRecord, its database", {"a.mindrecord.db": PICKLE}, "must be an index"),
    "a pickle for CIFAR": ("Cifar10ToMR", {"data_batch_1": PICKLE}, "posix.mkdir"),
    "a pickle in an archive": (READ_TORCH, {"torch.pth": archive(data_pkl=CALL)}, "posix.mkdir"),
    "a pickle of PyTorch before 1.6": (READ_TORCH, {"torch.pth": sequence(CALL)}, "posix.mkdir"),
    "a pickle that calls eval": (READ_TORCH, {"torch.pth": archive(
        data_pkl=b"cbuiltins\neval\n(S'1'\ntR.")}, "builtins.eval"),
    "a pickle that imports": (READ_TORCH, {"torch.pth": archive(
        data_pkl=b"cantigravity\nx\n.")}, "antigravity.x"),
    "a pickle that sets attributes": (READ_TORCH, {"torch.pth": archive(
        data_pkl=b"ctorch\nSize\nN}S'function'\nS'x'\ns\x86b.")}, "sets an attribute"),
    "a program of TorchScript": (READ_TORCH, {"torch.pth": archive(code__x=b"")}, "TorchScript"),
    "a pickle for a matrix": (NPY, {"a.npy": PICKLE}, "must be a file .* of a matrix"),
    "objects in a matrix": (
        NPY, {"a.npy": npy(np.array([[_Executing(os.mkdir, MARK)]], object))}, "of a matrix"),
    "a function that writes files, in a pipeline": (
        "deserialize", operation(tensor_op_name="write_file", tensor_op_params=WRITTEN),
        "no operation 'write_file'"),
    "an enumeration that is none": (
        "deserialize", operation(python_type="enum", value="VideoDecoder.x"), "a pipeline"),
    "a dataset that is none": (
        "deserialize", {"a.json": b'{"op_type": "config"}'}, "no operation 'config'"),
    "a program of PostScript": (
        "read_image PNG", {"image": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n"},
        "must be of JPEG"),
    # what is small on the disk and large in memory
    "a PNG of many pixels": ("read_image PNG", {"image": png(60000, 60000)}, PIXELS),
    "a PNG with a long text": (
        "read_image PNG", {"image": png(9, 9, (b"zTXt", b"a\0\0" + zeros(99)))}, "must be of"),
    "a PNG with a long profile": (
        "read_image PNG", {"image": png(9, 9, (b"iCCP", b"a\0\0" + zeros(99)))}, "must be of"),
    "a WebP of many pixels": ("Decode WEBP", {"image": webp(b"VP8X", 16000)}, PIXELS),
    "a WebP without loss": ("Decode WEBP", {"image": webp(b"VP8L", 16000)}, PIXELS),
    "a GIF of many pixels": (
        "Decode GIF", {"image": lambda x: x[:6] + b"\xff" * 4 + x[10:]}, PIXELS),
    "a PPM of many pixels": (
        "Decode PPM", {"image": b"P6 60000 60000 255\n"}, PIXELS),
    "a JPEG 2000 of many pixels": ("Decode JPEG2000", {"image": jpeg2000}, PIXELS),
    "a long record": ("TFRecord", {"a.tfrecord": record_of(2**40)}, "more than"),
    "a long record, gzipped": (
        "TFRecord GZIP", {"a.gz": gzip.compress(record_of(2**28))}, "more than"),
    "images of MNIST's without end": (
        "MnistToMR", {"train-images-idx3-ubyte.gz": gzip.compress(
            struct.pack(">4I", 2051, 60000, 10**5, 10**5))}, "its start says"),
    "a storage that is compressed": (READ_TORCH, {"torch.pth": archive(
        data_pkl=tensor([2], [1]), data__0=(bytes(8), 2**31))}, "make more than"),
    "a pickle that is compressed": (
        READ_TORCH, {"torch.pth": archive(data_pkl=(b"", 2**31))}, "make more than"),
    "one element, expanded": (READ_TORCH, {"torch.pth": archive(
        data_pkl=tensor([2**20, 2**20], [0, 0]), data__0=bytes(4))}, "tensors have more than"),
    "one list in many lists": (
        READ_TORCH, {"torch.pth": archive(data_pkl=doubled(60))}, "or one in many"),
    "one list in many lists, before 1.6": (
        READ_TORCH, {"torch.pth": sequence(doubled(60))}, "or one in many"),
    "a tar": (READ_TORCH, {"torch.pth": tar()}, "neither a ZIP archive"),
    "a large matrix": (NPY, {"a.npy": claimed_shape}, "of a matrix"),
    "a long header": (
        "safetensors", {"a.safetensors": struct.pack("<Q", 2**40) + b"{}"}, "no whole"),
    "values in many pieces": ("ckpt", {"a.ckpt": checkpoint(
        value(b"\x08" + varint(10**12), b"")) * 20_000}, "takes 4000000000000 bytes"),
    "a tensor of many dimensions": ("ckpt", {"a.ckpt": checkpoint(
        value(block(1, varint(2**62) * 10**5), b""))}, "has the shape"),
    "an array of MATLAB's, compressed": (
        "SVHN extra", {"extra_32x32.mat": matlab(140)}, "has more than"),
    "entities of XML": ("VOC Detection lists", {"Annotations/a.xml": BILLION}, "XML|format"),
    "brackets of JSON": (
        "Coco @instances.json Stuff", {"instances.json": b"[" * 10**6}, "nested too deeply"),
    "signs of Python": (
        "sporax check", {"a.py": b"x = " + b"-" * 10**5 + b"1"}, "no Python|deeply"),
    "a sound of many samples": ("sounds of other formats", {"0_0_0_0_0_0_0_0.wav": flac},
                                "fewer frames"),
    "a video of many samples": (
        "read_video moving.mp4", {"moving.mp4": samples_claimed}, "must be a whole video"),
    "a strategy of many ranks": (
        OF_MANY, {"s.json": json.dumps(LAYOUTS).encode()}, "of at most 32768 ranks"),
    # names of other files
    "records elsewhere": ("MindRecord, everything", {
        "a.mindrecord": header_with(shard_addresses=["../../etc/passwd"])}, "in its own folder"),
    "an image of COCO's elsewhere": (
        "Coco @instances.json Stuff", {"instances.json": coco}, "must be in"),
    "an image of VOC's elsewhere": ("VOC Segmentation", {
        "ImageSets/Segmentation/train.txt": b"../" * 9 + b"etc/passwd\n"}, "must be in"),
    "a text for an image of Manifest's": ("Manifest", {"some.manifest": json.dumps(
        {"source": "/etc/passwd", "usage": "train", "annotation": [
            {"type": "modelarts/image_classification", "name": "a"}]}).encode()},
        "there must be rows"),
    "a link for an image of Manifest's": ("Manifest", {"1.png": link("/etc/passwd")},
                                          "must be an image"),
    "an image of Flickr's elsewhere": ("Flickr @flickr/token.txt", {
        "flickr/token.txt": b"../" * 9 + b"etc/passwd#0\ta cat\n"}, "must be in|must be an image"),
    "folders of ImageNet's elsewhere": (
        "ImageNetToMR", {"map": b"../../etc 1\n"}, "must hold a folder and its label"),
    "a video that names others": ("read_video moving.mp4", {
        "moving.mp4": b"ffconcat version 1.0\nfile 'moving.mp4'\n"}, "must be a whole video"),
    "a list of videos": ("read_video moving.mp4", {
        "moving.mp4": b"#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nfile:///etc/passwd\n"},
        "must be a whole video"),
    "a name that leads out of an archive": (READ_TORCH, {"torch.pth": and_member(OUT)}, None),
    # links
    "a link to a device": (FOLDER, {CHECKPOINT: link("/dev/zero")}, "are damaged"),
    "a link to a text": (FOLDER, {CHECKPOINT: link("/etc/passwd")}, "are damaged"),
    "a link to itself": (FOLDER, {CHECKPOINT: link(CHECKPOINT)}, "are damaged"),
    "a link in a data set": ("ImageFolder", {"kinds/10/3.png": link("/etc/passwd")}, "an image"),
}  # fmt: skip
