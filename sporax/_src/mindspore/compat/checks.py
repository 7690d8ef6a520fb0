"""`mindspore._checkparam`: argument checks that packages use in their own layers.

The functions follow MindSpore 2.10. `Validator` also has them, with the names and relations of
releases before 2.0; `Rel` has the relations.
"""

import functools
import inspect
import math
import operator
import re

from sporax._src.core.dtype import Number, number
from sporax._src.diagnosis.rules import rejection, require

EQ, NE, LT, LE, GT, GE = range(1, 7)
INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = range(7, 11)
IN, NOT_IN = 11, 12

_COMPARED = {  # relation -> (format in messages, predicate)
    EQ: ("= {}", operator.eq),
    NE: ("!= {}", operator.ne),
    LT: ("< {}", operator.lt),
    LE: ("<= {}", operator.le),
    GT: ("> {}", operator.gt),
    GE: (">= {}", operator.ge),
    IN: ("in {}", lambda value, allowed: value in allowed),
    NOT_IN: ("not in {}", lambda value, allowed: value not in allowed),
}
_RANGES = {  # relation -> (format in messages, comparisons with the lower and the upper limit)
    INC_NEITHER: ("({}, {})", operator.lt, operator.lt),
    INC_LEFT: ("[{}, {})", operator.le, operator.lt),
    INC_RIGHT: ("({}, {}]", operator.lt, operator.le),
    INC_BOTH: ("[{}, {}]", operator.le, operator.le),
}
_A_STRING = r"^\w+[0-9a-zA-Z\_\.]*$"
_A_FILE = r"^[0-9a-zA-Z@\_\-\.\:\/\\]+$"


def _about(arg_name, prim_name, without="The input value"):
    """Return the beginning of a message: the operation and the argument."""
    if prim_name is None:
        return without if arg_name is None else f"The '{arg_name}'"
    return f"For '{prim_name}', the " + (f"'{arg_name}'" if arg_name else "input value")


def _type_of(arg_name, prim_name):
    about = f"type of '{arg_name or 'input value'}'"
    return f"The {about}" if prim_name is None else f"For '{prim_name}', the {about}"


def _within(value, lower, upper, rel):
    _, at_lower, at_upper = _RANGES[rel]
    return at_lower(lower, value) and at_upper(value, upper)


def check(arg_name, arg_value, value_name, value, rel=EQ, prim_name=None, excp_cls=ValueError):
    """Return `arg_value` if it is in the relation `rel` to `value`; else raise `excp_cls`."""
    if rel in _RANGES:
        lower, upper = value
        fits, words = (
            _within(arg_value, lower, upper, rel),
            "in {}: " + _RANGES[rel][0].format(*value),
        )
        words = words.format(value_name)
    else:
        sign, compare = _COMPARED[rel]
        fits, words = compare(arg_value, value), sign.format(f"{value_name}: {value}")
    if not fits:
        raise excp_cls(f"{_about(arg_name, prim_name)} should be {words}, but got {arg_value}.")
    return arg_value


def _check_number(arg_value, value, rel, arg_type: type = int, arg_name=None, prim_name=None):
    about, kind = _about(arg_name, prim_name), arg_type.__name__
    if not isinstance(arg_value, arg_type) or isinstance(arg_value, bool):
        if isinstance(arg_value, bool):
            sign = _COMPARED[rel][0].format(value)
            raise rejection(
                "must-be-and-must",
                about=about,
                kind=kind,
                format=sign,
                got=arg_value,
                error=TypeError,
            )
        raise rejection("must-be-argument-type", about=about, kind=kind, got=arg_value)
    require(
        not isinstance(arg_value, float) or math.isfinite(arg_value),
        "legal-value",
        about=about,
        got=arg_value,
    )
    sign, compare = _COMPARED[rel]
    if not compare(arg_value, value):
        raise rejection(
            "must-be-and-must", about=about, kind=kind, format=sign.format(value), got=arg_value
        )
    return arg_value


def check_int(arg_value, value, rel, arg_name=None, prim_name=None):
    """Return `arg_value` if it is an int in the relation `rel` to `value`."""
    return _check_number(arg_value, value, rel, int, arg_name, prim_name)


def check_float(arg_value, value, rel, arg_name=None, prim_name=None):
    """Return `arg_value` if it is a float in the relation `rel` to `value`."""
    return _check_number(arg_value, value, rel, float, arg_name, prim_name)


def check_number(arg_name, arg_value, value, rel, prim_name):
    """Return `arg_value` if it is in the relation `rel` to `value`."""
    sign, compare = _COMPARED[rel]
    if not compare(arg_value, value):
        raise rejection(
            "argument", prim_name, arg_name=arg_name, format=sign.format(value), got=arg_value
        )
    return arg_value


def check_equal_int(arg_value, value, arg_name=None, prim_name=None):
    """Return `arg_value` if it is the int `value`."""
    return check_int(arg_value, value, EQ, arg_name, prim_name)


