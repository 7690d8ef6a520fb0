"""Twenty steps of each optimizer as rows, run by MindSpore (recorded) and by sporax.

Features that MindSpore's CPU lacks or computes differently from its documentation are not here, but
in test_optimizer_formulas.py and test_optimizers.py: `use_nesterov` of Momentum, `update_slots` of
Adagrad, `l1` of FTRL (its sign is dropped), and Lamb and LARS, which have no kernel.
"""

from typing import NamedTuple

import numpy as np

STEPS = 20
# name and shape of the parameters; the names steer weight decay
PARAMETERS = {"fc.weight": (3, 2), "fc.bias": (3,), "bn.gamma": (2, 2), "scale": (1,)}


class Kit(NamedTuple):
    """What a case is made of: MindSpore's own, or ours."""

    nn: object
    Tensor: object
    Parameter: object
    experimental: object  # mindspore.experimental.optim

    def parameters(self):
        rng = np.random.default_rng(0)
        return [
            self.Parameter(self.Tensor(rng.normal(size=shape).astype(np.float32)), name=name)
            for name, shape in PARAMETERS.items()
        ]

    def gradients(self, step):
        rng = np.random.default_rng(100 + step)
        return tuple(
            self.Tensor(rng.normal(size=shape).astype(np.float32)) for shape in PARAMETERS.values()
        )


class Case(NamedTuple):
    """`make(kit, parameters)` returns the optimizer."""

    name: str
    make: object

    def __str__(self):
        return self.name


def run(kit, case):
    """Return (all parameters after each step, the optimizer's state after the last) as NumPy
    arrays."""
    parameters = kit.parameters()
    optimizer = case.make(kit, parameters)
    order = {p.name: i for i, p in enumerate(optimizer.parameters)}
    history = []
    for step in range(STEPS):
        gradients = dict(zip(PARAMETERS, kit.gradients(step), strict=True))
        optimizer(tuple(gradients[name] for name in sorted(gradients, key=order.get)))
        history.append(np.concatenate([p.asnumpy().ravel() for p in parameters]))
    state = {name: p.asnumpy() for name, p in optimizer.parameters_dict().items()}
    return history, state


def plain(name, **keywords):
    """Return a case with only keyword arguments."""
    label = ",".join(f"{k}={v}" for k, v in keywords.items())
    return Case(f"{name}({label})", lambda kit, ps: getattr(kit.nn, name)(ps, **keywords))


def scheduled(kit):
    return kit.nn.ExponentialDecayLR(0.1, 0.5, 4)


def grouped(name, **keywords):
    """Return a case with groups that have their own rate and decay, in another order than the
    parameters."""

    def make(kit, ps):
        groups = [
            {"params": [ps[1], ps[3]], "lr": 0.02, "weight_decay": 0.3},
            {"params": [ps[0], ps[2]]},
            {"order_params": ps},
        ]
        return getattr(kit.nn, name)(groups, learning_rate=0.05, weight_decay=0.1, **keywords)

    return Case(f"{name}(groups)", make)


def changing(name, **keywords):
    """Return a case with groups of which one has a schedule, one a list, and one the fixed rate."""

    def make(kit, ps):
        groups = [
            {"params": ps[:1], "lr": scheduled(kit)},
            {"params": ps[1:2], "lr": [0.01 * i for i in range(STEPS)]},
            {"params": ps[2:]},
        ]
        return getattr(kit.nn, name)(groups, learning_rate=0.05, **keywords)

    return Case(f"{name}(changing)", make)


def later(name, **keywords):
    """Return a case of `experimental.optim` with only keyword arguments."""
    label = ",".join(f"{k}={v}" for k, v in keywords.items())
    built = lambda kit, ps: getattr(kit.experimental, name)(ps, **keywords)  # noqa: E731
    return Case(f"experimental.{name}({label})", built)


def later_grouped(name, **keywords):
    """Return a case with groups of `experimental.optim`, one of which has its own settings."""

    def make(kit, ps):
        groups = [{"params": ps[1:3], "lr": 0.2, "weight_decay": 0.3}, {"params": [ps[3], ps[0]]}]
        return getattr(kit.experimental, name)(groups, 0.05, **keywords)

    return Case(f"experimental.{name}(groups)", make)


