"""Install commands in messages, for each way to install sporax that PEP 610 records."""

import json
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from sporax._src import installation
from sporax._src.diagnosis.rules import message

ROOT = Path(__file__).parents[1]

# the record of pip, None from an index -> the command
WAYS = [
    (None, "pip install 'sporax[onnx]'"),
    ({"url": "file:///a/b", "dir_info": {"editable": True}}, "pip install -e '/a/b[onnx]'"),
    ({"url": "file:///a%20b", "dir_info": {}}, "pip install '/a b[onnx]'"),
    ({"url": "file:///s.whl", "archive_info": {}}, "pip install 'sporax[onnx] @ file:///s.whl'"),
    ({"url": "https://h/s.git", "vcs_info": {"vcs": "git", "commit_id": "1f"}},
     "pip install 'sporax[onnx] @ git+https://h/s.git@1f'"),
]  # fmt: skip


class Installed:
    def __init__(self, record):
        self.record = record

    def read_text(self, name):
        assert name == "direct_url.json"
        return self.record and json.dumps(self.record)


@pytest.fixture(autouse=True)
def forgotten():
    installation._form.cache_clear()
    yield
    installation._form.cache_clear()


@pytest.mark.parametrize(("record", "command"), WAYS)
def test_command(record, command, monkeypatch):
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: Installed(record))
    assert installation.as_installed("pip install 'sporax[onnx]'") == command


def test_a_checkout_that_is_not_installed(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.distribution", missing)
    command = installation.as_installed("pip install 'sporax[onnx]'")
    assert command == f"pip install '{ROOT}[onnx]'"


def test_rules_name_it(monkeypatch):
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: Installed(WAYS[1][0]))
    text = message("sporax-needs-pillow-read")
    assert "pip install -e '/a/b[vision]'" in text and "-e '/a/b[vision]'" in text.chinese