def _sign(kind, rel, words):
    """Return a check of the sign of an int or float, and a check of a sequence of them."""

    def one(arg_value, arg_name=None, prim_name=None):
        return _check_number(arg_value, 0, rel, kind, arg_name, prim_name)

    def many(sequence, arg_name=None, prim_name=None):
        for i, value in enumerate(sequence):
            one(value, f"{arg_name}[{i}]", prim_name)
        return sequence

    one.__doc__ = f"Return the value if it is {words} {kind.__name__}, else raise."
    many.__doc__ = f"Return the sequence if each value is {words} {kind.__name__}, else raise."
    return one, many


check_positive_int, check_positive_int_sequence = _sign(int, GT, "a positive")
check_non_negative_int, check_non_negative_int_sequence = _sign(int, GE, "a non-negative")
check_negative_int, _ = _sign(int, LT, "a negative")
check_non_positive_int, _ = _sign(int, LE, "a non-positive")
check_positive_float, check_positive_float_sequence = _sign(float, GT, "a positive")
check_non_negative_float, _ = _sign(float, GE, "a non-negative")
check_negative_float, _ = _sign(float, LT, "a negative")
check_non_positive_float, _ = _sign(float, LE, "a non-positive")


def check_is_number(arg_value, arg_type, arg_name=None, prim_name=None):
    """Return `arg_value` if it is a finite number of the type, and not a bool."""
    if not isinstance(arg_value, arg_type) or isinstance(arg_value, bool):
        raise rejection(
            "must-be-argument-type-checks",
            type_of=_type_of(arg_name, prim_name),
            arg_type=arg_type.__name__,
            got=arg_value,
        )
    if isinstance(arg_value, float) and not math.isfinite(arg_value):
        raise rejection("legal-float", about=_about(arg_name, prim_name), got=arg_value)
    return arg_value


def check_is_int(arg_value, arg_name=None, prim_name=None):
    """Return `arg_value` if it is an int."""
    return check_is_number(arg_value, int, arg_name, prim_name)


def check_is_float(arg_value, arg_name=None, prim_name=None):
    """Return `arg_value` if it is a float."""
    return check_is_number(arg_value, float, arg_name, prim_name)


def check_number_range(
    arg_value, lower_limit, upper_limit, rel, value_type, arg_name=None, prim_name=None
):
    """Return `arg_value` if it is of the type and between the limits."""
    about = _about(arg_name, prim_name)
    if not isinstance(arg_value, value_type) or isinstance(arg_value, bool):
        raise rejection(
            "must-be-but-got", about=about, value_type=value_type.__name__, got=arg_value
        )
    if not _within(arg_value, lower_limit, upper_limit, rel):
        raise rejection(
            "range",
            about=about,
            format=_RANGES[rel][0].format(lower_limit, upper_limit),
            got=arg_value,
        )
    return arg_value


def check_int_range(arg_value, lower_limit, upper_limit, rel, arg_name=None, prim_name=None):
    """Return `arg_value` if it is an int between the limits."""
    return check_number_range(arg_value, lower_limit, upper_limit, rel, int, arg_name, prim_name)


def check_float_range(arg_value, lower_limit, upper_limit, rel, arg_name=None, prim_name=None):
    """Return `arg_value` if it is a float between the limits."""
    return check_number_range(arg_value, lower_limit, upper_limit, rel, float, arg_name, prim_name)


def check_bool(arg_value, arg_name=None, prim_name=None):
    """Return `arg_value` if it is a bool."""
    if not isinstance(arg_value, bool):
        raise rejection("bool-argument-type", about=_about(arg_name, prim_name), got=arg_value)
    return arg_value


def check_string(arg_value, valid_values, arg_name=None, prim_name=None):
    """Return `arg_value` if it is one of the strings."""
    if not isinstance(arg_value, str) or arg_value not in valid_values:
        raise rejection(
            "str-argument-value",
            about=_about(arg_name or "parameter", prim_name),
            valid_values=valid_values,
            got=arg_value,
        )
    return arg_value


def check_isinstance(arg_name, arg_value, classes):
    """Return `arg_value` if it is an instance of one of the classes."""
    require(
        isinstance(arg_value, classes),
        "parameter-isinstance",
        arg_name=arg_name,
        classes=classes,
        got=arg_value,
    )
    return arg_value


def check_value_type(arg_name, arg_value, valid_types, prim_name=None):
    """Return `arg_value` if it is of one of the types; a bool is only of type bool."""
    kinds = tuple(valid_types) if isinstance(valid_types, (tuple, list)) else (valid_types,)
    wrong_bool = isinstance(arg_value, bool) and bool not in kinds
    if wrong_bool or not isinstance(arg_value, kinds):
        names = [getattr(k, "__name__", str(k)) for k in kinds]
        wanted = f"'{names[0]}'" if len(names) == 1 else f"one of '{names}'"
        raise rejection(
            "should", type_of=_type_of(arg_name, prim_name), wanted=wanted, arg_value=arg_value
        )
    return arg_value


