"""Registration data of kernels for other devices: builders, and the decorator that stores it.

The data has the format of MindSpore's builders; `op_info_register` stores it on the function. It
does not make a custom kernel run: XLA has its own (see `ops.Custom`).
"""

import functools
import inspect
import json
from collections.abc import Callable

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.declare import FUNCTIONS

_STR, _INT, _BOOL, _LIST = str, int, bool, list


def _require(kind, value):
    if not isinstance(value, kind):
        raise rejection("value", value=value, kind=kind.__name__)


def _entry(checks, values, more):
    """Return the entry of an input, output or attribute: the given values, under MindSpore's keys.

    `checks`: {parameter: (key, kind)}.
    """
    entry = {}
    for name, (key, kind) in checks.items():
        if values[name] is not None:
            _require(kind, values[name])
            entry[key] = values[name]
    return {**entry, **more}


def _noting(field, parameters):
    """Create a method that adds an entry to the list `field`. `parameters`: {name: (key, kind)}."""
    signature = _signature({name: None for name in parameters}, "kwargs")

    def method(self, *args, **kwargs):
        values = signature.bind(self, *args, **kwargs)
        values.apply_defaults()
        arguments = values.arguments
        getattr(self, field).append(_entry(parameters, arguments, arguments["kwargs"]))
        self._check_entry(arguments)
        return self

    method.__signature__, method.__doc__ = signature, f"Record an entry of `{field.strip('_')}`."
    return method


def _setting(name, attribute, kind, default=inspect.Parameter.empty, append=False):
    """Create a method that stores its argument, of that name, in the attribute `attribute`."""
    signature = _signature({name: default})

    def method(self, *args, **kwargs):
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        value = bound.arguments[name]
        if value is not None:
            _require(kind, value)
            if append:
                getattr(self, attribute).append(value)
            else:
                setattr(self, attribute, value)
        return self

    method.__signature__, method.__doc__ = signature, f"Record `{name}`."
    return method


def _signature(defaults, more=None):
    """Return the signature of a method with these parameters, and with `**more`."""
    kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_KEYWORD
    own = [inspect.Parameter(name, kinds[0], default=value) for name, value in defaults.items()]
    variadic = [inspect.Parameter(more, kinds[1])] if more else []
    return inspect.Signature([inspect.Parameter("self", kinds[0]), *own, *variadic])


_IO = {"index": ("index", _INT), "name": ("name", _STR)}
_KIND = {"param_type": ("paramType", _STR)}
_COMPILE = {"need_compile": ("needCompile", _BOOL), **_KIND, "shape": ("shape", _STR)}
# keys of `get_op_info` that differ from their attribute's name without `_`
_KEYS = {
    "dynamic_shape_support": "dynamicShapeSupport", "dynamic_rank_support": "dynamicRankSupport",
    "dynamic_compile_static": "dynamicCompileStatic", "need_check_support": "needCheckSupport",
    "dynamic_format": "dynamicFormat",
}  # fmt: skip


class RegOp:
    """A kernel description, built step by step; `get_op_info` returns it.

    `op_name`: the name of the operation.
    """

    def __init__(self, op_name=""):
        require(isinstance(op_name, str), "op-name-value-string")
        require(op_name.strip(), "op-name-empty")
        self.op_name = op_name
        self.inputs, self.outputs, self.attr_ = [], [], []
        self.fusion_type_, self.dtype_format_ = "", []

    def _check_entry(self, values):
        """Check an entry beyond the types of its values; for subclasses."""

    fusion_type = _setting("fusion_type", "fusion_type_", _STR)

    def dtype_format(self, *args):
        """Record the dtypes and formats of inputs and outputs, in order (see `DataType`)."""
        require(len(self.inputs) + len(self.outputs) == len(args), "input-size-add-output")
        for arg in args:
            require(isinstance(arg, tuple) and len(arg) in (2, 3), "dtype-format-value-tuple")
            for item in arg:
                _require(_STR, item)
        self.dtype_format_.append(args)
        return self

    def get_op_info(self):
        """Return all that was recorded, a dict."""
        named = {k.rstrip("_") if k.endswith("_") else k: v for k, v in vars(self).items()}
        return {_KEYS.get(k, k): v for k, v in named.items()}


class CpuRegOp(RegOp):
    """A description of a kernel for the CPU.

    >>> info = ops.CpuRegOp("Twice").input(0, "x").output(0, "y").get_op_info()
    >>> info["op_name"], info["inputs"], info["imply_type"]
    ('Twice', [{'index': 0, 'name': 'x'}], 'CPU')
    """

    def __init__(self, op_name):
        super().__init__(op_name)
        self.imply_type = "CPU"

    input = _noting("inputs", {**_IO, **_KIND})
    output = _noting("outputs", {**_IO, **_KIND})
    attr = _noting("attr_", {"name": ("name", _STR), "value_type": ("type", _STR),
                             "value": ("value", _STR)})  # fmt: skip


class AiCPURegOp(CpuRegOp):
    """A description of a kernel for an Ascend's own CPUs; as `CpuRegOp`.

    >>> ops.AiCPURegOp("Twice").get_op_info()["imply_type"]
    'AiCPU'
    """

    def __init__(self, op_name):
        super().__init__(op_name)
        self.imply_type = "AiCPU"


