"""Tensors of the device 'meta': shape and dtype without data, in rows; shapes are compared with
those of the same expression on data."""

import copy
import pickle
import resource
import threading

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, mint, nn, ops

ONES = np.ones((2, 3), np.float32)


def meta(data=ONES, dtype=None):
    return Tensor(data, dtype, device="meta")


def made(create):
    with ms.DeviceCtx("meta"):
        return create()


def pickled(x):
    return pickle.loads(pickle.dumps(x))


copied, deep_copied = copy.copy, copy.deepcopy

# creation ---------------------------------------------------------------------------------------

# expression -> (shape, dtype)
CREATED = """
Tensor(ONES, device='meta') | (2, 3) | float32
Tensor([1, 2], ms.float16, device='meta') | (2,) | float16
Tensor(shape=(2, 3), dtype=ms.bfloat16, device='meta') | (2, 3) | bfloat16
Tensor(shape=(10**6, 10**7), dtype=ms.int8, init='ones', device='meta') | (10**6, 10**7) | int8
Tensor([1.0]).to('meta') | (1,) | float32
Tensor([1.0]).to(device='meta') | (1,) | float32
Tensor([1.0]).to('meta', ms.float16) | (1,) | float16
Parameter(meta(), name='p') | (2, 3) | float32
Parameter(Tensor([1.0]), device='meta') | (1,) | float32
Parameter(meta()).clone(init='ones') | (2, 3) | float32
mint.empty((10**6, 10**7), device='meta') | (10**6, 10**7) | float32
mint.empty_like(Tensor([1]), device='meta') | (1,) | int64
mint.empty_like(meta()) | (2, 3) | float32
Tensor([1.0]).new_empty((4,), device='meta') | (4,) | float32
meta().new_zeros((4,)) | (4,) | float32
mint.rand(2, 3, device='meta') | (2, 3) | float32
mint.randn((2, 3), device='meta') | (2, 3) | float32
mint.randint(5, (4,), device='meta') | (4,) | int64
mint.rand_like(Tensor([1.0]), device='meta') | (1,) | float32
mint.rand_like(meta()) | (2, 3) | float32
made(lambda: Tensor([1, 2])) | (2,) | int64
made(lambda: Parameter(Tensor([1.0]))) | (1,) | float32
made(lambda: mint.ones((10**6, 10**7))) | (10**6, 10**7) | float32
made(lambda: ops.rand(3)) | (3,) | float32
made(lambda: ops.arange(3)) | (3,) | int64
made(lambda: Tensor([1.0]) + Tensor([[2.0]])) | (1, 1) | float32
copied(meta()) | (2, 3) | float32
deep_copied(meta()) | (2, 3) | float32
pickled(meta([1.0], ms.bfloat16)) | (1,) | bfloat16
pickled(Parameter(meta(), name='p')) | (2, 3) | float32
"""


@pytest.mark.parametrize("row", CREATED.strip().splitlines())
def test_creation_gives_shape_and_dtype_only(row):
    expression, shape, dtype = row.split(" | ")
    x = eval(expression)
    assert (x.is_meta, x.device, x.shape, x.dtype) == (
        True, "meta", eval(shape), getattr(ms, dtype)
    )  # fmt: skip


def test_printed_as_in_mindspore():
    printed = "Tensor(shape=[2, 3], dtype=Float32, value=\n<meta>)"
    assert (repr(meta()), str(meta()), f"{meta()}") == (printed, printed, printed)
    assert repr(meta([1.0])) == "Tensor(shape=[1], dtype=Float32, value= <meta>)"
    assert Tensor([1.0]).is_meta is False


# operations -------------------------------------------------------------------------------------

# functions of a float32 (2, 3), whose results on data have the same shapes and dtypes
COMPUTED = [
    lambda x: x + 1,
    lambda x: x < 1,
    lambda x: x * Tensor(ONES),
    lambda x: Tensor(ONES, ms.float64) - x,
    lambda x: x + np.ones((4, 1, 3)),
    lambda x: x.astype(ms.float16),
    lambda x: ops.matmul(x, x.T),
    lambda x: x[0],
    lambda x: x[:, None, 1:],
    lambda x: x[:, Tensor([0, 0, 1])],
    lambda x: list(x),
    lambda x: ops.split(x, 1),
    lambda x: ops.cat([x, Tensor(ONES)]),
    lambda x: ops.stack((Tensor(ONES), x)),
    lambda x: ops.topk(x, 2),
    lambda x: x.max(axis=1),
    lambda x: x.sum(),
    lambda x: ops.gather(Tensor(ONES), x.astype(ms.int32)[0], 1),
    lambda x: ops.where(x > 0, x, Tensor([1.0], ms.float64)),
    lambda x: ops.dropout(x, 0.5),
    lambda x: ops.normal((2, 3), x, x),
    lambda x: ms.grad(lambda v: (v * v).sum())(x),
    lambda x: ms.value_and_grad(lambda v: ops.sin(v).sum())(x),
    lambda x: ms.vmap(lambda v: v * 2)(x),
    lambda x: ms.jit(lambda v: v * 2)(x),
    lambda x: ms.recompute(ops.exp, x),
    lambda x: ops.cross_entropy(x, Tensor([0, 1], ms.int32)),
    lambda x: x.copy(),
    lambda x: x.view(6).add_(1),
    lambda x: x.transpose().fill_(1),
]  # fmt: skip


