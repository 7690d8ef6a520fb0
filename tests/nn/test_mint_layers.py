"""Layers of `mint.nn` against PyTorch's numbers (`tools.record mint_layers`)."""

import inspect

import numpy as np
import pytest

from sporax import mint, ops
from sporax._src.core.tensor import Tensor
from sporax._src.transforms.autodiff import grad
from tests import records
from tests.nn import mint_layer_cases as cases

pytestmark = pytest.mark.usefixtures("on_numpy")

RECORD = records.read("mint_layers")


@pytest.mark.parametrize("make, shape", cases.ROWS)
def test_layer_computes_what_pytorch_does(make, shape):
    layer, expected = eval(make, {"nn": mint.nn}), RECORD[make]
    parameters = layer.trainable_params()
    for p, values in zip(parameters, cases.weights(parameters), strict=True):
        p.set_data(Tensor(values))
    layer.set_train()
    compare(layer, shape, expected)


def compare(function, shape, expected):
    x = Tensor(cases.numbers(shape))
    result, (size, numbers) = function(x), expected["output"]
    buffers = [p for p in getattr(function, "get_parameters", list)() if not p.requires_grad]
    for buffer, kept in zip(buffers, expected.get("buffers", []), strict=True):
        np.testing.assert_allclose(buffer.asnumpy().reshape(-1), kept, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(result.asnumpy(), np.reshape(numbers, size), rtol=1e-4, atol=1e-4)
    slope = grad(lambda x: (function(x) ** 2).sum())(x)
    gradient = np.reshape(expected["gradient"], shape)
    np.testing.assert_allclose(slope.asnumpy(), gradient, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("call, shape", cases.CALLS)
def test_call_computes_what_pytorchs_does(call, shape, on_numpy):
    names = {"nn": mint.nn, "F": mint.nn.functional}
    compare(lambda x: eval(call, names | {"x": x}), shape, RECORD[call])


# as MindSpore 2.10 has them
SIGNATURES = {
    "Linear": "(in_features, out_features, bias=True, weight_init=None, bias_init=None, "
    "dtype=None)",
    "Conv2d": "(in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, "
    "bias=True, padding_mode='zeros', dtype=None)",
    "AvgPool2d": "(kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, "
    "divisor_override=None)",
}
PRINTED = {
    "nn.Linear(3, 4)": "Linear(input_features=3, output_features=4, has_bias=True)",
    "nn.Conv2d(2, 3, 3)": "Conv2d(input_channels=2, output_channels=3, kernel_size=(3, 3), "
    "stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1, bias=True)",
    "nn.AvgPool2d(2)": "AvgPool2dExt()",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_are_mindspores(name):
    assert str(inspect.signature(getattr(mint.nn, name))) == SIGNATURES[name]


@pytest.mark.parametrize("make", PRINTED)
def test_layers_print_as_mindspores(make):
    assert str(eval(make, {"nn": mint.nn})) == PRINTED[make]


REFUSED = [
    ("nn.Linear(0, 4)", ("'Linear'", "'in_features'")),
    ("nn.Linear(3, 4)(ops.ones((2, 5)))", ("'Linear'", "'in_features'", "(2, 5)")),
    ("nn.Conv2d(4, 6, 3, groups=3)", ("'Conv2d'", "'groups'", "3")),
    ("nn.Conv2d(4, 6, 3, padding_mode='foo')", ("'Conv2d'", "'padding_mode'", "foo")),
    ("nn.Conv2d(4, 6, 3, stride=2, padding='same')", ("'Conv2d'", "'stride'", "'same'")),
    ("nn.Conv2d(4, 6, 3)(ops.ones((1, 3, 5, 5)))", ("'Conv2d'", "4 channels", "(1, 3, 5, 5)")),
]


@pytest.mark.parametrize("call, says", REFUSED)
def test_bad_input_is_refused(call, says):
    with pytest.raises(ValueError) as caught:
        eval(call, {"nn": mint.nn, "ops": ops})
    for part in says:
        assert part in str(caught.value)
