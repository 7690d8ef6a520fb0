"""Tensors that share memory: writes through views, against NumPy."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, grad, jit, mint, nn, ops
from tests.storage.view_programs import Writer, by_method, run

pytestmark = pytest.mark.executors


def _update(x, name, factor):
    getattr(x, name)(factor)


def _run(program, x):
    return run(program, x, by_method, _update)


def _objective(tensors):
    """A scalar in which each element of each tensor counts differently."""
    total = 0.0
    for k, t in enumerate(tensors):
        flat = t.reshape(-1)
        weights = np.arange(1.0, flat.shape[0] + 1) / (k + 1)
        total = total + ((flat + 0.1 * flat * flat) * weights).sum()
    return total


def _weighted(tensors):
    """The same for Tensors."""
    total = 0.0
    for k, t in enumerate(tensors):
        weights = Tensor((np.arange(1.0, t.size + 1) / (k + 1)).reshape(t.shape))
        total = total + ((t + 0.1 * t * t) * weights).sum()
    return total


def check(seed, modes=("dynamic",)):
    """Compare a program with NumPy; the derivative along a direction with a complex step."""
    rng = np.random.default_rng(seed)
    shape, program = Writer(rng).program(int(rng.integers(3, 14)))
    x, direction = rng.uniform(0.5, 1.5, shape), rng.standard_normal(shape)
    expected = run(program, x.copy())
    if "dynamic" in modes:
        _same(expected, _run(program, Tensor(x)), program)
    if "jit" in modes:
        captured = ms.jit(lambda x: _run(program, x * 1))
        for _ in range(2):
            _same(run(program, x * 1), captured(Tensor(x)), program)
    if "parameter" in modes:
        parameter = ms.Parameter(Tensor(x), name="p")
        _same(expected, _run(program, parameter), program)
    if "vmap" in modes:
        batch = np.stack([x, x + 1])
        rows = [run(program, b.copy()) for b in batch]
        mapped = ms.vmap(lambda x: tuple(_run(program, x * 1)))(Tensor(batch))
        _same([np.stack(pair) for pair in zip(*rows, strict=True)], mapped, program)
    if "grad" in modes:
        step = 1e-30
        stepped = _objective(run(program, x + 1j * step * direction))
        gradient = ms.grad(lambda x: _weighted(_run(program, x * 1)))(Tensor(x)).asnumpy()
        np.testing.assert_allclose(
            (gradient * direction).sum(), stepped.imag / step, 1e-9, 1e-9, err_msg=str(program)
        )


def _same(expected, built, program):
    assert len(expected) == len(built)
    for a, b in zip(expected, built, strict=True):
        np.testing.assert_allclose(b.asnumpy(), a, 1e-12, err_msg=str(program))


@pytest.mark.parametrize("block", range(6))
def test_programs_of_views_give_what_numpy_gives(block, on_numpy):
    for seed in range(block * 25, block * 25 + 25):
        check(seed, ("dynamic", "grad"))


@pytest.mark.parametrize("seed", range(1000, 1012))
def test_captured_and_mapped_programs_of_views(seed):
    check(seed, ("jit", "vmap", "parameter"))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(100))
def test_many_programs_of_views(block, on_numpy):
    for seed in range(block * 100, block * 100 + 100):
        check(seed, ("dynamic", "grad"))


# each form of a view; MindSpore 2.10 writes through all of them, flatten of `ops` excepted
FORMS = {
    "reshape": lambda t: t.reshape(4, 3),
    "view": lambda t: t.view(2, 6),
    "view_as": lambda t: t.view_as(ops.zeros((4, 3))),
    "T": lambda t: t.T,
    "mT": lambda t: t.mT,
    "H": lambda t: t.H,
    "t": lambda t: t.t(),
    "transpose": lambda t: t.transpose(1, 0),
    "permute": lambda t: t.permute(1, 0),
    "swapaxes": lambda t: t.swapaxes(0, 1),
    "swapdims": lambda t: t.swapdims(0, 1),
    "movedim": lambda t: ops.movedim(t, 0, 1),
    "expand_dims": lambda t: t.expand_dims(0),
    "unsqueeze": lambda t: t.unsqueeze(-1),
    "squeeze": lambda t: t[None].squeeze(0),
    "flatten": lambda t: t.flatten(),
    "ops.flatten": lambda t: ops.flatten(t),
    "ravel": lambda t: t.ravel(),
    "select": lambda t: t.select(0, 1),
    "mint.select": lambda t: mint.select(t, 0, 1),
    "narrow": lambda t: t.narrow(0, 1, 2),
    "diagonal": lambda t: t.diagonal(),
    "split": lambda t: t.split(2, 1)[1],
    "ops.Split": lambda t: ops.Split(1, 2)(t)[1],
    "chunk": lambda t: t.chunk(2, 1)[1],
    "unbind": lambda t: t.unbind(0)[1],
    "tensor_split": lambda t: t.tensor_split(2)[1],
    "hsplit": lambda t: t.hsplit(2)[1],
    "expand": lambda t: t.expand(2, 3, 4),
    "broadcast_to": lambda t: t.broadcast_to((2, 3, 4)),
    "expand_as": lambda t: t.expand_as(ops.zeros((2, 3, 4))),
    "slice": lambda t: t[1:],
    "slice of a slice": lambda t: t[1:][1:],
    "step": lambda t: t[::2],
    "backwards": lambda t: t[::-1],
    "index": lambda t: t[1],
    "index Tensor": lambda t: t[Tensor(1)],
    "part of an index Tensor": lambda t: t[Tensor(1)].reshape(2, 2)[1],
    "new axis": lambda t: t[:, None],
    "ellipsis": lambda t: t[..., 1],
    "ops.slice": lambda t: ops.slice(t, (1, 0), (2, 4)),
    "ops.strided_slice": lambda t: ops.strided_slice(t, (0, 0), (3, 4), (2, 1)),
    "iteration": lambda t: list(t)[1],
    "same dtype": lambda t: t.astype(ms.float32),
    "float": lambda t: t.float(),
    "stop_gradient": lambda t: ops.stop_gradient(t),
    "numpy.reshape": lambda t: ms.numpy.reshape(t, (4, 3)),
    "numpy.transpose": lambda t: ms.numpy.transpose(t),
}
COPIES = {
    "copy": lambda t: t.copy(),
    "contiguous": lambda t: t.T.contiguous(),
    "reshape of columns": lambda t: t.T.reshape(-1),
    "index array": lambda t: t[Tensor([1, 2])],
    "mask": lambda t: t[t > 5],
    "tile": lambda t: t.tile((1, 1)),
    "another dtype": lambda t: t.astype(ms.float64),
    "arithmetic": lambda t: t * 1,
    "asnumpy": lambda t: Tensor(t.asnumpy()),
}


def _matrix():
    return Tensor(np.arange(12, dtype=np.float32).reshape(3, 4))


@pytest.mark.parametrize("form", FORMS)
def test_a_view_shares_memory(form):
    x = _matrix()
    places = FORMS[form](Tensor(np.arange(12, dtype=np.float32).reshape(3, 4))).asnumpy()
    view = FORMS[form](x)
    at = (-1,) * view.ndim
    view[at] = 99.0
    expected = np.arange(12, dtype=np.float32)
    expected[int(places[at])] = 99
    assert x.asnumpy().tolist() == expected.reshape(3, 4).tolist()
    assert (view.asnumpy() == 99).sum() == (places == places[at]).sum()
    source = _matrix()
    view = FORMS[form](source)
    source[:] = -1.0
    assert set(view.asnumpy().ravel().tolist()) == {-1.0}


@pytest.mark.parametrize("form", COPIES)
def test_a_copy_shares_no_memory(form):
    x = _matrix()
    copy = COPIES[form](x)
    before = copy.asnumpy()
    copy[(0,) * copy.ndim] = 99.0
    assert x.asnumpy().tolist() == _matrix().asnumpy().tolist()
    before[(0,) * before.ndim] = 99.0
    x[:] = 0.0
    assert copy.asnumpy().tolist() == before.tolist()


def test_views_of_a_tensor_that_nobody_holds_share_its_memory():
    x = _matrix()
    rows, columns, part = x.reshape(-1), x.T, x[1:]
    del x
    rows[5] = 99.0
    assert (float(columns[1, 1]), float(part[0, 1])) == (99.0, 99.0)


def test_a_view_of_a_copy_belongs_to_the_copy():
    x = _matrix()
    copy = x.T.reshape(-1)
    part = copy[2:4]
    part[0] = 99.0
    assert (float(copy[2]), float(x.max())) == (99.0, 11.0)


def test_parameters_and_buffers_are_written_to_through_views():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(_matrix(), name="w")
            self.register_buffer("state", ops.zeros((2, 2)))

        def construct(self, x):
            self.state.view(-1)[1] = x
            self.w[0][1] = x
            return self.w.T[1].sum() + self.state.sum()

    for mode in (lambda net: net, jit):
        net = Net()
        flat, call = net.w.view(-1), mode(net)
        for x in (20.0, 30.0):
            assert float(call(Tensor(x))) == x + 5 + 9 + x
            assert float(flat[1]) == float(net.w[0, 1]) == x
            assert net.state.asnumpy().tolist() == [[0.0, x], [0.0, 0.0]]
        assert isinstance(net.w, Parameter)


def test_an_optimizer_is_seen_by_views_of_its_parameters():
    net = nn.Dense(2, 1, weight_init="ones")
    view = net.weight.view(-1)
    optimizer = nn.SGD(net.trainable_params(), 0.5)
    optimizer((ops.ones((1, 2)), ops.ones((1,))))
    assert view.asnumpy().tolist() == [0.5, 0.5]


def test_other_data_is_other_memory():
    x = _matrix()
    view = x.view(-1)
    x.assign_value(ops.zeros((3, 4)))
    p = Parameter(_matrix(), name="p")
    part = p[1]
    p.set_data(ops.zeros((3, 4)))
    assert (float(view[1]), float(part[0])) == (1.0, 4.0)
    view[0] = 9.0
    assert float(x[0, 0]) == 0.0


def test_a_captured_function_tells_arguments_that_share_memory_from_others():
    @jit
    def f(x, y):
        x[0] = x[0] + 5
        return (y * 1).sum()

    for share in (True, False, True, False):
        x = _matrix()
        y = x.view(-1) if share else _matrix().view(-1)
        assert float(f(x, y)) == (86.0 if share else 66.0)
        assert float(y[0]) == (5.0 if share else 0.0)


def test_views_made_after_a_capture_see_what_it_writes():
    p = Parameter(_matrix(), name="p")

    @jit
    def f():
        p[0] = p[0] + 1
        return p.sum()

    f()
    view = p.T
    f()
    assert view.asnumpy()[:, 0].tolist() == [2.0, 3.0, 4.0, 5.0]


def test_layouts():
    x = _matrix()
    assert (x.T.stride(), x.T.is_contiguous(), x.stride(0)) == ([1, 4], False, 4)
    assert (x[1:].storage_offset(), x[1:].is_contiguous(), x.T.strides) == (4, True, (4, 16))
    assert x.T.contiguous().stride() == [3, 1]


def test_bytes_as_another_dtype():
    x = _matrix()
    bits = x.view(ms.int32)
    assert bits.asnumpy().tolist() == x.asnumpy().view(np.int32).tolist()
    assert x.view(ms.int16).shape == (3, 8)
    assert x.view(ms.float64).shape == (3, 2)
    x[0, 0] = 1.0
    assert int(bits[0, 0]) == 1065353216


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda x: x.expand(2, 3, 4).add_(1), "elements repeat"),
        (lambda x: x.expand(2, 3, 4).__setitem__(slice(None), 5.0), "elements repeat"),
        (lambda x: x[:1].broadcast_to((3, 4)).mul_(2), "elements repeat"),
        (lambda x: x.view(ms.int32).add_(1), "must have the dtype of its memory"),
        (lambda x: x.view(ms.int32)[0].__setitem__(0, 1), "must have the dtype of its memory"),
        (lambda x: x.view(ms.bool_), "cannot be read as"),
        (lambda x: x.view(5, 5), "must be filled by the 12 elements"),
    ],
)
def test_what_cannot_be_written_changes_nothing(write, message):
    x = _matrix()
    view = x.view(-1)
    with pytest.raises((RuntimeError, TypeError, ValueError), match=message):
        write(x)
    assert x.asnumpy().ravel().tolist() == view.asnumpy().tolist() == list(range(12))


def test_a_part_of_what_repeats_is_written_to_once():
    x = _matrix()
    view = x.expand(2, 3, 4)
    view[1, 2] = 9.0
    assert x.asnumpy()[2].tolist() == [9.0] * 4
    assert view.asnumpy()[0, 2].tolist() == [9.0] * 4


def test_a_derivative_goes_through_writes():
    def f(x):
        y = x * 1
        part = y.T[1]
        y[1] = y[0] * 2
        part[0] = part[2] * part[1]
        return (y * y).sum()

    x = np.arange(1.0, 10.0).reshape(3, 3)

    def in_numpy(x):
        y = x * 1
        part = y.T[1]
        y[1] = y[0] * 2
        part[0] = part[2] * part[1]
        return (y * y).sum()

    steps = [in_numpy(x + 1e-30j * (np.arange(9).reshape(3, 3) == k)).imag / 1e-30
             for k in range(9)]  # fmt: skip
    np.testing.assert_allclose(grad(f)(Tensor(x)).asnumpy().ravel(), steps, 1e-12)
