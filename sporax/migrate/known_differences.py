"""Known differences between PyTorch modules and Cells: a table of rules by which `compare` finds
the cause of a departure. Each rule reads one value of two paired modules, which must agree."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

from sporax.migrate import differing_names as facts
from sporax.migrate.call_alignment import is_activation, kinds


@dataclasses.dataclass(frozen=True)
class Rule:
    """`of_torch(module)` and `of_cell(cell)` of two paired modules must be equal. `applies`:
    substrings of the module's class name in MindSpore; `remedy`: the fix."""

    name: str
    applies: tuple
    of_torch: Callable
    of_cell: Callable
    remedy: str

    def cause(self, module, cell):
        """Return a `Cause` if the values differ; None if they agree or the rule does not apply."""
        if not any(word in kind for word in self.applies for kind in kinds(module)):
            return None
        ours, theirs = self.of_torch(module), self.of_cell(cell)
        if ours is UNKNOWN or theirs is UNKNOWN or _same(ours, theirs):
            return None
        return Cause(self.name, ours, theirs, self.remedy, module.path, cell.path)


@dataclasses.dataclass(frozen=True)
class Cause:
    """A likely cause: the values of PyTorch's module and of the Cell, and the remedy."""

    name: str
    torch: Any
    cell: Any
    remedy: str
    torch_path: str = ""
    cell_path: str = ""

    def __str__(self):
        return f"{self.name}: {self.torch} in PyTorch, {self.cell} in the Cell. {self.remedy}"


UNKNOWN: Any = object()  # a value that the module does not define


def _same(a, b):
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, bool) or isinstance(b, bool):
        return a == b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-6)
    return a == b


def _get(*names, default=UNKNOWN):
    """Return a function that reads the first existing attribute."""

    def read(module):
        for name in names:
            if name in module.attributes:
                return module.attributes[name]
        return default

    return read


def _axes(module):
    """Return the number of spatial axes, from the digit in the class's name."""
    return next((int(c) for kind in module.classes for c in kind if c in "123"), 2)


def _sizes(*names):
    """Return a function that reads an int or a list as one size for each spatial axis."""
    read = _get(*names)

    def sizes(module) -> Any:
        value, count = read(module), _axes(module)
        if isinstance(value, int) and not isinstance(value, bool):
            return [value] * count
        return value[-count:] if isinstance(value, list) else value

    return sizes


def _windows(module):
    value = _sizes("stride")(module)
    return _sizes("kernel_size")(module) if value is None or value is UNKNOWN else value


def _torch_padding(module):
    value = _sizes("padding")(module)
    if value == "valid":
        return [0] * _axes(module)
    return _as_numbers(module) if value == "same" else value


