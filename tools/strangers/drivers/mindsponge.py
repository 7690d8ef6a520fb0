"""MindSPONGE's tutorials in a few steps, from drawn velocities, and cells of its protein models."""

import importlib
import sys
import types

import mindspore as ms
import numpy as np
import pytest
from mindspore import nn
from strangers_numbers import compare, compare_arrays, generator, uniform

STEPS = 10
TUTORIALS = "MindSPONGE/tutorials"


@pytest.fixture(autouse=True)
def _units():
    from sponge import set_global_units

    ms.set_context(mode=ms.GRAPH_MODE)
    set_global_units("nm", "kj/mol")
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def _check(name, md, system, **more):
    more |= {"coordinate": system.coordinate, "energy": md.calc_energy()}
    compare_arrays(name, **{key: np.asarray(value.asnumpy()) for key, value in more.items()})


def _minimize(network, potential=None, optimizer=None, **more):
    from sponge import Sponge

    md = Sponge(network, potential, optimizer, **more)
    md.run(STEPS)
    return md


def _simulate(name, system, network, potential=None, **more):
    """Simulate with a Berendsen thermostat: Langevin's draws noise."""
    from sponge import Sponge, UpdaterMD

    metrics = more.pop("metrics", None)
    velocity = 0.3 * generator(name).standard_normal(system.shape).astype(np.float32)
    options = {"integrator": "velocity_verlet", "thermostat": "berendsen"} | more
    updater = UpdaterMD(
        system=system, time_step=1e-3, velocity=ms.Tensor(velocity), temperature=300, **options
    )
    md = Sponge(network, potential, updater, metrics=metrics)
    md.run(STEPS)
    _check(name, md, system, velocity=updater.velocity, temperature=updater.temperature)


def _water(template="water.spce.yaml"):
    """Eight molecules of water."""
    from sponge import Molecule

    system = Molecule(template=template)
    for shift in ([0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3]):
        system.reduplicate(shift)
    return system


def _alanine():
    from sponge import Protein

    return Protein(pdb=f"{TUTORIALS}/advanced/alad.pdb")


def _torsions():
    from sponge.colvar import Torsion

    return {"phi": Torsion([4, 6, 8, 14]), "psi": Torsion([6, 8, 14, 16])}


# basic tutorials -------------------------------------------------------------------------------
def test_b01_a_molecule_by_hand():
    from sponge import ForceFieldBase, Molecule
    from sponge.potential import AngleEnergy, BondEnergy

    system = Molecule(
        atoms=["O", "H", "H"], coordinate=[[0, 0, 0], [0.1, 0, 0], [-0.0333, 0.0943, 0]],
        bonds=[[[0, 1], [0, 2]]],
    )  # fmt: skip
    bond = BondEnergy(
        index=system.bonds, force_constant=[[345000, 345000]], bond_length=[[0.1, 0.1]]
    )
    angle = AngleEnergy(
        index=[[1, 0, 2]], force_constant=[[383]], bond_angle=[[109.47 / 180 * np.pi]]
    )
    potential = ForceFieldBase(energy=[bond, angle])
    _simulate("b01", system, system, potential, integrator="leap_frog")


def test_b02_a_template():
    from sponge import ForceField, Molecule

    system = Molecule(template="water.tip3p.yaml")
    _simulate("b02", system, system, ForceField(system, parameters="TIP3P"))


def test_b03_minimization():
    from sponge import ForceField

    system = _water()
    potential = ForceField(system, parameters="SPCE")
    adam = nn.Adam(system.trainable_params(), 1e-3)
    _check("b03", _minimize(system, potential, adam), system)


def test_b04_a_bias():
    from sponge import ForceField, WithEnergyCell
    from sponge.potential import SphericalRestrict

    system = _water()
    bias = SphericalRestrict(radius=0.3, center=[0.1, 0.1, 0.1])
    network = WithEnergyCell(system, ForceField(system, parameters="SPCE"), bias=bias)
    _simulate("b04", system, network)


def _box():
    from sponge import ForceField, Molecule, WithEnergyCell
    from sponge.partition import NeighbourList

    system = Molecule(template="water.tip3p.yaml")
    system.set_pbc_box([0.4, 0.4, 0.4])
    system.repeat_box([5, 5, 5])
    potential = ForceField(system, parameters="TIP3P", use_pme=False)  # PME is for GPUs
    neighbours = NeighbourList(system, cast_fp16=True)
    return system, WithEnergyCell(system, potential, neighbour_list=neighbours)


def test_b05_a_periodic_box():
    system, network = _box()
    _simulate("b05", system, network, pressure=1, barostat="berendsen")


def test_b06_a_protein():
    from sponge import ForceField, Protein, WithEnergyCell
    from sponge.optimizer import SteepestDescent

    system = Protein(pdb=f"{TUTORIALS}/basic/case2.pdb", rebuild_hydrogen=True)
    network = WithEnergyCell(system, ForceField(system, "AMBER.FF14SB"), cutoff=1.0)
    descent = SteepestDescent(system.trainable_params(), 1e-7)
    _check("b06", _minimize(network, optimizer=descent), system)