class AkgRegOp(RegOp):
    """A description of a kernel that AKG compiles, for a `processor`."""

    def __init__(self, op_name, processor):
        super().__init__(op_name)
        self.imply_type, self.processor = "AKG", processor

    input = _noting("inputs", {**_IO, **_KIND})
    output = _noting("outputs", _IO)
    attr = _noting("attr_", {"name": ("name", _STR), **_KIND, "value_type": ("type", _STR)})


class AkgGpuRegOp(AkgRegOp):
    """A description of a kernel that AKG compiles for a GPU.

    >>> ops.AkgGpuRegOp("Twice").get_op_info()["processor"]
    'CUDA'
    """

    def __init__(self, op_name):
        super().__init__(op_name, "CUDA")


class AkgAscendRegOp(AkgRegOp):
    """A description of a kernel that AKG compiles for an Ascend.

    >>> ops.AkgAscendRegOp("Twice").get_op_info()["processor"]
    'AiCore'
    """

    def __init__(self, op_name):
        super().__init__(op_name, "AiCore")


class TBERegOp(RegOp):
    """A description of a kernel for an Ascend's tensor engine.

    >>> info = ops.TBERegOp("Abs").kernel_name("abs").partial_flag(True).get_op_info()
    >>> info["kernel"], info["partial_flag"], info["imply_type"]
    ('abs', True, 'TBE')
    """

    def __init__(self, op_name):
        super().__init__(op_name)
        self.imply_type = "TBE"
        self.async_flag_, self.binfile_, self.compute_cost_, self.kernel_ = False, "", 10, ""
        self.partial_flag_, self.reshape_type_ = False, ""
        self.dynamic_rank_support_ = self.dynamic_shape_support_ = False
        self.dynamic_compile_static_ = self.need_check_support_ = self.dynamic_format_ = False
        self.op_pattern_ = ""
        self.real_input_index_, self.input_to_attr_index_ = [], []
        self.unknown_shape_formats_ = []

    def _check_entry(self, values):
        allowed, given = ("ignored", "optional", "required"), values.get("value_depend")
        fits = not given or given.lower() in allowed
        name = {"op_name": self.op_name, "index": values.get("index")}
        require(fits, "value-depend-of-input", given=given, allowed=allowed, **name)

    input = _noting("inputs", {**_IO, **_COMPILE, "value_depend": ("valueDepend", _STR)})
    output = _noting("outputs", {**_IO, **_COMPILE, "need_compile": ("need_compile", _BOOL)})
    attr = _noting(
        "attr_",
        {
            "name": ("name", _STR), **_KIND, "value_type": ("type", _STR), "value": ("value", _STR),
            "default_value": ("defaultValue", _STR),
        },
    )  # fmt: skip


# method and its parameter, attribute that holds the setting, its type, default
for _name, _parameter, _attribute, *_rest in [
    ("unknown_shape_formats", "", "unknown_shape_formats_", _LIST, inspect.Parameter.empty, True),
    ("dynamic_rank_support", "", "dynamic_rank_support_", _BOOL),
    ("real_input_index", "", "real_input_index_", _LIST),
    ("input_to_attr_index", "", "input_to_attr_index_", _LIST),
    ("async_flag", "", "async_flag_", _BOOL, False), ("binfile_name", "", "binfile_", _STR),
    ("compute_cost", "", "compute_cost_", _INT, 10), ("kernel_name", "", "kernel_", _STR),
    ("partial_flag", "", "partial_flag_", _BOOL, True),
    ("reshape_type", "", "reshape_type_", _STR),
    ("dynamic_shape", "", "dynamic_shape_support_", _BOOL, False),
    ("dynamic_compile_static", "", "dynamic_compile_static_", _BOOL, False),
    ("need_check_supported", "", "need_check_support_", _BOOL, False),
    ("is_dynamic_format", "", "dynamic_format_", _BOOL, False),
    ("op_pattern", "pattern", "op_pattern_", _STR, None),
]:  # fmt: skip
    setattr(TBERegOp, _name, _setting(_parameter or _name, _attribute, *_rest))


def op_info_register(op_info) -> Callable:
    """Return a decorator that stores the registration data of a kernel (a dict, or its JSON) on a
    function, in `op_info`, and changes nothing else.

    >>> info = ops.TBERegOp("Abs").kernel_name("abs").get_op_info()
    >>> @ops.op_info_register(info)
    ... def abs_kernel():
    ...     return "source"
    >>> abs_kernel(), abs_kernel.op_info["kernel"]
    ('source', 'abs')
    """
    kinds.instance((dict, str), "a-dict-or-str")("op_info_register", op_info=op_info)
    info = json.loads(op_info) if isinstance(op_info, str) else op_info
    missing = [key for key in ("op_name", "imply_type") if key not in info]
    require(not missing, "must-have", "op_info_register", op_info=info, missing=missing)

    def register(function):
        @functools.wraps(function)
        def kept(*args, **kwargs):
            return function(*args, **kwargs)

        vars(kept).update(op_info=info)
        return kept

    return register


FUNCTIONS.update(
    AiCPURegOp=AiCPURegOp, AkgAscendRegOp=AkgAscendRegOp, AkgGpuRegOp=AkgGpuRegOp,
    CpuRegOp=CpuRegOp, TBERegOp=TBERegOp, op_info_register=op_info_register,
)  # fmt: skip
