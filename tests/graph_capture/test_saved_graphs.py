"""`save_graphs`: captured graphs as files."""

import pytest

import sporax as ms
from sporax import Tensor, jit, ops


@pytest.mark.parametrize("how", ["context", "environment"])
def test_a_captured_graph_is_written_once(how, tmp_path, monkeypatch):
    folder = tmp_path / "graphs"
    if how == "environment":
        monkeypatch.setenv("MS_DEV_SAVE_GRAPHS", "1")
        monkeypatch.setenv("MS_DEV_SAVE_GRAPHS_PATH", str(folder))
    else:
        ms.set_context(save_graphs=2, save_graphs_path=str(folder))
    try:
        for _ in range(2):
            jit(lambda x: ops.tanh(x) * 2)(Tensor([1.0]))
        assert len(list(folder.iterdir())) == 1
        jit(lambda x: ops.tanh(x) * 2)(Tensor([1.0, 2.0]))
    finally:
        ms.set_context(save_graphs=False, save_graphs_path=".")
    texts = [file.read_text() for file in folder.glob("lambda_validate_*.ir")]
    assert sorted(f"f32[{n}] = tanh" in text for n in (1, 2) for text in texts) == [0, 0, 1, 1]


def test_nothing_is_written_unless_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MS_DEV_SAVE_GRAPHS", "0")
    jit(lambda x: x + 1)(Tensor([1.0]))
    assert not list(tmp_path.iterdir())
