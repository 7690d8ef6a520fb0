"""Learn to balance a pole on a cart by policy gradients.

A pole stands on a cart that is pushed to the left or to the right fifty times a second (Barto,
Sutton and Anderson, 1983). A run ends when the pole leans by more than 12 degrees, when the cart is
2.4 m from the middle, or after 500 pushes. A network with 4 inputs (position, velocity, angle,
angular velocity) returns the probability of each push. 64 carts at a time are simulated; then
pushes followed by more balanced steps than average over the carts become more probable (Williams,
1992), with clipped steps (Schulman et al., 2017).

    sporax run examples/pole.py --out outputs

40 rounds take about half a minute on two cores. It writes `pole.png`: the steps balanced by round,
and the cart before and after.
"""

import argparse
import sys
import time
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

GRAVITY, CART, POLE, HALF, FORCE, TICK = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02
FARTHEST, STEEPEST = 2.4, np.deg2rad(12)
LONGEST = 500


class Carts:
    """Many carts at once; `state` is (carts, 4): position, velocity, angle, angular velocity."""

    def __init__(self, count, rng):
        self.state = rng.uniform(-0.05, 0.05, (count, 4)).astype(np.float32)

    def push(self, right):
        """Move by one tick; True for each cart that has not fallen."""
        _, v, angle, turn = self.state.T
        sin, cos, whole = np.sin(angle), np.cos(angle), CART + POLE
        pushed = (np.where(right, FORCE, -FORCE) + POLE * HALF * turn**2 * sin) / whole
        faster_turn = (GRAVITY * sin - cos * pushed) / (HALF * (4 / 3 - POLE * cos**2 / whole))
        faster = pushed - POLE * HALF * faster_turn * cos / whole
        rates = np.stack([v, faster, turn, faster_turn], 1)
        self.state = (self.state + TICK * rates).astype(np.float32)
        return (np.abs(self.state[:, 0]) < FARTHEST) & (np.abs(self.state[:, 2]) < STEEPEST)


def network():
    return nn.SequentialCell(nn.Dense(4, 32), nn.Tanh(), nn.Dense(32, 2))


def play(policy, carts, choose):
    """Push until all have fallen. Returns states and pushes, (LONGEST, carts, ...), zeros after a
    fall, and a mask of the steps before it. `choose(p)`: pushes to the right, with probabilities
    `p`."""
    count = len(carts.state)
    states = np.zeros((LONGEST, count, 4), np.float32)
    pushes, upright = np.zeros((LONGEST, count), np.int32), np.zeros((LONGEST, count), bool)
    alive = np.ones(count, bool)
    for step in range(LONGEST):
        states[step], upright[step] = carts.state * alive[:, None], alive
        logits = policy(Tensor(carts.state)).asnumpy()
        right = choose(1 / (1 + np.exp(logits[:, 0] - logits[:, 1])))
        pushes[step] = right * alive
        alive = alive & carts.push(right)
        if not alive.any():
            break
    return states, pushes, upright


def advantages(upright, discount=0.98):
    """The discounted number of remaining steps of each cart, relative to the other carts."""
    ahead = np.zeros(upright.shape, np.float32)
    later = np.zeros(upright.shape[1], np.float32)
    for step in reversed(range(len(upright))):
        ahead[step] = later = upright[step] * (1 + discount * later)
    present = np.maximum(upright.sum(1, keepdims=True), 1)
    better = (ahead - ahead.sum(1, keepdims=True) / present) * upright
    return better / (np.sqrt((better**2).sum() / upright.sum()) + 1e-6)


