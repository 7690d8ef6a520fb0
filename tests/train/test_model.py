"""`Model` and its callbacks, beside what the script model_fit.py prints as MindSpore does."""

import re

import numpy as np
import pytest

from sporax import amp, nn, train
from sporax._src.core import context, dtype
from sporax._src.core.tensor import Tensor
from sporax.data import NumpySlicesDataset
from sporax.io import load_checkpoint

pytestmark = pytest.mark.usefixtures("on_numpy")

X = np.random.RandomState(1).randn(24, 3).astype(np.float32)
Y = (X @ np.array([[1.0], [-1.0], [0.5]], np.float32)).astype(np.float32)
WEIGHT = np.array([[0.1, 0.2, -0.3]], np.float32)


def rows(batch=8, x=X, y=Y):
    return NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(batch)


def model(optimizer=nn.Momentum, metrics=None, loss=True, **options):
    net = nn.Dense(3, 1, Tensor(WEIGHT), "zeros")
    arguments = (0.05, 0.9) if optimizer is nn.Momentum else (0.05,)
    updates = optimizer(net.trainable_params(), *arguments)
    return train.Model(net, nn.MSELoss() if loss else None, updates, metrics, **options)


@pytest.fixture(params=["dynamic", "graph"])
def mode(request):
    if request.param == "graph":
        context.set_context(mode=context.GRAPH_MODE)
    yield request.param
    context.set_context(mode=context.PYNATIVE_MODE)


def momentum(epochs, batch=8):
    """What training comes to, in float64."""
    w, b = WEIGHT.astype(np.float64), np.zeros(1)
    v = [np.zeros_like(w), np.zeros_like(b)]
    for _ in range(epochs):
        for i in range(0, len(X), batch):
            x, y = X[i : i + batch].astype(np.float64), Y[i : i + batch]
            slope = 2 * (x @ w.T + b - y) / len(x)
            for k, gradient in enumerate((slope.T @ x, slope.sum(axis=0))):
                v[k] = 0.9 * v[k] + gradient
            w, b = w - 0.05 * v[0], b - 0.05 * v[1]
    return w, b


def test_training_follows_the_formula(mode):
    trained = model()
    trained.train(5, rows())
    w, b = momentum(5)
    np.testing.assert_allclose(trained._network.weight.asnumpy(), w, rtol=2e-5)
    np.testing.assert_allclose(trained._network.bias.asnumpy(), b, rtol=2e-4, atol=1e-6)


@pytest.mark.parametrize("optimizer", [nn.Momentum, nn.Adam], ids=lambda o: o.__name__)
@pytest.mark.parametrize("level", ["O0", "O2", "O3"])
def test_captured_steps_are_dynamic_ones_within_four_ulps(optimizer, level):
    result = []
    for chosen in (context.PYNATIVE_MODE, context.GRAPH_MODE):
        context.set_context(mode=chosen)
        try:
            trained = model(optimizer, amp_level=level)
            trained.train(3, rows())
            result.append(trained._network.weight.asnumpy())
        finally:
            context.set_context(mode=context.PYNATIVE_MODE)
    np.testing.assert_array_max_ulp(*result, maxulp=4)


def test_sinking_captures_steps_and_changes_no_number(mode):
    weights = []
    for sinks in (False, True):
        trained = model(metrics={"mae"})
        trained.fit(2, rows(), rows(), 1, None, sinks, sinks, sink_size=3)
        for network in (trained.train_network, trained.eval_network):
            assert (network._captured_call is not None) == (sinks or mode == "graph")
        weights.append(trained._network.weight.asnumpy())
    np.testing.assert_array_max_ulp(*weights, maxulp=4)


def test_whole_epochs_stay_captured():
    context.set_context(mode=context.GRAPH_MODE)
    try:
        trained = model(metrics={"mae"})
        trained.fit(3, rows(), rows())
        assert not trained.train_network._captured_call.dynamic
        assert trained.train_network._captured_call.captures == 1
        assert trained.eval_network._captured_call.captures == 1
    finally:
        context.set_context(mode=context.PYNATIVE_MODE)


def test_the_loss_of_a_validation_is_the_mean_of_its_batches():
    kept = {}

    class Keep(train.Callback):
        def on_train_epoch_end(self, run_context):
            kept.update(run_context.original_args().eval_results)

    trained = model(metrics={"mse"})
    trained.fit(1, rows(), rows(), callbacks=Keep())
    assert kept.keys() == {"mse", "eval_loss"}
    assert kept["eval_loss"] == pytest.approx(kept["mse"])  # batches of one size


