"""Random operations: the laws they draw from, seeds, generators, and the same numbers whoever runs.

A row is a call, in which `x` is a tensor of `n` numbers between 0 and 1, `w` are weights, `g` is a
Generator and `op` the object of a row that makes one first; and the law that its numbers follow.
"""

import subprocess
import sys
import threading

import numpy as np
import pytest
from scipy import stats

import sporax as ms
from sporax import mint, nn, ops
from sporax._src.core import dtype as dtypes
from sporax._src.core import random
from sporax._src.core.context import set_context
from sporax._src.core.random import Generator
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of
from sporax.ops.declare import FUNCTIONS, MINT, PRIMITIVES

pytestmark = pytest.mark.usefixtures("on_numpy")

WEIGHTS = np.array([0.1, 0.4, 0.0, 0.3, 0.2], np.float32)
weighted = stats.rv_discrete(values=(range(5), WEIGHTS.astype(float)))
soft = stats.rv_discrete(values=(range(5), np.exp(WEIGHTS) / np.exp(WEIGHTS).sum()))
zipf = stats.rv_discrete(
    values=(range(9), [np.log((k + 2) / (k + 1)) / np.log(10) for k in range(9)])
)
bits = stats.bernoulli(0.5)
slopes = stats.uniform(1 / 8, 1 / 3 - 1 / 8)
cut = stats.truncnorm

# a call -> the law of its numbers
CONTINUOUS = {
    "ops.standard_normal((n,))": stats.norm(),
    "ops.standard_normal((n,), seed=3)": stats.norm(),
    "ops.normal((n,), 1.0, Tensor(2.0), seed=3)": stats.norm(1, 2),
    "ops.randn(n)": stats.norm(),
    "ops.randn(n, dtype=dtypes.float64)": stats.norm(),
    "ops.randn_like(x)": stats.norm(),
    "ops.rand(n)": stats.uniform(),
    "ops.rand((n,), dtype=dtypes.float64, seed=3)": stats.uniform(),
    "ops.rand_like(x)": stats.uniform(),
    "ops.uniform((n,), Tensor(1.0), Tensor(3.0))": stats.uniform(1, 2),
    "ops.standard_laplace((n,))": stats.laplace(),
    "ops.laplace((n,), Tensor(1.0), Tensor(2.0), seed=3)": stats.laplace(1, 2),
    "ops.gamma((n,), Tensor(0.5), Tensor(2.0))": stats.gamma(0.5, scale=0.5),
    "ops.gamma((n,), Tensor(7.5), Tensor(2.0), seed=3)": stats.gamma(7.5, scale=0.5),
    "ops.random_gamma(Tensor([n]), Tensor(2.5))": stats.gamma(2.5),
    "x.cauchy(1.0, 2.0)": stats.cauchy(1, 2),
    "x.log_normal(0.5, 1.5)": stats.lognorm(1.5, scale=np.exp(0.5)),
    "x.uniform(1.0, 3.0, g)": stats.uniform(1, 2),
    "mint.rand(n, generator=g)": stats.uniform(),
    "mint.randn((n,), generator=g)": stats.norm(),
    "mint.rand_like(x)": stats.uniform(),
    "mint.randn_like(x)": stats.norm(),
    "mint.normal(1.0, 2.0, (n,), g)": stats.norm(1, 2),
    "mint.normal(0 * x + 1, 2.0)": stats.norm(1, 2),
    "x.copy().normal_(1, 2, generator=g)": stats.norm(1, 2),
    "ops.normal_(x.copy())": stats.norm(),
    "x.copy().uniform_(1, 3, generator=g)": stats.uniform(1, 2),
    "ops.uniform_(x.copy())": stats.uniform(),
    "x.copy().exponential_(2, generator=g)": stats.expon(scale=0.5),
    "ops.exponential_(x.copy())": stats.expon(),
    "-ops.rrelu(0 * x - 1)": slopes,
    "ops.gumbel_softmax(0 * x.reshape(n // 2, 2))[:, 0]": stats.uniform(),
    "ops.StandardNormal(3, 4) -> op((n,))": stats.norm(),
    "ops.UniformReal() -> op((n,))": stats.uniform(),
    "ops.Uniform(1.0, 3.0, 5) -> op(x)": stats.uniform(1, 2),
    "ops.StandardLaplace(3) -> op((n,))": stats.laplace(),
    "ops.Gamma(3) -> op((n,), Tensor(1.5), Tensor(2.0))": stats.gamma(1.5, scale=0.5),
    "ops.RandomGamma(3) -> op(Tensor([n]), Tensor(1.5))": stats.gamma(1.5),
    "ops.Cauchy([n], 1.0, 2.0) -> op()": stats.cauchy(1, 2),
    "ops.LogNormalReverse(0.5, 1.5) -> op(x)": stats.lognorm(1.5, scale=np.exp(0.5)),
    "ops.TruncatedNormal(seed=3) -> op(Tensor([n]))": cut(-2, 2),
    "ops.ParameterizedTruncatedNormal(3) -> op(Tensor([n]), *map(Tensor, (1.0, 2.0, 2.0, 9.0)))":
        cut(0.5, 4, 1, 2),
    "nn.RReLU() -> -op(0 * x - 1)": slopes,
}  # fmt: skip

