"""Training steps under a memory limit: equal results, within the limit, and refusals."""

import contextlib
import re

import jax
import numpy as np
import pytest

from sporax import Tensor, jit, memory_limit, nn, ops, train, value_and_grad
from sporax._src.runtime.engine import memory_limit as memory_limit_module
from sporax._src.runtime.engine.limited_program import LimitedProgram
from sporax._src.runtime.engine.trace_tree import forest
from sporax.data import NumpySlicesDataset

WIDTH, BATCH = 64, 256


def dense(layers):
    return nn.SequentialCell(*[
        cell for _ in range(layers) for cell in (nn.Dense(WIDTH, WIDTH), nn.Tanh())
    ])  # fmt: skip


def convolutions(layers):
    cells = [(nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4), nn.GELU()) for _ in range(layers)]
    return nn.SequentialCell(*[cell for each in cells for cell in each])


NETWORKS = [(dense, 12, (BATCH, WIDTH)), (convolutions, 6, (4, 4, 32, 32))]


def gradients(network, layers, shape):
    np.random.seed(0)
    net = network(layers).set_train()
    x = Tensor(np.random.default_rng(0).standard_normal(shape).astype(np.float32))
    step = value_and_grad(lambda x: (net(x) ** 2).mean(), 0, net.trainable_params())

    def results(function):
        value, (of_x, of_parameters) = function(x)
        return [value, of_x, *of_parameters]

    return lambda wrap: results(wrap(step))


@pytest.fixture
def sizes(monkeypatch):
    """Bytes of each program that is compiled under a limit."""
    found, built = [], LimitedProgram.built

    def noted(*args):
        compiled, size = built(*args)
        found.append(size)
        return compiled, size

    monkeypatch.setattr(LimitedProgram, "built", noted)
    return found


@pytest.mark.parametrize("network, layers, shape", NETWORKS)
@pytest.mark.parametrize("wrap", [lambda step: step, jit])
def test_results_are_equal_within_the_limit(network, layers, shape, wrap, sizes, capsys):
    run = gradients(network, layers, shape)
    expected = [t.asnumpy() for t in run(wrap)]
    others = sum(a.nbytes for a in jax.live_arrays())
    with pytest.raises(MemoryError, match="at least") as refusal, memory_limit("300kB"):
        [t.asnumpy() for t in run(wrap)]
    number, unit = re.search(r"at least ([\d.]+) (\w)B", str(refusal.value)).groups()
    limit = int(1.1 * float(number) * {"k": 1e3, "M": 1e6}[unit])
    sizes.clear()
    with memory_limit(limit):
        actual = [t.asnumpy() for t in run(wrap)]
    assert "recomputes" in capsys.readouterr().err
    assert sizes[-1] <= limit
    assert limit < others + 2 * max(sizes)
    for a, b in zip(expected, actual, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-4, atol=1e-6 * max(1, np.abs(a).max()))


def test_limit_is_restored():
    x = Tensor(np.ones(3, np.float32))
    with memory_limit("1GB"), memory_limit(None):
        assert (x + 1).sum().item() == 6


def test_environment(monkeypatch):
    monkeypatch.setenv(memory_limit_module.VARIABLE, "1kB")
    with memory_limit(None):  # restores
        memory_limit_module.limit_from_environment()
        with pytest.raises(MemoryError, match="it is 1 kB"):
            (Tensor(np.ones(1000, np.float32)) + 1).asnumpy()
    monkeypatch.setenv(memory_limit_module.VARIABLE, "much")
    with pytest.raises(ValueError, match="SPORAX_MEMORY_LIMIT"):
        memory_limit_module.limit_from_environment()


@pytest.mark.parametrize("memory, fits", [("1kB", False), ("1GB", True), (None, True)])
def test_training(memory, fits):
    class Limits(train.Callback):
        found = ()

        def on_train_step_end(self, run_context):
            self.found += (forest.memory_limit,)

    limits, net = Limits(), nn.Dense(64, 1)
    model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
    rows = NumpySlicesDataset((np.ones((16, 64), np.float32), np.ones((16, 1), np.float32)))
    # made here: it keeps the error, and with it the inputs of the step that failed
    refused = pytest.raises(MemoryError, match="it is 1 kB")
    with contextlib.nullcontext() if fits else refused:
        model.train(1, rows.batch(8), limits, memory=memory)
        assert limits.found == 2 * (memory and int(1e9),)
    assert forest.memory_limit is None


@pytest.mark.parametrize("size", ["2", "2 apples", 0, -1, 1.5, True])
def test_sizes(size):
    with pytest.raises(ValueError, match="must be a size such as '24GB'"):
        memory_limit(size)


def test_inside_of_a_graph():
    @jit
    def step(x):
        with memory_limit("1GB"):
            return ops.sin(x)

    with pytest.raises(RuntimeError, match="outside of captured functions"):
        step(Tensor([1.0]))
