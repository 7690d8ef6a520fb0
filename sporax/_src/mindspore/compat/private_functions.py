"""Private and removed functions of MindSpore that packages still import."""

import contextlib
import functools
import inspect
import os
import pathlib

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from sporax import nn, ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import context
from sporax._src.core.dtype import float32
from sporax._src.core.parameter import GENERATED
from sporax._src.core.tensor import Tensor
from sporax._src.devices.distributed import parallel_context
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.mindspore.compat import checks, runtime
from sporax.io import safetensors_file
from sporax.nn.convolution import Convolution
from sporax.ops.debugging import SUMMARIES
from sporax.train import Callback


def _args_type_validator_check(*checks_by_position, **checks_by_name):
    """Return a decorator that calls the check of each named argument with its value and name."""

    def decorate(function):
        signature = inspect.signature(function)
        wanted = signature.bind_partial(*checks_by_position, **checks_by_name).arguments
        wanted = wanted.get("kwargs", wanted)

        @functools.wraps(function)
        def checked(*args, **kwargs):
            arguments = signature.bind(*args, **kwargs).arguments
            for name, value in (arguments | arguments.get("kwargs", {})).items():
                if name in wanted:
                    wanted[name](value, name)
            return function(*args, **kwargs)

        return checked

    return decorate


def _valid_value_checks(types, class_name):
    """Return a check for `_args_type_validator_check`: the value is one of the dtypes."""
    return lambda value, name: checks.check_type_name(name, value, types, class_name)


def _valid_type_checks(types, class_name):
    """Return a check for `_args_type_validator_check`: the value is of one of the types."""
    return lambda value, name: checks.check_type_name(name, type(value), types, class_name)


def _construct_tensor_list(types, shapes, batch_expand_num=1):
    """Return zeros of these dtypes and shapes, whose first size is times `batch_expand_num`."""
    require(
        len(types) == len(shapes),
        "equally-long",
        "_construct_tensor_list",
        types=len(types),
        other="shapes",
        count=len(shapes),
    )
    sizes = [(shape[0] * batch_expand_num, *shape[1:]) for shape in shapes]
    return [ops.zeros(shape, kind) for shape, kind in zip(sizes, types, strict=True)]


def _cache_summary_tensor_data(summary):
    """Pass dicts of 'data' and 'name', such as 'loss[:Scalar]', to the open `SummaryRecord`."""
    for item in summary:
        name, _, kind = item["name"].removesuffix("]").rpartition("[:")
        getattr(ops, f"{kind}Summary")()(name, item["data"])
    return True


def _get_summary_tensor_data():
    """Return {"name[:Tensor]": value} of the summary operations that ran since the last call."""
    return SUMMARIES.latest()


def is_numpy(img):
    """Return True for a NumPy array."""
    return isinstance(img, np.ndarray)


def _raising(kind, shown):
    """Return a function that raises an error, with `shown` of its second argument appended."""

    def raise_it(info, param=None):
        raise kind(info if param is None else f"{info}{shown(param)}")

    return raise_it


_raise_type_error = _raising(TypeError, type)
_raise_value_error = _raising(ValueError, str)
_raise_runtime_error = _raising(RuntimeError, str)
_raise_unimplemented_error = _raising(NotImplementedError, str)


def _infer_out_shape(*shapes):
    """Return the shape of operands that are broadcast."""
    return np.broadcast_shapes(*shapes)


def _canonicalize_axis(axis, ndim):
    """Return nonnegative axes, ascending: an int for one axis, else a tuple."""
    axes = sorted(normalize_axis_tuple(axis, ndim))
    return axes[0] if len(axes) == 1 else tuple(axes)


def _make_directory(path, arg_name="path"):
    """Return the absolute path of a directory, created if it is missing.

    Raises TypeError unless the path is a string, and ValueError if it is blank.
    """
    require(isinstance(path, str), "invalid-type-should-string", arg_name=arg_name)
    require(path.strip(), "invalid-should-non-blank", arg_name=arg_name)
    directory = pathlib.Path(os.path.realpath(path))
    directory.mkdir(parents=True, exist_ok=True)
    return str(directory)


def _handle_loss(loss):
    """Return the loss that callbacks show: the mean of a network's first output."""
    if isinstance(loss, (tuple, list)) and loss and isinstance(loss[0], Tensor):
        loss = loss[0]
    if isinstance(loss, Tensor):
        return float(np.mean(loss.asnumpy()))
    return loss


def _transfer_tensor_to_tuple(inputs):
    """Wrap a Tensor in a tuple; return anything else unchanged."""
    return (inputs,) if isinstance(inputs, Tensor) else inputs


class _StepSync(Callback):
    """A callback that waits at the end of each step until all operations have run."""

    def step_end(self, run_context):
        runtime.synchronize()


def _set_training_dataset(dataset):
    """Set the dataset for resuming training after a device was lost: accepted, without effect."""


def _is_role_pserver():
    """Return False: sporax has no parameter servers."""
    return False


def _device_number_check(parallel_mode, device_number):
    """Raise ValueError for several devices in stand-alone mode."""
    require(
        parallel_mode != parallel_context.ParallelMode.STAND_ALONE or device_number == 1,
        "parallel-mode-device-number-1",
        parallel_mode=parallel_mode,
        got=device_number,
    )


