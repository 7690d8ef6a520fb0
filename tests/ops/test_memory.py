"""Memory that tensors share, arrays of other libraries, files, and flags of MindSpore's runtime."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sporax as ms
from sporax import mint, ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.transforms.autodiff import grad
from sporax.ops.memory.dlpack import from_dlpack, to_dlpack
from sporax.ops.memory.untyped_storage import UntypedStorage

pytestmark = pytest.mark.usefixtures("on_numpy")


def matrix():
    return Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


# storages, answers as MindSpore 2.10 gives them ---------------------------------------------------


def test_a_storage_is_all_memory_of_a_view():
    x = matrix()
    storage = x[1:].untyped_storage()
    assert (storage.nbytes(), storage.size(), len(storage), storage.element_size()) == (24,) * 3 + (
        1,
    )
    assert storage.data_ptr() == x.data_ptr() and x.storage().nbytes() == 24
    assert (storage.dtype, storage.device, storage.is_shared()) == (ms.float32, x.device, False)
    assert storage[4:8] == list(np.float32(1).tobytes())
    storage[0:4] = list(np.float32(7).tobytes())
    assert float(x[0, 0]) == 7.0
    with pytest.raises(TypeError, match="'tensor' must be a Tensor"):
        UntypedStorage(12)


def test_a_storage_is_copied_and_resized():
    x = matrix()
    y, storage = x.T, x.untyped_storage()
    assert storage.copy_(ops.ones((2, 3)).untyped_storage()) is storage
    assert y.asnumpy().tolist() == [[1.0, 1.0]] * 3
    storage.copy_(Tensor(np.arange(3.0)).untyped_storage())  # the bytes of another dtype
    assert x.asnumpy().tobytes() == np.arange(3.0).tobytes()
    storage.resize_(48)
    assert (storage.nbytes(), x.untyped_storage().nbytes()) == (48, 48)
    assert x.asnumpy().tobytes() == np.arange(3.0).tobytes()
    wide = mint.empty(1).set_(storage, 0, (12,))
    wide[6:] = 5.0
    x[0] = 2.0
    assert y.asnumpy()[:, 0].tolist() == wide[:3].asnumpy().tolist() == [2.0] * 3
    storage.resize_(8)
    assert (storage.nbytes(), x.asnumpy().tolist()) == (8, [[2.0, 2.0, 0.0], [0.0] * 3])
    with pytest.raises(RuntimeError, match="must have 8 bytes, but has 24"):
        storage.copy_(matrix().untyped_storage())
    with pytest.raises(ValueError, match="'size' must be an int"):
        storage.resize_(-1)


def test_a_storage_whose_root_is_gone():
    view = matrix()[1]
    storage = view.untyped_storage()
    assert storage.nbytes() == 24
    mint.empty(1).set_(storage, 3, (1,)).fill_(9.0)
    assert view.asnumpy().tolist() == [9.0, 4.0, 5.0]


def test_set_puts_a_tensor_into_other_memory():
    x, y = matrix(), mint.zeros((2, 2))
    before = y.view(-1)
    assert y.set_(x.untyped_storage(), 1, (2, 2), (2, 1)) is y
    assert (y.asnumpy().tolist(), y.stride()) == ([[1.0, 2.0], [3.0, 4.0]], [2, 1])
    y[0, 0] = 9.0
    x[1, 0] = -1.0
    assert x.asnumpy().tolist() == [[0.0, 9.0, 2.0], [-1.0, 4.0, 5.0]]
    assert y.asnumpy().tolist() == [[9.0, 2.0], [-1.0, 4.0]]
    assert before.asnumpy().tolist() == [0.0] * 4
    assert y.set_(x) is y and y.shape == (2, 3)
    y[0, 0] = 8.0
    assert float(x[0, 0]) == 8.0
    assert y.set_().shape == (0,)
    bits = Tensor(np.zeros(1, np.int32)).set_(x.untyped_storage(), 0, (1,))
    assert int(bits) == np.float32(8).view(np.int32)
    overlapping = mint.zeros(1).set_(x, 0, (2, 2), (1, 1))
    assert overlapping.asnumpy().tolist() == [[8.0, 9.0], [9.0, 2.0]]


def test_data_of_a_tensor_is_memory_that_it_shares():
    x, y = matrix(), Tensor([1])
    y.data = x[1]
    y.add_(1)
    assert (y.tolist(), x.tolist()[1]) == ([4.0, 5.0, 6.0], [4.0, 5.0, 6.0])
    with pytest.raises(TypeError, match="must be set to a Tensor"):
        y.data = 3


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((3,), TypeError, "'source' must be a Tensor or an UntypedStorage, but got int"),
        ((Tensor([1]),), TypeError, "must have the dtype of the tensor"),
        ((matrix(), 4, (3,), (1,)), ValueError, "which has 6, but got 4"),
        ((matrix(), 0, (2, 2), (1,)), ValueError, "must name elements of the memory"),
        ((matrix(), -1, (2,), (1,)), ValueError, "must name elements of the memory"),
    ],
)
def test_memory_that_does_not_fit_is_refused(arguments, error, message):
    x = mint.zeros(2)
    with pytest.raises(error, match=message):
        x.set_(*arguments)
    assert x.asnumpy().tolist() == [0.0, 0.0]


def test_a_function_that_puts_tensors_into_other_memory_is_not_captured():
    @jit
    def f(x, y, factor):
        y.set_(x, 1, (2,), (3,))
        y.mul_(factor)
        return x.sum()

    x = matrix()
    for factor, total in ((2.0, 20.0), (3.0, 40.0)):
        y = mint.zeros(2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # which says that it is not captured
            assert float(f(x, y, Tensor(factor))) == total
        assert y.asnumpy().tolist() == x.asnumpy()[:, 1].tolist()


def test_a_derivative_goes_through_set():
    def f(x):
        y = x * 2
        part = mint.zeros(1).set_(y, 1, (2,), (3,))
        part.mul_(part)
        return y.sum()

    expected = [[2.0, 8.0, 2.0], [2.0, 32.0, 2.0]]
    assert grad(f)(matrix()).asnumpy().tolist() == expected


# other libraries ----------------------------------------------------------------------------------


def test_numpy_and_jax_read_a_tensors_memory():
    x = matrix() + 1
    for array in (np.from_dlpack(x), np.asarray(jax.dlpack.from_dlpack(x))):
        assert array.tolist() == x.asnumpy().tolist()
        assert array.ctypes.data == x.data_ptr()


def aligned(array):
    """The array at a multiple of 64 bytes, where PyTorch's are."""
    room = np.zeros(array.nbytes + 64, np.uint8)
    start = -room.ctypes.data % 64
    result = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    result[:] = array
    return result


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "float16", "int8", "uint16", "int64", "bool", "complex64"]
)
def test_a_tensor_shares_an_arrays_memory(dtype):
    array = aligned(np.arange(12).reshape(3, 4).astype(dtype))
    for x in (from_dlpack(array), Tensor.from_dlpack(array)):
        assert x.asnumpy().dtype == dtype and x.data_ptr() == array.ctypes.data
        assert (x.asnumpy() == array).all()
    assert (from_dlpack(array[:, ::2]).asnumpy() == array[:, ::2]).all()
    assert (from_dlpack(array.T).asnumpy() == array.T).all()


