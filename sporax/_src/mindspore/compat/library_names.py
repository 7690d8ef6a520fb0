"""Private names of MindSpore that libraries import: steps of recurrent cells, datasets' classes,
switches of its parallel modes, tables of its checkpoints."""

import collections
import enum
import functools
from typing import Any, ClassVar

import numpy as np

from sporax import Tensor, nn, ops
from sporax._src.core import dtype as dtypes
from sporax._src.core import random
from sporax._src.core.context import get_context, set_context
from sporax._src.core.errors import missing
from sporax._src.core.value import thread
from sporax._src.diagnosis.rules import require
from sporax._src.mindspore.compat.refused_names import Refused
from sporax.data.concat_zip import Concat
from sporax.data.pipeline import Repeat
from sporax.nn.cell_buffers import is_buffer
from sporax.ops.nn.recurrence import recurrent_cell

# recurrent cells --------------------------------------------------------------------------------


def _step(kind, inputs, hidden, w_ih, w_hh, b_ih, b_hh):
    """Return the next state of a recurrent cell: that of an LSTM is `(hidden, cell)`."""
    hidden, cell = hidden if kind == "lstm" else (hidden, None)
    return recurrent_cell(inputs, hidden, cell, w_ih, w_hh, b_ih, b_hh, kind=kind)


_rnn_tanh_cell, _rnn_relu_cell, _gru_cell, _lstm_cell = (
    functools.partial(_step, kind) for kind in ("tanh", "relu", "gru", "lstm")
)


# datasets ---------------------------------------------------------------------------------------


class RepeatDataset(Repeat):
    """`input_dataset.repeat(count)`."""

    def __init__(self, input_dataset, count):
        super().__init__(input_dataset, count)


class ConcatDataset(Concat):
    """The rows of the datasets of a list, one after another."""

    def __init__(self, datasets):
        super().__init__(datasets[0], datasets[1:])


class Implementation(enum.IntEnum):
    """Where a transform runs: in C++ or in Python."""

    C, PY = 0, 1


# files and buffers ------------------------------------------------------------------------------


class FileSystem:
    """Functions that open checkpoints: Python's `open`, with arguments for writing and reading."""

    backend = "basic"
    create = open = staticmethod(open)
    create_args, open_args = ("ab",), ("rb",)


class _BufferType(type):
    def __instancecheck__(cls, instance):
        return is_buffer(instance)


class _Buffer(metaclass=_BufferType):
    """`_Buffer(data, persistent=True)`: a Tensor that a Cell registers as a buffer when it is set.

    >>> isinstance(_Buffer(Tensor([1.0])), Tensor)
    True
    """

    def __new__(cls, data, *, persistent=True):
        require(isinstance(data, Tensor), "tensor-argument-type-linalg", "_Buffer", data=data)
        buffer: Any = ops.stop_gradient(data)
        buffer._is_buffer, buffer.persistent = True, persistent
        return buffer


# training ---------------------------------------------------------------------------------------


class _VirtualDatasetCell(nn.Cell):
    """A network whose inputs are each rank's part of a batch, as they are here without it."""

    def __init__(self, backbone):
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *inputs):
        return self._backbone(*inputs)


