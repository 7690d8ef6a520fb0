"""Generated scripts, as strangers write them: every check, compiled (see `test_generated.py`)."""

import pytest

import sporax

sporax.install_as_mindspore()

from tests.programs import generated  # noqa: E402  (it imports mindspore)
from tests.programs.generated import comparison  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
ALIKE = 0.97  # of all comparisons: 8,434 of 8,680 are (97.2 %)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return [comparison.compared(area, tmp_path_factory.mktemp(area)) for area in generated.AREAS]


def test_what_differs_is_explained(whole):
    unexplained = [one for result in whole for one in result.unexplained]
    assert not unexplained, comparison.shown(unexplained)


def test_most_are_alike(whole):
    built = sum(result.made for result in whole)
    alike = sum(result.alike for result in whole)
    assert built >= 5000 and alike >= ALIKE * built, f"{alike} of {built}"


def test_no_explanation_is_stale(whole):
    used = {name for result in whole for name in result.explanations}
    stale = [name for name in comparison.PATTERNS if name not in used]
    assert not stale, stale
