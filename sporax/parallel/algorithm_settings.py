"""Settings of MindSpore's search for strategies, and of its parameter servers.

XLA divides programs itself, so that the search's settings are checked, kept and returned; and there
are no parameter servers, so that only the settings which leave them off are taken.
"""

import os

from sporax.core.errors import warn
from sporax.core.settings import Settings
from sporax.nn import argument_checks as check
from sporax.nn.cell import Cell

_ALGORITHM, _SERVERS = Settings("set_algo_parameters"), Settings("set_ps_context")
_LARGEST_ALIGNMENT = 1024


def set_algo_parameters(**kwargs):
    """Change settings of the search for strategies: XLA divides programs without one.

    Kept and returned by `get_algo_parameters`. Raises ValueError for a name or value that does not
    exist, TypeError for a value of another type.

    >>> ms.set_algo_parameters(tensor_slice_align_size=32)
    >>> ms.get_algo_parameters("tensor_slice_align_size")
    32
    >>> ms.reset_algo_parameters()
    """
    for name, value in kwargs.items():
        _ALGORITHM.check(name, value)
        most = {"tensor_slice_align_size": _LARGEST_ALIGNMENT, "algo_approxi_epsilon": 1}.get(name)
        if most is not None and not 0 < value <= most:
            raise ValueError(
                f"For 'set_algo_parameters', '{name}' must be above 0 and at most {most}, but got "
                f"{value}."
            )
    _ALGORITHM.values.update(kwargs)


def get_algo_parameters(attr_key):
    """The present value of a setting of `set_algo_parameters`.

    >>> ms.get_algo_parameters("fully_use_devices")
    False
    """
    _ALGORITHM.check_name(attr_key, "get_algo_parameters")
    return _ALGORITHM.values[attr_key]


def reset_algo_parameters():
    """Give all settings of `set_algo_parameters` their defaults again.

    >>> ms.reset_algo_parameters()
    """
    _ALGORITHM.reset()


def set_ps_context(**kwargs):
    """Change settings of training with parameter servers, which there are none of.

    Kept and returned by `get_ps_context`. Raises NotImplementedError for `enable_ps=True`: let
    parameters be on all devices, with a Mesh or a launcher. Raises ValueError for a name that does
    not exist, TypeError for a value of another type.

    >>> ms.set_ps_context(enable_ps=False)
    """
    for name, value in kwargs.items():
        _SERVERS.check(name, value)
        if name == "enable_ps" and value:
            raise NotImplementedError(
                "sporax has no parameter servers, but for 'set_ps_context' 'enable_ps' is True. "
                "Leave it out, and divide parameters and states among devices with "
                "'sporax.parallel.Mesh'."
            )
    _SERVERS.values.update(kwargs)


def get_ps_context(attr_key):
    """The present value of a setting of `set_ps_context`.

    >>> ms.get_ps_context("enable_ps")
    False
    """
    if attr_key.endswith("_password"):
        raise ValueError(
            f"For 'get_ps_context', 'attr_key' must not be a password, but got {attr_key!r}."
        )
    _SERVERS.check_name(attr_key, "get_ps_context")
    return _SERVERS.values[attr_key]


def reset_ps_context():
    """Give all settings of `set_ps_context` their defaults again.

    >>> ms.reset_ps_context()
    """
    _SERVERS.reset()


def set_op_strategy_config(mode="SAVE", path=""):
    """Name a file for the strategies of operations that a search finds: accepted, since XLA
    divides programs without one; nothing is written or read.

    `mode`: 'SAVE' or 'LOAD'. `path`: an absolute path of a `.json` file. Raises KeyError for
    others.

    >>> set_op_strategy_config("SAVE", "strategy.txt")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    KeyError: "For 'set_op_strategy_config', 'path' must be absolute and end with '.json', ..."
    """
    who = "set_op_strategy_config"
    check_operator_file(who, path)
    if mode not in ("SAVE", "LOAD"):
        raise KeyError(f"For '{who}', 'mode' must be 'SAVE' or 'LOAD', but got {mode!r}.")


def check_operator_file(who, path):
    """Raise for what is no absolute path of a `.json` file; say once that it has no effect."""
    check.instance(who, str, "a string", path=path)
    if not os.path.isabs(path) or not path.endswith(".json"):
        raise KeyError(
            f"For '{who}', 'path' must be absolute and end with '.json', but got {path!r}."
        )
    warn(f"'{who}' has no effect: XLA divides operations itself, without a search.")


def sync_pipeline_shared_parameters(net):
    """Copy Parameters that several pipeline stages share to all of them: they are one Parameter
    here, so that nothing is to be done. Raises TypeError for what is no Cell.

    >>> sync_pipeline_shared_parameters(nn.Dense(2, 2))
    """
    check.instance("sync_pipeline_shared_parameters", Cell, "a Cell", net=net)
