"""Random Python state, functions that read a part of it, and changes to a part of it.

A `Node` holds a number, an array, or another Node: in a container, an object, a class, a module, a
function. A function is written as source from the expressions that read some of the Nodes, and
finds them as globals, variables of an enclosing function, default arguments, or attributes of what
it is a method of.
"""

import collections
import dataclasses
import enum
import functools
import operator
import types

import numpy as np

from sporax import nn


class Plain:
    """An object with one attribute."""

    def __init__(self, part):
        self.part = part

    def get(self):
        return self.part

    @property
    def prop(self):
        return self.part

    def __call__(self):
        return self.part


class Slotted:
    __slots__ = ("part",)

    def __init__(self, part):
        self.part = part


class SlottedBelow(Slotted):
    __slots__ = ("other",)

    def get(self):
        return self.part


@dataclasses.dataclass
class Data:
    part: object
    other: int = 3


@dataclasses.dataclass(frozen=True)
class Frozen:
    part: object


class ByName:
    """An object that finds its attributes in a dict."""

    def __init__(self, part):
        self.held = {"part": part}

    def __getattr__(self, name):
        try:
            return self.__dict__["held"][name]
        except KeyError:
            raise AttributeError(name) from None


class Listed(list):
    """A list with an attribute."""

    part = None


class Mapped(dict):
    """A dict whose items are attributes."""

    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


class Indexed:
    """An object whose code is that of operators."""

    def __init__(self, part):
        self.held = part

    def __getitem__(self, index):
        return self.held

    def __len__(self):
        return 3

    def __add__(self, other):
        return self.held


class Lazy:
    def __init__(self, part):
        self.source = part

    @functools.cached_property
    def part(self):
        return self.source


class Net(nn.Cell):
    def __init__(self, part):
        super().__init__()
        self.part = part

    def construct(self, x):
        return x

    def get(self):
        return self.part


Pair = collections.namedtuple("Pair", "part other")
FIELD = "part"  # a name that code finds in a variable


def put(name):
    return lambda holder, part: setattr(holder, name, part)


def put_item(key):
    return lambda holder, part: operator.setitem(holder, key, part)


def with_part(kind):
    """What makes an object of a class of its own, whose attribute holds the part."""

    def make(part):
        return type("Made", (kind,), {"part": part})

    return make


def listed(part):
    built = Listed()
    built.part = part
    return built


def function_with_attribute(part):
    def function():
        return function.part

    function.part = part
    return function


def default(part):
    def function(given=part):
        return given

    return function


def keyword_default(part):
    def function(*, given=part):
        return given

    return function


def enclosed(part):
    def function():
        return part

    return function


def module(part):
    built = types.ModuleType("settings_module")
    built.part = part
    return built


def member(part):
    class Choice(enum.Enum):
        ONE = 1

    Choice.ONE._value_ = part
    return Choice


def object_array(part):
    built = np.empty(2, object)
    built[1] = part
    return built


def plain_dict(part):
    return {"other": 0, "part": part}


def many(part):
    return [Plain(0.0) for _ in range(300)] + [Plain(part)]


def put_enclosed(function, part):
    function.__closure__[0].cell_contents = part


def put_default(function, part):
    function.__defaults__ = (part,)


def put_keyword_default(function, part):
    function.__kwdefaults__["given"] = part


def put_held(holder, part):
    holder.held["part"] = part


def put_lazy(holder, part):
    holder.source = part
    vars(holder).pop("part", None)


