"""`mindspore.boost`: each method against what it is said to do, in NumPy."""

import copy

import numpy as np
import pytest

import sporax as ms
from sporax import nn, ops, optim
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax.data import NumpySlicesDataset
from sporax.io import save_checkpoint
from sporax.nn.parameter_tuple import ParameterTuple
from sporax.train import boost
from sporax.train.model import Model

pytestmark = pytest.mark.usefixtures("on_numpy")

RNG = np.random.default_rng(4)
X, Y = RNG.normal(size=(6, 3)).astype("f"), RNG.normal(size=(6, 1)).astype("f")


@pytest.fixture(autouse=True)
def no_boost(monkeypatch):
    """Each test has an AutoBoost of its own."""
    monkeypatch.setattr(boost.AutoBoost, "_instance", None)


def network(hidden=4):
    """Two layers with fixed weights, and the loss."""
    net = nn.SequentialCell(nn.Dense(3, hidden), nn.Tanh(), nn.Dense(hidden, 1))
    rng = np.random.default_rng(1)
    for p in net.trainable_params():
        p.set_data(Tensor(rng.normal(size=p.shape).astype("f") * 0.5))
    return nn.WithLossCell(net, nn.MSELoss())


def values(net):
    return [p.asnumpy() for p in net.trainable_params()]


def assert_same(a, b, rtol=1e-5):
    for left, right in zip(a, b, strict=True):
        np.testing.assert_allclose(left, right, rtol=rtol, atol=1e-6)


# groups ---------------------------------------------------------------------------------------


def test_parameters_in_groups():
    net = network()
    w0, b0, w1, b1 = parameters = net.trainable_params()
    origin = [{"params": [w0, b0], "lr": 0.1, "weight_decay": 0.2}, {"params": [w1]}]
    groups = boost.ParameterProcess.generate_group_params(parameters, origin)
    assert groups == [
        {"params": [w0, b0], "lr": 0.1, "weight_decay": 0.2}, {"params": [w1]},
        {"params": [b1], "lr": 0.1, "weight_decay": 0.2},
    ]  # fmt: skip
    ordered = boost.ParameterProcess.generate_group_params(
        parameters, [{"params": parameters}, {"order_params": []}]
    )
    assert ordered[-1] == {"order_params": parameters}
    boost.ParameterProcess().assign_parameter_group(parameters, [1, 3])
    assert [p.comm_fusion for p in parameters] == [1, 2, 2, 3]


@pytest.mark.parametrize(
    "make",
    [
        lambda ps: optim.Momentum(ps, 0.1, momentum=0.8, weight_decay=0.01),
        lambda ps: optim.Adam(ps, learning_rate=0.05, beta1=0.8),
        lambda ps: optim.LARS(optim.Momentum(ps, 0.1, 0.9), coefficient=0.01),
    ],
    ids=["Momentum", "Adam", "LARS"],
)
def test_an_optimizer_is_made_anew(make):
    results = []
    for anew in (False, True):
        net = network()
        opt = make(net.trainable_params())
        opt = boost.OptimizerProcess(opt).generate_new_optimizer() if anew else opt
        step = nn.TrainOneStepCell(net, opt)
        for _ in range(2):
            step(Tensor(X), Tensor(Y))
        results.append(values(net))
    assert_same(*results)


def test_an_optimizer_of_an_iterator_is_copied_and_made_anew():
    net = network()
    opt = nn.SGD(p for p in net.trainable_params())
    for each in (opt, copy.deepcopy(opt)):
        assert len(each.init_params["params"]) == 4
        assert each.init_args["momentum"] == 0.0 and each.init_learning_rate == 0.1
        anew = boost.OptimizerProcess(each).generate_new_optimizer()
        assert [p.name for p in anew.parameters] == [p.name for p in opt.parameters]


