"""Rows of `rows`: trainings on a Mesh, placements, and MindSpore's names of parallel training."""

import contextlib
import copy
import functools
import os
import pickle
import tempfile

import jax
import numpy as np

import sporax as ms
from sporax import Parameter, Tensor, nn, ops, parallel
from sporax.data import NumpySlicesDataset
from sporax.parallel import AutoParallel, Layout, Mesh, place, placement_of
from tests.sharding.rows import COUNT, close, refused, row, spec

# trainings ------------------------------------------------------------------------------------


def mlp():
    return nn.SequentialCell(nn.Dense(16, 32), nn.ReLU(), nn.Dense(32, 8)), (16,)


def normalized():
    return nn.SequentialCell(
        nn.Dense(16, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(p=0.3), nn.Dense(32, 8)
    ), (16,)  # fmt: skip


def transformer():
    encoder = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True)
    return nn.SequentialCell(encoder, nn.Flatten(), nn.Dense(64, 8)), (4, 16)


def convolutions():
    return nn.SequentialCell(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(),
        nn.Dense(128, 8),
    ), (3, 8, 8)  # fmt: skip


def trained(
    network, mesh, captured, optimizer=nn.Momentum, steps=3, batch=16, divide=None, ends=True
):
    """(losses, weights, the network, the optimizer) after some steps, the last with fewer rows if
    it `ends` so."""
    ms.set_seed(1)
    with mesh or contextlib.nullcontext():
        net, shape = network()
        net.set_train()
        step = optimizer(net.trainable_params(), 0.01, 0.9)
        if mesh is not None and divide is not None:
            divide(net, step)
        loss_of, losses = nn.CrossEntropyLoss(), []
        gradient = ms.value_and_grad(lambda x, y: loss_of(net(x), y), None, step.parameters)

        def update(x, y):
            loss, gradients = gradient(x, y)
            step(gradients)
            return loss

        update = ms.jit(update) if captured else update
        rng = np.random.default_rng(0)
        rows = batch * steps + 6 * ends
        data = NumpySlicesDataset(
            (rng.normal(size=(rows, *shape)).astype(np.float32),
             rng.integers(0, 8, rows).astype(np.int32)), shuffle=False,
        ).batch(batch)  # fmt: skip
        for x, y in data.create_tuple_iterator():
            losses.append(float(update(x, y)))
        return losses, {p.name: p.asnumpy() for p in net.get_parameters()}, net, step


@functools.cache
def alone(network):
    return trained(network, None, False)[:2]


def same(network, outcome):
    losses, weights = alone(network)
    close(outcome[0], losses)
    for name, weight in weights.items():
        close(outcome[1][name], weight)


def columns_and_rows(net, optimizer):
    """Tensor parallel: the first layer by columns, the second by rows; states as their weights."""
    for tensors in (net.trainable_params(), optimizer.moments):
        place(tensors[0], "model")
        place(tensors[1], "model")
        place(tensors[2], None, "model")


@row("short", "dynamic")
@row("short", "jit")
@row("slow", "dynamic", normalized)
@row("slow", "jit", normalized)
@row("slow", "dynamic", transformer)
@row("slow", "jit", transformer)
@row("slow", "jit", convolutions)
def data_parallel(mode, network=mlp):
    outcome = trained(network, Mesh(data=COUNT), mode == "jit")
    same(network, outcome)
    assert all(spec(p) == () for p in outcome[2].get_parameters())


@row("short", "jit")
@row("slow", "dynamic")
def tensor_parallel(mode):
    outcome = trained(mlp, Mesh(data=4, model=2), mode == "jit", divide=columns_and_rows)
    same(mlp, outcome)
    weights = outcome[2].trainable_params()
    assert [spec(p) for p in weights[:3]] == [("model",), ("model",), (None, "model")]
    assert [spec(p) for p in outcome[3].moments[:3]] == [spec(p) for p in weights[:3]]


@row("slow", "dynamic")
@row("short", "jit")
def divided_states(mode):
    """ZeRO-1: each device has an eighth of the moments."""
    outcome = trained(
        mlp, Mesh(data=COUNT), mode == "jit", divide=lambda net, o: parallel.divide(o.moments)
    )
    same(mlp, outcome)
    moments = outcome[3].moments
    assert [spec(p) for p in moments] == [("data",)] * 4
    shard = moments[0]._value.read().addressable_shards[0].data
    assert shard.shape == (4, 16)


