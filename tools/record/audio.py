"""`audio_cases` and `sound_cases` of tests/data; each case runs in a separate process."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np

from tools.record.children import isolated


def audio(ms):
    """Return dtypes and shapes or errors; the values one after another; the rows of data sets."""
    from mindspore.dataset import audio as library

    from tests.data.audio_cases import CASES, CHECKS, described
    from tests.data.sound_cases import SETS, write_sounds

    outcomes = {name: isolated(case, library) for name, (case, _) in CASES.items()}
    values = [part.ravel() for outcome in outcomes.values() for part in _parts(outcome)]
    rows = {
        name: outcome if isinstance(outcome, str) else described(_parts(outcome))
        for name, outcome in outcomes.items()
    }
    rows |= {name: isolated(case, library) for name, case in CHECKS.items()}
    where, space = Path.cwd(), SimpleNamespace(ds=ms.dataset)
    write_sounds(where)
    sets = {n: isolated(lambda space, c=c: c(space, where), space) for n, c in SETS.items()}
    yield "audio.npz", {"values": np.concatenate(values).astype(np.float32)}
    yield "audio.json", rows
    yield "sound_sets.json", sets


def _parts(outcome):
    """The arrays of an outcome; none for an error."""
    if isinstance(outcome, str):
        return ()
    return [np.asarray(part) for part in (outcome if isinstance(outcome, tuple) else (outcome,))]
