"""Settings of MindSpore's strategy search and of its parameter servers.

XLA partitions programs itself, so the settings of the search are only checked, stored and returned;
parameter servers are not supported, so only settings that leave them off are accepted.
"""

import os

from sporax._src.core.errors import warn
from sporax._src.core.settings import Settings
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.nn.cell import Cell

_ALGORITHM, _SERVERS = Settings("set_algo_parameters"), Settings("set_ps_context")
_LIMITS = {
    "tensor_slice_align_size": kinds.within(0, 1024, ends="(]"),
    "algo_approxi_epsilon": kinds.within(0, 1, ends="(]"),
}


def set_algo_parameters(**kwargs):
    """Change settings of the strategy search; no effect, since XLA partitions programs without one.

    They are stored and returned by `get_algo_parameters`. Raises ValueError for an unknown name or
    an invalid value, TypeError for a value of another type.

    >>> ms.set_algo_parameters(tensor_slice_align_size=32)
    >>> ms.get_algo_parameters("tensor_slice_align_size")
    32
    >>> ms.reset_algo_parameters()
    """
    for name, value in kwargs.items():
        _ALGORITHM.check(name, value)
        if name in _LIMITS:
            _LIMITS[name].checked("set_algo_parameters", name, value)
    _ALGORITHM.values.update(kwargs)


def get_algo_parameters(attr_key):
    """Return the current value of a setting of `set_algo_parameters`.

    >>> ms.get_algo_parameters("fully_use_devices")
    False
    """
    _ALGORITHM.check_name(attr_key, "get_algo_parameters")
    return _ALGORITHM.values[attr_key]


def reset_algo_parameters():
    """Reset all settings of `set_algo_parameters` to their defaults.

    >>> ms.reset_algo_parameters()
    """
    _ALGORITHM.reset()


def set_ps_context(**kwargs):
    """Change settings of training with parameter servers, which are not supported.

    They are stored and returned by `get_ps_context`. Raises NotImplementedError for
    `enable_ps=True`: keep parameters on all devices instead, with a Mesh or a launcher. Raises
    ValueError for an unknown name, TypeError for a value of another type.

    >>> ms.set_ps_context(enable_ps=False)
    """
    for name, value in kwargs.items():
        _SERVERS.check(name, value)
        require(name != "enable_ps" or not value, "sporax-no-parameter-servers")
    _SERVERS.values.update(kwargs)


def get_ps_context(attr_key):
    """Return the current value of a setting of `set_ps_context`.

    >>> ms.get_ps_context("enable_ps")
    False
    """
    require(not attr_key.endswith("_password"), "not-password", "get_ps_context", attr_key=attr_key)
    _SERVERS.check_name(attr_key, "get_ps_context")
    return _SERVERS.values[attr_key]


def reset_ps_context():
    """Reset all settings of `set_ps_context` to their defaults.

    >>> ms.reset_ps_context()
    """
    _SERVERS.reset()


def set_op_strategy_config(mode="SAVE", path=""):
    """Name a file for the operator strategies that a search finds; no effect, since XLA partitions
    programs without one: nothing is written or read.

    `mode`: 'SAVE' or 'LOAD'. `path`: an absolute path of a `.json` file.

    >>> set_op_strategy_config("SAVE", "strategy.txt")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    KeyError: "For 'set_op_strategy_config', 'path' must be absolute and end with '.json', ..."
    """
    who = "set_op_strategy_config"
    check_operator_file(who, path)
    require(mode in ("SAVE", "LOAD"), "save-or-load", who, mode=mode)


def check_operator_file(who, path):
    """Check that `path` is an absolute path of a `.json` file; warn once that it has no effect."""
    kinds.STR(who, path=path)
    fits = os.path.isabs(path) and path.endswith(".json")
    require(fits, "absolute-path-of-json", who, path=path)
    warn(f"'{who}' has no effect: XLA divides operations itself, without a search.")


def sync_pipeline_shared_parameters(net):
    """Synchronize Parameters that several pipeline stages share: does nothing, since they are one
    Parameter here.

    >>> sync_pipeline_shared_parameters(nn.Dense(2, 2))
    """
    kinds.instance(Cell, "a-cell")("sync_pipeline_shared_parameters", net=net)
