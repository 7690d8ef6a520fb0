"""What a check gave, as JSON: NumPy is all that it needs, under MindSpore as under sporax.

Tensor, Parameter, array   [kind, dtype, shape, numbers]
list, tuple, dict          [kind, parts] or [kind, keys, parts]
text, numbers, None        as they are, floats to 8 digits; infinities and NaN as JSON has them
anything else              [its class]
an error                   ["raises", its class, how its message begins]; of a class with several
                           bases (an IndexError and ValueError, say) these, too
"""

import importlib.util
import re
import sys

import numpy as np

# how MindSpore says that it has no kernel for a processor, or none for these dtypes
NO_KERNEL = (
    "on CPU", "unregistered", "Create kernelmod", "Select CPU operator", "Kernel select failed",
    "KernelMod Init Failed", "Not implement exception", "kernel mod", "does not support CPU",
    "not support on cpu", "Unsupported op", "Not found op", "only support Ascend", "Ascend", "not supported on this device",
    "does not support this kernel data type", "should not come here", "There is no branch to go",
    "must be a type of", "supports types:", "doesn't support '", "should be one of [mindspore.float",
    "type should be float32", "must be in (float32", "must not be bool", "must not be float64",
    "unsupported reduce operation for bool", "bad_function_call", "tensor must be [Float16",
)  # fmt: skip
OBJECT = re.compile(r"<[\w.]*?(\w+) object at 0x\w+>")
MOST = 200  # numbers that are kept one by one


def flat(array):
    """The numbers one after the other; of many three sums."""
    row = array.reshape(-1)
    if row.dtype.kind == "c":
        row = row.view(row.real.dtype)
    if row.dtype.kind in "OUSM":
        return [str(item) for item in row.tolist()]
    if row.size > MOST:
        wide = row.astype(np.float64)
        row = np.array([wide.mean(), np.abs(wide).mean(), (wide * np.cos(range(wide.size))).mean()])
    return [described(number) for number in row.tolist()]


def described(value):
    if isinstance(value, str):
        return OBJECT.sub(r"<\1 object>", value)
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return float(f"{value:.8g}")
    if hasattr(value, "asnumpy"):
        kind = "Parameter" if type(value).__name__ == "Parameter" else "Tensor"
        array = value.float().asnumpy() if str(value.dtype) == "BFloat16" else value.asnumpy()
        return [kind, str(value.dtype), list(array.shape), flat(array)]
    if isinstance(value, np.ndarray):
        return ["array", str(value.dtype), list(value.shape), flat(value)]
    if isinstance(value, np.generic):
        return ["scalar", str(value.dtype), described(value.item())]
    if isinstance(value, complex):
        return ["complex", described(value.real), described(value.imag)]
    if isinstance(value, dict):
        return [
            "dict",
            [str(key) for key in value],
            [described(part) for part in value.values()],
        ]
    if isinstance(value, (tuple, list)):
        kind = "list" if isinstance(value, list) else "tuple"
        return [kind, [described(part) for part in value]]
    return [type(value).__name__]


def outcome(function):
    try:
        return described(function())
    except Exception as error:  # noqa: BLE001
        if any(part in str(error) for part in NO_KERNEL):
            return ["no kernel"]
        kind = type(error)
        several = [[base.__name__ for base in kind.__bases__]] if len(kind.__bases__) > 1 else []
        return ["raises", kind.__name__, " ".join(str(error).split())[:100], *several]


def load(path):
    """The script in a file, as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