# (what makes it, how it is read, what puts another part there or None)
HOLDERS = {
    "list": (lambda p: [0.0, p], "{}[1]", put_item(1)),
    "long list": (lambda p: [*map(float, range(2000)), p], "{}[2000]", put_item(2000)),
    "tuple": (lambda p: (0.0, p), "{}[1]", None),
    "named tuple": (lambda p: Pair(p, 0), "{}.part", None),
    "dict": (plain_dict, "{}['part']", put_item("part")),
    "dict of dicts": (lambda p: {"a": plain_dict(p)}, "{}['a']['part']",
                      lambda h, p: put_item("part")(h["a"], p)),
    "ordered dict": (lambda p: collections.OrderedDict(part=p), "{}['part']", put_item("part")),
    "default dict": (lambda p: collections.defaultdict(int, part=p), "{}['part']",
                     put_item("part")),
    "default factory": (lambda p: collections.defaultdict(lambda: p), "{}['none' + str(1)]", None),
    "mapping proxy": (lambda p: types.MappingProxyType({"part": p}), "{}['part']", None),
    "chain map": (lambda p: collections.ChainMap({}, {"part": p}), "{}['part']",
                  lambda h, p: put_item("part")(h.maps[0], p)),
    "deque": (lambda p: collections.deque([0.0, p]), "{}[1]", put_item(1)),
    "subclass of list": (listed, "{}.part", put("part")),
    "subclass of dict": (lambda p: Mapped(part=p), "{}.part", put("part")),
    "user dict": (lambda p: collections.UserDict(part=p), "{}['part']", put_item("part")),
    "object array": (object_array, "{}[1]", put_item(1)),
    "object": (Plain, "{}.part", put("part")),
    "method": (Plain, "{}.get()", put("part")),
    "bound method": (lambda p: Plain(p).get, "{}()", lambda h, p: put("part")(h.__self__, p)),
    "property": (Plain, "{}.prop", put("part")),
    "callable object": (Plain, "{}()", put("part")),
    "vars": (Plain, "vars({})['part']", lambda h, p: vars(h).update(part=p)),
    "getattr": (Plain, "getattr({}, 'part')", put("part")),
    "getattr by a variable": (Plain, "getattr({}, FIELD)", put("part")),
    "attrgetter": (Plain, "operator.attrgetter(FIELD)({})", put("part")),
    "slots": (Slotted, "{}.part", put("part")),
    "slots of a base": (SlottedBelow, "{}.get()", put("part")),
    "slots by a variable": (Slotted, "getattr({}, FIELD)", put("part")),
    "data class": (Data, "{}.part", put("part")),
    "data class as a dict": (Data, "dataclasses.asdict({})['part']", put("part")),
    "frozen data class": (Frozen, "{}.part", None),
    "simple namespace": (lambda p: types.SimpleNamespace(part=p), "{}.part", put("part")),
    "__getattr__": (ByName, "{}.part", put_held),
    "__getitem__": (Indexed, "{}[0]", put("held")),
    "__add__": (Indexed, "({} + 1)", put("held")),
    "cached property": (Lazy, "{}.part", put_lazy),
    "Cell": (Net, "{}.part", put("part")),
    "method of a Cell": (Net, "{}.get()", put("part")),
    "Cell in a CellList": (lambda p: nn.CellList([nn.ReLU(), Net(p)]), "{}[1].part",
                           lambda h, p: put("part")(h[1], p)),
    "attribute of a class": (with_part(Plain), "{}.part", put("part")),
    "attribute of a base class": (lambda p: type("Below", (with_part(Plain)(p),), {}), "{}.part",
                                  put("part")),
    "attribute of an object's class": (lambda p: with_part(object)(p)(), "{}.part",
                                       lambda h, p: put("part")(type(h), p)),
    "attribute that hides that of the class": (lambda p: with_part(object)(p)(), "{}.part",
                                               put("part")),
    "attribute of a module": (module, "{}.part", put("part")),
    "function's attribute": (function_with_attribute, "{}()", put("part")),
    "default": (default, "{}()", put_default),
    "keyword default": (keyword_default, "{}()", put_keyword_default),
    "variable": (enclosed, "{}()", put_enclosed),
    "partial": (lambda p: functools.partial(lambda a, b: b, 1, b=p), "{}()",
                lambda h, p: h.keywords.update(b=p)),
    "value of an enumeration": (member, "{}.ONE.value", lambda h, p: put("_value_")(h.ONE, p)),
    "behind 300 objects": (many, "{}[300].part", lambda h, p: put("part")(h[300], p)),
    "list in a comprehension": (lambda p: [p], "[item for item in {}][0]", put_item(0)),
}  # fmt: skip


def change_array(array, rng):
    array[rng.integers(array.size)] += 1.0 + rng.random()


def change_list(items, rng):
    items[rng.integers(len(items))] = float(rng.random())


# (what makes it of a random generator, how a number is read of it, what changes it in place)
LEAVES = {
    "number": (lambda r: float(r.integers(1, 100)) / 8, "{}", None),
    "small array": (lambda r: r.random(3), "float({}.sum())", change_array),
    "large array": (lambda r: r.random(20_000), "float({}.sum())", change_array),
    "transposed array": (lambda r: r.random((3, 5)).T[1], "float({}.sum())", change_array),
    "numbers": (lambda r: r.random(400).tolist(), "sum({})", change_list),
    "set": (lambda r: {float(r.random())}, "sum({})", lambda s, r: s.add(float(r.random()))),
    "length": (lambda r: [0], "float(len({}))", lambda s, r: s.append(0)),
    "bytes": (lambda r: bytearray([1, 2]), "float({}[0])", lambda b, r: b.__setitem__(0, b[0] + 1)),
    "type of a number": (lambda r: [1], "(3.0 if type({}[0]) is bool else 4.0)",
                         lambda s, r: s.__setitem__(0, s[0].__class__ is int or 1)),
    "sign of a zero": (lambda r: [0.0], "(1.0 if str({}[0])[0] == '-' else 2.0)",
                       lambda s, r: s.__setitem__(0, -s[0])),
}  # fmt: skip


