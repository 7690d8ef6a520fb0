"""Compiled programs are compared with the interpreter where they take its place: faults that are
planted into programs are found, named, and do no harm."""

import itertools
import os
import subprocess
import sys
import threading
import warnings

import jax
import jax.numpy as jnp
import jaxlib
import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.core.jax_internals import called, evaluated, interpret
from sporax._src.runtime.engine import compile_policy
from sporax._src.runtime.engine.program import Program
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.runtime.engine.verification import admission, switch
from sporax._src.runtime.engine.verification.report import report
from sporax._src.runtime.numpy_interpreter import comparison, interpretation
from sporax._src.runtime.xla_kernels import jaxlib_faults, rewrite
from tests.platforms import chosen_as_on

X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
RUNS = 20


@pytest.fixture(autouse=True)
def interpreted_first(monkeypatch):
    forest.clear()
    (Tensor(1.0) + 1).asnumpy()  # the trace that was begun before ends here
    monkeypatch.setattr(compile_policy, "uses_interpreter", True)
    report.clear()
    yield
    forest.clear()


@pytest.fixture
def plant(monkeypatch):
    """Have compiled programs compute a primitive wrongly: (its name, (result, operands) ->
    result)."""

    def planted(primitive, change):
        def run(jaxpr, constants, operands):
            def evaluate(equation, operands):
                inner = called(equation)
                if inner is not None:
                    return run(*inner, operands)
                results = evaluated(equation, operands)
                if equation.primitive.name == primitive:
                    results = [change(results[0], *operands)]
                return results

            return interpret(jaxpr, constants, operands, evaluate, lambda atom: atom.val)

        def rewritten(closed):
            return jax.make_jaxpr(lambda *xs: run(closed.jaxpr, closed.consts, xs))(
                *closed.in_avals
            )

        monkeypatch.setattr(rewrite, "PASSES", (rewritten,))

    return planted


def wrong_constant(result, *_):
    return result * np.float32(1.001)


def dropped_term(_, x, *__):
    return x


def zero_for_nan(result, *_):
    return jnp.where(jnp.isnan(result), 0, result)


def one_element(result, *_):
    return result.at[-1, -1].add(1e-3)


class Scale(nn.Cell):
    def construct(self, x):
        return ops.tanh(x) * 3.0


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = Scale()

    def construct(self, x):
        y = self.scale(x)
        return ops.exp(y) + ops.sin(x)


def expected(x):
    with np.errstate(all="ignore"):
        return np.exp(np.tanh(x) * 3) + np.sin(x)


FAULTS = {
    "wrong constant": ("tanh", wrong_constant, X, "For 'Tanh', at", "in cell Net.scale)"),
    "dropped term": ("add", dropped_term, X, "For 'Add', at", "in cell Net)"),
    "NaN to 0": ("add", zero_for_nan, np.where(X > 1, np.float32(np.nan), X), "For 'Add'", "Net)"),
    "one element": ("sin", one_element, np.repeat(X, 100, 0), "For 'Sin', at", "in cell Net)"),
}


def warned(step, x, runs=RUNS):
    """(the texts of the warnings, the results of some runs)"""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = [step(Tensor(x)).asnumpy() for _ in range(runs)]
    return [str(w.message) for w in caught], results


@pytest.mark.parametrize("capture", [ms.jit, lambda f: f], ids=["jit", "dynamic"])
@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault, capture, plant):
    primitive, change, x, name, cell = FAULTS[fault]
    plant(primitive, change)
    (text,), results = warned(capture(Net()), x)
    for result in results:
        np.testing.assert_allclose(result, expected(x), rtol=1e-5, atol=1e-6)
    assert text.startswith(name) and cell in text and f"{os.path.basename(__file__)}:" in text
    assert "the interpreter goes on" in text and "elements differ, the worst at" in text
    assert len(report.findings) == 1


