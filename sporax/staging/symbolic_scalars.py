"""Python numbers as arguments of a captured function: inputs, as far as Python does not need them.

While a function is captured, a `Scalar` stands for each number in its arguments. Arithmetic with it
gives another, operations on Tensors take it as an input, and whatever else looks at it (a
comparison, `range`, a size, an attribute of an operation) gets the number, of which is noted what
was asked and what was answered. At later calls the same questions are asked of the numbers of the
call, in Python: if the answers are the same, the graph serves it, and its inputs are computed as
Python computes them.
"""

import contextlib
import functools
import math
import operator
import threading
from typing import Any

import numpy as np

from sporax.core.from_host import NUMPY_NUMBERS, plain
from sporax.core.tensor import Tensor
from sporax.core.value import Value, number
from sporax.engine.recorder import wrap

LARGEST = 64  # of an expression, in numbers and operations; what is larger is a question
_KINDS = (int, float, *NUMPY_NUMBERS)


class ScalarKind:
    """Stands for numbers of a type in what captures are told apart by."""

    __slots__ = ("of",)

    def __init__(self, of):
        self.of = of


VARYING = {kind: ScalarKind(kind) for kind in _KINDS}


def exact(x):
    """What tells a number from all others: 0.0 from -0.0 and 0, and not a NaN from another."""
    kind = x.__class__
    if kind is float:
        return kind, x.hex()
    return kind, x.tobytes() if isinstance(x, np.generic) else x


class ScalarArguments:
    """The numbers in the arguments of one call that is captured.

    `given`: the numbers, of which those in `fixed` are taken as they are; `asked`: (expression, the
    answer) of what Python needed to know; `inputs`: the expressions that the graph takes.
    `capture`: the one that goes on now, if it does.
    """

    def __init__(self, given, fixed=()):
        self.given = given
        self.leaves = [None if i in fixed else Scalar(self, x, i) for i, x in enumerate(given)]
        self.standing = any(leaf is not None for leaf in self.leaves)
        self.asked, self.inputs = {}, []
        self.capture: Any = None
        self.thread = threading.get_ident()

    def arguments(self, args, kwargs):
        """The arguments of the call, with what stands for their numbers."""
        leaves = iter(self.leaves)

        def standing(item):
            if item.__class__ in _KINDS:
                leaf = next(leaves)
                return item if leaf is None else leaf
            if item.__class__ is tuple:
                return tuple(map(standing, item))
            return item

        args = standing(args)
        return args, {key: standing(item) for key, item in kwargs.items()}

    def is_live(self):
        """Whether it matters what is asked now."""
        return self.capture is not None and threading.get_ident() == self.thread

    def plain(self, result):
        """What a function returned, with numbers in place of what stands for them."""
        if result.__class__ in (tuple, list):
            return result.__class__(map(self.plain, result))
        if result.__class__ is dict:
            return {key: self.plain(item) for key, item in result.items()}
        return known(result) if type(result) is Scalar else result

    def around(self, function):
        """The function, which returns no `Scalar`."""

        def run(*args, **kwargs):
            return self.plain(function(*args, **kwargs))

        run.__wrapped__ = function
        return run

    def fix(self):
        """Take all numbers as they are."""
        self.leaves, self.standing = [None] * len(self.given), False

    def steering(self):
        """Which of the numbers are taken, or were needed, as they are."""
        fixed = {i for i, leaf in enumerate(self.leaves) if leaf is None}
        asked = {scalar.index for scalar, _ in self.asked.values() if scalar.operation is None}
        return fixed | asked

    def tensors(self, given):
        """The graph's inputs for other numbers, as Tensors; None if it does not serve them."""
        try:
            for scalar, answer in self.asked.values():
                if exact(scalar.of(given)) != answer:
                    return None
            found = [scalar.of(given) for scalar in self.inputs]
        except (ArithmeticError, TypeError, ValueError):  # Python decides where it is raised
            return None
        if any(x.__class__ is not s.__class__ for x, s in zip(found, self.inputs, strict=True)):
            return None
        return [wrap(number("jit", plain(x))) for x in found]


class Scalar:
    """Stands for the number that `operation` gives for `operands` (numbers and others of its kind),
    or for number `index` of the arguments. It takes itself for an int, a float or a NumPy scalar.
    """

    __slots__ = ("index", "made", "numbers", "operands", "operation", "recorder", "size", "x")

    def __init__(self, numbers, x, index=None, operation=None, operands=()):
        self.numbers, self.x, self.index = numbers, x, index
        self.operation, self.operands = operation, operands
        self.size = 1 + sum(o.size for o in operands if type(o) is Scalar)
        self.made: Any = None
        self.recorder: Any = None  # in which it was made

    @property
    def __class__(self):
        return type(self.x)

    def of(self, given):
        """The number, if these are the numbers in the arguments."""
        if self.operation is None:
            return given[self.index]
        return self.operation(*[o.of(given) if type(o) is Scalar else o for o in self.operands])

    @property
    def _value(self):
        """The Value that operations take: an input of the graph."""
        numbers = self.numbers
        if not numbers.is_live() or numbers.capture.is_broken or numbers.capture.parts:
            return number("jit", known(self))
        capture = numbers.capture
        made = self.made
        if made is None or self.recorder is not capture.recorder:
            aval = number("jit", plain(self.x)).aval  # refuses what has more than 64 bits
            made = self.made = Value(aval, np.asarray(self.x, aval.dtype))
            self.recorder = capture.recorder
            capture.add_number(made, self)
        return made

    def _as_python(self):
        """Itself, as a Python number where it stands for a NumPy scalar."""
        kind = type(plain(self.x))
        return self if kind is type(self.x) else _computed(kind, self)

    def __getattr__(self, name):
        if not hasattr(type(self.x), name):
            raise AttributeError(f"'{type(self.x).__name__}' object has no attribute '{name}'")
        return getattr(known(self), name)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(known(self), dtype)

    def __reduce__(self):
        return type(self.x), (known(self),)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


