"""Optimizers against their formulas in NumPy's float64, among them those that MindSpore's CPU has
no kernels for (Lamb, LARS: as documented)."""

import functools

import numpy as np
import pytest

from sporax import mint as sporax_mint
from sporax import optim
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.optim import experimental
from sporax._src.optim.experimental import lr_scheduler
from sporax._src.optim.wrappers import adasum
from sporax._src.runtime.engine.program import compilations
from tests.optim.optimizer_cases import PARAMETERS, STEPS, Kit, run

pytestmark = pytest.mark.usefixtures("on_numpy")

mint = sporax_mint.optim
KIT = Kit(optim, Tensor, Parameter, None)
RATE, DECAY, SCALE, EPS = 0.1, 0.2, 8.0, 0.25


class State(dict):
    """What is kept for a parameter: 0 at first."""

    def __missing__(self, key):
        return 0.0


def adadelta(p, g, s, t, decay):
    g = g + decay * p
    s["a"] = 0.9 * s["a"] + 0.1 * g**2
    change = np.sqrt(s["u"] + 1e-6) / np.sqrt(s["a"] + 1e-6) * g
    s["u"] = 0.9 * s["u"] + 0.1 * change**2
    return p - RATE * change


def ftrl(p, g, s, t, decay):
    g = g + decay * p
    before = s.setdefault("n", 0.1)
    s["n"] = before + g**2
    s["z"] = s["z"] + g - (s["n"] ** 0.5 - before**0.5) / RATE * p
    moved = (np.sign(s["z"]) * 0.2 - s["z"]) / (s["n"] ** 0.5 / RATE + 2 * 0.3)
    return np.where(abs(s["z"]) > 0.2, moved, 0)


def proximal(p, g, s, t, decay):
    g = g + decay * p
    s["a"] = s.setdefault("a", 0.1) + g**2
    rate = RATE / np.sqrt(s["a"])
    moved = p - rate * g
    return np.sign(moved) * np.maximum(abs(moved) - rate * 0.2, 0) / (1 + rate * 0.3)


def _moments(g, s):
    s["m"], s["v"] = 0.9 * s["m"] + 0.1 * g, 0.999 * s["v"] + 0.001 * g**2
    return s["m"], s["v"]


def adam(p, g, s, t, decay):
    m, v = _moments(g + decay * p, s)
    return p - RATE * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(v) + 1e-8)


def lamb(p, g, s, t, decay):
    m, v = _moments(g, s)
    change = m / (1 - 0.9**t) / (np.sqrt(v / (1 - 0.999**t)) + 1e-6) + decay * p
    return p - RATE * np.linalg.norm(p) / np.linalg.norm(change) * change


def lars(p, g, s, t, decay, clip=False):
    weight = np.linalg.norm(p)
    factor = 0.05 * weight / (np.linalg.norm(g) + decay * weight + 1e-5)
    factor = min(factor / RATE, 1) if clip else factor
    return momentum(p, factor * (g + decay * p), s, t, 0)


def momentum(p, g, s, t, decay):
    s["m"] = 0.9 * s["m"] + g + decay * p
    return p - RATE * s["m"]


def later_adam(p, g, s, t, decay):
    """With amsgrad, which MindSpore's leaves out."""
    m, v = _moments(g + decay * p, s)
    s["h"] = np.maximum(s["h"], v)
    return p - RATE * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(s["h"]) + 1e-8)


def adamw(p, g, s, t, decay):
    m, v = _moments(-g, s)
    p = p * (1 - RATE * decay)
    return p - RATE * m / (1 - 0.9**t) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)


def mint_adam(p, g, s, t, decay):
    m, v = _moments(-(g - decay * p), s)
    s["h"] = np.maximum(s["h"], v)
    return p - RATE * m / (1 - 0.9**t) / (np.sqrt(s["h"] / (1 - 0.999**t)) + EPS)


def mint_sgd(p, g, s, t, decay):
    g = g + decay * p
    s["m"] = 0.9 * s["m"] + 0.5 * g if t > 1 else g
    return p - RATE * s["m"]


