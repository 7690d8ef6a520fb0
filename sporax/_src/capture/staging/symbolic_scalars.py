"""Symbolic scalars: Python numbers in arguments of a captured function, as inputs of its graph.

During a capture, a `Scalar` represents each number in the arguments. Arithmetic with it returns
another `Scalar`, and operations on Tensors take it as an input. Any other use (a comparison,
`range`, a size, an attribute of an operation) gets the concrete number, and a guard stores the
query and its answer. Later calls evaluate the same queries in Python for their own numbers: if all
answers are equal, the graph is reused, and its inputs are computed by Python arithmetic.
"""

import contextlib
import functools
import math
import operator
from typing import Any

import numpy as np

from sporax._src.core.from_host import NUMPY_NUMBERS, plain
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import Value, scalar_value, thread
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.engine.recorder import wrap

MAX_SIZE = 64  # numbers and operations in an expression; a larger one becomes a guard
_KINDS = (int, float, *NUMPY_NUMBERS)


class ScalarKind:
    """Placeholder for any number of type `python_type`, in the kind of a call's arguments."""

    __slots__ = ("python_type",)

    def __init__(self, python_type):
        self.python_type = python_type


VARYING = {kind: ScalarKind(kind) for kind in _KINDS}


def exact(x):
    """Return a key that distinguishes type and bits: 0.0, -0.0 and 0, or two NumPy NaNs."""
    kind = x.__class__
    if kind is float:
        return kind, x.hex()
    return kind, x.tobytes() if isinstance(x, np.generic) else x


class ScalarArguments:
    """The numbers in the arguments of one captured call.

    `values`: the numbers; the ones at the indices `static` are not symbolic. `guards`: (expression,
    answer) for each concrete value that Python needed. `inputs`: the expressions that are inputs of
    the graph. `tracer`: of the running capture, else None.
    """

    def __init__(self, values, static=()):
        self.values = values
        self.scalars = [None if i in static else Scalar(self, x, i) for i, x in enumerate(values)]
        self.is_symbolic = any(scalar is not None for scalar in self.scalars)
        self.guards, self.inputs = {}, []
        self.tracer: Any = None
        self.context: Any = None  # of the capturing thread

    def arguments(self, args, kwargs):
        """Return the arguments of the call, with `Scalar`s for their numbers."""
        scalars = iter(self.scalars)

        def replaced(item):
            if item.__class__ in _KINDS:
                scalar = next(scalars)
                return item if scalar is None else scalar
            if item.__class__ is tuple:
                return tuple(map(replaced, item))
            return item

        args = replaced(args)
        return args, {key: replaced(item) for key, item in kwargs.items()}

    def is_traced(self):
        """Return True if the current use of a `Scalar` belongs to the capture."""
        return self.tracer is not None and thread.context is self.context

    def plain(self, result):
        """Return a function's result, with concrete numbers for its `Scalar`s."""
        if result.__class__ in (tuple, list):
            return result.__class__(map(self.plain, result))
        if result.__class__ is dict:
            return {key: self.plain(item) for key, item in result.items()}
        return concrete(result) if type(result) is Scalar else result

    def around(self, function):
        """Wrap the function so that it returns concrete numbers instead of `Scalar`s."""

        def run(*args, **kwargs):
            return self.plain(function(*args, **kwargs))

        run.__wrapped__ = function
        return run

    def fix(self):
        """Make all numbers static."""
        self.scalars, self.is_symbolic = [None] * len(self.values), False

    def static(self):
        """Return the indices of numbers that are static or whose concrete value was needed."""
        static = {i for i, scalar in enumerate(self.scalars) if scalar is None}
        guarded = {scalar.index for scalar, _ in self.guards.values() if scalar.operation is None}
        return static | guarded

    def tensors(self, values) -> Any:
        """Return the graph's inputs for other numbers, as Tensors; None if a guard fails."""
        try:
            for scalar, answer in self.guards.values():
                if exact(scalar.evaluate(values)) != answer:
                    return None
            inputs = [scalar.evaluate(values) for scalar in self.inputs]
        except (ArithmeticError, TypeError, ValueError):  # the next capture raises it
            return None
        if any(x.__class__ is not s.__class__ for x, s in zip(inputs, self.inputs, strict=True)):
            return None
        return [wrap(scalar_value("jit", plain(x))) for x in inputs]


