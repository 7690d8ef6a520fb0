"""Rows of the table of loaders: checkpoints in parts, strategies, settings, programs of Python."""

import dataclasses
import json
from unittest import mock

import numpy as np

import sporax as ms
from sporax import data as ds
from sporax import insight, migrate, nn, parallel
from sporax._src.workbench.cli import check
from sporax.data import vision
from sporax.insight import run_files
from sporax.migrate import module_run
from sporax.parallel import redundancy, strategy_file
from sporax.train import recorder
from sporax.train.boost import dim_reduce
from sporax.train.dynamic_profiler import DynamicProfilerMonitor
from tests.fuzz import file_formats, mutations
from tests.fuzz.loader_table import LOADERS, add

# checkpoints of ranks, and how they are divided -------------------------------------------------

_CHECKPOINTS = {"*/*.ckpt": mutations.protobuf, "*.ckpt": mutations.protobuf}


def write_ranks(form, ending="ckpt"):
    """Checkpoints of two ranks, and the strategies before and after; `form`: of the strategies."""

    def write(folder):
        for rank in range(2):
            weights = [{"name": "w", "data": ms.Tensor([[float(rank), 2.0]])},
                       {"name": "b", "data": ms.Tensor([1.0])}]  # fmt: skip
            path = folder / "before" / f"rank_{rank}"
            path.mkdir(parents=True)
            ms.save_checkpoint(weights, str(path / f"a.{ending}"), format=ending)
        strategies = {"s": ([2], [0, -1]), "t": ([1, 2], [-1, 0])}
        for name, (grid, axes) in strategies.items():
            layout = strategy_file.layout(grid, axes)
            strategy_file.write(f"{folder}/{name}.{form}", {"w": layout})

    return write


def transformed(form):
    def load(folder):
        parallel.transform_checkpoints(
            f"{folder}/before", f"{folder}/after", "a", f"{folder}/s.{form}", f"{folder}/t.{form}"
        )

    return load


def distributed(folder):
    files = [f"{folder}/before/rank_{rank}/a.ckpt" for rank in range(2)]
    cell = nn.Cell()
    cell.w = ms.Parameter(np.zeros((2, 2), "f4"), name="w")
    parallel.load_distributed_checkpoint(cell, files, train_strategy_filename=f"{folder}/s.ckpt")


def unified(folder):
    parallel.unified_safetensors(f"{folder}/before", f"{folder}/s.ckpt", f"{folder}/after")


for form in ("ckpt", "json"):
    add(f"transform_checkpoints, {form}", write_ranks(form), transformed(form),
        changes=_CHECKPOINTS, names_file=False)  # fmt: skip
add("load_distributed_checkpoint", write_ranks("ckpt"), distributed, changes=_CHECKPOINTS,
    names_file=False)  # fmt: skip
add("unified_safetensors", write_ranks("ckpt", "safetensors"), unified, names_file=False,
    changes={"*.safetensors": file_formats.safetensors, **_CHECKPOINTS},
    only=("before/*", "s.ckpt"))  # fmt: skip
add("load_segmented_checkpoints", write_ranks("ckpt"), changes=_CHECKPOINTS, load=lambda folder:
    parallel.load_segmented_checkpoints(f"{folder}/before/rank_0"))  # fmt: skip


def write_stages(form):
    def write(folder):
        (folder / "stages").mkdir()
        for stage in range(2):
            layouts = {f"w{stage}": strategy_file.layout([2, 2], [1, -1], (), 1, 1, 2)}
            strategy_file.write(f"{folder}/stages/{stage}.{form}", layouts, stage)

    return write


def merged(form):
    def load(folder):
        parallel.merge_pipeline_strategys(f"{folder}/stages", f"{folder}/all.{form}")
        parallel.rank_list_for_transform(1, f"{folder}/all.{form}")
        parallel.build_searched_strategy(f"{folder}/all.{form}")

    return load


for form in ("ckpt", "json"):
    add(f"merge_pipeline_strategys, {form}", write_stages(form), merged(form),
        changes=_CHECKPOINTS, only=("stages/*",))  # fmt: skip
add("restore_group_info_list", lambda folder: (folder / "a.pb").write_bytes(
    bytes([10, 9, 10, 1, 97, 18, 4, 8, 0, 8, 4, 18, 4, 8, 0, 8, 4])),
    lambda folder: parallel.restore_group_info_list(f"{folder}/a.pb"),
    changes={"*.pb": mutations.protobuf})  # fmt: skip


def redundant(form):
    def load(folder):
        redundancy.parse_strategy_ckpt(f"{folder}/stages/0.{form}")
        redundancy.get_parameter_redundancy(f"{folder}/stages/0.{form}", 0)

    return load


