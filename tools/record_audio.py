"""Record what MindSpore 2.10 returns for `audio_cases` and `sound_cases` in tests/data.

    python tools/record_audio.py        # with MindSpore installed

Writes tests/recorded/audio.json: dtypes and shapes of the results, or the error, and audio.npz: the
values of `CASES`, one after another; sound_sets.json: the rows of data sets. Each case runs in a
separate process, because some end it.
"""

import json
import os
import pickle
import signal
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from mindspore import dataset
from mindspore.dataset import audio

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.case_results import result_or_error  # noqa: E402
from tests.data.audio_cases import CASES, CHECKS, described  # noqa: E402
from tests.data.sound_cases import SETS, write_sounds  # noqa: E402


def isolated(case, *namespace):
    """The result of a case, or "ends the process" or "does not end"."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        with os.fdopen(write, "wb") as pipe:
            pickle.dump(result_or_error(case, *namespace), pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        content = pipe.read()
    _, status = os.waitpid(child, 0)
    if status:
        return "does not end" if status == signal.SIGALRM else "ends the process"
    return pickle.loads(content)


def parts(outcome):
    """The arrays of an outcome; none for an error."""
    if isinstance(outcome, str):
        return ()
    return [np.asarray(part) for part in (outcome if isinstance(outcome, tuple) else (outcome,))]


if __name__ == "__main__":
    outcomes = {name: isolated(case, audio) for name, (case, _) in CASES.items()}
    values = [part.ravel() for outcome in outcomes.values() for part in parts(outcome)]
    target = ROOT / "tests" / "recorded" / "audio.npz"
    np.savez_compressed(target, values=np.concatenate(values).astype(np.float32))
    rows = {
        name: outcome if isinstance(outcome, str) else described(parts(outcome))
        for name, outcome in outcomes.items()
    }
    rows |= {name: isolated(case, audio) for name, case in CHECKS.items()}
    text = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
    target.with_suffix(".json").write_text(f"{{\n{text}\n}}\n", encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        write_sounds(where)
        ms = SimpleNamespace(ds=dataset)
        sets = {n: isolated(lambda ms, c=c: c(ms, where), ms) for n, c in SETS.items()}
    text = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in sets.items())
    target.with_name("sound_sets.json").write_text(f"{{\n{text}\n}}\n", encoding="utf-8")