def test_right_programs_are_used():
    texts, _ = warned(ms.jit(Net()), X)
    assert (texts, report.compared, report.equal) == ([], 1, 1)
    assert not report.left_out


def test_a_program_with_other_options_takes_the_place(plant, monkeypatch):
    """The fault is in all programs but those that are compiled with such options."""
    right = Program.__init__

    def init(self, *args, options=None):
        if options is not None:
            monkeypatch.setattr(rewrite, "PASSES", unchanged)
        right(self, *args, options=options)

    unchanged = rewrite.PASSES
    plant("sin", one_element)
    monkeypatch.setattr(Program, "__init__", init)
    options = {"xla_cpu_enable_fast_math": False}
    monkeypatch.setattr(switch, "safer_options", lambda: [options])
    (text,), results = warned(ms.jit(Net()), X)
    np.testing.assert_allclose(results, [expected(X)] * RUNS, rtol=1e-5, atol=1e-6)
    assert "it is compiled again with xla_cpu_enable_fast_math=False" in text


def test_programs_of_a_thread(plant, monkeypatch):
    monkeypatch.setattr(interpretation, "LONG", 0)  # seconds; longer compilations are a thread's
    monkeypatch.setattr(interpretation, "STEP", 1e-3)
    monkeypatch.setattr(interpretation, "MEASURING", 0)  # more runs
    threads, right = [], switch.Switch.chosen

    def chosen(*args, **options):
        threads.append(threading.current_thread())
        return right(*args, **options)

    monkeypatch.setattr(switch.Switch, "chosen", chosen)
    plant("sin", one_element)
    _, results = warned(ms.jit(Net()), X)
    np.testing.assert_allclose(results, [expected(X)] * RUNS, rtol=1e-5, atol=1e-6)
    assert len(report.findings) == 1
    assert threads and threading.main_thread() not in threads


def wrong_from_run(first, monkeypatch):
    """Have programs give numbers that are larger by one, from a run on."""
    right, runs = Program.__call__, itertools.count(1)

    def run(program, arrays, reals, integers, results):
        right(program, arrays, reals, integers, results)
        if next(runs) >= first:
            results[:] = [r + 1 for r in results]

    monkeypatch.setattr(Program, "__call__", run)


@pytest.mark.parametrize(("tiers", "first"), [("off", 5), ("on", 5), ("aside", 6)])
def test_each_run(tiers, first, monkeypatch, request):
    """What is right the first time and wrong later is found with `always` alone."""
    monkeypatch.setattr(switch, "MODE", "always")
    monkeypatch.setattr(compile_policy, "uses_interpreter", tiers != "off")
    if tiers == "aside":
        request.getfixturevalue("compiled_aside")
    wrong_from_run(first, monkeypatch)  # a comparison: each is followed by a run
    texts, results = warned(Net(), X, 40)
    np.testing.assert_allclose(results, [expected(X)] * 40, rtol=1e-5, atol=1e-6)
    assert len(texts) == 1


def test_switched_off(monkeypatch, plant):
    monkeypatch.setattr(switch, "MODE", "off")
    plant("sin", one_element)
    texts, results = warned(Net(), X)
    assert not texts and not report.compared
    assert abs(results[-1] - expected(X)).max() > 5e-4


def test_large_operands_are_left_out(monkeypatch, plant):
    monkeypatch.setattr(switch, "MOST_BYTES", 1000)
    plant("sin", one_element)
    texts, _ = warned(Net(), np.repeat(X, 100, 0))
    assert not texts and not report.compared
    assert [*report.left_out] == ["its operands take 4.8 kB"]


def test_what_is_kept_until_the_switch_is_bounded(monkeypatch):
    monkeypatch.setattr(switch, "MOST_KEPT", 100_000)
    kept = switch._Kept()
    tables = [switch.Table() for _ in range(50)]
    for table in tables:
        arrays = [Tensor(np.zeros(1000, np.float32))._value.array]
        kept.put(table, 0, switch.Evidence(switch.Operands(arrays, [], []), arrays))
    assert kept.size <= 100_000
    assert [bool(t) for t in tables] == [False] * 38 + [True] * 12
    for table in tables:
        kept.take(table, 0)
    assert (kept.size, len(kept.entries)) == (0, 0)