def learn(policy, rounds, count, rng, updates=8):
    """Alternate simulation and update; returns the balanced steps of each cart, (rounds, carts)."""
    optimizer = nn.Adam(policy.trainable_params(), learning_rate=0.01)

    def log_probability(states, pushes):
        return -ops.cross_entropy(policy(states), pushes, reduction="none")

    def loss_of(states, pushes, weights, old):
        ratio = ops.exp(log_probability(states, pushes) - old)
        clipped = ops.clamp(ratio, 0.8, 1.2)
        return -ops.minimum(ratio * weights, clipped * weights).sum()

    step = ms.value_and_grad(loss_of, None, optimizer.parameters)
    history = []
    for number in range(1, rounds + 1):
        carts = Carts(count, rng)
        states, pushes, upright = play(policy, carts, lambda p: rng.random(len(p)) < p)
        weights = advantages(upright) / upright.sum()
        states, pushes = Tensor(states.reshape(-1, 4)), Tensor(pushes.reshape(-1))
        weights = Tensor(weights.reshape(-1).astype(np.float32))
        old = log_probability(states, pushes)
        for _ in range(updates):
            _, gradients = step(states, pushes, weights, old)
            optimizer(gradients)
        history.append(upright.sum(0))
        show(number, rounds, history[-1])
    return np.stack(history)


def show(number, rounds, steps):
    """A progress line of the training; on a terminal it is overwritten in place."""
    done = 24 * number // rounds
    bar = "#" * done + "." * (24 - done)
    text = f"round {number:3d}/{rounds} [{bar}] balanced for {steps.mean():5.1f} of {LONGEST} steps"
    if sys.stdout.isatty():
        print(f"\r{text}", end="\n" if number == rounds else "", flush=True)
    elif number % max(1, rounds // 10) == 0:
        print(text)


def likelier(p):
    return p > 0.5


def test(policy, count=100):
    """Balanced steps of new carts that always use the more probable push, and the runs."""
    states, _, upright = play(policy, Carts(count, np.random.default_rng(1)), likelier)
    return upright.sum(0), states


def draw_carts(axis, states, steps, title):
    """The cart at eight moments of a run, one below the other."""
    moments = np.linspace(0, steps - 1, 8).astype(int)
    for row, moment in enumerate(moments):
        x, _, angle, _ = states[moment]
        base = -1.25 * row
        axis.axhline(base, color="lightgrey", linewidth=0.8, zorder=0)
        axis.add_patch(cart(x, base))
        tip = x + 2 * HALF * np.sin(angle), base + 0.12 + 2 * HALF * np.cos(angle)
        axis.plot([x, tip[0]], [base + 0.12, tip[1]], color="peru", linewidth=4)
        axis.text(FARTHEST + 0.1, base, f"{moment * TICK:.2f} s", fontsize=8)
    axis.set(xlim=(-FARTHEST, FARTHEST), ylim=(-1.25 * 7 - 0.3, 1.3), title=title, yticks=[])
    axis.set(xlabel="place in m", aspect="equal")


def cart(x, base):
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.2, base - 0.12), 0.4, 0.24, facecolor="steelblue", edgecolor="black")


def draw(history, before, after, picture):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        1, 3, figsize=(13, 5.5), layout="constrained", width_ratios=(1.3, 1, 1)
    )
    left, *others = axes
    rounds = np.arange(1, len(history) + 1)
    left.fill_between(rounds, history.min(1), history.max(1), color="lightsteelblue", alpha=0.6,
                      label="worst to best cart")  # fmt: skip
    left.plot(rounds, history.mean(1), color="navy", label="mean")
    left.axhline(LONGEST, color="crimson", linestyle=":", label="the longest run")
    left.set(title=f"{history.shape[1]} carts a round", xlabel="round", ylabel="steps balanced")
    left.legend(loc="lower right")
    for axis, (steps, states), name in zip(
        others, (before, after), ("Before", "After"), strict=True
    ):
        draw_carts(axis, states[:, 0], steps[0], f"{name}: {steps[0]} steps")
    figure.savefig(picture, dpi=110)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--carts", type=int, default=64)
    parser.add_argument("--out", type=Path, default=Path("outputs"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    ms.set_seed(0)
    policy = network()
    before = test(policy)
    start = time.perf_counter()
    history = learn(policy, options.rounds, options.carts, np.random.default_rng(0))
    seconds = time.perf_counter() - start
    after = test(policy)
    draw(history, before, after, options.out / "pole.png")
    print(
        f"{options.rounds} rounds in {seconds:.1f} s; 100 fresh carts are balanced for "
        f"{before[0].mean():.1f} steps before, after {after[0].mean():.1f}"
    )


if __name__ == "__main__":
    main()
