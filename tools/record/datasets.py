"""Data sets in files, pipelines, and transforms of images and text: the cases of tests/data."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from tests.case_results import result_or_error
from tools.record.children import isolated

KEYS = "0123456789012345", "0123456789012345abcdefgh", "0123456789012345" * 2


def image_sets(ms):
    """Return the rows of data sets of images, and what is made of pictures."""
    from tests.data.image_file_cases import CASES, OUTCOMES, outcomes, write_pictures
    from tests.data.image_set_cases import SETS
    from tests.data.image_set_files import write_image_sets

    space, where = SimpleNamespace(ds=ms.dataset, vision=ms.dataset.vision), _folder("sets")
    write_image_sets(where)
    yield "image_sets.json", _of_files(SETS, space, where)
    where = _folder("pictures")
    write_pictures(where)
    arrays = {}
    for name, (case, _) in CASES.items():
        arrays |= _arrays(name, result_or_error(lambda ms, case=case: case(ms, where), space))
    for name, transform in OUTCOMES.items():
        arrays[f"{name}#*"] = outcomes(space, transform(space), 6000)
    yield "image_files.npz", arrays


def _of_files(cases, space, where):
    """Results of cases that get a folder."""
    return {n: result_or_error(lambda ms, c=c: c(ms, where), space) for n, c in cases.items()}


def _arrays(name, answer):
    """A result's arrays, by name."""
    several = answer if isinstance(answer, tuple) else (answer,)
    return {f"{name}#{i}": np.asarray(one) for i, one in enumerate(several)}


def _folder(name):
    Path(name).mkdir()
    return Path(name).resolve()


def vision(ms):
    """Return arrays of transforms, the rows of files, and MindRecord files with their indices."""
    from tests.data.file_cases import FILES, write_files
    from tests.data.vision_cases import CASES

    data, where = ms.dataset, _folder("files")
    space = SimpleNamespace(ds=data, vision=data.vision, transforms=data.transforms)
    arrays = {}
    for name, (case, _) in CASES.items():
        arrays |= _arrays(name, result_or_error(case, space))
    yield "vision.npz", arrays
    write_files(where)
    yield "files.json", _of_files(FILES, space, where)
    yield from _mindrecord(data)


def _mindrecord(data):
    from mindspore.mindrecord import FileWriter

    from tests.data.record_cases import RECORDS, listed, write

    kept, read, path = {}, {}, _folder("mindrecord") / "rows"
    for name, case in RECORDS.items():
        write(FileWriter(str(path), overwrite=True), *case)
        read[name] = listed(data.MindDataset(str(path), shuffle=False))
        for suffix in ("", ".db"):
            kept[f"{name}{suffix}"] = np.frombuffer(Path(f"{path}{suffix}").read_bytes(), np.uint8)
    yield "mindrecord.npz", kept
    yield "mindrecord.json", read


def pipelines(ms):
    """Return MindSpore's descriptions of pipelines, their rows, and its encrypted data."""
    from mindspore._c_expression import _encrypt

    plain = bytes(range(40))
    described, ended = dict(_pipelines(ms.dataset, Path.cwd())), dict(_encrypted(Path.cwd()))
    pieces = {key: _encrypt(plain, len(plain), key, len(key), "AES-GCM").hex() for key in KEYS}
    results = {"pipelines": described, "encrypted": {"pieces": pieces, "files": ended}}
    return {"pipelines.json": results}


def _pipelines(data, folder):
    from tests.data import pipeline_cases as cases

    cases.write(folder)
    for case in cases.CASES:
        data.config.set_seed(3)
        dataset = cases.built(case, data, folder)
        described = json.loads(json.dumps(data.serialize(dataset)).replace(str(folder), "FOLDER"))
        yield case, {"json": described, "rows": cases.rows(cases.built(case, data, folder))}


def _encrypted(folder):
    from mindspore import mindrecord

    mindrecord.set_enc_key(KEYS[0])
    writer = mindrecord.FileWriter(str(folder / "rows"))
    writer.set_header_size(16 * 1024)
    writer.set_page_size(32 * 1024)
    writer.add_schema({"a": {"type": "int32"}, "b": {"type": "bytes"}})
    writer.write_raw_data([{"a": i, "b": bytes([i + 1]) * 10} for i in range(3)])
    writer.commit()
    for name in ("", ".db"):
        content = (folder / f"rows{name}").read_bytes()
        yield name, [len(content), content[:8].hex(), content[-18:].hex()]


def text(ms):
    """Return a result for each case, or the type of its error; file cases in separate processes."""
    from mindspore.dataset import text as library

    from tests.data.text_cases import CASES
    from tests.data.text_file_cases import FILES, write_text_files
    from tests.data.text_model_cases import MODELS, write_model_files

    space = SimpleNamespace(ds=ms.dataset, text=library, dtype=ms.dtype)
    where, results = Path.cwd(), {}
    write_text_files(where)
    write_model_files(where)
    for name, case in {**FILES, **MODELS}.items():
        results[name] = isolated(lambda ms, case=case: case(ms, where), space)
        if results[name] in ("ends the process", "does not end"):
            raise SystemExit(f"{name} {results[name]}: leave this case out.")
    results |= {name: result_or_error(case, space) for name, case in CASES.items()}
    return {"text.json": results}
