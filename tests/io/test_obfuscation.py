"""`obfuscate_ckpt` writes what MindSpore 2.10 writes (`tools.record obfuscation`), and the
network computes with it what it did."""

import importlib
import sys

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, load_obf_params_into_net, obfuscate_ckpt
from tests import records

pytestmark = pytest.mark.usefixtures("on_numpy")
ANSWERS = records.read("obfuscation")
X = Tensor(np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3))


@pytest.fixture(scope="module")
def cases():
    if "mindspore" not in sys.modules:
        ms.install_as_mindspore()
    return importlib.import_module("tests.io.obfuscation_cases")


@pytest.mark.parametrize("name", ANSWERS)
def test_files_are_mindspores(name, cases, tmp_path):
    got, expected = cases.obfuscated(name, str(tmp_path)), ANSWERS[name]
    assert got["metadata"] == expected["metadata"]
    for path, parameters in expected["files"].items():
        assert got["files"][path].keys() == parameters.keys()
        for key, values in parameters.items():
            np.testing.assert_allclose(got["files"][path][key], values, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("kind", "settings", "count"),
    [
        ("Net", {"target_modules": ["backbone", "dense1|dense2"]}, 1),
        ("Net", {"target_modules": ["", "head"]}, 1),
        ("Blocks", {"target_modules": ["blocks/backbone", "dense1|dense2"]}, 3),
        ("Blocks", {"target_modules": ["blocks", "head", "obfuscate_layers:2"]}, 2),
        ("Net", {"obf_config": {
            "obf_metadata_config": [
                {"name": "obf_metadata_${layer}", "shape": [1], "type": "random",
                 "save_metadata": True, "metadata_op": "invert", "layers": [1, 2]}],
            "weight_obf_config": [
                {"target": "backbone/dense${layer}/" + part, "layers": [1, 2],
                 "weight_obf_ops": [{"name": "mul", "input_y": "obf_metadata_${layer}"}]}
                for part in ("weight", "bias")],
            "network_obf_config": [
                {"module": "/backbone", "target": "dense${layer}", "layers": [1, 2],
                 "insert_ops": [{"name": "mul", "input_y": "obf_metadata_${layer}"}]}]}}, 2),
    ],
    ids=["path", "top", "list", "layers", "config"],
)  # fmt: skip
@pytest.mark.parametrize("wrap", [lambda f: f, ms.jit], ids=["dynamic", "jit"])
def test_the_network_computes_what_it_did(kind, settings, count, wrap, cases, tmp_path):
    network = cases.fill(getattr(cases, kind)())
    expected = network(X).asnumpy()
    ms.save_checkpoint(network, str(tmp_path / "a.ckpt"))
    metadata = obfuscate_ckpt(network, str(tmp_path), saved_path=str(tmp_path), **settings)
    assert len(metadata) == count
    changed = getattr(cases, kind)()
    ms.load_param_into_net(changed, ms.load_checkpoint(str(tmp_path / "a_obf.ckpt")))
    assert load_obf_params_into_net(changed, **settings) is changed
    assert np.abs(changed(X).asnumpy() - expected).max() > 0.1
    names = [p.name for p in changed.get_parameters()]
    restored = load_obf_params_into_net(changed, obf_ratios=metadata, **settings)
    # what is kept of the numbers are inverses in Float16
    np.testing.assert_allclose(wrap(restored)(X).asnumpy(), expected, rtol=5e-3, atol=5e-3)
    assert [p.name for p in restored.get_parameters()] == names


OBFUSCATE = [
    (lambda net, at: obfuscate_ckpt(1, at, ["backbone", "dense1"]), TypeError, "'network' must be"),
    (lambda net, at: obfuscate_ckpt(net, 3, ["a", "b"]), TypeError, "'ckpt_files' must be a str"),
    (lambda net, at: obfuscate_ckpt(net, "/no", ["a", "b"]), ValueError, "'/no' is not there"),
    (lambda net, at: obfuscate_ckpt(net, at, None), TypeError, "'target_modules' must be a list"),
    (lambda net, at: obfuscate_ckpt(net, at, ["backbone"]), ValueError, "such as"),
    (lambda net, at: obfuscate_ckpt(net, at, ["backbone", 1]), TypeError, "must be strings"),
    (lambda net, at: obfuscate_ckpt(net, at, ["x", "y"]), ValueError, "no Cell 'x' in Net"),
    (lambda net, at: obfuscate_ckpt(net, at, ["backbone", "q"]), ValueError, r"none of \['q'\]"),
    (lambda net, at: obfuscate_ckpt(net, at, ["backbone", "a b"]), ValueError, "of letters"),
    (lambda net, at: obfuscate_ckpt(net, at, ["backbone", "dense1", "obfuscate_layers:x"]),
     ValueError, "the third of 'target_modules'"),
    (lambda net, at: obfuscate_ckpt(net, at, ["backbone", "dense1"], obfuscate_scale=1),
     ValueError, "larger than 1, but got 1"),
    (lambda net, at: obfuscate_ckpt(net, at, obf_config={}), ValueError, "must have lists"),
    (lambda net, at: obfuscate_ckpt(net, at, obf_config=3), TypeError, "must be a dict"),
    (lambda net, at: load_obf_params_into_net(net, ["backbone", "dense1"], data_parallel_num=0),
     ValueError, "'data_parallel_num'"),
    (lambda net, at: load_obf_params_into_net(net, ["backbone", "dense1"], {}),
     KeyError, "must have 'obf_metadata'"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "words"), OBFUSCATE, ids=[row[2] for row in OBFUSCATE])
def test_bad_input_is_refused(call, error, words, cases, tmp_path):
    with pytest.raises(error, match=words):
        call(cases.Net(), str(tmp_path))
    assert not list(tmp_path.iterdir())