def nesterov(p, g, s, t, decay):
    g = g + decay * p
    s["m"] = 0.9 * s["m"] + g
    return p - RATE * (g + 0.9 * s["m"])


def radam(p, g, s, t, decay):
    m, v = _moments(g + decay * p, s)
    most, length = 1999, 1999 - 2 * t * 0.999**t / (1 - 0.999**t)
    factor = 1
    if length > 5:
        share = (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)
        factor = np.sqrt(share * (1 - 0.999**t)) / (np.sqrt(v) + 1e-8)
    return p - RATE * m / (1 - 0.9**t) * factor


def layered(ps, **keywords):
    inner = optim.Momentum(ps, RATE, 0.9, weight_decay=DECAY, loss_scale=SCALE)
    return optim.LARS(inner, coefficient=0.05, **keywords)


def ada_factor(p, g, s, t, decay):
    """Without a mean of the changes; a matrix by its rows' and columns' means."""
    beta2, squares = 1 - t**-0.8, g * g + 1e-30
    if p.ndim == 2:
        s["r"] = beta2 * s["r"] + (1 - beta2) * squares.mean(1)
        s["c"] = beta2 * s["c"] + (1 - beta2) * squares.mean(0)
        v = np.outer(s["r"], s["c"]) / s["r"].mean()
    else:
        s["v"] = v = beta2 * s["v"] + (1 - beta2) * squares
    change = g / np.sqrt(v)
    rate = min(1e-2, t**-0.5) * max(1e-3, np.sqrt((p * p).mean()))
    return p * (1 - rate * decay) - rate * change / max(1, np.sqrt((change**2).mean()))


@pytest.mark.parametrize("ranks", [2, 4])
def test_adasum_adds_pairs(ranks):
    parts = np.random.default_rng(0).normal(size=(ranks, 5))
    parts[1] = 0 if ranks == 4 else parts[1]

    def pair(a, b):
        share = [1 - a @ b / (2 * x @ x) if x.any() else 1 for x in (a, b)]
        return share[0] * a + share[1] * b

    sums = list(parts)
    while len(sums) > 1:
        sums = [pair(*sums[i : i + 2]) for i in range(0, len(sums), 2)]
    np.testing.assert_allclose(adasum(parts), sums[0], rtol=1e-6)
    same = np.stack([parts[0]] * ranks)
    np.testing.assert_allclose(adasum(same), parts[0], rtol=1e-6)


def wrapped(name):
    """A wrapper around Momentum, whose step it is."""
    return lambda ps: getattr(optim, name)(optim.Momentum(ps, RATE, 0.9, DECAY))


ROWS = {
    "AdaFactor": (
        lambda ps: optim.AdaFactor(ps, beta1=None, weight_decay=DECAY, loss_scale=SCALE),
        ada_factor,
    ),
    "AdaSumByGradWrapCell": (wrapped("AdaSumByGradWrapCell"), momentum),
    "AdaSumByDeltaWeightWrapCell": (wrapped("AdaSumByDeltaWeightWrapCell"), momentum),
    "OptTFTWrapper": (wrapped("OptTFTWrapper"), momentum),
    "Adadelta": (lambda ps: optim.Adadelta(ps, RATE, weight_decay=DECAY), adadelta),
    "FTRL": (lambda ps: optim.FTRL(ps, 0.1, RATE, -0.5, 0.2, 0.3, weight_decay=DECAY), ftrl),
    "ProximalAdagrad": (
        lambda ps: optim.ProximalAdagrad(ps, 0.1, RATE, 0.2, 0.3, weight_decay=DECAY),
        proximal,
    ),
    "LazyAdam": (lambda ps: optim.LazyAdam(ps, RATE, weight_decay=DECAY), adam),
    "Lamb": (lambda ps: optim.Lamb(ps, RATE, weight_decay=DECAY), lamb),
    "experimental.Adam": (
        lambda ps: experimental.Adam(ps, RATE, weight_decay=DECAY, amsgrad=True),
        later_adam,
    ),
    "experimental.AdamW": (
        lambda ps: experimental.AdamW(ps, RATE, weight_decay=DECAY, maximize=True),
        adamw,
    ),
    "experimental.RAdam": (
        lambda ps: experimental.RAdam(ps, RATE, weight_decay=DECAY),
        radam,
    ),
    "experimental.SGD": (
        lambda ps: experimental.SGD(ps, RATE, 0.9, weight_decay=DECAY),
        momentum,
    ),
    "mint.Adam": (
        lambda ps: mint.Adam(ps, RATE, eps=EPS, weight_decay=DECAY, amsgrad=True, maximize=True),
        mint_adam,
    ),
    "mint.AdamW": (lambda ps: mint.AdamW(ps, RATE, weight_decay=DECAY, maximize=True), adamw),
    "mint.FusedAdamW": (
        lambda ps: mint.FusedAdamW(ps, RATE, weight_decay=DECAY, maximize=True),
        adamw,
    ),
    "mint.SGD": (lambda ps: mint.SGD(ps, RATE, 0.9, 0.5, DECAY), mint_sgd),
    "mint.SGD nesterov": (
        lambda ps: mint.SGD(ps, RATE, 0.9, weight_decay=DECAY, nesterov=True),
        nesterov,
    ),
    "LARS": (layered, lars),
    "LARS clipped": (
        functools.partial(layered, use_clip=True),
        functools.partial(lars, clip=True),
    ),
}
SCALED = {"AdaFactor", "LARS", "LARS clipped"}
DECAYS_ALL = {
    "AdaFactor",
    "FTRL",
    *[name for name in ROWS if name.startswith(("experimental", "mint"))],
}
SPARES = {("LARS", "fc.bias"), ("LARS clipped", "fc.bias")}  # by the filter


