"""`DeferredPrint`: a print of a captured function, which takes place at each run of its graph.

A print is a Python function of objects with Tensors. Outside of a capture it is called at once.
During a capture, the Values of these Tensors become outputs of the graph, and the print is called
after each run of the graph, in the order of the function.
"""

import copy
import functools
import operator
from dataclasses import dataclass
from typing import Any

from sporax.core.tensor import Tensor
from sporax.core.tree import map_tensors, tensors_of
from sporax.core.value import thread
from sporax.engine.operation import Op
from sporax.engine.recorder import record, wrap
from sporax.index_checks.checks import Check, joined


class DeferredPrint:
    """A print: `act(objects)`, with the Tensors in `objects` as they are at each run.

    `text(objects)`: its text in a listing. `values`: the recorded Values of the Tensors, until they
    are outputs of a graph. `weak`: whether each of them is a Python number.
    """

    is_check = False

    def __init__(self, act, text, objects):
        self.act, self.text = act, text
        values = [_lifted(t) for t in tensors_of(objects)]
        self.weak = [v.aval.weak for v in values]
        self.values = [strong(v) for v in values]
        self.objects = map_tensors(lambda t: _with_value(t, None), objects)

    def run(self, values):
        """Print, with these Values in the Tensors."""
        rest = zip(values, self.weak, strict=True)
        self.act(map_tensors(lambda t: _printed(t, *next(rest)), self.objects))

    def of(self, values):
        """The same print, of other Values."""
        result = copy.copy(self)
        result.values = values
        return result

    def where(self, test, is_true, values):
        """The same print, of other Values, if the Value `test` has that truth."""
        result = self.of([strong(test), *values])
        result.weak = [False, *self.weak]
        result.objects = [_with_value(wrap(test), None), self.objects]
        result.act = functools.partial(_act_where, self.act, is_true)
        result.text = functools.partial(_text_where, self.text, is_true)
        return result

    def described(self, names, values):
        """Its text in a listing, with these names for the Values."""
        rest = zip(names, values, strict=True)
        return self.text(map_tensors(lambda _: Name(*next(rest)), self.objects))


def _act_where(act, is_true, objects):
    if bool(objects[0]) is is_true:
        act(objects[1])


def _text_where(text, is_true, objects):
    return f"{'if' if is_true else 'if not'} {objects[0]}: {text(objects[1])}"


class DeferredPrints(list):
    """Prints and checks of indices, in order."""

    def take(self):
        """Remove and return all."""
        prints = DeferredPrints(self)
        self.clear()
        return prints

    def values(self):
        """The recorded Values of all."""
        return [value for shown in self for value in shown.values]

    def run(self, values):
        """Print and check all, with these Values."""
        rest = iter(values)
        for shown in self:
            shown.run([next(rest) for _ in shown.weak])

    def has_print(self):
        """Whether one is a print, and no check of indices."""
        return not all(shown.is_check for shown in self)

    def joined(self, recorder):
        """The recorded Values of all, once all checks of indices are one, the last."""
        checks = [(shown.values[0], shown.sites) for shown in self if shown.is_check]
        if len(checks) > 1:
            self[:] = [shown for shown in self if not shown.is_check]
            self.append(Check(*joined(checks, recorder)))
        return self.values()

    def let_go(self):
        """Drop the recorded Values."""
        for shown in self:
            shown.values = ()


def show(act, text, objects):
    """`act(objects)`, now or at each run of what is being recorded; see `DeferredPrint`."""
    if thread.recorder.tracer is None:
        act(objects)
    else:
        defer_print(DeferredPrint(act, text, objects))


def defer_print(shown):
    """Add a print to the running capture; if there is none, print now."""
    tracer = thread.recorder.tracer
    if tracer is None:
        shown.run(shown.values)
    else:
        tracer.add_deferred(shown)


def with_present_values(objects):
    """The same containers, with Tensors that keep the present Values."""
    return map_tensors(lambda t: _with_value(t, _lifted(t)), objects)


_identity = Op("identity", lambda x: x)


def strong(value):
    """A Value with a dtype of its own; a Python number's is weak."""
    return record(_identity, value) if value.aval.weak else value


def _lifted(tensor):
    if tensor.has_init:
        tensor.init_data()
    return tensor._lift()


def _with_value(tensor, value):
    """A Tensor of the same class and attributes."""
    result = object.__new__(type(tensor))
    result.__dict__.update(tensor.__dict__)
    result._value = value
    return result


def _printed(tensor, value, is_weak):
    return value.read().item() if is_weak else _with_value(tensor, value)


# texts ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Later:
    """The result of `function(*args, **kwargs)` once the Tensors in the arguments have concrete
    values; a part of what is printed."""

    function: Any
    args: tuple
    kwargs: dict

    def value(self):
        """The result now."""
        args = tuple([_now(arg) for arg in self.args])
        kwargs = {key: _now(arg) for key, arg in self.kwargs.items()}
        name = getattr(self.function, "__name__", "number")
        if name != "format" and _has_name((args, kwargs)):
            return Name(f"{name}({', '.join(map(str, args))})")
        return self.function(*args, **kwargs)

    def __str__(self):
        return str(self.value())

    def __repr__(self):
        return repr(self.value())

    def __format__(self, spec):
        return format(self.value(), spec)

    def __add__(self, text):
        return Later(operator.add, (self, text), {})

    def __radd__(self, text):
        return Later(operator.add, (text, self), {})


def _now(arg):
    return arg.value() if arg.__class__ is Later else arg


class Name(Tensor):
    """A Tensor in a listing, or a text computed from one."""

    def __init__(self, name, value=None):
        self.name, self._value = name, value

    def __repr__(self):
        return self.name

    __str__ = __repr__

    def __format__(self, spec):
        return f"{{{self.name}:{spec}}}" if spec else self.name


def _has_name(objects):
    return any(isinstance(item, Name) for item in tensors_of(objects))


def deferrable(item):
    """An item to print later: containers of Tensors as they are, anything else as a text."""
    if item.__class__ in (str, Later) or isinstance(item, Tensor) or tensors_of(item):
        return item
    return str(item)