CASES = [
    plain("SGD"),
    plain("SGD", learning_rate=0.05, momentum=0.9),
    plain("SGD", learning_rate=0.05, momentum=0.9, dampening=0.3, weight_decay=0.1),
    plain("SGD", learning_rate=0.05, momentum=0.9, nesterov=True, loss_scale=8.0, weight_decay=0.1),
    plain("Momentum", learning_rate=0.1, momentum=0.9),
    plain("Momentum", learning_rate=0.1, momentum=0.9, loss_scale=4.0, weight_decay=0.1),
    plain("Momentum", learning_rate=[0.01 * i for i in range(STEPS)], momentum=0.5),
    plain("Adam", learning_rate=0.1),
    plain("Adam", learning_rate=0.1, beta1=0.8, beta2=0.95, eps=1e-3, weight_decay=0.1),
    plain("Adam", learning_rate=0.1, use_nesterov=True, loss_scale=16.0),
    plain("Adam", learning_rate=0.1, use_amsgrad=True),
    plain("Adam", learning_rate=0.1, use_lazy=True),
    plain("Adam", learning_rate=0.1, use_offload=True),
    plain("AdamWeightDecay", learning_rate=0.1),
    plain("AdamWeightDecay", learning_rate=0.1, weight_decay=0.2, eps=1e-3),
    plain("RMSProp", learning_rate=0.05),
    plain("RMSProp", learning_rate=0.05, momentum=0.9, decay=0.8, weight_decay=0.1),
    plain("RMSProp", learning_rate=0.05, centered=True, momentum=0.5, loss_scale=2.0),
    plain("Adagrad", learning_rate=0.1),
    plain("Adagrad", learning_rate=0.1, accum=0.5, weight_decay=0.1),
    plain("AdaMax"),
    plain("AdaMax", learning_rate=0.1, beta1=0.8, beta2=0.95, weight_decay=0.1, loss_scale=4.0),
    plain("ASGD"),
    plain("ASGD", learning_rate=0.2, lambd=0.1, alpha=0.5, t0=5.0, weight_decay=0.1),
    plain("Rprop"),
    plain("Rprop", learning_rate=0.3, etas=(0.3, 1.5), step_sizes=(0.01, 0.5), weight_decay=0.1),
    plain("Adadelta"),
    plain("Adadelta", learning_rate=0.5, rho=0.7, epsilon=1e-3, loss_scale=4.0, weight_decay=0.1),
    plain("FTRL"),
    plain("FTRL", learning_rate=0.1, initial_accum=0.5, l2=0.3, weight_decay=0.1),
    plain("FTRL", learning_rate=0.1, lr_power=-0.3, loss_scale=4.0),
    plain("ProximalAdagrad"),
    plain("ProximalAdagrad", accum=0.5, learning_rate=0.1, l1=0.2, l2=0.3, weight_decay=0.1),
    plain("LazyAdam", learning_rate=0.1, weight_decay=0.1),
    plain("LazyAdam", learning_rate=0.1, use_nesterov=True, loss_scale=16.0),
    plain("AdamOffload", learning_rate=0.1, use_nesterov=True, weight_decay=0.1),
    plain("AdaFactor"),
    plain("AdaFactor", warmup_init=True, clip_threshold=0.5, weight_decay=0.1),
    plain("AdaFactor", learning_rate=0.1, relative_step=False, decay_rate=0.5, eps=(1e-3, 2.0)),
    plain("AdaFactor", learning_rate=0.1, relative_step=False, scale_parameter=False, beta1=0.5),
    Case(
        "AdaFactor(schedule)",
        lambda kit, ps: kit.nn.AdaFactor(ps, scheduled(kit), relative_step=False),
    ),
    later("Adam"),
    later("Adam", lr=0.1, betas=(0.8, 0.95), eps=1e-3, weight_decay=0.1, maximize=True),
    later("AdamW"),
    later("AdamW", lr=0.1, betas=(0.8, 0.95), eps=1e-3, weight_decay=0.1, maximize=True),
    later("AdamW", lr=0.1, amsgrad=True),
    later("SGD", lr=0.05),
    later("SGD", lr=0.05, momentum=0.9, dampening=0.3, weight_decay=0.1, maximize=True),
    later("SGD", lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.1),
    later("Adadelta", lr=0.5, rho=0.7, eps=1e-3, weight_decay=0.1, maximize=True),
    later("Adagrad", lr=0.1, lr_decay=0.1, weight_decay=0.1, initial_accumulator_value=0.5),
    later("Adagrad", lr=0.1, eps=1e-3, maximize=True),
    later("Adamax", lr=0.1, betas=(0.8, 0.95), eps=1e-3, weight_decay=0.1, maximize=True),
    later("RAdam", lr=0.1, betas=(0.8, 0.95), eps=1e-3, weight_decay=0.1),
    later("RMSprop", lr=0.05, alpha=0.9, eps=1e-3, maximize=True),
    later("RMSprop", lr=0.05, alpha=0.9, momentum=0.5, centered=True, weight_decay=0.1),
    later("NAdam", lr=0.1),
    later("NAdam", lr=0.1, betas=(0.8, 0.95), eps=1e-3, weight_decay=0.1, momentum_decay=0.1),
    later("ASGD"),
    later("ASGD", lr=0.2, lambd=0.1, alpha=0.5, t0=5.0, weight_decay=0.1, maximize=True),
    later("Rprop"),
    later("Rprop", lr=0.3, etas=(0.3, 1.5), step_sizes=(0.01, 0.5), maximize=True),
    *[later_grouped(name) for name in ("Adam", "AdamW", "RMSprop", "NAdam", "ASGD")],
    later_grouped("SGD", momentum=0.9),
    Case("Adam(schedule)", lambda kit, ps: kit.nn.Adam(ps, scheduled(kit))),
    Case(
        "Momentum(decay schedule)",
        lambda kit, ps: kit.nn.Momentum(ps, 0.1, 0.9, weight_decay=scheduled(kit), loss_scale=4.0),
    ),
    Case(
        "AdamWeightDecay(decay schedule)",
        lambda kit, ps: kit.nn.AdamWeightDecay(ps, scheduled(kit), weight_decay=scheduled(kit)),
    ),
    *[grouped(name) for name in ("SGD", "Adam", "AdamWeightDecay", "RMSProp", "Adagrad")],
    *[grouped(name) for name in ("AdaMax", "ASGD", "Rprop")],
    *[grouped(name) for name in ("Adadelta", "ProximalAdagrad")],
    grouped("Momentum", momentum=0.9),
    changing("Momentum", momentum=0.9, weight_decay=0.1),
    changing("AdamWeightDecay", weight_decay=0.1),
    changing("AdaMax", weight_decay=0.1),
    changing("Adadelta", weight_decay=0.1),
]