class Scalar:
    """Number `index` of the arguments, or the result of `operation` on `operands` (numbers and
    `Scalar`s). `x`: its concrete value at capture.

    `__class__` is the number's type, so that `isinstance(n, int)` works as without capture. It does
    not subclass `int`: C code would read the int's value directly, without a guard.
    """

    __slots__ = ("arguments", "index", "input", "operands", "operation", "recorder", "size", "x")

    def __init__(self, arguments, x, index=None, operation=None, operands=()):
        self.arguments, self.x, self.index = arguments, x, index
        self.operation, self.operands = operation, operands
        self.size = 1 + sum(o.size for o in operands if type(o) is Scalar)
        self.input: Any = None  # the Value of the graph's input
        self.recorder: Any = None  # of `input`

    @property
    def __class__(self):
        return type(self.x)

    def evaluate(self, values):
        """Evaluate the number for these numbers in the arguments."""
        if self.operation is None:
            return values[self.index]
        return self.operation(
            *[o.evaluate(values) if type(o) is Scalar else o for o in self.operands]
        )

    @property
    def _value(self):
        """The Value for operations: an input of the graph."""
        arguments = self.arguments
        tracer = arguments.tracer
        if not arguments.is_traced() or tracer.is_broken or tracer.segments:
            return scalar_value("jit", concrete(self))
        value = self.input
        if value is None or self.recorder is not tracer.recorder:
            aval = scalar_value("jit", plain(self.x)).aval  # raises if it exceeds 64 bits
            value = self.input = Value(aval, np.asarray(self.x, aval.dtype))
            self.recorder = tracer.recorder
            tracer.add_number(value, self)
        return value

    _operand = _value  # as a Tensor's

    def _as_python(self):
        """Return itself, converted to a Python number if it is a NumPy scalar."""
        kind = type(plain(self.x))
        return self if kind is type(self.x) else _computed(kind, self)

    def __getattr__(self, name):
        has_it = hasattr(type(self.x), name)
        require(has_it, "object-no-attribute-attribute-missing", x=self.x, name=name)
        return getattr(concrete(self), name)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(concrete(self), dtype)

    def __reduce__(self):
        return type(self.x), (concrete(self),)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


@contextlib.contextmanager
def tracing(arguments, tracer):
    """Assign uses of these `ScalarArguments` in the block to the capture of this tracer."""
    if arguments is None:
        yield
        return
    arguments.tracer, arguments.inputs = tracer, tracer.scalars
    arguments.context = thread.context
    try:
        yield
    finally:
        arguments.tracer = arguments.context = None


def concrete(item):
    """Return the number of a `Scalar`, which becomes guarded; anything else unchanged."""
    return _guarded(None, item) if type(item) is Scalar else item


def _guarded(question, *operands):
    """Return the guarded answer of `question` (None: the number itself) for the operands."""
    arguments = next(o.arguments for o in operands if type(o) is Scalar)
    answer = operands[0].x if question is None else _evaluated(question, operands)
    if arguments.is_traced():
        scalar = operands[0]
        if question is not None:
            scalar = Scalar(arguments, answer, None, question, operands)
        key = question, *[id(o) if type(o) is Scalar else exact(o) for o in operands]
        arguments.guards[key] = scalar, exact(answer)
    return answer


def as_constant(source):
    """Return the Value of a `Scalar` as a constant of a graph; any other source unchanged."""
    return scalar_value("jit", concrete(source)) if type(source) is Scalar else source


def _evaluated(operation, operands):
    try:
        return operation(*[o.x if type(o) is Scalar else o for o in operands])
    except Exception:  # user code may catch it, so guard the operands
        for operand in operands:
            concrete(operand)
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
    """Return the result of arithmetic: a `Scalar` if it is a number."""
    if any(isinstance(o, Tensor) for o in operands):
        return NotImplemented
    scalars = [o for o in operands if type(o) is Scalar]
    arguments = scalars[0].arguments
    if not all(map(_is_number, operands)) or not arguments.is_traced():
        return operation(*map(concrete, operands))
    result = _evaluated(operation, operands)
    if operation in _MAY_RAISE:
        _guarded(functools.partial(_raises, operation), *operands)
    if result.__class__ not in _KINDS or sum(s.size for s in scalars) > MAX_SIZE:
        return operation(*map(concrete, operands))
    return Scalar(arguments, result, None, operation, operands)


def _compared(question, one, other):
    if isinstance(other, Tensor):
        return NotImplemented
    if not _is_number(other):
        return question(concrete(one), other)
    return _guarded(question, one, other)


def _method(function, operation, is_reflected=False):
    if is_reflected:
        return lambda scalar, other: function(operation, other, scalar)
    return lambda scalar, *others: function(operation, scalar, *others)


def _define():
    """Define the number methods of `Scalar`."""
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
        setattr(Scalar, f"__{name}__", _method(_guarded, question))
    for name, use in _USES.items():
        setattr(Scalar, f"__{name}__", lambda scalar, *a, use=use: use(concrete(scalar), *a))


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