def test_gradients_are_centralized():
    net = network(16)  # MindSpore centralizes where axis 1 is a multiple of 16
    process = boost.OptimizerProcess(nn.SGD([{"params": net.trainable_params()}], 1.0))
    process.add_grad_centralization(net)
    opt = process.generate_new_optimizer()
    before, grads = values(net), ms.grad(net, None, list(opt.parameters))(Tensor(X), Tensor(Y))
    opt(grads)
    names = [p.name for p in net.trainable_params()]
    for p, g in zip(opt.parameters, grads, strict=True):
        g = g.asnumpy()
        g = g - g.mean(1, keepdims=True) if p.shape == (1, 16) else g
        at = names.index(p.name)
        np.testing.assert_allclose(p.asnumpy(), before[at] - g, rtol=1e-5, atol=1e-6)


# frozen layers --------------------------------------------------------------------------------


def test_which_group_is_trained_in_a_step():
    freeze = boost.GradientFreeze(3, 0, 0.75, 10)
    assert freeze.generate_freeze_index_sequence(3, 0, 0.75, 10) == [0, 0, 0, 0, 0, 0, 1, 2] * 2
    assert freeze.generate_freeze_index_sequence(1, 1, 0.6, 4) == [0] * 4
    np.random.seed(0)
    drawn = freeze.generate_freeze_index_sequence(4, 1, 0.7, 1000)
    assert len(drawn) == 1010 and set(drawn) == {0, 1, 2, 3}
    assert abs(drawn.count(0) / len(drawn) - 0.7) < 0.01
    assert drawn.count(1) > drawn.count(2) > drawn.count(3)  # the last groups are frozen less
    net = nn.SequentialCell(*[nn.Dense(2, 2) for _ in range(5)])
    groups = freeze.split_parameters_groups(net, 2)
    assert [len(group) for group in groups] == [10, 6]


@pytest.mark.parametrize("captured", [False, True], ids=["dynamic", "graph"])
def test_frozen_steps(captured):
    net = network()
    _, _, w1, b1 = parameters = net.trainable_params()
    groups, strategy = [parameters, [w1, b1]], [0, 1, 1]
    frozen = boost.FreezeOpt(nn.Momentum(parameters, 0.1, 0.9), groups, strategy)
    every = {id(p): p.name for opt in frozen.opts for p in opt.get_parameters()}
    assert len(set(every.values())) == len(every)
    step = boost.BoostTrainOneStepCell(net, frozen)
    run = step.compile_and_run if captured else step
    other = network()
    opts = [nn.Momentum([other.trainable_params()[i] for i in at], 0.1, 0.9)
            for at in ([0, 1, 2, 3], [2, 3])]  # fmt: skip
    for n in range(4):
        opt = opts[strategy[n % 3]]
        grads = ms.grad(other, None, list(opt.parameters))(Tensor(X), Tensor(Y))
        expected = other(Tensor(X), Tensor(Y))
        opt(grads)
        loss = run(Tensor(X), Tensor(Y))
        np.testing.assert_allclose(loss.asnumpy(), expected.asnumpy(), rtol=1e-5)
        assert_same(values(net), values(other))


def test_freezing_from_a_network():
    net = network()
    opt = nn.SGD(net.trainable_params(), 0.1)
    same, frozen = boost.GradientFreeze(2, 1, 0.5, 20).freeze_generate(net, opt)
    assert same is net and isinstance(frozen, boost.FreezeOpt) and len(frozen.opts) == 2
    assert frozen.train_strategy.shape == (20,)


# layers, directions, scales -------------------------------------------------------------------


def test_a_head_with_normalized_weights():
    net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2))
    weight, hidden = net[2].weight.asnumpy(), net[:2]
    less = boost.LessBN(net, fn_flag=True)
    h = hidden(Tensor(X)).asnumpy()
    h = h / np.maximum(np.linalg.norm(h, axis=1, keepdims=True), 1e-2)
    w = weight / np.linalg.norm(weight, axis=1, keepdims=True)
    np.testing.assert_allclose(less(Tensor(X)).asnumpy(), h @ w.T, rtol=1e-4, atol=1e-5)
    names = [p.name for p in less.trainable_params()]
    parts = ("0.weight", "0.bias", "2.weight", "2.multiplier")
    assert names == [f"network.{part}" for part in parts]
    grads = ms.grad(lambda x: less(x).sum(), None, less.trainable_params())(Tensor(X))
    assert all(np.isfinite(g.asnumpy()).all() for g in grads)


