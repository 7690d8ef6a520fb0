"""Choices made in Python between the CPU and other platforms: none of the forms for a CPU on a GPU,
all of them after `set_device("CPU")` beside one."""

import jax
import numpy as np
import pytest

import sporax as ms
from sporax._src.capture.graph_capture import packed_state
from sporax._src.core import context
from sporax._src.core.tensor import Tensor
from sporax._src.runtime.engine import compile_policy, program
from sporax._src.runtime.engine.recorder import run_pending
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.runtime.engine.verification import switch
from sporax._src.runtime.engine.verification.agreement import is_on_host
from sporax._src.runtime.numpy_interpreter.interpretation import Interpretation
from sporax._src.runtime.xla_kernels import convolution
from sporax._src.runtime.xla_kernels.onednn import library
from sporax.data import device_prefetch
from tests.platforms import chosen_as_on


def interprets(patch):
    made, real = [], compile_policy.forest.keep
    patch.setattr(compile_policy, "uses_interpreter", True)
    patch.setattr(compile_policy.forest, "keep", lambda *args: (made.append(args[2]), real(*args)))
    forest.clear()
    (Tensor(np.ones(3, np.float32)) * 2.5).asnumpy()
    forest.clear()
    return [type(each) for each in made] == [Interpretation]


def rewrites(patch):
    called, real = [], program.rewritten
    patch.setattr(program, "rewritten", lambda *args: called.append(args) or real(*args))
    forest.clear()
    patch.setattr(compile_policy, "uses_interpreter", False)
    (Tensor(np.ones(3, np.float32)) * 2.5).asnumpy()
    forest.clear()
    return bool(called)


def packs_state(patch):
    patch.setattr(compile_policy, "uses_interpreter", True)
    return packed_state.is_allowed()


def multiplies_bands(patch):
    patch.setattr(library, "load", lambda: None)
    x, w = (jax.ShapeDtypeStruct(s, np.float32) for s in ((1, 3, 16, 16), (8, 3, 5, 5)))
    return bool(convolution._tile(x, w, (1, 1), (0, 0, 0, 0), (1, 1), 1))


CHOICES = [
    interprets, rewrites, packs_state, multiplies_bands, lambda patch: is_on_host(),
    lambda patch: not device_prefetch.is_needed(),
]  # fmt: skip


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("device, expected", [("GPU", False), ("CPU", True), ("beside", True)])
def test_forms_of_a_cpu(choice, device, expected, monkeypatch):
    run_pending()
    monkeypatch.setattr(switch, "MODE", "off")
    monkeypatch.setitem(context._values, "device_target", context._values["device_target"])
    with chosen_as_on("cpu" if device == "CPU" else "gpu"):
        if device == "beside":
            ms.set_device("CPU")
        assert choice(monkeypatch) is expected
