"""Generated scripts, as strangers write them: a sample of their checks gives what MindSpore 2.10
gave (`tools.record generated`), or what `docs/differences/` says.

The programs are run by the interpreter of jaxprs; `test_generated_whole.py` compiles, all of them.
"""

import pytest

import sporax

sporax.install_as_mindspore()

from tests.programs import generated  # noqa: E402  (it imports mindspore)
from tests.programs.generated import comparison  # noqa: E402

EVERY = 4  # so many checks are left out for each that is made


@pytest.mark.parametrize("area", generated.AREAS)
@pytest.mark.filterwarnings("ignore")
def test_a_sample_gives_what_mindspore_gave(area, tmp_path, on_numpy):
    result = comparison.compared(area, tmp_path, every=EVERY)
    assert not result.unexplained, comparison.shown(result.unexplained)


def test_each_explanation_is_a_row_of_the_differences():
    rows = comparison.rows_of_differences()
    missing = [subject for subject in comparison.EXPLAINED if subject not in rows]
    assert not missing


def test_there_are_enough_comparisons():
    assert sum(len(comparison.comparable(area)) for area in generated.AREAS) >= 5000