class Node:
    """Something that holds another Node, or a leaf of the kind `kinds[-1]`."""

    def __init__(self, kinds, rng):
        self.kinds, self.rng = kinds, rng
        if len(kinds) == 1:
            self.part, self.value = None, LEAVES[kinds[0]][0](rng)
        else:
            self.part = Node(kinds[1:], rng)
            self.value = HOLDERS[kinds[0]][0](self.part.value)

    def read(self, expression):
        """The expression for the number, of the one for the Node."""
        if self.part is None:
            return LEAVES[self.kinds[0]][1].format(expression)
        return self.part.read(HOLDERS[self.kinds[0]][1].format(expression))

    def change(self):
        """Change something at random; whether that was possible."""
        if self.part is None:
            change = LEAVES[self.kinds[0]][2]
            if change is not None:
                change(self.value, self.rng)
            return change is not None
        put = HOLDERS[self.kinds[0]][2]
        if (put is None or self.rng.random() < 0.5) and self.part.change():
            return True
        if put is not None:
            self.part = Node(self.kinds[1:], self.rng)
            put(self.value, self.part.value)
        return put is not None


def node(rng):
    depth = rng.integers(0, 5)
    kinds = [*rng.choice([*HOLDERS], depth), rng.choice([*LEAVES])]
    return Node([*map(str, kinds)], rng)


# how a function finds its Nodes: source, with the expressions in place of {reads}
PLACES = {
    "globals": "def f(x):\n    return x * ({reads})\n",
    "helper": "def g():\n    return {reads}\ndef h():\n    return g()\n"
              "def f(x):\n    return x * h()\n",
    "enclosing": "def make({names}):\n    def change(name, value):\n        nonlocal {names}\n"
                 "        {puts}\n    return lambda x: x * ({reads}), change\n"
                 "f, change = make({names})\n",
    "defaults": "def f(x, {defaults}):\n    return x * ({reads})\n",
    "keyword defaults": "def f(x, *, {defaults}):\n    return x * ({reads})\n",
    "method": "class Holder:\n    def __init__(self):\n        {sets}\n    def run(self, x):\n"
              "        return x * ({own})\nholder = Holder()\nf = holder.run\n",
    "Cell": "class Holder(nn.Cell):\n    def __init__(self):\n        super().__init__()\n"
            "        {sets}\n    def construct(self, x):\n        return x * ({own})\n"
            "holder = Holder()\nf = holder\n",
    "part of a Cell": "class Part(nn.Cell):\n    def construct(self, x):\n"
                      "        return x * ({reads})\n"
                      "f = nn.SequentialCell([nn.ReLU(), Part()])\n",
    "class": "class Holder:\n    {classes}\n    def __call__(self, x):\n"
             "        return x * ({own})\nf = Holder()\n",
    "partial": "def run(k, x):\n    return x * (k + {reads})\nf = functools.partial(run, 1.0)\n",
    "lambda in a list": "table = [lambda x: x * ({reads})]\ndef f(x):\n    return table[0](x)\n",
}  # fmt: skip


class State:
    """Random state, and `function`, which reads some of it. `words`: what it is, for messages."""

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng(seed)
        self.nodes = {f"n{i}": node(rng) for i in range(rng.integers(1, 5))}
        self.place = str(rng.choice([*PLACES]))
        chosen = [n for n in self.nodes if rng.random() < 0.6] or ["n0"]
        names = [*self.nodes]

        def sum_of(form):
            return " + ".join(self.nodes[n].read(form.format(n)) for n in chosen)

        source = PLACES[self.place].format(
            names=", ".join(names),
            reads=sum_of("{}"),
            own=sum_of("self.{}"),
            puts="\n        ".join(f"if name == '{n}': {n} = value" for n in names),
            sets="\n        ".join(f"self.{n} = {n}" for n in names),
            defaults=", ".join(f"{n}={n}" for n in names),
            classes="\n    ".join(f"{n} = {n}" for n in names),
        )
        self.space = {
            "__name__": "random_state_case", "nn": nn, "functools": functools, "FIELD": FIELD,
            "operator": operator, "dataclasses": dataclasses,
            **{name: node.value for name, node in self.nodes.items()},
        }  # fmt: skip
        exec(source, self.space)
        self.function = self.space["f"]
        kinds = {name: " > ".join(node.kinds) for name, node in self.nodes.items()}
        self.words = f"{seed=}: {kinds}\n{source}"

    def change(self):
        """Change some of the state."""
        for _ in range(self.rng.integers(1, 3)):
            name = str(self.rng.choice([*self.nodes]))
            if self.rng.random() < 0.2 or not self.nodes[name].change():
                self._replace(name)

    def _replace(self, name):
        """Let a variable of the function hold another Node of the same kind."""
        built = self.nodes[name] = Node(self.nodes[name].kinds, self.rng)
        function = self.function
        if self.place == "enclosing":
            self.space["change"](name, built.value)
        elif self.place == "defaults":
            function.__defaults__ = tuple(node.value for node in self.nodes.values())
        elif self.place == "keyword defaults":
            function.__kwdefaults__[name] = built.value
        elif self.place in ("method", "Cell"):
            setattr(self.space["holder"], name, built.value)
        elif self.place == "class":
            setattr(type(function), name, built.value)
        else:
            self.space[name] = built.value