def test_steps_in_few_directions():
    a, target = np.diag([1.0, 4.0, 9.0, 2.0]), np.array([1.0, -2.0, 0.5, 3.0])

    class Bowl(nn.Cell):
        def __init__(self):
            super().__init__()
            self.v = Parameter(Tensor(np.zeros(3, "f")), name="v")
            self.w = Parameter(Tensor(np.zeros((1, 1), "f")), name="w")

        def construct(self, x):
            apart = ops.concat([self.v, self.w.reshape(1)]) - x
            return (apart * Tensor(np.diag(a).astype("f")) * apart).sum() / 2

    net, rho, gamma, alpha, sigma = Bowl(), 0.5, 0.9, 0.05, 0.4
    weights = ParameterTuple(net.trainable_params())
    p = np.linalg.qr(RNG.normal(size=(4, 2)))[0].T
    step = boost.DimReduce(
        net, nn.SGD(weights, 1.0), weights, p.astype("f"), 2, rho, gamma, alpha, sigma, 0, 1
    )
    copies, x = weights.clone("copy"), Tensor(target.astype("f"))
    w, momentum, h, last, s = np.zeros(4), np.zeros(4), np.eye(2), None, np.zeros(2)

    def loss_of(w):
        return (w - target) @ a @ (w - target) / 2

    for _ in range(5):
        loss, grads = ms.value_and_grad(net, None, weights)(x)
        step(loss, [8 * g for g in grads], Tensor(8.0), weights, copies, x)
        g = a @ (w - target)
        small, kept = p @ g, (last, h)
        if last is not None and (small - last) @ s > 1e-20:
            y = small - last
            t = np.eye(2) - np.outer(y, s) / (y @ s)
            h = t.T @ h @ t + np.outer(s, s) / (y @ s)
        d = -h @ small
        base = loss_of(w)
        enough = [r for r in (1.0, rho) if loss_of(w + r * p.T @ d) < base + sigma * r * small @ d]
        r = enough[0] if enough else 0.0
        last, h = (small, h) if enough else kept
        last = np.zeros(2) if last is None else last
        s = r * d if enough else s
        momentum = gamma * momentum + g - p.T @ small
        w = w - alpha * momentum + r * p.T @ d
        result = np.concatenate([q.asnumpy().ravel() for q in weights])
        np.testing.assert_allclose(result, w, rtol=2e-3, atol=2e-4)
    assert loss_of(w) < 0.3 * loss_of(np.zeros(4))


def test_directions_from_checkpoints(tmp_path):
    net, rows = nn.Dense(2, 2), []
    for n in range(4):
        for p in net.trainable_params():
            p.set_data(Tensor(RNG.normal(size=p.shape).astype("f")))
        rows.append(np.concatenate([p.asnumpy().ravel() for p in net.trainable_params()]))
        save_checkpoint(net, str(tmp_path / f"{n}.ckpt"))
    config = {"boost": {"mode": "manual", "dim_reduce": True},
              "dim_reduce": {"n_components": 2, "weight_load_dir": str(tmp_path)}}  # fmt: skip
    auto = boost.AutoBoost("O0", config)
    _, opt = auto.network_auto_process_train(net, nn.Adam(net.trainable_params()))
    centred = np.stack(rows) - np.mean(rows, 0)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    for row, vector in zip(auto.pca_mat, vectors.T[::-1][:2], strict=True):
        np.testing.assert_allclose(abs(row @ vector), 1, rtol=1e-4)
    loss_net = nn.WithLossCell(net, nn.MSELoss())
    step = boost.BoostTrainOneStepCell(loss_net, opt)
    data = Tensor(X[:, :2]), Tensor(X[:, 1:])
    first = step(*data).item()
    for _ in range(5):
        last = step(*data).item()
    assert last < first
    with pytest.raises(ValueError, match="'weight_load_dir'"):
        boost.dim_reduce.directions_of(None, None, 2, net)


