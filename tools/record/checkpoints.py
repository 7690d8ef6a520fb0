"""Checkpoints written and loaded by MindSpore, and sporax's, which it must read:

python -m tools.record checkpoint_write:FOLDER checkpoint_check:FOLDER
"""

import os
import pathlib

import numpy as np

# name of a value -> (dtype, shape, first of its consecutive numbers)
CONTENTS = {
    "net.weight": ("float32", (2, 3), -2),
    "net.scalar": ("float32", (), 7),
    "net.half": ("float16", (4,), -1),
    "net.double": ("float64", (2, 1, 2), 0),
    "net.brain": ("bfloat16", (3,), -1),
    "net.flag": ("bool", (2,), 0),
    "net.i8": ("int8", (3,), -1),
    "net.i16": ("int16", (3,), -1),
    "net.i32": ("int32", (3,), -1),
    "net.i64": ("int64", (3,), -1),
    "net.u8": ("uint8", (3,), 1),
    "net.u16": ("uint16", (3,), 1),
    "net.u32": ("uint32", (3,), 1),
    "net.u64": ("uint64", (3,), 1),
}
EXTRAS = {"epoch": 3, "rate": 0.5, "done": True, "word": "naïve 模型", "empty": ""}
PIECE = 1024  # bytes, instead of the 512 MiB after which a tensor is sliced
LONG = ("float32", (40, 30), 0)

# parameters of a net | entries of a checkpoint | strict_load?
LOADS = """
a=float32[2]                  | a=float32[2]
a=float32[2]                  | a=float16[2]
a=float32[2]                  | a=float16[2]                                   | strict
a=float32[2]                  | a=int32[2]
a=int64[2]                    | a=int32[2]
a=int64[2]                    | a=uint8[2]
a=uint8[2]                    | a=int32[2]
a=bool[2]                     | a=int32[2]
a=bfloat16[2]                 | a=float32[2]
a=float32[2]                  | a=float32[2,1]
a=float32[2,1]                | a=float32[2]
a=float32[2]                  | a=float32[3]
a=float32[]                   | a=float32[1]
a=float32[1]                  | a=float32[]
a=float32[2] b=float32[1]     | a=float32[2] z=float32[1]
a=float32[2] b=float32[1]     | net.a=float32[2] net.b=float32[1] net.c=float32[1]
a=float32[2] b=float32[1]     | net.a=float32[2] net.b=float32[1] net.c=float32[1] | strict
a=float32[2] b=float32[1]     | x.a=float32[2] y.b=float32[1]
a=float32[2] b=float32[1]     | x.a=float32[2] a=float32[2] y.b=float32[1]
a=float32[2] b=float32[1]     | x.a=float32[3] b=float32[1]
a=float32[2] b=float32[1]     | a=words b=float32[1]
weight=float32[2]             | a.weight=float32[2] b.weight=float32[2]
weight=float32[2]             | myweight=float32[2]
a=float32[2] accu_grads=float32[1] | b=float32[1]
"""


def parsed(text):
    """`a=float32[2,1] b=words` -> {'a': ('float32', (2, 1)), 'b': 'words'}"""
    messages = {}
    for name, _, entry in (item.partition("=") for item in text.split()):
        dtype, bracket, dims = entry.partition("[")
        shape = tuple(int(d) for d in dims.rstrip("]").split(",") if d)
        messages[name] = (dtype, shape) if bracket else entry
    return messages


def loads():
    """(text, net, entries, strict) of each row of LOADS."""
    for line in LOADS.strip().splitlines():
        net, entries, *strict = [part.strip() for part in line.split("|")]
        yield " | ".join([net, entries, *strict]), parsed(net), parsed(entries), bool(strict)


def counting(dtype, shape, begin):
    """Consecutive numbers from `begin`, as float64 if NumPy does not have the dtype."""
    numbers = np.arange(begin, begin + int(np.prod(shape)), dtype=np.float64).reshape(shape)
    return numbers if dtype == "bfloat16" else numbers.astype(dtype)


def tensor_of(ms, dtype, numbers):
    return ms.Tensor(numbers, getattr(ms, "bool_" if dtype == "bool" else dtype))


def everything(ms):
    """All contents as a list to save."""
    return [
        {"name": name, "data": tensor_of(ms, row[0], counting(*row))}
        for name, row in CONTENTS.items()
    ]


def net_of(ms, parameters):
    """A Cell with parameters of zeros."""
    net = ms.nn.Cell()
    for name, (dtype, shape) in parameters.items():
        setattr(net, name, ms.Parameter(tensor_of(ms, dtype, np.zeros(shape)), name=name))
    return net


def entries_of(ms, entries):
    """A dict to load: Parameters with consecutive numbers from 1, and strings."""
    return {
        name: entry
        if isinstance(entry, str)
        else ms.Parameter(tensor_of(ms, entry[0], counting(*entry, 1)), name=name)
        for name, entry in entries.items()
    }


