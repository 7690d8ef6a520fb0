"""`docs/libraries.md`: written from the records, which `tools.strangers` reads as it wrote them."""

import dataclasses

import pytest

from tools.strangers import page, table

LIBRARIES = table.libraries()


@pytest.mark.parametrize("words", [page.ENGLISH, page.CHINESE], ids=lambda words: words["path"])
def test_the_page_is_that_of_the_records(words):
    found = [(library, table.read_record(library)[1]) for library in LIBRARIES.values()]
    written = page._page(words, [entry for entry in found if entry[1]])
    assert (table.ROOT / words["path"]).read_text("utf8") == written


def test_a_record_is_read_as_written(tmp_path, monkeypatch):
    monkeypatch.setattr(table, "RECORDS", tmp_path)
    library = dataclasses.replace(LIBRARIES["mindcv"], name="own")
    passed = {"mindspore": "passed", "sporax": "passed"}
    record = {table.IMPORT.format(module): dict(passed) for module in ("a", "a.b")}
    record |= {table.IMPORT.format("c"): {"mindspore": "failed: x"}, "t.py::test": passed}
    table.write_record(library, {"mindspore": "2.10.0"}, record)
    head, found = table.read_record(library)
    assert (head["commit"], found) == (library.commit, record)
    assert len(library.record.read_text("utf8").splitlines()) == 4
