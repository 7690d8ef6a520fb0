"""Results of MindSpore are recorded for each case of these tables, and for no other."""

import numpy as np
import pytest

from tests import records
from tests.amp.amp_cases import AMP
from tests.data import data_cases, vision_cases
from tests.data.file_cases import FILES
from tests.data.training_cases import DATA, METRICS
from tests.nn import cell_cases

TRAINING = records.read("training")
TABLES = {
    "amp": (TRAINING["amp"], AMP),
    "cells": (records.read("cells"), cell_cases.CASES),
    "data": (TRAINING["data"], DATA),
    "data_rows": (records.read("data_rows"), data_cases.CASES),
    "files": (records.read("files"), FILES),
    "metrics": (TRAINING["metrics"], METRICS),
    "vision": (
        {name.rpartition("#")[0] for name in np.load(records.FOLDER / "vision.npz").files},
        vision_cases.CASES,
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_every_case_is_recorded(name):
    results, cases = TABLES[name]
    assert set(results) == set(cases)
