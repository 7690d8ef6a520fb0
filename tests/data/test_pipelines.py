"""Pipelines as JSON: MindSpore's are read (`tools.record pipelines`), and ours come back."""

import json
import logging

import numpy as np
import pytest

from sporax import data
from sporax._src.core import dtype as dtypes
from sporax.data import audio, config, text, transforms, vision
from tests import records
from tests.data import pipeline_cases

RECORDED = records.read("pipelines")["pipelines"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    pipeline_cases.write(folder)
    return folder


@pytest.mark.parametrize("case", pipeline_cases.CASES)
def test_json_of_mindspore_is_read(case, folder):
    described = json.loads(json.dumps(RECORDED[case]["json"]).replace("FOLDER", str(folder)))
    config.set_seed(3)
    assert pipeline_cases.rows(data.deserialize(described)) == RECORDED[case]["rows"]


@pytest.mark.parametrize("case", pipeline_cases.CASES)
def test_pipelines_come_back(case, folder):
    config.set_seed(3)
    dataset = pipeline_cases.built(case, data, folder)
    described = json.loads(json.dumps(data.serialize(dataset)))
    again = data.deserialize(described)
    assert data.compare(dataset, again) and data.serialize(again) == described
    assert pipeline_cases.rows(again) == RECORDED[case]["rows"]


def numbers(**arguments):
    columns = {"x": np.arange(6, dtype=np.int32), "s": np.array(list("abcdef"))}
    return data.NumpySlicesDataset(columns, **{"shuffle": False} | arguments)


VOCAB = text.Vocab.from_list(list("abcdef"))
OURS = {
    "arrays": lambda: numbers(),
    "samplers": lambda: numbers(shuffle=None, sampler=data.WeightedRandomSampler([0.5] * 6, 3)),
    "a shard": lambda: numbers(num_shards=4, shard_id=1),
    "indices": lambda: numbers(shuffle=None, sampler=[3, 1]),
    "columns of a tuple": lambda: data.NumpySlicesDataset(([1, 2], [3.5, 4.5]), shuffle=False),
    "rows": lambda: data.GeneratorDataset([(1, "a"), (2, "b")], ["n", "s"], shuffle=False),
    "padded": lambda: data.PaddedDataset([{"x": np.array([1.5])}, {"x": np.array([2.5])}]),
    "words": lambda: numbers().map(text.Lookup(VOCAB, data_type=dtypes.int64), "s"),
    "slices": lambda: numbers().batch(2).map(transforms.Slice(slice(None, 1)), "x"),
    "comparison": lambda: numbers().map(
        transforms.Mask(transforms.Relational.GT, 2, dtypes.bool_), "x"),
    "composed": lambda: numbers().map(
        transforms.Compose([transforms.Fill(3), transforms.TypeCast(dtypes.float32)]), "x"),
    "batches": lambda: numbers().padded_batch(4, pad_info={"x": ([], 0), "s": None}),
    "all of it": lambda: numbers().batch(2).map(transforms.Slice(...), "x"),
    "buckets": lambda: numbers().project("x").batch(2).bucket_batch_by_length(
        ["x"], [2, 5], [1, 2, 3], pad_info={"x": ([4], -1)}),
    "split": lambda: numbers(shuffle=None).split([4, 2])[0],
    "concat, zip": lambda: (numbers() + numbers()).zip(numbers().rename(["x", "s"], ["y", "z"])),
    "shuffle, sync": lambda: numbers().shuffle(3).sync_wait("done", 6).repeat(1),
    "sound": lambda: data.NumpySlicesDataset(np.ones((2, 64)), "w", shuffle=False).map(
        audio.Fade(8, 8, audio.FadeShape.LINEAR), "w"),
    "pixels": lambda: data.NumpySlicesDataset(np.ones((2, 8, 9, 3), np.uint8), "i", shuffle=False)
        .map([vision.RandomRotation(10, vision.Inter.BILINEAR, fill_value=(1, 2, 3)),
              vision.Pad((1, 2), 7, vision.Border.EDGE)], "i"),
    "cached": lambda: numbers().map(transforms.Fill(2), "x", cache=data.DatasetCache(3, 1, True)),
}  # fmt: skip


@pytest.mark.parametrize("name", OURS)
def test_ours_come_back(name):
    config.set_seed(3)
    dataset = OURS[name]()
    described = json.loads(json.dumps(data.serialize(dataset)))
    again = data.deserialize(described)
    assert again.get_col_names() == dataset.get_col_names()
    assert pipeline_cases.rows(again) == pipeline_cases.rows(dataset)
    assert data.compare(dataset, again) and data.compare(again, dataset)


def test_files_of_json(tmp_path, caplog):
    path = str(tmp_path / "pipeline.json")
    described = data.serialize(numbers().take(2), path)
    assert json.loads((tmp_path / "pipeline.json").read_text()) == described
    assert pipeline_cases.rows(data.deserialize(json_filepath=path)) == pipeline_cases.rows(
        numbers().take(2)
    )
    with caplog.at_level(logging.INFO, "sporax"):
        assert data.show(numbers().take(2), indentation=None) is None
    assert json.loads(caplog.messages[0]) == described
    assert data.deserialize() is None and data.deserialize({}) is None


def double(x):
    return 2 * x


def test_functions_are_compared_but_do_not_come_back():
    pipelines = [numbers().map(function, "x") for function in (double, double, abs)]
    assert data.compare(*pipelines[:2]) and not data.compare(*pipelines[1:])
    described = data.serialize(pipelines[0])
    assert described["operations"]["value"] == f"{__name__}.double"
    ones = data.NumpySlicesDataset({"x": [1]}, shuffle=False)
    for other in (numbers(num_samples=2), numbers().skip(0), ones):
        assert not data.compare(numbers(), other)
    with pytest.raises(RuntimeError, match=r"no Python functions .* but got '.*\.double'"):
        data.deserialize(described)


def described(**changes):
    return data.serialize(numbers().skip(1)) | changes


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda f: data.deserialize({"op_type": "Wait"}), RuntimeError, "no operation 'Wait'"),
        (lambda f: data.deserialize({"op_type": "Schema"}), RuntimeError, "no operation 'Schema'"),
        (lambda f: data.deserialize("x"), RuntimeError, "must be a dict with 'op_type'"),
        (lambda f: data.deserialize(described(children=[])), RuntimeError, "must have 1 children"),
        (lambda f: data.deserialize(described(speed=3)), RuntimeError, "has no parameter 'speed'"),
        (lambda f: data.deserialize(described(count="x")), TypeError, "'count' must be an int"),
        (lambda f: data.deserialize(described(count={"python_type": "code", "value": 1})),
         RuntimeError, "'python_type' must be one of"),
        (lambda f: data.deserialize(described(count={"tensor_op_name": "f"})), RuntimeError,
         "but got 'f'"),
        (lambda f: data.deserialize(
            described(count={"tensor_op_name": "Q", "tensor_op_params": {}})),
         RuntimeError, "no operation 'Q'"),
        (lambda f: data.deserialize(described(count={"sampler_name": "Own"})), RuntimeError,
         "but got 'Own'"),
        (lambda f: data.deserialize(json_filepath=f"{f}/none"), RuntimeError, "No such file"),
        (lambda f: data.deserialize(json_filepath=__file__), RuntimeError, "'serialize' wrote"),
        (lambda f: data.serialize(numbers(), f"{f}/no/file"), RuntimeError, "can be written"),
        (lambda f: data.serialize(3), TypeError, "'dataset' must be a dataset"),
        (lambda f: data.show(3), TypeError, "'dataset' must be a dataset"),
        (lambda f: data.compare(3, numbers()), TypeError, "'pipeline1' must be a dataset"),
        (lambda f: data.compare(numbers(), 3), TypeError, "'pipeline2' must be a dataset"),
    ],
)  # fmt: skip
def test_what_is_refused(call, error, said, tmp_path):
    with pytest.raises(error, match=said):
        call(tmp_path)