def _as_numbers(module):
    """Return the padding of 'same' on each side, or 'same' if it depends on the input's size."""
    kernel, stride, dilation = (_sizes(n)(module) for n in ("kernel_size", "stride", "dilation"))
    dilation = [1] * len(kernel) if dilation is UNKNOWN else dilation
    added = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
    if all(s == 1 for s in stride) and not any(n % 2 for n in added):
        return [n // 2 for n in added]
    return "same"


def _cell_padding(cell):
    """Return the padding on each side, or 'same' if it depends on the input's size."""
    mode = cell.attributes.get("pad_mode")
    count = _axes(cell)
    mode = mode.lower() if isinstance(mode, str) else mode
    if mode == "same":
        return _as_numbers(cell)
    if mode == "valid":
        return [0] * count
    value = cell.attributes.get("padding", UNKNOWN)
    if isinstance(value, list) and len(value) == 2 * count:  # both sides of each axis
        sides = list(zip(value[::2], value[1::2], strict=True))
        return [a if a == b else [a, b] for a, b in sides]
    if isinstance(value, list):
        return value[-count:]
    return [value] * count if isinstance(value, int) else value


def _drops(cell):
    p, kept = (cell.attributes.get(name) for name in ("p", "keep_prob"))
    return p if p is not None else UNKNOWN if kept is None else 1 - kept


def _draws(side):
    def read(module):
        p = _drops(module) if "keep_prob" in module.attributes else _get("p", "dropout")(module)
        is_random = module.attributes.get("training") and p is not UNKNOWN and p
        return f"random numbers of {side}" if is_random else "none"

    return read


def _uses_batch(module):
    """Return True if a norm of PyTorch uses batch statistics."""
    own = module.attributes.get("track_running_stats") is False
    return own or bool(module.attributes.get("training"))


def _chosen_batch(cell):
    """Return the `use_batch_statistics` of a Cell, or UNKNOWN if it is None."""
    chosen = cell.attributes.get("use_batch_statistics")
    return UNKNOWN if chosen is None else chosen


def _gelu(module):
    form = module.attributes.get("approximate", UNKNOWN)
    return {True: "tanh", False: "none"}.get(form, form) if isinstance(form, bool) else form


def _function(module):
    """Return the name of an activation, or "none" for Identity."""
    if is_activation(module):
        return kinds(module)[0]
    return "none" if module.kind == "Identity" else UNKNOWN


def _layers_of(module):
    """Describe the gate layout of a recurrent layer."""
    known = {
        "LSTM": "gates i, f, g, o and two biases, of PyTorch's layout",
        "GRU": "gates r, z, n and two biases, of PyTorch's layout",
        "RNN": "two biases, of PyTorch's layout",
    }
    return next((known[k] for k in kinds(module) if k in known), f"those of {module.kind}")


def _begin_axis(module):
    """Return the number of trailing axes that a LayerNorm normalises."""
    shape, begin = (module.attributes.get(n) for n in ("normalized_shape", "begin_norm_axis"))
    if begin is not None:
        return -begin if begin < 0 else f"all from axis {begin} on"
    return UNKNOWN if shape is None else len(shape)


def _padding_row(module):
    """Describe if the row of an Embedding's padding_idx is trained."""
    if module.attributes.get("padding_idx") is None:
        return UNKNOWN
    return "trained" if "embedding_size" in module.attributes else "left as it is"


def _is_activated(module):
    return bool(module.attributes.get("activation_flag"))


def _upsamples(module):
    size, factor = (module.attributes.get(n) for n in ("size", "scale_factor"))
    return size if size is not None else factor


def _aligned(module):
    return bool(module.attributes.get("align_corners"))


def _reads(name, default=UNKNOWN):
    """Return the two readers of one attribute; `default`: the value for a Cell that lacks it."""
    return _get(name), _get(name, default=default)


_CONV, _POOLS = ("Conv",), ("MaxPool", "AvgPool")
_RECURRENT = "LSTM", "GRU", "RNN"
_LOSSES = ("Loss",)
_NORMS = "BatchNorm", "InstanceNorm"

RULES = [
    Rule("pad_mode", _CONV, _torch_padding, _cell_padding,
         f"Write pad_mode='pad' and PyTorch's padding: {facts.PADDING}."),
    Rule("pad_mode", _POOLS, _torch_padding, _cell_padding,
         "Write pad_mode='pad' and PyTorch's padding."),
    Rule("stride", ("Conv",), _sizes("stride"), _sizes("stride"), "Give both the same."),
    Rule("stride", _POOLS, _windows, _sizes("stride"),
         f"Write it: {facts.WINDOWS}."),
    Rule("kernel_size", _POOLS, _sizes("kernel_size"), _sizes("kernel_size"),
         "Give both the same."),
    Rule("ceil_mode", _POOLS, *_reads("ceil_mode"), "Give both the same."),
    Rule("count_include_pad", ("AvgPool",), *_reads("count_include_pad"), "Give both the same."),
    Rule("dilation", ("Conv",), _sizes("dilation"), _sizes("dilation"), "Give both the same."),
    Rule("padding_mode", ("Conv",), *_reads("padding_mode", "zeros"),
         "Pad with nn.Pad before the layer: Cells pad with zeros."),
    Rule("has_bias", ("Conv", "Dense", "MultiheadAttention", *_RECURRENT), *_reads("has_bias"),
         f"Write has_bias as in PyTorch; of nn.Conv2d, {facts.BIAS}."),
    Rule("activation in the layer", ("Dense",), _is_activated, _is_activated,
         "Leave 'activation' out of nn.Dense, or the one after it."),
    Rule("mode", (*_NORMS, "Dropout"), _get("training"), _get("training"),
         "Call set_train() or set_train(False): PyTorch begins in training, a Cell does not."),
    Rule("probability", ("Dropout",), _drops, _drops,
         f"Write nn.Dropout(p=...): {facts.KEEP_PROB}."),
    Rule("dropout", (*_RECURRENT, "MultiheadAttention"), *_reads("dropout"), "Give both the same."),
    Rule("random masks", ("Dropout", "MultiheadAttention", "LSTM", "GRU", "RNN"),
         _draws("PyTorch"), _draws("sporax"), "Compare in eval() and set_train(False), or p=0."),
    Rule("momentum", _NORMS, _get("momentum"), _get("momentum"),
         f"Write momentum=0.9 for 0.1 (shown as PyTorch has it): {facts.MOMENTUM}."),
    Rule("batch statistics", _NORMS, _uses_batch, _chosen_batch,
         "Call set_train() or set_train(False), or leave use_batch_statistics out."),
    Rule("eps", (*_NORMS, "LayerNorm", "GroupNorm"), _get("eps"), _get("eps", "epsilon"),
         f"Write it; nn.LayerNorm has 1e-7 by default, PyTorch 1e-5: {facts.EPSILON}."),
    Rule("normalised axes", ("LayerNorm",), _begin_axis, _begin_axis,
         "Set begin_norm_axis and begin_params_axis to -len(normalized_shape)."),
    Rule("num_groups", ("GroupNorm",), *_reads("num_groups"), "Give both the same."),
    Rule("form of GELU", ("GELU",), _gelu, _gelu,
         f"Write nn.GELU(approximate=False): {facts.GELU}."),
    Rule("slope", ("LeakyReLU",), _get("negative_slope"), _get("alpha", "negative_slope"),
         f"Write nn.LeakyReLU(alpha=0.01), the default is 0.2: {facts.SLOPE}."),
    Rule("alpha", ("ELU", "CELU"), *_reads("alpha"), "Give both the same."),
    Rule("axis", ("Softmax", "LogSoftmax", "GLU", "Softmin"), _get("dim"), _get("axis", "dim"),
         "Give both the same: MindSpore's default is -1."),
    Rule("lambd", ("HShrink", "SoftShrink"), *_reads("lambd"), "Give both the same."),
    Rule("activation", ("",), _function, _function, "Use PyTorch's activation."),
    Rule("align_corners", ("Upsample",), _aligned, _aligned,
         "Write align_corners as in PyTorch's module."),
    Rule("mode of interpolation", ("Upsample",), _get("mode"), _get("mode"),
         "Write mode as in PyTorch's module."),
    Rule("size", ("Upsample",), _upsamples, _upsamples, "Give both the same."),
    Rule("reduction", _LOSSES, _get("reduction"), _get("reduction"),
         f"Write reduction='mean', PyTorch's default: of some, {facts.REDUCTION}."),
    Rule("ignore_index", _LOSSES, *_reads("ignore_index"), "Give both the same."),
    Rule("label_smoothing", _LOSSES, *_reads("label_smoothing"), "Give both the same."),
    Rule("beta", ("SmoothL1Loss",), *_reads("beta"), "Give both the same."),
    Rule("layout of gates", _RECURRENT, _layers_of, _layers_of,
         "Order the weights' rows as the Cell's gates are, and add both of PyTorch's biases."),
    Rule("batch_first", (*_RECURRENT, "MultiheadAttention"), *_reads("batch_first"),
         "Write batch_first as in PyTorch's module."),
    Rule("bidirectional", _RECURRENT, *_reads("bidirectional"), "Give both the same."),
    Rule("num_heads", ("MultiheadAttention",), *_reads("num_heads"), "Give both the same."),
    Rule("norm_first", ("TransformerEncoderLayer", "TransformerDecoderLayer"),
         *_reads("norm_first"), "Give both the same."),
    Rule("activation of the layer", ("TransformerEncoderLayer", "TransformerDecoderLayer"),
         *_reads("activation"), "Give both the same."),
    Rule("padding_idx", ("Embedding",), *_reads("padding_idx"),
         "Write padding_idx as in PyTorch's module."),
    Rule("gradient of padding_idx", ("Embedding",), _padding_row, _padding_row,
         "Use mint.nn.Embedding: nn.Embedding only begins with zeros in that row, and trains it."),
    Rule("max_norm", ("Embedding",), *_reads("max_norm", None),
         "Use mint.nn.Embedding, which has max_norm."),
    Rule("start_dim", ("Flatten",), *_reads("start_dim"), "Give both the same."),
]  # fmt: skip


def causes(module, cell):
    """Return [Cause] of two paired modules, in the order of the table."""
    candidates = [rule.cause(module, cell) for rule in RULES]
    return [cause for cause in candidates if cause is not None]


# optimizers -----------------------------------------------------------------------------------

# setting: (PyTorch's key, index in its value), attributes of sporax's optimizer
_OPTIMIZER = {
    "learning rate": (("lr", None), ("learning_rate",)),
    "beta1": (("betas", 0), ("beta1", "_beta1")),
    "beta2": (("betas", 1), ("beta2", "_beta2")),
    "eps": (("eps", None), ("eps", "epsilon")),
    "weight_decay": (("weight_decay", None), ("weight_decay",)),
    "momentum": (("momentum", None), ("momentum",)),
    "dampening": (("dampening", None), ("dampening",)),
    "nesterov": (("nesterov", None), ("nesterov", "use_nesterov")),
    "decay": (("alpha", None), ("decay",)),
    "centered": (("centered", None), ("centered",)),
    "amsgrad": (("amsgrad", None), ("use_amsgrad",)),
}  # fmt: skip


def optimizer_causes(torch_optimizer, optimizer):
    """Return [Cause] of the settings that differ between PyTorch's and sporax's optimizer."""
    differences, settings = [], torch_optimizer.defaults
    for name, ((key, index), attributes) in _OPTIMIZER.items():
        value = settings.get(key, UNKNOWN)
        theirs = next((v for a in attributes if (v := _number(optimizer, a)) is not UNKNOWN), None)
        if value is UNKNOWN or theirs is None:
            continue
        value = value if index is None else value[index]
        if not _same(value, theirs):
            remedy = f"Write it in {type(optimizer).__name__}(...) as in PyTorch."
            differences.append(Cause(f"optimizer's {name}", value, theirs, remedy))
    return differences


def _number(optimizer, name) -> Any:
    value = getattr(optimizer, name, UNKNOWN)
    if value is UNKNOWN or isinstance(value, (bool, int, float)):
        return value
    try:
        return float(value)
    except (TypeError, ValueError, RuntimeError):
        return UNKNOWN
