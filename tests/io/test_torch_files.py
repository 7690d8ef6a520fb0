"""Files of PyTorch 2.13 (tools.record torch_files), and pickles that want to run code."""

import os
import pickle
import zipfile

import numpy as np
import pytest

import sporax as ms
from sporax import nn
from sporax.io import load_torch
from tests import records

pytestmark = pytest.mark.usefixtures("on_numpy")

RECORDED = records.FOLDER
NUMBERS = np.load(RECORDED / "torch_files.npz")
LATER = {"uint16", "uint32", "uint64"}


@pytest.mark.parametrize("file, lacks", [("torch.pth", set()), ("torch_legacy.pth", LATER)])
def test_reads_what_torch_writes(file, lacks):
    contents = load_torch(RECORDED / file)
    model = contents.pop("model")
    assert set(model) == set(NUMBERS.files) - {"ids", "y"} - lacks
    for name, x in model.items():
        assert isinstance(x, ms.Parameter) and x.name == name
        expected = NUMBERS[name]
        assert x.shape == expected.shape
        if name == "bfloat16":
            assert x.dtype == ms.bfloat16
            x = x.astype(ms.float32)
        assert x.asnumpy().dtype == expected.dtype
        np.testing.assert_array_equal(x.asnumpy(), expected, err_msg=name)
    step = contents["optimizer"]["state"][0]["step"]
    assert step.item() == 3.0 and contents["optimizer"]["groups"] == [{"betas": (0.9, 0.5)}]
    del contents["optimizer"]
    assert contents == {
        "epoch": 3, "name": "näher", "size": (4, 6), "none": None, "dtype": "float16"
    }  # fmt: skip


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(7, 4)
        self.line = nn.Conv1d(4, 6, 3, pad_mode="pad", padding=1, has_bias=True)
        self.norm = nn.BatchNorm1d(6)
        self.layers = nn.SequentialCell(nn.Dense(6, 5), nn.ReLU(), nn.LayerNorm((5,), epsilon=1e-5))
        self.recurrent = nn.LSTM(5, 3, batch_first=True)

    def construct(self, ids):
        x = self.norm(self.line(self.table(ids).swapaxes(1, 2))).swapaxes(1, 2)
        return self.recurrent(self.layers(x))[0]