def test_writes_do_not_reach_the_other_side():
    array = aligned(np.ones(4, np.float32))
    x = from_dlpack(array)
    y = x + 1
    x.add_(5)
    assert x.asnumpy().tolist() == [6.0] * 4 and y.asnumpy().tolist() == [2.0] * 4
    assert array.tolist() == [1.0] * 4


def test_capsules():
    x = matrix()
    for capsule in (to_dlpack(x), x.to_dlpack(), jnp.asarray(x.asnumpy()).__dlpack__()):
        assert type(capsule).__name__ == "PyCapsule"
        y = from_dlpack(capsule)
        assert y.asnumpy().tolist() == x.asnumpy().tolist()
        with pytest.raises(ValueError, match="nobody has used yet"):
            from_dlpack(capsule)
    with pytest.raises(ValueError, match="must follow one another"):
        from_dlpack(np.ones((4, 4))[:, ::2].__dlpack__())
    p = Parameter(x, name="p")
    assert from_dlpack(p.to_dlpack()).data_ptr() == p.data_ptr()
    for wrong in (3, [1.0]):
        with pytest.raises(TypeError, match="must be a DLPack capsule or an array"):
            from_dlpack(wrong)
    with pytest.raises(TypeError, match="'tensor' must be a Tensor"):
        to_dlpack(np.ones(2))


