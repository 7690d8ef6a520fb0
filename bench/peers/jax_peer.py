"""The cases in plain JAX: small operations one by one, as its eager mode has them; training steps
as one `jax.jit` function."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from bench.shapes import CHAIN, ENCODER, LENET, MLP, lengths, numbers, tokens


def chain(x):
    z = x
    for _ in range(CHAIN.operations // 2):
        z = jnp.sin(z) * x
    return z.sum()


def small_forward():
    x = jnp.asarray(numbers(CHAIN.elements))
    return lambda: np.asarray(chain(x))


def small_gradient():
    x, gradient = jnp.asarray(numbers(CHAIN.elements)), jax.grad(chain)
    return lambda: np.asarray(gradient(x))


def dense(rng, m, n):
    bound = m**-0.5
    return {
        "w": jnp.asarray(rng.uniform(-bound, bound, (m, n)), jnp.float32),
        "b": jnp.asarray(rng.uniform(-bound, bound, n), jnp.float32),
    }


def linear(p, x):
    return x @ p["w"] + p["b"]


def mlp_net(rng):
    return [dense(rng, m, n) for m, n in zip(MLP.sizes, MLP.sizes[1:], strict=False)]


def mlp_apply(params, x):
    for p in params[:-1]:
        x = jax.nn.relu(linear(p, x))
    return linear(params[-1], x)


def lenet_net(rng):
    def conv(out, into):
        return {
            "w": jnp.asarray(rng.uniform(-0.1, 0.1, (out, into, 5, 5)), jnp.float32),
            "b": jnp.zeros(out, jnp.float32),
        }

    sizes = [(400, 120), (120, 84), (84, 10)]
    return [conv(6, 1), conv(16, 6), *[dense(rng, m, n) for m, n in sizes]]


def lenet_apply(params, x):
    for p in params[:2]:
        x = lax.conv_general_dilated(x, p["w"], (1, 1), "VALID") + p["b"][:, None, None]
        window = (1, 1, 2, 2)
        x = lax.reduce_window(jax.nn.relu(x), -jnp.inf, lax.max, window, window, "VALID")
    x = x.reshape(x.shape[0], -1)
    for p in params[2:4]:
        x = jax.nn.relu(linear(p, x))
    return linear(params[4], x)


def norm(p, x):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * p["g"] + p["b"]


def encoder_net(rng):
    d = ENCODER.width
    ones = {"g": jnp.ones(d, jnp.float32), "b": jnp.zeros(d, jnp.float32)}
    names = {"q": (d, d), "k": (d, d), "v": (d, d), "o": (d, d), "up": (d, 4 * d)}
    names["down"] = (4 * d, d)
    blocks = [
        {"n1": ones, "n2": ones, **{k: dense(rng, *s) for k, s in names.items()}}
        for _ in range(ENCODER.layers)
    ]
    table = jnp.asarray(rng.standard_normal((ENCODER.words, d)), jnp.float32)
    return {"embed": table, "blocks": blocks, "out": dense(rng, d, ENCODER.classes)}


def encoder_apply(params, ids):
    x = params["embed"][ids]
    b, t, d = x.shape
    heads = ENCODER.heads

    def split(x):
        return x.reshape(b, t, heads, d // heads).transpose(0, 2, 1, 3)

    for p in params["blocks"]:
        z = norm(p["n1"], x)
        q, k, v = (split(linear(p[n], z)) for n in "qkv")
        weights = jax.nn.softmax(q * (d // heads) ** -0.5 @ k.transpose(0, 1, 3, 2), -1)
        x = x + linear(p["o"], (weights @ v).transpose(0, 2, 1, 3).reshape(x.shape))
        x = x + linear(p["down"], jax.nn.relu(linear(p["up"], norm(p["n2"], x))))
    return linear(params["out"], x.mean(1))


def adam(params, grads, state, rate=1e-3):
    m, v, t = state
    t = t + 1
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, grads)
    v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, grads)
    rate = rate * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    new = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), params, m, v)
    return new, (m, v, t)


def momentum(params, grads, state, rate=1e-2):
    moved = jax.tree.map(lambda s, g: 0.9 * s + g, state[0], grads)
    return jax.tree.map(lambda p, s: p - rate * s, params, moved), (moved, *state[1:])


def trainer(apply, params, update):
    zeros = jax.tree.map(jnp.zeros_like, params)
    carried = [params, (zeros, zeros, jnp.float32(0))]

    def loss(params, x, y):
        logp = jax.nn.log_softmax(apply(params, x))
        return -jnp.take_along_axis(logp, y[:, None], 1).mean()

    @jax.jit
    def program(params, state, x, y):
        value, grads = jax.value_and_grad(loss)(params, x, y)
        return value, *update(params, grads, state)

    def step(x, y):
        value, *carried[:] = program(*carried, x, y)
        return float(value)

    return step


def training(shape, net, apply, update):
    step = trainer(apply, net(np.random.default_rng(0)), update)
    x, y = jnp.asarray(numbers(*shape.input)), jnp.arange(shape.input[0]) % shape.classes
    return lambda: step(x, y)


def mlp():
    return training(MLP, mlp_net, mlp_apply, adam)


def lenet():
    return training(LENET, lenet_net, lenet_apply, momentum)


def changing_lengths():
    step = trainer(encoder_apply, encoder_net(np.random.default_rng(0)), adam)
    y = jnp.arange(ENCODER.batch) % ENCODER.classes
    following = iter(lengths())
    return lambda: step(jnp.asarray(tokens(next(following))), y)


CASES = {
    "small operation, forward": small_forward,
    "small operation, forward + backward": small_gradient,
    "MLP step, dynamic": mlp,
    "MLP step, jit": mlp,
    "LeNet-5 step, dynamic": lenet,
    "LeNet-5 step, jit": lenet,
    "encoder, a new length each step": changing_lengths,
}