@pytest.mark.parametrize(("most", "left_out"), [(2**28, []), (100, ["its operands take 4.8 kB"])])
def test_a_thread_without_evidence(most, left_out, compiled_aside, plant, monkeypatch):
    """The program is compared at its first run then, if its operands are not too large."""
    monkeypatch.setattr(switch, "MOST_KEPT", 1000)
    monkeypatch.setattr(switch, "MOST_BYTES", most)
    plant("sin", one_element)
    texts, results = warned(Net(), np.repeat(X, 100, 0), 40)
    assert (len(texts), report.compared) == ((0, 0) if left_out else (1, 1))
    assert [*report.left_out] == left_out
    if texts:
        right = [expected(np.repeat(X, 100, 0))] * 40
        np.testing.assert_allclose(results, right, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("most, compared", [(switch.MOST_WORK, 1), (0, 0)])
def test_other_devices(monkeypatch, most, compared):
    """As on a GPU: the first run of a program is compared on the host, if that is quick."""
    wrong_from_run(1, monkeypatch)
    monkeypatch.setattr(switch, "MOST_WORK", most)
    with chosen_as_on("gpu"):
        texts, results = warned(Net(), X)
    assert (len(texts), report.compared) == (compared, compared)
    is_right = np.allclose(results[-1], expected(X), rtol=1e-3)
    assert is_right == bool(compared)
    assert sum(report.left_out.values()) == 1 - compared


@pytest.mark.parametrize("n", [100, 1000, 3000])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: ops.tanh(x * 2.0) @ x.T, lambda x: (x * 0.1).sum(1), lambda x: x.cumsum(1),
        lambda x: (x * 0.1).sum(), lambda x: ops.softmax(x * 30.0),
    ],
    ids=["product", "sum", "cumsum", "whole sum", "softmax"],
)  # fmt: skip
def test_roundings_that_add_up_are_no_fault(function, n):
    """Terms of one size round the same way."""
    for x in (np.linspace(-1, 1, n * n), np.full(n * n, 0.1)):
        texts, _ = warned(ms.jit(function), x.astype(np.float32).reshape(n, n)[:300], 3)
        assert not texts
    assert report.compared == 2


def test_sensitive_results_are_no_fault():
    """The first step of Adam divides a gradient by its own size: where terms cancel, the result is
    mostly rounding. After one perturbed run instead of several, two of these 60 were rejected."""

    def first_step(x):
        gradient = (x * 0.1).sum(0)
        return gradient / (ops.sqrt(gradient * gradient) + 1e-8) * 0.001

    for seed in range(60):
        random = np.random.default_rng(seed)
        x = random.normal(size=(512, 8)).astype(np.float32)
        x -= x.mean(0)
        x[0] += random.normal(size=8).astype(np.float32) * np.float32(1e-3)
        texts, _ = warned(ms.jit(first_step), x, 3)
        assert not texts


def test_perturbed_runs_of_random_operations():
    """A key of random numbers has a dtype of JAX, without NumPy's `kind`."""

    def first_step(x):
        gradient = ops.dropout(x - x.mean(0), 0.5).sum(0) * 0.1
        return gradient / (ops.abs(gradient - gradient.mean()) + 1e-8)

    texts, _ = warned(ms.jit(first_step), np.full((512, 8), 0.1, np.float32), 3)
    assert not texts


