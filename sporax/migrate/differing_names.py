"""Names whose defaults or meaning differ between PyTorch and MindSpore, which `lint` lists."""

import ast
import dataclasses
import functools


@dataclasses.dataclass(frozen=True)
class Fact:
    """Two names, written as calls: keyword arguments are the defaults that differ, or none if the
    meaning differs; `_` stands for a preceding argument of PyTorch. A call that passes one of these
    arguments is not listed or, with `when_given`, only such a call is listed."""

    torch: str
    mindspore: str
    says: str
    when_given: bool = False

    @functools.cached_property
    def sides(self):
        """The two names as `Called`."""
        return _called(self.torch), _called(self.mindspore)


@dataclasses.dataclass(frozen=True)
class Called:
    """A name, its differing default arguments, and the position of the first."""

    name: str
    defaults: dict
    position: int


def _called(text):
    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call):
        return Called(text, {}, 0)
    defaults = {k.arg: ast.literal_eval(k.value) for k in call.keywords}
    return Called(ast.unparse(call.func), defaults, len(call.args))


# texts that the rules of `compare` also use
EPSILON = "another constant in the denominator"
GELU = "MindSpore computes the form with tanh, PyTorch that with erf"
SLOPE = "another slope of negative elements"
REDUCTION = "MindSpore's loss is one for each element"
PADDING = "MindSpore pads so that the size stays ('same'), PyTorch by 'padding', 0"
WINDOWS = "MindSpore moves windows by 1, PyTorch by their own size"
KEEP_PROB = "the first argument is MindSpore's probability to keep an element, PyTorch's to drop it"
MOMENTUM = "MindSpore's is the share of the old statistics, PyTorch's 1 less that"
BIAS = "MindSpore's has no bias unless has_bias=True"
TABLE = "MindSpore draws from N(0, 0.01), PyTorch from N(0, 1)"
_ORDER = "the same name, other arguments: MindSpore takes all axes in their new order, PyTorch two"

_CONVOLUTIONS = [
    (theirs.format(n), ours.format(n))
    for theirs, ours in (("Conv{}d", "Conv{}d"), ("ConvTranspose{}d", "Conv{}dTranspose"))
    for n in (1, 2, 3)
]

