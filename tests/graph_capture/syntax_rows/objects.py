"""Tensor, Primitive, Cell and Parameter inside"""

import numpy as np

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from tests.graph_capture.syntax_rows.row import BREAKS, factory, row

X = Tensor(np.array([[1.0, -2.0, 3.0]], np.float32))
N = Tensor(3, ms.int32)


@row("Works.", (X, np.arange(3)))
def tensors_made(x, array):
    """`Tensor([1, 2])`, `tensor(array, dtype=ms.float32)`"""
    return x + ms.tensor(array, dtype=ms.float32) + Tensor([1, 2, 3])


@row("A Tensor made of a Tensor's numbers.", (X,))
def a_tensor_of_a_tensor(x):
    """`Tensor(x)`, `tensor(x, dtype=ms.int32)`"""
    return Tensor(x) + 1, ms.tensor(x, dtype=ms.int32)


@row("Not listed.", (X,), verdict=BREAKS, note="`ops.stack`", words="")
def a_tensor_of_tensors(x):
    """`Tensor([x[0, 0], x[0, 1]])`"""
    return Tensor([x[0, 0], x[0, 1]])


@row("Works.", (X,))
def attributes_of_tensors(x):
    """`x.shape`, `x.dtype`, `x.ndim`, `x.size`, `x.T`"""
    return x.T, x.shape, x.dtype, x.ndim, x.size


@row("Works.", (X,))
def methods_of_tensors(x):
    """`x.sum()`, `x.reshape(...)`, `x.astype(...)`, `x.abs().max(axis=1)`"""
    return x.sum(), x.reshape(-1), x.astype(ms.int32), x.abs().max(axis=1)


@row("Works.", (X,))
def sizes_as_numbers(x):
    """`for i in range(x.shape[1])`, `if x.shape[0] == 1`"""
    total = x
    for i in range(x.shape[1]):
        total = total + x[:, i]
    return total if x.shape[0] == 1 else x


@row("Works.", (X,))
def primitives_made(x):
    """`ops.ReduceSum(True)(x, 1)`"""
    return ops.ReduceSum(True)(x, 1)


@row("Not supported: attributes of a Primitive.", (X,))
def attributes_of_primitives(x):
    """`ops.ReduceSum(True).keep_dims`, `.name`"""
    total = ops.ReduceSum(True)
    return x, total.name


@row("Works, arguments by position alone.", (X,))
def cells_made(x):
    """`nn.Softmax(axis=-1)(x)`, a Cell without Parameters made inside"""
    return nn.Softmax(axis=-1)(x) + nn.ReLU()(x)


@row("Not supported.", (X,))
def a_cell_with_parameters_made(x):
    """`nn.Dense(3, 2, "ones", "zeros")(x)`, a Cell with Parameters made inside"""
    return nn.Dense(3, 2, "ones", "zeros")(x)


@factory("Not supported, except attributes of `self`.", (X,))
def attributes_of_cells():
    """attributes and methods of other Cells: `dense.weight`, `dense.trainable_params()`"""
    dense = nn.Dense(3, 2, "ones", "ones")

    def calling(x):
        names = [p.name for p in dense.trainable_params()]
        return x @ dense.weight.T, dense.in_channels, names

    return calling


@factory("Works.", (X,))
def primitives_called():
    """`self.matmul(x, y)`, a Primitive of `__init__`"""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.matmul = ops.MatMul()

        def construct(self, x):
            return self.matmul(x, x.T)

    return Net()


@factory("Works.", (X,), (X * 2,))
def a_parameter_given_by_assignment():
    """`self.weight = x` of a Parameter"""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(Tensor(np.ones((1, 3), np.float32)), name="w")

        def construct(self, x):
            self.weight = self.weight + x
            return x * self.weight

    net = Net()
    return net, lambda: net.weight.asnumpy()


@factory("Works.", (X,))
def a_parameter_written():
    """`ops.assign(self.weight, x)`, `self.weight += 1`"""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(Tensor(np.ones((1, 3), np.float32)), name="w")

        def construct(self, x):
            ops.assign(self.weight, x)
            before = self.weight * 1
            self.weight += 1
            return before + self.weight

    net = Net()
    return net, lambda: net.weight.asnumpy()


@row("Not supported: a Parameter cannot be made there.", (X,))
def a_parameter_made(x):
    """`Parameter(...)` made inside"""
    return x * Parameter(Tensor(np.array([2.0], np.float32)), name="w")


@factory("Works.", (X,))
def methods_of_the_cell():
    """`self.helper(x)`, a method; `self.part(x)`, a Cell"""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.part, self.scale = nn.ReLU(), 3

        def helper(self, x):
            return x * self.scale

        def construct(self, x):
            return self.helper(self.part(x))

    return Net()


@row("AttributeError.", (X,))
class AnAttributeThatIsNotThere(nn.Cell):
    """`self.y` that `__init__` did not make: the AttributeError of dynamic mode"""

    def construct(self, x):
        return x + self.y


@row("Not supported: the class is not given to the method.", (X,))
class ClassMethod(nn.Cell):
    """a `classmethod` or `staticmethod` of a Cell"""

    @classmethod
    def added(cls, x, y):
        return x + y

    @staticmethod
    def doubled(x):
        return x * 2

    def construct(self, x):
        return self.added(x, 1) + self.doubled(x)


@row("Not listed.", (X,))
class Property(nn.Cell):
    """a `property` of a Cell"""

    @property
    def scale(self):
        return 3

    def construct(self, x):
        return x * self.scale


@factory("Not seen by the compiled graph.", (X,), (X,))
def an_attribute_changed_outside():
    """`net.n = 2` between two calls"""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.n = 1

        def construct(self, x):
            return x + self.n

    net = Net()

    def look():
        net.n = 3 - net.n

    return net, look


@row("Works.", (X, N), note="a method of the Tensor's, or of `ops`")
def random_numbers(x, n):
    """random operations: `ops.dropout(x, 0.0)`, `ops.rand(3).shape`"""
    return ops.dropout(x, 0.0), ops.rand(3).shape, n


@factory("Not supported: not of `self`.", (X,))
def a_parameter_of_another_given():
    """`other.weight = x`, a Parameter of another Cell"""
    other = nn.Dense(3, 1, "ones", "zeros")

    def giving(x):
        other.weight = other.weight + x
        return other(x)

    return giving, lambda: other.weight.asnumpy()


@factory("TypeError.", (X,))
def wrong_arguments_of_construct():
    """a Cell called with too many arguments: the TypeError of dynamic mode"""

    class Net(nn.Cell):
        def construct(self, x):
            return x

    net = Net()
    return lambda x: net(x, 1)


@factory("Not supported (only `construct`).", (X,))
def methods_of_parts():
    """`self.part.helper(x)`, `self.parts[0](x)`, `for part in self.parts`"""

    class Part(nn.Cell):
        def construct(self, x):
            return x * 2

        def helper(self, x):
            return x + 1

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.part, self.parts = Part(), nn.CellList([Part(), nn.ReLU()])

        def construct(self, x):
            for part in self.parts:
                x = part(x)
            return self.part.helper(x) + self.parts[0](x) * len(self.parts)

    return Net()


@factory("Compiles equal Cells once.", (X,))
def lazy_inline():
    """`@lazy_inline` of `__init__`"""

    class Block(nn.Cell):
        @ms.lazy_inline
        def __init__(self, n):
            super().__init__()
            self.n = n

        def construct(self, x):
            return x * self.n

    return nn.SequentialCell(Block(2), Block(3))