DISCRETE = {
    "ops.randint(-2, 5, (n,))": stats.randint(-2, 5),
    "ops.randint_like(x, 0, 7, dtype=dtypes.int32)": stats.randint(0, 7),
    "ops.uniform((n,), Tensor(2), Tensor(9), dtype=dtypes.int32)": stats.randint(2, 9),
    "ops.bernoulli(x * 0 + 0.3)": stats.bernoulli(0.3),
    "ops.bernoulli(x, 0.3, seed=3)": stats.bernoulli(0.3),
    "ops.bernoulli_ext(x * 0 + 0.3, generator=g)": stats.bernoulli(0.3),
    "ops.poisson((n,), Tensor(0.7))": stats.poisson(0.7),
    "ops.random_poisson(Tensor([n]), Tensor(20.0), dtype=dtypes.int32)": stats.poisson(20),
    "ops.multinomial(w, n)": weighted,
    "ops.multinomial(w.broadcast_to((n, 5)), 2, False)[:, 0]": weighted,
    "w.multinomial(n, seed=3)": weighted,
    "ops.multinomial_with_replacement(w, 3, 4, n, True)": weighted,
    "ops.random_categorical(w[None], n)": soft,
    "w[None].random_categorical(n, 3)": soft,
    "ops.uniform_candidate_sampler(Tensor([[0]]), 1, n, False, 9)[0]": stats.randint(0, 9),
    "ops.log_uniform_candidate_sampler(Tensor([[0]]), 1, n, False, 9)[0]": zipf,
    "ops.dropout(x * 0 + 1, 0.5)": stats.bernoulli(0.5, loc=0),
    "mint.randint(-2, 5, (n,), generator=g)": stats.randint(-2, 5),
    "mint.randint_like(x, 7)": stats.randint(0, 7),
    "mint.bernoulli(x * 0 + 0.3, generator=g)": stats.bernoulli(0.3),
    "(x * 0 + 0.3).bernoulli(generator=g)": stats.bernoulli(0.3),
    "mint.multinomial(w, n, True, generator=g)": weighted,
    "x.copy().random_(-2, 5, generator=g)": stats.randint(-2, 5),
    "ops.random_(x.copy(), Tensor(0), Tensor(7))": stats.randint(0, 7),
    "x.copy().bernoulli_(0.3, generator=g)": stats.bernoulli(0.3),
    "ops.bernoulli_(x.copy(), x * 0 + 0.3)": stats.bernoulli(0.3),
    "mint.dropout(x * 0 + 1)": stats.bernoulli(0.5),
    "mint.nn.functional.dropout(x * 0 + 1)": stats.bernoulli(0.5),
    "ops.dropout1d(x.reshape(n, 1) * 0 + 1)": stats.bernoulli(0.5),
    "ops.dropout2d(x.reshape(1, n, 1, 1) * 0 + 1)": stats.bernoulli(0.5),
    "ops.dropout3d(x.reshape(1, n, 1, 1, 1) * 0 + 1)": stats.bernoulli(0.5),
    "mint.dropout2d(x.reshape(1, n, 1, 1) * 0 + 1)": stats.bernoulli(0.5),
    "mint.nn.functional.dropout2d(x.reshape(1, n, 1, 1) * 0 + 1)": stats.bernoulli(0.5),
    "ops.UniformInt(3) -> op((n,), Tensor(2), Tensor(9))": stats.randint(2, 9),
    "ops.NonDeterministicInts() -> op(Tensor([n])) % 2": bits,
    "ops.Bernoulli(3) -> op(x, 0.3)": stats.bernoulli(0.3),
    "ops.Poisson(3) -> op((n,), Tensor(0.7))": stats.poisson(0.7),
    "ops.RandomPoisson(3) -> op(Tensor([n]), Tensor(0.7))": stats.poisson(0.7),
    "ops.Multinomial(3) -> op(w, n)": weighted,
    "ops.MultinomialWithReplacement(n, True) -> op(w, Tensor(3), Tensor(4))": weighted,
    "ops.RandomCategorical() -> op(w[None], n)": soft,
    "ops.UniformCandidateSampler(1, n, False, 9) -> op(Tensor([[0]]))[0]": stats.randint(0, 9),
    "ops.LogUniformCandidateSampler(1, n, False, 9) -> op(Tensor([[0]]))[0]": zipf,
    "ops.Dropout(0.5, 3, 4) -> op(x * 0 + 1)[0]": stats.bernoulli(0.5),
    "ops.Dropout2D(0.5) -> op(x.reshape(1, n, 1, 1) * 0 + 1)[0]": stats.bernoulli(0.5),
    "ops.Dropout3D(0.5) -> op(x.reshape(1, n, 1, 1, 1) * 0 + 1)[0]": stats.bernoulli(0.5),
    "ops.DropoutGenMask(3, 4) -> ops.DropoutDoMask()(x * 0 + 1, op((n,), 0.5), Tensor(0.5))":
    stats.bernoulli(0.5),
    "nn.Dropout(0.5).set_train() -> op(x * 0 + 1)": stats.bernoulli(0.5),
    "nn.Dropout1d().set_train() -> op(x.reshape(n, 1) * 0 + 1)": stats.bernoulli(0.5),
    "nn.Dropout2d().set_train() -> op(x.reshape(1, n, 1, 1) * 0 + 1)": stats.bernoulli(0.5),
    "nn.Dropout3d().set_train() -> op(x.reshape(1, n, 1, 1, 1) * 0 + 1)": stats.bernoulli(0.5),
    "mint.nn.Dropout().set_train() -> op(x * 0 + 1)": stats.bernoulli(0.5),
    "mint.nn.Dropout2d().set_train() -> op(x.reshape(1, n, 1, 1) * 0 + 1)": stats.bernoulli(0.5),
}  # fmt: skip

