"""Small and large constants keep their effect: each operation computes in its own dtype, in every
mode, as NumPy does."""

import tempfile

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, data, nn, ops
from tests import records
from tests.ops.constant_cases import CASES, evaluate

RECORDED = records.read("constants")
# The derivative of -ln(x + 1e-12) is -1 at 1. MindSpore's is 0 there, -inf with reduction 'mean'.
OWN = {
    "bce_loss": [RECORDED["bce_loss"][0], [1.0, -1.0, *RECORDED["bce_loss"][1][2:]]],
    "bce_loss_of_one_number": [-0.0, [-1.0]],
    "binary_cross_entropy_with_weights": [
        RECORDED["binary_cross_entropy_with_weights"][0],
        [-2.0, 3.0, RECORDED["binary_cross_entropy_with_weights"][1][2]],
    ],
}

THROUGH = {"as it is": lambda function: function, "jit": ms.jit}


@pytest.mark.executors
@pytest.mark.parametrize("through", THROUGH)
@pytest.mark.parametrize("name", CASES)
def test_as_mindspore(name, through):
    result = evaluate(CASES[name], ms, data.NumpySlicesDataset, THROUGH[through])
    for one, other in zip(result, OWN.get(name, RECORDED[name]), strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5)


# Expressions of constants, against NumPy -----------------------------------------------------


class Number:
    """An array as NumPy computes it, step by step in its dtype.

    `error`: how far off it may be elsewhere, where a product is not rounded before it is added
    (FMA), and a root or logarithm otherwise; `loose`: the largest such share of any step so far.
    `slope`: the derivative, in float64, of the steps as they were rounded; `size`: of the slopes
    that were added up; `digits`: how many decimals the factors of a slope move it, at most, to and
    fro. `sane`: whether XLA keeps all numbers so far (it takes those that are too small for 0).
    """

    def __init__(self, value, **notes):
        self.value = value
        one, zero = np.ones(value.shape), np.zeros(value.shape)
        self.error, self.loose, self.digits = zero, zero, zero
        self.slope, self.size, self.sane = one, one, zero == 0
        vars(self).update(notes)
        too_small = (value != 0) & (np.abs(value) <= np.finfo(value.dtype).tiny)
        self.sane = self.sane & ~too_small


def _step(value, terms, error):
    """What a step gives for `terms`: (operand, derivative by it, decimals in computing that)."""
    slope = size = passed = loose = digits = np.zeros(value.shape)
    sane = slope == 0
    for n, d, more in terms:
        slope, size = slope + n.slope * d, size + n.size * np.abs(d)
        passed = passed + np.where(n.error == 0, 0, np.abs(d) * n.error)
        loose, sane = np.maximum(loose, n.loose), sane & n.sane
        digits = np.maximum(digits, n.digits + more)
    error = error + passed + np.where(passed > 0, np.spacing(np.abs(value)), 0)
    share = np.where(error > 0, error / np.abs(value), 0)
    loose = np.maximum(loose, np.where(np.isfinite(value), share, 0))
    return Number(value, slope=slope, size=size, error=error, loose=loose, digits=digits, sane=sane)


def _decimals(x):
    return np.where(x == 0, 0, np.abs(np.log10(np.abs(x))))


def _rounding(value):
    return np.where(np.isfinite(value), np.abs(value), 0) * np.finfo(value.dtype).eps


def _binary(kind, a, b):
    dtype = next(n.value.dtype for n in (a, b) if isinstance(n, Number))
    x, y = [n.value if isinstance(n, Number) else np.full(len(GIVEN), n, dtype) for n in (a, b)]
    u, v, one = x.astype(float), y.astype(float), np.ones(x.shape)
    value, slopes, decimals, error = {
        "+": lambda: (x + y, (one, one), (0, 0), 0),
        "-": lambda: (x - y, (one, -one), (0, 0), 0),
        "*": lambda: (x * y, (v, u), (_decimals(v), _decimals(u)), _rounding(x * y)),
        "/": lambda: (
            x / y, (1 / v, -u / v**2), (_decimals(v), _decimals(u) + 2 * _decimals(v)),
            _rounding(x / y),
        ),
    }[kind]()  # fmt: skip
    terms = [t for t in zip((a, b), slopes, decimals, strict=True) if isinstance(t[0], Number)]
    return _step(value, terms, error)


def _unary(kind, a):
    x, u = a.value, a.value.astype(float)
    value, slope = {
        "log": lambda: (np.log(x), 1 / u),
        "sqrt": lambda: (np.sqrt(x), 0.5 / np.sqrt(u)),
        "rsqrt": lambda: (1 / np.sqrt(x), -0.5 * u**-1.5),
        "reciprocal": lambda: (1 / x, -(u**-2)),
    }[kind]()
    about = 4 * _rounding(np.abs(value) + (kind == "log"))
    return _step(value.astype(x.dtype), [(a, slope, 2 * _decimals(u))], about)


SIZES = {  # tiny, usual and huge constants; and the numbers that go in
    "float32": ([1e-30, 1e-20, 1e-12, 1e-8], [0.5, 1.0, 1.0, 2.0, 3.0], [1e8, 1e12, 1e20, 1e30]),
    "float16": ([1e-4, 3e-4, 2e-3], [0.5, 1.0, 1.0, 2.0, 3.0], [3e2, 2e3, 3e4]),
}
GIVEN = np.array([0.0, 1.0, 0.5, 2.0, 1e-3, -1.0, 0.999])


