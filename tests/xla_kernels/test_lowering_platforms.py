"""Every operation and every program of the bench, lowered for NVIDIA GPUs and TPUs on this CPU:
each has a form there, and nothing in it is a CPU's alone."""

import re

import jax
import numpy as np
import pytest

import sporax
from sporax import ops
from sporax._src.core.hooks import hooks
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of
from sporax._src.runtime.engine import program
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.runtime.engine.verification import switch
from sporax._src.runtime.xla_kernels.onednn import library
from sporax._src.transforms.autodiff import grad
from sporax.ops.declare import OPS
from tests.platforms import chosen_as_on
from tests.samples import collect

sporax.install_as_mindspore()

from bench.peers import mindspore_peer  # noqa: E402

PLATFORMS = ("cuda", "tpu")
CUSTOM_CALL = re.compile(r"custom_call @([\w.]+)|call_target_name = \"([\w.]+)\"")
OF_A_CPU = re.compile("sporax|callback|cpu|lapack|dnn")
# operations that have no form without a host, with the reason that JAX gives
NOT_LOWERED = {
    "eig": "'eig' not found for platforms ['tpu']",
    "eigvals": "'eig' not found for platforms ['tpu']",
    "matrix_logarithm": "multi-platform lowering for python_callback",
    "linear_sum_assignment_on_host": "multi-platform lowering for python_callback",
}
SAMPLES = collect("SAMPLES")
FIRST = list({sample.op: sample for sample in reversed(SAMPLES)}.values())


class Lowering:
    """Programs that are lowered for `platforms` where they would be run, and return zeros."""

    def __init__(self, platforms):
        self.platforms, self.programs, self.targets = platforms, 0, set()

    def run(self, jitted, *args):
        traced = jitted.trace(*args)
        text = traced.lower(lowering_platforms=self.platforms).as_text()
        self.programs += 1
        self.targets |= {"".join(names) for names in CUSTOM_CALL.findall(text)}
        return jax.tree.map(lambda o: jax.device_put(np.zeros(o.shape, o.dtype)), traced.out_info)

    def program(self, *structure):
        built = program.Program(*structure)
        jitted = built.compiled
        built.compiled = lambda *args: self.run(jitted, *args)
        return built

    def of_a_cpu(self):
        return {target for target in self.targets if OF_A_CPU.search(target)}


@pytest.fixture
def lowering(monkeypatch):
    """What runs is lowered for both platforms, and chosen as on a GPU."""
    forest.clear()
    result = Lowering(PLATFORMS)
    monkeypatch.setattr(hooks, "program", result.program)
    monkeypatch.setattr(switch, "MODE", "off")  # zeros are not what the interpreter gives
    with chosen_as_on("gpu"):
        yield result
    forest.clear()


def call(function, arrays):
    for out in tensors_of(function(*map(Tensor, arrays))):
        out.asnumpy()


def gradient(sample):
    """The gradient of a sample's operation with respect to what is floating."""
    function, arrays = sample.bind(ops), sample.arrays(np.float32)

    def loss(*xs):
        outs = tensors_of(function(*xs))
        outs = outs if sample.outputs is None else [outs[i] for i in sample.outputs]
        return sum(out.abs().sum() for out in outs if out._value.aval.inexact)

    return grad(loss, tuple(i for i, a in enumerate(arrays) if a.dtype.kind in "fc"))


@pytest.mark.parametrize("part", range(4))
def test_each_operation(part, lowering):
    for sample in FIRST[part::4]:
        if sample.op not in NOT_LOWERED:
            call(sample.bind(ops), sample.arrays(np.float32))
    assert lowering.programs > len(FIRST) / 8  # constants and shapes need none
    assert not lowering.of_a_cpu()


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_each_sample_and_its_gradient(part, lowering):
    for sample in SAMPLES[part::4]:
        if sample.op in NOT_LOWERED:
            continue
        arrays = sample.arrays(np.float32)
        call(sample.bind(ops), arrays)
        floating = any(a.dtype.kind in "fc" for a in arrays)
        if floating and OPS[sample.op].differentiable and not sample.sharp:
            call(gradient(sample), arrays)
    assert not lowering.of_a_cpu()


@pytest.mark.parametrize("sample", [s for s in FIRST if s.op in NOT_LOWERED], ids=str)
def test_what_has_no_form_is_still_without_one(sample, lowering):
    with pytest.raises(NotImplementedError, match=re.escape(NOT_LOWERED[sample.op])):
        call(sample.bind(ops), sample.arrays(np.float32))


@pytest.mark.skipif(library.load() is None, reason="oneDNN is not for this platform")
def test_a_cpus_kernel_would_be_seen(lowering):
    with chosen_as_on("cpu"):
        call(ops.conv2d, [np.ones(s, np.float32) for s in ((1, 64, 9, 9), (64, 64, 3, 3))])
    assert lowering.of_a_cpu()


LONG = ("MobileNetV2 step", "DenseNet step", " x1", " x2", " x4", " x8", "batch 1",
        "first step")  # fmt: skip
NO_STEP = ("loop:", "JPEG files", "arrays in memory", "digits")  # scripts, data sets: of the host


def bench_programs():
    for style in ("", "jit"):
        for name in mindspore_peer.cases(style):
            is_quick = style == "jit" and not name.endswith(LONG)
            marks = () if is_quick else pytest.mark.slow
            if not name.startswith(NO_STEP):
                yield pytest.param(style, name, id=f"{name} {style}".strip(), marks=marks)


@pytest.mark.parametrize("style, name", list(bench_programs()))
def test_each_program_of_the_bench(style, name, lowering):
    step = mindspore_peer.cases(style)[name]()
    step()
    assert lowering.programs
    assert not lowering.targets