# permutations and choices without replacement: of many short ones, the place of one element
ORDERS = [
    "ops.randperm(9)", "ops.randperm(9, 3, 4)", "mint.randperm(9, generator=g)",
    "ops.shuffle(ops.arange(9))", "ops.choice_with_mask(x[:9] >= 0, 9)[0]",
    "ops.uniform_candidate_sampler(Tensor([[0]]), 1, 9, True, 9)[0]",
    "ops.RandpermV2(3) -> op(9)", "ops.Randperm(9, 3) -> op(Tensor([9]))",
    "ops.RandomShuffle(3) -> op(ops.arange(9))",
    "ops.RandomChoiceWithMask(9, 3) -> op(x[:9] >= 0)[0]",
]  # fmt: skip


class Call:
    """A row made into a function of the tensor; what it refers to begins anew."""

    def __init__(self, row, n):
        self.x, w = Tensor(np.linspace(0.01, 0.99, n), dtypes.float32), Tensor(WEIGHTS)
        make, _, text = row.rpartition(" -> ")
        scope = {"ms": ms, "ops": ops, "mint": mint, "nn": nn, "dtypes": dtypes, "Tensor": Tensor}
        scope |= {"n": n, "w": w, "g": Generator().manual_seed(7)}
        if make:
            scope["op"] = eval(make, scope)
        self.function = eval(f"lambda x: {text}", scope)

    def __call__(self):
        return self.function(self.x)


