"""Particle-mesh Ewald energies and forces, as molecular dynamics computes them, against Ewald's sum
in NumPy, in float64."""

import math

import numpy as np
import pytest

from sporax import nn, ops
from sporax import numpy as mnp
from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.transforms.autodiff import value_and_grad

ALPHA, CUTOFF, BOX, MESH = 3.4, 1.0, np.array([2.1, 2.3, 2.0]), (48, 48, 40)
RNG = np.random.default_rng(3)
SITES = np.array([[i, j, k] for i in range(2) for j in range(2) for k in range(2)]) + 0.5
PLACES = (SITES + RNG.uniform(-0.3, 0.3, (8, 3))) * BOX / 2
CHARGES = np.array([1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0]) * RNG.uniform(0.5, 1.0, 8)
PAIRS = np.array([[0, 1], [2, 3]])  # which do not act on each other
# each atom's neighbours; one beyond the last stands for none
PARTNERS = {0: 1, 1: 0, 2: 3, 3: 2}
NEIGHBOURS = np.array([
    sorted([j if j not in (i, PARTNERS.get(i)) else 8 for j in range(8)])[:7] for i in range(8)
], np.int32)  # fmt: skip


def ewald(places):
    """The energy by sums over images and over waves."""
    total, volume = 0.0, BOX.prod()
    images = np.array([[i, j, k] for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)]) * BOX
    for i in range(8):
        for j in range(8):
            for image in images:
                r = np.linalg.norm(places[i] - places[j] + image)
                if r > 0:
                    total += 0.5 * CHARGES[i] * CHARGES[j] * math.erfc(ALPHA * r) / r
    for i, j in PAIRS:
        d = places[i] - places[j]
        total -= CHARGES[i] * CHARGES[j] / np.linalg.norm(d - BOX * np.round(d / BOX))
    waves = np.array(np.meshgrid(*[np.arange(-16, 17)] * 3)).reshape(3, -1).T / BOX
    waves = waves[(waves**2).sum(1) > 0]
    square = (waves**2).sum(1)
    structure = np.exp(2j * np.pi * places @ waves.T).T @ CHARGES
    reciprocal = np.exp(-((np.pi / ALPHA) ** 2) * square) / square * abs(structure) ** 2
    total += reciprocal.sum() / (2 * np.pi * volume)
    total -= ALPHA / np.sqrt(np.pi) * (CHARGES**2).sum()
    return total - np.pi * CHARGES.sum() ** 2 / (2 * ALPHA**2 * volume)


def moduli(size):
    """The squared moduli of the Euler splines' factors, of order 4."""
    spline = [1 / 6, 4 / 6, 1 / 6]
    waves = np.exp(2j * np.pi * np.outer(np.arange(size), np.arange(3)) / size)
    return 1 / abs(waves @ spline) ** 2