def test_steps_of_one_group_of_devices():
    p = Parameter(Tensor([[1.0, 2.0]]), name="p")
    boost.AdaSum(0, 8, 1, (p,))((Tensor([0.5, 0.25]),), (p,), (Tensor([[3.0, 3.0]]),))
    assert p.tolist() == [[2.5, 2.75]]
    with pytest.raises(NotImplementedError, match="'group_number' is 2"):
        boost.AdaSum(0, 8, 2, (p,))


def test_scales_of_groups():
    config = {"boost": {"mode": "manual", "loss_scale_group": True}}
    boost.AutoBoost("O0", config)
    manager = boost.GroupLossScaleManager(4.0, [])

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.manager = nn.Dense(3, 2), nn.Dense(2, 1), manager

        def construct(self, x, y):
            x = self.manager(self.a(self.manager(x, 0, 1)), 1, 2)
            return ops.mse_loss(self.manager(self.b(x), 2, 3), y)

    net = Net()
    manager.loss_scale_groups = [net.a.trainable_params(), net.b.trainable_params()]
    step = boost.BoostTrainOneStepWithLossScaleCell(
        net, nn.SGD(net.trainable_params(), 0.1), manager
    )
    manager.dynamic_loss_scale[2].set_data(Tensor(64.0))
    plain = nn.SequentialCell(nn.Dense(3, 2), nn.Dense(2, 1))
    for mine, other in zip(plain.trainable_params(), net.trainable_params(), strict=True):
        mine.set_data(other)
    reference = nn.WithLossCell(plain, nn.MSELoss())
    opt = nn.SGD(plain.trainable_params(), 0.1)
    nn.TrainOneStepCell(reference, opt)(Tensor(X), Tensor(Y))
    _, count, scale = step(Tensor(X), Tensor(Y))
    assert count.item() == 0 and scale.item() == pytest.approx(4 * 2 ** (1 / 1000))
    assert_same(values(net), values(plain))
    before = values(net)
    _, count, scale = step(Tensor(X * np.float32(1e30)), Tensor(Y))
    assert count.item() == 2 and scale.item() == pytest.approx(4 * 2 ** (1 / 1000) / 2**0.5)
    assert_same(values(net), before)
    with pytest.raises(RuntimeError, match="no scales yet"):
        boost.GroupLossScaleManager(4.0, [])(Tensor(1.0), 0, 1)


# steps ----------------------------------------------------------------------------------------


def test_a_step_without_methods():
    nets = [network(), network()]
    steps = [
        kind(net, nn.Momentum(net.trainable_params(), 0.1, 0.9), 2.0)
        for kind, net in zip((nn.TrainOneStepCell, boost.BoostTrainOneStepCell), nets, strict=True)
    ]
    for _ in range(3):
        losses = [step(Tensor(X), Tensor(Y)).asnumpy() for step in steps]
        np.testing.assert_allclose(*losses, rtol=1e-6)
    assert_same(*map(values, nets))


def test_gradients_are_accumulated():
    boost.AutoBoost("O0", {"boost": {"mode": "manual", "grad_accumulation": True},
                           "grad_accumulation": {"grad_accumulation_step": 2}})  # fmt: skip
    net, other = network(), network()
    step = boost.BoostTrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
    halves = [(Tensor(X[:3]), Tensor(Y[:3])), (Tensor(X[3:]), Tensor(Y[3:]))]
    step(*halves[0])
    assert_same(values(net), values(other))
    step(*halves[1])
    nn.TrainOneStepCell(other, nn.SGD(other.trainable_params(), 0.1))(Tensor(X), Tensor(Y))
    assert_same(values(net), values(other))