def drawn(row, n):
    return np.sort(Call(row, n)().asnumpy().ravel().astype(np.float64))


@pytest.mark.parametrize("row", CONTINUOUS)
def test_continuous_law(row):
    x = drawn(row, 20000)
    f, steps = CONTINUOUS[row].cdf(x), np.arange(x.size + 1) / x.size
    # Kolmogorov and Smirnov: beyond this distance by chance once in a thousand draws
    assert max(np.max(steps[1:] - f), np.max(f - steps[:-1])) < 1.95 / np.sqrt(x.size)
    assert np.unique(x).size > 0.98 * x.size


def chi_square(counts, expected):
    """Whether counts are as expected, up to what happens by chance once in a thousand draws."""
    few = expected < 5
    assert not counts[expected == 0].any()
    counts = np.append(counts[~few], counts[few].sum())
    expected = np.append(expected[~few], max(expected[few].sum(), 1e-9))
    distance = ((counts - expected) ** 2 / expected).sum()
    return distance < stats.chi2.ppf(0.999, len(counts) - 1)


@pytest.mark.parametrize("row", DISCRETE)
def test_discrete_law(row):
    x = drawn(row, 20000)
    x = x / 2 if "rop" in row else x  # what dropout keeps is doubled
    law, numbers = DISCRETE[row], np.arange(-5, 100)
    counts = np.array([(x == k).sum() for k in numbers])
    assert counts.sum() == x.size
    assert chi_square(counts, law.pmf(numbers) * x.size)


@pytest.mark.parametrize("row", ORDERS)
def test_orders_are_all_equally_likely(row):
    call = Call(row, 9)
    result = np.stack([call().asnumpy().ravel() for _ in range(900)])
    assert (np.sort(result, 1) == np.arange(9)).all()
    pairs = np.zeros((9, 9))
    np.add.at(pairs, (result[:, 0], result[:, 1]), 1)
    assert chi_square(pairs[~np.eye(9, dtype=bool)], np.full(72, 900 / 72))


ROWS = [*CONTINUOUS, *DISCRETE, *ORDERS]


def twice(row, way):
    """The numbers of two calls, in one of the ways of running them."""
    random.set_seed(5)
    call = Call(row, 12)
    if way == "jit":
        call.function = ms.jit(call.function)
    if way == "graph":
        cell = nn.Cell()
        cell.construct = call.function
        call.function = cell
    return [[t.asnumpy() for t in tensors_of(call())] for _ in range(2)]


@pytest.fixture
def context():
    yield
    set_context(mode=ms.PYNATIVE_MODE, pynative_synchronize=False)


# five ways of running each row, every one compiled: the usual run takes each fifth row
IN_TURN = [
    pytest.param(row, marks=() if i % 5 == 0 else pytest.mark.slow) for i, row in enumerate(ROWS)
]


@pytest.mark.parametrize("row", IN_TURN)
def test_whoever_runs_it_draws_the_same_and_a_second_run_repeats_it(row, context):
    expected = twice(row, "dynamic")
    assert any((a != b).any() for a, b in zip(*expected, strict=True)), "two calls draw the same"
    ways = {"again": {}, "jit": {}, "graph": {"mode": ms.GRAPH_MODE}}
    ways["immediate"] = {"pynative_synchronize": True}
    for way, settings in ways.items():
        set_context(mode=ms.PYNATIVE_MODE, pynative_synchronize=False)
        set_context(**settings)
        for a, b in zip(tensors_of_lists(expected), tensors_of_lists(twice(row, way)), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6, err_msg=way)


