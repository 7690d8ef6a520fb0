"""Settings of kernels and compilers of other backends: functions that check, store and log once."""

from inspect import Parameter, Signature

from sporax._src.core.settings import Settings
from sporax._src.mindspore.compat.runtime import without_effect

_REASON = "XLA chooses kernels and precision itself"


def setters(owner):
    """Return {name: setter} for the settings of one owner."""
    settings = Settings(owner)
    return {name: _setter(settings, name) for name in settings.table}


def _setter(settings, name):
    parameter, *others = settings.table[name].parameters
    signature = Signature(
        [Parameter(parameter, Parameter.POSITIONAL_OR_KEYWORD)]
        + [Parameter(other, Parameter.POSITIONAL_OR_KEYWORD, default=None) for other in others]
    )

    def set_to(*args, **kwargs):
        value = signature.bind(*args, **kwargs).arguments[parameter]
        settings.check(name, value)
        settings.values[name] = value
        without_effect(name, _REASON)

    set_to.__signature__ = signature
    set_to.__name__ = set_to.__qualname__ = name
    set_to.__doc__ = f"Store `{name}` of {settings.owner}; no effect: {_REASON}."
    return set_to
