"""`Registry`: the parts of a cell by name, and the rules for names."""

from collections import OrderedDict

from sporax._src.core.parameter import Parameter
from sporax._src.diagnosis.rules import rejection, require


class Registry(OrderedDict):
    """A cell's parameters or sub-cells by name, also stored as its attributes.

    `self.weight` is then a plain attribute look-up, which every layer does on every call.
    """

    __slots__ = ("attributes",)

    def __init__(self, attributes, members=()):
        super().__init__()
        self.attributes = attributes
        self.update(members)

    def __setitem__(self, name, member):
        super().__setitem__(name, member)
        self.attributes[name] = member

    def __delitem__(self, name):
        super().__delitem__(name)
        self.attributes.pop(name, None)

    def update(self, members):
        for name, member in dict(members).items():
            self[name] = member

    def pop(self, name, *default):
        if name in self:
            self.attributes.pop(name, None)
        return super().pop(name, *default)

    def clear(self):
        for name in self:
            self.attributes.pop(name, None)
        super().clear()

    def __reduce__(self):
        return dict, (dict(self),)  # the cell rebuilds the Registry


def tensors_in(cell):
    """A cell's own parameters and buffers."""
    return [t for t in (*cell._params.values(), *cell._buffers.values()) if t is not None]


def taken(cell, name):
    return rejection("name-taken", type(cell).__name__, name=name)


def check_name(who, what, name, without_dot):
    fits = isinstance(name, str) and name and not (without_dot and "." in name)
    rule = "name-without-dots" if without_dot else "not-empty-name"
    require(fits, rule, who, argument=what, got=name)


def refuse_one_name_twice(parameters):
    """Raise ValueError if two Parameters among (path, Parameter) pairs share a name."""
    who, first = "Parameter", {}
    for path, p in parameters:
        if isinstance(p, Parameter):
            earlier, known = first.setdefault(p.name, (path, p))
            require(known is p, "name-one-parameter-s", who, name=p.name, first=earlier, path=path)
