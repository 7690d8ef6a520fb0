"""Optimizers and schedules against what MindSpore 2.10 computed, and what they refuse."""

import types

import numpy as np
import pytest

from sporax import ops, optim  # noqa: F401  (ops: the operators of Tensors)
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.optim import Adam, Momentum, Optimizer, RMSProp, experimental
from sporax._src.runtime.engine.program import compilations
from sporax.nn import dynamic_lr, learning_rate_schedule
from sporax.nn.learning_rate_schedule import ExponentialDecayLR, LearningRateSchedule
from tests import records
from tests.optim.optimizer_cases import CASES, LISTS, SCHEDULES, STEPS, Kit, run, scheduler_rates

pytestmark = pytest.mark.usefixtures("on_numpy")

RECORDED = records.FOLDER
ARRAYS = np.load(RECORDED / "optimizers.npz")
TEXT = records.read("optimizers")

faces = {}
for module in (learning_rate_schedule, dynamic_lr, optim):
    faces |= {name: getattr(module, name) for name in module.__all__}
nn = types.SimpleNamespace(**faces)
KIT = Kit(nn, Tensor, Parameter, experimental)


# numbers of each parameter that MindSpore has in plain lists, so that its checkpoints lack them
IN_LISTS = ("mu_", "eta_")


def close(case):
    """Tolerances: MindSpore's 1 - beta ** t is Float32's in experimental.optim, off by 1e-5."""
    factor = 10 if case.name.startswith("experimental") else 1
    return {"rtol": factor * 2e-5, "atol": factor * 2e-6}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_twenty_steps_are_mindspores(case):
    history, state = run(KIT, case)
    np.testing.assert_allclose(history, ARRAYS[case.name], **close(case))
    listed = IN_LISTS if case.name.startswith("experimental") else ()
    assert {name for name in state if not name.startswith(listed)} == set(TEXT["names"][case.name])
    recorded = iter(ARRAYS[f"{case.name}/state"])
    for name in TEXT["names"][case.name]:
        expected = [next(recorded) for _ in range(state[name].size)]
        np.testing.assert_allclose(state[name].ravel(), expected, err_msg=name, **close(case))


@pytest.mark.executors
@pytest.mark.parametrize("case", CASES, ids=str)
def test_jit_takes_the_same_steps(case):
    def make(kit, parameters):
        optimizer = case.make(kit, parameters)
        step = jit(lambda *gradients: optimizer(gradients))
        copied = types.SimpleNamespace(
            parameters=optimizer.parameters, parameters_dict=optimizer.parameters_dict
        )
        return Called(copied, step)

    history, _ = run(KIT, case._replace(make=make))
    np.testing.assert_allclose(history, ARRAYS[case.name], **close(case))


class Called:
    """An optimizer whose call goes through a captured function."""

    def __init__(self, optimizer, step):
        self.parameters, self.parameters_dict = optimizer.parameters, optimizer.parameters_dict
        self.step = step

    def __call__(self, gradients):
        return self.step(*gradients)


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules_are_mindspores(name):
    schedule = SCHEDULES[name](nn)
    rates = [float(schedule(Tensor(i))) for i in range(STEPS)]
    np.testing.assert_allclose(rates, TEXT["schedules"][name], rtol=1e-5, atol=1e-7)


def test_schedulers_are_mindspores():
    result = scheduler_rates(KIT)
    for name, expected in TEXT["schedulers"].items():
        np.testing.assert_allclose(result[name], expected, rtol=2e-5, atol=1e-8, err_msg=name)


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_rates_are_mindspores(name):
    np.testing.assert_allclose(LISTS[name](nn), TEXT["lists"][name], rtol=1e-12, atol=1e-15)


def parameters(*shapes, dtype=np.float32):
    shapes = shapes or ((2, 3), (3,))
    return [Parameter(np.ones(shape, dtype), name=f"p{i}") for i, shape in enumerate(shapes)]


def gradients(inputs, value=1.0):
    return tuple(Tensor(np.full(p.shape, value, np.float32)) for p in inputs)


# behaviour ------------------------------------------------------------------------------------