class _MicroBatch(nn.Cell):
    """Part `i` of `micro_size` equal parts of each input along its first axis."""

    def __init__(self, micro_size):
        super().__init__()
        self.micro_size = micro_size

    def construct(self, i, *inputs):
        for x in inputs:
            fits, fields = x.shape[0] % self.micro_size == 0, {"value": self.micro_size}
            require(
                fits, "multiple", "_MicroBatch", inputs=x.shape[0], other="micro_size", **fields
            )
        sizes = [x.shape[0] // self.micro_size for x in inputs]
        return tuple(x[i * n : (i + 1) * n] for x, n in zip(inputs, sizes, strict=True))


def _is_sharding_propagation():
    """Return False: XLA propagates shardings, without a search mode of MindSpore's."""
    return False


def _set_rp_matmul_mem_coef(rp_matmul_mem_coef):
    """Do nothing: XLA has no cost model of MindSpore's search for strategies."""


def _set_cur_net(net):
    """Do nothing: MindSpore's callbacks keep the network for its own profiler."""


class TensorTransform:
    """MindSpore's planner of the steps from one sharding to another; XLA plans them here."""

    transform_tensor_sharding = Refused(
        "mindspore._c_expression.TensorTransform.transform_tensor_sharding"
    )

    @classmethod
    def get_instance(cls):
        """Return the planner."""
        return cls()


class NoFallbackGuard:
    """A context in which operations do not call `__fallback__` of Tensors whose class has one."""

    def __enter__(self):
        self.outer, thread.calls_fallback = thread.calls_fallback, False

    def __exit__(self, *exception):
        thread.calls_fallback = self.outer


class MSContext:
    """MindSpore's settings in C++, of which libraries ask the kind of Ascend: none here."""

    _instance = None

    @classmethod
    def get_instance(cls):
        """Return the one instance."""
        cls._instance = cls._instance or cls()
        return cls._instance

    def get_ascend_soc_version(self):
        """Return ''."""
        return ""


class _Context:
    """The settings of `set_context` as an object with a setter for each: `set_mode(0)`."""

    def __getattr__(self, name):
        if not name.startswith("set_"):
            raise missing("context.K_CONTEXT", name)
        return lambda value: set_context(**{name.removeprefix("set_"): value})

    def get_mode(self):
        """Return GRAPH_MODE or PYNATIVE_MODE."""
        return get_context("mode")

    def set_backend_policy(self, policy):
        """Do nothing: 'ge' and 'ms' are runtimes of MindSpore's."""


K_CONTEXT = _Context()


def _function_forbid_reuse(func):
    """Return the function: MindSpore's compiler copies its graph for each call."""
    return func


class AmpLevel(enum.Enum):
    """Levels of mixed precision in MindSpore's runtime."""

    AmpO0, AmpO1, AmpO2, AmpO3, AmpAuto = range(5)


create_amp_strategy = Refused("mindspore._c_expression.amp.create_amp_strategy")


def is_reboot_node():
    """Return False: no product that restarts Ascends started the process."""
    return False


_MAX_SEED, _SEED_STEP = 2**31 - 1, 3528531795 ^ 3449720151  # MindSpore's
_draws = collections.Counter()
random._Seed.followers.append(lambda seed: _draws.clear())


def _get_graph_seed(op_seed, kernel_name):
    """Return both seeds of a random Primitive, others for each call until the next `set_seed`;
    `(0, 0)` without any seed."""
    seed, op_seed = random.get_seed(), op_seed or 0
    if seed is None and op_seed == 0:
        return 0, 0
    count = _draws[kernel_name, op_seed]
    _draws[kernel_name, op_seed] += 1
    start = seed or (0 if seed is None else 87654321)
    return start % _MAX_SEED, (op_seed + count * _SEED_STEP) % _MAX_SEED


# messages, arguments, dtypes --------------------------------------------------------------------


class StubTensor:
    """MindSpore's result of an operation that has not ended; no Tensor here is one."""


class _LogActionOnce:
    """Decorate a function whose warnings to `logger` are logged in the first call of a key only."""

    _logged: ClassVar[set] = set()

    def __init__(self, logger, key, no_warning=False):
        self.logger, self.key, self.no_warning = logger, key, no_warning

    def __call__(self, function):
        @functools.wraps(function)
        def once(*args, **kwargs):
            if self.key not in self._logged and not self.no_warning:
                self._logged.add(self.key)
                return function(*args, **kwargs)
            warning, self.logger.warning = self.logger.warning, lambda *args, **kwargs: None
            try:
                return function(*args, **kwargs)
            finally:
                self.logger.warning = warning

        return once


class _QuantDtype(enum.Enum):
    def __str__(self):
        return self.name

    def value(self):
        return self._value_


QuantDtype = _QuantDtype(
    "QuantDtype",
    {f"INT{n}": n - 1 for n in range(1, 17)} | {f"UINT{n}": n + 99 for n in range(1, 17)},
)


def twice(m):
    """Return `(m, m)` for a number, `m` itself for a pair.

    >>> twice(3), twice((1, 2))
    ((3, 3), (1, 2))
    """
    return (m, m) if isinstance(m, (int, float)) else m


tensor_to_ms_type = {
    str(kind): kind
    for kind in (
        dtypes.int8, dtypes.uint8, dtypes.int16, dtypes.uint16, dtypes.int32, dtypes.uint32,
        dtypes.int64, dtypes.uint64, dtypes.float16, dtypes.float32, dtypes.float64, dtypes.bool_,
        dtypes.bfloat16,
    )
} | {"str": dtypes.string}  # fmt: skip


def tensor_to_np_type(tensor_type_str):
    """Return NumPy's dtype for a dtype's name in checkpoints, e.g. "Float32"."""
    if tensor_type_str == "str":
        return np.str_
    return dtypes.dtype_to_nptype(tensor_to_ms_type[tensor_type_str])
