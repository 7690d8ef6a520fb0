"""Record what MindSpore 2.10 returns for `text_cases`, `text_file_cases` and `text_model_cases`
in tests/data.

    python tools/record_text.py        # with MindSpore installed

Writes tests/recorded/text.json.gz: a result for each case, or the type of its error. Each file case
runs in a separate process, because some end MindSpore's.
"""

import gzip
import json
import os
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import mindspore
from mindspore import dataset
from mindspore.dataset import text

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.case_results import result_or_error  # noqa: E402
from tests.data.text_cases import CASES  # noqa: E402
from tests.data.text_file_cases import FILES, write_text_files  # noqa: E402
from tests.data.text_model_cases import MODELS, write_model_files  # noqa: E402

MS = SimpleNamespace(ds=dataset, text=text, dtype=mindspore.dtype)


def in_child(case):
    """The case's result, from a child process."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        with os.fdopen(writer, "w") as file:
            file.write(json.dumps(result_or_error(case, MS)))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        result = file.read()
    _, status = os.waitpid(child, 0)
    if status:
        raise SystemExit(f"MindSpore ended with status {status}: leave this case out.")
    return json.loads(result)


if __name__ == "__main__":
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        write_text_files(Path(folder))
        write_model_files(Path(folder))
        for name, case in {**FILES, **MODELS}.items():
            results[name] = in_child(lambda ms, case=case: case(ms, Path(folder)))
    for name, case in CASES.items():
        results[name] = result_or_error(case, MS)
    content = json.dumps(results, ensure_ascii=False, separators=(",", ":")).encode()
    target = ROOT / "tests" / "recorded" / "text.json.gz"
    target.write_bytes(gzip.compress(content, 9, mtime=0))
