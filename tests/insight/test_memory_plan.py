"""`memory_plan`: beside the program that runs, the rows, the batch that fits; nothing changes."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, insight, nn, ops, parallel
from sporax._src.core.hooks import hooks
from sporax._src.core.units import bytes_of_text, bytes_text
from sporax._src.runtime.engine.debug.out_of_memory import memory
from sporax._src.runtime.engine.program import Program

RNG = np.random.default_rng(0)


def dense():
    net = nn.SequentialCell(nn.Dense(64, 512), nn.ReLU(), nn.Dense(512, 10))
    return net, nn.Adam(net.trainable_params(), 1e-3), (64, 64)


def images():
    net = nn.SequentialCell(
        nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(),
        nn.Dense(16 * 64, 10),
    )  # fmt: skip
    return net, nn.Momentum(net.trainable_params(), 0.1, 0.9), (16, 3, 16, 16)


class Sequence(nn.Cell):
    def __init__(self):
        super().__init__()
        self.blocks = nn.CellList([nn.TransformerEncoderLayer(32, 2, 64) for _ in range(2)])
        self.out = nn.Dense(32, 10)

    def construct(self, x):
        for block in self.blocks:
            x = block(x)
        return self.out(x.mean(1))


def sequence():
    net = Sequence()
    return net, nn.SGD(net.trainable_params(), 0.1), (8, 16, 32)


def made(network):
    """Return (a step as a loop writes it, its arguments, the network, the optimizer)."""
    net, optimizer, shape = network()
    net.set_train()
    loss_fn = nn.CrossEntropyLoss()
    derive = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

    def step(x, y):
        loss, gradients = derive(x, y)
        optimizer(gradients)
        return loss

    x = Tensor(RNG.normal(size=shape).astype(np.float32))
    y = Tensor((np.arange(shape[0]) % 10).astype(np.int32))
    return step, (x, y), net, optimizer


@pytest.fixture
def programs(monkeypatch):
    """The peaks of the programs that run, as XLA planned them."""
    peaks = []

    class Noted(Program):
        def __call__(self, arrays, reals, integers, results):
            specs = self.specs(arrays, reals, integers)
            sizes = self.compiled.lower(*specs).compile().memory_analysis()
            held = sizes.argument_size_in_bytes - sizes.alias_size_in_bytes
            peaks.append(held + sizes.output_size_in_bytes + sizes.temp_size_in_bytes)
            super().__call__(arrays, reals, integers, results)

    monkeypatch.setattr(hooks, "program", Noted)
    return peaks


@pytest.mark.parametrize(
    ("network", "style"),
    [(net, style) for net in (dense, images) for style in ("dynamic", "jit", "cell")]
    + [(sequence, "jit")],
)
def test_peak_of_the_program_that_runs(network, style, programs):
    step, args, net, optimizer = made(network)
    if style == "jit":
        step = ms.jit(step)
    elif style == "cell":
        step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)
    plan = ms.memory_plan(step, *args)
    for _ in range(2):  # first arrays of Parameters cannot be overwritten; see `engine.step_end`
        step(*args).asnumpy()
    programs.clear()
    step(*args).asnumpy()
    assert plan.peak == pytest.approx(max(programs), rel=0.01)
    assert plan.peak == sum(row.bytes for row in plan.rows if row.depth == 0)
    assert plan.peak == plan.arguments + plan.results + plan.temporaries


def test_rows_are_the_parts():
    step, args, net, _ = made(dense)
    plan = ms.memory_plan(ms.jit(step), *args)
    size = sum(p.nbytes for p in net.trainable_params())
    assert 0 <= plan.bytes_of("Parameters") - size < 100  # the learning rate
    assert 0 <= plan.bytes_of("optimizer state") - 2 * size < 100  # two moments, some numbers
    assert plan.bytes_of("inputs") == sum(x.nbytes for x in args)
    assert (plan.batch, plan.updates) == (64, True)
    assert plan.where.startswith("'Dense.grad' in net.")
    rows = [row for row in plan.rows if row.depth]
    assert {row.name for row in rows} <= {"net.0", "net.1", "net.2", "outside of Cells"}
    assert sum(row.bytes for row in rows) == plan.bytes_of("activations")
    assert str(plan).splitlines()[0].startswith("memory plan of step: ")
    assert "Parameters" in plan._repr_html_()
    assert not ms.memory_plan(net, args[0]).updates


def test_the_page_has_the_parts_by_cell(tmp_path):
    step, args, net, _ = made(dense)
    plan = ms.memory_plan(ms.jit(step), *args)
    weights = {path: size for kind, path, size in plan.by_cell() if kind == "Parameters"}
    for parameter in net.trainable_params():
        assert weights[parameter.name] == parameter.nbytes
    kinds = {kind: 0 for kind, _, _ in plan.by_cell()}
    for kind, _, size in plan.by_cell():
        kinds[kind] += size
    assert kinds["activations"] == plan.bytes_of("activations")
    most, kind, name = max(plan.timeline())
    known = plan.temporaries - plan.bytes_of("temporaries of XLA")
    assert most == pytest.approx(known, rel=0.01) and kind == "gradients"
    assert plan.where.startswith(f"'{name.partition(' in ')[0]}'")
    page = plan.write_html(tmp_path / "memory.html").read_text("utf8")
    state = bytes_text(plan.bytes_of("optimizer state"))
    assert f"optimizer state: {state}" in page and f">{bytes_text(plan.peak)} at the peak<" in page
    profile = insight.profile(ms.jit(step), *args, runs=1)
    both = profile.write_html(tmp_path / "profile.html", plan).read_text("utf8")
    assert "Memory at the peak" in both and both.count('class="flame"') == 2


def test_nothing_changes():
    step, args, net, optimizer = made(images)
    handles = [*net.get_parameters(), *optimizer.get_parameters(), *args]
    before, state = [p._value for p in handles], ms.get_rng_state().asnumpy()
    ms.memory_plan(step, *args, memory="1GB")
    ms.memory_plan(ms.jit(step), *args)
    assert all(p._value is value for p, value in zip(handles, before, strict=True))
    np.testing.assert_array_equal(ms.get_rng_state().asnumpy(), state)


@pytest.mark.parametrize("network", [dense, images])
def test_largest_batch(network):
    step, args, *_ = made(network)
    plan = ms.memory_plan(ms.jit(step), *args, memory="50MB")
    fit = plan.fits
    assert fit.peak == plan.at(fit.batch).peak <= fit.memory < plan.at(fit.batch * 8 // 7).peak
    assert 0 < fit.micro_batch <= fit.batch <= min(fit.recompute, fit.offload)
    assert f"{fit.batch:,}  " in str(plan) and "50 MB of memory, batch" in str(plan)


def test_recompute_of_blocks_saves_most():
    step, args, *_ = made(sequence)
    fit = ms.memory_plan(ms.jit(step), *args).fit("100MB")
    assert fit.recomputed == "net.blocks.*"
    assert fit.recompute > 1.5 * fit.batch


def test_memory_that_does_not_suffice():
    step, args, *_ = made(dense)
    plan = ms.memory_plan(step, *args, memory=100_000)
    assert plan.fits.batch == 0 and plan.fits.peak == plan.at(1).peak > 100_000
    assert "does not fit:\n" in str(plan) and " 0  one example takes " in str(plan)


def test_batch_too_large_to_compute_with():
    step, args, *_ = made(dense)
    assert ms.memory_plan(step, *args, memory="9000TB").fits.batch > 10_000


def test_network_without_memory():
    with ms.DeviceCtx("meta"):
        net, x = nn.Dense(40_000, 40_000, has_bias=False), ops.ones((8, 40_000))
    assert ms.memory_plan(net, x).bytes_of("Parameters") == 4 * 40_000**2


def test_other_axes_of_the_batch():
    """Targets are flattened: (8, 16) tokens have 128 of them."""
    net = nn.Dense(16, 4)

    def loss(x, y):
        return ops.cross_entropy(net(x).reshape((-1, 4)), y)

    x, y = ops.ones((8, 16, 16)), ops.zeros((128,), ms.int32)
    assert ms.memory_plan(loss, x, y).at(16).bytes_of("inputs") == 2 * (x.nbytes + y.nbytes)


def fixed(x):
    return x.reshape((8, 16)) * 2


def reads(x):
    return x * float(x.sum().asnumpy())


def in_mesh():
    with parallel.Mesh(data=1):
        ms.memory_plan(ops.relu, X)


X = ops.ones((4, 32))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: ms.memory_plan(3, X), TypeError, "For 'memory_plan', 'step' must be a function"),
        (lambda: ms.memory_plan(ops.relu, X, memory="much"), ValueError,
         "'memory' must be a size such as '24GB' or a positive number of bytes, but got 'much'"),
        (lambda: ms.memory_plan(ops.relu, X, memory=0), ValueError, "but got 0"),
        (lambda: ms.memory_plan(reads, X), RuntimeError,
         "For 'memory_plan', the function must not need a number of what it computes, at "),
        (in_mesh, RuntimeError, "no Mesh must be entered: the plan is that of one device"),
        (lambda: ms.memory_plan(lambda: ops.ones((3,)) * 2, memory="1GB"), ValueError,
         "must have an argument whose first axis is the batch, but has none"),
        (lambda: ms.memory_plan(fixed, X).at(8), ValueError,
         "the step must accept batches of other sizes, but it refuses one: For 'Reshape', "),
    ],
)  # fmt: skip
def test_bad_calls(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("size", "count"),
    [("0.5 GB", 5 * 10**8), ("200mb", 2 * 10**8), ("256MiB", 2**28), ("3 B", 3), (9, 9)],
)
def test_sizes(size, count):
    assert bytes_of_text("memory_plan", size) == count


@pytest.mark.parametrize(
    ("size", "text"), [(999_900_000, "1 GB"), (999_400_000, "999 MB"), (12, "12 B")]
)
def test_text_of_sizes(size, text):
    assert bytes_text(size) == text


def test_memory_of_this_machine():
    step, args, *_ = made(dense)
    fit = ms.memory_plan(step, *args).fit()
    assert isinstance(fit, insight.Fit) and fit.memory == memory()


MEASURED = """
import gc, json, sys, time
import jax
import sporax as ms
from sporax._src.core import heap
from tests.insight.test_memory_plan import made, wide