def test_an_overflow_changes_nothing_but_the_scale():
    net = network()
    rule = nn.DynamicLossScaleUpdateCell(2.0**10, 2, 1000)
    step = boost.BoostTrainOneStepWithLossScaleCell(net, nn.SGD(net.trainable_params(), 0.1), rule)
    other = network()
    nn.TrainOneStepCell(other, nn.SGD(other.trainable_params(), 0.1))(Tensor(X), Tensor(Y))
    _, overflow, scale = step(Tensor(X), Tensor(Y))
    assert not overflow.item() and scale.item() == 1024
    assert_same(values(net), values(other))
    before = values(net)
    _, overflow, _ = step(Tensor(X), Tensor(Y * np.float32(1e38)))
    assert overflow.item() and step.scale_sense.item() == 512
    assert_same(values(net), before)


def test_methods_by_level():
    auto = boost.AutoBoost("O1", {"common": {"param_groups": 2, "total_steps": 10}})
    assert auto is boost.AutoBoost("O2")
    assert [name for name, used in auto.boost_config.items() if used] == ["less_bn", "grad_freeze"]
    net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 1))
    less, opt = auto.network_auto_process_train(net, nn.SGD(net.trainable_params(), 0.1))
    assert isinstance(less, boost.LessBN) and isinstance(opt, boost.FreezeOpt)
    assert isinstance(auto.network_auto_process_eval(net), boost.LessBN)
    step = boost.BoostTrainOneStepCell(nn.WithLossCell(less, nn.MSELoss()), opt)
    losses = [step(Tensor(X), Tensor(Y)).item() for _ in range(8)]
    assert losses[-1] < losses[0]


@pytest.mark.parametrize(("mode", "used"), [("enable_all", 6), ("disable_all", 0), ("auto", 3)])
def test_modes_of_boost(mode, used):
    assert sum(boost.AutoBoost("O2", {"boost": {"mode": mode}}).boost_config.values()) == used


def test_a_model_with_methods():
    net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 1))
    config = {"common": {"param_groups": 2, "total_steps": 40}}
    opt = nn.Momentum(net.trainable_params(), 0.05, 0.9)
    model = Model(
        net, nn.MSELoss(), opt, metrics={"mse"}, boost_level="O1", boost_config_dict=config
    )
    data = NumpySlicesDataset((X, Y), ["x", "y"], shuffle=False).batch(3)
    before = model.eval(data)["mse"]
    model.train(10, data)
    assert model.eval(data)["mse"] < before
    assert isinstance(model.train_network, boost.BoostTrainOneStepCell)
    with pytest.raises(ValueError, match="'boost_level'"):
        Model(net, boost_level="O3")
    with pytest.raises(NotImplementedError, match="amp_level"):
        Model(net, nn.MSELoss(), opt, amp_level="O2", boost_level="O1")


REFUSED = [
    (lambda net: boost.AutoBoost("O1", {"boost": {"mode": "x"}}), ValueError, "'mode'"),
    (lambda net: boost.FreezeOpt(1), TypeError, "'opt'"),
    (lambda net: boost.FreezeOpt(nn.SGD(net.trainable_params()), None, [0]), ValueError, "with"),
    (lambda net: boost.FreezeOpt(nn.SGD(net.trainable_params()), [[]], [0.5]), ValueError, "ints"),
    (lambda net: boost.OptimizerProcess(net), TypeError, "Optimizer"),
    (lambda net: boost.ParameterProcess.generate_group_params([], []), ValueError, "parameters"),
    (lambda net: boost.ParameterProcess.generate_group_params([], [1]), TypeError, "groups"),
    (lambda net: boost.GradientFreeze(2, 5, 0.5, 1), ValueError, "'freeze_type'"),
    (lambda net: boost.BoostTrainOneStepWithLossScaleCell(
        net, nn.SGD(net.trainable_params()), boost.GroupLossScaleManager(1.0, [])), TypeError,
     "loss_scale_group"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "says"), REFUSED)
def test_wrong_use_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call(network())
