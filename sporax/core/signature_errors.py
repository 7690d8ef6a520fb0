"""A call that does not fit a signature: what was given wrongly, what was meant, how it is written.

Faces of operations, which must cost nothing, are compiled (`ops.declaration`) to take anything and
to raise `call_error` where that does not fit. Constructors of layers and the like are `fitting`:
they look at Python's own TypeError, once it is there.
"""

import difflib
import functools
import inspect
from typing import Any

from sporax.core.errors import REFUSALS, refuse
from sporax.core.from_host import plain

# names that other libraries, and other parts of this one, have for the same argument
_SYNONYMS = (
    {"axis", "axes", "dim", "dims"}, {"keep_dims", "keepdims", "keepdim"},
    {"input", "x", "input_x", "logits", "a"}, {"other", "y", "input_y", "b"},
    {"learning_rate", "lr"}, {"params", "parameters"}, {"has_bias", "bias"},
    {"in_channels", "in_features", "input_size"}, {"out_channels", "out_features"},
    {"size", "shape", "output_size"}, {"eps", "epsilon"}, {"beta1", "betas"},
    {"target", "labels", "label"}, {"num_embeddings", "vocab_size"},
    {"embedding_dim", "embedding_size"}, {"group", "groups"}, {"alpha", "negative_slope"},
    {"num_features", "num_channels"}, {"normalized_shape", "num_features"}, {"repeats", "reps"},
)  # fmt: skip


def meant(name, names):
    """The one of `names` that was probably meant by `name`; None if none is like it."""
    for synonyms in _SYNONYMS:
        if name in synonyms:
            for other in names:
                if other in synonyms:
                    return other
    return next(iter(difflib.get_close_matches(name, names, 1, 0.6)), None)


def written(who, parameters):
    """How a call is written, `softmax(input, axis=-1)`."""
    plain = [p.replace(annotation=p.empty) for p in parameters]
    return f"{who.rpartition('.')[2]}{inspect.Signature(plain)}"


def call_error(who, parameters, given, more=(), unknown=()):
    """The TypeError of a call of `who`, which has these Parameters: `given` are the values of those
    by name that have one, `more` those by position and `unknown` those by name that none takes."""
    named = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    call = f"It is called as {written(who, parameters)}."
    if unknown:
        name = next(iter(unknown))
        close = meant(name, named)
        hint = f"Did you mean '{close}'? {call}" if close else call
        return TypeError(
            f"For '{who}', a keyword argument must be one that it has, but got '{name}'. {hint}"
        )
    if more:
        most = sum(p.kind is not p.KEYWORD_ONLY for p in parameters)
        return TypeError(
            f"For '{who}', there must be {f'at most {most}' if most else 'no'} "
            f"argument{'s' * (most != 1)} by position, but got {most + len(more)}. {call}"
        )
    lacking = [
        f"'{p.name}'" for p in parameters
        if p.name not in given and p.default is p.empty
        and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]  # fmt: skip
    came = ", ".join(f"'{n}'" for n in given)
    return TypeError(
        f"For '{who}', {' and '.join(lacking)} must be given, but got "
        f"{f'{came} only' if came else 'no arguments'}. {call}"
    )


def unfitting(who, signature, args, kwargs):
    """The error of a call that a signature does not take; None if it does."""
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        pass
    else:
        return None
    parameters = [*signature.parameters.values()]
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    by_place = [p.name for p in places[: len(args)]]
    doubled = [n for n in by_place if n in kwargs]
    if doubled:
        return TypeError(
            f"For '{who}', '{doubled[0]}' must be given once, but got it by position and by name. "
            f"Leave one of them out. It is called as {written(who, parameters)}."
        )
    is_open = {p.kind for p in parameters}
    unknown = {} if inspect.Parameter.VAR_KEYWORD in is_open else kwargs.keys() - {
        p.name for p in parameters
    }  # fmt: skip
    more = () if inspect.Parameter.VAR_POSITIONAL in is_open else args[len(places) :]
    return call_error(who, parameters, [*by_place, *kwargs], more, sorted(unknown))


