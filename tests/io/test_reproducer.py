"""Files that reproduce a program that is compiled wrongly: what is written, and what is read."""

import os
import re
import stat

import numpy as np
import pytest
from safetensors.numpy import load_file

import sporax as ms
from sporax import ops
from sporax._src.versions import JAXLIB
from sporax.io import portable_program, reproducer
from sporax.io.corrupt_file import CorruptFile
from sporax.io.reproducer import Reproducer
from tests.io.reproducers import X, located, tanh_sum, with_text, write, write_again

SUMS = np.tanh(X.astype(np.float64)).sum(1)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path, _ = write(tmp_path_factory.mktemp("files"), tanh_sum())
    return path


@pytest.fixture
def copy(whole, tmp_path):
    path = tmp_path / whole.name
    path.write_bytes(whole.read_bytes())
    return path


def test_what_is_in_a_file(whole):
    assert re.fullmatch(r"sum-[0-9a-f]{12}\.reproducer", whole.name)
    assert stat.S_IMODE(whole.stat().st_mode) == 0o600
    arrays = load_file(whole)  # by another reader
    np.testing.assert_array_equal(arrays["input/0"], X)
    np.testing.assert_allclose(arrays["expected/0"], SUMS, rtol=1e-6)
    assert b"stablehlo.tanh" in arrays["program/text"].tobytes()
    header = Reproducer(whole).header
    assert header["program"]["stablehlo"] == "1.17.0"
    assert header["operation"] == "sum" and "reproducers.py:" in header["where"]
    assert {"jax", "jaxlib", "processor", "python"} <= header["written by"].keys()


def test_the_same_program_has_one_file(tmp_path):
    assert write(tmp_path, tanh_sum()) == write(tmp_path, tanh_sum())
    assert len([*tmp_path.iterdir()]) == 1


def test_numbers_and_several_results(tmp_path):
    """Python numbers, whole numbers and bfloat16 as operands; a result of each."""
    x = np.arange(6, dtype=np.int32)
    expected = [x * 2, (x * 0.5).astype(np.float32), np.float32(15.0)]
    part = located(
        lambda x: (x * 2, x * 0.5, x.astype(ms.bfloat16).sum().astype(ms.float32)), expected, x
    )
    path, _ = write(tmp_path, part)
    assert Reproducer(path).difference(None) is None


# of a file that is whole, with its checksum: what is computed, and whether that is as expected
def expect(change):
    def changed(_, arrays):
        change(arrays["expected/0"])

    return changed