class Made:
    """A case: `make` gives the optimizer."""

    def __init__(self, make):
        self.make = lambda kit, parameters: make(parameters)


@pytest.mark.executors
@pytest.mark.parametrize("name", ROWS)
def test_twenty_steps_follow_the_formula(name):
    make, formula = ROWS[name]
    history, state = run(KIT, Made(make))
    weights = {p.name: p.asnumpy().astype(float) for p in KIT.parameters()}
    states = {p: State() for p in PARAMETERS}
    for step in range(STEPS):
        for p, g in zip(PARAMETERS, KIT.gradients(step), strict=True):
            g = g.asnumpy().astype(float) / (SCALE if name in SCALED else 1)
            decay = 0 if "gamma" in p and name not in DECAYS_ALL else DECAY
            rule, decay = (momentum, 0) if (name, p) in SPARES else (formula, decay)
            weights[p] = rule(weights[p], g, states[p], step + 1, decay)
        expected = np.concatenate([w.ravel() for w in weights.values()])
        np.testing.assert_allclose(history[step], expected, rtol=2e-4, atol=2e-5)
    counts = [state[name].ravel() for name in ("global_step", "state_step") if name in state]
    done = STEPS - name.startswith("mint.") * name.endswith("AdamW")  # which count from -1 there
    assert all(count.tolist() == [done] for count in counts)


def one(*values):
    return [Parameter(Tensor(np.array(values or (3.0, 4.0), np.float32)), name="w")]


def test_lars_and_lamb_keep_mindspores_names():
    lars = optim.LARS(optim.Momentum(one(), 0.1, 0.9))
    assert set(lars.parameters_dict()) == {
        "global_step", "fake_lr", "fake_param", "w", "learning_rate", "momentum", "moments.w",
    }  # fmt: skip
    lamb = optim.Lamb(one(), 0.1)
    assert set(lamb.parameters_dict()) == {
        "global_step", "learning_rate", "w", "lamb_m.w", "lamb_v.w",
    }  # fmt: skip


def test_lamb_moves_weights_that_are_nothing():
    (p,) = one(0.0, 0.0)
    optim.Lamb([p], 0.1)((Tensor([2.0, 0.0]),))
    np.testing.assert_allclose(p.asnumpy(), [-0.1, 0], rtol=1e-5)


@pytest.mark.parametrize(
    "make", [lambda p: optim.AdamWeightDecay([p]), lambda p: optim.Lamb([p], 1.0)]
)
def test_a_parameter_without_axes_keeps_its_shape(make):
    p = Parameter(Tensor(2.0), name="w")
    make(p)((Tensor(1.0),))
    assert p.shape == () and float(p) < 2


