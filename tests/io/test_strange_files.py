"""Files of strangers: mutations of small files (`tests/fuzz`), and files made to do harm."""

import os
import shutil
from unittest import mock

import pytest

import sporax as ms
from sporax._src.runtime.compilation_cache import user_key
from sporax.io import program_file
from tests.fuzz.runner import Runner
from tests.io.reproducers import with_text, write_again

# what is quick: a case of each takes below 2 ms, and no code but Python's and Pillow's reads it
QUICK = [
    "ckpt", "ckpt, crc_check", "safetensors", "Checkpointer", "CelebA", "MindRecord, everything",
    "MindRecord, its database", "TFRecord", "Mnist", "Cifar10", "VOC Detection lists",
    "Coco @instances.json Stuff", "Decode PNG", "read_image TIFF", "YesNo", "CSV csv/head.csv",
    "Cifar10ToMR", "Vocab.from_file", "compile cache",
]  # fmt: skip
BAD = "leaks", "hangs", "crashes", "above 1 GB", "executed"


def problems(result):
    cases, tally, examples = result
    return examples if not cases or any(tally[name] for name in BAD) else {}


@pytest.mark.parametrize("name", QUICK)
def test_mutations(name, timer):
    from tests.fuzz import loaders, worker

    corpus = worker.Corpus(loaders.LOADERS[name])
    try:
        assert not problems(worker.run_cases(corpus, name, 0, 0, 50, seconds=0.15))
    finally:
        shutil.rmtree(corpus.folder)


@pytest.fixture(scope="module")
def fuzzed():
    """A process that reads mutations."""
    with Runner() as runner:
        yield runner


def pytest_generate_tests(metafunc):
    """A row for each loader, whose table takes a second to make, where slow rows are run."""
    if "loader" in metafunc.fixturenames:
        names = []
        if "not slow" not in metafunc.config.getoption("markexpr"):
            from tests.fuzz.loaders import LOADERS

            names = list(LOADERS)
        metafunc.parametrize("loader", names)


@pytest.mark.slow
def test_thousands_of_mutations(loader, fuzzed, request):
    """5,000, or as many as `--mutations` says; always the same ones."""
    count = request.config.getoption("--mutations")
    result = fuzzed.run(loader, 1, count)
    assert result[0] == count and not problems(result)


def test_each_module_that_reads_files_is_read_by_a_loader():
    from tests.fuzz import readers
    from tests.fuzz.loaders import LOADERS

    unknown = readers.in_source() ^ readers.READERS.keys()
    assert not unknown, "a module that opens files has a row in tests/fuzz/readers.py, no other has"
    named = {name for names in readers.READERS.values() for name in names}
    assert named <= LOADERS.keys() | readers.NOT_OF_STRANGERS.keys()


def test_a_cache_that_others_can_write_is_not_used(tmp_path):
    from sporax._src.runtime.compilation_cache.folder import Folder

    tmp_path.chmod(0o700)
    Folder(tmp_path).put("key", b"program")
    assert Folder(tmp_path).get("key") == b"program"
    tmp_path.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="others can write in .*chmod go-w"):
        assert Folder(tmp_path).get("key") is None


