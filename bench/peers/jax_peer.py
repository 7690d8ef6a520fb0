"""The cases in plain JAX: small operations and loops in eager mode, everything else as one
`jax.jit` function."""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .. import shapes
from ..shapes import ATOMS, BLOCKS, CHAIN, ENCODER, LOOPS
from . import networks_jax as networks


def chain(x):
    z = x
    for _ in range(CHAIN.operations // 2):
        z = jnp.sin(z) * x
    return z.sum()


def small_forward():
    x = jnp.asarray(shapes.numbers(CHAIN.elements))
    return lambda: np.asarray(chain(x))


def small_gradient():
    x, gradient = jnp.asarray(shapes.numbers(CHAIN.elements)), jax.grad(chain)
    return lambda: np.asarray(gradient(x))


def elementwise():
    x = jnp.asarray(shapes.numbers(shapes.ELEMENTWISE.elements))
    function = jax.jit(lambda x: jnp.tanh(x) * jax.nn.sigmoid(x) + x / 2)
    return lambda: np.asarray(function(x))


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


def cross_entropy(logits, y):
    logp = jax.nn.log_softmax(logits)
    return -jnp.take_along_axis(logp, y[..., None], -1).mean()


def squared_error(x, y):
    return ((x - y) ** 2).mean()


def binary_cross_entropy(logits, y):
    return (jax.nn.softplus(logits) - logits * y).mean()


def stepper(loss, params, update=adam):
    """Return a training step: value and gradients of `loss(params, *inputs)`, then the update."""
    zeros = jax.tree.map(jnp.zeros_like, params)
    carried = [params, (zeros, zeros, jnp.float32(0))]

    @jax.jit
    def program(params, state, *inputs):
        value, grads = jax.value_and_grad(loss)(params, *inputs)
        return value, *update(params, grads, state)

    def step(*inputs):
        value, *carried[:] = program(*carried, *inputs)
        return float(value)

    return step


def training(net, apply, loss_fn, inputs, update=adam):
    """Return a case: steps of `net` on the arrays `(x, y)` that `inputs()` returns."""

    def case():
        params = net(np.random.default_rng(0))
        step = stepper(lambda p, x, y: loss_fn(apply(p, x), y), params, update)
        x, y = map(jnp.asarray, inputs())
        return lambda: step(x, y)

    return case


def classifier(shape, net, apply, update=adam):
    def inputs():
        return shapes.numbers(*shape.input), shapes.classes(shape)

    return training(net, apply, cross_entropy, inputs, update)


def unet_inputs():
    return shapes.numbers(*shapes.UNET.input), shapes.numbers(*shapes.UNET.target)


def pinn():
    points = jnp.asarray(shapes.collocation_points())

    def loss(params, x):
        def u(x):
            return networks.pinn_apply(params, x[None])[0]

        curvature = jax.vmap(jax.grad(jax.grad(u)))(x[:, 0])
        pushed = math.pi**2 * jnp.sin(math.pi * x[:, 0])
        ends = networks.pinn_apply(params, x[jnp.array([0, -1])])
        return ((curvature + pushed) ** 2).mean() + (ends**2).mean()

    step = stepper(loss, networks.pinn(np.random.default_rng(0)))
    return lambda: step(points)


def sample_gradients():
    params = networks.samples(np.random.default_rng(0))

    def loss(params, x, y):
        return cross_entropy(networks.mlp_apply(params, x), y)

    gradients = jax.jit(jax.vmap(jax.grad(loss), in_axes=(None, 0, 0)))
    x = jnp.asarray(shapes.numbers(*shapes.SAMPLES.input))
    y = jnp.arange(len(x)) % shapes.SAMPLES.sizes[-1]
    return lambda: np.asarray(gradients(params, x, y)[-1]["b"])


def operator():
    def net(rng):
        o = shapes.OPERATOR
        layers = [
            {
                "re": normal(rng, o),
                "im": normal(rng, o),
                "skip": networks.dense(rng, o.width, o.width),
            }
            for _ in range(o.layers)
        ]
        ends = networks.dense(rng, 1, o.width), networks.dense(rng, o.width, 1)
        return {"layers": layers, "ends": ends}

    def normal(rng, o):
        return networks.normal(rng, o.width, o.width, o.modes) / o.width

    def apply(params, x):
        into, out = params["ends"]
        x = networks.linear(into, x)
        for p in params["layers"]:
            waves = jnp.fft.rfft(x, axis=1)
            kept = waves[:, : shapes.OPERATOR.modes]
            kept = jnp.einsum("bmi,iom->bmo", kept, p["re"] + 1j * p["im"])
            rest = ((0, 0), (0, waves.shape[1] - kept.shape[1]), (0, 0))
            mixed = jnp.fft.irfft(jnp.pad(kept, rest), x.shape[1], axis=1)
            x = jax.nn.gelu(mixed + networks.linear(p["skip"], x), approximate=False)
        return networks.linear(out, x)

    return training(net, apply, squared_error, shapes.waves)()


def graph_network():
    features, (start, end), target = shapes.graph()
    start, end = jnp.asarray(start), jnp.asarray(end)

    def net(rng):
        w = shapes.GRAPH.width
        layers = [
            {"message": networks.dense(rng, 2 * w, w), "update": networks.dense(rng, w, w)}
            for _ in range(shapes.GRAPH.layers)
        ]
        return {"layers": layers, "out": networks.dense(rng, w, 1)}

    def apply(params, x):
        for p in params["layers"]:
            pairs = jnp.concatenate((x[start], x[end]), 1)
            messages = jax.nn.relu(networks.linear(p["message"], pairs))
            arrived = jax.ops.segment_sum(messages, end, len(x))
            x = x + jax.nn.relu(networks.linear(p["update"], arrived))
        return networks.linear(params["out"], x)

    return training(net, apply, squared_error, lambda: (features, target))()


def digits():
    rng = np.random.default_rng(0)
    params = {
        "convs": [networks.conv(rng, *ends, 3)["w"] for ends in ((1, 16), (16, 32))],
        "norms": [networks.scale_shift(width) for width in (16, 32)],
        "dense": networks.dense_layers(rng, (512, 64, 10)),
    }
    means = [{"mean": jnp.zeros(w), "var": jnp.ones(w)} for w in (16, 32)]

    def apply(params, means, x, key=None):
        new = []
        for w, norm, kept in zip(params["convs"], params["norms"], means, strict=True):
            x = networks.convolve(w, x)
            if key is None:
                norm = norm | kept
            else:
                now = {"mean": x.mean((0, 2, 3)), "var": x.var((0, 2, 3))}
                new.append(jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, kept, now))
            x = jax.nn.relu(networks.batch_norm(norm, x))
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
        x = jax.nn.relu(networks.linear(params["dense"][0], x.reshape(len(x), -1)))
        if key is not None:
            x = jnp.where(jax.random.bernoulli(key, 0.8, x.shape), x / 0.8, 0)
        return networks.linear(params["dense"][1], x), new

    @jax.jit
    def update(params, state, means, key, x, y):
        def loss(params):
            logits, new = apply(params, means, x, key)
            return cross_entropy(logits, y), new

        grads, new = jax.grad(loss, has_aux=True)(params)
        return *adam(params, grads, state), new

    zeros = jax.tree.map(jnp.zeros_like, params)
    carried = [params, (zeros, zeros, jnp.float32(0)), means]
    keys, predict = iter(jax.random.split(jax.random.key(0), 5000)), jax.jit(apply)

    def train(images, labels):
        carried[:] = update(*carried, next(keys), images, labels)

    return lambda: shapes.until_accurate(
        train, lambda images: predict(carried[0], carried[2], images)[0]
    )


