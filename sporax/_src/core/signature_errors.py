"""Errors for calls that do not match a signature: the wrong argument, a suggestion, the signature.

API functions of operations, which must have no overhead, are compiled (`ops.declaration`) to take
any arguments and to raise `call_error` on a mismatch. Constructors of layers and similar functions
are wrapped by `fitting`, which examines Python's TypeError after it was raised.
"""

import difflib
import functools
import inspect
from typing import Any

from sporax._src.core.errors import REFUSALS, refuse
from sporax._src.core.from_host import plain
from sporax._src.diagnosis.rules import message, rejection

# names of the same argument in other libraries, and in other parts of this one
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
    """Return the one of `names` that `name` probably stands for, or None."""
    for synonyms in _SYNONYMS:
        if name in synonyms:
            for other in names:
                if other in synonyms:
                    return other
    return next(iter(difflib.get_close_matches(name, names, 1, 0.6)), None)


def written(who, parameters):
    """Return the signature of a call, `softmax(input, axis=-1)`."""
    plain = [p.replace(annotation=p.empty) for p in parameters]
    return f"{who.rpartition('.')[2]}{inspect.Signature(plain)}"


def call_error(who, parameters, given, more=(), unknown=()):
    """Return the TypeError for a call of `who` with these Parameters. `given`: names of the
    parameters that have a value; `more`: surplus positional arguments; `unknown`: names of the
    keyword arguments that no parameter takes."""
    named = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    call = message("called-as", signature=written(who, parameters))
    if unknown:
        name = next(iter(unknown))
        close = meant(name, named)
        call = message("did-you-mean", close=close, call=call) if close else call
        return rejection("keyword-argument-one", who, got=name, call=call)
    if more:
        most = sum(p.kind is not p.KEYWORD_ONLY for p in parameters)
        got = {"got": most + len(more), "call": call}
        if not most:
            return rejection("no-argument-position", who, **got)
        return rejection("argument-position", who, n=most, plural="s" * (most > 1), **got)
    lacking = [
        f"'{p.name}'" for p in parameters
        if p.name not in given and p.default is p.empty
        and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]  # fmt: skip
    came = [f"'{n}'" for n in given]
    if not came:
        return rejection("given-all", who, names=lacking, call=call)
    return rejection("given", who, names=lacking, got=came, call=call)


def unfitting(who, signature, args, kwargs):
    """Return the error for a call that does not match a signature; None if it does."""
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        pass
    else:
        return None
    parameters = [*signature.parameters.values()]
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    by_place = [p.name for p in positional[: len(args)]]
    doubled = [n for n in by_place if n in kwargs]
    if doubled:
        call = message("called-as", signature=written(who, parameters))
        return rejection("given-once", who, argument=doubled[0], call=call)
    is_open = {p.kind for p in parameters}
    unknown = {} if inspect.Parameter.VAR_KEYWORD in is_open else kwargs.keys() - {
        p.name for p in parameters
    }  # fmt: skip
    more = () if inspect.Parameter.VAR_POSITIONAL in is_open else args[len(positional) :]
    return call_error(who, parameters, [*by_place, *kwargs], more, sorted(unknown))


def _within(error):
    """Return True if an error was raised inside the call, not by the attempt to call."""
    return error.__traceback__.tb_next is not None


def is_own(cls):
    """Return True if a class belongs to sporax, under either of its names (`compat.classes`)."""
    return cls.__module__.partition(".")[0] in ("sporax", "mindspore")


def constructed_with(built):
    """Return (parameters, arguments) of an object's constructor, as far as attributes hold them."""
    parameters, own = inspect.signature(type(built)).parameters, vars(built)
    names = {n: n if n in own else f"_{n}" for n in parameters}
    return parameters, {n: own[name] for n, name in names.items() if name in own}


def _refuse_call(who, function, args, kwargs, error, built=None):
    """Raise the error for a call of `function` that raised `error`: a signature mismatch, or an
    error about its arguments raised inside. Returns if it is neither. `built`: the object whose
    method it is."""
    signature = inspect.signature(function)
    refusal = unfitting(who, signature, args, kwargs)
    if refusal is not None and not _within(error):
        raise refusal from None
    if refusal is None:
        parameters, earlier = ({}, {}) if built is None else constructed_with(built)
        given, parameters = signature.bind(*args, **kwargs), {**parameters, **signature.parameters}
        refuse(who, given.arguments, error, parameters, earlier)


def fitting(function, who=None):
    """Wrap a function to report calls with invalid arguments, and to convert NumPy scalars to
    Python numbers. `who`: its name in messages."""

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
    """Wrap a method to report calls with invalid arguments, under its object's class name."""
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
    """Wrap a method to report calls that do not match its signature, under its object's class name.
    Errors raised inside, such as by a function that is an argument, are left unchanged."""

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
    """Make the constructor of a sporax class report invalid arguments under the name of the class
    that the user calls. `accept`: converts the arguments."""
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
    """Base of classes whose subclasses in sporax report invalid arguments of their constructors,
    and of the methods named `methods`. `accept` converts the constructors' arguments, by default
    NumPy scalars to Python numbers."""

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