class MeshEwald(nn.Cell):
    """Smooth particle-mesh Ewald with splines of order 4, for one periodic box."""

    def __init__(self):
        super().__init__()
        self.box = Tensor(BOX.reshape(1, 3))
        self.mesh = Tensor(np.array([MESH]), dtypes.int32)
        self.erfc, self.scatter = ops.Erfc(), ops.tensor_scatter_add
        self.forward = ops.FFTWithSize(signal_ndim=3, inverse=False, real=True)
        self.back = ops.FFTWithSize(signal_ndim=3, inverse=True, real=True, norm="forward")
        points = [[i, j, k] for i in range(4) for j in range(4) for k in range(4)]
        self.points = Tensor(np.array([points]), dtypes.int32)
        table = np.array([[-1, 3, -3, 1], [3, -6, 3, 0], [-3, 0, 3, 0], [1, 4, 1, 0]]) / 6
        self.splines = [Tensor(np.array([[row[p] for p in q] for q in points])) for row in
                        np.flip(table, 1)]  # fmt: skip
        square = 0
        for axis, (size, length) in enumerate(zip(MESH, BOX, strict=True)):
            wave = mnp.arange(size if axis < 2 else size // 2 + 1)
            wave = mnp.where(wave > size / 2, size - wave, wave) / length
            square += (wave * wave).reshape([-1 if a == axis else 1 for a in range(3)])
        square = square.astype(dtypes.float64)
        square[0][0][0] = 1
        factor = mnp.exp(-((math.pi / ALPHA) ** 2) * square) / square / (math.pi * BOX.prod())
        factor[0][0][0] = 0
        b = [moduli(size) for size in MESH]
        factor *= Tensor(b[0][:, None, None] * b[1][:, None] * b[2][: MESH[2] // 2 + 1])
        self.factor = factor

    def direct(self, places, charges):
        index = Tensor(NEIGHBOURS)
        mask = index < 8
        index = ops.where(mask, index, 0)
        apart = ops.gather(places, index, 0) - ops.expand_dims(places, 1)
        apart -= self.box * ops.stop_gradient(ops.floor(apart / self.box + 0.5))
        apart = ops.where(ops.expand_dims(mask, -1), apart, 10 * CUTOFF)
        distance = ops.norm(apart, dim=-1)
        energy = self.erfc(ALPHA * distance) * ops.reciprocal(distance)
        energy *= ops.gather(charges, index, 0) * ops.expand_dims(charges, 1)
        return 0.5 * ops.where(mask & (distance < CUTOFF), energy, ops.zeros_like(energy)).sum()

    def excluded(self, places, charges):
        apart = places[Tensor(PAIRS[:, 0])] - places[Tensor(PAIRS[:, 1])]
        apart -= self.box * ops.stop_gradient(ops.round(apart / self.box))
        distance = ops.sqrt(ops.reduce_sum(ops.square(apart), -1))
        product = ops.ReduceProd()(ops.gather(charges, Tensor(PAIRS), 0), -1)
        return -(product * ops.erf(ALPHA * distance) / distance).sum()

    def reciprocal(self, places, charges):
        part = places / self.box % 1.0 * self.mesh
        node = ops.cast(part, dtypes.int32)
        part = ops.expand_dims(part - ops.floor(part), 1)
        nodes = ops.expand_dims(node, 1) - self.points
        nodes %= ops.expand_dims(self.mesh, 1)
        weight = 0
        for coefficients in self.splines:
            weight = weight * part + coefficients
        weight = ops.expand_dims(charges, 1) * ops.ReduceProd()(weight, -1)
        mesh = mnp.zeros(MESH, dtypes.float64)
        mesh = self.scatter(mesh, nodes.reshape(-1, 3), weight.reshape(-1))
        waves = self.forward(mesh)
        convolved = self.back(ops.Complex()(self.factor * waves.real(), self.factor * waves.imag()))
        return 0.5 * (mesh * convolved).sum()

    def construct(self, places, charges):
        own = -ALPHA / math.sqrt(math.pi) * (charges * charges).sum()
        own -= charges.sum() ** 2 * 0.5 * math.pi / (ALPHA**2 * ops.prod(self.box))
        return (
            own + self.direct(places, charges) + self.excluded(places, charges)
            + self.reciprocal(places, charges)
        )  # fmt: skip


@pytest.mark.executors
def test_energies_and_forces_on_a_mesh_are_ewalds():
    net = MeshEwald()
    energy, slope = value_and_grad(net)(Tensor(PLACES), Tensor(CHARGES))
    expected = ewald(PLACES)
    forces = np.zeros_like(PLACES)
    for place in np.ndindex(2, 3):
        step = np.zeros_like(PLACES)
        step[place] = 1e-5
        forces[place] = (ewald(PLACES + step) - ewald(PLACES - step)) / 2e-5
    assert abs(energy.item() / expected - 1) < 1e-4
    np.testing.assert_allclose(slope.asnumpy()[:2], forces[:2], atol=2e-3 * abs(forces).max())