class _AutoParallelContext:
    """The settings of `set_auto_parallel_context`, as methods `get_...` and `set_...`."""

    def __getattr__(self, name):
        kind, _, setting = name.partition("_")
        if kind == "get" and setting:
            return functools.partial(parallel_context.get_auto_parallel_context, setting)
        if kind == "set" and setting:
            return lambda value: parallel_context.set_auto_parallel_context(**{setting: value})
        raise rejection("context-parallel-training-no", name=name)

    def reset(self):
        """Reset all settings to their defaults."""
        parallel_context.reset_auto_parallel_context()


_CONTEXT = _AutoParallelContext()


def auto_parallel_context():
    """Return the singleton that holds the settings of parallel training."""
    return _CONTEXT


def _get_funcgraph(net, *inputs):
    """Return the graph of a Cell for these inputs, as `jit(net).graph`; print it for a listing.

    Raises ValueError unless `net` is a Cell.
    """
    require(isinstance(net, nn.Cell), "cell", "_get_funcgraph", net=net)
    return jit(net).graph(*inputs)


def no_init_parameters():
    """Context manager for networks whose weights come from a checkpoint: accepted, without effect.

    Parameters are initialized as usual, since sampling them costs less than reading them.
    """
    return contextlib.nullcontext()


def run_check():
    """Multiply two matrices on the device and print a message if the product is right.

    Raises RuntimeError if it is wrong.
    """
    a = np.arange(6.0).reshape(2, 3)
    product = (Tensor(a) @ Tensor(a.T)).asnumpy()
    device = context.get_context("device_target")
    require(
        np.allclose(product, a @ a.T),
        "product-matrices-wrong",
        "run_check",
        device=device,
        product=product,
    )
    print(f"sporax multiplies matrices on {device} as it should.")


class ControlDepend:
    """`ControlDepend(depend_mode=0)(src, dst)`: `src` is computed before `dst`.

    Removed in MindSpore 1.3 but still used. A no-op: Parameters are written in program order,
    captured or not.
    """

    def __init__(self, depend_mode=0):
        self.depend_mode = depend_mode

    def __call__(self, src, dst):
        return src


control_depend = ControlDepend()


class CosineSimilarity(nn.Cell):
    """`mindspore.nn.layer.CosineSimilarity`: `ops.cosine_similarity` of two inputs;
    `nn.CosineSimilarity` is the metric."""

    def __init__(self, dim=1, eps=1e-8):
        super().__init__()
        self.dim, self.eps = dim, eps

    def construct(self, x1, x2):
        return ops.cosine_similarity(x1, x2, self.dim, self.eps)


def _nd_transpose(a):
    """Swap the last two axes."""
    require(a.ndim >= 2, "at-least-dimensions", "_nd_transpose", argument="a", n=2, shape=a.shape)
    return a.swapaxes(-1, -2)


class _Conv(Convolution):
    """Base class of model zoos' convolutions: settings, `weight` and `bias`.

    A subclass defines `construct`. `transposed`: the weight's first two axes are inputs and
    outputs.
    """

    def __init__(
        self, in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
        has_bias, weight_init, bias_init, data_format="NCHW", transposed=False, dtype=float32,
    ):  # fmt: skip
        self._transposed = transposed
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init, data_format, dtype,
        )  # fmt: skip


DEBUG = 1  # MindSpore's `context.DEBUG`, a log level

_grad_scale = ops.MultitypeFuncGraph("grad_scale")


@_grad_scale.register("Tensor", "Tensor")
def _unscaled(scale, gradient):
    return gradient * ops.reciprocal(scale).astype(gradient.dtype)


def _is_parameter_generated(param_name):
    """Return True for the name that a Parameter in a tuple or list gets from its Cell."""
    return isinstance(param_name, str) and param_name.startswith(GENERATED)


def _fast_load_file(filename):
    """Return the arrays of a `.safetensors` file by name."""
    return dict(safetensors_file.read(filename, lambda name: True, False))


def _grad_scale_map(scale_value, inputs):
    """Multiply the Tensors of nested tuples by the scale, in their own dtypes."""
    return _each_tensor(lambda x: x * scale_value.astype(x.dtype), inputs)


def _grad_unscale_map(scale_value, inputs):
    """Divide the Tensors of nested tuples by the scale, in their own dtypes."""
    return _each_tensor(lambda x: x * ops.reciprocal(scale_value).astype(x.dtype), inputs)


def _each_tensor(function, inputs):
    if isinstance(inputs, (tuple, list)):
        return tuple([_each_tensor(function, item) for item in inputs])
    return function(inputs)


_adam_opt = ops.MultitypeFuncGraph("adam_opt")


@_adam_opt.register(*["Tensor"] * 9, "Bool", "Bool")
def _adam_step(beta1, beta2, eps, rate, decay, param, m, v, gradient, is_decayed, is_updated):
    """Apply one step of `AdamWeightDecay` to one Parameter, for custom optimizers."""
    if not is_updated:
        return gradient
    gradient = gradient.astype(float32)
    ops.assign(m, beta1 * m + (1 - beta1) * gradient)
    ops.assign(v, beta2 * v + (1 - beta2) * ops.square(gradient))
    step = m / (ops.sqrt(v) + eps)
    if is_decayed:
        step = step + decay * param.astype(float32)
    return ops.assign(param, (param.astype(float32) - rate * step).astype(param.dtype))