SCHEDULES = {
    "exponential": lambda nn: nn.ExponentialDecayLR(0.1, 0.9, 4),
    "exponential stair": lambda nn: nn.ExponentialDecayLR(0.1, 0.9, 4, True),
    "natural": lambda nn: nn.NaturalExpDecayLR(0.1, 0.3, 4),
    "natural stair": lambda nn: nn.NaturalExpDecayLR(0.1, 0.3, 4, True),
    "inverse": lambda nn: nn.InverseDecayLR(0.1, 0.5, 4),
    "inverse stair": lambda nn: nn.InverseDecayLR(0.1, 0.5, 4, True),
    "cosine": lambda nn: nn.CosineDecayLR(0.01, 0.1, 7),
    "polynomial": lambda nn: nn.PolynomialDecayLR(0.1, 0.01, 7, 0.5),
    "polynomial again": lambda nn: nn.PolynomialDecayLR(0.1, 0.01, 7, 2.0, True),
    "warm-up": lambda nn: nn.WarmUpLR(0.1, 7),
}
LISTS = {
    "piecewise": lambda nn: nn.piecewise_constant_lr([2, 5, 9], [0.1, 0.05, 0.01]),
    "exponential": lambda nn: nn.exponential_decay_lr(0.1, 0.9, STEPS, 3, 2),
    "exponential stair": lambda nn: nn.exponential_decay_lr(0.1, 0.9, STEPS, 3, 2, True),
    "natural": lambda nn: nn.natural_exp_decay_lr(0.1, 0.9, STEPS, 3, 2),
    "natural stair": lambda nn: nn.natural_exp_decay_lr(0.1, 0.9, STEPS, 3, 2, True),
    "inverse": lambda nn: nn.inverse_decay_lr(0.1, 0.9, STEPS, 3, 2),
    "inverse stair": lambda nn: nn.inverse_decay_lr(0.1, 0.9, STEPS, 3, 2, True),
    "cosine": lambda nn: nn.cosine_decay_lr(0.01, 0.1, STEPS, 3, 4),
    "polynomial": lambda nn: nn.polynomial_decay_lr(0.1, 0.01, STEPS, 3, 4, 0.5),
    "polynomial again": lambda nn: nn.polynomial_decay_lr(0.1, 0.01, STEPS, 3, 2, 2.0, True),
    "warm-up": lambda nn: nn.warmup_lr(0.1, STEPS, 3, 4),
}