@pytest.mark.parametrize("harm", ["mode", "size", "link"])
def test_a_key_that_others_can_read_is_none(harm, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    code = user_key.code(b"x")
    key = user_key.path()
    assert len(code) == 32 and user_key.is_own(code, b"x") and key.stat().st_mode & 0o777 == 0o600
    if harm == "mode":
        key.chmod(0o644)
    elif harm == "size":
        key.write_bytes(b"short")
    else:
        key.rename(tmp_path / "there")
        os.symlink(tmp_path / "there", key)
    user_key._key.cache_clear()
    assert user_key.code(b"x") is None and not user_key.is_own(code, b"x")
    user_key._key.cache_clear()


# graphs --------------------------------------------------------------------------------------

CALL = "{target}(%arg0) {{api_version = {version} : i32{more}}} : (tensor<2x2xf32>) -> {result}"
ARRAY, PAIR = "tensor<2x2xf32>", "(tensor<2x2xf32>, tensor<2x2xi32>)"
TOP_K = (
    '%0:2 = stablehlo.composite "chlo.top_k" %arg0 {{composite_attributes = {{k = {k} : i64}}, '
    "decomposition = @d}} : (tensor<2x2xf32>) -> (tensor<2x{n}xf32>, tensor<2x{n}xi32>)\n"
    "return %arg0 : tensor<2x2xf32> }} func.func private @d(%a: tensor<2x2xf32>) -> "
    "(tensor<2x{n}xf32>, tensor<2x{n}xi32>) {{ %c = stablehlo.constant dense<0.0> : "
    "tensor<2x{n}xf32>\n%i = stablehlo.constant dense<0> : tensor<2x{n}xi32>\n"
    "return %c, %i : tensor<2x{n}xf32>, tensor<2x{n}xi32>"
)


def custom(target, version=1, more="", result=ARRAY):
    call = CALL.format(target=target, version=version, more=more, result=result)
    return f"%0 = stablehlo.custom_call @{call}\nreturn %arg0 : {ARRAY}"


def lapack(target, config, result):
    call = custom(target, 4, f", backend_config = {{{config}}}", result)
    return call.replace("%0 =", f"%0:{result.count('tensor')} =")


# what a program does -> what is said of it
HARMFUL = {
    "a callback": (custom("xla_python_cpu_callback", 2, ', backend_config = "94032"'), "harmless"),
    "a callback of the other interface": (
        lapack("xla_ffi_python_cpu_callback", "index = 94032 : ui64", f"({ARRAY})"), "harmless"),
    "top-k": (custom("TopK", 1, "", PAIR).replace("%0 =", "%0:2 ="), "harmless"),
    "top-k of other sizes": (TOP_K.format(k=2, n=9), "a top_k of the sizes"),
    "top-k of more than there are": (TOP_K.format(k=9, n=9), "a top_k of the sizes"),
    "LAPACK with a short result": (
        lapack("lapack_sgetrf_ffi", "", "(tensor<2x1xf32>, tensor<2xi32>, tensor<i32>)"),
        "the types of lapack_sgetrf_ffi|plain|attributes"),
    "a send": ("stablehlo.custom_call @Send() : () -> ()\nreturn %arg0 : " + ARRAY, "harmless"),
    "an infeed": (
        "%t = stablehlo.create_token : !stablehlo.token\nreturn %arg0 : " + ARRAY, "operations"),
    "a huge array": (
        "%0 = stablehlo.iota dim = 0 : tensor<1000000000000xf32>\nreturn %arg0 : " + ARRAY,
        "arrays of at most"),
    "calls without end": (
        f"%0 = call @main(%arg0) : ({ARRAY}) -> {ARRAY}\nreturn %0 : {ARRAY}", "calls that end"),
    "deep brackets": ("%0 = " + "(" * 10**5, "brackets in each other"),
    "a result of very many": (
        f"%0 = stablehlo.negate %arg0#1073741824 : {ARRAY}\nreturn %0 : {ARRAY}", "at most 9999"),
    "no text": ("\0", "plain text"),
}  # fmt: skip


@pytest.fixture
def graph(tmp_path):
    path = tmp_path / "a.mindir"
    ms.export(lambda x: x + 1, ms.ops.ones((2, 2)), file_name=str(path), file_format="MINDIR")
    return path


def loaded(path, body):
    text = f"module @m {{ func.func public @main(%arg0: {ARRAY}) -> {ARRAY} {{ {body} }} }}"
    write_again(path, with_text(lambda _: text), program_file.GRAPH)
    with mock.patch.object(user_key, "is_own", lambda *_: False):
        return ms.load(str(path))


def test_a_graph_of_somebody_else_is_loaded(graph):
    body = f"%0 = stablehlo.add %arg0, %arg0 : {ARRAY}\nreturn %0 : {ARRAY}"
    graph = loaded(graph, body)
    assert graph.origin and graph(ms.ops.ones((2, 2))).asnumpy().tolist() == [[2.0, 2.0]] * 2


@pytest.mark.parametrize("name", HARMFUL)
def test_a_graph_that_may_do_harm_is_not(name, graph):
    body, words = HARMFUL[name]
    with pytest.raises(ValueError, match=f"For 'load', '.*a.mindir' is no whole.*({words})"):
        loaded(graph, body)
