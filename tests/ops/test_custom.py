"""Operations of the user's own: NumPy functions on the host, and notes on kernels."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops

SQUARE = ops.Custom(lambda x: x**2, lambda s: s, lambda d: d, "pyfunc", lambda x, out, g: 2 * x * g)


@pytest.mark.executors
def test_a_numpy_function_computes_and_has_the_derivative_given():
    x = Tensor([3.0, -1.0])
    np.testing.assert_array_equal(SQUARE(x).asnumpy(), [9.0, 1.0])
    np.testing.assert_array_equal(ms.grad(lambda t: SQUARE(t).sum())(x).asnumpy(), [6.0, -2.0])


def test_results_have_the_shapes_and_dtypes_asked_for():
    both = ops.Custom(
        lambda x, y: (x + y, x.max()), lambda a, b: (a, ()), lambda a, b: (ms.float16, ms.int32)
    )
    total, most = both(Tensor([1.0, 2.0]), Tensor([1.0, 1.0]))
    assert (total.dtype, most.dtype, most.shape, most.item()) == (ms.float16, ms.int32, (), 2)
    fixed = ops.Custom(lambda x: x.sum(), (), ms.float64)
    assert fixed(Tensor([1.0, 2.0])).dtype == ms.float64


@pytest.mark.executors
def test_in_a_captured_function_it_stands_between_two_graphs():
    run = ms.jit(lambda x: ops.Custom(np.exp2)(x * 2).sum() * 3)
    assert [run(Tensor([n])).item() for n in (1.0, 2.0, 3.0)] == [12.0, 48.0, 192.0]
    layer = nn.Dense(2, 1, weight_init="ones", has_bias=False)
    slopes = ms.jit(ms.grad(lambda x: SQUARE(layer(x)).sum(), None, layer.trainable_params()))
    np.testing.assert_array_equal(slopes(ops.ones((1, 2)))[0].asnumpy(), [[4.0, 4.0]])


REFUSED = [
    (lambda: ops.Custom("a.so:f", func_type="aot"), NotImplementedError, ("'aot'", "'pyfunc'")),
    (lambda: ops.Custom(abs, func_type="foo"), ValueError, ("'func_type'", "'foo'")),
    (lambda: ops.Custom("f"), TypeError, ("'func'", "str")),
    (lambda: ops.Custom(np.abs, (3,))(Tensor([1.0])), ValueError, ("(3,)", "(1,)", "'out_shape'")),
    (lambda: ms.grad(ops.Custom(np.abs))(Tensor([1.0])), NotImplementedError, ("'bprop'",)),
    (lambda: ops.DataType.F33_Default, AttributeError, ("'DataType'", "F33_Default")),
]


@pytest.mark.parametrize(("call", "error", "says"), REFUSED)
def test_wrong_use_is_refused_in_one_voice(call, error, says):
    with pytest.raises(error) as caught:
        call()
    for part in says:
        assert part in str(caught.value)


def test_notes_on_kernels_are_kept():
    """As MindSpore 2.10 gives them."""
    both = ops.DataType.F32_Default, ops.DataType.F16_5HD
    built = ops.CustomRegOp("x").input(0, "a").attr("k", "required", "int").output(0, "y")
    assert built.dtype_format(*both).target("CPU").get_op_info() == {
        "op_name": "x",
        "inputs": [{"index": 0, "name": "a", "paramType": "required"}],
        "outputs": [{"index": 0, "name": "y", "paramType": "required"}],
        "attr": [{"name": "k", "paramType": "required", "type": "int"}],
        "fusion_type": "",
        "dtype_format": [(("float32", "DefaultFormat"), ("float16", "NC1HWC0"))],
        "target": "CPU",
    }
    assert ops.DataType.I8_Default_List == ("int8", "DefaultFormat", "list")
    assert ops.DataType.None_None == ("", "")