def is_torchs(net):
    y = net.set_train(False)(ms.Tensor(NUMBERS["ids"], ms.int32))
    return np.allclose(y.asnumpy(), NUMBERS["y"], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("key", [None, "state_dict"])
def test_a_network_computes_what_torchs_does(key):
    net = Net()
    assert not is_torchs(net)
    load_torch(RECORDED / "torch_net.pth", net, key=key, strict_load=True)
    assert is_torchs(net)


@pytest.mark.parametrize("as_dict", [True, False])
def test_names_are_mapped_also_of_safetensors(as_dict, tmp_path):
    weights = load_torch(RECORDED / "torch_net.pth")["state_dict"]
    weights = {f"module.{name}": x for name, x in weights.items() if "num_batches" not in name}
    path = tmp_path / "net.safetensors"
    ms.save_checkpoint(weights, str(path), format="safetensors")
    net, strip = Net(), lambda name: name.removeprefix("module.")
    load_torch(path, net, {name: strip(name) for name in weights} if as_dict else strip)
    assert is_torchs(net)


def test_a_misfit_changes_nothing(caplog):
    file, net = RECORDED / "torch_net.pth", Net()
    before = net.table.embedding_table.asnumpy()
    for options, error, says in [
        ({"name_map": lambda name: f"x.{name}"}, RuntimeError, "Give 'name_map'"),
        ({"name_map": {"norm.bias": "line.bias"}}, ValueError, "its own, but 'norm.bias' becomes"),
        ({"name_map": {"norm.bias": "a"}, "strict_load": True}, RuntimeError, "norm.beta have no"),
        ({"name_map": {"norm.bias": "table.weight", "table.weight": "a"}}, RuntimeError, "shape"),
        ({"key": "epoch"}, ValueError, "'key' must be that of weights"),
    ]:  # fmt: skip
        with pytest.raises(error, match=says):
            load_torch(file, net, **options)
        np.testing.assert_array_equal(net.table.embedding_table.asnumpy(), before)
    load_torch(file, net, lambda name: None if name.startswith("norm") else name)
    assert "norm.gamma" in caplog.text
    with pytest.raises(ValueError, match=r"Load files of PyTorch with 'sporax.io.load_torch'"):
        ms.load_checkpoint(str(file))


# hostile and damaged files --------------------------------------------------------------------


class Runs:
    """What a pickle of this object asks to be called."""

    def __init__(self, function, *args):
        self.called = function, args

    def __reduce__(self):
        return self.called


def archive(path, pickled, **records):
    with zipfile.ZipFile(path, "w") as file:
        for name, content in {"data.pkl": pickled, "byteorder": b"little", **records}.items():
            file.writestr(f"archive/{name.replace('__', '/')}", content)


def sequence(path, pickled):
    parts = [pickle.dumps(x, 2) for x in (0x1950A86A20F9469CFC6C, 1001, {})]
    path.write_bytes(b"".join(parts) + pickled)


def built(function, state):
    """A pickle that sets attributes of what it names: BUILD."""
    return b"\x80\x02c" + function.encode() + b"\n" + pickle.dumps(state, 2)[2:-1] + b"b."


HOSTILE = {
    "os.system": lambda target: pickle.dumps(Runs(os.system, f"touch {target}")),
    "eval": lambda target: pickle.dumps({"a": Runs(eval, f"open({target!r}, 'w')")}),
    "open": lambda target: pickle.dumps(Runs(open, target, "w"), 2),
    "getattr": lambda target: b"\x80\x02cbuiltins\ngetattr\n.",
    "nested name": lambda target: b"\x80\x04\x8c\x0ctorch._utils\x8c\x08os.touch\x93.",
    "numpy": lambda target: pickle.dumps(np.arange(3)),
}  # fmt: skip


@pytest.mark.parametrize("write", [archive, sequence])
@pytest.mark.parametrize("name", HOSTILE)
def test_no_code_is_run(name, write, tmp_path):
    target = tmp_path / "was here"
    write(tmp_path / "a.pth", HOSTILE[name](str(target)))
    with pytest.raises(ValueError, match=r"it asks for '.*', which is no part of weights; nothing"):
        load_torch(tmp_path / "a.pth")
    assert not target.exists()


@pytest.mark.parametrize(
    "function", ["torch._utils\n_rebuild_tensor_v2", "torch\nFloatStorage", "torch\nSize"]
)
@pytest.mark.parametrize("state", [{"function": 3}, (None, {"function": 3, "numpy": 3})])
def test_a_pickle_cannot_change_what_it_calls(function, state, tmp_path):
    archive(tmp_path / "a.pth", built(function, state))
    with pytest.raises(ValueError, match="no whole PyTorch checkpoint"):
        load_torch(tmp_path / "a.pth")
    assert load_torch(RECORDED / "torch.pth")["epoch"] == 3


def test_damaged_files_are_refused(tmp_path):
    path, whole = tmp_path / "a.pth", (RECORDED / "torch.pth").read_bytes()
    legacy = (RECORDED / "torch_legacy.pth").read_bytes()
    with zipfile.ZipFile(RECORDED / "torch.pth") as file:
        records = {name.partition("/")[2]: file.read(name) for name in file.namelist()}
    pickled = records["data.pkl"]
    stride = pickled.replace(b"K\x04K\x06\x86", b"K\x7fK\x06\x86", 1)
    assert stride != pickled
    short = {k.replace("/", "__"): v[:2] for k, v in records.items() if k.startswith("data/")}
    cases = {
        "archive is damaged": lambda: path.write_bytes(whole[:-30]),
        "neither a ZIP archive": lambda: path.write_bytes(b"no checkpoint"),
        "ends too early": lambda: path.write_bytes(legacy[:-1]),
        "goes beyond": lambda: archive(path, stride, **{
            k.replace("/", "__"): v for k, v in records.items() if k.startswith("data/")
        }),
        "elements of its storage": lambda: archive(path, pickled, **short),
        "has no 'data/0'": lambda: archive(path, pickled),
        "ends in the middle of a name": lambda: archive(path, pickled[:50]),
        "TorchScript": lambda: archive(path, pickled, code__a=b""),
        "big-endian": lambda: archive(path, pickled, byteorder=b"big"),
    }  # fmt: skip
    for says, write in cases.items():
        write()
        with pytest.raises(ValueError, match=says):
            load_torch(path)
    with pytest.raises(ValueError, match="no regular file"):
        load_torch(tmp_path)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        load_torch(tmp_path / "none.pth")
    path.write_bytes(b"")
    with pytest.raises(ValueError, match="Nothing was loaded"):
        load_torch(path)


@pytest.mark.parametrize("cut", range(0, 3000, 97))
def test_every_cut_of_an_old_file_is_refused(cut, tmp_path):
    whole = (RECORDED / "torch_legacy.pth").read_bytes()
    (tmp_path / "a.pth").write_bytes(whole[: min(cut, len(whole) - 1)])
    with pytest.raises(ValueError, match="Nothing was loaded"):
        load_torch(tmp_path / "a.pth")
