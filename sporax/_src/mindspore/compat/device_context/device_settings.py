"""Settings of kernels and compilers: functions that check, store, and either act or log once that
the setting has no effect."""

from inspect import Parameter, Signature

from sporax._src.core.settings import Settings
from sporax._src.mindspore.compat.runtime import without_effect

_REASON = "XLA chooses kernels and precision itself"


def setters(owner, actions=None):
    """Return {name: setter} for the settings of one owner. `actions`: {name: its function}, for
    settings with an effect."""
    settings = Settings(owner)
    return {name: _setter(settings, name, (actions or {}).get(name)) for name in settings.table}


def _setter(settings, name, action):
    parameter, *others = settings.table[name].parameters
    signature = Signature(
        [Parameter(parameter, Parameter.POSITIONAL_OR_KEYWORD)]
        + [Parameter(other, Parameter.POSITIONAL_OR_KEYWORD, default=None) for other in others]
    )

    def set_to(*args, **kwargs):
        value = signature.bind(*args, **kwargs).arguments[parameter]
        settings.check(name, value)
        settings.values[name] = value
        if action is None:
            without_effect(name, _REASON)
        else:
            action(value)

    set_to.__signature__ = signature
    set_to.__name__ = set_to.__qualname__ = name
    effect = f"no effect: {_REASON}" if action is None else settings.table[name].effect
    set_to.__doc__ = f"Store `{name}` of {settings.owner}; {effect}."
    return set_to
