"""`Bijector`, the base class."""

from typing import Any

import numpy as np

from sporax import ops
from sporax._src.core.dtype import to_numpy
from sporax._src.core.hooks import hooks
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.nn.cell import Cell
from sporax.nn.layer_inputs import TENSOR

_METHOD = kinds.one_of("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian")


def _is_floating(dtype):
    return to_numpy(dtype).kind in "fV"  # V: bfloat16


class Bijector(Cell):
    """Base class of all bijectors: a subclass defines `_forward`, `_inverse`,
    `_forward_log_jacobian` and `_inverse_log_jacobian`, functions of one Tensor.

    `is_constant_jacobian`: True if the derivative is constant; `is_injective`; `dtype`: of
    parameters and inputs, any floating dtype if None. `param`: the subclass arguments by name,
    `param["param_dict"]` its parameters; `_add_parameter(value, name)` converts one to a Tensor.

    Called with a method name it calls that method, with a distribution it returns the
    `TransformedDistribution`.

    >>> exp = nn.probability.bijector.Exp()
    >>> exp("forward", Tensor([0.0])).asnumpy()
    array([1.], dtype=float32)
    >>> exp(nn.probability.distribution.Normal(0.0, 1.0)).cdf(Tensor([1.0])).asnumpy()
    array([0.5], dtype=float32)
    """

    _is_decreasing = False  # or a bool Tensor, elementwise

    def __init__(
        self, is_constant_jacobian=False, is_injective=True, name=None, dtype=None, param=None
    ):
        super().__init__()
        kind = type(self).__name__
        kinds.STR(kind, name=name)
        kinds.BOOL(kind, is_constant_jacobian=is_constant_jacobian, is_injective=is_injective)
        require(
            dtype is None or _is_floating(dtype),
            "must-be-type",
            kind,
            dtype=dtype,
            kind="a-floating-dtype",
        )
        self.name, self.dtype = name, dtype
        self.is_constant_jacobian, self.is_injective = is_constant_jacobian, is_injective
        self.parameters = {
            k: v for k, v in (param or {}).items() if k not in ("param", "self") and k[0] != "_"
        }
        self.default_parameters, self.parameter_names, self.common_dtype = [], [], None

    def _add_parameter(self, value, name):
        """Convert a parameter to a Tensor of the floating dtype common to all parameters."""
        is_number = value is not None and not isinstance(value, bool)
        require(is_number, "number-array-tensor", self.name, argument=name, got=value)
        tensor = Tensor(value)
        self.common_dtype, common = tensor.dtype, self.dtype or self.common_dtype
        self._check_dtype(name, tensor, common)
        self.default_parameters = [*self.default_parameters, value]
        self.parameter_names = [*self.parameter_names, name]
        return tensor

    def _check_value_dtype(self, value):
        """Return `value`, checked to be a Tensor of the bijector's dtype, or of any floating dtype
        if None; called by `_forward` and the like in subclasses."""
        TENSOR(self.name, value=value)
        self._check_dtype("value", value, self.dtype)
        return value

    def _check_dtype(self, name, tensor, wanted):
        """Raise TypeError unless a Tensor is of the dtype `wanted`, of a floating one if None."""
        got = tensor.dtype
        require(wanted or _is_floating(got), "floating", self.name, argument=name, got=got)
        fits, dtypes = wanted in (None, got), (wanted,)
        require(fits, "dtype-one-of", self.name, argument=name, got=got, dtypes=dtypes)

    def cast_param_by_value(self, value, para):
        """Cast the parameter `para` to the dtype of the input `value`."""
        return para.astype(value.dtype)

    def _parameters_given(self):
        return self.parameters.get("param_dict")

    @property
    def batch_shape(self):
        """Broadcast shape of the parameters; None if one of them is None."""
        given = self._parameters_given()
        if given is None or any(value is None for value in given.values()):
            return None
        return tuple(np.broadcast_shapes(*[np.shape(value) for value in given.values()]))

    @property
    def is_scalar_batch(self):
        """True if all parameters are scalars."""
        given = self._parameters_given()
        return given is not None and all(
            isinstance(value, (int, float, type(None))) for value in given.values()
        )

    def shape_mapping(self, shape):
        """Return the shape of the result for an input of `shape`."""
        return tuple(np.broadcast_shapes(tuple(shape), self.batch_shape or ()))

    def _at(self, what, value, args, kwargs):
        compute: Any = getattr(self, f"_{what}", None)
        require(compute is not None, "not-defined", self.name, argument=what)
        return compute(self._check_value_dtype(value), *args, **kwargs)

    def forward(self, value, *args, **kwargs):
        """Return the image of `value`."""
        return self._at("forward", value, args, kwargs)

    def inverse(self, value, *args, **kwargs):
        """Return the preimage of `value`."""
        return self._at("inverse", value, args, kwargs)

    def forward_log_jacobian(self, value, *args, **kwargs):
        """Return the log of the derivative of `forward` at `value`."""
        return self._at("forward_log_jacobian", value, args, kwargs)

    def inverse_log_jacobian(self, value, *args, **kwargs):
        """Return the log of the derivative of `inverse` at `value`."""
        return self._at("inverse_log_jacobian", value, args, kwargs)

    def __call__(self, *args, **kwargs):
        distribution = hooks.transformed(self, args[0]) if args else None
        return super().__call__(*args, **kwargs) if distribution is None else distribution

    def construct(self, name, *args, **kwargs):
        """Call the method `name`: `bijector("forward", x)`."""
        _METHOD(self.name, name=name)
        return getattr(self, name)(*args, **kwargs)

    def extend_repr(self):
        if not self.is_scalar_batch:
            return f"batch_shape = {self.batch_shape}"
        return ", ".join(f"{name} = {getattr(self, name)}" for name in self.parameter_names)


def like(x, parameter):
    """Cast a parameter to the dtype of the input."""
    return ops.cast(parameter, x.dtype)
