"""Lists and tuples"""

import numpy as np

import sporax as ms
from sporax import Tensor, nn
from tests.graph_capture.syntax_rows.row import BREAKS, factory, row

X = Tensor(np.array([1.0, -2.0, 3.0], np.float32))
AT = Tensor(1, ms.int32)


@row("Works.", (X,))
def lists_inside(x):
    """lists of anything, nested"""
    a, b, c = [1, 2], ["1", "a"], [x, x + 1]
    return [a, b, c, (4, [5])]


@row("Works; the elements are constants.", ([1, 2, [3, 4]],), ([X, X],))
def a_list_as_argument(items):
    """a list as an argument and as the result"""
    return items


@row("Works.", (X,))
def indices_of_lists(x):
    """`items[0]`, `items[0][1]`, `items[1:3:1]`, `items[-1]`"""
    items = [[1, x], 3, 4]
    return items[0], items[0][1], items[1:3:1], items[-1]


@row("Works with constants.", (X,))
def a_constant_tensor_as_index(x):
    """`items[tensor([1])]` of a Tensor made inside"""
    return x * [5, 6, 7][ms.tensor([1])]


@row("Works.", (X, AT), verdict=BREAKS, words="index of a list",
     note="`ops.stack(items)[i]` is a graph")  # fmt: skip
def a_tensor_as_index(x, i):
    """`items[i]` where `i` is a Tensor argument"""
    items = [x, x + 1, x + 2]
    return items[i]


@row("Works; makes a new list.", (X,))
def items_given(x):
    """`items[1] = x`, `items[0][1] = 88`, `items[1:2] = ...`"""
    items = [[0, 1], 2, 3, 4]
    items[1] = x
    items[2] = "ok"
    items[0][1] = 88
    items[3:] = [5, 6]
    return items


@row("Works; makes a new list.", (X,))
def append(x):
    """`items.append(x)`"""
    items = [1]
    for i in range(3):
        items.append(x * i)
    return items


@row("Works; makes a new list.", (X,))
def clear(x):
    """`items.clear()`"""
    items = [1, 2]
    items.clear()
    return items, x


@row("Works with a tuple, list or Tensor.", (X,))
def extend(x):
    """`items.extend((4, "a"))`, `items.extend(x)` with a Tensor"""
    items = [1]
    items.extend((4, "a"))
    items.extend(x)
    return items


@row("Works; the index must be constant.", (X,))
def pop(x):
    """`items.pop()`, `items.pop(0)`"""
    items = [x, 2, x + 3]
    return items.pop(), items.pop(0), items


@row("Works.", (X,))
def reverse(x):
    """`items.reverse()`"""
    items = [x, 2, 3]
    items.reverse()
    return items


@row("Works; the index must be constant.", (X,))
def insert(x):
    """`items.insert(1, x)`, `items.insert(99, 4)`"""
    items = [1, 2]
    items.insert(1, x)
    items.insert(99, 4)
    items.insert(-99, 0)
    return items


@row("Not listed.", (X,))
def further_methods(x):
    """`sort`, `copy`, `count`, `index`, `remove`, `del items[0]`, `items += ...`"""
    items = [3, 1, 2]
    items.sort()
    copied = items.copy()
    copied.remove(2)
    del copied[0]
    copied += [x]
    return items, copied, items.count(1), items.index(3)


@row("The first level alone.", (X,))
def stars(x):
    """`a, *rest = items`, `[*items, x]`, `(*items,)`"""
    first, *rest = [x, 2, 3]
    return first, rest, [*rest, x], (*rest,)


@row("Works; elements cannot be given.", (X,))
def tuples(x):
    """tuples: `t[1][1]`, `t[4]`, `t[1:4]`, `t[-4]`"""
    t = (1, (2, 3, 4), 3, 4, x)
    return t[1][1], t[4], t[1:4], t[-4]


@row("Works.", (X,))
def tuples_joined(x):
    """`t + u`, `t * 2`"""
    t, u = (1, x), (3,)
    return t + u, t * 2, 2 * u


@factory("Works, if all Cells take and give the same.", (X, 0), (X, 1))
def cells_in_a_tuple():
    """`self.layers[i](x)` with a number"""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.relu, self.softmax = nn.ReLU(), nn.Softmax()
            self.layers = (self.relu, self.softmax)

        def construct(self, x, i):
            return self.layers[i](x)

    return Net()


@factory("Works, if all Cells take and give the same.", (X, AT), whole=False,
      note="chosen on the host, between two graphs; not with `fullgraph=True`")  # fmt: skip
def a_tensor_chooses_a_cell():
    """`self.layers[i](x)` where `i` is a Tensor"""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layers = (nn.ReLU(), nn.Tanh())

        def construct(self, x, i):
            return self.layers[i](x)

    return Net()


@row("TypeError.", (X,))
def an_item_of_a_tuple(x):
    """`t[0] = x` of a tuple: the TypeError of Python"""
    t = (1, 2)
    t[0] = x
    return t


@factory("Changes a copy.", ([1, 2], X), verdict=BREAKS, words="changes a list",
      note="change a copy, `[*items, 3]`, and return that")  # fmt: skip
def a_list_given():
    """`items.append(3)` of an argument"""

    def appending(items, x):
        items.append(3)
        return x * len(items)

    return appending


@row("`None` in a slice works.", (X,))
def none_in_a_slice(x):
    """`items[None:2]`, `t[:None]`"""
    return [x, 2, 3][None:2], (x, 2)[:None]


@row("`while` by a list works.", (X,))
def while_by_a_list(x):
    """`while items: x = x + items.pop()`"""
    items = [1, 2, x]
    while items:
        x = x + items.pop()
    return x