def tensors_of_lists(calls):
    return [array for call in calls for array in call]


HOMES = {
    f"sporax.ops.random.{name}"
    for name in ("continuous", "discrete", "candidates", "dropout", "generators")
}


def test_every_random_function_has_a_row():
    called = " ".join(ROWS)
    faces = [(f"ops.{n}(", f) for n, f in (FUNCTIONS | PRIMITIVES).items()]
    faces += [(f"mint.{n}(", f) for n, f in MINT.items()]
    faces += [(f".{n}(", f) for n, f in vars(Tensor).items()]
    missing = [n for n, f in faces if getattr(f, "__module__", "") in HOMES and n not in called]
    assert not missing


# seeds ----------------------------------------------------------------------------------------


def test_calls_with_one_seed_differ_and_a_second_run_repeats_them():
    runs = []
    for _ in range(2):
        random.set_seed(1)
        runs.append([ops.uniform((4,), Tensor(1.0), Tensor(2.0), seed=1).tolist() for _ in "ab"])
    assert runs[0] == runs[1]
    assert runs[0][0] != runs[0][1]
    random.set_seed(2)
    assert ops.uniform((4,), Tensor(1.0), Tensor(2.0), seed=1).tolist() != runs[0][0]


def test_objects_with_one_seed_have_a_sequence_each():
    one, two = ops.StandardNormal(3), ops.StandardNormal(3)
    first = [one((4,)).tolist() for _ in "ab"]
    assert first == [two((4,)).tolist() for _ in "ab"]
    assert first[0] != first[1]
    assert ops.StandardNormal(4)((4,)).tolist() != first[0]


def test_manual_seed_governs_every_function_without_a_seed():
    for row in ("ops.rand(4)", "mint.rand(4)", "x.copy().normal_()", "ops.randperm(9)"):
        assert random.manual_seed(9) is random.default_generator
        assert random.initial_seed() == 9
        first = Call(row, 9)().tolist()
        state = random.get_rng_state()
        second = Call(row, 9)().tolist()
        assert first != second
        random.manual_seed(9)
        assert Call(row, 9)().tolist() == first
        random.set_rng_state(state)
        assert Call(row, 9)().tolist() == second


def test_without_a_seed_numpy_decides():
    code = "import numpy; numpy.random.seed({}); import sporax; print(sporax.ops.rand(3).tolist())"

    def run(seed):
        return subprocess.run(
            [sys.executable, "-c", code.format(seed)], capture_output=True, text=True, check=True
        ).stdout

    assert run(1) == run(1) != run(2)


def test_a_random_seed_is_another_each_time():
    assert random.seed() != random.seed()
    assert random.initial_seed() == random.default_generator.initial_seed()


# generators -----------------------------------------------------------------------------------


def test_a_generator_has_a_state_of_its_own():
    g, h = Generator().manual_seed(3), Generator().manual_seed(3)
    first = mint.rand(4, generator=g).tolist()
    ops.rand(4)
    random.set_seed(8)
    assert mint.rand(4, generator=h).tolist() == first
    state = g.get_state()
    second = mint.rand(4, generator=g).tolist()
    assert second != first
    g.set_state(state)
    assert mint.rand(4, generator=g).tolist() == second
    assert g.initial_seed() == 3
    h.set_state(state)
    assert mint.rand(4, generator=h).tolist() == second
    assert isinstance(g.seed(), int) and g.initial_seed() != 3
    assert Generator().manual_seed(-5).initial_seed() == -5
    assert Generator().initial_seed() == 0


def test_the_step_of_a_generator_in_a_captured_function():
    g, h = Generator().manual_seed(-3), Generator()
    for step in (g._step, ms.jit(g._step)):
        assert [t.item() for t in step(Tensor(2))] == [-3, 0]
        assert [t.item() for t in step(Tensor([1]))] == [-3, 2]
        h.set_state(g.get_state())
        assert h._step(Tensor(1))[1].item() == 3
        g.manual_seed(-3)