# PyTorch's name, MindSpore's name, the difference
FACTS = [
    *(
        Fact(
            f"torch.nn.{theirs}(_, _, _, _, padding=0)",
            f"mindspore.nn.{ours}(pad_mode='same')",
            PADDING,
        )
        for theirs, ours in _CONVOLUTIONS
    ),
    *(
        Fact(
            f"torch.nn.{theirs}(_, _, _, _, _, _, _, bias=True)",
            f"mindspore.nn.{ours}(has_bias=False)",
            BIAS,
        )
        for theirs, ours in _CONVOLUTIONS
    ),
    *(
        Fact(
            f"torch.nn.{p}Pool{n}d(_, stride=None)", f"mindspore.nn.{p}Pool{n}d(stride=1)", WINDOWS
        )
        for p in ("Max", "Avg")
        for n in (1, 2, 3)
    ),
    Fact("torch.nn.Dropout", "mindspore.nn.Dropout(p=None)", KEEP_PROB),
    *(
        Fact(
            f"torch.nn.BatchNorm{n}d(_, _, momentum=0.1)",
            f"mindspore.nn.BatchNorm{n}d(momentum=0.9)",
            MOMENTUM,
            when_given=True,
        )
        for n in (1, 2, 3)
    ),
    *(
        Fact(
            f"torch.nn.InstanceNorm{n}d(_, _, _, affine=False)",
            f"mindspore.nn.InstanceNorm{n}d(affine=True)",
            "MindSpore's has weights unless affine=False",
        )
        for n in (1, 2, 3)
    ),
    Fact(
        "torch.nn.LayerNorm(_, eps=1e-05)",
        "mindspore.nn.LayerNorm(epsilon=1e-07)",
        EPSILON,
    ),
    Fact(
        "torch.nn.GELU(approximate='none')",
        "mindspore.nn.GELU(approximate=True)",
        GELU,
    ),
    Fact(
        "torch.nn.LeakyReLU(negative_slope=0.01)",
        "mindspore.nn.LeakyReLU(alpha=0.2)",
        SLOPE,
    ),
    Fact(
        "torch.nn.functional.leaky_relu(_, negative_slope=0.01)",
        "mindspore.ops.leaky_relu(alpha=0.2)",
        SLOPE,
    ),
    Fact("torch.nn.Embedding()", "mindspore.nn.Embedding(embedding_table='normal')", TABLE),
    Fact(
        "torch.nn.SmoothL1Loss(_, _, reduction='mean')",
        "mindspore.nn.SmoothL1Loss(reduction='none')",
        REDUCTION,
    ),
    Fact(
        "torch.nn.functional.smooth_l1_loss(_, _, _, _, reduction='mean')",
        "mindspore.ops.smooth_l1_loss(reduction='none')",
        REDUCTION,
    ),
    Fact(
        "torch.nn.CrossEntropyLoss(_, _, _, _, reduction='mean')",
        "mindspore.nn.SoftmaxCrossEntropyWithLogits(reduction='none')",
        "one loss for each example, and one-hot labels unless sparse=True",
    ),
    Fact(
        "torch.nn.Unfold(_, _, padding=0)",
        "mindspore.nn.Unfold(padding='valid')",
        "MindSpore's takes sizes of four numbers and gives another arrangement",
    ),
    Fact(
        "torch.optim.SGD(_, lr=0.001)",
        "mindspore.nn.SGD(learning_rate=0.1)",
        "another learning rate",
    ),
    Fact(
        "torch.optim.RMSprop(_, _, alpha=0.99)",
        "mindspore.nn.RMSProp(decay=0.9)",
        "another decay of the mean square",
    ),
    Fact(
        "torch.optim.RMSprop(_, _, _, eps=1e-08)",
        "mindspore.nn.RMSProp(epsilon=1e-10)",
        EPSILON,
    ),
    Fact(
        "torch.optim.RMSprop(_, lr=0.01)",
        "mindspore.nn.RMSProp(learning_rate=0.1)",
        "another learning rate",
    ),
    Fact(
        "torch.optim.AdamW(_, _, _, eps=1e-08)",
        "mindspore.nn.AdamWeightDecay(eps=1e-06)",
        "another constant in the denominator, and MindSpore does not correct the moments' bias",
    ),
    Fact(
        "torch.optim.AdamW(_, _, _, _, weight_decay=0.01)",
        "mindspore.nn.AdamWeightDecay(weight_decay=0.0)",
        "MindSpore's weights do not decay by default",
    ),
    Fact(
        "torch.optim.Adagrad(_, _, _, _, initial_accumulator_value=0)",
        "mindspore.nn.Adagrad(accum=0.1)",
        "MindSpore's sums of squares begin with 0.1",
    ),
    Fact(
        "torch.optim.Adamax(_, lr=0.002)",
        "mindspore.nn.AdaMax(learning_rate=0.001)",
        "another learning rate",
    ),
    Fact(
        "torch.flatten(_, start_dim=0)",
        "mindspore.ops.flatten(start_dim=1)",
        "MindSpore keeps the first axis",
    ),
    Fact(
        "torch.std(correction=1)",
        "mindspore.ops.std(ddof=0)",
        "MindSpore divides by n, PyTorch by n - 1",
    ),
    Fact(
        "torch.var(correction=1)",
        "mindspore.ops.var(ddof=0)",
        "MindSpore divides by n, PyTorch by n - 1",
    ),
    Fact(
        "torch.nn.functional.conv2d(_, _, _, _, padding=0)",
        "mindspore.ops.conv2d(pad_mode='valid')",
        "with 'padding' in MindSpore, pad_mode='pad' is needed as well",
    ),
    Fact("torch.transpose", "mindspore.ops.transpose", _ORDER),
    Fact(
        "torch.gather",
        "mindspore.ops.gather",
        "MindSpore's takes whole slices, as torch.index_select; torch.gather is gather_elements",
    ),
    Fact(
        "torch.equal",
        "mindspore.ops.equal",
        "MindSpore compares each element, as torch.eq; torch.equal gives one bool",
    ),
    Fact(
        "torch.unique",
        "mindspore.ops.unique",
        "MindSpore gives elements as they first appear, and the inverse; PyTorch sorts them",
    ),
]