for form in ("ckpt", "json"):
    add(f"get_parameter_redundancy, {form}", write_stages(form), redundant(form),
        changes=_CHECKPOINTS, only=("stages/0.*",))  # fmt: skip
add("parse_hccl_file", lambda folder: (folder / "a.json").write_text(json.dumps(
    {"server_list": [{"device": [{"rank_id": "0", "device_ip": "10.1.2.3"}]}]})),
    lambda folder: redundancy.parse_hccl_file(f"{folder}/a.json"), tricks=False)  # fmt: skip

# weights changed on the way -----------------------------------------------------------------------


def one_layer(folder, ending="ckpt"):
    net = nn.SequentialCell(nn.Dense(2, 2))
    ms.save_checkpoint(net, str(folder / f"a.{ending}"), format=ending)
    return net


def obfuscated(folder):
    net = nn.SequentialCell(nn.Dense(2, 2))
    ms.obfuscate_ckpt(net, str(folder), ["", "0"], saved_path=str(folder))
    (folder / "a_obf.ckpt").unlink(missing_ok=True)


add("obfuscate_ckpt", one_layer, obfuscated, changes=_CHECKPOINTS, only=("a.ckpt",))
add("safetensors_to_ckpt", lambda folder: one_layer(folder, "safetensors"), lambda folder:
    ms.safetensors_to_ckpt(f"{folder}/a.safetensors", f"{folder}/out"), only=("a.*",),
    changes={"*.safetensors": file_formats.safetensors})  # fmt: skip
add("load_checkpoint_async", one_layer, lambda folder:
    ms.load_checkpoint_async(f"{folder}/a.ckpt").result(), changes=_CHECKPOINTS)  # fmt: skip
add("load_torch safetensors", lambda folder: one_layer(folder, "safetensors"), lambda folder:
    ms.io.load_torch(f"{folder}/a.safetensors", nn.SequentialCell(nn.Dense(2, 2))),
    changes={"*.safetensors": file_formats.safetensors}, only=("a.*",))  # fmt: skip
add("DimReduce, a matrix", lambda folder: np.save(folder / "a.npy", np.eye(3, dtype="f4")),
    lambda folder: dim_reduce.directions_of(f"{folder}/a.npy", None, 2, None),
    changes={"*.npy": file_formats.npy})  # fmt: skip


def of_checkpoints(folder):
    net = nn.SequentialCell(nn.Dense(2, 2))
    return dim_reduce.directions_of(None, str(folder), 1, net)


add("DimReduce, checkpoints", one_layer, of_checkpoints, changes=_CHECKPOINTS)


def orbax_training(folder):
    return ms.train.Checkpointer(str(folder / "there"), network=nn.Dense(2, 3), format="orbax")


def write_orbax(folder):
    saver = orbax_training(folder)
    saver.save(step=3, more={"list": [1, 2.5, "x"], "array": np.arange(3)})
    saver.wait()


def restore_orbax(folder):
    saver = orbax_training(folder)
    try:
        return saver.restore()
    finally:
        saver._files._manager.close()


def write_recording(folder):
    net = nn.Dense(2, 3)
    with recorder.Recorder(folder / "recording", net, every=2) as recording:
        for k in range(3):
            recording.step(net, ms.Tensor(np.full((1, 2), k, np.float32)))


def read_recording(folder):
    recording = folder / "recording"
    recorder.header(recording)
    lines = recorder.logged(recording)
    recorder.require_step(recording, 2)
    recorder.first_step(recording, "loss > 1")
    return [line.step for line in lines]


add("recordings", write_recording, read_recording, only=("recording/*.json*",))
add("Checkpointer, orbax", write_orbax, restore_orbax,
    only=("there/*",), changes={"*METADATA": mutations.json_text, "*metadata": mutations.json_text,
                                "*.zarray": mutations.json_text, "*sharding": mutations.json_text},
    seconds=20.0)  # fmt: skip

# settings, pipelines, programs --------------------------------------------------------------------


def as_json(name, content):
    return lambda folder: (folder / name).write_text(json.dumps(content))


def exit_asked(folder):
    return ms.train.OnRequestExit(config_file=f"{folder}/a.json")._is_asked_by_file()


def steps_profiled(folder):
    return DynamicProfilerMonitor(str(folder), poll_interval=1)._steps()


add("OnRequestExit", as_json("a.json", {"GracefulExit": 1}), exit_asked)
add("DynamicProfilerMonitor", as_json("profiler_config.json", {"start_step": 2, "stop_step": 4}),
    steps_profiled)  # fmt: skip


def settings(folder):
    with mock.patch.dict(ds.config._values), mock.patch.dict(ds.config._times):
        ds.config.load(f"{folder}/a.json")


