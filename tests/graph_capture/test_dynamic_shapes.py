"""Arguments whose sizes change: right at each, whatever is in the padding, in few programs."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, grad, jit, nn, ops
from sporax._src.capture.graph_capture.dynamic_shapes import bucketed_shapes
from sporax._src.capture.graph_capture.jit import JitFunction

pytestmark = pytest.mark.usefixtures("on_numpy")

SIZES = (5, 7, 2, 6, 3, 12, 1)  # two of a bucket, buckets' borders, and a size of its own
W = np.linspace(-1, 1, 12).reshape(6, 2)


def rows(n, *rest, seed=0):
    return np.random.default_rng(seed + n).normal(size=(n, *rest)).astype(np.float32)


@pytest.fixture(autouse=True)
def poisoned(monkeypatch):
    """What is in the padding must not matter: here it is NaN, or a large integer."""

    def padded(value, aval, room):
        shape = bucketed_shapes._at(aval, room).shape
        if shape == value.aval.shape:
            return value
        array = np.asarray(value.read())
        poison = np.nan if array.dtype.kind == "f" else 10**6
        full = np.full(shape, poison, array.dtype)
        full[tuple(map(slice, array.shape))] = array
        return bucketed_shapes.owned_value(bucketed_shapes.jax.device_put(full))

    monkeypatch.setattr(bucketed_shapes, "_padded", padded)


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


SHARED = {  # of (n, 6): the function, and what NumPy says
    "by row": (lambda x: ops.tanh(x @ Tensor(W, ms.float32)) * 2, lambda x: np.tanh(x @ W) * 2),
    "sums": (
        lambda x: (x.sum(), x.sum(0), x.mean(0), x.mean(), x.prod(0)),
        lambda x: (x.sum(), x.sum(0), x.mean(0), x.mean(), x.prod(0)),
    ),
    "extremes": (
        lambda x: (x.amax(0), x.amin(0), x.argmax(0), x.argmin(0), (x > 0).all(0), (x > 0).any(0)),
        lambda x: (x.max(0), x.min(0), x.argmax(0), x.argmin(0), (x > 0).all(0), (x > 0).any(0)),
    ),
    "spread": (lambda x: ops.var(x, 0), lambda x: x.var(0)),
    "over the rows": (lambda x: ops.softmax(x, 0), lambda x: softmax(x, 0)),
    "running": (
        lambda x: (ops.cumsum(x, 0), ops.cumprod(x, 0)),
        lambda x: (x.cumsum(0), x.cumprod(0)),
    ),
    "products": (lambda x: (x.T @ x, x @ x.T), lambda x: (x.T @ x, x @ x.T)),
    "flattened": (
        lambda x: (x.reshape(-1).sum(), x.reshape(-1, 2).sum(0), x.T.reshape(-1).max()),
        lambda x: (x.sum(), x.reshape(-1, 2).sum(0), x.max()),
    ),
    "flattened results": (
        lambda x: (x.T.reshape(-1) * 2, x.reshape(-1) + 1, x.T.reshape(2, -1)),
        lambda x: (x.T.reshape(-1) * 2, x.reshape(-1) + 1, x.T.reshape(2, -1)),
    ),
    "running, flattened": (lambda x: ops.cumsum(x.T.reshape(-1), 0), lambda x: x.T.cumsum()),
    "other axes": (
        lambda x: (ops.sort(x, 1)[0], x[:, 1:4], x[:, ::-1], ops.cat([x, x * 2], 1), x[:, 0]),
        lambda x: (np.sort(x, 1), x[:, 1:4], x[:, ::-1], np.concatenate([x, x * 2], 1), x[:, 0]),
    ),
    "a size as a number": (lambda x: x * x.shape[0], lambda x: x * len(x)),
    "made of the size": (
        lambda x: ops.zeros((x.shape[0], 2)) + x[:, :2] + ops.ones_like(x)[:, :2],
        lambda x: x[:, :2] + 1,
    ),
    "picked": (
        lambda x: (x.gather(Tensor([4, 1]), 1), ops.one_hot(x.argmax(1), 6).sum(0)),
        lambda x: (x[:, [4, 1]], np.eye(6)[x.argmax(1)].sum(0)),
    ),
    "the gradient": (
        lambda x: grad(lambda x: (ops.softmax(x, 0) * x).sum())(x),
        lambda x: (lambda p: p * (1 + x - (p * x).sum(0)))(softmax(x, 0)),
    ),
}  # fmt: skip
ALONE = {  # functions that have a program for each size
    "joined along it": (lambda x: ops.cat([x, x], 0), lambda x: np.concatenate([x, x])),
    "a part of it": (lambda x: x[:2].sum(), lambda x: x[:2].sum()),
    "the last": (lambda x: x[-1], lambda x: x[-1]),
    "turned round": (lambda x: x[::-1], lambda x: x[::-1]),
    "sorted": (lambda x: ops.sort(x, 0)[0], lambda x: np.sort(x, 0)),
    "a loop over it": (
        lambda x: sum(x[i] for i in range(x.shape[0])), lambda x: x.sum(0),
    ),
    "as an int": (lambda x: x * int(x.shape[0]), lambda x: x * len(x)),
    "looked up": (lambda x: x * {5: 2.0}.get(x.shape[0], 1.0), lambda x: x * (1 + (len(x) == 5))),
}  # fmt: skip

SOME = {  # functions in which some sizes have a program of their own; sizes, count of programs
    "no rows": (lambda x: (x * 2, x.sum(0)), lambda x: (x * 2, x.sum(0)), (5, 0, 4, 0), 3),
    "a size compared with": (
        lambda x: x * 3 if x.shape[0] == 8 else x * 2 if x.shape[0] > 1 else x,
        lambda x: x * {8: 3, 1: 1}.get(len(x), 2), (5, 7, 8, 6, 1, 8, 2), 4,
    ),
}  # fmt: skip


def check(run, expected, x):
    got = run(Tensor(x))
    got = got if isinstance(got, tuple) else (got,)
    want = expected(x.astype(np.float64))
    want = want if isinstance(want, tuple) else (want,)
    for g, w in zip(got, want, strict=True):
        assert g.shape == np.shape(w)
        np.testing.assert_allclose(g.asnumpy(), w, rtol=1e-4, atol=1e-5)


@pytest.mark.filterwarnings("ignore:.*has been captured 8 times")
@pytest.mark.parametrize("name", SHARED)
def test_sizes_share_a_program_and_the_padding_does_not_matter(name):
    function, expected = SHARED[name]
    run = jit(dynamic=1)(function)
    for n in SIZES:
        check(run, expected, rows(n, 6))
    assert run.shapes.refused == {}
    assert run.captures == 3  # the first, that for all sizes, that for size 1
    assert len(run.entries) == 3


@pytest.mark.filterwarnings("ignore:.*has been captured 8 times")
@pytest.mark.parametrize("name", ALONE)
def test_what_padding_would_falsify_has_a_program_a_size(name):
    function, expected = ALONE[name]
    run = jit(dynamic=1)(function)
    for n in (5, 7, 2, 7):
        check(run, expected, rows(n, 6))
    assert len(run.shapes.refused) == 1
    assert run.captures == 3


@pytest.mark.parametrize("name", SOME)
def test_some_sizes_have_a_program_of_their_own(name):
    function, expected, sizes, captures = SOME[name]
    run = jit(dynamic=1)(function)
    for n in sizes:
        check(run, expected, rows(n, 6))
    assert run.captures == captures


def test_axes_that_vary_together_and_apart():
    @jit(dynamic=1)
    def f(x, y):
        return ops.softmax(x @ y, -1).sum(0), (x @ y).reshape(-1) if x.ndim else x

    for n, m in [(3, 3), (5, 5), (4, 4), (4, 7), (6, 2), (9, 9), (2, 3)]:
        x, y = rows(n, 6), rows(6, m)[:, :m]
        got, flat = f(Tensor(x), Tensor(y))
        product = x.astype(np.float64) @ y
        np.testing.assert_allclose(got.asnumpy(), softmax(product, -1).sum(0), rtol=1e-4)
        np.testing.assert_allclose(flat.asnumpy(), product.reshape(-1), rtol=1e-4, atol=1e-5)
    assert f.captures == 3  # (3, 3); n and n; n and m


class Attention(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding, self.out = nn.Embedding(20, 8), nn.Dense(8, 20)
        self.qkv, self.norm = nn.Dense(8, 24), nn.LayerNorm((8,))

    def construct(self, t):
        x = self.embedding(t)
        b, n, d = x.shape
        q, k, v = ops.split(self.qkv(x).reshape(b, n, 2, 12).transpose(0, 2, 1, 3), 4, -1)
        weights = ops.softmax(q @ k.transpose(0, 1, 3, 2) / 2.0, -1)
        return self.out(self.norm(x + (weights @ v).transpose(0, 2, 1, 3).reshape(b, n, d)))


NETS = {
    "norms": (
        lambda: nn.SequentialCell(nn.Dense(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dense(8, 4)),
        lambda n: (rows(n, 6), np.arange(n, dtype=np.int32) % 4),
    ),
    "dropout": (
        lambda: nn.SequentialCell(nn.Dense(6, 8), nn.Dropout(p=0.5), nn.Dense(8, 4)),
        lambda n: (rows(n, 6), np.arange(n, dtype=np.int32) % 4),
    ),
    "images": (
        lambda: nn.SequentialCell(
            nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(),
            nn.Dense(8, 4),
        ),
        lambda n: (rows(n, 1, 4, 4), np.arange(n, dtype=np.int32) % 4),
    ),
    "sentences": (
        Attention,
        lambda n: [np.random.default_rng(n + i).integers(0, 20, (3, n), np.int32) for i in (0, 1)],
    ),
}  # fmt: skip


def training(make):
    """(a network as it is always the same, its training step)."""
    ms.set_seed(3)
    net = make().set_train()
    loss = nn.CrossEntropyLoss()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)

    def forward(x, y):
        z = net(x)
        return loss(z.reshape(-1, z.shape[-1]), y.reshape(-1))

    gradient = ms.value_and_grad(forward, None, net.trainable_params())

    def step(x, y):
        value, gradients = gradient(x, y)
        optimizer(gradients)
        return value

    return net, step


@pytest.mark.filterwarnings("ignore:The shapes of a computation change")
@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(k, marks=[pytest.mark.slow] * (k in ("dropout", "images", "sentences")))
        for k in NETS
    ],
)
def test_training_gives_the_numbers_of_dynamic_code(kind):
    make, data = NETS[kind]
    (one, dynamic), (other, step) = training(make), training(make)
    step = jit(dynamic=1)(step)
    for n in (4, 6, 5, 3, 7):
        x, y = map(Tensor, data(n))
        ms.set_seed(n)
        want = float(dynamic(x, y))
        ms.set_seed(n)
        assert float(step(x, y)) == pytest.approx(want, rel=1e-4)
    assert (step.captures, step.shapes.refused) == (2, {})
    for p, q in zip(one.get_parameters(), other.get_parameters(), strict=True):
        np.testing.assert_allclose(q.asnumpy(), p.asnumpy(), rtol=1e-3, atol=1e-4)


# declared -----------------------------------------------------------------------------------


class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(6, 2)

    def construct(self, x, scale=1.0):
        return ops.softmax(self.dense(x) * scale, 0)


@pytest.mark.parametrize("how", ["graph mode", "jit of the Cell", "jit of construct"])
def test_declared_inputs_share_a_program_from_the_first_call_on(how, monkeypatch):
    captures, captured = [], JitFunction._captured
    monkeypatch.setattr(
        JitFunction, "_captured", lambda *args: captures.append(1) or captured(*args)
    )
    net = Scaled()
    net.set_inputs(Tensor(shape=[None, 6], dtype=ms.float32))
    weight = net.dense.weight.asnumpy().astype(np.float64)
    call = {"graph mode": net, "jit of the Cell": jit(net), "jit of construct": net}[how]
    if how == "jit of construct":
        net.construct = jit(net.construct)
    mode = ms.get_context("mode")
    try:
        ms.set_context(mode=ms.GRAPH_MODE if how == "graph mode" else ms.PYNATIVE_MODE)
        for n in SIZES[:-1]:
            x = rows(n, 6)
            np.testing.assert_allclose(
                call(Tensor(x)).asnumpy(), softmax(x @ weight.T, 0), rtol=1e-3, atol=1e-6
            )
    finally:
        ms.set_context(mode=mode)
    assert len(captures) == 1


def test_numbers_and_sizes_vary_at_once():
    run = jit(dynamic=1)(lambda x, a, n: (x * a + n).sum(0))
    for i, n in enumerate((5, 7, 2, 6, 3)):
        x = rows(n, 6)
        got = run(Tensor(x), i / 2, n=i)
        np.testing.assert_allclose(got.asnumpy(), (x * (i / 2) + i).sum(0), rtol=1e-4, atol=1e-5)
    assert run.captures == 2


def test_sizes_among_the_results_are_those_of_the_call():
    class Sizes(nn.Cell):
        def construct(self, x):
            return x.sum(0), x.shape, {"size": ops.Size()(x)}, x.shape[0] // 2

    net = Sizes()
    net.set_inputs(Tensor(shape=[None, 3], dtype=ms.float32))
    for n in SIZES:
        total, *sizes = net(Tensor(rows(n, 3)))
        assert sizes == [(n, 3), {"size": 3 * n}, n // 2]
        assert all(type(size) is int for size in (*sizes[0], sizes[1]["size"], sizes[2]))
        np.testing.assert_allclose(total.asnumpy(), rows(n, 3).sum(0), rtol=1e-5)
    halved, whole = (jit(f, dynamic=1) for f in (lambda x: len(x) // 2, lambda x: len(x) * 2))
    for n in (4, 6, 9, 11):
        assert (halved(Tensor(rows(n))), whole(Tensor(rows(n)))) == (n // 2, 2 * n)
