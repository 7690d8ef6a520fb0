"""`convert` and `sporax convert`: what is written is what was read, under the names of choice."""

import importlib.util
import itertools
import os
import pickle
import zipfile
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import sporax as ms
from sporax import migrate
from sporax._src.workbench.cli.command import main
from sporax.io import load_torch
from tests import records
from tests.io.test_torch_files import Net, Runs, is_torchs

pytestmark = pytest.mark.usefixtures("on_numpy")

RECORDED = records.FOLDER
HAS_TORCH = importlib.util.find_spec("torch") is not None
needs_torch = pytest.mark.skipif(not HAS_TORCH, reason="PyTorch is not installed")
ARRAYS = {
    "a.weight": np.arange(6, dtype=np.float32).reshape(2, 3),
    "b": np.array(3, np.int64), "c": np.array([True, False]), "d": np.zeros((0, 2), np.float16),
}  # fmt: skip
ENDINGS = [".npz", ".ckpt", ".safetensors"]


@pytest.fixture
def npz(tmp_path):
    np.savez(tmp_path / "in.npz", **ARRAYS)
    return tmp_path / "in.npz"


def same(path, arrays):
    """Whether a file holds these arrays; read by a way of its own."""
    ending = path.suffix
    if ending == ".npz":
        found = dict(np.load(path))
    elif ending == ".pth":
        found = {n: x.asnumpy() for n, x in load_torch(path).items()}
    else:
        found = {
            n: x.asnumpy() for n, x in ms.load_checkpoint(str(path), format=ending[1:]).items()
        }
    assert found.keys() == arrays.keys()
    for name, x in arrays.items():
        assert found[name].dtype == x.dtype
        np.testing.assert_array_equal(found[name], x)
    return True


@pytest.mark.parametrize("first, second", [*itertools.product(ENDINGS, ENDINGS)])
def test_formats(first, second, npz, tmp_path):
    one, two = tmp_path / f"one{first}", tmp_path / f"two{second}"
    migrate.convert(npz, one)
    lines = migrate.convert(one, two)
    assert same(two, ARRAYS)
    assert {(x.old, x.new, x.shape, x.dtype) for x in lines} == {
        (name, name, x.shape, str(x.dtype)) for name, x in ARRAYS.items()
    }


@needs_torch
def test_torch_reads_what_is_written(npz, tmp_path):
    import torch

    half = tmp_path / "half.ckpt"
    ms.save_checkpoint([ms.Parameter(ms.Tensor([1.5], ms.bfloat16), name="h")], str(half))
    for source, arrays in ((npz, ARRAYS), (half, {"h": np.array([1.5], ml_dtypes.bfloat16)})):
        path = tmp_path / "out.pth"
        migrate.convert(source, path, force=True)
        found = torch.load(path, weights_only=True)
        assert found.keys() == arrays.keys()
        for name, x in arrays.items():
            assert str(found[name].dtype) == f"torch.{x.dtype}"
            np.testing.assert_array_equal(found[name].float().numpy(), x.astype(np.float32))


def test_a_network_computes_what_torchs_does(tmp_path, capsys):
    path = tmp_path / "net.ckpt"
    command = ["convert", str(RECORDED / "torch_net.pth"), str(path), "--to", "mindspore"]
    assert main([*command, "--key", "state_dict"]) == 0
    text = capsys.readouterr().out
    for line in (
        "table.weight -> table.embedding_table (7, 4) float32",
        "norm.running_var -> norm.moving_variance (6,) float32",
        "line.weight -> line.weight (6, 4, 1, 3) float32",
        "layers.2.bias -> layers.2.beta (5,) float32",
        "norm.num_batches_tracked -> (left out) () int64",
    ):
        assert line in " ".join(text.split())
    assert text.splitlines()[-1].startswith("15 tensors: ")
    net = Net()
    ms.load_checkpoint(str(path), net, strict_load=True)
    assert is_torchs(net)


def test_names_of_pytorch(tmp_path):
    middle, back = tmp_path / "net.ckpt", tmp_path / "net.safetensors"
    weights = load_torch(RECORDED / "torch_net.pth")["state_dict"]
    migrate.convert(RECORDED / "torch_net.pth", middle, to="mindspore")
    migrate.convert(middle, back, to="pytorch")
    found = ms.load_checkpoint(str(back), format="safetensors")
    assert found.keys() == {n for n in weights if not n.endswith("num_batches_tracked")}
    assert all(x.asnumpy().ravel().tolist() == weights[n].asnumpy().ravel().tolist()
               for n, x in found.items())  # fmt: skip


