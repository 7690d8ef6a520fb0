"""Regroup the parameters of an optimizer, and recreate the optimizer for them."""

from typing import Any

from sporax._src.core.parameter import Parameter
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.optim import LARS, Optimizer
from sporax.nn.convolution import Conv2d


def _listed(parameters):
    """Return the parameters of an optimizer as a list of Parameters or groups."""
    listed = list(parameters or ())
    require(listed, "optimizer-parameters-none", "boost")
    fits = isinstance(listed[0], (dict, Parameter))
    require(fits, "optimizer-s-parameters-parameters", "boost", got=listed[0])
    return listed


class ParameterProcess:
    """Groups the parameters of an optimizer.

    >>> ParameterProcess.generate_group_params([1, 2], [Parameter(Tensor(1.0), name="w")])
    [{'params': [1, 2]}]
    """

    def __init__(self):
        self._parameter_indices = 1

    def assign_parameter_group(self, parameters, split_point=None):
        """Set the communication group of the parameters, `comm_fusion`: a new number from each
        index in `split_point` on, by default from the middle on. Returns the parameters."""
        if not isinstance(parameters, (list, tuple)) or not parameters:
            return parameters
        for i, parameter in enumerate(parameters):
            self._parameter_indices += i in (split_point or [len(parameters) // 2])
            parameter.comm_fusion = self._parameter_indices
        return parameters

    @staticmethod
    def generate_group_params(parameters, origin_params):
        """Return `parameters` in the groups of `origin_params`, an optimizer's parameters; new ones
        get the settings of the group with the most of them."""
        origin: Any = _listed(origin_params)
        if isinstance(origin[0], Parameter):
            return [{"params": parameters}]
        by_name, groups, seen = {p.name: p for p in parameters}, [], set()
        for group in origin:
            if "order_params" in group:
                groups.append({**group, "order_params": parameters})
                continue
            names = [p.name for p in group["params"] if p.name in by_name]
            seen.update(names)
            groups.append({**group, "params": [by_name[name] for name in names]})
        new = [p for p in parameters if p.name not in seen]
        if new:
            groups.append({**max((g for g in origin if "params" in g), key=len), "params": new})
        return [g for g in groups if g.get("params", True)]


class OptimizerProcess:
    """Recreates an optimizer for other groups of parameters.

    `origin_params`: the groups, which may be modified. `add_grad_centralization(network)`:
    centralize the gradients of their weights. `generate_new_optimizer()`: an optimizer of the same
    class and settings.

    >>> net = nn.Dense(2, 3)
    >>> process = OptimizerProcess(nn.SGD([{"params": net.trainable_params()}], 0.1))
    >>> process.add_grad_centralization(net)
    >>> process.generate_new_optimizer().grad_centralization_flags
    (True, False)
    """

    def __init__(self, opt):
        kinds.instance(Optimizer, "an-optimizer")("OptimizerProcess", opt=opt)
        self.is_lars = isinstance(opt, LARS)
        self.lars_init_args = {k: v for k, v in opt.init_args.items() if k != "optimizer"}
        self.single_opt = opt.opt if self.is_lars else opt
        self.opt_class, self.opt_init_args = type(self.single_opt), self.single_opt.init_args
        self.learning_rate = self.single_opt.init_learning_rate
        self.origin_params = self.single_opt.init_params["params"]

    @staticmethod
    def build_params_dict(network):
        """Return {id of a parameter: its cell}."""
        return {
            id(p): cell
            for _, cell in network.cells_and_names()
            for p in cell.get_parameters(expand=False)
        }

    @staticmethod
    def build_gc_params_group(params_dict, parameters):
        """Split each group in two: with `grad_centralization` the weights that do not belong to a
        norm or a grouped convolution."""
        groups = []
        for group in parameters:
            if "order_params" in group:
                groups.append(group)
                continue
            weights, others = [], []
            for p in group["params"]:
                cell = params_dict[id(p)]
                is_grouped = isinstance(cell, Conv2d) and cell.group > 1
                spared = is_grouped or getattr(cell, "centralizes_gradients", True) is False
                names = ("beta", "gamma", "bias")
                kept = spared or any(name in p.name for name in names)
                (others if kept else weights).append(p)
            if weights:
                groups.append({**group, "params": weights, "grad_centralization": True})
            if others:
                groups.append({**group, "params": others})
        return groups

    def add_grad_centralization(self, network):
        """Centralize the gradients of weights, if the parameters are in groups."""
        listed = _listed(self.origin_params)
        if isinstance(listed[0], dict):
            cells = self.build_params_dict(network)
            self.origin_params = self.build_gc_params_group(cells, listed)

    def generate_new_optimizer(self):
        """Return the optimizer for `origin_params`."""
        return self.optimizer_of(self.origin_params)

    def optimizer_of(self, params):
        """Return an optimizer of the same class and settings for these parameters."""
        rate = self.learning_rate
        rate = self.single_opt.learning_rate if rate is None else rate
        new = self.opt_class(params=params, learning_rate=rate, **self.opt_init_args)
        return LARS(new, **self.lars_init_args) if self.is_lars else new
