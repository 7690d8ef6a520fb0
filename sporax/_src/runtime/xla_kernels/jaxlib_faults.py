"""Known faults of jaxlib by version, and the workaround for each: the table of docs/versions.md.

Some are avoided by an XLA option, which is set when sporax is imported, before XLA starts; if JAX
has run before, each compilation of a sporax program gets it instead. Others are avoided by the form
in which a program is given to XLA. Each `reproducer` runs on every machine once, before the first
program is compiled (`engine.verification.admission`).
"""

import functools
import importlib.util
import os
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.core.errors import warn
from sporax._src.core.jax_internals import backends_are_initialized
from sporax._src.versions import JAXLIB, numbers


class Option(NamedTuple):
    """An XLA option with the value that avoids a fault, for XLA_FLAGS; `setting`: the value as a
    compiler option of one program. `joins`: prepend the value to one that the user has set, instead
    of keeping the user's."""

    name: str
    value: str
    setting: str = ""
    joins: bool = False

    @property
    def flag(self):
        """The option as in XLA_FLAGS, without the value."""
        return f"--{self.name}="

    def added_to(self, flags):
        """Return `flags` with this option; unchanged if they have it, or, unless it `joins`, have
        another value of it."""
        if self.flag not in flags:
            return f"{flags} {self.flag}{self.value}".strip()
        if not self.joins or self.value in flags:
            return flags
        return flags.replace(self.flag, f"{self.flag}{self.value},", 1)


class Fault(NamedTuple):
    """A fault of jaxlib. `first`, `last`: the affected versions; `last` is None if the newest known
    version is affected. `platform`: 'cpu' or 'cuda'. `option`: avoids it, if there is one; else
    `remedy` describes the workaround. `reproducer`: takes a function that compiles and returns True
    if the result is correct; if it `ends_process`, it runs in a separate process."""

    name: str
    issue: str
    platform: str
    first: str | None
    last: str | None
    trigger: str
    effect: str
    remedy: str
    option: Option | None = None
    reproducer: Callable[..., bool] | None = None
    ends_process: bool = False

    def is_in(self, jaxlib):
        """Return True if a version of jaxlib has the fault."""
        version = numbers(jaxlib)
        return not (
            (self.first and version < numbers(self.first))
            or (self.last and version > numbers(self.last))
        )


def _broadcast_product(jit):
    """A product of matrices, one of them broadcast, times an array, summed."""
    left = np.ones((5, 60, 60), np.float32)
    weights = np.ones((5, 60, 60), np.float32)

    def run(left, scalar, weights):
        right = jnp.broadcast_to(scalar, (5, 60, 60))
        return (jnp.matmul(left, right) * weights).sum()

    return float(jit(run)(left, np.float32(0.5), weights)) == 5 * 60 * 60 * 30


def _products_with_rows(jit):
    """A matrix times each of many vectors, squared and summed."""
    rows = np.zeros((32_769, 3), np.float32)
    rows[:, 0] = np.arange(len(rows))
    matrix = np.eye(3, dtype=np.float32)

    def run(matrix, rows):
        return jax.vmap(lambda row: ((matrix @ row) ** 2).sum())(rows)

    return bool(np.allclose(jit(run)(matrix, rows), rows[:, 0] ** 2, rtol=1e-4))


def _sum_in_seven_dimensions(jit):
    """A sum of products along an axis of arrays with seven dimensions."""
    x = np.ones((3, 1, 2, 2, 8, 8, 8), np.float32)
    return bool((np.asarray(jit(lambda x, y: (x * y).sum(3))(x, x)) == 2).all())


def _shifted_rows(jit):
    """Rows of an array written over the next rows, then reshaped."""

    def run(x):
        moved = x + 1
        return lax.dynamic_update_slice(moved, moved[:-1], (1, 0)).reshape(1, 8, 2)

    expected = [[1, 2], *[[2 * i + 1, 2 * i + 2] for i in range(7)]]
    return np.asarray(jit(run)(np.arange(16).reshape(8, 2)))[0].tolist() == expected


def _window_of_a_window(jit):
    """A window of a rolled array that begins beyond its end."""

    def run(x, shift, start):
        return lax.dynamic_slice(jnp.roll(x, shift), [start], [4])

    rolled = jit(run)(np.arange(9), np.int32(4), np.int32(12))
    return np.asarray(rolled).tolist() == [0, 1, 2, 3, 4][1:]


_YNN = "xla_cpu_experimental_ynn_fusion_type"
_NO_YNN_SUMS = Option(_YNN, "-reduce", "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT")
_ATOMICS = Option("xla_backend_extra_options", "-nvptx-allow-ftz-atomics", joins=True)
_BARRIER = "an optimization barrier between the two (xla_kernels/constant_barriers.py)"