def test_a_changing_rate_compiles_nothing():
    inputs = parameters()
    optimizer = Adam(inputs, ExponentialDecayLR(0.1, 0.9, 4), weight_decay=0.1, loss_scale=2.0)
    for step in range(10):
        if step == 3:
            before = compilations["programs"]
        optimizer(gradients(inputs, step))
    assert compilations["programs"] == before
    optimizer = Momentum(inputs, 0.1, 0.9)
    for step in range(10):
        if step == 3:
            before = compilations["programs"]
        optimizer.learning_rate.set_data(Tensor(0.1 / (step + 1)))
        optimizer(gradients(inputs, step))
    assert compilations["programs"] == before


def test_a_step_is_run_when_it_ends():
    inputs = parameters()
    Momentum(inputs, 0.1, 0.9)(gradients(inputs))
    assert inputs[0]._value.array is not None
    assert thread.recorder.state.depth == 0


def test_a_set_rate_is_taken():
    inputs = parameters()
    optimizer = nn.SGD(inputs, 0.1)
    optimizer(gradients(inputs))
    optimizer.learning_rate = Tensor(0.5)
    optimizer(gradients(inputs))
    np.testing.assert_allclose(inputs[1].asnumpy(), 1 - 0.1 - 0.5, rtol=1e-6)
    assert optimizer.global_step.asnumpy().tolist() == [2]


def test_a_rate_list_that_ends_is_refused():
    inputs = parameters()
    optimizer = Momentum(inputs, [0.1, 0.2], 0.9)
    for _ in range(2):
        optimizer(gradients(inputs))
    before = inputs[0].asnumpy()
    with pytest.raises(RuntimeError, match=r"'learning_rate' has 2 values, but this is step 2"):
        optimizer(gradients(inputs))
    np.testing.assert_array_equal(inputs[0].asnumpy(), before)


def test_rates_of_groups():
    a, b, c = parameters((1,), (1,), (1,))
    schedule = ExponentialDecayLR(0.1, 0.5, 1)
    optimizer = Momentum(
        [{"params": [a], "lr": schedule}, {"params": [b]}, {"params": [c], "lr": 0.3}], 0.2, 0.9
    )
    np.testing.assert_allclose([float(r) for r in optimizer.get_lr()], [0.1, 0.2, 0.3], rtol=1e-6)
    optimizer(gradients([a, b, c]))
    np.testing.assert_allclose([float(r) for r in optimizer.get_lr()], [0.05, 0.2, 0.3], rtol=1e-6)
    assert optimizer.get_lr_parameter(a) is schedule
    assert [p.name for p in optimizer.get_lr_parameter([b, c])] == [
        "learning_rate",
        "learning_rate_group_2",
    ]