# placements -----------------------------------------------------------------------------------


@row("short")
def placements_survive():
    with Mesh(data=4, model=2):
        p = place(Parameter(ops.ones((8, 4)), name="p"), "data", "model")
        p.set_data(Tensor(np.full((8, 4), 2, np.float32)))
        assert spec(p) == ("data", "model")
        ops.assign(p, p * 2)
        p[0] = 5
        assert spec(p) == ("data", "model")
        wanted = np.full((8, 4), 4, np.float32)
        wanted[0] = 5
        for q in (copy.copy(p), copy.deepcopy(p), p.clone(), pickle.loads(pickle.dumps(p))):
            assert spec(q) == ("data", "model")
            assert placement_of(q) == placement_of(p)
            close(q.asnumpy(), wanted, 0)
        with tempfile.TemporaryDirectory() as folder:
            ms.save_checkpoint([{"name": "p", "data": p}], f"{folder}/a.ckpt")
            loaded = ms.load_checkpoint(f"{folder}/a.ckpt")["p"]
        close(loaded.asnumpy(), wanted, 0)
        assert spec(p.clone("zeros")) == ("data", "model")
    with Mesh(data=2):  # of fewer devices: along the axes that it has too
        assert spec(p) == ("data",)
        close(p.asnumpy(), wanted, 0)


@row("short")
def resharded():
    """`reshard` and `Tensor.redistribute` place as a Layout says, in graphs and derivatives too."""
    from sporax._src.devices.sharding.calls import DistributedTensorInfo, reshard

    layout = Layout((4, 2), ("a", "b"))
    data = np.arange(32, dtype=np.float32).reshape(8, 4)
    with Mesh(data=COUNT):
        x = Tensor(data)
        for function in (reshard, ms.jit(reshard)):
            placed = function(x, layout("a", "b"))
            assert spec(placed) == ("a", "b")
            close(placed.asnumpy(), data, 0)
        close(
            ms.grad(lambda x: (reshard(x, layout("b", "None")) ** 2).sum())(x).asnumpy(), 2 * data
        )
        info = DistributedTensorInfo(layout("None", ("a",)))
        moved = placed.redistribute(info)
        assert spec(moved) == (None, "a") and moved._dtensor_info is info
        assert placed._dtensor_info is None
        with refused(ValueError, "For 'reshard'", "must have a number for each dimension"):
            reshard(x, layout("a"))
    with refused(TypeError, "For 'reshard', 'layout' must be a Layout, but got tuple"):
        reshard(x, (4, 2))


@row("short")
def batches():
    with Mesh(model=2, data=4):
        data = NumpySlicesDataset(np.ones((10, 2), np.float32), shuffle=False).batch(8)
        assert [spec(x) for (x,) in data.create_tuple_iterator()] == [("data",), ()]


@row("short")
def hosts_gather():
    """What runs on the host has the whole: reading, printing, Python functions, other threads."""
    data = np.arange(16, dtype=np.float32).reshape(8, 2)
    with Mesh(data=COUNT):
        x = place(Tensor(data), "data")
        close(x.asnumpy(), data, 0)
        assert str(x) == str(Tensor(data)) and x[3, 1].item() == 7
        twice = ops.Custom(lambda a: a * 2, lambda s: s, lambda d: d, "pyfunc")
        close(twice(x + 1).asnumpy(), (data + 1) * 2, 0)
        y = x * 3
    close((x + y).asnumpy(), data * 4, 0)  # outside: the interpreter, at first
    close(ms.jit(lambda a: ops.sort(a, axis=0)[0])(x).asnumpy(), data, 0)


@row("short")
def captured_for_each_mesh():
    net = nn.Dense(4, 4)
    function = ms.jit(lambda x: net(x))
    x = Tensor(np.ones((8, 4), np.float32))
    before = function(x).asnumpy()
    with Mesh(data=4) as mesh:
        divided = function(place(Tensor(np.ones((8, 4), np.float32)), "data"))
        close(divided.asnumpy(), before)
        assert len(divided._value.array.sharding.device_set) == mesh.size
    close(function(x).asnumpy(), before)


