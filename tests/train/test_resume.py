"""Training that is saved, and goes on elsewhere: the same numbers, bit for bit."""

import numpy as np
import pytest

import sporax as ms
from sporax import nn, ops
from sporax._src.core import random

pytestmark = pytest.mark.usefixtures("on_numpy")

OPTIMIZERS = {
    "Adam": lambda p: nn.Adam(p, nn.CosineDecayLR(0.001, 0.1, 20), weight_decay=0.01),
    "AdamWeightDecay": lambda p: nn.AdamWeightDecay(p, 0.05),
    "Momentum": lambda p: nn.Momentum(p, [0.1 / (i + 1) for i in range(20)], 0.9),
    "RMSProp": lambda p: nn.RMSProp(p, 0.02, centered=True),
    "Adagrad": lambda p: nn.Adagrad(p, learning_rate=0.1),
}


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = nn.Dense(5, 8), nn.BatchNorm1d(8), nn.Dense(8, 3)
        self.dropout = nn.Dropout(p=0.5)

    def construct(self, x):
        return self.last(self.dropout(ops.relu(self.norm(self.first(x)))))


def training(optimizer, seed):
    ms.set_seed(seed)
    net = Net()
    loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    step = nn.TrainOneStepCell(loss, OPTIMIZERS[optimizer](net.trainable_params()))
    return step.set_train()


def run(step, begin, end):
    rng = np.random.default_rng(7)
    batches = [(rng.normal(size=(4, 5)).astype("f4"), rng.integers(0, 3, 4)) for _ in range(end)]
    return [step(ms.Tensor(x), ms.Tensor(y, ms.int32)).item() for x, y in batches[begin:end]]


@pytest.mark.executors
@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_goes_on_as_if_it_had_never_stopped(optimizer, format, tmp_path):
    path = str(tmp_path / f"a.{format}")
    step = training(optimizer, 1)
    run(step, 0, 4)
    ms.save_checkpoint(
        step, path, append_dict={"random": random.default_generator.state}, format=format
    )
    losses = run(step, 4, 8)

    again = training(optimizer, 2)
    run(again, 0, 2)  # whose state the checkpoint replaces
    result = ms.load_checkpoint(path, format=format)
    random.default_generator.state._rebind(result.pop("random").value()._value)
    assert ms.load_param_into_net(again, result, strict_load=True) == ([], [])
    assert run(again, 4, 8) == losses
    for one, other in zip(step.get_parameters(), again.get_parameters(), strict=True):
        assert one.name == other.name and one.asnumpy().tobytes() == other.asnumpy().tobytes()