# schedules of experimental.optim: `make(lr_scheduler, optimizer)`
SCHEDULERS = {
    "step": lambda s, o: s.StepLR(o, 3, 0.5),
    "milestones": lambda s, o: s.MultiStepLR(o, [2, 5, 5], 0.5),
    "constant": lambda s, o: s.ConstantLR(o, 0.25, 4),
    "linear": lambda s, o: s.LinearLR(o, 0.2, 0.9, 4),
    "exponential": lambda s, o: s.ExponentialLR(o, 0.9),
    "polynomial": lambda s, o: s.PolynomialLR(o, 4, 2.0),
    "cosine": lambda s, o: s.CosineAnnealingLR(o, 3, 0.01),
    "lambda": lambda s, o: s.LambdaLR(o, [lambda t: 0.9**t, lambda t: 1.0 / (t + 1)]),
    "times": lambda s, o: s.MultiplicativeLR(o, lambda t: 0.9),
    "triangular": lambda s, o: s.CyclicLR(o, 0.01, 0.1, 2, 3),
    "triangular2": lambda s, o: s.CyclicLR(o, [0.01, 0.02], [0.1, 0.2], 3, mode="triangular2"),
    "exp_range": lambda s, o: s.CyclicLR(o, 0.01, 0.1, 2, mode="exp_range", gamma=0.9),
    "own scale": lambda s, o: s.CyclicLR(o, 0.01, 0.1, 2, scale_fn=lambda x: 1 / x),
    "restarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 2, 2, 0.01),
    "equal restarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 4),
    "sequence": lambda s, o: s.SequentialLR(
        o, [s.ConstantLR(o, 0.1, 2), s.ExponentialLR(o, 0.9), s.StepLR(o, 2)], [3, 7]
    ),
}
# which of them MindSpore can give a step to, too
DIRECT = ["step", "constant", "linear", "exponential", "polynomial", "cosine", "equal restarts"]
DIRECT_STEPS = [0, 3, 1, 7]
PLATEAUS = {
    "min": {"patience": 1},
    "max": {"mode": "max", "patience": 0, "cooldown": 2, "factor": 0.5},
    "abs": {"threshold_mode": "abs", "threshold": 0.3, "patience": 0, "min_lr": [0.02, 0.2]},
    "max abs": {"mode": "max", "threshold_mode": "abs", "threshold": 0.3, "patience": 1},
}
METRICS = [1.0, 1.5, 0.9, 0.8, 0.8, 0.8, 0.7, 1.8, 2.5, 2.6, 2.6, 2.5, 2.4]


def _two_rates(kit):
    a, b = (kit.Parameter(kit.Tensor(np.ones(1, np.float32)), name=name) for name in "ab")
    return kit.experimental.SGD([{"params": [a], "lr": 0.5}, {"params": [b]}], 0.1)


def rates_of(kit, make, steps):
    """Return the rates of two groups initially and after each of `steps`: the arguments of
    `step`."""
    scheduler = make(kit.experimental.lr_scheduler, _two_rates(kit))
    result = [[float(lr) for lr in scheduler.get_last_lr()]]
    for arguments in steps:
        scheduler.step(*arguments)
        result.append([float(lr) for lr in scheduler.get_last_lr()])
    return result


def scheduler_rates(kit):
    """Return all recorded values of the schedules of experimental.optim."""
    direct = [(step,) for step in DIRECT_STEPS]
    result = {name: rates_of(kit, make, [()] * 13) for name, make in SCHEDULERS.items()}
    result |= {f"{name}, direct": rates_of(kit, SCHEDULERS[name], direct) for name in DIRECT}
    for name, keywords in PLATEAUS.items():
        make = lambda s, o, k=keywords: s.ReduceLROnPlateau(o, **k)  # noqa: E731
        result[name] = rates_of(kit, make, [(metric,) for metric in METRICS])
    return result