@row("short")
def refusals():
    first, second = (Mesh(data=4, devices=jax.devices()[i : i + 4]) for i in (0, 4))
    x = Tensor(np.ones((8, 2), np.float32))
    with refused(ValueError, "Mesh(data=16)", "16 devices", "8 (cpu)"):
        Mesh(data=16)
    with refused(ValueError, "dimension 0", "(6, 2)", "'data'", "it is 6"):
        place(Tensor(np.ones((6, 2))), "data", mesh=first)
    with refused(ValueError, "same mesh", "[0, 1, 2, 3]", "[4, 5, 6, 7]"), first:
        (place(x, "data", mesh=first) + place(Tensor(x.asnumpy()), "data", mesh=second)).asnumpy()


# MindSpore's names ----------------------------------------------------------------------------


class Divided(nn.Cell):
    """Two products, the first by columns, the second by rows."""

    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(0)
        self.first = Parameter(Tensor(rng.normal(size=(16, 32)).astype(np.float32)), name="first")
        self.second = Parameter(Tensor(rng.normal(size=(8, 32)).astype(np.float32)), name="second")
        self.columns = ops.MatMul().shard(((2, 1), (1, 4)))
        self.relu = ops.ReLU().shard(((2, 4),), ((2, 4),))
        self.rows = ops.MatMul(transpose_b=True).shard(((2, 4), (1, 4)), ((2, 1),))

    def construct(self, x):
        return self.rows(self.relu(self.columns(x, self.first)), self.second)


def divided():
    return Divided(), (16,)


@row("short", "jit")
@row("slow", "dynamic")
def strategies(mode):
    captured = mode == "jit"
    outcome = trained(divided, Mesh(data=COUNT), captured, batch=16, ends=False)
    np.testing.assert_allclose(outcome[0], trained(divided, None, captured, ends=False)[0], 2e-6)


@row("short")
def strategies_place():
    x = Tensor(np.ones((4, 6), np.float32))
    with Mesh(data=4, model=2):
        for primitive, wanted in (
            (ops.ReLU().shard(((4, 2),), ((4, 2),)), (4, 2)),
            (ops.ReLU().shard(((2, 1),), ((1, 2),)), (1, 2)),
            (ops.ReLU().shard((Layout((4, 2), ("a", "b"))("a", "b"),)), (4, 2)),
        ):
            for copied in (primitive, copy.deepcopy(primitive)):
                out = copied(x)
                shard = out._value.read().addressable_shards[0].data.shape
                assert shard == (4 // wanted[0], 6 // wanted[1])
                close(out.asnumpy(), x.asnumpy(), 0)
        total = ops.Concat().shard((((1, 2), (1, 2)),))((x, x))
        close(total.asnumpy(), np.ones((8, 6)), 0)
        net = nn.Dense(6, 8)
        plan = net.shard(((4, 1),), ((4, 2),), {"self.weight": (2, 1), "bias": (2,)})
        wanted = nn.Dense.construct(net, x).asnumpy()
        close(plan(x).asnumpy(), wanted)
        assert net.weight._value.read().addressable_shards[0].data.shape == (4, 6)
        double = ms.shard(lambda a, b: (a * 2, b), ((4, 2), (1, 1)), ((1, 1), (4, 2)))
        close(double(x, x)[0].asnumpy(), 2 * x.asnumpy(), 0)
        both = ms.grad(lambda a: (ops.MatMul().shard(((4, 1), (1, 2)))(a, a.T) ** 2).sum())(x)
        a = np.ones((4, 6))
        close(both.asnumpy(), 4 * a @ a.T @ a, 1e-4)


@row("short")
def strategies_refused():
    x = Tensor(np.ones((6, 4), np.float32))
    with Mesh(data=COUNT):
        with refused(ValueError, "'MatMul'", "dimension 0", "(6, 4)", "size 6", "4 parts"):
            ops.MatMul().shard(((4, 1), (1, 1)))(x, x.T)
        with refused(ValueError, "'Add'", "16 parts", "8 devices"):
            y = Tensor(np.ones((16, 4), np.float32))
            ops.Add().shard(((16, 1), (16, 1)))(y, y)
        with refused(ValueError, "'Add'", "each of the 2 Tensors"):
            ops.Add().shard(((1, 1),))(x, x)
        with refused(ValueError, "'ReLU'", "a number for each dimension"):
            ops.ReLU().shard(((1,),))(x)
        with refused(ValueError, "'ReLU'", "8 devices", "(2, 2)"):
            ops.ReLU().shard((Layout((2, 2), ("a", "b"))("a", "b"),))(x)


@row("short")
def automatic():
    """`AutoParallel`, and the modes of `set_auto_parallel_context`, with states divided."""
    x, y = np.ones((16, 16), np.float32), np.zeros(16, np.int32)

    def step(parallel_net):
        ms.set_seed(1)
        net, _ = mlp()
        called = parallel_net(net)
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        loss = nn.CrossEntropyLoss()
        forward = ms.value_and_grad(lambda a, b: loss(called(a), b), None, optimizer.parameters)
        value, gradients = forward(Tensor(x), Tensor(y))
        optimizer(gradients)
        return float(value), net.get_parameters(), optimizer.moments

    def weights(outcome):
        return [p.asnumpy() for p in outcome[1]]

    wanted = weights(step(lambda net: net))
    ms.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel", device_num=4, enable_parallel_optimizer=True,
        parallel_optimizer_config={"parallel_optimizer_threshold": 0},
    )  # fmt: skip
    outcome = step(AutoParallel)
    for found, expected in zip(weights(outcome), wanted, strict=True):
        close(found, expected)
    assert [spec(p) for p in outcome[2]] == [("data",)] * 4
    assert len(outcome[2][0]._value.read().sharding.device_set) == 4
    ms.reset_auto_parallel_context()
    assert parallel.current_mesh() is None
    with refused(ValueError, "16 devices", "there are 8"):
        ms.set_auto_parallel_context(parallel_mode="auto_parallel", device_num=16)
    assert ms.get_auto_parallel_context("parallel_mode") == "stand_alone"