FAULTS = (
    Fault(
        "reductions in YNNPACK's fusions", "jax-ml/jax#39264", "cpu", "0.10.0", "0.10.1",
        "derivatives of attention over sets", "ends the process", "the versions are excluded",
    ),
    Fault(
        "sum of a product with a broadcast matrix", "not reported", "cpu", "0.10.2", None,
        "a batch of matrix products, one operand broadcast, times an array and summed",
        "reads memory beyond the operand: any number, NaN", "sums stay out of YNNPACK's fusions",
        _NO_YNN_SUMS, _broadcast_product,
    ),
    Fault(
        "vmapped matrix-vector product and sum", "jax-ml/jax#39103", "cpu", "0.10.2", "0.10.2",
        "more than 32,768 rows of float32, or 16,384 of float64", "wrong numbers",
        "the same option", _NO_YNN_SUMS, _products_with_rows,
    ),
    Fault(
        "sum in seven dimensions", "jax-ml/jax#39257", "cpu", "0.10.2", "0.11.0",
        "a product of arrays with seven dimensions or more, summed along one",
        "a segmentation fault, or no end", "the same option", _NO_YNN_SUMS,
        _sum_in_seven_dimensions, True,
    ),
    Fault(
        "elements written over the next ones", "openxla/xla#49176", "cpu", None, None,
        "x[1:] = x[:-1], then another shape", "reads elements that are overwritten already",
        _BARRIER, None, _shifted_rows,
    ),
    Fault(
        "window of a window", "openxla/xla#49121", "cpu", None, "0.11.2",
        "a window at an index beyond the end, of an array that is rolled or a window itself",
        "the wrong window", _BARRIER, None, _window_of_a_window,
    ),
    Fault(
        "constants that meet", "XLA's algebraic simplifier", "cpu", None, None,
        "(1 - p) + 1e-8, (x * 1e30) * 1e-30, a / (b / c), a converted Bool times NaN",
        "the result in real numbers: 1 - p, x, (a * c) / b, 0", _BARRIER,
    ),
    Fault(
        "convolution with negative padding", "not reported", "cpu", None, None,
        "padding below zero, or beyond the window",
        "reads beyond the operand, or ends the process",
        "slices and zeros (xla_kernels/rewrite.py)",
    ),
    Fault(
        "decompositions of stacks in two threads", "not reported", "cpu", None, None,
        "two decompositions of stacks of matrices that do not depend on each other", "no end",
        "one after another (xla_kernels/lapack_order.py)",
    ),
    Fault(
        "conditions in loops", "google-deepmind/torax#2270", "cpu", None, None,
        "a condition in a loop, now and then", "wrong numbers or a crash",
        "nothing; programs are compared with the interpreter",
    ),
    Fault(
        "small writes in loops", "jax-ml/jax#40101", "cpu", "0.11.1", "0.11.1",
        "writes of less than 256 bytes into a large array in a loop, scans that stack results",
        "up to 37,000 times slower", "the version is excluded",
    ),
    Fault(
        "additions at an index", "jax-ml/jax#38806", "cuda", "0.10.2", "0.11.0",
        "the gradient of an embedding whose words repeat", "up to 2,000 times slower",
        "an option of LLVM's", _ATOMICS,
    ),
)  # fmt: skip

_PLUGINS = "jax_cuda12_plugin", "jax_cuda13_plugin"


@functools.cache
def has_cuda():
    """Return True if JAX's plugin for NVIDIA GPUs is installed."""
    return any(map(importlib.util.find_spec, _PLUGINS))


@functools.cache
def present():
    """Return the faults of the installed jaxlib on the installed platforms."""
    return [f for f in FAULTS if f.is_in(JAXLIB) and (f.platform == "cpu" or has_cuda())]


def set_options():
    """Add the options that avoid faults to XLA_FLAGS. Warn if XLA has already started on a GPU, so
    that they have no effect."""
    flags = before = os.environ.get("XLA_FLAGS", "")
    for option in dict.fromkeys(f.option for f in present() if f.option):
        flags = option.added_to(flags)
    if flags != before:
        os.environ["XLA_FLAGS"] = flags
    if flags == before or not backends_are_initialized():
        return
    late = {fault.option for fault in present() if fault.option is not None}
    _Late.options = [option for option in late if option.flag not in before]
    if jax.default_backend() == "gpu" and _ATOMICS in _Late.options:
        warn(
            "JAX ran before sporax was imported, so that additions at an index on this GPU are up "
            f"to 2,000 times slower (jaxlib {JAXLIB}). Import sporax first, or set "
            f"XLA_FLAGS={_ATOMICS.flag}{_ATOMICS.value}."
        )


class _Late:
    """Options that were set after XLA had started."""

    options: ClassVar[list[Any]] = []


def compiler_options():
    """Return the compiler options of programs for a CPU if XLA has started without them, else
    None."""
    return {o.name: o.setting for o in _Late.options if o.setting} or None


def safer_options():
    """Return the sets of options to try in order, each of which may avoid a program's fault."""
    options = dict.fromkeys(f.option for f in FAULTS if f.option and f.option.setting)
    return [*[{option.name: option.setting} for option in options], {_YNN: ""}]
