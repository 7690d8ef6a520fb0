"""Options of `jit` as in MindSpore 2.10: rows of `core/settings.csv`. Only
`dynamic` and `fullgraph` have an effect."""

from sporax._src.core.errors import warn
from sporax._src.core.settings import Settings
from sporax._src.diagnosis.rules import require

_SETTINGS = Settings("jit")
# options of earlier versions
_DEPRECATED = frozenset(["mode", "input_signature", "hash_args", "jit_config", "compile_once"])


def check_options(parameters, options):
    """Raise for invalid values, and warn of unknown options. `parameters`: the parameters of the
    signature, by name; `options`: options of MindSpore's compilers."""
    known = [name for name in _SETTINGS.table if name not in parameters]
    for name, value in (parameters | options).items():
        if name in _SETTINGS.table:
            _SETTINGS.check(name, value)
        elif name not in _DEPRECATED:
            warn(
                f"For 'jit', the option '{name}' is not known and changes nothing. Known are "
                f"{', '.join(known)}.",
            )
    _check_ge_options(options.get("ge_options", {}))


def _check_ge_options(options):
    for level, settings in options.items():
        require(level in ("global", "session"), "keyed-global-session", "jit", ge_options=level)
        is_dict = isinstance(settings, dict)
        fits = is_dict and all(isinstance(x, str) for pair in settings.items() for x in pair)
        require(fits, "strings-name", "jit", ge_options=settings, level=level)
