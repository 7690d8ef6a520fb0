"""Solve Poisson's equation with a physics-informed network.

On the unit square, u = 0 at the border and

    d2u/dx2 + d2u/dy2 = f,  with f such that  u = sin(pi x) sin(2 pi y)  is the solution.

The network never sees u: its loss is the mean square of the equation's residual at random points,
whose second derivatives come from `grad` of `grad`. The border is built in: the network's output is
multiplied by x (1 - x) y (1 - y), which is zero there.

    sporax run examples/poisson.py --out outputs

2,000 steps take about 12 seconds on two cores. It prints the error against the exact solution
and writes `poisson.png`: the network's solution, its error, and both curves by step.
"""

import argparse
import time
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops


class Solution(nn.Cell):
    """u(x, y) of points x and y, each of shape (n,)."""

    def __init__(self, width=32):
        super().__init__()
        self.layers = nn.SequentialCell(
            nn.Dense(2, width, activation="tanh"),
            nn.Dense(width, width, activation="tanh"),
            nn.Dense(width, width, activation="tanh"),
            nn.Dense(width, 1),
        )

    def construct(self, x, y):
        inner = self.layers(ops.stack([2 * x - 1, 2 * y - 1], axis=-1))[:, 0]
        return 16 * x * (1 - x) * y * (1 - y) * inner


def exact(x, y):
    return np.sin(np.pi * x) * np.sin(2 * np.pi * y)


def source(x, y):
    """f: the sum of the exact solution's second derivatives, -(1 + 4) pi^2 u."""
    return -5 * np.pi**2 * exact(x, y)


def laplacian(net):
    """The function (x, y) -> d2u/dx2 + d2u/dy2, at each point.

    Each u depends only on its own point, so the gradient of the sum has each point's derivative.
    """

    def total(x, y):
        return net(x, y).sum()

    def slope_x(x, y):
        return ms.grad(total, 0)(x, y).sum()

    def slope_y(x, y):
        return ms.grad(total, 1)(x, y).sum()

    def of(x, y):
        return ms.grad(slope_x, 0)(x, y) + ms.grad(slope_y, 1)(x, y)

    return of


def grid(size=61):
    axis = np.linspace(0, 1, size, dtype=np.float32)
    return np.meshgrid(axis, axis, indexing="ij")


def solve_on_grid(net):
    x, y = grid()
    return net(Tensor(x.ravel()), Tensor(y.ravel())).asnumpy().reshape(x.shape)


def relative_error(net):
    """|u - exact| / |exact| in the mean-square norm."""
    expected = exact(*grid())
    return float(np.linalg.norm(solve_on_grid(net) - expected) / np.linalg.norm(expected))


def train(net, steps, points, rng):
    """Returns the residual of each step and (step, error) at intervals."""
    schedule = nn.cosine_decay_lr(1e-5, 5e-3, steps, 1, steps)
    optimizer = nn.Adam(net.trainable_params(), learning_rate=schedule)
    equation = laplacian(net)

    def loss(x, y, f):
        return ((equation(x, y) - f) ** 2).mean()

    gradient = ms.value_and_grad(loss, None, optimizer.parameters)
    losses, errors = [], []
    for step in range(1, steps + 1):
        x, y = rng.uniform(size=(2, points)).astype(np.float32)
        value, gradients = gradient(Tensor(x), Tensor(y), Tensor(source(x, y)))
        optimizer(gradients)
        losses.append(value)
        if step % max(1, steps // 20) == 0:
            errors.append((step, relative_error(net)))
            print(f"step {step:5d}  residual {float(value):10.4f}  error {errors[-1][1]:.3%}")
    return [float(value) for value in losses], errors


def draw(net, losses, errors, picture):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    found = solve_on_grid(net)
    difference = found - exact(*grid())
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(14, 4), layout="constrained")
    for axis, values, title in ((left, found, "u of the network"), (middle, difference, "error")):
        limit = abs(values).max()
        image = axis.imshow(
            values.T, origin="lower", extent=(0, 1, 0, 1), cmap="RdBu_r", vmin=-limit, vmax=limit
        )
        axis.set(title=title, xlabel="x", ylabel="y")
        figure.colorbar(image, ax=axis, shrink=0.9)
    right.semilogy(range(1, len(losses) + 1), losses, color="lightsteelblue", label="residual²")
    right.semilogy(*zip(*errors, strict=True), color="navy", marker="o", label="relative error")
    right.set(title="Training", xlabel="step")
    right.legend()
    figure.savefig(picture, dpi=120)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--points", type=int, default=256)
    parser.add_argument("--out", type=Path, default=Path("outputs"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    ms.set_seed(0)
    net = Solution()
    start = time.perf_counter()
    losses, errors = train(net, options.steps, options.points, np.random.default_rng(0))
    seconds = time.perf_counter() - start
    draw(net, losses, errors, options.out / "poisson.png")
    print(
        f"{options.steps} steps in {seconds:.1f} s; relative error {relative_error(net):.4%}; "
        f"picture: {options.out / 'poisson.png'}"
    )


if __name__ == "__main__":
    main()
