"""What lies outside and changes at each call"""

import numpy as np

from sporax import Tensor, nn
from tests.graph_capture.syntax_rows.row import BREAKS, factory

X = Tensor(np.array([1.0, -2.0, 3.0], np.float32))


@factory("The list itself is changed and returned ('LAX'), or another is returned ('STRICT').", (),
      verdict=BREAKS, whole=False, words="items.reverse()")  # fmt: skip
def a_list_outside():
    """`items.reverse()` of a list outside the function"""
    items = [1, 2, 3, 4]

    def turned():
        items.reverse()
        return items

    return turned, lambda: items


@factory("Changes a copy.", (X,), verdict=BREAKS, whole=False, words="seen.append(1)",
      note="return what is to be kept")  # fmt: skip
def a_list_outside_that_grows():
    """`seen.append(1)` of a list outside the function"""
    seen = []

    def noting(x):
        seen.append(1)
        return x * len(seen)

    return noting, lambda: seen


@factory("Works ('LAX'); the dict itself may not change.", (X,), verdict=BREAKS, whole=False,
      words="last", note="return the Tensor, or keep it in a Parameter")  # fmt: skip
def a_tensor_in_a_dict_outside():
    """`last["x"] = x + 1`, a Tensor, of a dict outside the function"""
    last = {}

    def keeping(x):
        last["x"] = x + 1
        return x

    return keeping, lambda: last


@factory("Not supported (`Nonlocal`).", (X,), verdict=BREAKS, whole=False, words="count += 1",
      note="a Parameter may count")  # fmt: skip
def nonlocal_outside():
    """`nonlocal count; count += 1` of a variable outside"""
    count = 0

    def counting(x):
        nonlocal count
        count += 1
        return x * count

    return counting, lambda: count


class Reset(nn.Cell):
    """A Cell whose attribute somebody sets back."""

    def __init__(self):
        super().__init__()
        self.m = 2

    def construct(self, x):
        self.m = 3
        return x * 2


@factory("Not seen.", (X,), (X,), (X,), verdict=BREAKS, whole=False, words="self.m = 3")
def an_attribute_set_back_between_calls():
    """`self.m = 3` in `construct`, and `net.m = 2` between calls"""
    net = Reset()

    def look():
        seen, net.m = net.m, 2
        return seen

    return net, look


class Keeping(nn.Cell):
    """A Cell that keeps a Tensor."""

    def __init__(self):
        super().__init__()
        self.attr = 1

    def construct(self, x):
        self.attr = x + 1
        return self.attr


@factory("Works with `capture_mode='bytecode'`.", (X,), verdict=BREAKS, whole=False,
      words="self.attr = x + 1", note="keep it in a Parameter or buffer")  # fmt: skip
def a_tensor_kept_as_an_attribute():
    """`self.attr = x + 1` of an attribute that is not a Parameter"""
    net = Keeping()
    return net, lambda: net.attr


class Counter(nn.Cell):
    """A Cell that counts its calls."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def construct(self, x):
        self.count += 1
        return x * self.count


@factory("Works ('LAX').", (X,), verdict=BREAKS, whole=False, words="self.count += 1",
      note="a Parameter may count")  # fmt: skip
def a_counter():
    """`self.count += 1` of a number"""
    net = Counter()
    return net, lambda: net.count
