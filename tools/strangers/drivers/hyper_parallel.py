"""Networks sharded by HyperParallel over real processes, against the same network in one process.

As pytest, each test starts the ranks of a case; `python own_hyper_parallel.py CASE` is one rank.
"""

import math
import os
import subprocess
import sys

import numpy as np
import pytest

SIMULATION = "STRANGERS_NAME", "MS_SIMULATION_LEVEL", "RANK_SIZE"  # of the library's own tests
STEPS, RATE = 3, 0.05
LEVELS = ["level1", "level2", "level3"]
CASES = [
    ("redistribute", 2), ("redistribute", 4), ("mlp", 2), ("mlp", 4), ("attention", 2),
    *[(f"hsdp-{level}", n) for level in LEVELS for n in (2, 4)],
    *[(f"hsdp-{level}-async-fused", 2) for level in LEVELS], ("both", 4),
]  # fmt: skip


def _launch(n, *arguments):
    if os.environ.get("STRANGERS_ALIAS") == "0":
        from hyper_parallel import init_process_group

        init_process_group()  # MindSpore raises: it has no 'hccl' on a CPU
    own = [sys.executable, "-m", "sporax", "launch", "-n", str(n)]
    real = {k: v for k, v in os.environ.items() if k not in SIMULATION}
    done = subprocess.run(
        [*own, __file__, *arguments], capture_output=True, text=True, timeout=300, env=real
    )
    assert done.returncode == 0, done.stderr[-3000:] + done.stdout[-3000:]
    assert done.stdout.count("as in one process") == n


@pytest.mark.parametrize(("case", "n"), CASES)
def test_ranks(case, n):
    _launch(n, case)


def test_checkpoint_of_4_ranks_in_2(tmp_path):
    _launch(4, "save", str(tmp_path))
    _launch(2, "load", str(tmp_path))


def _draw(seed, *shape):
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32) / 2


def _part(whole, placements, mesh):
    """Return this rank's part of an array."""
    from hyper_parallel.core.placement_types import Shard

    for size, index, placement in zip(
        mesh.mesh_shape, mesh.get_coordinate(), placements, strict=True
    ):
        if isinstance(placement, Shard):
            whole = np.split(whole, size, placement.dim)[index]
    return whole


def _close(a, b):
    np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6)


def _mesh(*shape):
    from hyper_parallel import init_device_mesh

    return init_device_mesh("npu", shape, mesh_dim_names=("dp", "tp")[-len(shape) :])


