"""What `jit` may be told, as MindSpore 2.10 has it, and what it must not be told."""

from sporax.core.errors import warn

_STRINGS = {  # parameter -> what it may be
    "capture_mode": ("ast", "bytecode", "trace"),
    "jit_level": ("O0", "O1"),
}
_OPTIONS = {  # of MindSpore's compilers -> (type, values or None for any)
    "disable_format_transform": (bool, None),
    "exec_order": (str, ("bfs", "dfs")),
    "infer_boost": (str, ("on", "off")),
    "auto_offload": (str, ("weight", "activation", "all")),
    "ge_options": (dict, None),
}
# what earlier versions had
_EARLIER = frozenset(["mode", "input_signature", "hash_args", "jit_config", "compile_once"])


def check_options(capture_mode, jit_level, dynamic, fullgraph, options):
    """Refuse what `jit` must not be told, and warn of options that nothing knows."""
    for (name, allowed), given in zip(_STRINGS.items(), (capture_mode, jit_level), strict=True):
        if given not in allowed:
            raise ValueError(_refusal(name, f"one of {list(allowed)}", repr(given)))
    if type(dynamic) is not int:
        raise TypeError(_refusal("dynamic", "an int, 0 or 1", _kind(dynamic)))
    if dynamic not in (0, 1):
        raise ValueError(_refusal("dynamic", "0 or 1", dynamic))
    if not isinstance(fullgraph, bool):
        raise TypeError(_refusal("fullgraph", "a bool", _kind(fullgraph)))
    for name, given in options.items():
        if name in _OPTIONS:
            _check_option(name, given)
        elif name not in _EARLIER:
            warn(
                f"For 'jit', the option '{name}' is not known and changes nothing. Known are "
                f"{', '.join(_OPTIONS)}.",
            )


def _check_option(name, given):
    kind, allowed = _OPTIONS[name]
    if not isinstance(given, kind):
        raise TypeError(_refusal(name, f"a {kind.__name__}", _kind(given)))
    if allowed is not None and given not in allowed:
        raise ValueError(_refusal(name, f"one of {list(allowed)}", repr(given)))
    if name == "ge_options":
        for level, settings in given.items():
            if level not in ("global", "session"):
                raise ValueError(_refusal(name, "keyed by 'global' or 'session'", repr(level)))
            if not isinstance(settings, dict) or not all(
                isinstance(item, str) for pair in settings.items() for item in pair
            ):
                raise TypeError(_refusal(name, f"strings by name for '{level}'", repr(settings)))


def _refusal(name, rule, given):
    return f"For 'jit', '{name}' must be {rule}, but got {given}."


def _kind(given):
    return type(given).__name__
