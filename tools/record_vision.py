"""Record what MindSpore 2.10 returns for `vision_cases` and `file_cases` in tests/data, and the
files that it writes for `record_cases`.

    python tools/record_vision.py        # with MindSpore and Pillow installed

Writes tests/recorded/vision.npz, an array for each result, or the kind of error; files.json; and
mindrecord.npz, the bytes of MindRecord files and of their indices.
"""

import json
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from mindspore import dataset
from mindspore.dataset import transforms, vision
from mindspore.mindrecord import FileWriter

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.case_results import result_or_error  # noqa: E402
from tests.data.file_cases import FILES, write_files  # noqa: E402
from tests.data.record_cases import RECORDS, listed, write  # noqa: E402
from tests.data.vision_cases import CASES  # noqa: E402

MS = SimpleNamespace(ds=dataset, vision=vision, transforms=transforms)


def parts(name, answer):
    """A result's arrays, by name."""
    several = answer if isinstance(answer, tuple) else (answer,)
    return {f"{name}#{i}": np.asarray(one) for i, one in enumerate(several)}


if __name__ == "__main__":
    results = {}
    for name, (question, _) in CASES.items():
        results |= parts(name, result_or_error(question, MS))
    np.savez_compressed(ROOT / "tests" / "recorded" / "vision.npz", **results)
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        write_files(where)
        answers = {n: result_or_error(lambda ms, q=q: q(ms, where), MS) for n, q in FILES.items()}
    target = ROOT / "tests" / "recorded" / "files.json"
    target.write_text(json.dumps(answers, indent=0) + "\n", encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        kept, read = {}, {}
        for name, case in RECORDS.items():
            path = Path(folder, "rows")
            write(FileWriter(str(path), overwrite=True), *case)
            read[name] = listed(dataset.MindDataset(str(path), shuffle=False))
            for suffix in ("", ".db"):
                content = Path(f"{path}{suffix}").read_bytes()
                kept[f"{name}{suffix}"] = np.frombuffer(content, np.uint8)
    np.savez_compressed(target.with_name("mindrecord.npz"), **kept)
    text = json.dumps(read, indent=0) + "\n"
    target.with_name("mindrecord.json").write_text(text, encoding="utf-8")