def check_type_name(arg_name, arg_type, valid_types, prim_name):
    """Return `arg_type` if it is one of the dtypes."""
    kinds = list(valid_types) if isinstance(valid_types, (tuple, list)) else [valid_types]
    if arg_type not in kinds:
        wanted = str(kinds[0]) if len(kinds) == 1 else f"one of {kinds}"
        got = arg_type.__name__ if isinstance(arg_type, type) else repr(arg_type)
        raise rejection(
            "should-argument-choice", prim_name, arg_name=arg_name, wanted=wanted, got=got
        )
    return arg_type


def check_subclass(arg_name, type_, template_types, prim_name, addition_error_info=None):
    """Raise TypeError unless a dtype is allowed; `mindspore.number` matches all numeric dtypes."""
    kinds = template_types if isinstance(template_types, (tuple, list)) else [template_types]
    if type_ not in kinds and not any(_is_kind(type_, kind) for kind in kinds):
        wanted = str(kinds[0]) if len(kinds) == 1 else f"one of {[str(k) for k in kinds]}"
        raise rejection(
            "element",
            prim_name,
            arg_name=arg_name,
            wanted=wanted,
            got=type_,
            value=addition_error_info or "",
        )


def _is_kind(dtype, kind):
    return kind is number and isinstance(dtype, Number)


def check_str_by_regular(target, reg=None, flag=re.ASCII, prim_name=None):
    """Return True if the string matches `reg`, by default letters, digits, '_' and '.'."""
    reg = _A_STRING if reg is None else reg
    if re.match(reg, target, flag) is None:
        who = f"For '{prim_name}', the" if prim_name else "The"
        raise rejection("illegal-match-regular-flags", name=who, target=target, reg=reg, flag=flag)
    return True


def check_file_name_by_regular(target, reg=None, prim_name=None):
    """Return True if the string matches `reg`, by default the usual characters of file names."""
    reg = _A_FILE if reg is None else reg
    if re.match(reg, target) is None:
        who = f"For '{prim_name}', the" if prim_name else "The"
        raise rejection("illegal-match-regular", name=who, target=target, reg=reg)
    return True


def check_element_type_of_iterable(arg_name, arg_value, valid_types, prim_name=None):
    """Raise TypeError unless each value is of one of the types."""
    for value in arg_value:
        if not isinstance(value, tuple(valid_types)):
            wanted = ", ".join(kind.__name__ for kind in valid_types)
            raise rejection(
                "should-argument-choice-checks",
                type_of=_type_of(arg_name, prim_name),
                wanted=wanted,
                got=value,
            )


def check_axis_in_range(axis, ndim):
    """Return the axis as a non-negative index."""
    require(isinstance(axis, int) and (not isinstance(axis, bool)), "axis-int", got=axis)
    if not -ndim <= axis < ndim:
        raise rejection("axis-range", value=-ndim, ndim=ndim, got=axis)
    return axis % ndim


def args_type_check(*type_args, **type_kwargs):
    """Return a decorator: arguments must be of these types, by position or by name, or None."""

    def decorate(function):
        signature = inspect.signature(function)
        wanted = signature.bind_partial(*type_args, **type_kwargs).arguments

        @functools.wraps(function)
        def checked(*args, **kwargs):
            for name, value in signature.bind(*args, **kwargs).arguments.items():
                if name in wanted and value is not None and not isinstance(value, wanted[name]):
                    raise rejection("parameter", name=name, wanted=wanted[name], got=type(value))
            return function(*args, **kwargs)

        return checked

    return decorate


def _before_2_0():
    """Return the other functions of `Validator` before 2.0, which take the name first."""
    return {
        "check_integer": lambda arg_name, arg_value, value, rel, prim_name=None: check_int(
            arg_value, value, rel, arg_name, prim_name
        ),
        "check_float_positive": lambda arg_name, arg_value, prim_name=None: check_positive_float(
            arg_value, arg_name, prim_name
        ),
        "check_float_legal_value": lambda arg_name, arg_value, prim_name=None: check_is_float(
            arg_value, arg_name, prim_name
        ),
    }


_RELATIONS = {name: value for name, value in list(globals().items()) if name.isupper()}
_RELATIONS = {name: value for name, value in _RELATIONS.items() if isinstance(value, int)}
_CHECKS = {n: f for n, f in list(globals().items()) if n.startswith("check")}

Rel = type("Rel", (), {"__doc__": "The relations of checks.", **_RELATIONS})
Validator = type(
    "Validator",
    (),
    {
        "__doc__": "The checks and relations of this module, as methods of a class.",
        **_RELATIONS,
        **{name: staticmethod(f) for name, f in (_CHECKS | _before_2_0()).items()},
    },
)
