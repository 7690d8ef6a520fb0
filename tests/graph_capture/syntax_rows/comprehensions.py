"""Comprehensions and generator expressions"""

import numpy as np

from sporax import Tensor
from tests.graph_capture.syntax_rows.row import BREAKS, row

X = Tensor(np.array([1.0, -2.0, 3.0], np.float32))


@row("Works.", (X,))
def a_list(x):
    """`[x * i for i in range(1, 11) if i % 2 == 0]`"""
    return [x * i for i in range(1, 11) if i % 2 == 0]


@row("Not supported: only one level.", (X,))
def nested_loops(x):
    """`[b for a in ((1, 2), (3, 4)) for b in a]`"""
    return [x * b for a in ((1, 2), (3, 4)) for b in a]


@row("Not listed.", (X,))
def nested_lists(x):
    """`[[x * i + j for i in range(2)] for j in range(2)]`"""
    return [[x * i + j for i in range(2)] for j in range(2)]


@row("Works.", (X,))
def a_dict(x):
    """`{k: v for (k, v) in items if v > 1}`"""
    return {k: x * v for (k, v) in [("a", 1), ("b", 2), ("c", 3)] if v > 1}


@row("Not supported: only one level.", (X,))
def nested_dicts(x):
    """`{k: v for y in x for (k, v) in y.items()}`"""
    several = ({"a": 1, "b": 2}, {"c": x})
    return {k: v for y in several for (k, v) in y.items()}


@row("A list.", (X,))
def a_generator_expression(x):
    """`sum(x * i for i in range(3))`, `tuple(... for ...)`"""
    return sum(x * i for i in range(3)), tuple(x + i for i in range(2))


@row("A list.", (X,))
def a_generator_expression_returned(x):
    """`return (x * i for i in range(3))`"""
    return (x * i for i in range(3))


@row("Not supported (`SetComp`).", (X,))
def a_set(x):
    """`{i % 2 for i in range(4)}`"""
    return x * len({i % 2 for i in range(4)})


@row("Not listed.", (X,))
def over_a_tensor(x):
    """`[row * 2 for row in x]` of a Tensor"""
    return [row_ * 2 for row_ in x]


@row("Not listed.", (X,))
def with_a_choice(x):
    """`[x if i else -x for i in range(2)]`"""
    return [x if i else -x for i in range(2)]


@row("Not supported.", (X,), verdict=BREAKS, words="as a condition", note="masks keep the shape")
def filtered_by_a_tensor(x):
    """`[v for v in x if v > 0]`: how many there are depends on numbers"""
    return [v for v in x if v > 0]