@row("slow", "GRAPH_MODE")
@row("slow", "PYNATIVE_MODE")
def model(mode):
    """`Model.train` and `Model.eval` of an `AutoParallel` network."""

    def run(wrap):
        ms.set_seed(1)
        net, _ = mlp()
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        rng = np.random.default_rng(0)
        rows = (rng.normal(size=(70, 16)).astype(np.float32),
                rng.integers(0, 8, 70).astype(np.int32))  # fmt: skip
        data = NumpySlicesDataset(rows, shuffle=False).batch(16)
        trained = ms.Model(wrap(net), nn.CrossEntropyLoss(), optimizer, {"accuracy"})
        trained.train(2, data, dataset_sink_mode=False)
        return trained.eval(data)["accuracy"], [p.asnumpy() for p in net.get_parameters()], net

    ms.set_context(mode=getattr(ms, mode))
    wanted, outcome = run(lambda net: net), run(AutoParallel)
    assert wanted[0] == outcome[0]
    for a, b in zip(outcome[1], wanted[1], strict=True):
        close(a, b)
    assert len(outcome[2][0].weight._value.read().devices()) == COUNT
    ms.set_context(mode=ms.PYNATIVE_MODE)
    parallel.leave_devices()


@row("short")
def files_of_strategies():
    """A network's placements as a strategy file, and the slices of ranks that come of it."""
    with tempfile.TemporaryDirectory() as folder, Mesh(data=2, model=4):
        net = AutoParallel(nn.Dense(4, 8))
        net.hsdp(threshold=0)
        place(net.network.weight, ("data", "model"))
        net.save_param_strategy_file(f"{folder}/s.ckpt")
        net(Tensor(np.ones((4, 4), np.float32)))
        os.makedirs(f"{folder}/whole/rank_0")
        ms.save_checkpoint(net.network, f"{folder}/whole/rank_0/a.ckpt")
        parallel.transform_checkpoints(
            f"{folder}/whole", f"{folder}/parts", "a", None, f"{folder}/s.ckpt"
        )
        shards = {s.device.id: s.data for s in net.network.weight._value.read().addressable_shards}
        for rank in range(COUNT):
            part = ms.load_checkpoint(f"{folder}/parts/rank_{rank}/a{rank}.ckpt")
            close(part["weight"].asnumpy(), shards[rank], 0)
        other = nn.Dense(4, 8)
        AutoParallel(other).load_param_strategy_file(f"{folder}/s.ckpt")
        parts = [s.data.shape for s in other.weight._value.read().addressable_shards]
        assert parts == [(1, 4)] * COUNT
