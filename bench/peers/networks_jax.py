"""The benchmark's networks in plain JAX: each is a parameter tree and an apply function."""

import itertools

import jax
import jax.numpy as jnp
from jax import lax

from ..shapes import (
    DENSENET,
    ENCODER,
    GPT,
    GRU,
    LSTM,
    MLP,
    MOBILENET,
    PINN,
    RECOMMENDER,
    RESNET,
    SAMPLES,
    UNET,
    VIT,
    causal_mask,
)


def uniform(rng, bound, *shape):
    return jnp.asarray(rng.uniform(-bound, bound, shape), jnp.float32)


def dense(rng, m, n):
    return {"w": uniform(rng, m**-0.5, m, n), "b": uniform(rng, m**-0.5, n)}


def linear(p, x):
    return x @ p["w"] + p["b"]


def dense_layers(rng, sizes):
    return [dense(rng, m, n) for m, n in itertools.pairwise(sizes)]


def apply_layers(params, x, activation):
    for p in params[:-1]:
        x = activation(linear(p, x))
    return linear(params[-1], x)


def mlp(rng):
    return dense_layers(rng, MLP.sizes)


def mlp_apply(params, x):
    return apply_layers(params, x, jax.nn.relu)


def samples(rng):
    return dense_layers(rng, SAMPLES.sizes)


def pinn(rng):
    return dense_layers(rng, (1, PINN.width, PINN.width, 1))


def pinn_apply(params, x):
    return apply_layers(params, x, jnp.tanh)


def conv(rng, width, out, kernel):
    bound = (width * kernel**2) ** -0.5
    return {"w": uniform(rng, bound, out, width, kernel, kernel), "b": uniform(rng, bound, out)}


def convolve(w, x, stride=1, padding="SAME", groups=1):
    return lax.conv_general_dilated(x, w, (stride, stride), padding, feature_group_count=groups)


def convolve_bias(p, x, padding="SAME"):
    return convolve(p["w"], x, 1, padding) + p["b"][:, None, None]


def max_pool(x):
    window = (1, 1, 2, 2)
    return lax.reduce_window(x, -jnp.inf, lax.max, window, window, "VALID")


def lenet(rng):
    return [conv(rng, 1, 6, 5), conv(rng, 6, 16, 5), *dense_layers(rng, (400, 120, 84, 10))]


def lenet_apply(params, x):
    for p in params[:2]:
        x = max_pool(jax.nn.relu(convolve_bias(p, x, "VALID")))
    return apply_layers(params[2:], x.reshape(x.shape[0], -1), jax.nn.relu)


def scale_shift(width):
    return {"g": jnp.ones(width, jnp.float32), "b": jnp.zeros(width, jnp.float32)}


def batch_norm(p, x):
    """Normalise with the batch's mean and variance, or with the ones that `for_inference` adds."""
    if "mean" in p:
        mean, var = p["mean"][:, None, None], p["var"][:, None, None]
    else:
        mean, var = x.mean((0, 2, 3), keepdims=True), x.var((0, 2, 3), keepdims=True)
    return (x - mean) * lax.rsqrt(var + 1e-5) * p["g"][:, None, None] + p["b"][:, None, None]


def for_inference(params):
    """Return the parameters with a mean and a variance added for each norm."""
    if isinstance(params, dict):
        if params.keys() == {"g", "b"}:
            return params | {"mean": jnp.zeros_like(params["g"]), "var": jnp.ones_like(params["g"])}
        return {name: for_inference(p) for name, p in params.items()}
    return [for_inference(p) for p in params] if isinstance(params, list) else params


def resnet18(rng):
    width = RESNET.stages[0][0]
    stem, blocks = conv(rng, 3, width, 3)["w"], []
    for out, stride in RESNET.stages:
        for into, step in ((width, stride), (out, 1)):
            block = {"conv1": conv(rng, into, out, 3)["w"], "conv2": conv(rng, out, out, 3)["w"]}
            block |= {"norm1": scale_shift(out), "norm2": scale_shift(out)}
            if step != 1 or into != out:
                block |= {"conv0": conv(rng, into, out, 1)["w"], "norm0": scale_shift(out)}
            blocks.append(block)
        width = out
    params = {"stem": stem, "norm": scale_shift(RESNET.stages[0][0]), "blocks": blocks}
    return params | {"out": dense(rng, width, RESNET.classes)}


def resnet18_apply(params, x):
    x = jax.nn.relu(batch_norm(params["norm"], convolve(params["stem"], x)))
    strides = [s for _, stride in RESNET.stages for s in (stride, 1)]
    for p, stride in zip(params["blocks"], strides, strict=True):
        edges = [(1, 1), (1, 1)]
        z = jax.nn.relu(batch_norm(p["norm1"], convolve(p["conv1"], x, stride, edges)))
        z = batch_norm(p["norm2"], convolve(p["conv2"], z))
        if "conv0" in p:
            x = batch_norm(p["norm0"], convolve(p["conv0"], x, stride, "VALID"))
        x = jax.nn.relu(z + x)
    return linear(params["out"], x.mean((2, 3)))