@pytest.mark.parametrize(
    "names, to, expected",
    [
        (["a.weight=x", "b="], None, {"x", "c", "d"}),
        (["a.weight=n.gamma"], "pytorch", {"n.gamma", "b", "c", "d"}),
    ],
)
def test_names_may_be_given(names, to, expected, npz, tmp_path):
    options = [*(["--to", to] if to else []), *(x for n in names for x in ("--name", n))]
    assert main(["convert", str(npz), str(tmp_path / "out.npz"), *options]) == 0
    assert set(np.load(tmp_path / "out.npz").files) == expected


def hostile(folder):
    with zipfile.ZipFile(folder / "bad.pth", "w") as file:
        file.writestr("a/data.pkl", pickle.dumps(Runs(os.system, f"touch {folder}/was_here")))
        file.writestr("a/byteorder", b"little")


# what is tried in a folder: (files, arguments, part of what is said)
REFUSED = {
    "absent": (None, ["no.pth", "a.npz"], "the file 'no.pth' does not exist"),
    "an ending": (None, ["in.npz", "a.h5"], ".pth, .pt, but got 'a.h5'"),
    "there already": (None, ["in.npz", "in.npz"], "already exists"),
    "damaged .pth": (b"no weights", ["x.pth", "a.npz"], "is no whole PyTorch checkpoint"),
    "damaged .ckpt": (b"no weights", ["x.ckpt", "a.npz"], "is no whole MindSpore checkpoint"),
    "damaged .npz": (b"PK no weights", ["x.npz", "a.ckpt"], "is no whole .npz file"),
    "damaged .safetensors": (b"no", ["x.safetensors", "a.npz"], "is no whole safetensors file"),
    "empty": (b"", ["x.pth", "a.npz"], "Nothing was loaded"),
    "code": (hostile, ["bad.pth", "a.npz"], "which is no part of weights; nothing was run"),
    "a name": (None, ["in.npz", "a.ckpt", "--name", "x=y"], "it has no 'x'"),
    "no name": (None, ["in.npz", "a.ckpt", "--name", "xy"], "--name must be OLD=NEW, but got 'xy'"),
    "one name": (None, ["in.npz", "a.ckpt", "--name", "b=c"], "'c' would name two tensors"),
    "nothing": (None, ["in.npz", "a.ckpt", *(f"--name={n}=" for n in ARRAYS)], "none would be"),
    "a folder": (None, ["in.npz", "no/a.ckpt"], "could not be written: No such file"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case, npz, tmp_path, monkeypatch, capsys):
    content, arguments, says = REFUSED[case]
    monkeypatch.chdir(tmp_path)
    if callable(content):
        content(tmp_path)
    elif content is not None:
        Path(arguments[0]).write_bytes(content)
    before = sorted(os.listdir())
    assert main(["convert", *arguments]) == 2
    said = capsys.readouterr().err
    assert says in said and said.startswith("sporax: ") and said.count("\n") == 1
    assert sorted(os.listdir()) == before and same(npz, ARRAYS)


def test_force_replaces(npz, tmp_path):
    out = tmp_path / "out.npz"
    np.savez(out, old=np.zeros(1))
    assert main(["convert", str(npz), str(out), "--force"]) == 0
    assert same(out, ARRAYS)


def test_dtypes_that_a_format_lacks(tmp_path):
    half = tmp_path / "half.ckpt"
    ms.save_checkpoint([ms.Parameter(ms.Tensor([1.5], ms.bfloat16), name="h")], str(half))
    with pytest.raises(TypeError, match=r"\.npz files have no bfloat16, but 'h' is"):
        migrate.convert(half, tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", text=np.array(["a"]))
    with pytest.raises(ValueError, match=r"'text' of '.*' is no tensor"):
        migrate.convert(tmp_path / "b.npz", tmp_path / "a.ckpt")


@pytest.mark.skipif(HAS_TORCH, reason="PyTorch is installed")
def test_without_torch_no_pth_is_written(npz, tmp_path, capsys):
    assert main(["convert", str(npz), str(tmp_path / "a.pth")]) == 2
    assert "PyTorch must be installed" in capsys.readouterr().err
    assert not (tmp_path / "a.pth").exists()
