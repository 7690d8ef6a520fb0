"""Checkpoints, against files and results recorded from MindSpore (tools.record checkpoints)."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import nn
from sporax.io import atomic_write, checkpoint_protobuf, ckpt_file
from sporax.io.checkpoint_rotation import CheckpointManager
from tests import records
from tools.record.checkpoints import CONTENTS, EXTRAS, LONG, PIECE, counting, everything, load_case
from tools.record.checkpoints import loads as load_rows

RECORDED = records.FOLDER
WHOLE = str(RECORDED / "mindspore.ckpt")
LOADED = records.read("checkpoint_loads")


def assert_contents(result, expected):
    for name, (dtype, shape, begin) in expected.items():
        x = result[name]
        assert isinstance(x, ms.Parameter) and x.name == name and x.requires_grad
        assert (x.shape, x.dtype) == (shape, getattr(ms, "bool_" if dtype == "bool" else dtype))
        np.testing.assert_array_equal(
            x.asnumpy().astype("f8"), counting(dtype, shape, begin).astype("f8")
        )


def assert_extras(result):
    for name, value in EXTRAS.items():
        assert (result[name] if isinstance(value, str) else result[name].item()) == value


def small(**shapes):
    net = nn.Cell()
    for name, shape in shapes.items():
        setattr(net, name, ms.Parameter(np.zeros(shape, np.float32), name=name))
    return net


def one_named_a():
    return ms.Parameter(np.ones(1), name="a")


def both_named_a():
    net = small(a=(2,), b=(2,))
    net.b.name = "a"
    return net


# MindSpore's files ---------------------------------------------------------------------------

SLICED = {"long": LONG, "net.weight": CONTENTS["net.weight"]}


@pytest.mark.parametrize(
    ("file", "wanted", "options"),
    [
        ("mindspore", CONTENTS, {}),
        ("mindspore_sum", CONTENTS, {}),
        ("mindspore_sum", CONTENTS, {"crc_check": True}),
        ("mindspore_sliced", SLICED, {}),
    ],
)
def test_reads_what_mindspore_writes(file, wanted, options):
    result = ms.load_checkpoint(str(RECORDED / f"{file}.ckpt"), **options)
    assert list(result)[: len(wanted)] == list(wanted)
    assert_contents(result, wanted)
    if file == "mindspore":
        assert_extras(result)


@pytest.mark.parametrize(
    ("file", "options"),
    [("mindspore", {"append_dict": EXTRAS}), ("mindspore_sliced", {})],
)
def test_writes_the_bytes_that_mindspore_writes(file, options, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint_protobuf, "PIECE", PIECE)
    built = everything(ms)
    if file == "mindspore_sliced":
        # MindSpore cuts an array along its first axis or its bytes, so lengths of pieces may differ
        built = [{"name": "long", "data": ms.Tensor(counting(*LONG))}, *built[:1]]
    # 0-dimensional tensors are written with dims [0], as all versions read them; 2.10 writes none
    flat = [m for m in built if m["data"].shape]
    ms.save_checkpoint(flat, str(tmp_path / "a.ckpt"), choice_func=lambda name: True)
    actual = checkpoint_protobuf.read(
        memoryview((tmp_path / "a.ckpt").read_bytes()), ckpt_file.needed
    )
    expected = checkpoint_protobuf.read(
        memoryview((RECORDED / f"{file}.ckpt").read_bytes()), ckpt_file.needed
    )
    expected = [entry for entry in expected if entry.tag in {m["name"] for m in flat}]
    assert [(e.tag, e.dims, e.kind, b"".join(e.pieces)) for e in actual] == [
        (e.tag, e.dims, e.kind, b"".join(e.pieces)) for e in expected
    ]
    if file == "mindspore_sliced":
        assert (tmp_path / "a.ckpt").read_bytes() == (RECORDED / f"{file}.ckpt").read_bytes()


def test_an_encrypted_file_is_told_apart():
    with pytest.raises(ValueError, match=r"it is encrypted.* save it without 'enc_key'"):
        ms.load_checkpoint(str(RECORDED / "mindspore_encrypted.ckpt"))


# load_param_into_net as MindSpore does it ----------------------------------------------------


@pytest.mark.parametrize(
    ("text", "net", "entries", "strict"), [pytest.param(*row, id=row[0]) for row in load_rows()]
)
def test_loads_into_a_net_as_mindspore_does(text, net, entries, strict):
    assert load_case(ms, net, entries, strict) == LOADED[text]


def test_a_shape_that_differs_by_ones_becomes_the_nets():
    net = small(a=(2,))
    ms.load_param_into_net(net, {"a": ms.Parameter(np.ones((2, 1), np.float32), name="a")})
    assert net.a.shape == (2,)  # MindSpore 2.10 gives the parameter the file's shape here


def test_nothing_is_loaded_unless_everything_fits(tmp_path):
    ms.save_checkpoint(
        {"a": np.ones(2, np.float32), "b": np.ones(3, np.float32)}, str(tmp_path / "x.ckpt")
    )
    net = small(a=(2,), b=(4,))
    with pytest.raises(RuntimeError, match=r"'b' of '.*x\.ckpt' .* must be \(4,\), but is \(3,\)"):
        ms.load_checkpoint(str(tmp_path / "x.ckpt"), net)
    assert net.a.asnumpy().tolist() == [0, 0]


# there and back ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{}, {"crc_check": True}, {"async_save": True}, {"async_save": "process"}], ids=str
)
def test_there_and_back(options, tmp_path):
    path = str(tmp_path / "all.ckpt")
    ms.save_checkpoint(everything(ms), path, append_dict=EXTRAS, **options)
    result = ms.load_checkpoint(path, crc_check=options.get("crc_check", False))
    assert_contents(result, CONTENTS)
    assert_extras(result)
    assert not ms.async_ckpt_thread_status()
    assert [p.name for p in tmp_path.iterdir()] == ["all.ckpt"]


@pytest.mark.parametrize("shape", [(0,), (0, 3), (1,), ()], ids=str)
def test_odd_shapes_there_and_back(shape, tmp_path):
    path = str(tmp_path / "odd.ckpt")
    ms.save_checkpoint({"x": np.ones(shape, np.float32)}, path)
    assert ms.load_checkpoint(path)["x"].shape == shape


def test_pieces_are_put_together(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint_protobuf, "PIECE", 1000)
    x = np.arange(999.0)
    ms.save_checkpoint({"x": x, "y": np.ones(1)}, str(tmp_path / "a.ckpt"))
    np.testing.assert_array_equal(ms.load_checkpoint(str(tmp_path / "a.ckpt"))["x"].asnumpy(), x)


def test_two_files_in_one_are_one_checkpoint(tmp_path):
    for name in "ab":
        own = {"x": np.full(3, ord(name)), name: np.ones(1)}
        ms.save_checkpoint(own, str(tmp_path / f"{name}.ckpt"))
    both = tmp_path / "both.ckpt"
    both.write_bytes((tmp_path / "a.ckpt").read_bytes() + (tmp_path / "b.ckpt").read_bytes())
    result = ms.load_checkpoint(str(both))
    assert list(result) == ["x", "a", "b"] and result["x"].asnumpy().tolist() == [98] * 3


@pytest.mark.parametrize(
    ("chosen", "wanted"),
    [
        ({"choice_func": lambda name: name.endswith("i8")}, "net.i8"),
        ({"specify_prefix": "net.i"}, "net.i8 net.i16 net.i32 net.i64"),
        ({"specify_prefix": ["net.i"], "filter_prefix": ("net.i1", "net.i6")}, "net.i8 net.i32"),
        ({"specify_prefix": "net.i8", "choice_func": lambda name: False}, "net.i8"),
    ],
)
def test_chooses_by_name(chosen, wanted):
    assert list(ms.load_checkpoint(WHOLE, **chosen)) == wanted.split()


def test_an_asynchronous_save_keeps_the_numbers_of_its_call(tmp_path, monkeypatch):
    def slowly(*entry, write=checkpoint_protobuf.write):
        time.sleep(0.2)
        return write(*entry)

    monkeypatch.setattr(checkpoint_protobuf, "write", slowly)
    net = small(a=(3,))
    ms.save_checkpoint(net, str(tmp_path / "a"), async_save=True)
    assert ms.async_ckpt_thread_status()
    net.a.set_data(ms.Tensor(np.ones(3, np.float32)))
    assert ms.load_checkpoint(str(tmp_path / "a.ckpt"))["a"].asnumpy().tolist() == [0, 0, 0]


def test_loads_in_a_thread(tmp_path):
    net = small(a=(3,))
    for format in ("ckpt", "safetensors"):
        path = str(tmp_path / f"a.{format}")
        ms.save_checkpoint({"a": np.full(3, len(format), np.float32)}, path, format=format)
        result = ms.load_checkpoint_async(path, net).result()
        assert list(result) == ["a"] and net.a.asnumpy().tolist() == [len(format)] * 3
    with pytest.raises(ValueError, match="does not exist"):
        ms.load_checkpoint_async(str(tmp_path / "none.ckpt")).result()


def test_a_state_of_random_numbers_can_be_kept(tmp_path):
    class Source:  # as a Generator
        def get_state(self):
            return ms.Tensor([1, 2, 3], ms.uint8)

    ms.save_checkpoint([], str(tmp_path / "a.ckpt"), append_dict={"random": Source()})
    result = ms.load_checkpoint(str(tmp_path / "a.ckpt"))
    assert result["random"].asnumpy().tolist() == [1, 2, 3]


# bad files -----------------------------------------------------------------------------------


def damaged(whole, how):
    if isinstance(how, int):
        return whole[:how]
    return {
        "empty": b"",
        "text": b"this is no checkpoint",
        "zip": b"PK\x03\x04" + bytes(100),
        "noise": np.random.default_rng(0).bytes(300),
        "short content": whole.replace(b"\x08\x02\x08\x03", b"\x08\x02\x08\x04", 1),
        "unknown type": whole.replace(b"Float32", b"Float33", 1),
        "map": b"\x0a\x06\x0a\x01m\x1a\x01x",
        "sum": whole[:20] + b"!" + whole[21:],
    }[how]


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("empty", "the file is empty"),
        ("text", "is no whole MindSpore checkpoint"),
        ("zip", "is no whole MindSpore checkpoint"),
        ("noise", "is no whole MindSpore checkpoint"),
        ("short content", r"at 'net\.weight': Float32 \(2, 4\) takes 32 bytes, but it has 24"),
        ("unknown type", r"at 'net\.weight': it has the type 'Float33'"),
        ("map", "MapParameter, which sporax does not have yet"),
        (3, "the file ends at byte 3, 52 bytes too early"),
        (60, r"bytes too early .*the last whole value is 'net\.weight'"),
        (-1, "the last whole value is"),
        (1, "it ends in the middle of a number, at byte 1"),
    ],
)
def test_a_damaged_file_is_refused_and_the_net_left_alone(how, says, tmp_path):
    path = tmp_path / "damaged.ckpt"
    path.write_bytes(damaged(Path(WHOLE).read_bytes(), how))
    net = small(weight=(2, 3))
    with pytest.raises(ValueError, match=says) as refusal:
        ms.load_checkpoint(str(path), net)
    assert str(path) in str(refusal.value)
    assert not net.weight.asnumpy().any()


def test_every_cut_of_a_file_is_refused_or_leaves_whole_values(tmp_path):
    whole = Path(WHOLE).read_bytes()
    path = tmp_path / "cut.ckpt"
    complete = ms.load_checkpoint(WHOLE)
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        try:
            result = ms.load_checkpoint(str(path))
        except ValueError as error:
            assert str(path) in str(error)
        else:  # cut between two values, which nothing in the format shows
            assert list(result) == list(complete)[: len(result)]


def test_a_wrong_checksum_is_refused(tmp_path):
    path = tmp_path / "sum.ckpt"
    path.write_bytes(damaged((RECORDED / "mindspore_sum.ckpt").read_bytes(), "sum"))
    with pytest.raises(ValueError, match="checksum does not fit"):
        ms.load_checkpoint(str(path), crc_check=True)
    with pytest.raises(ValueError, match="has no checksum"):
        ms.load_checkpoint(WHOLE, crc_check=True)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda f: ms.save_checkpoint(3, f), TypeError, "'save_obj' must be a Cell"),
        (lambda f: ms.save_checkpoint({"a": 1.0}, f), TypeError, "got float by 'a'"),
        (lambda f: ms.save_checkpoint([ms.Tensor(1)], f), TypeError, "'name' and 'data'"),
        (lambda f: ms.save_checkpoint({}, f, append_dict={"a": [1]}), TypeError, "got list by 'a'"),
        (lambda f: ms.save_checkpoint({}, 3), TypeError, "'ckpt_file_name' must be a path"),
        (lambda f: ms.save_checkpoint({}, "/"), IsADirectoryError, "is a folder"),
        (lambda f: ms.save_checkpoint({}, "/none/x.ckpt"), FileNotFoundError, "does not exist"),
        (lambda f: ms.save_checkpoint({}, f, format="x"), ValueError, "'format' must be one of"),
        (lambda f: ms.save_checkpoint({}, f, enc_key=b"k"), NotImplementedError, "encryption"),
        (lambda f: ms.save_checkpoint({}, f, async_save="x"), ValueError, "'async_save' must be"),
        (lambda f: ms.save_checkpoint({}, f, integrated_save=3), TypeError, "must be a bool"),
        (lambda f: ms.save_checkpoint({}, f, enc_key="k"), TypeError, "'enc_key' must be bytes"),
        (lambda f: ms.save_checkpoint({}, f, choice_func=3), TypeError, "must be a function"),
        (lambda f: ms.save_checkpoint({}, f, spelled=3), TypeError, "unexpected .* 'spelled'"),
        (lambda f: ms.save_checkpoint({}, f, remove_redundancy=True), NotImplementedError, "one"),
        (lambda f: ms.load_param_into_net(small(), {}, remove_redundancy=True), TypeError, "Merge"),
        (lambda f: ms.load_checkpoint(f), ValueError, "does not exist"),
        (lambda f: ms.load_checkpoint("x.txt"), ValueError, "must end in '.ckpt'"),
        (lambda f: ms.load_checkpoint(f, dec_key=b"k"), NotImplementedError, "encryption"),
        (lambda f: ms.load_checkpoint(f, filter_prefix=""), ValueError, "must not be empty"),
        (lambda f: ms.load_checkpoint(f, filter_prefix=3), TypeError, "must be a string or"),
        (lambda f: ms.load_checkpoint(WHOLE, choice_func=str.isupper), ValueError, "is chosen"),
        (lambda f: ms.load_param_into_net(3, {}), TypeError, "'net' must be a Cell"),
        (lambda f: ms.load_param_into_net(small(), []), TypeError, "must be a dict"),
        (lambda f: ms.load_param_into_net(small(), {"a": ms.Tensor(1)}), TypeError, "got Tensor"),
        (
            lambda f: ms.save_checkpoint([one_named_a(), one_named_a()], f), ValueError,
            r"names, but \['a'\]",
        ),
        (lambda f: ms.save_checkpoint(both_named_a(), f), ValueError, r"names, but \['a'\]"),
    ],
)  # fmt: skip
def test_refusals(call, error, says, tmp_path):
    with pytest.raises(error, match=says):
        call(str(tmp_path / "a.ckpt"))
    assert not list(tmp_path.iterdir())


def test_a_parameter_listed_twice_is_saved_once(tmp_path):
    ms.save_checkpoint([one_named_a()] * 2, str(tmp_path / "a.ckpt"))
    assert list(ms.load_checkpoint(str(tmp_path / "a.ckpt"))) == ["a"]


# which files stay ----------------------------------------------------------------------------


def test_old_files_go(tmp_path, caplog):
    manager = CheckpointManager()
    times = {"net-1_5.ckpt": 100, "net-2_5.ckpt": 200, "net_1-1_5.ckpt": 1, "net-3_5.ckpt": 900}
    for name, seconds in {**times, "net-x.ckpt": 2, "net-4_5.txt": 3, "net.ckpt": 4}.items():
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (seconds, seconds))

    def names():
        manager.update_ckpoint_filelist(str(tmp_path), "net")
        return sorted(os.path.basename(path) for path in manager.ckpoint_filelist)

    assert names() == ["net-1_5.ckpt", "net-2_5.ckpt", "net-3_5.ckpt"]
    manager.keep_one_ckpoint_per_minutes(15, 1050)
    assert names() == ["net-1_5.ckpt", "net-2_5.ckpt"]
    manager.remove_oldest_ckpoint_file()
    assert names() == ["net-2_5.ckpt"] and manager.ckpoint_num == 1
    manager.remove_ckpoint_file(str(tmp_path / "none.ckpt"))
    assert "could not be removed" in caplog.text


# atomicity -----------------------------------------------------------------------------------

KILLED = textwrap.dedent("""
    import sys, time
    import numpy as np
    import sporax
    from sporax.io import checkpoint_protobuf

    def slowly(name, *entry, write=checkpoint_protobuf.write):
        if name == "p5":
            print("half", flush=True)
            time.sleep(60)
        return write(name, *entry)

    checkpoint_protobuf.write = slowly
    many = {f"p{i}": np.ones(1000) for i in range(20)}
    sporax.save_checkpoint(many, sys.argv[1])
""")


def test_a_killed_save_leaves_the_old_file_whole(tmp_path):
    path = tmp_path / "a.ckpt"
    ms.save_checkpoint({"old": np.ones(3)}, str(path))
    before = path.read_bytes()
    command, root = [sys.executable, "-c", KILLED, str(path)], Path(__file__).parents[2]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root)
    assert child.stdout.readline().strip() == b"half"
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert path.read_bytes() == before
    assert list(ms.load_checkpoint(str(path))) == ["old"]


def test_a_failed_save_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.ckpt"
    path.write_bytes(b"old")

    with pytest.raises(OSError, match="no space"), atomic_write.replacing(str(path)) as part:
        Path(part).write_bytes(b"new")
        raise OSError("no space")
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["a.ckpt"]


def test_a_link_keeps_pointing(tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.ckpt"
    link.symlink_to(tmp_path / "real" / "a.ckpt")
    ms.save_checkpoint({"x": np.ones(1)}, str(link))
    assert link.is_symlink() and list(ms.load_checkpoint(str(link))) == ["x"]
