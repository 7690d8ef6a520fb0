"""Programs that compute a batch in parts: results of the whole batch, or the reason why not."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sporax import Tensor, jit, memory_limit, nn, ops, value_and_grad
from sporax._src.core.jax_internals import jaxpr_as_fun
from sporax._src.runtime.memory.flat import flat
from sporax._src.runtime.memory.liveness import peak
from sporax._src.runtime.recompute.batch_splitting import NotSplit, split
from sporax._src.runtime.xla_kernels import recurrence

random = np.random.default_rng(0)


def normal(*shape):
    return random.standard_normal(shape).astype(np.float32) / 4


def layers(weights, x):
    for w in weights:
        x = jnp.tanh(x @ w)
    return x


def squares(weights, x, y):
    return ((layers(weights, x) - y) ** 2).mean()


def classes(weights, x, labels):
    logits = jax.nn.log_softmax(layers(weights, x))
    return -jnp.take_along_axis(logits, labels[:, None], 1).mean()


def updated(weights, x, y):
    gradients = jax.grad(squares)(weights, x, y)
    norm = jnp.sqrt(sum((g**2).sum() for g in gradients))
    return [w - g / jnp.maximum(norm, 1) for w, g in zip(weights, gradients, strict=True)]


def attention(parameters, tokens):
    table, weights = parameters
    x = table[tokens]
    n, length, width = x.shape
    q, k, v = (
        (x.reshape(-1, width) @ w).reshape(n, length, 2, width // 2).transpose(0, 2, 1, 3)
        for w in weights
    )
    mask = jnp.tril(jnp.ones((length, length), bool))
    scores = jnp.where(mask, q @ k.swapaxes(2, 3), -1e9)
    x = x + (jax.nn.softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(x.shape)
    x = (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)
    logits = jax.nn.log_softmax(x.reshape(-1, width) @ table.T)
    return -jnp.take_along_axis(logits, tokens.reshape(-1, 1), 1).mean()


def convolutions(kernels, x):
    for kernel in kernels:
        x = jax.nn.relu(jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME"))
    window = (1, 1, 2, 2)
    x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, window, "VALID")
    return (x**2).mean()


def depthwise(kernel, x):
    return (
        jax.lax.conv_general_dilated(x, kernel, (2, 2), "SAME", feature_group_count=4) ** 2
    ).sum()


def dropped(weights, x, y, key):
    for i, w in enumerate(weights):
        keeps = jax.random.bernoulli(jax.random.fold_in(key, i), 0.5, x.shape)
        x = jnp.where(keeps, jnp.tanh(x @ w) * 2, 0)
    return ((x - y) ** 2).mean()


def recurrent(weights, x):
    first = jnp.zeros((x.shape[1], 4), x.dtype)
    states, _ = recurrence.RECURRENCE.bind(x, first, *weights, kind="gru", reverse=False)
    return (states**2).mean()


def statistics(weights, x):
    y = layers(weights, x)
    return (
        y.max(),
        y.min(),
        (y > 0).all(),
        (y > 1).any(),
        jnp.argmax(y, 1),
        jnp.sort(y, 1),
        y[:, :3],
    )


WEIGHTS = [normal(16, 16) for _ in range(3)]
X, Y, LABELS = normal(32, 16), normal(32, 16), random.integers(0, 16, 32)
GRADIENTS = jax.value_and_grad
CASES = {
    "regression": (GRADIENTS(squares), (WEIGHTS, X, Y), 32),
    "classification": (GRADIENTS(classes), (WEIGHTS, X, LABELS), 32),
    "clipped_update": (updated, (WEIGHTS, X, Y), 32),
    "attention": (
        GRADIENTS(attention),
        ((normal(50, 16), WEIGHTS), random.integers(0, 50, (8, 12))), 8,
    ),
    "convolutions": (GRADIENTS(convolutions), ([normal(4, 4, 3, 3)] * 2, normal(8, 4, 8, 8)), 8),
    "depthwise": (GRADIENTS(depthwise), (normal(4, 1, 3, 3), normal(8, 4, 8, 8)), 8),
    "dropout": (GRADIENTS(dropped), (WEIGHTS, X, Y, np.array([0, 7], np.uint32)), 32),
    "recurrence": (
        GRADIENTS(recurrent),
        ([normal(12, 6), normal(12, 4), normal(12), normal(12)], normal(10, 8, 6)), 8,
    ),
    "statistics": (statistics, (WEIGHTS, X), 32),
}  # fmt: skip


@pytest.mark.parametrize("parts", [2, 8])
@pytest.mark.parametrize("case", CASES)
def test_results_are_those_of_the_whole_batch(case, parts):
    function, arguments, size = CASES[case]
    program = flat(jax.make_jaxpr(function)(*arguments))
    new, batch = split(program, parts)
    assert batch == size
    leaves = [jnp.asarray(x) for x in jax.tree.leaves(arguments)]
    expected, actual = (jaxpr_as_fun(p)(*leaves) for p in (program, new))
    for a, b in zip(expected, actual, strict=True):
        scale = np.abs(np.asarray(a, np.float64)).max(initial=1e-6)
        np.testing.assert_allclose(b, a, rtol=0, atol=4e-6 * scale)


def test_it_takes_the_memory_of_a_part():
    weights, x = [normal(8, 4096), normal(4096, 8)], normal(1024, 8)
    program = flat(jax.make_jaxpr(GRADIENTS(squares))(weights, x, x))
    whole, part = (peak(p).temporaries for p in (program, split(program, 16)[0]))
    assert part < whole / 8


def normalized(weights, x):
    y = x @ weights[0]
    return (jnp.tanh((y - y.mean(0)) / jnp.sqrt(y.var(0) + 1e-5)) ** 2).mean()


REFUSED = {
    # an odd number of features: else these are split
    "normalized": (
        GRADIENTS(normalized),
        ([normal(15, 15)], X[:, :15]),
        "whole batch for each example",
    ),
    "contrastive": (lambda x: jax.nn.softmax(x @ x.T).sum(), (X[:, :15],), "multiplies examples"),
    "running_sum": (lambda x: jnp.cumsum(jnp.tanh(x), 0).sum(), (X[:, :1],), "along the axis"),
    "odd": (squares, ([normal(5, 5)], normal(3, 5), normal(3, 5)), "no input has an axis"),
    "looped": (lambda x: jax.lax.fori_loop(0, 3, lambda i, y: y * 2, x).sum(), (X,), "no rule"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    function, arguments, reason = REFUSED[case]
    with pytest.raises(NotSplit, match=reason):
        split(flat(jax.make_jaxpr(function)(*arguments)), 2)


class Wide(nn.Cell):
    def __init__(self, norm):
        super().__init__()
        self.first, self.last = nn.Dense(8, 2048), nn.Dense(2048, 1)
        self.norm = norm

    def construct(self, x):
        return self.last(self.norm(ops.relu(self.first(x))))


def step_of(norm):
    np.random.seed(0)
    net = Wide(norm).set_train()
    optimizer = nn.Adam(net.trainable_params(), 0.01)
    gradient = value_and_grad(lambda x: (net(x) ** 2).mean(), None, optimizer.parameters)

    def step(x):
        loss, gradients = gradient(x)
        optimizer(gradients)
        return loss

    return step, net


@pytest.mark.parametrize("wrap", [lambda step: step, jit])
def test_a_step_that_nothing_else_makes_fit(wrap, capsys):
    x = Tensor(normal(1024, 8))
    step, net = step_of(nn.Identity())
    expected = [float(wrap(step)(x)) for _ in range(3)]
    weights = [p.asnumpy() for p in net.get_parameters()]
    step, net = step_of(nn.Identity())
    with memory_limit("8MB"):
        losses = [float(wrap(step)(x)) for _ in range(3)]
    assert re.search(r"computes the batch of 1024 in \d+ parts", capsys.readouterr().err)
    np.testing.assert_allclose(losses, expected, 1e-5)
    for a, b in zip(weights, net.get_parameters(), strict=True):
        np.testing.assert_allclose(b.asnumpy(), a, rtol=1e-3, atol=1e-5)


def test_batchnorm_is_not_split(capsys):
    step, _ = step_of(nn.BatchNorm1d(2048))
    x = Tensor(normal(1024, 8))
    with pytest.raises(MemoryError, match="must be at least"), memory_limit("8MB"):
        float(step(x))
    assert re.search(r"the batch is not split: .* as BatchNorm does", capsys.readouterr().err)
