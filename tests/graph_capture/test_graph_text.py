"""`jit(f).graph(...)`: what a captured function prints as."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, jit, nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense, self.norm = nn.Dense(3, 2), nn.BatchNorm1d(2)
        self.drop = nn.Dropout(p=0.5)

    def construct(self, x, scale=2.0):
        y = ops.relu(self.norm(self.dense(x)))
        return self.drop(y) * scale + Tensor([1.0, 2.0])


X = Tensor(np.ones((4, 3), np.float32))
FIRST = Net.construct.__code__.co_firstlineno + 1


def lines_of(listing):
    """The lines, those of the source shortened to `L1`, `L2`: after that of `def`."""
    text = str(listing)
    for k in (0, 1):
        text = text.replace(f"{__file__}:{FIRST + k}", f"L{k + 1}")
    return text.split("\n")


def test_a_cell_in_inference():
    assert lines_of(jit(Net()).graph(X)) == [
        "graph Net(x: Float32 (4, 3))",
        "  parameter dense.weight: Float32 (2, 3)",
        "  parameter dense.bias: Float32 (2,)",
        "  parameter norm.gamma: Float32 (2,)",
        "  parameter norm.beta: Float32 (2,)",
        "  parameter norm.moving_mean: Float32 (2,)",
        "  parameter norm.moving_variance: Float32 (2,)",
        "  constant constant0: Float32 (2,)",
        "  %0 = Dense(x, dense.weight, dense.bias): Float32 (4, 2)  # L1",
        "  %1 = BatchNorm(%0, norm.gamma, norm.beta, norm.moving_mean, norm.moving_variance, "
        "epsilon=1e-05): Float32 (4, 2)  # L1",
        "  %2 = ReLU(%1): Float32 (4, 2)  # L1",
        "  %3 = Mul(%2, 2.0): Float32 (4, 2)  # L2",
        "  %4 = Add(%3, constant0): Float32 (4, 2)  # L2",
        "  return %4",
    ]


def test_what_is_written_and_what_is_left_as_it_was():
    net = Net().set_train()
    before = [p.asnumpy() for p in net.get_parameters()]
    state = ms.get_rng_state().asnumpy()
    f = jit(net)
    result = f.graph(X, scale=3.0)
    assert result.written == ["norm.moving_mean", "norm.moving_variance", "random state"]
    assert lines_of(result)[-3:] == [
        "  write norm.moving_mean = %2",
        "  write norm.moving_variance = %3",
        "  write random state = %8",
    ]
    for p, old in zip(net.get_parameters(), before, strict=True):
        np.testing.assert_array_equal(p.asnumpy(), old)
    np.testing.assert_array_equal(ms.get_rng_state().asnumpy(), state)
    assert f.captures == 0


def test_names_of_arguments():
    def f(pair, *rest, state, **more):
        state["h"][...] = pair[1]
        return pair[0] + rest[0] + more["z"]

    one = Tensor([1.0])
    result = jit(f).graph((one, one), one, z=one, state={"h": one})
    assert [i.name for i in result.inputs] == [
        "pair[0]", "pair[1]", "rest[0]", "state['h']", "more['z']",
    ]  # fmt: skip
    assert result.written == ["state['h']"]
    assert one.asnumpy() == [1.0]


def test_outside_tensors_are_told_apart():
    v, w = Parameter(Tensor([1.0]), name="w"), Parameter(Tensor([1.0]), name="w")
    a, b = Tensor([1.0]), Tensor([1.0])
    result = jit(lambda x: x * v + w + a + b).graph(Tensor([1.0]))
    assert [i.name for i in result.inputs] == ["x", "w", "w#2", "tensor0", "tensor1"]


def test_a_training_step():
    net = nn.Dense(3, 1)
    step = ms.value_and_grad(lambda x: (net(x) ** 2).mean(), None, net.trainable_params())

    @jit
    def train(x):
        loss, gradients = step(x)
        net.bias.set_data(net.bias - 0.1 * gradients[1])
        return loss

    before = net.bias.asnumpy()
    text = str(train.graph(X))
    assert "Dense.grad(x, " in text and "  write bias = %" in text
    np.testing.assert_array_equal(net.bias.asnumpy(), before)
    assert str(train.graph(X)) == text  # although walks back are remembered
    train(X)
    assert str(train.graph(X)) == text


def test_a_branch_is_an_operation():
    def either(x):
        return x if x.sum() > 0 else -x

    assert "= if(%" in str(jit(either).graph(X))


def test_what_has_no_listing():
    def needs(x):
        return x * float(x.sum())

    with pytest.raises(RuntimeError, match=r"'graph'.*test_graph_text.py:\d+: return x \* float"):
        jit(needs).graph(X)
    with pytest.raises(TypeError, match="'n' must not be a mutable number"):
        jit(lambda x, n: x * n).graph(X, ms.mutable(2))
    with pytest.raises(TypeError, match="inputs must fit the function"):
        jit(lambda x: x).graph()