def load_case(ms, net, entries, strict):
    """The result of load_param_into_net and the net's parameters, or the kind of error."""
    net = net_of(ms, net)
    try:
        missing, unused = ms.load_param_into_net(net, entries_of(ms, entries), strict)
    except RuntimeError:
        return {"error": "RuntimeError"}
    contents = {
        p.name: p.asnumpy().astype("float64").ravel().tolist() for p in net.get_parameters()
    }
    return {"missing": missing, "unused": unused, "contents": contents}


# MindSpore cannot sum bfloat16, and complex numbers it writes but does not read
NOT_SUMMED = ("net.brain",)
NUMBERS = {name: value for name, value in EXTRAS.items() if not isinstance(value, str)}


def summed(ms):
    """The contents that a safetensors file with a checksum supports."""
    return [row for row in everything(ms) if row["name"] not in NOT_SUMMED]


def checkpoints(ms):
    """Yield checkpoints of MindSpore, and what it loads from others."""
    from mindspore.train import serialization

    ms.save_checkpoint(everything(ms), "mindspore.ckpt", append_dict=EXTRAS)
    ms.save_checkpoint(everything(ms), "mindspore_sum.ckpt", crc_check=True)
    serialization.SLICE_SIZE = PIECE // 1024
    long = [{"name": "long", "data": ms.Tensor(counting(*LONG))}, *everything(ms)[:1]]
    ms.save_checkpoint(long, "mindspore_sliced.ckpt")
    ms.save_checkpoint(everything(ms)[:1], "mindspore_encrypted.ckpt", enc_key=bytes(range(16)))
    kept = {"format": "safetensors", "append_dict": NUMBERS}
    ms.save_checkpoint(everything(ms), "mindspore.safetensors", remove_redundancy=False, **kept)
    ms.save_checkpoint(summed(ms), "mindspore_sum.safetensors", crc_check=True, **kept)
    for path in (*pathlib.Path().glob("*.ckpt"), *pathlib.Path().glob("*.safetensors")):
        yield path.name, path.read_bytes()
    yield "checkpoint_loads.json", {text: load_case(ms, *row) for text, *row in loads()}


def checkpoint_write(pythons, folder):
    """Write checkpoints of sporax into a folder."""
    import sporax as ms
    from sporax.io import checkpoint_protobuf

    os.makedirs(folder, exist_ok=True)
    ms.save_checkpoint(everything(ms), f"{folder}/ours.ckpt", append_dict=EXTRAS)
    ms.save_checkpoint(everything(ms), f"{folder}/ours_sum.ckpt", crc_check=True)
    ms.save_checkpoint(everything(ms), f"{folder}/ours_thread.ckpt", async_save=True)
    empty = [{"name": "none", "data": ms.Tensor(np.zeros((0, 3), np.float32))}, *everything(ms)]
    ms.save_checkpoint(empty, f"{folder}/ours_empty.ckpt")
    kept = {"format": "safetensors", "append_dict": NUMBERS}
    ms.save_checkpoint(everything(ms), f"{folder}/ours.safetensors", **kept)
    ms.save_checkpoint(summed(ms), f"{folder}/ours_sum.safetensors", crc_check=True, **kept)
    ms.save_checkpoint(empty, f"{folder}/ours_empty.safetensors", async_save=True, **kept)
    ms.save_checkpoint(everything(ms), f"{folder}/ours_turned.ckpt", append_dict=NUMBERS)
    ms.ckpt_to_safetensors(f"{folder}/ours_turned.ckpt")
    ms.safetensors_to_ckpt(f"{folder}/ours.safetensors", f"{folder}/turned")
    checkpoint_protobuf.PIECE = PIECE
    long = [{"name": "long", "data": ms.Tensor(counting(*LONG))}, *everything(ms)[:1]]
    ms.save_checkpoint(long, f"{folder}/ours_sliced.ckpt")


def checkpoint_check(ms, folder):
    """Check that MindSpore reads those."""
    extras = {"ours.ckpt": EXTRAS, "ours.safetensors": NUMBERS, "ours_sum.safetensors": NUMBERS}
    wanted = {"ours_sliced": {"long": LONG, "net.weight": CONTENTS["net.weight"]}}
    for path in sorted(p for p in pathlib.Path(folder).rglob("*") if p.is_file()):
        format = path.suffix[1:]
        loaded = ms.load_checkpoint(str(path), crc_check="sum" in path.stem, format=format)
        for name, (dtype, shape, begin) in wanted.get(path.stem, CONTENTS).items():
            if format == "safetensors" and "sum" in path.stem and name in NOT_SUMMED:
                continue
            x = loaded[name]
            assert x.shape == shape and str(x.dtype).lower() == dtype, (path, name, x)
            as_numbers = x.astype(ms.float64).asnumpy()
            np.testing.assert_array_equal(as_numbers, counting(dtype, shape, begin).astype("f8"))
        for name, value in extras.get(str(path.relative_to(folder)), {}).items():
            x = loaded[name]
            assert (x if isinstance(value, str) else x.asnumpy().item()) == value, (name, x)
        print(path.name, "read by MindSpore", ms.__version__, "-", len(loaded), "values")
