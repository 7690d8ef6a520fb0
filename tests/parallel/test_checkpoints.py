"""Checkpoints of many ranks, against what MindSpore made of the same strategies."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, parallel
from sporax.parallel import redundancy, strategy_file
from tests import records

RECORDED = records.read("rank_checkpoints")
CASES = RECORDED["cases"]


def save(folder, content, format="ckpt"):
    for rank, arrays in content.items():
        os.makedirs(folder / rank, exist_ok=True)
        entries = [
            {"name": n, "data": Tensor(np.array(a, np.float32))}
            for n, a in arrays.items()
            if n != "file"
        ]
        ms.save_checkpoint(entries, str(folder / rank / f"net-1_1.{format}"), format=format)


@pytest.fixture
def files(request, tmp_path):
    """(case, the paths of its strategy files, the folder with what ranks have before)."""
    case = CASES[request.param]
    paths = []
    for name in ("src", "dst"):
        paths.append(None if case[name] is None else str(tmp_path / f"{name}.ckpt"))
        if case[name] is not None:
            Path(paths[-1]).write_bytes(bytes.fromhex(case[name]))
    save(tmp_path / "before", case["before"])
    return case, paths, tmp_path


every_case = pytest.mark.parametrize("files", CASES, indirect=True)


@every_case
def test_transforms_as_mindspore_does(files):
    case, strategies, folder = files
    parallel.transform_checkpoints(
        str(folder / "before"), str(folder / "after"), "net", *strategies
    )
    for rank, wanted in case["after"].items():
        found = ms.load_checkpoint(str(folder / "after" / rank / wanted["file"]))
        assert {"file", *found} == wanted.keys()
        for name, p in found.items():
            np.testing.assert_array_equal(p.asnumpy(), wanted[name])
    assert len(list((folder / "after").iterdir())) == len(case["after"])


@every_case
def test_needs_no_more_ranks_than_mindspore(files):
    """Those of `transform_checkpoints` suffice: it reads no others."""
    case, strategies, _ = files
    for rank, wanted in enumerate(case["needed"]):
        needed = parallel.rank_list_for_transform(rank, *strategies)
        assert needed == sorted(needed, reverse=True)
        assert {*needed} <= {*wanted}
        assert parallel.rank_list_for_convert(rank, *strategies) == needed


@pytest.mark.parametrize(
    "files", [c for c in CASES if CASES[c]["redundancy"] is not None], indirect=True
)
def test_ranks_with_the_same_part(files):
    case, (path, _), _ = files
    layouts, ranks, stored = case["redundancy"]
    assert redundancy.parse_strategy_ckpt(path) == layouts
    found = redundancy.get_parameter_redundancy(path, 8)
    assert {name: [*map(list, groups)] for name, groups in found.items()} == ranks
    for copies, expected in enumerate(stored, 1):
        kept = redundancy.remove_param_redundancy(found, copies)
        assert {str(r): sorted(names) for r, names in kept.items()} == expected


def test_ranks_with_the_same_part_of_layouts_and_cells():
    layouts = {
        "w": [[2, 2, 2], [[2, 1], [-1]], [4, 4], 0, True, ""], "b": [[2, 2, 2], [0], [4], 0, True],
    }  # fmt: skip
    assert redundancy.get_parameter_redundancy(layouts) == {
        "b": ((0, 2, 4, 6), (1, 3, 5, 7)),
        "w": ((0, 1), (4, 5), (2, 3), (6, 7)),
    }
    assert redundancy.get_parameter_redundancy(nn.Dense(2, 1)) == {
        "bias": ((0,),),
        "weight": ((0,),),
    }
    with pytest.raises(TypeError, match="must be a file, a dict or a Cell, but got int"):
        redundancy.get_parameter_redundancy(3)


def test_a_rank_table(tmp_path):
    devices = [{"rank_id": str(r), "device_ip": f"10.0.0.{r}"} for r in (1, 0)]
    (tmp_path / "a.json").write_text(json.dumps({"server_list": [{"device": devices}]}))
    assert redundancy.parse_hccl_file(tmp_path / "a.json") == {1: "10.0.0.1", 0: "10.0.0.0"}
    (tmp_path / "b.json").write_text("{}")
    with pytest.raises(ValueError, match="must be JSON with a 'server_list'"):
        redundancy.parse_hccl_file(tmp_path / "b.json")


@every_case
def test_one_rank(files):
    case, strategies, folder = files
    before = {
        int(r.removeprefix("rank_")): str(folder / "before" / r / "net-1_1.ckpt")
        for r in case["before"]
    }
    for convert in (parallel.transform_checkpoint_by_rank, parallel.convert_checkpoint_by_rank):
        needed = {r: before[r] for r in case["needed"][0]}
        convert(0, needed, str(folder / "one.ckpt"), *strategies)
        found = ms.load_checkpoint(str(folder / "one.ckpt"))
        for name, p in found.items():
            np.testing.assert_array_equal(p.asnumpy(), case["after"]["rank_0"][name])


@every_case
def test_strategy_files_are_the_same_bytes(files):
    case, strategies, folder = files
    for name, path in zip(("src", "dst"), strategies, strict=True):
        if path is not None:
            message = strategy_file.decoded(bytes.fromhex(case[name]), strategy_file._STRATEGY_MAP)
            assert strategy_file.encoded(message).hex() == case[name]
            layouts = parallel.build_searched_strategy(path)
            as_json = str(folder / f"{name}.json")
            strategy_file.write(as_json, layouts)
            again = parallel.build_searched_strategy(as_json)
            assert repr(again) == repr(layouts)


@pytest.mark.parametrize(("parts", "layout", "wanted"), RECORDED["merges"])
def test_merges_as_mindspore_does(parts, layout, wanted):
    parts = [Parameter(Tensor(np.array(p, np.float32)), "w") for p in parts]
    strategy = {"w": strategy_file.layout(*layout)}
    merged = parallel.merge_sliced_parameter(parts, strategy)
    np.testing.assert_array_equal(merged.asnumpy(), wanted)
    assert merged.name == "w"


STAGED = "stages to whole"


@pytest.mark.parametrize("files", [STAGED], indirect=True)
def test_unified_and_loaded_again(files):
    """Joined into whole parameters, loaded into a network, and divided for other ranks."""
    case, (source, _), folder = files
    for content in case["before"].values():
        content["step"] = [3.0]
    save(folder / "src", case["before"], "safetensors")
    names = {"a": "a", "b": "renamed"}
    parallel.unified_safetensors(
        str(folder / "src"), source, str(folder / "dst"), choice_func=names.get
    )
    whole = case["after"]["rank_0"]
    found = ms.load_checkpoint(str(folder / "dst" / "part0.safetensors"), format="safetensors")
    for name, new in names.items():
        np.testing.assert_array_equal(found[new].asnumpy(), whole[name])
    notes = json.loads((folder / "dst" / "param_name_map.json").read_text("utf8"))
    assert notes["weight_map"] == dict.fromkeys(["a", "renamed"], "part0.safetensors")
    assert notes["metadata"]["total_size"] == 64
    others = ms.load_checkpoint(str(folder / "dst" / "hyper_param.safetensors"),
                                format="safetensors")  # fmt: skip
    assert others["step"].asnumpy() == 3
    network = nn.CellDict({})
    network.a = Parameter(ms.ops.zeros((4, 2)), name="a")
    parallel.load_distributed_checkpoint(
        network, format="safetensors", unified_safetensors_dir=str(folder / "dst")
    )
    np.testing.assert_array_equal(network.a.asnumpy(), whole["a"])
    strategy_file.write(str(folder / "two.ckpt"), {"a": strategy_file.layout([2], [0, -1])})
    parallel.load_distributed_checkpoint(
        None, format="safetensors", unified_safetensors_dir=str(folder / "dst"),
        predict_strategy=str(folder / "two.ckpt"), dst_safetensors_dir=str(folder / "again"),
    )  # fmt: skip
    second = ms.load_checkpoint(str(folder / "again" / "rank_1" / "net.safetensors"),
                                format="safetensors")  # fmt: skip
    np.testing.assert_array_equal(second["a"].asnumpy(), whole["a"][2:])


@pytest.mark.parametrize("files", ["rows to whole", "optimizer and columns"], indirect=True)
def test_loads_all_ranks_into_a_network(files):
    case, (source, _), folder = files
    network = nn.CellDict({})
    paths = [str(folder / "before" / f"rank_{r}" / "net-1_1.ckpt")
             for r in range(len(case["before"]))]  # fmt: skip
    layouts = parallel.build_searched_strategy(source)
    parts = np.array(case["before"]["rank_0"]["w"])
    whole = (4, 3) if parts.shape == (2, 3) else (8, 4)
    network.w = Parameter(ms.ops.zeros(whole), name="w")
    assert parallel.load_distributed_checkpoint(network, paths, None, source)
    np.testing.assert_array_equal(network.w.asnumpy(), np.arange(network.w.size).reshape(whole))
    half = {"w": [[2], [0, -1], [], 0]}
    network.w = Parameter(ms.ops.zeros((whole[0] // 2, whole[1])), name="w")
    parallel.load_distributed_checkpoint(network, paths, half, source)
    wanted = np.arange(np.prod(whole)).reshape(whole)[: whole[0] // 2]
    np.testing.assert_array_equal(network.w.asnumpy(), wanted)
    assert layouts.keys() == {"w"}


def test_a_rank_with_the_same_parts(tmp_path):
    strategy_file.write(str(tmp_path / "s.ckpt"), {
        "w": strategy_file.layout([2, 2], [0, -1]), "v": strategy_file.layout([2, 2], [-1]),
    })  # fmt: skip
    own = str(tmp_path / "rank_0" / "a.ckpt")
    assert parallel.get_ckpt_path_with_strategy(own, str(tmp_path / "s.ckpt")) is None
    for rank in (1, 2):
        os.makedirs(tmp_path / f"rank_{rank}")
        (tmp_path / f"rank_{rank}" / "a.ckpt").write_bytes(b"1")
    found = parallel.get_ckpt_path_with_strategy(own, str(tmp_path / "s.ckpt"))
    assert found == str(tmp_path / "rank_2" / "a.ckpt")


def parts_of(*shapes, name="w"):
    return [Parameter(ms.ops.zeros(shape), name=name) for shape in shapes]


EIGHT = {"w": strategy_file.layout([8], [0])}


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (TypeError, "must be a list", lambda: parallel.merge_sliced_parameter(3)),
        (ValueError, "must have elements", lambda: parallel.merge_sliced_parameter([])),
        (
            ValueError, "part 1 is ('w', (2, 3))",
            lambda: parallel.merge_sliced_parameter(parts_of((2, 2), (2, 3))),
        ),
        (
            KeyError, "must have the name 'v'",
            lambda: parallel.merge_sliced_parameter(parts_of((2,), name="v"), EIGHT),
        ),
        (
            ValueError, "each of the 8 ranks",
            lambda: parallel.merge_sliced_parameter(parts_of((2,)), EIGHT),
        ),
        (TypeError, "'rank_id' must be an int", lambda: parallel.rank_list_for_transform("0")),
        (
            ValueError, "must exist and not be empty",
            lambda: parallel.rank_list_for_transform(0, "nowhere.ckpt"),
        ),
        (
            ValueError, "must end with '.ckpt'",
            lambda: parallel.transform_checkpoint_by_rank(0, {}, "a.txt"),
        ),
        (
            ValueError, "file of rank 3 must exist",
            lambda: parallel.transform_checkpoint_by_rank(0, {3: "nowhere"}, "a.ckpt"),
        ),
        (
            NotADirectoryError, "must be a folder",
            lambda: parallel.convert_checkpoints("nowhere", "there", "a"),
        ),
        (
            NotADirectoryError, "must be a folder",
            lambda: parallel.merge_pipeline_strategys("nowhere", "there"),
        ),
        (
            ValueError, "must be a folder", lambda: parallel.load_segmented_checkpoints("nowhere"),
        ),
        (ValueError, "must be a folder", lambda: parallel.unified_safetensors("nowhere", "", "")),
        (
            ValueError, "must exist and not be empty",
            lambda: parallel.restore_group_info_list("nowhere"),
        ),
        (TypeError, "must be a string", lambda: parallel.restore_group_info_list(3)),
        (
            ValueError, "'checkpoint_filenames[0]' must be a file",
            lambda: parallel.load_distributed_checkpoint(nn.Dense(2, 2), ["a.txt"]),
        ),
    ],
)  # fmt: skip
def test_refusals(error, message, call):
    with pytest.raises(error, match=re.escape(message)):
        call()


def test_parts_that_are_missing_or_do_not_divide(tmp_path):
    strategy_file.write(str(tmp_path / "s.ckpt"), {"w": strategy_file.layout([2], [0])})
    strategy_file.write(str(tmp_path / "t.ckpt"), {"w": strategy_file.layout([4], [0])})
    source, target = str(tmp_path / "s.ckpt"), str(tmp_path / "t.ckpt")
    save(tmp_path / "before", {"rank_1": {"w": [1, 2, 3]}})
    one = {1: str(tmp_path / "before" / "rank_1" / "net-1_1.ckpt")}
    with pytest.raises(ValueError, match=r"only those of ranks \[1\] of 2"):
        parallel.transform_checkpoint_by_rank(0, one, str(tmp_path / "a.ckpt"), source)
    with pytest.raises(ValueError, match=r"dimension 0 of shape \(6,\) must be a multiple of 4"):
        parallel.transform_checkpoint_by_rank(0, one, str(tmp_path / "a.ckpt"), source, target)
    with pytest.raises(ValueError, match="checkpoint of rank 0 must be there"):
        parallel.transform_checkpoints(str(tmp_path / "before"), str(tmp_path / "x"), "a", source)
    (tmp_path / "bad.ckpt").write_bytes(b"\xff\xff\xff")
    with pytest.raises(TypeError, match="must be JSON"):
        parallel.build_searched_strategy(str(tmp_path / "bad.ckpt"))
