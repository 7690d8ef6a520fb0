"""`Optimizer`: learning rates, weight decays, groups and the step, for every update rule."""

import functools
import inspect
from itertools import repeat
from typing import Any, ClassVar

from sporax import ops
from sporax._src.core import context
from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of
from sporax._src.core.value import thread
from sporax._src.devices.sharding.mesh import divide_states
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.pytorch_names import OPTIMIZER
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.initializers import initializer
from sporax._src.optim import parameter_groups as groups
from sporax._src.optim.learning_rate import (
    built_rate,
    checked_decay,
    checked_rate,
    convert,
    current_rate,
    is_dynamic,
    plain_rate,
)
from sporax._src.optim.update_rule import centralized, operation
from sporax._src.runtime.engine.recorder import apply
from sporax._src.runtime.engine.step_end import end_step
from sporax.nn.cell import Cell
from sporax.nn.cell_introspection import Setting
from sporax.nn.evaluation_notes import pending, warn_of
from sporax.nn.parameter_tuple import ParameterTuple

advance = operation("global_step", lambda step: step + 1)
_decay = operation("decay_weight", lambda g, p, decay: g + p * decay.astype(p.dtype))
_centralize = operation("gradients_centralization", centralized)
_scale = operation("scale_grad", lambda g, scale: g * scale.astype(g.dtype))


class _Argument:
    """Arguments of the constructor, unless stored by `opt_init_args_register`."""

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, optimizer, owner=None):
        if optimizer is None:
            return self
        args, kwargs = optimizer._constructor_arguments()
        return _arguments(type(optimizer).__init__, optimizer, args, kwargs)[self.name]


class OptimizerBase(Cell):
    """A Cell whose call is an optimizer step."""

    init_params, init_learning_rate, init_args = _Argument(), _Argument(), _Argument()
    _pytorch_names: ClassVar = {**Cell._pytorch_names, **OPTIMIZER}

    def __new__(cls, *args, **kwargs):
        optimizer = super().__new__(cls)
        optimizer.__dict__["_arguments"] = args, kwargs
        return optimizer

    def _constructor_arguments(self):
        """Return the arguments of the constructor; an exhausted iterator is replaced by the list of
        parameters it yielded."""

        def again(value):
            return list(self.parameters) if hasattr(value, "__next__") else value

        args, kwargs = self._arguments
        return tuple(map(again, args)), {name: again(value) for name, value in kwargs.items()}

    def __getstate__(self):
        return {**super().__getstate__(), "_arguments": self._constructor_arguments()}

    def __call__(self, *args, **kwargs):
        result = super().__call__(*args, **kwargs)
        if pending:
            warn_of(self)
        if thread.tape is None:
            end_step(tensors_of(args))
        return result


_PARAMETERS = kinds.instance((Parameter, list), "a-parameter-or-a-list-of-them")