def test_generators_in_a_captured_function():
    def draw(g, h):
        h.set_state(g.get_state())
        a = mint.rand(3, generator=g)
        b = mint.rand(3, generator=h)
        g.manual_seed(4)
        return a, b, mint.rand(3, generator=g)

    g, h = Generator().manual_seed(3), Generator()
    expected = [[t.tolist() for t in draw(g, h)] for _ in range(2)]
    g, h = Generator().manual_seed(3), Generator()
    captured = ms.jit(lambda: draw(g, h))
    assert [[t.tolist() for t in captured()] for _ in range(2)] == expected
    assert expected[0][0] == expected[0][1] != expected[1][0]


def test_dynamic_and_captured_calls_share_the_state():
    def draw():
        return ops.rand(3)

    captured = ms.jit(draw)
    random.set_seed(3)
    expected = [draw().tolist() for _ in range(4)]
    random.set_seed(3)
    assert [f().tolist() for f in (captured, draw, captured, captured)] == expected


# derivatives ----------------------------------------------------------------------------------


def test_the_derivative_belongs_to_the_numbers_that_were_drawn():
    x = Tensor(np.linspace(1, 2, 50), dtypes.float32)

    def function(x):
        y = ops.dropout(x, 0.4)
        return (y * y).sum(), y

    for f in (function, ms.jit(function)):
        (_, y), slope = ms.value_and_grad(f, 0, has_aux=True)(x)
        kept = y.asnumpy() != 0
        assert 10 < kept.sum() < 45
        np.testing.assert_allclose(
            slope.asnumpy(), np.where(kept, 2 * x.asnumpy() / 0.36, 0), rtol=1e-5
        )


def test_the_state_moves_on_once_in_a_derivative():
    x = Tensor(np.ones(9), dtypes.float32)
    random.set_seed(3)
    values = [ops.dropout(x).sum().item(), ops.rand(3).tolist()]
    random.set_seed(3)
    value, _ = ms.value_and_grad(lambda x: ops.dropout(x).sum())(x)
    assert [value.item(), ops.rand(3).tolist()] == values


def test_hard_gumbel_softmax_has_the_soft_derivative():
    weights = Tensor([1.0, 2.0, 3.0])
    x = Tensor([0.1, 0.2, 0.3])
    slopes = []
    for hard in (False, True):
        random.set_seed(3)
        y = ops.gumbel_softmax(x, 0.5, hard)
        random.set_seed(3)
        slopes.append(
            ms.grad(lambda x, hard=hard: (ops.gumbel_softmax(x, 0.5, hard) * weights).sum())(x)
        )
    assert sorted(y.tolist()) == [0, 0, 1]
    np.testing.assert_allclose(slopes[0].asnumpy(), slopes[1].asnumpy(), rtol=1e-5)


def test_dropped_with_certainty():
    x = Tensor(np.ones((2, 3)), dtypes.float32)
    assert not ops.dropout1d(x, 1.0).asnumpy().any()
    assert not ms.grad(lambda x: ops.dropout1d(x, 1.0).sum())(x).asnumpy().any()


# threads --------------------------------------------------------------------------------------


def test_threads_draw_different_numbers():
    result, captured = [], ms.jit(lambda: ops.rand(4))

    def work(draw):
        result.extend([tuple(draw().tolist()) for _ in range(30)])

    draws = [lambda: ops.rand(4), lambda: ops.rand(4), captured]
    threads = [threading.Thread(target=work, args=(draw,)) for draw in draws]
    random.set_seed(3)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(result)) == 90
    random.set_seed(3)
    assert set(result) == {tuple(ops.rand(4).tolist()) for _ in range(90)}


# shapes and dtypes ----------------------------------------------------------------------------

