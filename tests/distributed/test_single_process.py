"""What scripts ask of several processes where there is one, and what launchers tell each."""

import json
import pickle

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, distributed, jit, mint, nn, ops, value_and_grad
from sporax._src.devices.distributed import launch_environment as launching
from sporax._src.devices.distributed.groups import Group
from sporax._src.devices.sharding.across_ranks import RanksOfMesh
from sporax.nn.distributed_data_parallel import DistributedDataParallel
from sporax.ops import communication


def test_a_group_of_one():
    distributed.init()
    assert distributed.GlobalComm.INITED
    requested = ("get_rank", "get_group_size", "get_local_rank", "get_local_rank_size")
    assert [getattr(distributed, name)() for name in requested] == [0, 1, 0, 1]
    distributed.release()
    assert not distributed.GlobalComm.INITED


MPI = {"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "3"}
MPI_LOCAL = {**MPI, "OMPI_COMM_WORLD_LOCAL_RANK": "1", "OMPI_COMM_WORLD_LOCAL_SIZE": "2"}
SLURM = {"SLURM_NTASKS": "2", "SLURM_PROCID": "1", "SLURM_LOCALID": "0", "SLURM_JOB_ID": "7"}
SCHED = {"MS_SCHED_HOST": "host", "MS_SCHED_PORT": "8118"}
Launch = launching.Launch


@pytest.mark.parametrize(
    ("environ", "launch"),
    [
        ({}, None),
        ({"MS_WORKER_NUM": "1", "MS_NODE_ID": "0", **SCHED}, None),
        ({"MS_WORKER_NUM": "4", "MS_NODE_ID": "2", **SCHED}, Launch(2, 4, "host:8118")),
        (
            {
                "MS_WORKER_NUM": "4", "RANK_ID": "2", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "2",
                **SCHED,
            },
            Launch(2, 4, "host:8118", 0, 2),
        ),
        ({**MPI_LOCAL, **SCHED}, Launch(3, 4, "host:8118", 1, 2)),
        (SLURM, None),  # a batch script, which no `srun` has started
        ({**SLURM, "SLURM_STEP_NODELIST": "a[1-2]", **SCHED}, Launch(1, 2, "host:8118", 0)),
        ({"RANK_SIZE": "8"}, None),
        ({"MS_WORKER_NUM": "4", "MS_NODE_ID": "2", **SCHED, launching.JOINED: "1"}, None),
    ],
)  # fmt: skip
def test_what_launchers_tell(environ, launch):
    assert launching.read(environ) == launch


def test_processes_of_one_host_find_a_port():
    one_host = {**MPI_LOCAL, "OMPI_COMM_WORLD_LOCAL_SIZE": "4", "PMIX_NAMESPACE": "job"}
    address = launching.read(one_host).address
    assert address == launching.read({**one_host, "OMPI_COMM_WORLD_RANK": "0"}).address
    host, _, port = address.partition(":")
    assert host == "127.0.0.1" and 1024 < int(port) < 65536


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"MS_WORKER_NUM": "4", "MS_ROLE": "MS_SCHED"}, "no scheduler .*sporax launch"),
        ({"MS_WORKER_NUM": "4", "MS_NODE_ID": "4", **SCHED}, "MS_NODE_ID must be at least 0"),
        ({"MS_WORKER_NUM": "four"}, "whole number, but got 'four'"),
    ],
)
def test_environments_that_cannot_work(environ, message):
    with pytest.raises(RuntimeError, match=message):
        launching.read(environ)


def test_one_of_several_without_a_launcher_is_refused(monkeypatch):
    monkeypatch.setenv("RANK_SIZE", "8")
    with pytest.raises(RuntimeError, match="RANK_SIZE is 8"):
        distributed.init()


def test_a_process_that_stands_for_one_of_several_ranks(monkeypatch):
    for name, value in {"MS_SIMULATION_LEVEL": "1", "RANK_SIZE": "8", "RANK_ID": "3"}.items():
        monkeypatch.setenv(name, value)
    distributed.init("hccl")
    assert (distributed.get_rank(), distributed.get_group_size()) == (3, 8)  # as MindSpore
    distributed.create_group("odd", [1, 3, 5, 7])
    assert (distributed.get_rank("odd"), distributed.get_group_size("odd")) == (1, 4)
    for call in (
        lambda: ops.AllReduce(group="odd")(Tensor([1.0])).asnumpy(),
        lambda: mint.distributed.all_gather_object([None] * 8, 1),
    ):
        with pytest.raises(RuntimeError, match=r"a process for each of the ranks \["):
            call()
    distributed.release()