class Optimizer(OptimizerBase):
    """Base class of the optimizers, which update `parameters` when called with their gradients.

    `learning_rate`: a number, a Tensor, a list with a value per step, or a `LearningRateSchedule`.
    `parameters`: Parameters, or groups `{'params': [...], 'lr': ..., 'weight_decay': ...,
    'grad_centralization': ...}`, the last of which may be `{'order_params': [...]}`.
    `weight_decay`: a number or a Cell called with the step; without groups it is not applied to
    parameters with 'beta' or 'gamma' in their names. `loss_scale`: the scale of the loss.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> print(Optimizer(0.1, [p]).get_lr().asnumpy())
    0.1
    """

    _on_request: ClassVar = {
        "hyper_map": lambda optimizer: ops.HyperMap(),
        "map_": lambda optimizer: ops.Map(),
        "map_reverse": lambda optimizer: ops.Map(reverse=True),
        "hyper_map_reverse": lambda optimizer: ops.HyperMap(reverse=True),
        "assignadd": lambda optimizer: ops.AssignAdd(),
        "global_step_increase_tensor": lambda optimizer: Tensor([1], dtypes.int32),
        "optim_filter": lambda optimizer: (True,) * optimizer.param_length,
    }
    use_parallel = False  # each process has all parameters
    unique = Setting(lambda: True, kinds.BOOL)

    def __init__(self, learning_rate, parameters, weight_decay=0.0, loss_scale=1.0):
        super().__init__(auto_prefix=False)
        who = type(self).__name__
        params = groups.parameters_of(who, "params", parameters)
        groups.check_kinds(who, params)
        kinds.POSITIVE(who, loss_scale=loss_scale)
        self.loss_scale = float(loss_scale)
        self.need_scale = self.loss_scale != 1.0
        self.reciprocal_scale = Tensor(1.0 / self.loss_scale, dtypes.float32)
        self.global_step = Parameter(initializer(0, [1], dtypes.int32), name="global_step")
        rate = checked_rate(who, learning_rate)
        self.is_group = isinstance(params[0], dict)
        if self.is_group:
            self._register_groups(
                groups.parse(who, params, rate, weight_decay, self.loss_scale), params
            )
        else:
            groups.check_unique(who, params)
            self._register_all(params, rate, checked_decay(who, weight_decay, self.loss_scale))
        self.param_length = len(self.parameters)
        self._done = (True,) * self.param_length
        self._rule_updates: Any = None
        self._set_rule_again: Any = None
        self.__dict__["init_args"] = self.init_args  # libraries read it there

    def _register_all(self, parameters, rate, decay):
        """Use one learning rate and one weight decay for all parameters."""
        self.is_group_lr = self.is_group_params_ordered = self.grad_centralization = False
        self.dynamic_lr = is_dynamic(rate)
        self.learning_rate = built_rate(rate, "learning_rate")
        self.dynamic_weight_decay = isinstance(decay, Cell)
        self.exec_weight_decay = self.dynamic_weight_decay or decay > 0
        self.weight_decay = decay if self.dynamic_weight_decay else Tensor(decay, dtypes.float32)
        self.parameters = self._parameters = ParameterTuple(parameters)
        self.decay_flags = tuple("beta" not in p.name and "gamma" not in p.name for p in parameters)
        self.grad_centralization_flags = (False,) * len(parameters)

    def _register_groups(self, entries, dicts):
        """Use a learning rate and a weight decay per parameter."""
        parameters, rates, decays, centralizes = map(tuple, zip(*entries, strict=True))
        self.is_group_lr = any("lr" in g for g in dicts)
        self.is_group_params_ordered = any("order_params" in g for g in dicts)
        self.dynamic_lr = any(isinstance(rate, Cell) for rate in rates)
        if self.dynamic_lr and self.is_group_lr:
            cells = {id(rate): convert(rate) for rate in rates}
            self.learning_rate = tuple(cells[id(rate)] for rate in rates)
            self._keep_cells("learning_rate", self.learning_rate)
        else:
            self.learning_rate = ParameterTuple(rates) if self.is_group_lr else rates[0]
        dynamic = [isinstance(decay, Cell) for decay in decays]
        self.dynamic_weight_decay = any(dynamic)
        self.group_weight_decay = list(decays)
        self.weight_decay = tuple(
            decay if isinstance(decay, Cell) else Tensor(decay, dtypes.float32) for decay in decays
        )
        self._keep_cells("weight_decay", [d for d in decays if isinstance(d, Cell)])
        self.decay_flags = tuple(isinstance(d, Cell) or d > 0 for d in decays)
        self.exec_weight_decay = any(self.decay_flags)
        self.grad_centralization = any(centralizes)
        self.grad_centralization_flags = centralizes
        self.parameters = self._parameters = ParameterTuple(parameters)

    def _keep_cells(self, name, cells):
        """Register each Cell once, so that its Parameters belong to this optimizer."""
        for i, cell in enumerate({id(c): c for c in cells}.values()):
            self.insert_child_to_cell(f"{name}_{i}", cell)

    # a step ---------------------------------------------------------------------------------

    def construct(self, gradients):
        """Update the parameters; defined by subclasses."""
        raise rejection("method-construct-self-gradients", type(self).__name__)

    def _set_rule(self, rule, *states, **attributes):
        """Prepare the operation that updates each handle; `states`: ParameterTuples."""
        self._set_rule_again = functools.partial(self._set_rule, rule, *states, **attributes)
        divide_states(states)
        flags = zip(self.decay_flags, self.grad_centralization_flags, strict=True)
        self._rule_updates = tuple(
            (
                rule.bind(
                    decays=self.exec_weight_decay and decays,
                    centralizes=centralizes,
                    scales=self.need_scale,
                    **attributes,
                ),
                handles,
                self.exec_weight_decay and decays,
            )
            for (decays, centralizes), handles in zip(
                flags, zip(self.parameters, *states, strict=True), strict=True
            )
        )

    def _leave_decay_and_scale(self):
        """Disable weight decay and loss scale, which a wrapping optimizer applies."""
        self.exec_weight_decay = self.need_scale = False
        self.decay_flags = (False,) * self.param_length
        if self._set_rule_again is not None:
            self._set_rule_again()

    def _apply_rule(self, gradients, *scalars, also=()):
        """Apply the prepared operations; all changes are written together, if all of them succeed.
        `also`: (handle, Tensor) of other changes in a step."""
        gradients = groups.counted(type(self).__name__, gradients, self.parameters)
        rates, decays = self.get_lr(), self.get_weight_decay()
        rates = rates if self.is_group_lr else repeat(rates)
        decays = decays if self.is_group else repeat(decays)
        scale = (self.reciprocal_scale,) if self.need_scale else ()
        updates = []
        for (op, handles, decayed), gradient, rate, decay in zip(
            self._rule_updates, gradients, rates, decays, strict=False
        ):
            last = (decay, *scale) if decayed else scale
            updates.append((op, handles, (gradient, rate, *scalars, *last)))
        also = (*also, (self.global_step, apply(advance, self.global_step)))
        groups.update(type(self).__name__, gradients, self.parameters, updates, also)
        return self._done

    # for subclasses that write their own step -----------------------------------------------

    def flatten_gradients(self, gradients):
        """Return the gradients unchanged: parameters are never flattened into one buffer."""
        return gradients

    def decay_weight(self, gradients):
        """Add weight decay times its parameter to each gradient whose parameter is decayed."""
        if not self.exec_weight_decay:
            return gradients
        decays = self.get_weight_decay()
        decays = decays if self.is_group else (decays,) * self.param_length
        each = zip(gradients, self.parameters, decays, self.decay_flags, strict=True)
        return tuple([apply(_decay, g, p, d) if flag else g for g, p, d, flag in each])

    def gradients_centralization(self, gradients):
        """Subtract from each gradient its mean over all axes but the first, if its group enables
        it.

        Only if the size of axis 1 is a multiple of 16, as in MindSpore.
        """
        if not self.grad_centralization:
            return gradients
        each = zip(gradients, self.grad_centralization_flags, strict=True)
        return tuple([apply(_centralize, g) if flag else g for g, flag in each])

    def scale_grad(self, gradients):
        """Unscale each gradient with the loss scale."""
        if not self.need_scale:
            return gradients
        return tuple([apply(_scale, g, self.reciprocal_scale) for g in gradients])

    def get_lr(self):
        """Return the current learning rate; one per parameter if a group has its own."""
        rates: Any = self.learning_rate
        if not self.dynamic_lr:
            return tuple(rates) if self.is_group_lr else rates
        if not self.is_group_lr:
            return current_rate(rates, self.global_step)
        now = {id(r): r for r in rates}
        now = {key: current_rate(rate, self.global_step) for key, rate in now.items()}
        return tuple([now[id(rate)] for rate in rates])

    def _is_dynamic_lr_or_weight_decay(self):
        return self.dynamic_lr or self.dynamic_weight_decay

    def _grad_sparse_indices_deduplicate(self, gradients):
        return gradients  # a gradient is dense

    def get_weight_decay(self):
        """Return the current weight decay (times the loss scale); a tuple for groups."""
        decays: Any = self.weight_decay
        if not self.dynamic_weight_decay:
            return decays
        if not self.is_group:
            return decays(self.global_step)
        now = {id(d): d for d in decays}
        now = {k: d(self.global_step) if isinstance(d, Cell) else d for k, d in now.items()}
        return tuple([now[id(decay)] for decay in decays])

    def get_lr_parameter(self, param):
        """Return the learning rate of a parameter (a Parameter, or a schedule if dynamic); a list
        for a list of parameters.

        >>> p = Parameter(Tensor([1.0]), name="w")
        >>> Optimizer(0.1, [p]).get_lr_parameter(p).name
        'learning_rate'
        """
        _PARAMETERS("get_lr_parameter", param=param)
        indices = {id(p): i for i, p in enumerate(self.parameters)}
        chosen_rates = []
        for p in param if isinstance(param, list) else [param]:
            name = getattr(p, "name", p)
            require(id(p) in indices, "parameter-optimizer", "get_lr_parameter", param=name)
            rates: Any = self.learning_rate
            chosen_rates.append(plain_rate(rates[indices[id(p)]] if self.is_group_lr else rates))
        return chosen_rates if isinstance(param, list) else chosen_rates[0]

    def broadcast_params(self, optim_result):
        """Broadcast updated parameters to all processes: with one process, a list with the tuple of
        all parameters after `optim_result` is computed."""
        return [tuple(ops.depend(p, optim_result) for p in self.parameters)]

    @property
    def target(self):
        """Device type on which the parameters are updated."""
        return context.get_context("device_target")

    @target.setter
    def target(self, value):
        self._set_base_target(value)

    def _set_base_target(self, value):
        if value != self.target:
            fields = {"argument": "target", "target": self.target, "got": value}
            raise rejection("target-of-parameters", type(self).__name__, **fields)


