"""Keys of packed programs: equal ones mean equal programs, and they are equal in every process."""

import os
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.core.hooks import hooks
from sporax._src.core.tree import tensors_of
from sporax._src.runtime.engine import program
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import apply, run_pending
from sporax._src.runtime.engine.trace_key import key_of
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.runtime.engine.verification import switch
from sporax._src.transforms.autodiff import grad
from tests.samples import collect

ROOT = Path(__file__).parents[2]
SAMPLES = collect("SAMPLES")
X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)


@pytest.fixture
def found(monkeypatch):
    """[(key, text of the program)] of all programs."""
    programs = []

    def make(trace, avals, alive, dead, options=None):
        built = program.Program(trace, avals, alive, dead, options)
        key, jitted = key_of(trace, alive, tuple(built.donated)), built.compiled

        def run(*args):
            programs.append((key, jitted.lower(*args).as_text()))
            return jitted(*args)

        built.compiled = run
        return built

    run_pending()
    forest.clear()
    monkeypatch.setattr(hooks, "program", make)
    monkeypatch.setattr(switch, "MODE", "off")
    yield programs
    forest.clear()


def check(programs):
    texts = {}
    for key, text in programs:
        assert key is None or texts.setdefault(key, text) == text
    return texts


def read(result):
    for out in tensors_of(result):
        out.asnumpy()


@pytest.mark.parametrize("part", [pytest.param(p, marks=pytest.mark.slow if p else ())
                                  for p in range(12)])  # fmt: skip
def test_equal_keys_mean_equal_programs(part, found):
    """All samples of an operation, one after another: attributes and sizes that differ."""
    names = sorted({sample.op for sample in SAMPLES})[part::12]
    for sample in SAMPLES:
        if sample.op in names:
            read(sample.bind(ops)(*map(Tensor, sample.arrays(np.float32))))
    texts = check(found)
    assert len(texts) > 0.8 * len({text for _, text in found})


def mapped(function):
    return lambda x: ms.vmap(function)(x)


ROWS = {
    "operation": (ops.sin, ops.cos),
    "attribute": (lambda x: ops.softmax(x, 0), lambda x: ops.softmax(x, 1)),
    "of a pullback": (
        grad(lambda x: ops.softmax(x, 0).max()),
        grad(lambda x: ops.softmax(x).max()),
    ),
    "order": (lambda x: ops.sin(ops.exp(x)), lambda x: ops.exp(ops.sin(x))),
    "operands": (lambda x: x - ops.sin(x), lambda x: ops.sin(x) - x),
    "in a captured function": (ms.jit(lambda x: x * 2 + 1), ms.jit(lambda x: x * 3 + 1)),
    "in a mapped function": (mapped(ops.tanh), mapped(ops.sin)),
    "dtype": (lambda x: x.astype(ms.float16) * 2, lambda x: x.astype(ms.bfloat16) * 2),
}


@pytest.mark.parametrize("name", ROWS)
def test_different_programs_have_different_keys(name, found):
    keys = []
    for function in (*ROWS[name], *ROWS[name]):
        forest.clear()
        found.clear()
        read(function(Tensor(X)))
        keys.append({key for key, _ in found})
    assert keys[0] == keys[2] != keys[1] == keys[3]


def test_a_function_on_the_host_has_no_key(found):
    def run(x):
        return jax.pure_callback(np.sort, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    np.testing.assert_array_equal(apply(Op("Mine", run), Tensor(-X)).asnumpy(), np.sort(-X))
    assert [key for key, _ in found] == [None]


SCRIPT = """
import numpy as np
import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.runtime.engine import compile_policy, packing
from sporax._src.runtime.engine.trace_key import key_of

real = packing.loaded
def loaded(make, trace, alive, dead):
    print(key_of(trace, alive, dead))
packing.loaded = loaded
net = nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Dense(32, 3))
optimizer = nn.Adam(net.trainable_params(), 1e-2)
x, y = Tensor(np.ones((2, 1, 4, 4), np.float32)), Tensor(np.array([0, 2], np.int32))
loss = nn.CrossEntropyLoss()
step = ms.value_and_grad(lambda: loss(net(x), y), None, optimizer.parameters)
for _ in range(2):
    value, gradients = step()
    optimizer(gradients)
    value.asnumpy()
"""


def test_keys_are_the_same_in_every_process():
    results = [
        subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True,
                       env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed}).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert results[0] == results[1]
    keys = results[0].split()
    assert keys and "None" not in keys


def test_an_optimizer_has_a_key_without_tracing(found):
    """Each update is known by its rule and settings."""
    keys = []
    for settings in {}, {"use_nesterov": True}, {"weight_decay": 0.1}:
        forest.clear()
        found.clear()
        net = nn.Dense(4, 2)
        optimizer = nn.Adam(net.trainable_params(), 1e-2, **settings)
        optimizer(tuple(ops.ones_like(p) for p in optimizer.parameters))
        read(net.weight)
        keys.append({key for key, _ in found})
    assert None not in set.union(*keys) and len({frozenset(k) for k in keys}) == 3
