"""`Optimizer`: groups of parameters, each a dict with its own settings."""

import types
from collections import defaultdict
from typing import Any, ClassVar

from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.optim import parameter_groups as groups
from sporax._src.optim.optimizer import OptimizerBase, advance
from sporax._src.runtime.engine.recorder import apply
from sporax.nn.parameter_tuple import ParameterTuple


class Optimizer(OptimizerBase):
    """Base class of the optimizers with `param_groups`.

    `params`: Parameters, or dicts with 'params' and group settings; `defaults`: default settings of
    a group, including 'lr'. A group is a dict and may be changed between steps: its 'lr' is a
    Parameter (set it with `ops.assign`; a number may replace it).

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> Optimizer([p], {"lr": 0.5, "weight_decay": 0.0})
    Optimizer (
    Parameter Group 0
        lr: 0.5
        weight_decay: 0.0
    )
    """

    _STATES = types.MappingProxyType({})  # name of a per-parameter state -> its initial value
    _SINGLE = types.MappingProxyType({})  # likewise, for a scalar state per parameter

    def __init__(self, params, defaults):
        super().__init__(auto_prefix=False)
        who = type(self).__name__
        params = groups.parameters_of(who, "params", params)
        groups.check_kinds(who, params)
        self.defaults = defaults
        self.state = defaultdict(dict)
        self.param_groups, self.lrs, self.group_start_id = [], [], [0]
        self.parameters = ParameterTuple(())
        for name in (*self._STATES, *self._SINGLE):
            setattr(self, name, ParameterTuple(()))
        for group in params if isinstance(params[0], dict) else [{"params": params}]:
            self.add_param_group(group)

    def add_param_group(self, param_group):
        """Add a group: a dict with 'params' (a Parameter or a list) and its own settings.

        >>> p = [Parameter(Tensor([1.0]), name=name) for name in "ab"]
        >>> optimizer = Optimizer(p[:1], {"lr": 0.5})
        >>> optimizer.add_param_group({"params": p[1], "lr": 0.25})
        >>> [float(group["lr"]) for group in optimizer.param_groups]
        [0.5, 0.25]
        """
        params = self._new_parameters(param_group)
        group = param_group  # MindSpore stores and completes the given dict
        group["params"] = params
        for name, value in self.defaults.items():
            group.setdefault(name, value)
        group["lr"] = self._rate(group.get("lr"), f"learning_rate_group_{len(self.param_groups)}")
        decay = group.setdefault("weight_decay", 0.0)
        kinds.NOT_NEGATIVE(type(self).__name__, weight_decay=decay)
        group["weight_decay"] = float(decay)
        self.param_groups.append(group)
        self.lrs.append(group["lr"])
        self.group_start_id.append(self.group_start_id[-1] + len(params))
        self.parameters = ParameterTuple((*self.parameters, *params))
        for name, start in self._STATES.items():
            new = ParameterTuple(params).clone(prefix=name, init=start)
            setattr(self, name, ParameterTuple((*getattr(self, name), *new)))
        for name, start in self._SINGLE.items():
            new = [Parameter(Tensor(start, dtypes.float32), f"{name}_{p.name}") for p in params]
            setattr(self, name, ParameterTuple((*getattr(self, name), *new)))

    def _new_parameters(self, group):
        """Return a group's Parameters as a list, possibly empty; raises for any other 'params'."""
        who = type(self).__name__
        is_group = isinstance(group, dict) and "params" in group
        require(is_group, "parameter-group-dict-params", who, got=group)
        params = group["params"]
        params = [params] if isinstance(params, Parameter) else params
        require(not isinstance(params, (set, frozenset)), "order", who, argument="params")
        params = list(params)
        groups.check_kinds_of_group(who, params)
        known = {id(p) for p in self.parameters}
        require(not any(id(p) in known for p in params), "parameter-one-group-two", who)
        return params

    def _rate(self, rate, name):
        who = type(self).__name__
        if isinstance(rate, Tensor):
            require(not rate.ndim, "tensor-lr-no-dimensions", who, shape=rate.shape)
            return Parameter(Tensor(rate.asnumpy(), dtypes.float32), name=name)
        kinds.NOT_NEGATIVE(who, lr=rate)
        return Parameter(Tensor(float(rate), dtypes.float32), name=name)

    def __repr__(self):
        lines = []
        for i, group in enumerate(self.param_groups):
            lines.append(f"\nParameter Group {i}\n")
            for key in sorted(group.keys() - {"params"}):
                value = group[key]
                value = value.value() if isinstance(value, Parameter) else value
                lines.append(f"    {key}: {value}\n")
        return f"{type(self).__name__} ({''.join(lines)})"

    def construct(self, *hyper_params):
        """Update the parameters; defined by subclasses."""
        raise rejection("method-construct-self-gradients", type(self).__name__)


def checked_betas(who, betas):
    """Raise unless `betas` are two numbers in [0, 1)."""
    is_pair = isinstance(betas, (tuple, list)) and len(betas) == 2
    require(is_pair, "tuple-2-numbers", who, betas=betas)
    for i, x in enumerate(betas):
        require(0 <= x < 1, "in-interval", who, argument=f"betas[{i}]", got=x, interval="[0, 1)")


class GroupOptimizer(Optimizer):
    """An Optimizer with one update rule, which takes settings of a group as its keyword arguments,
    and as `steps`, if it has that parameter, the step count in the Parameter called `_COUNTER`."""

    _RULE: Any = None
    _COUNTER, _START = "step_t", (0, dtypes.int32)
    _CHECKS: ClassVar[dict[str, Any]] = {
        "betas": checked_betas, "eps": kinds.POSITIVE, "rho": kinds.FRACTION,
        **dict.fromkeys(("amsgrad", "centered", "maximize", "nesterov"), kinds.BOOL),
        **dict.fromkeys(
            ("alpha", "initial_accumulator_value", "lambd", "lr_decay", "momentum",
             "momentum_decay", "t0"),
            kinds.NOT_NEGATIVE,
        ),
    }  # fmt: skip

    def __init__(self, params, **defaults):
        for name, value in defaults.items():
            if name in self._CHECKS:
                self._CHECKS[name](type(self).__name__, **{name: value})
        super().__init__(params, defaults)
        if self._RULE.counts_steps:
            setattr(self, self._COUNTER, Parameter(Tensor(*self._START), name=self._COUNTER))

    def construct(self, gradients):
        if not self._RULE.counts_steps:
            return self._apply_rule(gradients)
        counter = getattr(self, self._COUNTER)
        return self._apply_rule(gradients, counter, also=[(counter, apply(advance, counter))])

    def _bound(self, group):
        settings = {name: group[name] for name in self._RULE.settings}
        return self._RULE.bind(
            **{k: tuple(v) if isinstance(v, list) else v for k, v in settings.items()}
        )

    def _apply_rule(self, gradients, *scalars, also=()):
        gradients = groups.counted(type(self).__name__, gradients, self.parameters)
        states = [getattr(self, name) for name in (*self._STATES, *self._SINGLE)]
        handles = list(zip(self.parameters, *states, strict=True))
        updates = []
        for group, start, end in zip(
            self.param_groups, self.group_start_id, self.group_start_id[1:], strict=False
        ):
            op, rate = self._bound(group), group["lr"]
            rate = rate if isinstance(rate, Tensor) else Tensor(rate, dtypes.float32)
            for mine, gradient in zip(handles[start:end], gradients[start:end], strict=True):
                updates.append((op, mine, (gradient, rate, *scalars)))
        groups.update(type(self).__name__, gradients, self.parameters, updates, also)
        return True


__all__ = ["Optimizer"]
