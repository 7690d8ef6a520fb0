"""`DeferredPrint`: a print of a captured function, executed at each run of its graph.

A print is a Python function of objects with Tensors. Outside a capture it is called immediately.
During a capture, the Values of these Tensors become outputs of the graph, and the prints are called
after each run of the graph, in program order.
"""

import copy
import functools
import operator
from dataclasses import dataclass
from typing import Any

from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import map_tensors, tensors_of
from sporax._src.core.value import thread
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import record, wrap
from sporax._src.runtime.index_checks.checks import Check, joined


class DeferredPrint:
    """A print: `act(objects)`, in which the Tensors in `objects` have the Values of each run.

    `text(objects)`: its text in a listing. `values`: the recorded Values of the Tensors, until they
    are outputs of a graph. `weak`: for each Value, True if it is a Python number.
    """

    is_check = False

    def __init__(self, act, text, objects):
        self.act, self.text = act, text
        values = [_lifted(t) for t in tensors_of(objects)]
        self.weak = [v.aval.weak for v in values]
        self.values = [strong(v) for v in values]
        self.objects = map_tensors(lambda t: _with_value(t, None), objects)

    def run(self, values):
        """Print with these Values in the Tensors."""
        remaining = zip(values, self.weak, strict=True)
        self.act(map_tensors(lambda t: _printed(t, *next(remaining)), self.objects))

    def with_values(self, values):
        """Return the same print with other Values."""
        result = copy.copy(self)
        result.values = values
        return result

    def where(self, test, is_true, values):
        """Return the same print with other Values, executed if the truth of `test` is `is_true`."""
        result = self.with_values([strong(test), *values])
        result.weak = [False, *self.weak]
        result.objects = [_with_value(wrap(test), None), self.objects]
        result.act = functools.partial(_act_where, self.act, is_true)
        result.text = functools.partial(_text_where, self.text, is_true)
        return result

    def described(self, names, values):
        """Return its text in a listing, with these names for the Values."""
        remaining = zip(names, values, strict=True)
        return self.text(map_tensors(lambda _: Name(*next(remaining)), self.objects))


def _act_where(act, is_true, objects):
    if bool(objects[0]) is is_true:
        act(objects[1])


def _text_where(text, is_true, objects):
    return f"{'if' if is_true else 'if not'} {objects[0]}: {text(objects[1])}"


class DeferredPrints(list):
    """Prints and index checks, in order."""

    def take(self):
        """Remove and return all."""
        prints = DeferredPrints(self)
        self.clear()
        return prints

    def values(self):
        """Return the recorded Values of all."""
        return [value for shown in self for value in shown.values]

    def run(self, values):
        """Print and check all, with these Values."""
        remaining = iter(values)
        for shown in self:
            shown.run([next(remaining) for _ in shown.weak])

    def has_print(self):
        """Return True if one is a print, not an index check."""
        return not all(shown.is_check for shown in self)

    def joined(self, recorder):
        """Merge all index checks into one, the last; return the recorded Values of all."""
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
    """Call `act(objects)` now, or at each run of the current recording; see `DeferredPrint`."""
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
    """Return the same containers, with Tensors that keep the current Values."""
    return map_tensors(lambda t: _with_value(t, _lifted(t)), objects)


_identity = Op("identity", lambda x: x)


def strong(value):
    """Return a Value with a strong dtype; Python numbers have a weak one."""
    return record(_identity, value) if value.aval.weak else value


def _lifted(tensor):
    if tensor.has_init:
        tensor.init_data()
    return tensor._lift()


def _with_value(tensor, value):
    """Return a Tensor with the same class and attributes, and this Value."""
    result = object.__new__(type(tensor))
    result.__dict__.update(tensor.__dict__)
    result._value = value
    return result


def _printed(tensor, value, is_weak):
    return value.read().item() if is_weak else _with_value(tensor, value)


# texts ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Later:
    """A deferred `function(*args, **kwargs)` in a print, evaluated when the Tensors in the
    arguments have concrete values."""

    function: Any
    args: tuple
    kwargs: dict

    def value(self):
        """Evaluate the result now."""
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
    """A Tensor in a listing, or a string computed from one."""

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
    """Prepare an item to be printed later: items with Tensors are kept, others become strings."""
    if item.__class__ in (str, Later) or isinstance(item, Tensor) or tensors_of(item):
        return item
    return str(item)
