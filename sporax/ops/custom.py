"""User-defined operations: `Custom`, and descriptions of kernels for other devices."""

from typing import Any

import numpy as np

from sporax._src.capture.staging.host_calls import through
from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.transforms.autodiff.function import Function
from sporax.ops.primitive import Primitive

_KIND = kinds.one_of("hybrid", "akg", "tbe", "aicpu", "aot", "pyfunc", "julia")


class Custom(Primitive):
    """An operation that calls a function on NumPy arrays: `func_type` 'pyfunc', or 'hybrid' for a
    function decorated by `ops.kernel`.

    `func`: maps arrays to an array or a tuple of arrays, called on the host each time. `out_shape`,
    `out_dtype`: the results' shapes and dtypes, or functions that map the inputs' to them; None
    accepts any. `bprop`: a function (inputs, output, gradient of the output) -> gradients of the
    inputs. `reg_info`: ignored.

    >>> twice = ops.Custom(lambda x: x * 2, lambda s: s, lambda d: d, "pyfunc")
    >>> twice(Tensor([1.0, 2.0])).asnumpy()
    array([2., 4.], dtype=float32)
    """

    def __init__(
        self, func, out_shape=None, out_dtype=None, func_type="pyfunc", bprop=None, reg_info=None
    ):
        super().__init__("Custom")
        _KIND("Custom", func_type=func_type)
        is_python = func_type in ("pyfunc", "hybrid")
        require(is_python, "pyfunc-hybrid", "Custom", func_type=func_type)
        kinds.FUNCTION("Custom", func=func)
        self.func, self.out_shape, self.out_dtype = func, out_shape, out_dtype
        self.bprop: Any = bprop
        self.func_type, self.reg_info = func_type, reg_info
        members = {"forward": staticmethod(self._forward), "backward": staticmethod(self._backward)}
        self._apply = type("Custom", (Function,), members).apply

    def __call__(self, *inputs):
        if thread.tape is not None or thread.recorder.tracer is None:
            return self._apply(*inputs)
        return through(self._apply, self._apply, inputs, {})[0]  # captured: splits the graph

    def _forward(self, ctx, *inputs):
        values = [x.asnumpy() if isinstance(x, Tensor) else x for x in inputs]
        returned = self.func(*values)
        several = isinstance(returned, (tuple, list))
        arrays = [np.asarray(a) for a in (returned if several else (returned,))]
        wanted = [
            self._wanted(wanted, [getattr(x, name, None) for x in inputs], len(arrays))
            for name, wanted in (("shape", self.out_shape), ("dtype", self.out_dtype))
        ]
        outputs = []
        for array, shape, dtype in zip(arrays, *wanted, strict=True):
            fits = shape is None or tuple(shape) == array.shape
            require(fits, "what-func-returns-shape", "Custom", shape=shape, got=array.shape)
            outputs.append(Tensor(array, dtype or dtypes.from_numpy(array.dtype)))
        ctx.inputs, ctx.output = inputs, tuple(outputs) if several else outputs[0]
        return ctx.output

    @staticmethod
    def _wanted(wanted: Any, of_inputs, count):
        """Return a shape or dtype for each of `count` results."""
        wanted = wanted(*of_inputs) if _is_function(wanted) else wanted
        if wanted is None or (count == 1 and not _nested(wanted)):
            return [wanted] * count
        return list(wanted)

    def _backward(self, ctx, *grads):
        require(self.bprop is not None, "given-derivative-taken-none", "Custom", argument="bprop")
        one = not isinstance(ctx.output, tuple)
        input_grads = self.bprop(*ctx.inputs, ctx.output, grads[0] if one else grads)
        return tuple(input_grads) if isinstance(input_grads, (tuple, list)) else input_grads


def _is_function(wanted):
    return callable(wanted) and not isinstance(wanted, type | dtypes.Type)


def _nested(wanted):
    """Return True if it has an entry for each of several results."""
    is_sequence = isinstance(wanted, (tuple, list))
    return is_sequence and len(wanted) > 0 and not isinstance(wanted[0], int)