# a call -> shape and dtype in MindSpore 2.10
KINDS = {
    "ops.choice_with_mask(x.reshape(3, 4) > 0, 5)": "(5, 2) Int32 (5,) Bool",
    "ops.poisson((4, 1), x[:2])": "(4, 2) Float32",
    "ops.random_poisson(Tensor([2, 2]), x[:3])": "(2, 2, 3) Float32",
    "ops.random_poisson(Tensor([2, 2]), Tensor(0.5), dtype=dtypes.float16)": "(2, 2) Float16",
    "ops.random_gamma(Tensor([7, 5]), x[:2].astype('float16'))": "(7, 5, 2) Float16",
    "ops.random_categorical(w[None], 8, dtype=dtypes.int16)": "(1, 8) Int16",
    "ops.multinomial(w, 2)": "(2,) Int32",
    "ops.multinomial_with_replacement(w[None], 1, 2, 3, True)": "(1, 3) Int64",
    "mint.multinomial(w, 2)": "(2,) Int64",
    "ops.normal((3, 1), x[:3], x[:3])": "(3, 3) Float32",
    "ops.rand()": "(1,) Float32",
    "ops.rand(0)": "(0,) Float32",
    "ops.standard_normal((2, 0))": "(2, 0) Float32",
    "ops.rand_like(x.astype('float16'))": "(12,) Float16",
    "ops.randn_like(x.astype('float16'))": "(12,) Float32",
    "ops.randint(0, 9, (2,))": "(2,) Int64",
    "ops.randperm(5, dtype=dtypes.float32)": "(5,) Float32",
    "ops.uniform_candidate_sampler(Tensor([[1], [3]], dtypes.int32), 1, 3, True, 9)":
        "(3,) Int32 (2, 1) Float32 (3,) Float32",
    "ops.log_uniform_candidate_sampler(Tensor([[1, 7], [0, 4]]), 2, 5, True, 8)":
        "(5,) Int64 (2, 2) Float32 (5,) Float32",
    "ops.Dropout2D() -> op(x.reshape(1, 3, 2, 2))": "(1, 3, 2, 2) Float32 (1, 3, 2, 2) Bool",
    "ops.Dropout() -> op(x.astype('float16'))": "(12,) Float16 (12,) Float16",
    "ops.Poisson() -> op((3, 1), x[:2])": "(3, 2) Int32",
    "ops.RandomPoisson() -> op(Tensor([3]), x[:2])": "(3, 2) Int64",
    "ops.UniformInt() -> op((3,), Tensor(0), Tensor(2))": "(3,) Int32",
}  # fmt: skip


@pytest.mark.parametrize("row", KINDS)
def test_shapes_and_dtypes_are_mindspores(row):
    outs = tensors_of(Call(row, 12)())
    assert " ".join(f"{t.shape} {t.dtype}" for t in outs) == KINDS[row]


def test_what_is_padded_and_masked():
    index, valid = ops.choice_with_mask(Tensor([[True, False], [False, True]]), 4)
    assert sorted(index.tolist()[:2]) == [[0, 0], [1, 1]] and index.tolist()[2:] == [[0, 0]] * 2
    assert valid.tolist() == [True, True, False, False]
    padded = ops.Randperm(6, -2, dtypes.int64)(Tensor([4])).tolist()
    assert sorted(padded[:4]) == [0, 1, 2, 3] and padded[4:] == [-2, -2]


def test_candidates_that_are_no_accidental_hits():
    x = Tensor([[1, 4], [1, 2]])
    for seed in range(1, 9):
        drawn, *_ = ops.uniform_candidate_sampler(x, 2, 3, True, 6, seed, True)
        assert sorted(drawn.tolist()) == [0, 3, 5]


def test_filling_in_place_keeps_the_handle_and_reaches_the_source():
    x = Tensor(np.zeros((2, 3)), dtypes.float32)
    assert x.normal_() is x and (x.asnumpy() != 0).all()
    row = x[1]
    row.uniform_(5, 6)
    assert (x.asnumpy()[1] >= 5).all()
    p = ms.Parameter(Tensor([1, 2, 3]))
    assert p.random_(4, 5) is p and p.tolist() == [4, 4, 4]
    y = Tensor([1.0, 2.0])
    assert mint.nn.functional.dropout(y, 1.0, inplace=True) is y and y.tolist() == [0, 0]
