"""`estimate`: programs for simulated devices against bytes counted by hand; the model of time."""

import pytest

from sporax import Tensor, nn, ops, parallel
from sporax._src.devices.sharding import Collective
from tests.module_output import json_of
from tests.parallel.estimated_steps import CLASSES, HIDDEN, ROWS, WIDTH

WEIGHTS = [WIDTH * HIDDEN, HIDDEN, HIDDEN * CLASSES, CLASSES]  # elements of each Parameter
ALL = 4 * sum(WEIGHTS)
BATCH = ROWS * (WIDTH * 4 + 4)
LOSS = 3 * 4  # sums of losses and weights, of which the mean is made


@pytest.fixture(scope="module")
def steps():
    return json_of("tests.parallel.estimated_steps")


def bytes_of(step, kind):
    return sum(size for k, size, _ in step["collectives"] if k == kind)


@pytest.mark.parametrize("n", [2, 4, 8])
@pytest.mark.parametrize("way", ["data", "states", "tensor"])
def test_each_device_has_its_part_of_the_work(steps, way, n):
    assert steps[f"{way}-1"]["collectives"] == []
    assert abs(steps[f"{way}-{n}"]["flops"] * n / steps[f"{way}-1"]["flops"] - 1) < 0.02
    assert all(devices == n for *_, devices in steps[f"{way}-{n}"]["collectives"])


@pytest.mark.parametrize("n", [2, 4, 8])
def test_data_parallel_reduces_the_gradients(steps, n):
    step = steps[f"data-{n}"]
    assert bytes_of(step, "all-reduce") == ALL + LOSS
    assert {kind for kind, *_ in step["collectives"]} == {"all-reduce"}
    extra = step["arguments"] - 2 * ALL - BATCH // n
    assert 0 <= extra < 32  # the step and the learning rate


@pytest.mark.parametrize("n", [2, 4, 8])
def test_divided_states_gather_the_weights(steps, n):
    step = steps[f"states-{n}"]
    assert bytes_of(step, "all-reduce") == ALL + LOSS
    assert bytes_of(step, "all-gather") == ALL
    assert 0 <= step["arguments"] - ALL - ALL // n - BATCH // n < 32


@pytest.mark.parametrize("n", [2, 4, 8])
def test_columns_and_rows_reduce_the_activations(steps, n):
    step = steps[f"tensor-{n}"]
    assert step["collectives"] == [["all-reduce", ROWS * CLASSES * 4, n]]
    divided = 4 * (sum(WEIGHTS) - CLASSES)  # all but the last bias
    assert 0 <= step["arguments"] - 2 * (divided // n + 4 * CLASSES) - BATCH < 32


def test_a_described_mesh_changes_nothing(steps):
    assert steps["checks"] == []


# seconds by hand: 3 s of computation at 1e9 a second; links of 1 us and 1e6 bytes a second
MACHINE = parallel.Machine(
    rate=1e9, link=parallel.Link(1e-3, 1e6), per_host=4, host_link=parallel.Link(0.0, 1e7)
)


@pytest.mark.parametrize(
    ("kind", "group", "count", "seconds"),
    [
        ("all-reduce", range(4), 1, 1.5e6 / 1e7),  # within a host
        ("all-reduce", range(8), 1, 14e-3 + 1.75),
        ("all-gather", range(8), 2, 2 * (7e-3 + 0.875)),
        ("reduce-scatter", (0, 4), 1, 1e-3 + 0.5),
        ("collective-permute", (0, 1), 1, 1e6 / 1e7),
        ("collective-permute", (0, 4), 1, 1e-3 + 1.0),
    ],
)
def test_the_model_of_time(kind, group, count, seconds):
    found = [Collective(kind, 1_000_000, (tuple(group),), count)]
    cost = parallel.ProgramCost(8, 3e9, 0, 0, 0, found)
    assert cost.compute_seconds(MACHINE) == 3
    assert cost.communication_seconds(MACHINE) == pytest.approx(seconds, rel=1e-12)
    assert cost.seconds(MACHINE) == pytest.approx((3, 3 + seconds))


def test_what_is_estimated_prints():
    with parallel.DescribedMesh(data=1):
        cost = parallel.estimate(nn.Dense(4, 2, has_bias=False), ops.ones((8, 4)))
    assert str(cost).startswith("1 devices; on each 128 floating-point operations\narguments 160")
    assert (cost.devices, cost.traffic, cost.collectives) == (1, 0, [])


def test_refusals():
    net = nn.Dense(4, 2)
    with pytest.raises(RuntimeError, match="'estimate', a Mesh must be entered"):
        parallel.estimate(net, ops.ones((8, 4)))
    with parallel.DescribedMesh(data=1) as mesh:
        with pytest.raises(RuntimeError, match="outside of captured functions and other meshes"):
            mesh.__enter__()
        with pytest.raises(NotImplementedError, match="no batch to divide"):
            mesh.batch([1.0])
        with pytest.raises(RuntimeError, match="'estimate'"):
            parallel.estimate(lambda x: float(x.sum()), Tensor([1.0]))
        placed = parallel.place(net.weight, "data")
        assert parallel.placement_of(placed).spec == ("data",)
    assert parallel.placement_of(net.weight) is None