def test_networks_leave_training_mode_to_evaluate_and_predict():
    seen = []

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(3, 1)

        def construct(self, x):
            seen.append(self.dense.training)
            return self.dense(x)

    net = Net()
    trained = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), {"mae"})
    trained.fit(2, rows(24), rows(24))
    trained.predict(Tensor(X))
    assert seen == [True, False, True, False, False]


def test_datasets_need_not_be_pipelines():
    class Plain:
        resets = 0

        def get_dataset_size(self):
            return 3

        def __iter__(self):
            return iter([(Tensor(X[i : i + 8]), Tensor(Y[i : i + 8])) for i in (0, 8, 16)])

        def reset(self):
            self.resets += 1

    source, trained = Plain(), model()
    trained.train(2, source)
    assert source.resets == 2
    np.testing.assert_allclose(trained._network.weight.asnumpy(), momentum(2)[0], rtol=2e-5)


def test_what_a_time_monitor_prints(capsys):
    model(metrics={"mae"}).fit(1, rows(), rows(), callbacks=train.TimeMonitor(data_time=True))
    lines = capsys.readouterr().out.splitlines()
    pattern = r"{} epoch time: \d+\.\d{{3}} ms, per step time: \d+\.\d{{3}} ms \(data time: .* ms\)"
    assert re.fullmatch(pattern.format("Eval"), lines[0])
    assert re.fullmatch(pattern.format("Train"), lines[1])


def test_a_loss_that_is_no_number_ends_the_training():
    with pytest.raises(ValueError, match=r"In epoch 1, step 2, the loss is (inf|nan)"):
        x = np.where(np.arange(24)[:, None] < 8, X, np.inf).astype(np.float32)
        model().train(2, rows(x=x), callbacks=train.LossMonitor(0))


def test_a_broken_training_leaves_a_checkpoint(tmp_path):
    class Break(train.Callback):
        def on_train_step_end(self, run_context):
            if run_context.original_args().cur_step_num == 5:
                raise KeyError("broken")

    config = train.CheckpointConfig(
        save_checkpoint_steps=100, exception_save=True, append_info=["epoch_num", {"note": 7}]
    )
    keeper = train.ModelCheckpoint("net", str(tmp_path), config)
    with pytest.raises(KeyError, match="broken"):
        model().train(3, rows(), callbacks=[keeper, Break()])
    (file,) = tmp_path.glob("*")
    assert file.name == "net-2_2_breakpoint.ckpt"
    kept = load_checkpoint(str(file))
    assert int(kept["epoch_num"].asnumpy()) == 2 and int(kept["note"].asnumpy()) == 7


def test_a_saved_training_goes_on_where_it_was(tmp_path):
    whole, half = model(), model()
    whole.train(4, rows())
    half.train(2, rows(), callbacks=train.ModelCheckpoint("net", str(tmp_path)))
    again = model()
    load_checkpoint(str(tmp_path / "net-2_3.ckpt"), again.train_network)
    again.train(4, rows(), initial_epoch=2)
    w = whole._network.weight.asnumpy()
    np.testing.assert_array_max_ulp(again._network.weight.asnumpy(), w, maxulp=4)


def test_prefixes_and_directories_may_be_functions(tmp_path):
    keeper = train.ModelCheckpoint(
        lambda run: f"at{run.cur_step_num}", lambda run: str(tmp_path / f"e{run.cur_epoch_num}")
    )
    model().train(2, rows(24), callbacks=keeper)
    result = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*.ckpt"))
    assert result == ["e1/at1.ckpt", "e2/at2.ckpt"]


def test_scaled_losses(mode):
    manager = amp.DynamicLossScaleManager(2**10, 2, 4)
    trained = model(loss_scale_manager=manager)
    trained.train(5, rows())
    np.testing.assert_allclose(trained._network.weight.asnumpy(), momentum(5)[0], rtol=2e-5)
    assert manager.get_loss_scale() == 2**13
    assert float(trained.train_network.scale_sense.asnumpy()) == 2**13


@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
def test_a_fixed_scale_changes_nothing(optimizer):
    net = nn.Dense(3, 1, Tensor(WEIGHT), "zeros")
    updates = getattr(nn, optimizer)(net.trainable_params(), 0.05, loss_scale=64.0)
    manager = amp.FixedLossScaleManager(64.0, drop_overflow_update=False)
    scaled = train.Model(net, nn.MSELoss(), updates, loss_scale_manager=manager)
    scaled.train(3, rows())
    plain = model(getattr(nn, optimizer))
    plain.train(3, rows())
    actual, expected = scaled._network.weight.asnumpy(), plain._network.weight.asnumpy()
    np.testing.assert_allclose(actual, expected, rtol=1e-5)


