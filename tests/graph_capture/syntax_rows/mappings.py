"""Dicts and sets"""

import numpy as np

import sporax as ms
from sporax import Tensor
from tests.graph_capture.syntax_rows.row import BREAKS, factory, row

X = Tensor(np.array([1.0, -2.0, 3.0], np.float32))


@row("Keys are strings, numbers, constant Tensors and tuples of these.", (X,))
def dicts(x):
    """`{"a": x, 2: [x], (1, "b"): {}}`"""
    return {"a": x, 2: [x + 1], (1, "b"): {}}


@row("Works.", ({"x": X, "n": 2},), ({"x": X, "n": 3},))
def a_dict_as_argument(inputs):
    """a dict as an argument: `given["x"] * given["n"]`"""
    return inputs["x"] * inputs["n"]


@row("`keys`, `values` and `items` give tuples.", (X,))
def methods_that_ask(x):
    """`keys`, `values`, `items`, `get`, `in`, `len`"""
    d = {"a": x, "b": 2}
    both = list(d.keys()), list(d.values()), list(d.items())
    return both, d.get("a"), d.get("c"), d.get("c", 3), "a" in d, len(d)


@row("Works (a method of Python 2).", (X,), note="AttributeError, as of any dict; `key in d`")
def has_key(x):
    """`d.has_key("a")`"""
    return {"a": x}.has_key("a")


@row("Works.", (X,))
def methods_that_change(x):
    """`update`, `clear`, `fromkeys`"""
    d, e = {"a": 1}, {"b": 2}
    d.update({"a": x, "c": 3})
    e.clear()
    return d, e, dict.fromkeys("ab", 123)


@row("Not listed.", (X,))
def further_methods(x):
    """`pop`, `setdefault`, `popitem`, `copy`, `del d["a"]`, `d | e`"""
    d = {"a": 1, "b": 2, "c": x}
    d.setdefault("e", 4)
    last, copied = d.popitem(), d.copy()
    del d["a"]
    return d.pop("b"), d, last, copied, d | {"z": 0}


@row("Works ('LAX').", (X,))
def items_given(x):
    """`d["a"] = (2, 3, x)`, `return d`"""
    d = {"a": x, "b": x + 1}
    d["a"] = (2, 3, x)
    return d, d["b"]


@factory("Works ('LAX'); the dict itself may not change.", (X,))
def a_dict_outside():
    """`settings["n"] = 3` of a dict outside the function"""
    settings = {"n": 1}

    def setting(x):
        settings["n"] = 3
        return x * settings["n"]

    return setting, lambda: settings


@row("Not supported: no sets.", (X,))
def sets(x):
    """`{1, 2}`, `set(items)`, `|`, `in`, `frozenset`"""
    s = {1, 2} | set([2, 3])
    s.add(5)
    return x * len(s), 5 in s, frozenset(s)


@row("A constant Tensor may be a key.", ())
def a_tensor_as_key():
    """`{tensor: 1}`"""
    key = ms.tensor(1)
    return {key: 1}[key]


@row("Not listed.", ({"a": {"b": [X, (X,)]}},))
def nested(inputs):
    """dicts, lists and tuples in each other, as argument and result"""
    return {"c": inputs["a"]["b"][1][0] + inputs["a"]["b"][0], "d": [inputs]}


@row("Not listed.", ({"x": X, "n": 2},), verdict=BREAKS, words="changes a dict",
     note="change a copy, `dict(d, y=x)`, and return that")  # fmt: skip
def a_dict_given(d):
    """`d["y"] = x` of an argument"""
    d["y"] = d["x"] * 2
    return d["y"]