def test_centralized_gradients():
    a, b = parameters((2, 16), (2, 3))
    optimizer = nn.SGD([{"params": [a, b], "grad_centralization": True}], 1.0)
    g = np.arange(32, dtype=np.float32).reshape(2, 16)
    optimizer((Tensor(g), Tensor(g[:, :3])))
    np.testing.assert_allclose(a.asnumpy(), 1 - (g - g.mean(1, keepdims=True)), rtol=1e-6)
    np.testing.assert_allclose(b.asnumpy(), 1 - g[:, :3], rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_states_have_the_parameters_dtype(dtype):
    (p,) = parameters((3,), dtype=dtype)
    optimizer = Adam([p], 0.1)
    optimizer((Tensor(np.ones(3, np.float32)),))
    assert p._value.aval.dtype == optimizer.moment1[0]._value.aval.dtype == dtype
    np.testing.assert_allclose(p.asnumpy(), 0.9, rtol=1e-3)


def test_momentum_looks_ahead_as_documented():
    (p,) = parameters((1,))
    optimizer = Momentum([p], 0.1, 0.9, use_nesterov=True)
    expected, moment = 1.0, 0.0
    for step in range(4):
        optimizer(gradients([p], 1.0 + step))
        moment = 0.9 * moment + 1 + step
        expected -= 0.1 * (1 + step + 0.9 * moment)
    np.testing.assert_allclose(p.asnumpy(), expected, rtol=1e-6)


def test_adagrad_keeps_its_sum_as_documented():
    (p,) = parameters((1,))
    optimizer = nn.Adagrad([p], accum=0.25, learning_rate=0.1, update_slots=False)
    for _ in range(3):
        optimizer(gradients([p], 2.0))
    np.testing.assert_allclose(p.asnumpy(), 1 - 3 * 0.1 * 2 / 0.5, rtol=1e-6)
    assert optimizer.accum[0].asnumpy().tolist() == [0.25]


def test_a_step_of_ones_own():
    class Descent(Optimizer):
        def construct(self, gradients):
            gradients = self.decay_weight(self.flatten_gradients(gradients))
            gradients = self.scale_grad(self.gradients_centralization(gradients))
            for p, g in zip(self.parameters, gradients, strict=True):
                p.set_data(p - self.get_lr() * g)
            return True

    inputs = parameters()
    assert Descent(0.5, inputs, weight_decay=0.1, loss_scale=2.0)(gradients(inputs)) is True
    np.testing.assert_allclose(inputs[0].asnumpy(), 1 - 0.5 * (1 + 0.2) / 2, rtol=1e-6)


def test_a_schedule_of_ones_own():
    class Falling(LearningRateSchedule):
        def construct(self, global_step):
            return 1.0 / (global_step + 1)

    (p,) = parameters((1,))
    optimizer = nn.SGD([p], Falling())
    for _ in range(3):
        optimizer(gradients([p]))
    np.testing.assert_allclose(p.asnumpy(), 1 - 1 - 1 / 2 - 1 / 3, rtol=1e-5)


# refusals -------------------------------------------------------------------------------------

TWO = parameters()
REFUSALS = [
    (lambda: nn.SGD(TWO, -0.1), ValueError, "For 'SGD', 'learning_rate' must be a number of"),
    (lambda: nn.SGD(TWO, None), TypeError, "For 'SGD', 'learning_rate' must be a number, a Tensor"),
    (lambda: nn.SGD(TWO, "fast"), TypeError, "but got str"),
    (lambda: nn.SGD(TWO, Tensor([[0.1]])), ValueError, "0 or 1 dimensions, but got shape (1, 1)"),
    (lambda: nn.SGD(TWO, []), ValueError, "a number for each step"),
    (
        lambda: nn.SGD(TWO, weight_decay=-1),
        ValueError,
        "'weight_decay' must be a number of at",
    ),
    (lambda: nn.SGD(TWO, weight_decay="a"), TypeError, "'weight_decay' must be a number or a Cell"),
    (lambda: nn.SGD(TWO, loss_scale=0), ValueError, "'loss_scale' must be a number greater than 0"),
    (lambda: nn.SGD([]), ValueError, "For 'SGD', 'params' must not be empty"),
    (lambda: nn.SGD(TWO[0]), TypeError, "'params' must be a list of Parameters"),
    (lambda: nn.SGD([1]), TypeError, "must hold Parameters only or groups (dicts) only"),
    (lambda: nn.SGD([TWO[0], {"params": TWO}]), TypeError, "but got Parameter, dict"),
    (lambda: nn.SGD([TWO[0], TWO[0]]), ValueError, "'p0' comes twice"),
    (lambda: nn.SGD([{"params": TWO, "rate": 1}]), KeyError, "order_params, but got ['rate']"),
    (lambda: nn.SGD([{"lr": 1}]), KeyError, "a parameter group must have 'params'"),
    (lambda: nn.SGD([{"params": []}]), ValueError, "'params' must not be empty"),
    (lambda: nn.SGD([{"params": TWO, "lr": -1.0}]), ValueError, "'learning_rate' must be"),
    (
        lambda: nn.SGD([{"params": TWO}, {"order_params": TWO[:1]}]),
        ValueError,
        "the same parameters as the groups",
    ),
    (
        lambda: nn.SGD([{"params": TWO}, {"order_params": TWO, "lr": 1}]),
        ValueError,
        "must have no other key",
    ),
    (
        lambda: nn.SGD([{"params": TWO[:1], "lr": [0.1]}, {"params": TWO[1:]}], [0.1, 0.2]),
        ValueError,
        "must be equally long, but got lengths 2 and 1",
    ),
    (lambda: nn.SGD(TWO, nesterov=True), ValueError, "'nesterov' needs a 'momentum'"),
    (lambda: Momentum(TWO, 0.1, -1.0), ValueError, "For 'Momentum', 'momentum' must be"),
    (lambda: Adam(TWO, beta1=1.0), ValueError, "For 'Adam', 'beta1' must be a number in (0, 1)"),
    (lambda: Adam(TWO, eps=0.0), ValueError, "'eps' must be a number greater than 0"),
    (lambda: Adam(TWO, lazy=True), KeyError, "'use_lazy' or 'use_offload', but got lazy"),
    (lambda: Adam(TWO, use_lazy=True, use_amsgrad=True), ValueError, "at most one of"),
    (lambda: nn.AdaFactor(TWO, 0.1), ValueError, "must be None where 'relative_step' is True"),
    (
        lambda: nn.AdaFactor(TWO, relative_step=False),
        ValueError,
        "must be given where 'relative_step' is False",
    ),
    (
        lambda: nn.AdaFactor(TWO, 0.1, relative_step=False, warmup_init=True),
        ValueError,
        "'relative_step' must be True where 'warmup_init' is",
    ),
    (
        lambda: nn.AdaFactor(TWO, eps=(1e-3,)),
        ValueError,
        "'eps' must be a tuple or list of 2",
    ),
    (lambda: nn.AdaFactor(TWO, decay_rate=1.0), ValueError, "For 'AdaFactor', 'decay_rate' must"),
    (lambda: nn.AdaFactor(TWO, compression=1), TypeError, "'compression' must be a bool"),
    (lambda: nn.AdaSumByGradWrapCell(3), TypeError, "'optimizer' must be an Optimizer, but got"),
    (lambda: nn.OptTFTWrapper(3), TypeError, "For 'OptTFTWrapper', 'opt' must be an Optimizer"),
    (lambda: RMSProp(TWO, decay=-1.0), ValueError, "For 'RMSProp', 'decay' must be"),
    (lambda: nn.Adagrad(TWO, accum=-1.0), ValueError, "For 'Adagrad', 'accum' must be"),
    (
        lambda: Momentum(TWO, 0.1, 0.9)(gradients(TWO)[:1]),
        ValueError,
        "each of the 2 parameters, but got 1",
    ),
    (
        lambda: Momentum(TWO, 0.1, 0.9)(gradients(TWO)[::-1]),
        ValueError,
        "the gradient of parameter 'p0' must have its shape (2, 3), but got (3,)",
    ),
    (lambda: Momentum(TWO, 0.1, 0.9)(3), TypeError, "must be a tuple of Tensors, but got int"),
    (lambda: Optimizer(0.1, TWO)(gradients(TWO)), NotImplementedError, "'construct(self, grad"),
    (lambda: ExponentialDecayLR(0.1, 0.9, 0), ValueError, "'decay_steps' must be an int greater"),
    (lambda: ExponentialDecayLR(0.1, 0.9, 1.5), TypeError, "'decay_steps' must be an int"),
    (lambda: nn.CosineDecayLR(0.1, 0.01, 4), ValueError, "'min_lr' must be less than 'max_lr'"),
    (lambda: nn.warmup_lr(0.1, 9, 0, 2), ValueError, "For 'warmup_lr', 'step_per_epoch' must be"),
    (lambda: nn.piecewise_constant_lr([2, 1], [0.1, 0.2]), ValueError, "must not decrease"),
    (lambda: nn.piecewise_constant_lr([2], [0.1, 0.2]), ValueError, "must be equally long"),
]


@pytest.mark.parametrize(("make", "error", "says"), REFUSALS, ids=[r[2] for r in REFUSALS])
def test_bad_input_is_refused_in_one_voice(make, error, says):
    with pytest.raises(error) as caught:
        make()
    assert says in str(caught.value)


def test_a_refused_step_changes_nothing():
    inputs = parameters()
    optimizer = Adam(inputs, 0.1)
    bad = (gradients(inputs)[0], Tensor(np.ones((4,), np.float32)))
    with pytest.raises(ValueError, match="'p1'"):
        optimizer(bad)
    np.testing.assert_array_equal(inputs[0].asnumpy(), 1)
    assert optimizer.global_step.asnumpy().tolist() == [0]
    assert float(optimizer.beta1_power) == 1


@pytest.mark.parametrize(
    "keywords, error, says",
    [
        ({"etas": [0.5, 1.2]}, TypeError, "'etas' must be a tuple"),
        ({"step_sizes": (1.0,)}, ValueError, "'step_sizes' must have 2 items"),
        ({"etas": (0.5, 0.9)}, ValueError, "'etaplus'"),
        ({"etas": (1.5, 2.0)}, ValueError, "'etaminus'"),
        ({"step_sizes": (2.0, 1.0)}, ValueError, "Swap them"),
    ],
)
def test_rprop_refuses_factors_that_make_no_sense(keywords, error, says):
    with pytest.raises(error, match=says):
        nn.Rprop([Parameter(Tensor([1.0]), name="w")], **keywords)
