"""Molecules: neighbour lists in a periodic box, filters of distances, bonds; forces are -grad."""

import mindspore as ms
import mindspore.numpy as msnp
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.nn import Cell, CellList
from mindspore.ops import functional as F


def get_vector(a, b, pbc_box):
    """From a to b, by the nearest image."""
    vector = b - a
    return vector - pbc_box * F.stop_gradient(ops.floor(vector / pbc_box + 0.5))


def norm_last_dim(vector, keepdims=False):
    return ops.sqrt(msnp.sum(vector * vector, axis=-1, keepdims=keepdims) + 1e-12)


class NeighbourList(Cell):
    """(A, N) the nearest N others of each atom, and which of them are within the cutoff."""

    def __init__(self, cutoff, num_neighbours):
        super().__init__()
        self.cutoff = cutoff
        self.num_neighbours = num_neighbours
        self.sort = ops.Sort()

    def construct(self, coordinate, pbc_box):
        here, there = coordinate.expand_dims(-2), coordinate.expand_dims(-3)
        distances = norm_last_dim(get_vector(here, there, pbc_box))
        sorted_distances, index = self.sort(F.stop_gradient(distances))
        n = self.num_neighbours
        return index[..., 1 : n + 1], sorted_distances[..., 1 : n + 1] < self.cutoff


class GaussianBasis(Cell):
    def __init__(self, cutoff, num_basis):
        super().__init__()
        offsets = np.linspace(0, cutoff, num_basis).astype(np.float32)
        self.offsets = Tensor(offsets)
        self.coefficient = -0.5 / (offsets[1] - offsets[0]).item() ** 2

    def construct(self, distance):
        return ops.exp(self.coefficient * ops.square(ops.expand_dims(distance, -1) - self.offsets))


class Cutoff(Cell):
    def __init__(self, cutoff):
        super().__init__()
        self.cutoff = Tensor(cutoff, ms.float32)
        self.pi = Tensor(np.pi, ms.float32)

    def construct(self, distance, mask):
        found = 0.5 * (ops.cos(distance * self.pi / self.cutoff) + 1.0)
        return found * F.cast(mask, ms.float32)


class Interaction(Cell):
    def __init__(self, dim, num_basis):
        super().__init__()
        self.filter_net = nn.SequentialCell(
            [nn.Dense(num_basis, dim), nn.SiLU(), nn.Dense(dim, dim)]
        )
        self.atomwise = nn.Dense(dim, dim, has_bias=False)
        self.output = nn.SequentialCell([nn.Dense(dim, dim), nn.SiLU(), nn.Dense(dim, dim)])

    def construct(self, x, basis, envelope, neighbours):
        w = self.filter_net(basis) * envelope.expand_dims(-1)
        around = F.gather(self.atomwise(x), neighbours, 0)
        return x + self.output(ops.reduce_sum(around * w, 1))


class BondEnergy(Cell):
    def __init__(self, index):
        super().__init__()
        self.index = Tensor(index, ms.int32)
        self.force_constant = Parameter(
            Tensor(np.full(len(index), 2.0), ms.float32), name="bond_gamma"
        )
        self.bond_length = Parameter(
            Tensor(np.full(len(index), 1.0), ms.float32), name="length_gamma"
        )

    def construct(self, coordinate, pbc_box):
        a = F.gather(coordinate, self.index[:, 0], 0)
        b = F.gather(coordinate, self.index[:, 1], 0)
        distance = norm_last_dim(get_vector(a, b, pbc_box))
        return (0.5 * self.force_constant * (distance - self.bond_length) ** 2).sum()


class ForceField(Cell):
    def __init__(self, dim=8, num_basis=6, cutoff=2.5, num_neighbours=4, blocks=2, atoms=8):
        super().__init__()
        self.embedding = nn.Embedding(5, dim, use_one_hot=True)
        self.neighbour_list = NeighbourList(cutoff, num_neighbours)
        self.basis = GaussianBasis(cutoff, num_basis)
        self.envelope = Cutoff(cutoff)
        self.interactions = CellList([Interaction(dim, num_basis) for _ in range(blocks)])
        self.readout = nn.SequentialCell([nn.Dense(dim, 4), nn.SiLU(), nn.Dense(4, 1)])
        self.bonds = BondEnergy([[i, i + 1] for i in range(0, atoms, 2)])

    def construct(self, coordinate, atom_types, pbc_box):
        neighbours, mask = self.neighbour_list(coordinate, pbc_box)
        around = F.gather(coordinate, neighbours, 0)
        distance = norm_last_dim(get_vector(coordinate.expand_dims(1), around, pbc_box))
        basis, envelope = self.basis(distance), self.envelope(distance, mask)
        x = self.embedding(atom_types)
        for interaction in self.interactions:
            x = interaction(x, basis, envelope, neighbours)
        return self.readout(x).sum() + self.bonds(coordinate, pbc_box)


class WithForces(Cell):
    def __init__(self, energy):
        super().__init__(auto_prefix=False)
        self.energy = energy
        self.grad = ops.GradOperation()

    def construct(self, coordinate, atom_types, pbc_box):
        energy = self.energy(coordinate, atom_types, pbc_box)
        return energy, -self.grad(self.energy)(coordinate, atom_types, pbc_box)


def build():
    return ForceField()


def forward(net, coordinate, atom_types, pbc_box, energy, forces):
    return WithForces(net)(coordinate, atom_types, pbc_box)


def batch(step):
    rng = np.random.default_rng([19, step])
    sites = np.stack(np.meshgrid([0, 1.5], [0, 1.5], [0, 1.5]), -1).reshape(8, 3)
    coordinate = (sites + rng.uniform(-0.3, 0.3, (8, 3))).astype(np.float32)
    types = rng.integers(0, 5, 8).astype(np.int32)
    box = np.array([3.2, 3.2, 3.2], np.float32)
    energy = np.float32(rng.standard_normal())
    return coordinate, types, box, energy, rng.standard_normal((8, 3)).astype(np.float32)


def training(net):
    with_forces = WithForces(net)
    optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)

    def forward_fn(coordinate, atom_types, pbc_box, energy, forces):
        found_energy, found_forces = with_forces(coordinate, atom_types, pbc_box)
        energy_loss = ops.square(found_energy - energy)
        force_loss = ops.square(found_forces - forces).mean()
        return 0.1 * energy_loss + force_loss, energy_loss, force_loss

    grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)

    def train_step(*inputs):
        (loss, energy_loss, force_loss), grads = grad_fn(*inputs)
        optimizer(grads)
        return loss, energy_loss, force_loss

    return train_step


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