@pytest.mark.parametrize("function", COMPUTED)
def test_results_have_the_shapes_of_results_with_data(function):
    def flat(result):
        return [result] if isinstance(result, Tensor) else [t for r in result for t in flat(r)]

    given, wanted = flat(function(meta())), flat(function(Tensor(ONES)))
    assert all(t.is_meta for t in given)
    assert [(t.shape, t.dtype) for t in given] == [(t.shape, t.dtype) for t in wanted]


LAYERS = [
    (lambda: nn.Dense(3, 4), (2, 3)),
    (lambda: nn.SequentialCell(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Dropout(p=0.2)),
     (2, 3, 8, 8)),
    (lambda: nn.LSTM(3, 4), (5, 2, 3)),
    (lambda: nn.TransformerEncoderLayer(8, 2), (5, 2, 8)),
    (lambda: nn.Dense(3, 4).to_float(ms.float16), (2, 3)),
    (lambda: ms.amp.auto_mixed_precision(nn.Dense(3, 4), "O1"), (2, 3)),
]  # fmt: skip


@pytest.mark.parametrize(("create", "shape"), LAYERS)
@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.filterwarnings("ignore:.*needs a number while it is captured")
def test_a_network_made_on_meta_infers_shapes(create, shape, mode):
    net, real, x = made(create).set_train(), create().set_train(), ops.ones(shape)
    assert all(p.is_meta for p in net.get_parameters())
    ms.set_context(mode=mode)
    try:
        given, wanted = net(x), real(x)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    given, wanted = (y[0] if isinstance(y, tuple) else y for y in (given, wanted))
    assert (given.is_meta, given.shape, given.dtype) == (True, wanted.shape, wanted.dtype)
    net.to_empty(device="CPU")
    ms.load_param_into_net(net, real.parameters_dict())
    net.set_train(False), real.set_train(False)
    given, wanted = (y[0] if isinstance(y, tuple) else y for y in (net(x), real(x)))
    np.testing.assert_array_equal(given.asnumpy(), wanted.asnumpy())


OPTIMIZERS = [
    lambda p: nn.SGD(p, 0.1), lambda p: nn.Adam(p, 0.1), lambda p: mint.optim.AdamW(p, 0.1),
]  # fmt: skip


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_training_step_computes_nothing(optimizer):
    net = made(lambda: nn.Dense(200_000, 200_000))
    optimizer, x = optimizer(net.trainable_params()), mint.empty((2, 200_000), device="meta")
    loss, gradients = ms.value_and_grad(lambda v: net(v).sum(), None, optimizer.parameters)(x)
    optimizer(gradients)
    assert loss.is_meta
    assert [g.shape for g in gradients] == [p.shape for p in net.trainable_params()]
    assert all(p.is_meta for p in net.get_parameters())


def test_a_network_of_130_billion_parameters_takes_no_memory():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    net = made(lambda: nn.SequentialCell(
        *[nn.Dense(200_000, 200_000) for _ in range(3)], nn.Embedding(10**7, 1000)
    ))  # fmt: skip
    assert sum(p.size for p in net.get_parameters()) > 130 * 10**9
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2**17  # KiB
    with pytest.raises(ValueError, match="must fit into memory"):
        mint.ones((10**6, 10**7))  # on a device with memory


# giving it data ---------------------------------------------------------------------------------


def test_data_comes_by_set_data_and_state_dicts():
    net = made(lambda: nn.Dense(3, 4))
    net.weight.set_data(ops.ones((4, 3)))
    assert (net.weight.is_meta, net.bias.is_meta) == (False, True)
    net.load_state_dict({"weight": ops.ones((4, 3)), "bias": ops.ones(4)})
    assert (net(Tensor(ONES)) == 4).all()
    weight = net.weight
    assert net.to("meta").weight is weight
    assert weight.is_meta
    assert not net.to_empty(device="CPU").weight.is_meta
    assert made(lambda: net.to_empty()).weight.is_meta