add("config.load", as_json("a.json", {"numParallelWorkers": 2, "opConnectorSize": 8, "seed": 3,
                                      "monitorSamplingInterval": 9}), settings)  # fmt: skip


def pipeline():
    """Samplers, enumerations, arrays, tuples, dtypes and children."""
    images = {"x": np.zeros((6, 4, 4, 3), np.uint8), "y": np.arange(6)}
    sampler = ds.DistributedSampler(2, 1, shuffle=False)
    sampler.add_child(ds.SequentialSampler(0, 4))
    data = ds.NumpySlicesDataset(images, sampler=sampler)
    data = data.map([vision.Resize((2, 2), vision.Inter.LINEAR), vision.HWC2CHW()], "x")
    data = data.map(ds.transforms.TypeCast(ms.float32), "y").project(["y", "x"])
    other = ds.NumpySlicesDataset(images, shuffle=False).rename(["x"], ["z"]).project("z")
    return ds.zip((data.batch(2, drop_remainder=True).repeat(2), other.take(2)))


add("deserialize", lambda folder: ds.serialize(pipeline(), str(folder / "a.json")), lambda folder:
    ds.deserialize(json_filepath=f"{folder}/a.json"))  # fmt: skip


def lines(folder):
    reader = ds.LineReader(str(folder / "a.txt"))
    return [reader[i] for i in range(1, len(reader) + 1)]


add("LineReader", lambda folder: (folder / "a.txt").write_text("one\ntwo é\n"), lines)


def write_programs(folder):
    source = "import mindspore as ms\nfrom mindspore import nn\nx = nn.Dense(2, 3)\n"
    (folder / "a.py").write_text(source + "print([-(ms.ops.relu(x)) for _ in range(3)])\n")
    cells = [{"cell_type": "code", "source": [source, "!ls\n"]}, {"cell_type": "markdown"}]
    (folder / "a.ipynb").write_text(json.dumps({"cells": cells}))


def uses(folder):
    problem = None
    for path in (folder / "a.py", folder / "a.ipynb"):
        try:
            check.uses_in(path)
        except check.CannotRead as error:
            problem = f"For 'sporax check', '{path}' {error}"
    if problem is not None:  # not from the parser's MemoryError, which is about brackets
        raise ValueError(problem)


add("sporax check", write_programs, uses, changes={"*.py": mutations.text,
                                                   "*.ipynb": mutations.json_text})  # fmt: skip


def write_offloaded(folder):
    _offloaded.append(ms.Tensor(np.arange(6.0, dtype="f4")))
    _offloaded[0].offload(str(folder / "x"))


def offloaded(folder):
    value = _offloaded[0]._read()
    value.array = None  # as before the first access
    assert np.array_equal(np.asarray(value.read()), np.arange(6.0))


_offloaded = []
add("Tensor.offload", write_offloaded, offloaded)

__all__ = ["LOADERS"]

# weights and runs of other libraries --------------------------------------------------------------

_ARRAYS = {"*.npz": file_formats.zipped({".npy": file_formats.npy})}


def written_run(folder):
    call = module_run.Call("", 0, [np.ones(2, "f4")], [np.ones(3)], [None], [np.ones(3)])
    module = module_run.Module("", ["Dense"], {"has_bias": True})
    parts = {f.name: [] for f in dataclasses.fields(module_run.ModuleRun)}
    parts |= {"modules": [module], "calls": [call], "gradients": {"w": np.eye(2)}, "failure": None}
    module_run.ModuleRun(**parts).save(folder / "a.npz")


add("ModuleRun.load", written_run, lambda folder: module_run.ModuleRun.load(f"{folder}/a.npz"),
    changes=_ARRAYS)  # fmt: skip
add("convert npz", lambda folder: np.savez(folder / "a.npz", w=np.eye(2), b=np.ones(2)),
    lambda folder: migrate.convert(f"{folder}/a.npz", f"{folder}/b.ckpt", "pytorch", force=True),
    changes=_ARRAYS, only=("a.npz",))  # fmt: skip


def recorded_run(folder):
    run = run_files.RunFolder(folder, "first", resume=False)
    statistics = dict.fromkeys(run_files.STATISTICS, 0.5) | {"counts": [1, 2, 3]}
    for step in range(1, 4):
        layers = {kind: {"dense": statistics} for kind in run_files.LAYER_KINDS}
        run.append(step=step, scalars={"loss": 1 / step, "rate": "nan"}, layers=layers)
    run.add_images(3, "digits", [b"an image"])


def shown_run(folder):
    insight.write_dashboard([folder], folder / "shown.html")


add("RunRecord", recorded_run, shown_run, changes={"*.jsonl": mutations.json_lines},
    only=("run.jsonl",))  # fmt: skip
