"""Find the structure of a cluster of 13 Lennard-Jones atoms, with forces from `grad`.

Two atoms at distance r have the energy 4 (1/r^12 - 1/r^6). The 13 atoms' lowest energy is known,
-44.3268 (an icosahedron: one atom within a shell of twelve); many other structures are minima too.
So the script minimises from many random starts at once, all as one batch: the gradient of the sum
of all energies has the forces of each cluster.

    sporax run examples/molecule.py --out outputs

64 starts of 1,000 steps take about two seconds on two cores. It prints the lowest energy beside the
known one and writes `molecule.png`, energies by step and the best structure, and `molecule.xyz`,
its coordinates, for any viewer of molecules.
"""

import argparse
import time
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

ATOMS = 13
KNOWN = -44.326801  # Hoare and Pal, Advances in Physics 20 (1971) 161
FIRST, SECOND = np.triu_indices(ATOMS, 1)  # each pair once


class Clusters(nn.Cell):
    """Energies of many clusters; their coordinates, (starts, atoms, 3), are the parameter."""

    def __init__(self, coordinates):
        super().__init__()
        self.coordinates = Parameter(Tensor(coordinates), name="coordinates")
        self.first, self.second = Tensor(FIRST, ms.int32), Tensor(SECOND, ms.int32)

    def construct(self):
        apart = ops.gather(self.coordinates, self.first, 1)
        apart = apart - ops.gather(self.coordinates, self.second, 1)
        square = (apart * apart).sum(-1)
        inverse = 1 / (square * square * square)
        return (4 * (inverse * inverse - inverse)).sum(-1)


def random_start(rng, apart=0.8, size=3.2):
    """Random atoms in a box, without pairs so close that their repulsion is excessive."""
    places = np.empty((0, 3))
    while len(places) < ATOMS:
        place = rng.uniform(-size / 2, size / 2, 3)
        if (np.linalg.norm(places - place, axis=1) > apart).all():
            places = np.vstack([places, place])
    return places.astype(np.float32)


def minimise(clusters, steps):
    """Adam with a falling step size; returns the energies, (steps, starts)."""
    schedule = nn.cosine_decay_lr(1e-5, 0.1, steps, 1, steps)
    optimizer = nn.Adam(clusters.trainable_params(), learning_rate=schedule)

    def total():
        energies = clusters()
        return energies.sum(), energies

    gradient = ms.value_and_grad(total, None, optimizer.parameters, has_aux=True)
    history = []
    for step in range(1, steps + 1):
        (_, energies), slopes = gradient()
        optimizer(slopes)
        history.append(energies)
        if step % max(1, steps // 10) == 0:
            lowest, middle = float(energies.min()), float(energies.median(-1)[0])
            print(f"step {step:5d}  lowest {lowest:9.4f}  median {middle:9.4f}")
    return np.stack([energies.asnumpy() for energies in history])


def write_xyz(places, energy, file):
    lines = [f"{ATOMS}", f"Lennard-Jones cluster, energy {energy:.6f}"]
    lines += [f"Ar {x:.6f} {y:.6f} {z:.6f}" for x, y, z in places]
    file.write_text("\n".join(lines) + "\n")


def draw_cluster(axis, places):
    """Draw the atoms, and a line for each touching pair."""
    for a, b in zip(FIRST, SECOND, strict=True):
        if np.linalg.norm(places[a] - places[b]) < 1.3:
            axis.plot(*places[[a, b]].T, color="grey", linewidth=1.2, zorder=1)
    inner = np.linalg.norm(places - places.mean(0), axis=1).argmin()
    colors = ["crimson" if atom == inner else "steelblue" for atom in range(ATOMS)]
    axis.scatter(*places.T, s=320, c=colors, edgecolors="black", depthshade=True)
    axis.set_box_aspect((1, 1, 1), zoom=1.3)
    axis.set_axis_off()


def draw(history, places, picture):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    best = history[-1].argmin()
    figure = plt.figure(figsize=(11, 4.5), layout="constrained")
    left = figure.add_subplot(1, 2, 1)
    steps = np.arange(1, len(history) + 1)
    left.plot(steps, history, color="lightsteelblue", linewidth=0.7)
    left.plot(steps, history[:, best], color="navy", label="the best start")
    left.axhline(KNOWN, color="crimson", linestyle=":", label=f"known minimum {KNOWN:.4f}")
    left.set(title=f"{history.shape[1]} random starts", xlabel="step", ylabel="energy")
    left.set_ylim(KNOWN - 2, 0)
    left.legend()
    right = figure.add_subplot(1, 2, 2, projection="3d")
    right.set_title(f"Lowest energy: {history[-1, best]:.4f}")
    draw_cluster(right, places[best])
    figure.savefig(picture, dpi=120)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--starts", type=int, default=64)
    parser.add_argument("--out", type=Path, default=Path("outputs"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    rng = np.random.default_rng(0)
    clusters = Clusters(np.stack([random_start(rng) for _ in range(options.starts)]))
    start = time.perf_counter()
    history = minimise(clusters, options.steps)
    seconds = time.perf_counter() - start
    places, best = clusters.coordinates.asnumpy(), history[-1].argmin()
    energy = history[-1, best]
    write_xyz(places[best], energy, options.out / "molecule.xyz")
    draw(history, places, options.out / "molecule.png")
    reached = int((history[-1] < KNOWN + 0.01).sum())
    print(
        f"{options.steps} steps in {seconds:.1f} s; {reached} of {options.starts} starts reached "
        f"the minimum; lowest energy {energy:.4f}, known {KNOWN:.4f}"
    )


if __name__ == "__main__":
    main()
