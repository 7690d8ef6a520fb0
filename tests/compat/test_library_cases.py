"""What libraries for MindSpore rely on: each case gives what MindSpore gives."""

import numpy as np
import pytest

import sporax
from tests import records
from tests.compat.library_cases import CASES, result

sporax.install_as_mindspore()
RECORDED = records.read("library_cases")


@pytest.mark.parametrize("name", CASES)
def test_a_case_gives_what_mindspore_gives(name):
    _compare(result(CASES[name], sporax), RECORDED[name])


def _compare(found, expected):
    if isinstance(expected, list) and any(isinstance(item, list | str) for item in expected):
        assert isinstance(found, list) and len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            _compare(a, b)
    elif isinstance(expected, str):
        assert found == expected
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