class CustomRegOp:
    """A description of a kernel for another device, built step by step; see `get_op_info`.

    >>> info = ops.CustomRegOp("twice").input(0, "x").output(0, "y").target("CPU").get_op_info()
    >>> info["op_name"], info["target"]
    ('twice', 'CPU')
    """

    def __init__(self, op_name="Custom"):
        self.op_name, self.target_ = op_name, "UnKnown"
        self.inputs, self.outputs, self.attr_, self.dtype_format_ = [], [], [], []
        self.fusion_type_ = ""

    def input(self, index=None, name=None, param_type="required", **kwargs):
        """Record an input."""
        self.inputs.append({"index": index, "name": name, "paramType": param_type, **kwargs})
        return self

    def output(self, index=None, name=None, param_type="required", **kwargs):
        """Record an output."""
        self.outputs.append({"index": index, "name": name, "paramType": param_type, **kwargs})
        return self

    def attr(self, name=None, param_type=None, value_type=None, default_value=None, **kwargs):
        """Record an attribute."""
        attribute = {"name": name, "paramType": param_type, "type": value_type}
        attribute["defaultValue"] = default_value
        self.attr_.append({k: v for k, v in {**attribute, **kwargs}.items() if v is not None})
        return self

    def dtype_format(self, *args):
        """Record the dtypes and formats of inputs and outputs, in order (see `DataType`)."""
        self.dtype_format_.append(args)
        return self

    def fusion_type(self, fusion_type):
        """Record the fusion type."""
        self.fusion_type_ = fusion_type
        return self

    def target(self, target=None):
        """Record the device."""
        self.target_ = target
        return self

    def get_op_info(self):
        """Return all that was recorded, a dict."""
        return {
            "op_name": self.op_name, "inputs": self.inputs, "outputs": self.outputs,
            "attr": self.attr_, "fusion_type": self.fusion_type_,
            "dtype_format": self.dtype_format_, "target": self.target_,
        }  # fmt: skip


def custom_info_register(*reg_info):
    """Return a decorator that stores kernel descriptions, and changes nothing else."""

    def register(function):
        function.reg_info = reg_info
        return function

    return register


_CODES = {
    "BOOL": "bool", "BF16": "bfloat16", "C64": "complex64", "C128": "complex128", "None": "",
    **{f"F{n}": f"float{n}" for n in (16, 32, 64)},
    **{f"I{n}": f"int{n}" for n in (8, 16, 32, 64)},
    **{f"U{n}": f"uint{n}" for n in (8, 16, 32, 64)},
}  # fmt: skip
_FORMATS = {
    "Default": "DefaultFormat", "None": "", "5HD": "NC1HWC0", "FracZ": "FRACTAL_Z",
    "FracNZ": "FRACTAL_NZ", "FracZNLSTM": "FRACTAL_ZN_LSTM", "FracZNRNN": "FRACTAL_ZN_RNN",
    "ND_RNNBIAS": "ND_RNN_BIAS",
    "C1HWNCoC0": "C1HWNCoC0", "ChannelLast": "ChannelLast", "DHWCN": "DHWCN", "HWCN": "HWCN",
    "FRACTAL_Z_3D": "FRACTAL_Z_3D", "NC1HWC0": "NC1HWC0", "NCDHW": "NCDHW", "NCHW": "NCHW",
    "NDC1HWC0": "NDC1HWC0", "NDHWC": "NDHWC", "NHWC": "NHWC",
}  # fmt: skip


class _Names(type):
    def __getattr__(cls, name):
        code, _, layout = name.partition("_")
        kind = layout.removeprefix("Default_").lower()
        if code in _CODES and layout.startswith("Default_") and kind in ("list", "tuple"):
            return _CODES[code], _FORMATS["Default"], kind
        if code in _CODES and layout in _FORMATS:
            return _CODES[code], _FORMATS[layout]
        raise rejection("name-dtype-format-like", "DataType", got=name)


class DataType(metaclass=_Names):
    """Dtypes and formats of kernels for other devices, by name.

    >>> ops.DataType.F32_Default
    ('float32', 'DefaultFormat')
    """
