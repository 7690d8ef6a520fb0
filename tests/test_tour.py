"""sporax in a minute, through MindSpore's own names: read it as a tour, run it before a commit."""

import numpy as np

import sporax

sporax.install_as_mindspore()

import mindspore as ms  # noqa: E402  the alias must be there first
from mindspore import Parameter, Tensor, nn, ops  # noqa: E402


class Line(nn.Cell):
    """y = a x + b"""

    def __init__(self):
        super().__init__()
        self.a = Parameter(Tensor([0.0], ms.float32))
        self.b = Parameter(Tensor([0.0], ms.float32))

    def construct(self, x):
        return self.a * x + self.b


def test_a_tensor_is_an_array_with_a_dtype():
    x = Tensor([[1, 2], [3, 4]], ms.float32)
    assert x.shape == (2, 2)
    assert x.dtype == ms.float32
    assert (x @ x + 1).asnumpy().tolist() == [[8.0, 11.0], [16.0, 23.0]]


def test_indexing_and_assignment():
    x = ops.zeros((2, 3), ms.float32)
    x[0, 1:] = 5
    assert x[0].asnumpy().tolist() == [0.0, 5.0, 5.0]


def test_printing():
    assert str(Tensor([1.5, 2.0])) == "[1.5 2. ]"


def test_a_derivative_is_a_function():
    cube = ms.grad(lambda x: x**3)
    assert cube(Tensor([2.0])).asnumpy().tolist() == [12.0]
    assert ms.grad(cube)(Tensor([2.0])).asnumpy().tolist() == [12.0]


def test_a_cell_knows_its_parameters():
    assert [p.name for p in Line().trainable_params()] == ["a", "b"]


def fit(compiled):
    ms.set_seed(1)
    net, x = Line(), Tensor(np.linspace(-1, 1, 32).astype(np.float32))
    y = 3 * x - 1
    loss_fn = nn.MSELoss()
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.1, momentum=0.9)
    gradient = ms.value_and_grad(lambda: loss_fn(net(x), y), None, optimizer.parameters)

    def step():
        loss, gradients = gradient()
        optimizer(gradients)
        return loss

    step = ms.jit(step) if compiled else step
    for _ in range(200):
        loss = step()
    return float(loss), net


def test_training_in_dynamic_code_and_compiled():
    dynamic, net = fit(compiled=False)
    compiled, copied = fit(compiled=True)
    assert dynamic < 1e-6
    assert compiled < 1e-6
    np.testing.assert_allclose(net.a.asnumpy(), [3.0], atol=1e-3)
    np.testing.assert_allclose(copied.a.asnumpy(), net.a.asnumpy(), rtol=1e-5)


def test_a_network_is_kept_and_found_again(tmp_path):
    _, net = fit(compiled=False)
    file = str(tmp_path / "line.ckpt")
    ms.save_checkpoint(net, file)
    again = Line()
    ms.load_param_into_net(again, ms.load_checkpoint(file))
    assert again.a.asnumpy() == net.a.asnumpy()