RESULTS = {
    "as it is": (lambda *_: None, ""),
    "rounded otherwise": (expect(lambda a: np.nextafter(a, np.float32(9), out=a)), ""),
    "one element": (expect(lambda a: a.__setitem__(1, 9.0)), "1 of 3 .* in place of 9.0"),
    "not a number": (expect(lambda a: a.__setitem__(2, np.nan)), "1 of 3 .* in place of nan"),
    "another program": (
        with_text(lambda t: t.replace("stablehlo.tanh", "stablehlo.cosine")), "elements differ"),
    "another order": (
        with_text(lambda t: t.replace("stablehlo.tanh", "stablehlo.negate")), "elements differ"),
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_results(name, copy):
    change, words = RESULTS[name]
    write_again(copy, change)
    found = Reproducer(copy).difference(None)
    assert (found is None) == (not words) and re.search(words, str(found))


# what is no file --------------------------------------------------------------------------------

CALL = (
    '%5 = stablehlo.custom_call @{}(%arg0) {{api_version = 2 : i32, backend_config = "94032"}} : '
    "(tensor<3x4xf32>) -> tensor<3x4xf32>\n    %0 = stablehlo.tanh"
)


def call(target):
    return with_text(lambda t: t.replace("%0 = stablehlo.tanh", CALL.format(target)))


def header(**changes):
    def changed(head, _):
        for names, value in changes.items():
            *path, name = names.split("__")
            inner = head
            for each in path:
                inner = inner[each]
            inner[name] = value

    return changed


def without(name):
    return lambda _, arrays: arrays.pop(name)


def array(name, value):
    return lambda _, arrays: arrays.__setitem__(name, value)


TEXT = portable_program.TEXT
STRANGE = {
    "a callback": (call("xla_python_cpu_callback"), "no custom calls, but has one of 'xla_python"),
    "LAPACK": (call("lapack_spotrf_ffi"), "no custom calls, but has one of 'lapack_spotrf_ffi'"),
    "an infeed": (with_text(lambda t: t.replace(
        "%0 = stablehlo.tanh", "%t = stablehlo.create_token : !stablehlo.token\n%0 = stablehlo.tanh"
    )), "operations that sporax writes"),
    "no program": (with_text(lambda t: "module {"), "its program cannot be read"),
    "no text": (with_text(lambda t: "\0"), "must have plain text"),
    "text that is none": (array(TEXT, np.full(9, 255, np.uint8)), "its header is none: .*decode"),
    "a text of numbers": (array(TEXT, np.zeros(9, np.float32)), "its program is none"),
    "an operation unknown": (
        with_text(lambda t: t.replace("stablehlo.tanh", "stablehlo.tanhh")), "cannot be read"),
    "a huge array": (with_text(lambda t: t.replace("%0 = stablehlo.tanh", 
        "%7 = stablehlo.iota dim = 0 : tensor<1000000000000xf32>\n%0 = stablehlo.tanh")),
        "arrays of at most"),
    "other types": (array("input/0", np.zeros((9, 4), np.float32)), "must have a function"),
    "operands that lack": (without("input/0"), "for other inputs"),
    "results that lack": (without("expected/0"), "its tolerance is none"),
    "a program that lacks": (without(TEXT), f"KeyError: '{TEXT}'"),
    "a header that lacks": (lambda head, _: head.pop("tolerance"), "KeyError: 'tolerance'"),
    "a tolerance of words": (header(tolerance=["much", 1, None]), "its header is none"),
    "a spread of nothing": (header(tolerance=[1e-7, 1, []]), "its tolerance is none"),
    "fewer steps than none": (header(tolerance=[1e-7, -1, None]), "its tolerance is none"),
    "a spread of words": (header(tolerance=[1e-7, 1, [["a", 1]]]), "its header is none"),
    "a device of no name": (header(program__platforms=[3]), "or several devices"),
    "several devices": (header(program__platforms=["cpu", "cuda"]), "or several devices"),
    "inputs that are not there": (header(program__kept=[0, 7]), "for other inputs"),
    "StableHLO in words": (header(program__stablehlo="new"), "does not say which StableHLO"),
    "a name that is none": (header(program__name=3), "for other inputs"),
    "StableHLO of later": (
        lambda head, arrays: (header(program__stablehlo="99.0.0")(head, arrays),
                              with_text(lambda t: "new words")(head, arrays)),
        r"is StableHLO 99.0.0, and jaxlib .* has 1\.\d+\.\d+ \(its program cannot be read"),
}  # fmt: skip


@pytest.mark.parametrize("name", STRANGE)
def test_strange_programs_are_not_run(name, copy):
    change, words = STRANGE[name]
    write_again(copy, change)
    with pytest.raises(CorruptFile, match=words):
        Reproducer(copy)


def at(place, new):
    return lambda content: content[:place] + new + content[place + len(new) :]


def cut(size):
    return lambda content: content[:size]


DAMAGED = {
    "nothing": (cut(0), "does not begin as one"),
    "its first bytes": (cut(20), "does not begin as one"),
    "half of the header": (cut(300), "it is cut short"),
    "all but the last byte": (cut(-1), "it is cut short"),
    "one byte more": (lambda content: content + b"\0", "it is cut short, or has not the arrays"),
    "another bit": (lambda c: at(len(c) - 300, bytes([c[-300] ^ 1]))(c), "checksum does not fit"),
    "another word": (lambda c: c.replace(b'\\"sum\\"', b'\\"cos\\"'), "checksum does not fit"),
    "another version": (
        lambda c: c.replace(b"version 3\\n", b"version 9\\n"), "version is 9, and this sporax"),
    "another kind": (lambda c: c.replace(b"wrongly;", b"nicely!;"), "it is 'rep.*, not a reprod"),
    "no checksum": (lambda c: re.sub(rb"\\n[0-9a-f]{64} ", rb"\\n" + b"z" * 64 + b" ", c),
                    "checksum does not fit"),
    "a long header": (at(0, b"\xff" * 7 + b"\0"), "it is cut short"),
    "a claimed size": (
        lambda c: c.replace(b'"shape":[3,4]', b'"shape":[9,9]'), "it is cut short, or has not"),
    "a pickle": (lambda _: b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00.", "not begin as one"),
    "MindSpore's": (lambda _: b"\x0a\x050.1.0", "files of MindSpore's own cannot be read"),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_files(name, copy):
    change, words = DAMAGED[name]
    content = change(copy.read_bytes())
    assert content != copy.read_bytes()
    copy.write_bytes(content)
    with pytest.raises(CorruptFile, match=words):
        Reproducer(copy)


def test_a_file_of_any_size_is_not_read(tmp_path):
    path = tmp_path / "large.reproducer"
    with open(path, "wb") as file:
        file.truncate(2**40)
    with pytest.raises(CorruptFile, match="it has more than"):
        Reproducer(path)


# where there is none ----------------------------------------------------------------------------


def test_large_operands_are_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(reproducer, "MOST_BYTES", 100)
    path, why = write(tmp_path / "files", tanh_sum())
    # jaxlib 0.10 writes a called jaxpr as a function of its own
    size = "1.38 kB" if JAXLIB.startswith("0.10.") else "1.1 kB"
    assert path is None and why == f"operands and results take {size}"
    assert not (tmp_path / "files").exists()


def test_programs_with_calls_are_not_written(tmp_path):
    x = np.eye(3, dtype=np.float32) * 4
    part = located(lambda x: ops.cholesky(x), [np.linalg.cholesky(x)], x)
    path, why = write(tmp_path, part)
    assert path is None and "its program must have no custom calls" in why


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").touch()
    path, why = write(tmp_path / "file" / "folder", tanh_sum())
    assert path is None and "Not a directory" in why


FOLDERS = [
    ({}, "{home}/.cache/sporax/reproducers"),
    ({"XDG_CACHE_HOME": "/else"}, "/else/sporax/reproducers"),
    ({"SPORAX_CACHE_DIR": "/programs"}, "{home}/.cache/sporax/reproducers"),
    ({"SPORAX_CACHE_DIR": "off"}, None),
    ({"SPORAX_CACHE_DIR": "off", "SPORAX_VERIFY_FILES": "/here"}, "/here"),
    ({"SPORAX_VERIFY_FILES": "off"}, None),
]


@pytest.mark.parametrize("variables, expected", FOLDERS)
def test_folders(variables, expected, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CACHE_HOME", "SPORAX_CACHE_DIR", "SPORAX_VERIFY_FILES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found = reproducer.chosen_folder()
    assert found is None if expected is None else str(found) == expected.format(home=tmp_path)


def test_only_its_own_folder_is_bounded(tmp_path, monkeypatch):
    """A folder that the user names keeps all of its files."""
    monkeypatch.setattr(reproducer, "_KEPT_BYTES", 0)
    (tmp_path / "mine").write_text("text")
    path, _ = write(tmp_path, tanh_sum())
    assert path.exists() and (tmp_path / "mine").exists()
    monkeypatch.setattr(reproducer, "default_folder", lambda: tmp_path)
    write(tmp_path, tanh_sum())
    assert not os.listdir(tmp_path)