def _within(error):
    """Whether an error came out of the call, rather than of the attempt to call."""
    return error.__traceback__.tb_next is not None


def is_own(cls):
    """Whether a class is of sporax, whichever of its names it says (`compat.classes`)."""
    return cls.__module__.partition(".")[0] in ("sporax", "mindspore")


def constructed_with(built):
    """(parameters, arguments) of an object's constructor, as far as its attributes are these."""
    parameters, own = inspect.signature(type(built)).parameters, vars(built)
    names = {n: n if n in own else f"_{n}" for n in parameters}
    return parameters, {n: own[name] for n, name in names.items() if name in own}


def _refuse_call(who, function, args, kwargs, error, built=None):
    """Raise what is wrong with a call of `function`, which raised `error`: that it does not fit its
    signature, or what was raised from within as its own refusal. Nothing, where that is neither.
    `built`: the object whose method it is."""
    signature = inspect.signature(function)
    refusal = unfitting(who, signature, args, kwargs)
    if refusal is not None and not _within(error):
        raise refusal from None
    if refusal is None:
        parameters, earlier = ({}, {}) if built is None else constructed_with(built)
        given, parameters = signature.bind(*args, **kwargs), {**parameters, **signature.parameters}
        refuse(who, given.arguments, error, parameters, earlier)


def fitting(function, who=None):
    """The function, refusing a call that does not fit, with Python numbers for NumPy scalars.
    `who`: what messages call it."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        args, named = plain(args), plain(kwargs)
        try:
            return function(*args, **named)
        except REFUSALS as error:
            _refuse_call(who or function.__name__, function, args, named, error)
            raise

    return call


def fitting_method(method):
    """The method, refusing a call that does not fit in the name of its object's class."""
    within = "" if method.__name__ == "__call__" else f".{method.__name__}"

    @functools.wraps(method)
    def call(self, *args, **kwargs):
        try:
            return method(self, *args, **kwargs)
        except REFUSALS as error:
            called = functools.partial(method, self)
            _refuse_call(type(self).__name__ + within, called, args, kwargs, error, self)
            raise

    return call


def refusing_misfits(method):
    """The method, refusing a call that does not fit in the name of its object's class. What comes
    from within, such as the errors of a function that it is given, stays as it is."""

    @functools.wraps(method)
    def call(self, *args, **kwargs):
        try:
            return method(self, *args, **kwargs)
        except TypeError as error:
            if not _within(error):
                signature = inspect.signature(functools.partial(method, self))
                raise unfitting(type(self).__name__, signature, args, kwargs) or error from None
            raise

    return call


def fitting_constructor(cls, accept=None):
    """Let a class of sporax's own refuse what its constructor does not take, in the name of the
    class that the user calls. `accept`: what each argument is replaced by."""
    init = cls.__dict__.get("__init__")
    if init is None or not is_own(cls):
        return cls

    @functools.wraps(init)
    def __init__(self, *args, **kwargs):
        if accept is not None:
            args, kwargs = accept(args), accept(kwargs)
        try:
            return init(self, *args, **kwargs)
        except REFUSALS as error:
            named = type(self).__init__ is __init__ or is_own(type(self))
            who = (type(self) if named else cls).__name__
            _refuse_call(who, functools.partial(init, self), args, kwargs, error)
            raise

    cls.__init__ = __init__
    return cls


class Fitting:
    """Base of classes whose subclasses here refuse what their constructors, and the methods named
    `methods`, do not take; constructors take what `accept` makes of their arguments, by default
    Python numbers for NumPy scalars."""

    _accept: Any = plain
    _methods: tuple = ()

    def __init_subclass__(cls, accept: Any = ..., methods=None, **kwargs):
        super().__init_subclass__(**kwargs)
        if accept is not ...:
            cls._accept = accept
        if methods is not None:
            cls._methods = methods
        fitting_constructor(cls, cls._accept)
        for name in cls._methods:
            if name in cls.__dict__ and is_own(cls):
                setattr(cls, name, fitting_method(cls.__dict__[name]))
