"""The page and the pictures of the bench are those of its numbers; the bench's rows have cases."""

import pytest

import sporax

sporax.install_as_mindspore()

from bench import page, rows  # noqa: E402
from bench.peers import jax_peer, mindspore_peer  # noqa: E402

WRITTEN = page.files(page.load())


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_written_from_the_numbers_is_as_committed(name):
    assert (page.ROOT / name).read_text("utf8") == WRITTEN[name]


def test_every_row_has_cases_in_sporax_and_in_plain_jax():
    cases = {case for row in rows.ROWS for case in row.cases}
    of_jax = {case for row in rows.ROWS if "jax" in row.peers for case in row.cases}
    assert cases == mindspore_peer.cases("").keys() and of_jax == jax_peer.cases("").keys()
    assert rows.MULTIPLICATIONS.keys() | rows.BYTES.keys() <= cases