def _arguments(function, optimizer, args, kwargs):
    """Return the constructor arguments stored by `opt_init_args_register`."""
    signature = inspect.signature(function)
    bound = signature.bind(optimizer, *args, **kwargs)
    bound.apply_defaults()
    arguments = dict(list(bound.arguments.items())[1:])
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            arguments |= arguments.pop(parameter.name)
    kept: dict[str, Any] = {"init_params": {"params": arguments.pop("params", None)}}
    rate = arguments.pop("learning_rate", None)
    rate = rate.asnumpy().tolist() if isinstance(rate, Tensor) else rate
    kept["init_learning_rate"] = None if isinstance(rate, Cell) else rate
    return {**kept, "init_args": arguments}


def opt_init_args_register(fn):
    """Decorator of an optimizer's `__init__` that stores its arguments as `init_args`, except for
    `init_params` and `init_learning_rate`."""

    # not functools.wraps: libraries read the signature, which has only *args and **kwargs there
    def init(self, *args, **kwargs):
        kept = _arguments(fn, self, args, kwargs)
        fn(self, *args, **kwargs)
        for name, value in kept.items():
            object.__setattr__(self, name, value)

    return init


__all__ = ["Optimizer", "opt_init_args_register"]


OPTIMIZER = kinds.instance(Optimizer, "an-optimizer")
