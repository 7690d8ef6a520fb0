"""`AutoBoost`: selects the methods of `boost` and their settings."""

import threading
from typing import TYPE_CHECKING, Any

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.optim import SGD
from sporax.train.boost.dim_reduce import directions_of
from sporax.train.boost.freezing import GradientFreeze
from sporax.train.boost.less_norm import LessBN
from sporax.train.boost.parameter_groups import OptimizerProcess, ParameterProcess

# method -> the levels that use it
_METHODS = {
    "less_bn": ("O1", "O2"), "grad_freeze": ("O1", "O2"), "adasum": ("O2",),
    "grad_accumulation": (), "dim_reduce": (), "loss_scale_group": (),
}  # fmt: skip
_MODES = ("auto", "manual", "enable_all", "disable_all")
# setting -> (attribute, its default)
_SETTINGS = {
    "fn_flag": ("_fn_flag", True), "gc_flag": ("_gc_flag", True),
    "param_groups": ("_param_groups", 10), "freeze_type": ("_freeze_type", 1),
    "freeze_p": ("_freeze_p", 0.7), "total_steps": ("_total_steps", 65536),
    "device_number": ("device_number", 8), "gradient_split_groups": ("gradient_groups", None),
    "grad_accumulation_step": ("grad_accumulation_step", 1), "rho": ("rho", 0.55),
    "gamma": ("gamma", 0.9), "alpha": ("alpha", 0.001), "sigma": ("sigma", 0.4),
    "n_components": ("n_components", 32), "pca_mat_path": ("pca_mat_path", None),
    "weight_load_dir": ("weight_load_dir", None), "timeout": ("timeout", 1800),
}  # fmt: skip


class AutoBoost:
    """Selects methods of `boost` by `level`, 'O0' (none), 'O1' or 'O2', and settings by
    `boost_config_dict`: {"boost": {"mode": "auto", "manual", "enable_all" or "disable_all", method:
    bool, ...}, method or "common": {setting: value}}.

    A singleton: the first call sets the configuration.

    >>> boost = AutoBoost()
    >>> sorted(name for name, used in boost.boost_config.items() if used)
    []
    """

    _instance_lock, _instance = threading.Lock(), None

    def __new__(cls, *args, **kwargs):
        with AutoBoost._instance_lock:
            if AutoBoost._instance is None:
                AutoBoost._instance = object.__new__(cls)
                AutoBoost._instance.level = None
        return AutoBoost._instance

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The attributes of `_SETTINGS`."""

    def __init__(self, level="O0", boost_config_dict=""):
        if self.level is not None:
            return
        self.level = level if level in ("O0", "O1", "O2") else "O0"
        self.boost_config_dict = boost_config_dict
        for attribute, default in _SETTINGS.values():
            setattr(self, attribute, default)
        self.pca_mat = None
        self.boost_config = self._configured(boost_config_dict or {})
        self._param_processer = ParameterProcess()

    def _configured(self, given):
        config = {method: self.level in levels for method, levels in _METHODS.items()}
        chosen = given.get("boost", {})
        mode = chosen.get("mode", "auto")
        kinds.one_of(*_MODES)("AutoBoost", mode=mode)
        if mode == "manual":
            config |= {k: v for k, v in chosen.items() if k in config}
        elif mode != "auto":
            config = dict.fromkeys(config, mode == "enable_all")
        for topic, settings in given.items():
            if topic == "common" or config.get(topic):
                for name, value in settings.items():
                    if name in _SETTINGS:
                        setattr(self, _SETTINGS[name][0], value)
        return config

    def network_auto_process_train(self, network, optimizer):
        """Return the network and the optimizer to train with."""
        if self.boost_config["dim_reduce"]:
            self.pca_mat = directions_of(
                self.pca_mat_path, self.weight_load_dir, self.n_components, network
            )
            optimizer = SGD(network.trainable_params(), learning_rate=1.0)
            optimizer.dim_reduce = True
            return network, optimizer
        if self.boost_config["less_bn"]:
            network = LessBN(network, fn_flag=self._fn_flag)
            process = OptimizerProcess(optimizer)
            parameters = self._param_processer.assign_parameter_group(
                network.trainable_params(), self.gradient_groups
            )
            process.origin_params = ParameterProcess.generate_group_params(
                parameters, process.origin_params
            )
            if self._gc_flag:
                process.add_grad_centralization(network)
            optimizer = process.generate_new_optimizer()
        if self.boost_config["grad_freeze"]:
            freeze = GradientFreeze(
                self._param_groups, self._freeze_type, self._freeze_p, self._total_steps
            )
            network, optimizer = freeze.freeze_generate(network, optimizer)
        if self.boost_config["adasum"]:
            optimizer.adasum = True
        return network, optimizer

    def network_auto_process_eval(self, network):
        """Return the network to evaluate."""
        uses = self.boost_config["less_bn"] and not self.boost_config["dim_reduce"]
        return LessBN(network) if uses else network
