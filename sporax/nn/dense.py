"""Dense layers."""

from typing import ClassVar

from sporax import ops
from sporax._src.core.dtype import float32
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.initializers import Uniform
from sporax.nn.activation import activation_of
from sporax.nn.cell import Cell
from sporax.nn.layer_inputs import check_inputs, require_last
from sporax.nn.parameter_init import default_bias, default_weight, parameter
from sporax.ops.nn.dense import dense_layer


class Dense(Cell):
    r"""Affine map of the last axis, $y = x W^\top + b$: `(*, in)` -> `(*, out)`.

    `weight` is `(out, in)` and `bias` `(out,)`; unless given by `weight_init` and `bias_init`
    (a Tensor, an initializer or its name, a scalar), both start uniform in $\pm 1 / \sqrt{in}$.
    `activation`: a name, a Cell or a Primitive, applied to $y$.

    >>> nn.Dense(3, 4)(ops.ones((2, 3))).shape
    (2, 4)
    """

    _on_request: ClassVar = {
        "matmul": lambda layer: ops.MatMul(transpose_b=True),
        "bias_add": lambda layer: ops.BiasAdd(),
        "reshape": lambda layer: ops.Reshape(),
        "shape_op": lambda layer: ops.Shape(),
    }

    def __init__(
        self, in_channels, out_channels, weight_init=None, bias_init=None, has_bias=True,
        activation=None, dtype=float32,
    ):  # fmt: skip
        super().__init__()
        kinds.POSITIVE_INT("Dense", in_channels=in_channels, out_channels=out_channels)
        kinds.BOOL("Dense", has_bias=has_bias)
        self.in_channels, self.out_channels, self.has_bias = in_channels, out_channels, has_bias
        shape = out_channels, in_channels
        self.weight = parameter("Dense", "weight", default_weight(weight_init), shape, dtype)
        self.bias = None
        if has_bias:
            init = default_bias(bias_init, shape)
            self.bias = parameter("Dense", "bias", init, shape[:1], dtype)
        self.activation = activation_of("Dense", activation)
        self.activation_flag = self.activation is not None

    def construct(self, x):
        check_inputs("Dense", x)
        require_last("Dense", x, in_channels=self.in_channels)
        y = self._affine(x)
        return self.activation(y) if self.activation_flag else y

    def _affine(self, x):
        return dense_layer(x, self.weight, self.bias)

    def extend_repr(self):
        text = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        text += f", has_bias={self.has_bias}" if self.has_bias else ""
        return text + (f", activation={self.activation}" if self.activation_flag else "")


class BiDense(Cell):
    r"""Bilinear map of two inputs, $y_k = x_1^\top W_k x_2 + b_k$: `(*, in1)` and `(*, in2)` ->
    `(*, out)`.

    `weight` is `(out, in1, in2)` and `bias` `(out,)`; unless given, both start uniform in
    $\pm 1 / \sqrt{in1}$.

    >>> nn.BiDense(3, 4, 5)(ops.ones((2, 3)), ops.ones((2, 4))).shape
    (2, 5)
    """

    def __init__(
        self, in1_channels, in2_channels, out_channels, weight_init=None, bias_init=None,
        has_bias=True, dtype=float32,
    ):  # fmt: skip
        super().__init__()
        kinds.POSITIVE_INT(
            "BiDense", in1_channels=in1_channels, in2_channels=in2_channels,
            out_channels=out_channels,
        )  # fmt: skip
        kinds.BOOL("BiDense", has_bias=has_bias)
        self.in1_channels, self.in2_channels = in1_channels, in2_channels
        self.out_channels, self.has_bias = out_channels, has_bias
        shape, start = (out_channels, in1_channels, in2_channels), Uniform(1 / in1_channels**0.5)
        init = start if weight_init is None else weight_init
        self.weight = parameter("BiDense", "weight", init, shape, dtype)
        self.bias = None
        if has_bias:
            init = start if bias_init is None else bias_init
            self.bias = parameter("BiDense", "bias", init, shape[:1], dtype)

    def construct(self, input1, input2):
        check_inputs("BiDense", input1, input2)
        shape, shape2 = input1.shape, input2.shape
        wanted = self.in1_channels, self.in2_channels
        fits = shape[:-1] == shape2[:-1] and shape[-1:] + shape2[-1:] == wanted
        fields = {"wanted": wanted, "shape": shape, "shape2": shape2}
        require(fits, "last-axes-inputs-in1-channels", "BiDense", **fields)
        return ops.bidense(input1, input2, self.weight, self.bias)

    def extend_repr(self):
        text = f"in1_channels={self.in1_channels}, in2_channels={self.in2_channels}"
        text += f", output_channels={self.out_channels}"
        return text + (f", has_bias={self.has_bias}" if self.has_bias else "")