def expression(rng, dtype):
    """(its text, a function of a number and of how operations are made) for a random expression:
    a chain of constants, or what two of them give, and maybe a function of that."""
    pools = SIZES[dtype]

    def chain():
        steps = []
        for _ in range(rng.integers(2, 5)):
            c = float(rng.choice(pools[rng.choice(3, p=[0.4, 0.35, 0.25])]))
            steps.append((str(rng.choice(["+", "-", "*", "/"])), c, bool(rng.random() < 0.3)))
        return steps

    parts = [chain() for _ in range(1 + (rng.random() < 0.3))]
    joint = str(rng.choice(["+", "-", "*", "/"]))
    last = str(rng.choice(["", "", "log", "sqrt", "rsqrt", "reciprocal"]))

    def compute(x, binary, unary):
        built = []
        for steps in parts:
            y = x
            for kind, c, is_first in steps:
                y = binary(kind, c, y) if is_first else binary(kind, y, c)
            built.append(y)
        y = built[0] if len(built) == 1 else binary(joint, *built)
        return unary(last, y) if last else y

    def text(kind, a, b):
        return f"({a} {kind} {b})"

    return compute("x", text, lambda kind, a: f"{kind}({a})"), compute


def _on_tensors(kind, a, b):
    return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b}[kind]()


def _of_tensors(kind, a):
    return getattr(ops, kind)(a)


# {dtype: (decimals that a slope may move, how loose its steps may be, how exact it must be, how
# many an expression there are)}
STEEP = {"float32": (30, 1e-4, 1e-3, 1), "float16": (3.5, 5e-3, 5e-2, 0.25)}


class Expressions:
    """So many of them. `values`: the function of a row of numbers for each."""

    def __init__(self, dtype, count, seed):
        rng = np.random.default_rng(seed)
        self.dtype, self.texts, self.functions, self.wanted = dtype, [], [], []
        while len(self.texts) < count:
            text, compute = expression(rng, dtype)
            with np.errstate(all="ignore"):
                n = compute(Number(GIVEN.astype(dtype)), _binary, _unary)
            if (n.sane & (n.loose < 1e-2)).sum() >= 4:
                self.texts.append(text)
                self.functions.append(compute)
                self.wanted.append(n)

    def values(self, x):
        built = [f(x[i], _on_tensors, _of_tensors) for i, f in enumerate(self.functions)]
        return ops.stack(built)

    def given(self):
        return Tensor(np.tile(GIVEN, (len(self.texts), 1)).astype(self.dtype))

    def check(self, values, slopes):
        """Compare with NumPy where it can say what is right; returns how much that is."""
        wrong, counts = [], np.zeros(2, int)
        digits, loose, accuracy, _ = STEEP[self.dtype]
        for text, n, y, slope in zip(self.texts, self.wanted, values, slopes, strict=True):
            with np.errstate(all="ignore"):
                near = np.abs(y.astype(float) - n.value) <= 4 * n.error
                far = np.abs(slope - n.slope) > accuracy * n.size
            finite = np.isfinite(n.value)
            same = finite & near | (y == n.value) | np.isnan(y) & np.isnan(n.value)
            messages = n.sane & (n.loose < 1e-2)
            steep = n.sane & finite & (n.loose < loose) & (n.digits < digits)
            wrong += [(text, x) for x in GIVEN[messages & ~same]]
            wrong += [(text, "derivative", x) for x in GIVEN[steep & (far | np.isnan(slope))]]
            counts += messages.sum(), steep.sum()
        assert not wrong
        return counts


def _branch(f):
    def function(x):
        if x[0, 0] < 5:
            y = f(x) if x[0, 1] > -5 else x
        else:
            y = -x
        return y

    return ms.jit(function)


def _loop(f):
    def function(x):
        left, y = x[0, 1] * 0 + 1, x * 0
        while left > 0:
            y = f(x)
            left = left - 1
        return y

    return ms.jit(function)


def _scan(f):
    def function(x):
        return ops.Scan()(lambda carried, _: (carried, f(carried)), x, None, 2)[1][1]

    return ms.jit(function)


def _recomputed(f):
    return lambda x: ms.recompute(f, x)


def _exported(f):
    def function(x):
        with tempfile.TemporaryDirectory() as folder:
            ms.export(f, x, file_name=f"{folder}/f", file_format="MINDIR")
            return nn.GraphCell(ms.load(f"{folder}/f.mindir"))(x)

    return function


MODES = {
    "dynamic": (lambda f: f, 150),
    "jit": (ms.jit, 150),
    "vmap": (lambda f: ms.vmap(f, 1, 1), 20),
    "vmap in jit": (lambda f: ms.jit(ms.vmap(f, 1, 1)), 20),
    "recompute": (_recomputed, 20),
    "recompute in jit": (lambda f: ms.jit(_recomputed(f)), 20),
    "branch": (_branch, 20),
    "loop": (_loop, 20),
    "scan": (_scan, 20),
    "exported": (_exported, 20),
}


ROWS = [pytest.param(m, marks=[pytest.mark.executors] if m == "dynamic" else []) for m in MODES]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("mode", ROWS)
def test_as_numpy(mode, dtype):
    through, count = MODES[mode]
    these = Expressions(dtype, count if dtype == "float32" else max(count // 3, 20), 0)
    x, f = these.given(), these.values
    values, slopes = through(f)(x), through(ms.grad(f))(x)
    known, steep = these.check(values.asnumpy(), slopes.asnumpy())
    assert known > 4 * len(these.texts)
    assert steep > STEEP[dtype][-1] * len(these.texts)