def test_checkpoints(tmp_path):
    net, real, path = made(lambda: nn.Dense(3, 4)), nn.Dense(3, 4), str(tmp_path / "real.ckpt")
    ms.save_checkpoint(real, path)
    assert ms.load_checkpoint(path, net)
    np.testing.assert_array_equal(net.weight.asnumpy(), real.weight.asnumpy())
    with pytest.raises(RuntimeError, match="on the device 'meta'"):
        ms.save_checkpoint(net.to("meta"), str(tmp_path / "meta.ckpt"))
    assert [p.name for p in tmp_path.iterdir()] == ["real.ckpt"]


# errors -----------------------------------------------------------------------------------------

READ = "the elements must exist where they are read, but this one of shape"
FAILING = [
    (lambda: meta().asnumpy(), READ),
    (lambda: meta([1.0]).item(), READ),
    (lambda: bool(meta([1.0])), READ),
    (lambda: float(meta([1.0])), READ),
    (lambda: np.asarray(meta()), READ),
    (lambda: meta().to("CPU"), READ),
    (lambda: ops.nonzero(meta()), READ),
    (lambda: meta()[meta() > 0], READ),
    (lambda: nn.Dense(2, 2).to("meta").to("CPU"), READ),
    (lambda: Tensor(ONES).add_(meta()), "the contents must have data, but came from"),
    (lambda: Parameter(Tensor(ONES)).set_data(meta()), "the contents must have data"),
    (lambda: Tensor(ONES).__setitem__(0, meta([1.0])), "the contents must have data"),
    (lambda: ms.jit(lambda v: v + meta(), fullgraph=True)(Tensor(ONES)),
     "must be captured whole, .* it uses a Tensor of the device 'meta'.* Give it data by"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "text"), FAILING)
def test_errors(call, text):
    with pytest.raises(RuntimeError, match=text):
        call()


def test_wrong_shapes_raise_as_with_data():
    with pytest.raises(ValueError, match="axis -1 has the sizes 3 and 4"):
        meta() + ops.ones((2, 4))


# the context ------------------------------------------------------------------------------------


def test_the_context_is_of_its_thread_and_nests():
    found = []
    pending = Tensor([1.0]) + 1
    with ms.DeviceCtx("meta"):
        assert ms.get_current_device() == ("meta", 0)
        thread = threading.Thread(target=lambda: found.append(Tensor([1.0]).is_meta))
        thread.start()
        thread.join()
        with ms.DeviceCtx("CPU"):
            inside = Tensor([1.0]) + 1
        assert (inside.is_meta, (pending + 1).is_meta, pending.asnumpy()) == (False, True, 2)
    assert found == [False]
    assert ((pending * 2).asnumpy(), inside.asnumpy()) == (4, 2)
    assert not Tensor([1.0]).is_meta


def test_random_states_do_not_advance():
    ms.set_seed(3)
    wanted = ops.rand(2).asnumpy()
    ms.set_seed(3)
    made(lambda: (ops.rand(5), nn.Dense(3, 4), ops.dropout(ops.ones(3), 0.5)))
    np.testing.assert_array_equal(ops.rand(2).asnumpy(), wanted)


def test_real_operations_beside_it_stay_correct():
    x, labels, weight = Tensor(ONES), Tensor([0, 1]), made(lambda: nn.Embedding(4, 2))
    y = x * 2
    assert (weight(labels).is_meta, (x + meta()).is_meta) == (True, True)
    np.testing.assert_array_equal((y + ops.gather(x, labels, 0)).asnumpy(), ONES * 3)


@pytest.mark.filterwarnings("ignore:.*needs a number while it is captured")
def test_a_captured_function_continues_dynamically():
    net = made(lambda: nn.Dense(3, 4, weight_init="ones"))
    f = ms.jit(lambda v: (net(v), v + 1))
    for _ in range(3):
        y, z = f(Tensor(ONES))
        assert (y.is_meta, z.is_meta, z.asnumpy().sum()) == (True, False, 12)
    net.to_empty(device="CPU")
    assert not f(Tensor(ONES))[0].asnumpy().any()


def test_a_captured_function_whose_module_moves_to_meta():
    net = nn.Dense(3, 4, weight_init="ones", bias_init="zeros")
    f = ms.jit(lambda v: net(v) * 2)
    whole = f(Tensor(ONES)).asnumpy()
    weight = net.weight.value()
    net.to("meta")
    for x in (Tensor(ONES), meta()):
        y = f(x)
        assert (y.is_meta, y.shape, y.dtype) == (True, (2, 4), ms.float32)
    net.to_empty(device="CPU").weight.set_data(weight)
    np.testing.assert_array_equal(f(Tensor(ONES)).asnumpy(), whole)


@pytest.mark.parametrize("make", [Tensor, Parameter])
def test_devices_that_do_not_exist(make):
    for device in ("bad", "", 1):
        with pytest.raises(ValueError, match="'device' must be the one in use"):
            make(ONES, device=device)
    assert make(ONES, device="cpu").device == ms.get_context("device_target")
