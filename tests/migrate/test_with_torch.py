"""`compare` and `record` with PyTorch itself: `make test-migrate`."""

import importlib.util
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

from sporax import migrate, nn
from sporax.migrate.differing_names import FACTS
from tests.migrate.cell_networks import IDS, ROWS, Wrapped, mlp
from tests.migrate.test_compare import is_found, run

HAS_TORCH = importlib.util.find_spec("torch") is not None
if HAS_TORCH:
    import torch

    from tests.migrate.torch_networks import NETWORKS, network

needs_torch = pytest.mark.skipif(not HAS_TORCH, reason="PyTorch is not installed")


@pytest.mark.skipif(HAS_TORCH, reason="PyTorch is installed")
@pytest.mark.parametrize("call", [
    lambda: migrate.record(None, np.zeros(2)), lambda: migrate.compare(None, mlp(), np.zeros(2)),
])  # fmt: skip
def test_without_torch_the_extra_is_named(call):
    with pytest.raises(ImportError, match=r"PyTorch must be installed, but: .*\[torch\]'"):
        call()


@needs_torch
@pytest.mark.parametrize("name, planted, make, expected", ROWS, ids=IDS)
def test_what_is_planted_is_found(name, planted, make, expected):
    module, inputs = network(name)
    before = {n: x.clone() for n, x in module.state_dict().items()}
    report = migrate.compare(module, make(), inputs)
    assert is_found(report, expected), str(report)
    for n, x in module.state_dict().items():
        assert (x == before[n]).all()
    assert all(p.grad is None for p in module.parameters())
    assert not any(m._forward_hooks or m._forward_pre_hooks for m in module.modules())


@needs_torch
def test_the_story_of_the_guide():
    """A convolution of 120 to 240 channels and windows of 4 x 4, without a hint."""
    x = np.random.uniform(-1, 1, (2, 120, 12, 12)).astype(np.float32)
    ours = torch.nn.Conv2d(120, 240, 4, bias=False)
    report = migrate.compare(ours, nn.Conv2d(120, 240, 4, has_bias=False), x)
    assert report.first_departure.causes[0].name == "pad_mode"
    assert "(2, 240, 9, 9) in PyTorch, (2, 240, 12, 12) here" in str(report)
    padded = nn.Conv2d(120, 240, 4, has_bias=False, pad_mode="pad")
    assert migrate.compare(ours, padded, x).equal


@needs_torch
@pytest.mark.parametrize("name", NETWORKS if HAS_TORCH else [])
def test_recorded_runs_are_what_torch_computes(name):
    module, inputs = network(name)
    again, before = migrate.record(module, inputs), run(name)
    assert [vars(m) for m in again.modules] == [vars(m) for m in before.modules]
    assert [(c.path, c.number) for c in again.calls] == [(c.path, c.number) for c in before.calls]
    if name not in ("dropout", "lstm_dropout"):
        for a, b in zip(again.outputs, before.outputs, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@needs_torch
def test_defaults_of_the_table_are_torchs():
    """Both fresh, with every argument left out that has a default: the causes are found."""
    for ours, theirs, scale, cause in [
        (torch.nn.LayerNorm(4), nn.LayerNorm((4,)), 0.01, "eps"),
        (torch.nn.GELU(), nn.GELU(), 2, "form of GELU"),
        (torch.nn.LeakyReLU(), nn.LeakyReLU(), 1, "slope"),
        (torch.nn.Conv1d(3, 2, 2), nn.Conv1d(3, 2, 2), 1, "pad_mode"),
        (torch.nn.MaxPool1d(2), nn.MaxPool1d(2), 1, "stride"),
    ]:
        x = np.random.default_rng(0).standard_normal((2, 3, 4)).astype(np.float32) * scale
        report = migrate.compare(Once(ours), Wrapped(theirs), x)
        assert report.causes[0].name == cause, str(report)


if HAS_TORCH:

    class Once(torch.nn.Module):
        def __init__(self, net):
            super().__init__()
            self.net = net

        def forward(self, x):
            return self.net(x)


@needs_torch
@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.torch)
def test_facts_are_torchs(fact):
    called, value = fact.sides[0], torch
    for part in called.name.split(".")[1:]:
        value = getattr(value, part)
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except ValueError:  # of C++, as torch.std: PyTorch's documentation has them
        return
    for name, default in called.defaults.items():
        (found,) = [p for p in parameters if p.name == name]
        assert found.default == default
    if called.defaults:
        assert parameters[called.position].name == next(iter(called.defaults))


@needs_torch
def test_blocks_of_the_page(tmp_path, monkeypatch, capsys):
    """Those that need PyTorch, and what they print."""
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parents[2] / "docs" / "migrating.md").read_text("utf8")
    code, shown = (re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL) for kind in ("py", "text"))
    exec("\n".join(code), {"__name__": "__main__"})
    assert capsys.readouterr().out == shown[0]