def test_build_captures_before_training():
    context.set_context(mode=context.GRAPH_MODE)
    try:
        trained = model(metrics={"mae"})
        trained.build(rows(), rows())
        np.testing.assert_array_equal(trained._network.weight.asnumpy(), WEIGHT)
        assert trained.train_network._captured_call.captures == 1
        trained.train(1, rows())
        assert trained.train_network._captured_call.captures == 1
    finally:
        context.set_context(mode=context.PYNATIVE_MODE)


class Old(train.Callback):
    def step_end(self, run_context):
        pass


REFUSED = {
    "no Cell": (TypeError, "'network' must be a Cell", lambda: train.Model(5)),
    "no such argument": (ValueError, "among .*'other'", lambda: model(other=1)),
    "level without optimizer": (
        ValueError,
        "must be 'O0' without",
        lambda: train.Model(nn.Dense(1, 1), amp_level="O2"),
    ),
    "metrics without loss": (
        ValueError,
        "must come with a 'loss_fn'",
        lambda: model(loss=False, metrics={"mae"}),
    ),
    "metrics in a list": (TypeError, "must be a dict or a set", lambda: model(metrics=["mae"])),
    "no such metric": (KeyError, "must be one of", lambda: model(metrics={"other"})),
    "no Metric": (TypeError, "must have names and Metrics", lambda: model(metrics={"a": 5})),
    "two indexes": (
        ValueError,
        "list of three",
        lambda: model(metrics={"mae"}, eval_network=nn.Cell(), eval_indexes=[0, 1]),
    ),
    "no epochs": (ValueError, "'epoch' must be greater", lambda: model().train(0, rows())),
    "half an epoch": (TypeError, "'epoch' must be an int", lambda: model().train(0.5, rows())),
    "first epoch": (
        ValueError,
        "'initial_epoch'",
        lambda: model().train(2, rows(), initial_epoch=2),
    ),
    "sink size": (
        ValueError,
        "'sink_size' must be -1",
        lambda: model().train(1, rows(), sink_size=0),
    ),
    "sink mode": (
        TypeError,
        "must be a bool",
        lambda: model().train(1, rows(), dataset_sink_mode=1),
    ),
    "empty": (ValueError, "it is empty", lambda: model().train(1, rows().skip(9))),
    "one column": (ValueError, "two columns", lambda: model().train(1, rows().project("x"))),
    "no metrics": (ValueError, "must have 'metrics'", lambda: model().eval(rows())),
    "fit without metrics": (
        ValueError,
        "must come with 'metrics'",
        lambda: model().fit(1, rows(), rows()),
    ),
    "frequency": (
        TypeError,
        "an int or a list",
        lambda: model(metrics={"mae"}).fit(1, rows(), rows(), 0.5),
    ),
    "no callback": (
        TypeError,
        "a Callback or a list",
        lambda: model().train(1, rows(), callbacks=[5]),
    ),
    "an old callback in fit": (
        ValueError,
        "the callback Old defines",
        lambda: model().fit(1, rows(), callbacks=Old()),
    ),
    "RunContext": (TypeError, "must be a dict", lambda: train.RunContext(5)),
    "LossMonitor": (ValueError, "an int of at least 0", lambda: train.LossMonitor(-1)),
    "EarlyStopping": (ValueError, "'min', 'max'", lambda: train.EarlyStopping(mode="other")),
    "patience": (ValueError, "at least 0", lambda: train.EarlyStopping(patience=-1)),
    "factor": (ValueError, "in .0, 1.", lambda: train.ReduceLROnPlateau(factor=1.5)),
    "nothing to keep": (
        ValueError,
        "must be greater than 0",
        lambda: train.CheckpointConfig(0, 0, 0, 0),
    ),
    "what is appended": (
        ValueError,
        "may name",
        lambda: train.CheckpointConfig(append_info=["other"]),
    ),
    "prefix": (ValueError, "without '/'", lambda: train.ModelCheckpoint("a/b")),
    "config": (TypeError, "must be a CheckpointConfig", lambda: train.ModelCheckpoint(config=5)),
    "boost": (ValueError, "'boost_level'", lambda: model(boost_level="O9")),
    "missing": (AttributeError, "no 'mindspore.train.Model.infer_x'", lambda: model().infer_x),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    kind, words, run = REFUSED[name]
    with pytest.raises(kind, match=words):
        run()


def test_an_old_callback_serves_training():
    model().train(1, rows(), callbacks=Old())


def test_halves_are_evaluated_in_float32():
    trained = model(metrics={"loss": train.Loss()}, amp_level="O3")
    trained.train(1, rows())
    assert trained.predict(Tensor(X)).dtype == dtype.float16
    assert isinstance(trained.eval(rows())["loss"], float)