def policy_gradient():
    task = shapes.Pole()
    params = networks.dense_layers(np.random.default_rng(0), shapes.POLICY.sizes)
    zeros = jax.tree.map(jnp.zeros_like, params)
    carried = [params, (zeros, zeros, jnp.float32(0))]

    def logits(params, x):
        return networks.apply_layers(params, x, jnp.tanh)

    @jax.jit
    def probabilities(params, x):
        return jax.nn.softmax(logits(params, x))

    @jax.jit
    def update(params, state, x, actions, sums):
        def loss(params):
            chosen = jax.nn.log_softmax(logits(params, x))
            return -(jnp.take_along_axis(chosen, actions[:, None], 1)[:, 0] * sums).mean()

        value, grads = jax.value_and_grad(loss)(params)
        return value, *adam(params, grads, state)

    def step():
        played = task.episode(lambda x: np.asarray(probabilities(carried[0], x)))
        value, *carried[:] = update(*carried, *played)
        return float(value)

    return step


def cached_gpt():
    g = shapes.GPT
    params = networks.for_inference(networks.gpt(np.random.default_rng(0)))
    cache = jnp.zeros((g.layers, 2, g.heads, g.length, g.width // g.heads), jnp.float32)

    @functools.partial(jax.jit, donate_argnums=1)
    def decode(params, cache, word, place):
        x = params["words"][word] + params["places"][place]
        for i, p in enumerate(params["blocks"]):
            z = networks.layer_norm(p["n1"], x)
            q, k, v = (networks.linear(p[n], z).reshape(g.heads, -1) for n in "qkv")
            cache = cache.at[i, 0, :, place].set(k).at[i, 1, :, place].set(v)
            scores = jnp.einsum("hd,htd->ht", q, cache[i, 0]) * (g.width // g.heads) ** -0.5
            scores = jnp.where(jnp.arange(g.length) <= place, scores, -1e9)
            mixed = jnp.einsum("ht,htd->hd", jax.nn.softmax(scores), cache[i, 1]).reshape(-1)
            x = x + networks.linear(p["o"], mixed)
            up = networks.linear(p["up"], networks.layer_norm(p["n2"], x))
            x = x + networks.linear(p["down"], jax.nn.gelu(up, approximate=False))
        out = networks.linear(params["out"], networks.layer_norm(params["norm"], x))
        return jnp.argmax(out), cache

    state = [cache, 1, 0]  # the last word, and the next one's place

    def step():
        word, state[0] = decode(params, *state)
        state[1:] = int(word), (state[2] + 1) % g.length
        return state[1]

    return step


def small_blocks(count):
    def inputs():
        x = shapes.numbers(BLOCKS.batch, BLOCKS.width)
        return x, np.zeros_like(x)

    def net(rng):
        return networks.small_blocks(rng, count, BLOCKS.width)

    return training(net, networks.small_blocks_apply, squared_error, inputs)


def molecular_dynamics():
    positions, nearest, box = shapes.atoms()

    def energy(r):
        apart = r[:, None] - r[nearest]
        apart = apart - box * jnp.round(apart / box)
        inverse = 1 / (apart**2).sum(-1) ** 3
        return 2 * (inverse**2 - inverse).sum()

    @jax.jit
    def move(r, v):
        value, gradient = jax.value_and_grad(energy)(r)
        v = v - ATOMS.time_step * gradient
        return value, r + ATOMS.time_step * v, v

    state = [jnp.asarray(positions), jnp.zeros(positions.shape, jnp.float32)]

    def step():
        value, *state[:] = move(*state)
        return float(value)

    return step


def inference(net, apply, shape):
    """Return a case: the output of `net` for one example."""

    def case():
        params = networks.for_inference(net(np.random.default_rng(0)))
        one, function = jnp.asarray(shapes.one(shape)), jax.jit(apply)
        return lambda: np.asarray(function(params, one))

    return case


def scaled(shape):
    def net(rng):
        return networks.stack(rng, shape)

    def apply(params, x):
        return networks.stack_apply(params, x, shape.heads)

    return classifier(shape, net, apply)


def changing_lengths():
    def loss(params, x, y):
        return cross_entropy(networks.encoder_apply(params, x), y)

    step = stepper(loss, networks.encoder(np.random.default_rng(0)))
    y = jnp.arange(ENCODER.batch) % ENCODER.classes
    following = iter(shapes.lengths())
    return lambda: step(jnp.asarray(shapes.tokens(next(following))), y)


def loop_full():
    parts = [jnp.full((1, 8), float(i)) for i in range(LOOPS.full)]
    return np.asarray(jnp.concatenate(parts))


def loop_assign():
    m = jnp.zeros((LOOPS.assign, LOOPS.assign))
    for i in range(LOOPS.assign):
        for j in range(LOOPS.assign):
            m = m.at[i, j].set(i * 0.5 + j)
    return np.asarray(m)


def loop_grow():
    x = row = jnp.ones((1, 8))
    for _ in range(LOOPS.grow):
        x = jnp.concatenate((x, row))
    return np.asarray(x)


def loop_slice():
    x = jnp.asarray(shapes.numbers(LOOPS.slice))
    total = 0
    for i in range(1, LOOPS.slice + 1):
        total = total + x[:i].sum()
    return np.asarray(total)


n = networks
CASES = {
    "small operation, forward": small_forward,
    "small operation, forward + backward": small_gradient,
    "elementwise, 10 million": elementwise,
    "MLP step": classifier(shapes.MLP, n.mlp, n.mlp_apply),
    "LeNet-5 step": classifier(shapes.LENET, n.lenet, n.lenet_apply, momentum),
    "ResNet-18 step": classifier(shapes.RESNET, n.resnet18, n.resnet18_apply),
    "MobileNetV2 step": classifier(shapes.MOBILENET, n.mobilenet, n.mobilenet_apply),
    "DenseNet step": classifier(shapes.DENSENET, n.densenet, n.densenet_apply),
    "U-Net block step": training(n.unet, n.unet_apply, squared_error, unet_inputs),
    "LSTM step": classifier(shapes.LSTM, n.lstm, n.lstm_apply),
    "GRU step": classifier(shapes.GRU, n.gru, n.gru_apply),
    "GPT step": training(n.gpt, n.gpt_apply, cross_entropy, shapes.text),
    "ViT-tiny step": classifier(shapes.VIT, n.vit, n.vit_apply),
    "PINN step": pinn,
    "recommender step": training(
        n.recommender, n.recommender_apply, binary_cross_entropy, shapes.clicks
    ),
    "neural operator step": operator,
    "graph network step": graph_network,
    "policy gradient step": policy_gradient,
    "GPT with a cache, batch 1": cached_gpt,
    "per-sample gradients": sample_gradients,
    "molecular dynamics step": molecular_dynamics,
    "digits to 97 %": digits,
    "encoder, a new length each step": changing_lengths,
    "loop: full, then cat": lambda: loop_full,
    "loop: m[i, j] = v": lambda: loop_assign,
    "loop: x = cat((x, row))": lambda: loop_grow,
    "loop: x[:i].sum()": lambda: loop_slice,
}


# Inference at batch 1: name -> (network, its function, input)
NETWORKS = {
    "MLP": (n.mlp, n.mlp_apply, shapes.MLP),
    "LeNet-5": (n.lenet, n.lenet_apply, shapes.LENET),
    "ResNet-18": (n.resnet18, n.resnet18_apply, shapes.RESNET),
    "MobileNetV2": (n.mobilenet, n.mobilenet_apply, shapes.MOBILENET),
    "DenseNet": (n.densenet, n.densenet_apply, shapes.DENSENET),
    "U-Net block": (n.unet, n.unet_apply, shapes.UNET),
    "LSTM": (n.lstm, n.lstm_apply, shapes.LSTM),
    "GRU": (n.gru, n.gru_apply, shapes.GRU),
    "GPT": (n.gpt, n.gpt_apply, shapes.GPT),
    "ViT-tiny": (n.vit, n.vit_apply, shapes.VIT),
    "PINN": (n.pinn, n.pinn_apply, shapes.PINN),
    "recommender": (n.recommender, n.recommender_apply, shapes.RECOMMENDER),
}
CASES |= shapes.block_cases(small_blocks)
CASES |= {f"{name}, batch 1": inference(*net) for name, net in NETWORKS.items()}
CASES |= {name: scaled(shape) for name, shape in shapes.scaled().items()}


def cases(style=""):
    """Return all cases; plain JAX has only one style."""
    if style:
        raise ValueError(f"plain JAX has no style {style!r}")
    return CASES