def test_fused_adamw_has_one_amsgrad():
    optimizer = mint.FusedAdamW(one())
    with pytest.raises(ValueError, match="'amsgrad' must be the same for all groups"):
        optimizer.add_param_group({"params": one(), "amsgrad": True})


# groups of experimental.optim -------------------------------------------------------------------


def test_a_group_may_be_changed_and_added_between_steps():
    a, b = one(1.0)[0], Parameter(Tensor([1.0]), name="b")
    optimizer = experimental.SGD([a], 0.5)
    optimizer((Tensor([1.0]),))
    optimizer.param_groups[0]["lr"] = 0.25
    optimizer.add_param_group({"params": []})
    optimizer.add_param_group({"params": b, "lr": 0.125, "weight_decay": 1.0})
    assert optimizer((Tensor([1.0]), Tensor([1.0]))) is True
    assert (float(a), float(b)) == (0.25, 0.75)
    assert [p.name for p in optimizer.accum] == ["accum.w", "accum.b"]


def test_a_schedule_steps_under_jit_and_compiles_once():
    optimizer = experimental.Adam(one(), 0.1)
    scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)

    @jit
    def step(metric):
        scheduler.step(metric)
        return scheduler.get_last_lr()[0]

    rates, programs = [], []
    for metric in (1.0, 1.5, 1.8, 0.4, 0.5):
        rates.append(float(step(Tensor(metric))))
        programs.append(compilations["programs"])
    assert programs[2:] == programs[2:3] * 3
    np.testing.assert_allclose(rates, [0.1, 0.01, 0.001, 0.001, 0.0001], rtol=1e-5)
    np.testing.assert_allclose(float(optimizer.param_groups[0]["lr"]), 0.0001, rtol=1e-5)


def test_restarts_are_placed_where_a_step_is_given():
    """MindSpore's own breaks off here: the lengths are 2, 4, 8, ..."""
    optimizer = experimental.SGD(one(), 1.0)
    scheduler = lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 2, 2)
    for epoch, (place, length) in {
        1: (1, 2),
        2: (0, 2 * 2),
        5: (3, 4),
        6: (0, 8),
        13.5: (7.5, 8),
    }.items():
        scheduler.step(epoch)
        expected = (1 + np.cos(np.pi * place / length)) / 2
        np.testing.assert_allclose(float(optimizer.lrs[0]), expected, rtol=1e-5)


def test_a_schedule_goes_on_where_it_was():
    optimizer = experimental.SGD([{"params": one(), "initial_lr": 1.0}], 0.25)
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.5, last_epoch=2)
    assert float(scheduler.last_epoch) == 3
    assert float(optimizer.lrs[0]) == 0.125


SCHEDULE = [0.1, 0.2]
LIST = one()


def descent():
    return experimental.SGD(one(), 0.1)


