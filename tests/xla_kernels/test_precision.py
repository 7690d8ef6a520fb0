"""TensorFloat-32: what is asked of XLA for an NVIDIA GPU, read from programs lowered for one."""

import re

import jax
import numpy as np
import pytest

import sporax as ms
from sporax import ops
from sporax._src.core import context
from sporax._src.core.hooks import hooks
from sporax._src.core.tensor import Tensor
from sporax._src.runtime.engine import program
from sporax._src.runtime.engine.verification import switch
from sporax._src.runtime.xla_kernels import precision
from tests.platforms import chosen_as_on

OPERATION = re.compile(r"stablehlo\.(dot_general|convolution).*\bprecision\b.*?([A-Z]{4,})")
SIZES = iter(range(3, 100))  # no rule of an operation is there already


@pytest.fixture
def texts(monkeypatch):
    """The texts of programs, lowered as for an NVIDIA GPU, and run here."""
    found = []

    def make(*structure):
        built = program.Program(*structure)
        jitted = built.compiled

        def run(*args):
            found.append(jitted.trace(*args).lower(lowering_platforms=("cuda",)).as_text())
            return jitted(*args)

        built.compiled = run
        return built

    before = jax.config.jax_default_matmul_precision, dict(precision._values)
    monkeypatch.setitem(context._values, "gpu_config", {})
    monkeypatch.setattr(hooks, "program", make)
    monkeypatch.setattr(switch, "MODE", "off")
    with chosen_as_on("gpu"):
        yield found
    jax.config.update("jax_default_matmul_precision", before[0])
    precision._values.update(before[1])


@pytest.mark.parametrize(
    ("settings", "products", "convolutions"),
    [
        ({}, "HIGHEST", "DEFAULT"),  # as in MindSpore
        ({"conv_allow_tf32": False}, "HIGHEST", "HIGHEST"),
        ({"matmul_allow_tf32": True}, "DEFAULT", "DEFAULT"),
        ({"matmul_allow_tf32": True, "conv_allow_tf32": False}, "DEFAULT", "HIGHEST"),
    ],
)
@pytest.mark.parametrize("way", ["set_context", "device_context"])
def test_what_is_asked_of_xla(settings, products, convolutions, way, texts):
    precision.allow_in_products(False)  # as `configure` with CUDA's plugin
    if way == "set_context":
        ms.set_context(gpu_config=settings)
    else:
        ms.install_as_mindspore()
        import mindspore

        for name, value in settings.items():
            getattr(mindspore.device_context.gpu.op_precision, name)(value)
    n = next(SIZES)
    x, w = (Tensor(np.ones((2, n, 7, 7), np.float32)) for _ in range(2))
    y = ops.matmul(x, w) + ops.conv2d(x, w[:, :, :1, :1]).sum() + ops.conv3d(x[None], w[None]).sum()
    y.asnumpy()
    found = OPERATION.findall("".join(texts))
    assert {kind for kind, _ in found} == {"dot_general", "convolution"}
    assert {name for kind, name in found if kind == "dot_general"} == {products}
    assert {name for kind, name in found if kind == "convolution"} == {convolutions}


def test_the_users_own_precision_stays(texts):
    jax.config.update("jax_default_matmul_precision", "high")
    assert precision.of_convolution() is None
    precision.configure()
    assert jax.config.jax_default_matmul_precision == "high"


def test_a_cpu_needs_none():
    with chosen_as_on("cpu"):
        assert precision.of_convolution() is None


@pytest.mark.parametrize(
    ("platform", "deterministic", "options"),
    [("gpu", "ON", {"xla_gpu_deterministic_ops": True}), ("gpu", "OFF", None)],
)
def test_deterministic_programs(platform, deterministic, options, monkeypatch):
    monkeypatch.setitem(context._values, "deterministic", deterministic)
    with chosen_as_on(platform):
        assert program._options(on_cpu=False) == options
    assert program._options(on_cpu=True) == program.jaxlib_faults.compiler_options()
    jax.jit(lambda x: x + 1, compiler_options=options)(1.0)  # XLA knows the option