# buffers and exchanged tensors --------------------------------------------------------------------


def test_tensors_of_buffers():
    data = bytearray(b"12345678")
    for buffer in (data, bytes(data), memoryview(data), np.frombuffer(data, np.int32)):
        x = ms.frombuffer(buffer, ms.int16)
        assert (x.dtype, x.asnumpy().tolist()) == (ms.int16, [12849, 13363, 13877, 14391])
    assert ms.frombuffer(data, dtype=ms.int16, count=2, offset=2).tolist() == [13363, 13877]
    assert ms.frombuffer(data, ms.bfloat16, 1).dtype == ms.bfloat16
    array = aligned(np.arange(4, dtype=np.int64))
    assert ms.frombuffer(array, ms.int64).data_ptr() == array.ctypes.data


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((3, ms.int16), TypeError, "buffer protocol"),
        ((b"12", "int16"), TypeError, "'dtype' must be a dtype"),
        ((b"123", ms.int16), ValueError, "whole elements of 2 bytes"),
        ((b"", ms.int16), ValueError, "must have bytes"),
        ((b"12", ms.int16, 0), ValueError, "'count' must be -1"),
        ((b"12", ms.int16, 9), ValueError, "9 elements of 2 bytes"),
        ((b"12", ms.int16, -1, 2), ValueError, r"'offset' must be in \[0, 2\)"),
    ],
)
def test_buffers_that_do_not_fit_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        ms.frombuffer(*arguments)


def test_swapped_tensors_keep_their_views_with_the_memory():
    x, y, p = matrix(), ops.ones(1), Parameter(ops.zeros(2), name="p", requires_grad=False)
    x.note = "x's"
    flat = x.view(-1)
    ms.swap_tensors(x, y)
    assert (x.tolist(), y.shape, y.note, hasattr(x, "note")) == ([1.0], (2, 3), "x's", False)
    flat[0] = 9.0
    y[1, 2] = 8.0
    assert (float(y[0, 0]), float(flat[5]), x.tolist()) == (9.0, 8.0, [1.0])
    ms.swap_tensors(flat, p)
    assert (type(flat), type(p), flat.name, flat.requires_grad) == (Parameter, Tensor, "p", False)
    p[1] = 7.0
    assert float(y[0, 1]) == 7.0 and flat.tolist() == [0.0, 0.0]
    with pytest.raises(TypeError, match="'t2' must be a Tensor"):
        ms.swap_tensors(x, 3)


# files and devices --------------------------------------------------------------------------------


def test_an_offloaded_parameter_is_loaded_when_it_is_used(tmp_path):
    p = Parameter(matrix(), name="p")
    uses = [
        lambda: p * 2, jit(lambda: p * 2), lambda: grad(lambda: (p * p).sum(), None, p)(),
        lambda: ops.assign_add(p, p), lambda: p * 1,
    ]  # fmt: skip
    for factor, use in zip((2, 2, 2, 2, 2), uses, strict=True):
        assert p.offload(tmp_path / "p") is True
        assert p.offload_file_path() == str(tmp_path / "p")
        assert (tmp_path / "p").stat().st_size == 24
        assert use().asnumpy().tolist() == (matrix() * factor).asnumpy().tolist()
        assert p.offload_file_path() == ""
    p.offload(tmp_path / "p")
    (tmp_path / "p").write_bytes(bytes(24))
    with pytest.raises(RuntimeError, match="was removed or changed"):
        p.asnumpy()
    with pytest.raises(TypeError, match="'file_path' must be a path"):
        matrix().offload(3)


def test_a_smaller_resize_is_a_view():
    x = matrix()
    x.resize(2, 2)[0, 0] = 9.0
    assert float(x[0, 0]) == 9.0
    with pytest.raises(ValueError, match="each size must be at least 0"):
        x.resize(-1)