@contextlib.contextmanager
def going_on(numbers, capture):
    """What is asked of the numbers in the block matters to the graph of this capture."""
    if numbers is None:
        yield
        return
    numbers.capture, numbers.inputs = capture, capture.scalars
    try:
        yield
    finally:
        numbers.capture = None


def known(item):
    """The number itself, noting that it was needed; anything else as it is."""
    return _answer(None, item) if type(item) is Scalar else item


def _answer(question, *operands):
    """What `question` (None: what is it?) gives for the operands, noting it."""
    numbers = next(o.numbers for o in operands if type(o) is Scalar)
    answer = operands[0].x if question is None else _done(question, operands)
    if numbers.is_live():
        (scalar,) = operands if question is None else [
            Scalar(numbers, answer, None, question, operands)
        ]  # fmt: skip
        key = question, *[id(o) if type(o) is Scalar else exact(o) for o in operands]
        numbers.asked[key] = scalar, exact(answer)
    return answer


def as_constant(source):
    """The Value of a number in a graph that takes it as it is; any other source as it is."""
    return number("jit", known(source)) if type(source) is Scalar else source


def _done(operation, operands):
    try:
        return operation(*[o.x if type(o) is Scalar else o for o in operands])
    except Exception:  # which the function may catch: it depends on the numbers themselves
        for operand in operands:
            known(operand)
        raise


def _raises(operation, *numbers):
    try:
        operation(*numbers)
    except (ArithmeticError, ValueError) as error:
        return type(error).__name__
    return None


_MAY_RAISE = {
    operator.truediv, operator.floordiv, operator.mod, operator.pow, operator.lshift,
    operator.rshift, divmod,
}  # fmt: skip


def _is_number(item):
    return type(item) is Scalar or item.__class__ in (bool, *_KINDS)


def _computed(operation, *operands):
    """The result of arithmetic: it stands for a number again, if it is one."""
    if any(isinstance(o, Tensor) for o in operands):
        return NotImplemented
    scalars = [o for o in operands if type(o) is Scalar]
    numbers = scalars[0].numbers
    if not all(map(_is_number, operands)) or not numbers.is_live():
        return operation(*map(known, operands))
    result = _done(operation, operands)
    if operation in _MAY_RAISE:
        _answer(functools.partial(_raises, operation), *operands)
    if result.__class__ not in _KINDS or sum(s.size for s in scalars) > LARGEST:
        return operation(*map(known, operands))
    return Scalar(numbers, result, None, operation, operands)


def _compared(question, one, other):
    if isinstance(other, Tensor):
        return NotImplemented
    if not _is_number(other):
        return question(known(one), other)
    return _answer(question, one, other)


def _method(function, operation, is_reflected=False):
    if is_reflected:
        return lambda scalar, other: function(operation, other, scalar)
    return lambda scalar, *others: function(operation, scalar, *others)


def _define():
    """The methods of a number."""
    for name in _BINARY:
        operation = divmod if name == "divmod" else getattr(operator, name)
        name = name.strip("_")
        setattr(Scalar, f"__{name}__", _method(_computed, operation))
        setattr(Scalar, f"__r{name}__", _method(_computed, operation, is_reflected=True))
    for name in ("neg", "pos", "abs", "invert"):
        setattr(Scalar, f"__{name}__", _method(_computed, getattr(operator, name)))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Scalar, f"__{name}__", _method(_compared, getattr(operator, name)))
    for name, question in _QUESTIONS.items():
        setattr(Scalar, f"__{name}__", _method(_answer, question))
    for name, use in _USES.items():
        setattr(Scalar, f"__{name}__", lambda scalar, *a, use=use: use(known(scalar), *a))


_BINARY = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "lshift", "rshift", "and_",
    "or_", "xor",
)  # fmt: skip
_QUESTIONS = {
    "bool": bool, "int": int, "float": float, "round": round, "trunc": math.trunc,
    "floor": math.floor, "ceil": math.ceil,
}  # fmt: skip
_USES = {
    "index": operator.index, "complex": complex, "hash": hash, "str": str, "repr": repr,
    "format": format,
}  # fmt: skip
_define()