def _redistribute(rank, n):
    from hyper_parallel import DTensor
    from hyper_parallel.core.placement_types import Partial, Replicate, Shard
    from mindspore import Tensor

    mesh, whole = _mesh(n), _draw(0, 4, 4, 3)
    layouts = [Shard(0), Shard(1), Replicate()]
    for before in layouts:
        x = DTensor.from_local(Tensor(_part(whole, (before,), mesh)), mesh, (before,))
        assert x.shape == whole.shape
        _close(x.full_tensor().asnumpy(), whole)
        for after in layouts:
            y = x.redistribute(mesh, (after,))
            _close(y.to_local().asnumpy(), _part(whole, (after,), mesh))
    partial = DTensor.from_local(Tensor(whole * (rank + 1)), mesh, (Partial("sum"),))
    _close(partial.reduce_partial().to_local().asnumpy(), whole * (n * (n + 1) // 2))


def _networks():
    import mindspore as ms
    from mindspore import Parameter, Tensor, mint, nn

    class Mlp(nn.Cell):
        """One weight split by columns, the next by rows."""

        plan = ("first", 1), ("second", 0)

        def __init__(self):
            super().__init__()
            self.first = Parameter(Tensor(_draw(1, 6, 8)), name="first")
            self.second = Parameter(Tensor(_draw(2, 8, 4)), name="second")

        def construct(self, x):
            hidden = mint.nn.functional.relu(mint.matmul(x, self.first))
            return mint.matmul(hidden, self.second)

    class Attention(nn.Cell):
        """Causal attention, its heads split among the ranks."""

        plan = ("query", 1), ("key", 1), ("value", 1), ("out", 0)

        def __init__(self):
            super().__init__()
            for i, (name, _) in enumerate(self.plan):
                setattr(self, name, Parameter(Tensor(_draw(i, 8, 8)), name=name))

        def construct(self, x):
            split = [
                mint.permute(mint.reshape(mint.matmul(x, w), (2, 3, 4, 2)), (0, 2, 1, 3))
                for w in (self.query, self.key, self.value)
            ]
            query, key, value = split
            scores = ms.ops.BatchMatMul(transpose_b=True)(query, key)
            mixed = ms.ops.BatchMatMul()(ms.ops.softmax(scores, -1), value)
            mixed = mint.reshape(mint.permute(mixed, (0, 2, 1, 3)), (2, 3, 8))
            return mint.matmul(mixed, self.out)

    return {"mlp": (Mlp, _draw(5, 8, 6)), "attention": (Attention, _draw(6, 2, 3, 8))}


def _alone(net, x):
    """Train in one process; return the losses, the gradients of the first step, the weights."""
    import mindspore as ms
    from mindspore import Tensor, mint, nn

    optimizer = nn.Adam(net.trainable_params(), learning_rate=RATE)
    step = ms.value_and_grad(lambda x: mint.mean(net(x) * net(x)), None, optimizer.parameters)
    losses, first = [], None
    for _ in range(STEPS):
        loss, gradients = step(Tensor(x))
        first = first or [g.asnumpy() for g in gradients]
        optimizer(gradients)
        losses.append(loss.asnumpy())
    return losses, first, {p.name: p.asnumpy() for p in net.trainable_params()}


def _sharded(name, mesh):
    """Return the network with its weights split along the last dimension of the mesh."""
    from hyper_parallel import shard_module
    from hyper_parallel.core.placement_types import Replicate, Shard
    from hyper_parallel.core.shard.sharding_plan import ShardingPlan

    outer = (Replicate(),) * (len(mesh.mesh_shape) - 1)
    kind, x = _networks()[name]
    net = kind()
    data = (Shard(0),) * len(outer) + (Replicate(),)
    plan = {weight: (*outer, Shard(dim)) for weight, dim in kind.plan}
    sharding = ShardingPlan(plan=plan, input_plan={"input": data}, output_plan={"output": data})
    shard_module(net, device_mesh=mesh, sharding_plan=sharding)
    return net, x, plan, data


def _tensor_parallel(name, mesh):
    from hyper_parallel import DTensor, hsdp, parallelize_value_and_grad
    from mindspore import Tensor, mint, nn
    from mindspore._c_expression import NoFallbackGuard

    alone = _networks()[name][0]()
    net, x, plan, data = _sharded(name, mesh)
    losses, gradients, weights = _alone(alone, x)
    size = mesh.mesh_shape[0] if len(mesh.mesh_shape) > 1 else 1
    if size > 1:
        net = hsdp(net, shard_size=size, threshold=0, grad_scale=1.0)
    optimizer = nn.Adam(net.trainable_params(), learning_rate=RATE)

    def loss_of(x):
        out = net(x)
        return mint.mean(out * out)

    step = parallelize_value_and_grad(loss_of, optimizer.parameters)
    local = DTensor.from_local(Tensor(_part(x, data, mesh)), mesh, data)
    for i, expected in enumerate(losses):
        loss, found = step(local)
        _close(loss.full_tensor().asnumpy(), expected)
        if i == 0:
            own = mesh.get_coordinate()[0] if size > 1 else 0
            for p, g, whole in zip(optimizer.parameters, found, gradients, strict=True):
                parts = np.split(_part(whole, plan[p.name], mesh), size)
                _close(g.asnumpy(), parts[own])
        with NoFallbackGuard():
            optimizer(found)
    for p in optimizer.parameters:
        part = _part(weights[p.name], plan[p.name], mesh)
        if size == 1:
            _close(p.asnumpy(), part)


def _hsdp(rank, n, level, options):
    import mindspore as ms
    from hyper_parallel import hsdp, hsdp_sync_stream
    from mindspore import Tensor, mint, nn
    from mindspore.communication import comm_func

    kind, x = _networks()["mlp"]
    losses, gradients, weights = _alone(kind(), x)
    net = hsdp(
        kind(), shard_size=n, threshold=0, optimizer_level=level, grad_scale=1.0 / n,
        comm_async="async" in options, comm_fusion="fused" in options,
    )  # fmt: skip
    optimizer = nn.Adam(net.trainable_params(), learning_rate=RATE)

    def loss_of(x):
        out = net(x)
        return mint.mean(out * out)

    step = ms.value_and_grad(loss_of, None, optimizer.parameters)
    for i, expected in enumerate(losses):
        loss, found = step(Tensor(np.split(x, n)[rank]))
        if "async" in options:
            hsdp_sync_stream()
        _close(comm_func.all_reduce(loss)[0].asnumpy() / n, expected)
        if i == 0:
            for g, whole in zip(found, gradients, strict=True):
                size = math.gcd(len(whole), n)  # other ranks have copies
                _close(g.asnumpy(), np.split(whole, size)[rank % size])
        optimizer(found)
    net(Tensor(x))  # gathers the weights
    for p in optimizer.parameters:
        whole = weights[p.name]
        size = len(whole) // len(p)  # at level 3, it is split again
        _close(p.asnumpy(), np.split(whole, size)[rank % size])


def _checkpoint(folder, rank, n, is_saving):
    import mindspore as ms
    from hyper_parallel import DTensor, get_platform
    from hyper_parallel.core.checkpoint import load, save
    from hyper_parallel.core.placement_types import Replicate, Shard
    from mindspore import Tensor

    # `save` passes a dict to its MindSpore platform, which expects a Cell
    get_platform().save_checkpoint = lambda tensors, path: ms.save_checkpoint(
        tensors, path, format="safetensors"
    )

    mesh, state = _mesh(n), {}
    layouts = {
        "rows": (Shard(0), Shard(1)),
        "columns": (Shard(1), Replicate()),
        "all": (Replicate(), Shard(0)),
    }
    for seed, (name, (before, after)) in enumerate(layouts.items()):
        placements = (before if is_saving else after,)
        part = _part(_draw(seed, 8, 4), placements, mesh)
        local = Tensor(part if is_saving else np.zeros_like(part))
        state[name] = DTensor.from_local(local, mesh, placements), part
    tensors = {name: x for name, (x, _) in state.items()}
    if is_saving:
        save(tensors, checkpoint_id=folder)
        return
    load(tensors, checkpoint_id=folder)
    for x, part in state.values():
        _close(x.to_local().asnumpy(), part)


def main(case, *arguments):
    import mindspore.communication as communication

    communication.init()
    rank, n = communication.get_rank(), communication.get_group_size()
    name, *options = case.split("-")
    if name == "redistribute":
        _redistribute(rank, n)
    elif name == "hsdp":
        _hsdp(rank, n, options[0], options[1:])
    elif name in ("save", "load"):
        _checkpoint(*arguments, rank, n, name == "save")
    elif name == "both":
        _tensor_parallel("mlp", _mesh(2, n // 2))
    else:
        _tensor_parallel(name, _mesh(n))
    print("as in one process", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
