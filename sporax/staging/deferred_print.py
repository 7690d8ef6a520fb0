"""What a captured function prints: at each run, with the numbers of that run.

A print is a function of Python's on objects that hold Tensors. Outside of a capture it is called at
once. Inside, the Values of those Tensors become results of the recording, and it is called after
each run of that, in the order in which the function itself would have called it.
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

    `text(objects)`: what a listing shows of it. `values`: what the Tensors hold in the recording,
    until that has become a graph.
    """

    is_check = False

    def __init__(self, act, text, objects):
        self.act, self.text = act, text
        values = [_lifted(t) for t in tensors_of(objects)]
        self.numbers = [v.aval.weak for v in values]  # which stand for Python numbers
        self.values = [strong(v) for v in values]
        self.objects = map_tensors(lambda t: _like(t, None), objects)

    def make(self, values):
        """Print, with these Values in the Tensors."""
        given = zip(values, self.numbers, strict=True)
        self.act(map_tensors(lambda t: _holding(t, *next(given)), self.objects))

    def of(self, values):
        """The same print, of other Values."""
        twin = copy.copy(self)
        twin.values = values
        return twin

    def where(self, test, is_true, values):
        """The same print, of other Values, where the Value `test` has that truth."""
        twin = self.of([strong(test), *values])
        twin.numbers = [False, *self.numbers]
        twin.objects = [_like(wrap(test), None), self.objects]
        twin.act = functools.partial(_act_where, self.act, is_true)
        twin.text = functools.partial(_text_where, self.text, is_true)
        return twin

    def described(self, names, values):
        """What a listing shows of it, where the Values have these names."""
        rest = zip(names, values, strict=True)
        return self.text(map_tensors(lambda _: Name(*next(rest)), self.objects))


def _act_where(act, is_true, objects):
    if bool(objects[0]) is is_true:
        act(objects[1])


def _text_where(text, is_true, objects):
    return f"{'if' if is_true else 'if not'} {objects[0]}: {text(objects[1])}"


class DeferredPrints(list):
    """Prints, in order."""

    def taken(self):
        """The prints, which are not here any more."""
        prints = DeferredPrints(self)
        self.clear()
        return prints

    def values(self):
        """All that is printed, as the recording has it."""
        return [value for shown in self for value in shown.values]

    def make(self, values):
        """Print all, with these Values."""
        rest = iter(values)
        for shown in self:
            shown.make([next(rest) for _ in shown.numbers])

    def has_print(self):
        """Whether one is a print, and no check of indices."""
        return not all(shown.is_check for shown in self)

    def joined(self, recorder):
        """As `values`, once all checks of indices have become one, the last."""
        checks = [(shown.values[0], shown.sites) for shown in self if shown.is_check]
        if len(checks) > 1:
            self[:] = [shown for shown in self if not shown.is_check]
            self.append(Check(*joined(checks, recorder)))
        return self.values()

    def let_go(self):
        """Keep nothing of the recording."""
        for shown in self:
            shown.values = ()


def show(act, text, objects):
    """`act(objects)`, now or at each run of what is being recorded; see `DeferredPrint`."""
    if thread.recorder.tracer is None:
        act(objects)
    else:
        give(DeferredPrint(act, text, objects))


def give(made):
    """Let what is being recorded show a print; where nothing is, it is shown now."""
    tracer = thread.recorder.tracer
    if tracer is None:
        made.make(made.values)
    else:
        tracer.add_deferred(made)


def snapshot(objects):
    """The same containers, with Tensors that hold what those in them hold now."""
    return map_tensors(lambda t: _like(t, _lifted(t)), objects)


_identity = Op("identity", lambda x: x)


def strong(value):
    """A value with a dtype of its own, where it is a mutable number as it came."""
    return record(_identity, value) if value.aval.weak else value


def _lifted(tensor):
    if tensor.has_init:
        tensor.init_data()
    return tensor._lift()


def _like(tensor, value):
    """A Tensor of the same kind and attributes."""
    twin = object.__new__(type(tensor))
    twin.__dict__.update(tensor.__dict__)
    twin._value = value
    return twin


def _holding(tensor, value, is_number):
    return value.read().item() if is_number else _like(tensor, value)


# texts ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Later:
    """What `function(*args, **kwargs)` gives when the Tensors in the arguments have numbers; it
    stands for that in what is printed."""

    function: Any
    args: tuple
    kwargs: dict

    def value(self):
        """What it stands for, now."""
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
    """What stands for a Tensor, or what is made of it, in a listing."""

    def __init__(self, name, value=None):
        self.name, self._value = name, value

    def __repr__(self):
        return self.name

    __str__ = __repr__

    def __format__(self, spec):
        return f"{{{self.name}:{spec}}}" if spec else self.name


def _has_name(objects):
    return any(isinstance(item, Name) for item in tensors_of(objects))


def taken(item):
    """An item to be printed later: containers of Tensors as they are, anything else as a text."""
    if item.__class__ in (str, Later) or isinstance(item, Tensor) or tensors_of(item):
        return item
    return str(item)