step, args, *_ = made(wide)
step = ms.jit(step) if sys.argv[1] == "jit" else step
plan = ms.memory_plan(step, *args).peak


def resident(field):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(x.split()[1]) * 1024 for x in lines if x.startswith(field))


for _ in range(4):
    step(*args).asnumpy()
time.sleep(0.3)  # a thread of JAX's frees the temporary arrays
gc.collect()
heap.release()
open("/proc/self/clear_refs", "w").write("5")
before, held = resident("VmRSS"), sum(x.nbytes for x in jax.live_arrays())
step(*args).asnumpy()
print(json.dumps([plan, held + resident("VmHWM") - before]))
"""


def wide():
    net = nn.SequentialCell(*[nn.Dense(512, 512, activation="tanh") for _ in range(8)])
    return net, nn.Adam(net.trainable_params(), 1e-3), (4096, 512)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("style", ["dynamic", "jit"])
def test_growth_of_resident_memory(style):
    """Blocks are mapped and unmapped one by one, so that each byte that a step takes is seen."""
    settings = {"SPORAX_KEEP_MEMORY": "off", "SPORAX_TIERS": "off",
                "MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}  # fmt: skip
    result = subprocess.run(
        [sys.executable, "-c", MEASURED, style], env={**os.environ, **settings},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    planned, measured = json.loads(result.stdout.splitlines()[-1])
    assert planned == pytest.approx(measured, rel=0.05)