GROUPS = [{"params": one(), "lr": SCHEDULE}]
REFUSALS = [
    (lambda: optim.Adadelta(one(), rho=1.5), ValueError, "'rho' must be a number in [0, 1]"),
    (lambda: optim.Adadelta(one(), epsilon="a"), TypeError, "For 'Adadelta', 'epsilon' must be"),
    (lambda: optim.FTRL(one(), learning_rate=SCHEDULE), ValueError, "one number for all"),
    (
        lambda: optim.FTRL(one(), lr_power=0.5),
        ValueError,
        "'lr_power' must be a number of at",
    ),
    (lambda: optim.ProximalAdagrad(one(), l1=-1.0), ValueError, "For 'ProximalAdagrad', 'l1'"),
    (lambda: optim.LazyAdam(one(), beta1=2.0), ValueError, "For 'LazyAdam', 'beta1' must be"),
    (lambda: optim.Lamb(one(), 0.1, eps=0.0), ValueError, "For 'Lamb', 'eps' must be"),
    (lambda: optim.LARS(one()), TypeError, "For 'LARS', 'optimizer' must be an Optimizer, but got"),
    (
        lambda: experimental.Adam(one(), betas=(1.0, 0.9)),
        ValueError,
        "'betas[0]' must be in [0",
    ),
    (lambda: experimental.Adam(one(), betas=0.9), TypeError, "'betas' must be a tuple of 2"),
    (lambda: experimental.AdamW(one(), lr=-1.0), ValueError, "For 'AdamW', 'lr' must be"),
    (lambda: experimental.AdamW(one(), Tensor([0.1])), ValueError, "must have no dimensions"),
    (lambda: experimental.SGD(one(), 0.1, nesterov=True), ValueError, "'nesterov' needs"),
    (lambda: experimental.SGD([], 0.1), ValueError, "'params' must not be empty"),
    (lambda: experimental.SGD([{"params": [1]}], 0.1), TypeError, "hold Parameters, but got int"),
    (lambda: experimental.SGD([{"params": set(one())}], 0.1), TypeError, "but got a set"),
    (lambda: experimental.SGD([{"params": LIST}, {"params": LIST}], 0.1), ValueError, "in two"),
    (lambda: experimental.SGD(one(), 0.1)(()), ValueError, "each of the 1 parameters, but got 0"),
    (
        lambda: experimental.SGD(one(), 0.1)((Tensor([1.0]),)),
        ValueError,
        "For 'SGD', the gradient of parameter 'w' must have its shape (2,)",
    ),
    (lambda: lr_scheduler.StepLR(optim.SGD(one()), 2), TypeError, "an Optimizer of experimental"),
    (lambda: lr_scheduler.StepLR(descent(), 0.5), TypeError, "For 'StepLR', 'step_size' must be"),
    (lambda: lr_scheduler.MultiStepLR(descent(), (1, 2)), TypeError, "must be a list, but"),
    (lambda: lr_scheduler.ConstantLR(descent(), 2.0), ValueError, "'factor' must be a number in"),
    (lambda: lr_scheduler.LambdaLR(descent(), [abs, abs]), ValueError, "each of the 1 groups"),
    (lambda: lr_scheduler.LRScheduler(descent()), NotImplementedError, "'get_lr(self)'"),
    (lambda: lr_scheduler.ExponentialLR(descent(), 0.5, 3), KeyError, "must have 'initial_lr'"),
    (lambda: lr_scheduler.CyclicLR(descent(), 0.1, 1.0, mode="up"), ValueError, "'mode' must be"),
    (lambda: lr_scheduler.ReduceLROnPlateau(descent(), "best"), ValueError, "('min', 'max')"),
    (
        lambda: lr_scheduler.SequentialLR(descent(), [lr_scheduler.StepLR(descent(), 2)], []),
        ValueError,
        "all schedulers must have its 'optimizer'",
    ),
    (
        lambda: optim.LARS(optim.Momentum(GROUPS, SCHEDULE, 0.9), use_clip=True),
        ValueError,
        "'use_clip' must be False",
    ),
    (
        lambda: optim.LARS(optim.Momentum(one(), 0.1, 0.9))((Tensor([1.0]),)),
        ValueError,
        "the gradient of parameter 'w' must have its shape (2,)",
    ),
]


@pytest.mark.parametrize(("make", "error", "says"), REFUSALS, ids=[r[2] for r in REFUSALS])
def test_bad_input_is_refused_in_one_voice(make, error, says):
    with pytest.raises(error) as caught:
        make()
    assert says in str(caught.value)


def test_asgd_with_a_rate_for_each_step():
    rates, lambd, decay = [0.1, 0.05, 0.3, 0.2], 0.1, 0.01
    w = Parameter(Tensor(np.array([1.0, -2.0], np.float32)), name="w")
    optimizer = optim.ASGD([w], rates, lambd=lambd, weight_decay=decay)
    expected, eta = w.asnumpy().astype(np.float64), rates[0]
    for step, rate in enumerate(rates, 1):
        gradient = np.array([0.5, step], np.float32)
        optimizer((Tensor(gradient),))
        expected = expected * (1 - lambd * eta) - eta * (gradient + decay * expected)
        eta = rate / (1 + lambd * rate * step) ** 0.75  # as in PyTorch: of the next step
        np.testing.assert_allclose(w.asnumpy(), expected, 1e-6)
