"""Options of `jit` as in MindSpore 2.10, and which of them are refused."""

from sporax.core.errors import warn

_CHOICES = {  # parameter -> allowed values
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
# options of earlier versions
_DEPRECATED = frozenset(["mode", "input_signature", "hash_args", "jit_config", "compile_once"])


def check_options(capture_mode, jit_level, dynamic, fullgraph, options):
    """Raise for values that are not allowed, and warn of unknown options."""
    for (name, allowed), value in zip(_CHOICES.items(), (capture_mode, jit_level), strict=True):
        if value not in allowed:
            raise ValueError(_refusal(name, f"one of {list(allowed)}", repr(value)))
    if type(dynamic) is not int:
        raise TypeError(_refusal("dynamic", "an int, 0 or 1", _kind(dynamic)))
    if dynamic not in (0, 1):
        raise ValueError(_refusal("dynamic", "0 or 1", dynamic))
    if not isinstance(fullgraph, bool):
        raise TypeError(_refusal("fullgraph", "a bool", _kind(fullgraph)))
    for name, value in options.items():
        if name in _OPTIONS:
            _check_option(name, value)
        elif name not in _DEPRECATED:
            warn(
                f"For 'jit', the option '{name}' is not known and changes nothing. Known are "
                f"{', '.join(_OPTIONS)}.",
            )


def _check_option(name, value):
    kind, allowed = _OPTIONS[name]
    if not isinstance(value, kind):
        raise TypeError(_refusal(name, f"a {kind.__name__}", _kind(value)))
    if allowed is not None and value not in allowed:
        raise ValueError(_refusal(name, f"one of {list(allowed)}", repr(value)))
    if name == "ge_options":
        for level, settings in value.items():
            if level not in ("global", "session"):
                raise ValueError(_refusal(name, "keyed by 'global' or 'session'", repr(level)))
            if not isinstance(settings, dict) or not all(
                isinstance(item, str) for pair in settings.items() for item in pair
            ):
                raise TypeError(_refusal(name, f"strings by name for '{level}'", repr(settings)))


def _refusal(name, rule, value):
    return f"For 'jit', '{name}' must be {rule}, but got {value}."


def _kind(value):
    return type(value).__name__