def test_devices():
    x = matrix()
    y = x.move_to("CPU")
    assert y is not x and y.asnumpy().tolist() == x.asnumpy().tolist()
    assert x.to_("CPU") is x and x.pin_memory() is x
    assert (x.is_pinned(), x.is_shared()) == (False, False)
    view = x[0]
    assert x.delete_() is x and x.asnumpy().tolist() == [[0.0] * 3] * 2
    assert view.asnumpy().tolist() == [0.0, 1.0, 2.0]
    for call in (
        lambda: x.move_to("TPU"), lambda: x.move_to("CPU", 1), lambda: x.to_("moon"),
        lambda: x.to_("CPU", 3), lambda: x.delete_(1),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="but got"):
            call()
    assert mint.empty(2, 3, device="cpu", pin_memory=True).shape == (2, 3)
    assert mint.empty_like(x, dtype=ms.int8).dtype == ms.int8
    for call in (lambda: mint.empty(2, pin_memory=True), lambda: mint.empty_like(x, pin_memory=1)):
        with pytest.raises(RuntimeError, match="'device' must be 'cpu'"):
            call()


# flags --------------------------------------------------------------------------------------------

# expression -> MindSpore's answer
FLAGS = """
x.is_meta | False
x.virtual_flag | False
x.symbolic_shape | None
x.parent_tensor_ | None
x.index_of_parent_ | None
x.param_info | None
x.init_finished | True
x.is_init() | False
x.delta_seed | 0
x.set_cast_dtype() | None
x.wait_pipeline() | None
x.set_init_flag(True), x.is_init() | (None, True)
x.set_const_arg(True) is x | True
x.set_const_arg().const_arg | True
x.assign_value_cpp(Tensor([1.0])).shape | (1,)
x.set_param_info(5), x.param_info | (None, 5)
x.remove_hook(x.register_hook(print)), x.hooks() | (None, [])
p.is_init | False
p.param_info.name | 'p'
p.cache_shape | []
p.cache_enable, p.key, p.sliced, p.comm_fusion | (False, -1, False, 1)
p.layerwise_parallel, p.parallel_optimizer | (False, True)
p.parallel_optimizer_comm_recompute | False
p.inited_param | None
p.add_pipeline_stage(1) | None
p.clone().layerwise_parallel | False
setattr(p, 'key', 3), p.key | (None, 3)
setattr(p, 'cache_shape', [1]), p.cache_shape | (None, [1])
setattr(p, 'layerwise_parallel', True), p.clone().layerwise_parallel | (None, True)
setattr(x, 'virtual_flag', True), x.virtual_flag | (None, True)
"""


@pytest.mark.parametrize("row", FLAGS.strip().splitlines())
def test_flags_are_kept(row):
    source, expected = row.split(" | ")
    names = {"x": matrix(), "p": Parameter(matrix(), name="p"), "Tensor": Tensor}
    assert eval(source, names) == eval(expected)


@pytest.mark.parametrize(
    "call",
    [
        lambda p: p.set_const_arg(1), lambda p: setattr(p, "key", "a"),
        lambda p: setattr(p, "layerwise_parallel", 3), lambda p: setattr(p, "sliced", 1),
        lambda p: setattr(p, "cache_shape", 1), lambda p: p.add_pipeline_stage(-1),
        lambda p: p.set_init_flag(2), lambda p: p.remove_hook(1), lambda p: p.set_cast_dtype("x"),
        lambda p: Parameter(p, layerwise_parallel=1), lambda p: Parameter(p, parallel_optimizer=0),
    ],
)  # fmt: skip
def test_wrong_flags_are_refused(call):
    with pytest.raises(TypeError):
        call(Parameter(matrix(), name="p"))


def test_numbers_at_an_address_of_the_host():
    source = np.array([[1.0, 2.0]])
    x = Tensor([0.0])
    x.set_device_address(source.ctypes.data, (1, 2), ms.float64)
    source[0, 0] = 5.0
    assert x.asnumpy().tolist() == [[1.0, 2.0]]
    with pytest.raises(ValueError, match="'address' must be an int of at least 1"):
        x.set_device_address(0, (1,), ms.float32)
