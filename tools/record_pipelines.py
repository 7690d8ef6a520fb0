"""Record in tests/recorded/pipelines.json MindSpore's descriptions of the pipelines in
tests/data/pipeline_cases.py, their rows, and its encrypted data.

Usage: MINDSPORE_PYTHON tools/record_pipelines.py
"""

import json
import sys
import tempfile
from pathlib import Path

import mindspore.dataset as ds
from mindspore import mindrecord
from mindspore._c_expression import _encrypt

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from tests.data import pipeline_cases as cases  # noqa: E402

KEYS = "0123456789012345", "0123456789012345abcdefgh", "0123456789012345" * 2


def pipelines(folder):
    cases.write(folder)
    for case in cases.CASES:
        ds.config.set_seed(3)
        dataset = cases.built(case, ds, folder)
        described = json.loads(json.dumps(ds.serialize(dataset)).replace(str(folder), "FOLDER"))
        rows = cases.rows(cases.built(case, ds, folder))
        yield case, {"json": described, "rows": rows}


def files(folder):
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


with tempfile.TemporaryDirectory() as place:
    place = Path(place)
    described, ended = dict(pipelines(place)), dict(files(place))
plain = bytes(range(40))
pieces = {key: _encrypt(plain, len(plain), key, len(key), "AES-GCM").hex() for key in KEYS}
results = {
    "pipelines": described,
    "encrypted": {"pieces": pieces, "files": ended},
}
(ROOT / "tests/recorded/pipelines.json").write_text(json.dumps(results) + "\n", "utf8")