def test_b07_constraints():
    from sponge import ForceField
    from sponge.control import Lincs

    system = _alanine()
    lincs = Lincs(system, bonds="all-bonds")
    _simulate("b07", system, system, ForceField(system, "AMBER.FF14SB"), constraint=lincs)


def test_b08_masked_forces():
    from sponge import ForceField
    from sponge.core import RunOneStepCell, WithEnergyCell, WithForceCell
    from sponge.optimizer import SteepestDescent
    from sponge.partition import NeighbourList
    from sponge.sampling import MaskedDriven

    system = _alanine()
    rate = nn.ExponentialDecayLR(1e-7, 1.001, 1, is_stair=True)
    descent = SteepestDescent(system.trainable_params(), rate, max_shift=None)
    near = NeighbourList(system, cutoff=1.0, cast_fp16=True)
    energy = WithEnergyCell(system, ForceField(system, "AMBER.FF99SB"), neighbour_list=near)
    modifier = MaskedDriven(
        length_unit=energy.length_unit, energy_unit=energy.energy_unit, mask=system.heavy_atom_mask
    )
    force = WithForceCell(system, neighbour_list=near, modifier=modifier)
    step = RunOneStepCell(energy=energy, force=force, optimizer=descent)
    _check("b08", _minimize(step), system)


def test_b09_rigid_water():
    from sponge.control import SETTLE

    system, network = _box()
    _simulate("b09", system, network, constraint=SETTLE(system))


# advanced tutorials ----------------------------------------------------------------------------
def test_a01_collective_variables():
    from sponge import ForceField
    from sponge.optimizer import SteepestDescent

    system = _alanine()
    descent = SteepestDescent(system.trainable_params(), 1e-7)
    potential = ForceField(system, "AMBER.FF14SB")
    md = _minimize(system, potential, descent, metrics=_torsions())
    found = {key: ms.Tensor(np.asarray(value)) for key, value in md.analyse().items()}
    _check("a01", md, system, **found)


@pytest.mark.parametrize("name", ["a02", "a03", "a04"])  # metadynamics, tempering, both
def test_sampling(name):
    from sponge import ForceField, WithEnergyCell
    from sponge.function import PI
    from sponge.sampling import ITS, Metadynamics

    system, torsions, more = _alanine(), _torsions(), {}
    if name in ("a02", "a04"):
        more["bias"] = Metadynamics(
            colvar=list(torsions.values()), update_pace=5, height=2.5, sigma=0.05, grid_min=-PI,
            grid_max=PI, grid_bin=36, temperature=300, bias_factor=100,
        )  # fmt: skip
    if name in ("a03", "a04"):
        more["wrapper"] = ITS(
            sim_temp=300, temp_min=270, temp_max=670, temp_bin=20, update_pace=5, unlinear_temp=True
        )
    network = WithEnergyCell(system, ForceField(system, "AMBER.FF14SB"), **more)
    _simulate(name, system, network, metrics=torsions)


# cells of proteins' models ---------------------------------------------------------------------
def _cells():
    """The module of cells, without the package around it, which imports other libraries."""
    package = types.ModuleType("mindsponge")
    package.__path__ = ["MindSPONGE/src/mindsponge"]
    package.__file__ = "MindSPONGE/src/mindsponge/__init__.py"
    sys.modules.setdefault("mindsponge", package)
    return importlib.import_module("mindsponge.cell")


CASES = {
    "Attention": ((4, 16, True, 16, 16, 12), [(3, 8, 16), (3, 6, 16), (3, 4, 8, 6)]),
    "GlobalAttention": ((4, True, 16, 16), [(3, 8, 16), (3, 8, 16), (3, 8, 1)]),
    "MSARowAttentionWithPairBias": ((4, 16, True, 16, 8), [(3, 8, 16), (3, 8), (8, 8, 8)]),
    "MSAColumnAttention": ((4, 16, True, 16), [(3, 8, 16), (3, 8)]),
    "MSAColumnGlobalAttention": ((4, True, 16), [(3, 8, 16), (3, 8)]),
    "Transition": ((4, 16), [(3, 8, 16)]),
    "TriangleAttention": (("per_row", 4, 16, True, 16), [(8, 8, 16), (8, 8)]),
    "TriangleMultiplication": ((16, "ikc,jkc->ijc", 16), [(8, 8, 16), (8, 8)]),
    "OuterProductMean": ((8, 16, 12), [(3, 8, 16), (3, 8), (8, 8, 1)]),
}


@pytest.mark.parametrize("name", CASES)
def test_cell(name):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    arguments, shapes = CASES[name]
    inputs = [uniform(f"{name} {i}", *shape) for i, shape in enumerate(shapes)]
    # masks lie between 0 and 1; masked logits get -1e9 times what is missing
    inputs = [x if x.ndim == 3 and x.shape[-1] > 1 else ms.ops.ones_like(x) for x in inputs]
    net = getattr(_cells(), name)(*arguments)
    compare(name, net, *inputs)