CALLS = [
    (RuntimeError, "'backend_name' must be one of", lambda: distributed.init("other")),
    (TypeError, "'group' must be a string, but got int", lambda: distributed.get_rank(5)),
    (ValueError, "'group' must be the name of a group", lambda: distributed.get_rank("none")),
    (AttributeError, r"has no .*AllReduce", lambda: distributed.AllReduce),
    (ValueError, "each rank once", lambda: distributed.create_group("g", [0, 0])),
    (ValueError, "must be a new name", lambda: distributed.create_group("hccl_world_group", [0])),
    (ValueError, "create_group made", lambda: distributed.destroy_group("mccl_world_group")),
    (ValueError, r"in \[0, 1\)", lambda: distributed.get_world_rank_from_group_rank(
        "hccl_world_group", 1)),
    (ValueError, "'backend' must be", lambda: communication.init_process_group("other")),
    (ValueError, "'world_size' must be -1", lambda: communication.init_process_group(
        world_size=2)),
    (ValueError, "tcp://address:port", lambda: communication.init_process_group(
        init_method="here", world_size=2, rank=0)),
    (TypeError, "'port' must be an int", lambda: communication.TCPStore("127.0.0.1", "1")),
    (TypeError, "'key' must be a str", lambda: communication.TCPStore(
        "127.0.0.1", 0, is_master=True).get(3)),
]  # fmt: skip


@pytest.mark.parametrize(("error", "message", "call"), CALLS)
def test_refusals(error, message, call):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.usefixtures("on_numpy")
@pytest.mark.parametrize("wrap", [lambda f: f, jit], ids=["dynamic", "jit"])
def test_gradients_of_a_parallel_network_add_up(wrap):
    """Of a network called twice, and of a Parameter that it does not use."""
    network = nn.Dense(2, 1)
    network.unused = Parameter(ops.ones((3,)), name="unused")
    net = DistributedDataParallel(network)
    assert [p.name for p in net.get_parameters()] == ["weight", "bias", "unused"]
    x, y = Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]])
    step = wrap(
        value_and_grad(lambda x, y: 2 * net(x).sum() + net(y).sum(), None, net.trainable_params())
    )

    def gradients():
        return [g.asnumpy().ravel().tolist() for g in step(x, y)[1]]

    assert gradients() == [[5.0, 8.0], [3.0], [0.0] * 3]
    with net.no_sync():
        assert gradients() == [[10.0, 16.0], [6.0], [0.0] * 3]
    net.zero_grad()
    assert gradients() == [[5.0, 8.0], [3.0], [0.0] * 3]
    np.testing.assert_array_equal(net(x).asnumpy(), network(x).asnumpy())


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ((1,), TypeError, "'module' must be a Cell"),
        ((nn.Dense(1, 1), True, "absent"), ValueError, "absent"),
        ((nn.Dense(1, 1), True, None, None, False, False, False, "x"), ValueError, "reducer_mode"),
    ],
)
def test_a_parallel_network_refuses(arguments, error, says):
    with pytest.raises(error, match=says):
        DistributedDataParallel(*arguments)


def test_options_of_a_group_have_no_effect():
    options = distributed.ranks.GroupOptions()
    options.hccl_config = {"hccl_buffer_size": 400}
    with pytest.warns(RuntimeWarning, match="'options' of 'create_group' has no effect"):
        distributed.create_group("one", [0], options)
    distributed.destroy_group("one")
    with pytest.raises(TypeError, match="must be a GroupOptions or None, but got dict"):
        distributed.create_group("one", [0], {})


@pytest.mark.parametrize("name", ["scatter_tensor", "gather_into_tensor"])
def test_parts_of_a_world_of_one(name):
    output = Tensor(np.zeros((2, 2), np.float32))
    assert getattr(mint.distributed, name)(output, Tensor(np.ones((2, 2), np.float32))) is None
    assert output.asnumpy().tolist() == [[1.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize(("begun", "ended"), [(2, [2]), (3, [])])
def test_a_rank_answers_for_the_round_that_it_has_not_come_to(begun, ended, monkeypatch):
    """Not for one that it has come to since, when its log is that of the next."""
    ranks, ends = RanksOfMesh((0,)), []
    ranks.log, ranks.comparison.round = ["a program"], begun
    monkeypatch.setattr(ranks.comparison, "given", lambda number: ['["another"]'])
    monkeypatch.setattr(ranks, "_end_with", lambda number, *_: ends.append(number))
    ranks._answer(2, "mul")
    assert ends == ended


CALLS_WITH_PLANS = {
    "AlltoAllV": lambda x: ops.AlltoAllV()(x, [2], [2]),
    "_AllSwap": lambda x: ops._AllSwap()(x.reshape((2, 1)), Tensor([2]), Tensor([2])),
    "NeighborExchange": lambda x: ops.NeighborExchange([0], [0], ([2],), ([2],), ms.float32)((x,)),
}


@pytest.mark.parametrize("name", CALLS_WITH_PLANS)
def test_plans_of_other_ranks_are_no_pickles(name, monkeypatch):
    class Runs:
        def __reduce__(self):
            return ran.append, (name,)

    ran, sent = [], []

    def exchange(group, data, who, sources=None):
        sent.append(data)
        return [pickle.dumps(Runs())]

    monkeypatch.setattr(Group, "exchange", exchange)
    with pytest.raises(
        RuntimeError, match=f"For '{name}', each rank must tell its numbers in JSON"
    ):
        CALLS_WITH_PLANS[name](Tensor([1.0, 2.0]))
    assert not ran and len(json.loads(sent[0])) == 2