def conv_norm(rng, width, out, kernel=1):
    return [conv(rng, width, out, kernel)["w"], scale_shift(out)]


def apply_conv_norm(p, x, stride=1, groups=1):
    edges = [(p[0].shape[2] // 2,) * 2] * 2
    return batch_norm(p[1], convolve(p[0], x, stride, edges, groups))


def mobilenet(rng):
    m, width = MOBILENET, MOBILENET.stem
    stem, blocks = conv_norm(rng, 3, m.stem, 3), []
    for expansion, out, repeats, _ in m.stages:
        for _ in range(repeats):
            wide = width * expansion
            block = {"depth": conv_norm(rng, 1, wide, 3), "out": conv_norm(rng, wide, out)}
            if expansion != 1:
                block["in"] = conv_norm(rng, width, wide)
            blocks.append(block)
            width = out
    params = {"stem": stem, "blocks": blocks, "head": conv_norm(rng, width, m.head)}
    return params | {"out": dense(rng, m.head, m.classes)}


def mobilenet_apply(params, x):
    x = jax.nn.relu6(apply_conv_norm(params["stem"], x, 2))
    strides = [s if i == 0 else 1 for *_, n, s in MOBILENET.stages for i in range(n)]
    for p, stride in zip(params["blocks"], strides, strict=True):
        z = jax.nn.relu6(apply_conv_norm(p["in"], x)) if "in" in p else x
        z = jax.nn.relu6(apply_conv_norm(p["depth"], z, stride, z.shape[1]))
        z = apply_conv_norm(p["out"], z)
        x = x + z if x.shape == z.shape else z
    x = jax.nn.relu6(apply_conv_norm(params["head"], x))
    return linear(params["out"], x.mean((2, 3)))


def densenet(rng):
    d, width, blocks = DENSENET, DENSENET.stem, []
    stem = conv(rng, 3, width, 3)["w"]
    for count in d.blocks:
        layers = []
        for _ in range(count):
            layers.append([scale_shift(width), conv(rng, width, d.growth, 3)["w"]])
            width += d.growth
        blocks.append([layers, [scale_shift(width), conv(rng, width, width // 2, 1)["w"]]])
        width //= 2
    return {"stem": stem, "blocks": blocks, "out": dense(rng, width, d.classes)}


def densenet_apply(params, x):
    x = convolve(params["stem"], x)
    for layers, (norm, w) in params["blocks"]:
        for p in layers:
            z = convolve(p[1], jax.nn.relu(batch_norm(p[0], x)))
            x = jnp.concatenate((x, z), 1)
        x = convolve(w, jax.nn.relu(batch_norm(norm, x)))
        x = lax.reduce_window(x, 0.0, lax.add, (1, 1, 2, 2), (1, 1, 2, 2), "VALID") / 4
    return linear(params["out"], x.mean((2, 3)))


def unet(rng):
    a, b = UNET.widths
    sizes = {"conv1": (3, a, 3), "conv2": (a, b, 3), "conv3": (b, b, 3), "out": (2 * b, 1, 1)}
    return {name: conv(rng, *s) for name, s in sizes.items()} | {"up": conv(rng, b, b, 2)}


def unet_apply(params, x):
    skip = x
    for name in ("conv1", "conv2"):
        skip = jax.nn.relu(convolve_bias(params[name], skip))
    x = jax.nn.relu(convolve_bias(params["conv3"], max_pool(skip)))
    up = params["up"]
    x = lax.conv_transpose(x, up["w"], (2, 2), "VALID", dimension_numbers=("NCHW", "OIHW", "NCHW"))
    x = jnp.concatenate((x + up["b"][:, None, None], skip), 1)
    return convolve_bias(params["out"], x)


def lstm(rng):
    d, h = LSTM.input[2], LSTM.hidden
    cell = {"i": dense(rng, d, 4 * h), "h": dense(rng, h, 4 * h)}
    return {"cell": cell, "out": dense(rng, h, LSTM.classes)}


def lstm_apply(params, x):
    p = params["cell"]

    def step(carry, gates):
        h, c = carry
        i, f, g, o = jnp.split(gates + linear(p["h"], h), 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zeros = jnp.zeros((x.shape[0], LSTM.hidden), jnp.float32)
    gates = linear(p["i"], x).swapaxes(0, 1)  # input products of all time steps at once
    return linear(params["out"], lax.scan(step, (zeros, zeros), gates)[1].mean(0))


def gru(rng):
    g, width, layers = GRU, GRU.input[2], []
    for _ in range(g.layers):
        layers.append([
            {"i": dense(rng, width, 3 * g.hidden), "h": dense(rng, g.hidden, 3 * g.hidden)}
            for _ in range(2)
        ])  # fmt: skip
        width = 2 * g.hidden
    return {"layers": layers, "out": dense(rng, width, g.classes)}


def gru_direction(p, x, reverse):
    def step(h, gates):
        r, z, n = jnp.split(gates, 3, -1)
        hr, hz, hn = jnp.split(linear(p["h"], h), 3, -1)
        n = jnp.tanh(n + jax.nn.sigmoid(r + hr) * hn)
        z = jax.nn.sigmoid(z + hz)
        h = n + z * (h - n)
        return h, h

    zeros = jnp.zeros((x.shape[1], GRU.hidden), jnp.float32)
    return lax.scan(step, zeros, linear(p["i"], x), reverse=reverse)[1]


def gru_apply(params, x):
    x = x.swapaxes(0, 1)
    for forward, backward in params["layers"]:
        both = gru_direction(forward, x, False), gru_direction(backward, x, True)
        x = jnp.concatenate(both, -1)
    return linear(params["out"], x.mean(0))


def layer_norm(p, x):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * p["g"] + p["b"]


def small_blocks(rng, count, width):
    return [{"dense": dense(rng, width, width), "norm": scale_shift(width)} for _ in range(count)]


def small_blocks_apply(params, x):
    for p in params:
        x = jax.nn.gelu(layer_norm(p["norm"], linear(p["dense"], x)), approximate=False)
    return x


def blocks(rng, shape):
    d = shape.width
    names = {"q": (d, d), "k": (d, d), "v": (d, d), "o": (d, d), "up": (d, 4 * d)}
    names["down"] = (4 * d, d)
    norms = {"n1": scale_shift(d), "n2": scale_shift(d)}
    return [
        norms | {name: dense(rng, *s) for name, s in names.items()} for _ in range(shape.layers)
    ]


def apply_block(p, x, heads, activation, mask=None):
    """Apply a transformer block with explicit attention."""
    b, t, d = x.shape

    def split(x):
        return x.reshape(b, t, heads, d // heads).transpose(0, 2, 1, 3)

    z = layer_norm(p["n1"], x)
    q, k, v = (split(linear(p[n], z)) for n in "qkv")
    scores = q * (d // heads) ** -0.5 @ k.transpose(0, 1, 3, 2)
    weights = jax.nn.softmax(scores if mask is None else scores + mask, -1)
    x = x + linear(p["o"], (weights @ v).transpose(0, 2, 1, 3).reshape(x.shape))
    return x + linear(p["down"], activation(linear(p["up"], layer_norm(p["n2"], x))))


def exact_gelu(x):
    return jax.nn.gelu(x, approximate=False)


def normal(rng, *shape):
    return jnp.asarray(rng.standard_normal(shape), jnp.float32)


def encoder(rng):
    e = ENCODER
    params = {"embed": normal(rng, e.words, e.width), "blocks": blocks(rng, e)}
    return params | {"out": dense(rng, e.width, e.classes)}


def encoder_apply(params, ids):
    x = params["embed"][ids]
    for p in params["blocks"]:
        x = apply_block(p, x, ENCODER.heads, jax.nn.relu)
    return linear(params["out"], x.mean(1))


def gpt(rng):
    g = GPT
    params = {"words": normal(rng, g.words, g.width), "places": normal(rng, g.length, g.width)}
    params |= {"blocks": blocks(rng, g), "norm": scale_shift(g.width)}
    return params | {"out": dense(rng, g.width, g.words)}


def gpt_apply(params, ids):
    x, mask = params["words"][ids] + params["places"], causal_mask()
    for p in params["blocks"]:
        x = apply_block(p, x, GPT.heads, exact_gelu, mask)
    return linear(params["out"], layer_norm(params["norm"], x))


def vit(rng):
    v = VIT
    params = {"patches": conv(rng, 3, v.width, v.patch), "blocks": blocks(rng, v)}
    params |= {"places": 0.02 * normal(rng, v.patches, v.width), "norm": scale_shift(v.width)}
    return params | {"out": dense(rng, v.width, v.classes)}


def vit_apply(params, x):
    x = convolve(params["patches"]["w"], x, VIT.patch, "VALID")
    x = x.reshape(*x.shape[:2], -1).swapaxes(1, 2) + params["patches"]["b"] + params["places"]
    for p in params["blocks"]:
        x = apply_block(p, x, VIT.heads, exact_gelu)
    return linear(params["out"], layer_norm(params["norm"], x).mean(1))


def stack(rng, shape):
    """Return the parameters of a transformer that classifies floating-point sequences."""
    return {"blocks": blocks(rng, shape), "out": dense(rng, shape.width, shape.classes)}


def stack_apply(params, x, heads):
    for p in params["blocks"]:
        x = apply_block(p, x, heads, jax.nn.relu)
    return linear(params["out"], x.mean(1))


def recommender(rng):
    r = RECOMMENDER
    tables = [normal(rng, r.rows, r.width) for _ in range(r.tables)]
    return {"tables": tables, "dense": dense_layers(rng, (r.tables * r.width, r.hidden, 1))}


def recommender_apply(params, rows):
    found = [table[rows[:, i]] for i, table in enumerate(params["tables"])]
    return apply_layers(params["dense"], jnp.concatenate(found, 1), jax.nn.relu)