NAN, INF = np.nan, np.inf


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("expected", "found", "units", "is_wrong"),
    [
        (0.5, 0.5, 27.5, False), (0.5, 0.5, 28.5, True), (0.5, 0.5, -28.5, True),
        (NAN, NAN, 0, False), (NAN, 0.5, 0, True), (0.5, NAN, 0, True),
        (INF, INF, 0, False), (INF, -INF, 0, True), (INF, 0.5, 0, True), (0.5, -INF, 0, True),
    ],
)  # fmt: skip
def test_the_bound_on_an_element(expected, found, units, is_wrong, dtype):
    """With 9 steps, 16 + 4 sqrt(9) machine epsilons of the largest element are allowed."""
    eps, place = float(np.finfo(dtype).eps), (1, 49_999)
    one = np.random.default_rng(0).uniform(-0.9, 0.9, (4, 50_000)).astype(dtype)
    one[0, 0] = 1.0
    other = one.copy()
    one[place], other[place] = expected, found + units * eps
    differs = comparison.difference([one], [other], eps, 9)
    assert (differs and differs[:4]) == ((0, 1, one.size, place) if is_wrong else None)
    assert comparison.different([one], [other], eps, 9) == [0] * is_wrong


# the admission test ----------------------------------------------------------------------------


def test_admission_is_remembered(tmp_path, monkeypatch):
    monkeypatch.setenv("SPORAX_CACHE_DIR", str(tmp_path))
    assert admission.verdict() == []
    (file,) = tmp_path.glob("*.admission")
    monkeypatch.setattr(admission, "_is_right", None)  # it is not asked again
    assert admission.verdict() == []
    file.write_text("no JSON")
    with pytest.raises(TypeError):
        admission.verdict()


def test_admission_warns_of_faults(tmp_path, monkeypatch):
    monkeypatch.setenv("SPORAX_CACHE_DIR", str(tmp_path))
    wrong = jaxlib_faults.FAULTS[0]._replace(name="sums", reproducer=lambda jit: False)
    monkeypatch.setattr(jaxlib_faults, "FAULTS", (wrong,))
    with pytest.warns(RuntimeWarning, match=r"jaxlib .* gives wrong numbers .* \(sums; see"):
        admission.admit.__wrapped__()
    assert admission.verdict() == ["sums"]


def test_another_processor_is_admitted_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("SPORAX_CACHE_DIR", str(tmp_path))
    files = set()
    for name in ("one", "another"):
        monkeypatch.setattr(admission, "processor", lambda name=name: (name, "avx2"))
        files.add(admission._file())
    assert len(files) == 2


# XLA's own fault, as jaxlib 0.10.2 has it where the option that avoids it is taken away.
SCRIPT = """
import warnings
import numpy as np
import sporax as ms
from sporax import Tensor, ops
from sporax._src.runtime.engine.verification import switch

random = np.random.default_rng(0)
matrix, rows = (random.normal(size=s).astype(np.float32) for s in ((3, 3), (40_000, 3)))
M, x = Tensor(matrix), Tensor(rows)
{before}
run = ms.jit(lambda x: ms.vmap(lambda b: (ops.matmul(M, b) ** 2).sum())(x))
wanted = ((rows.astype(np.float64) @ matrix.T) ** 2).sum(1)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(4):
        np.testing.assert_allclose(run(x).asnumpy(), wanted, rtol=1e-4)
print(*[w.message for w in caught])
"""


@pytest.mark.skipif(jaxlib.__version__ != "0.10.2", reason="the fault is in jaxlib 0.10.2")
@pytest.mark.parametrize(
    "before, instead",
    [("", "is compiled again with"), ("switch.safer_options = list", "the interpreter goes on")],
    ids=["by the table's option", "without the table"],
)
def test_a_fault_of_jaxlib_is_found(before, instead):
    flags = "--xla_cpu_experimental_ynn_fusion_type=reduce"
    environment = {**os.environ, "XLA_FLAGS": flags, "SPORAX_TIERS": "on"}
    script = SCRIPT.format(before=before)
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("jaxlib 0.10.2 gives wrong numbers on this processor (")
    assert " For 'vmap', at <string>:12, " in done.stdout
    assert instead in done.stdout
