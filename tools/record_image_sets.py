"""Record the rows that MindSpore 2.10 reads from the files of tests/data/image_set_files.py, and
its results for tests/data/image_file_cases.py.

    python tools/record_image_sets.py        # with MindSpore, Pillow and SciPy installed

Writes tests/recorded/image_sets.json and image_files.npz.
"""

import json
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from mindspore import dataset
from mindspore.dataset import vision

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.case_results import result_or_error  # noqa: E402
from tests.data.image_file_cases import CASES, OUTCOMES, outcomes, write_pictures  # noqa: E402
from tests.data.image_set_cases import SETS  # noqa: E402
from tests.data.image_set_files import write_image_sets  # noqa: E402


def files(ms, where):
    """{case#position: array}, and {outcomes of a transform: images}."""
    answers = {}
    for name, (case, _) in CASES.items():
        answer = result_or_error(lambda ms, case=case: case(ms, where), ms)
        several = answer if isinstance(answer, tuple) else (answer,)
        answers |= {f"{name}#{i}": np.asarray(one) for i, one in enumerate(several)}
    drawn = {f"{name}#*": outcomes(ms, transform(ms), 6000) for name, transform in OUTCOMES.items()}
    return answers | drawn


if __name__ == "__main__":
    ms = SimpleNamespace(ds=dataset, vision=vision)
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        write_image_sets(where)
        results = {n: result_or_error(lambda ms, q=q: q(ms, where), ms) for n, q in SETS.items()}
    lines = ",\n".join(f"{json.dumps(n)}: {json.dumps(result)}" for n, result in results.items())
    target = ROOT / "tests" / "recorded" / "image_sets.json"
    target.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        write_pictures(Path(folder))
        np.savez_compressed(target.with_name("image_files.npz"), **files(ms, Path(folder)))
