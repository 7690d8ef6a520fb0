"""Mixed precision and loss scales, run by MindSpore 2.10 and by sporax alike.

Each is a function of a namespace with `amp`, `nn`, `ops`, `Tensor`, `Parameter` and `dtype`.
"""

import math

import numpy as np

X = np.linspace(-1.5, 1.5, 12).reshape(4, 3).astype(np.float32)
Y = np.linspace(0.2, 1.0, 8).reshape(4, 2).astype(np.float32)
WEIGHT = np.linspace(-0.4, 0.5, 6).reshape(2, 3).astype(np.float32)
INFINITE = np.array([1.0, np.inf], np.float32)


def network(ms):
    """Return a network of a product, a norm, and a product by a Primitive; it records the dtypes in
    `seen`.

    MindSpore's level 'O1' rewrites the class, and does not find its source if it is defined here.
    """

    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = ms.nn.Dense(3, 2, ms.Tensor(WEIGHT), "zeros")
            self.norm = ms.nn.LayerNorm((2,))
            self.product = ms.ops.MatMul()
            self.weight = ms.Parameter(ms.Tensor(WEIGHT[:, :2]), name="weight")
            self.seen = []

        def construct(self, x):
            x = self.dense(x)
            first = str(x.dtype)
            x = self.norm(x)
            second = str(x.dtype)
            x = self.product(x, self.weight)
            self.seen = [first, second, str(x.dtype)]
            return x

    return Net()


def computed(change):
    """Return a case: the dtype and the (rounded) output of a network after a change."""

    def run(ms):
        out = change(ms, network(ms))(ms.Tensor(X))
        return str(out.dtype), np.round(out.asnumpy().astype(np.float64), 2).tolist()

    return run


def on_the_way(change):
    """Return a case: the dtypes inside a network after a change."""

    def run(ms):
        net = network(ms)
        change(ms, net)(ms.Tensor(X))
        return net.seen

    return run


def level(name, dtype="float16"):
    return lambda ms, net: ms.amp.auto_mixed_precision(net, name, getattr(ms.dtype, dtype))


def scaled(kind, *args, finite=(), of="scale_value"):
    """The scale after each adjustment."""

    def run(ms):
        scaler = getattr(ms.amp, kind)(*args)
        seen = []
        for is_finite in finite:
            scaler.adjust(ms.Tensor(is_finite))
            seen.append(float(getattr(scaler, of).asnumpy()))
        return seen

    return run


def updated(overflows):
    def run(ms):
        cell = ms.nn.DynamicLossScaleUpdateCell(2**6, 2, 3)
        scale, seen = ms.Parameter(ms.Tensor(2.0**6, ms.dtype.float32), name="scale"), []
        for overflow in overflows:
            cell(scale, ms.Tensor(overflow))
            seen.append(float(scale.asnumpy()))
        return seen

    return run


def managed(overflows):
    def run(ms):
        manager, seen = ms.amp.DynamicLossScaleManager(2**6, 2, 3), []
        for overflow in overflows:
            manager.update_loss_scale(overflow)
            seen.append(float(manager.get_loss_scale()))
        return seen

    return run


def stepped(level, **options):
    """Losses of three steps, and the weight after them."""

    def run(ms):
        net = network(ms)
        optimizer = ms.nn.Momentum(
            net.trainable_params(), 0.1, 0.9, loss_scale=options.pop("s", 1.0)
        )
        if "manager" in options:
            options["loss_scale_manager"] = options.pop("manager")(ms)
        step = ms.amp.build_train_network(net, optimizer, ms.nn.MSELoss(), level=level, **options)
        losses = [step(ms.Tensor(X), ms.Tensor(Y)) for _ in range(3)]
        return (
            [str(loss.dtype) for loss in losses],
            [round(float(loss.asnumpy()), 2) for loss in losses],
            np.round(net.weight.asnumpy().astype(np.float64), 2).tolist(),
        )

    return run


def ramp(*shape):
    return np.linspace(0.21, 0.97, math.prod(shape)).reshape(shape).astype(np.float32)


def automatic(make, *shape, low=None):
    """A layer's result at 'auto', or where only a Primitive computes in 16 bits."""

    def run(ms):
        net = ms.nn.SequentialCell(make(ms.nn))
        for p in net.trainable_params():
            p.set_data(ms.Tensor(ramp(*p.shape)))
        if low is None:
            net = ms.amp.auto_mixed_precision(net, "auto")
        else:
            listed = [getattr(ms.ops, low)]
            net = ms.amp.custom_mixed_precision(net, white_list=listed, dtype=ms.dtype.float16)
        return fingerprint(net(ms.Tensor(ramp(*shape))))

    return run


def on_halves(ms):
    """A product of operands of 16 bits, where only it computes in 16 bits."""
    half = ms.dtype.float16
    net = ms.nn.SequentialCell(
        ms.nn.Dense(3, 2, ms.Tensor(WEIGHT, half), has_bias=False, dtype=half)
    )
    net = ms.amp.custom_mixed_precision(net, white_list=[ms.ops.MatMul], dtype=half)
    return fingerprint(net(ms.Tensor(X, half)))


def function(compute, *shapes):
    """A function's result at 'auto'."""

    def run(ms):
        changed = ms.amp.auto_mixed_precision(lambda *args: compute(ms.ops, *args), "auto")
        return fingerprint(changed(*[ms.Tensor(ramp(*shape)) for shape in shapes]))

    return run


def fingerprint(out):
    """The dtype, whether the numbers are of 16 bits, and (roughly) the numbers."""
    values = out.asnumpy().astype(np.float64)
    is_low = bool((values == values.astype(np.float16)).all())
    return str(out.dtype), is_low, np.round(values, 2).tolist()


def bias_added(first, second):
    """`ops.bias_add` of operands of two dtypes, with no mixed precision."""

    def run(ms):
        x, bias = ms.Tensor(ramp(2, 3), getattr(ms.dtype, first)), ms.Tensor(ramp(3))
        return str(ms.ops.bias_add(x, bias.astype(getattr(ms.dtype, second))).dtype)

    return run


BIASED = {
    "Dense": automatic(lambda nn: nn.Dense(3, 2), 2, 3),
    "Dense, of three dimensions": automatic(lambda nn: nn.Dense(3, 2), 2, 2, 3),
    "Dense, activation": automatic(lambda nn: nn.Dense(3, 2, activation="relu"), 2, 3),
    "Dense, no bias": automatic(lambda nn: nn.Dense(3, 2, has_bias=False), 2, 3),
    "Conv1d": automatic(lambda nn: nn.Conv1d(1, 2, 2, has_bias=True), 1, 1, 4),
    "Conv2d": automatic(lambda nn: nn.Conv2d(1, 2, 2, has_bias=True), 1, 1, 3, 3),
    "Conv2d, no bias": automatic(lambda nn: nn.Conv2d(1, 2, 2), 1, 1, 3, 3),
    "Conv3d": automatic(lambda nn: nn.Conv3d(1, 2, 2, has_bias=True), 1, 1, 2, 2, 2),
    "Conv2dTranspose": automatic(lambda nn: nn.Conv2dTranspose(1, 2, 2, has_bias=True), 1, 1, 2, 2),
    "Conv2dTranspose, no bias": automatic(lambda nn: nn.Conv2dTranspose(1, 2, 2), 1, 1, 2, 2),
    "Conv3dTranspose": automatic(
        lambda nn: nn.Conv3dTranspose(1, 2, 2, has_bias=True), 1, 1, 2, 2, 2
    ),
    "conv1d": function(lambda ops, x, w, b: ops.conv1d(x, w, b), (1, 1, 4), (2, 1, 2), (2,)),
    "conv2d": function(lambda ops, x, w, b: ops.conv2d(x, w, b), (1, 1, 3, 3), (2, 1, 2, 2), (2,)),
    "conv3d": function(
        lambda ops, x, w, b: ops.conv3d(x, w, b), (1, 1, 2, 2, 2), (2, 1, 2, 2, 2), (2,)
    ),
    "dense": function(lambda ops, x, w, b: ops.dense(x, w, b), (2, 3), (2, 3), (2,)),
    "bias_add": function(
        lambda ops, x, w, b: ops.bias_add(ops.matmul(x, w), b), (2, 3), (3, 2), (2,)
    ),
    "Dense, white MatMul": automatic(lambda nn: nn.Dense(3, 2), 2, 3, low="MatMul"),
    "Conv2d, white Conv2D": automatic(
        lambda nn: nn.Conv2d(1, 2, 2, has_bias=True), 1, 1, 3, 3, low="Conv2D"
    ),
    "Dense of Float16, white MatMul": on_halves,
    "Float16 and Float32": bias_added("float16", "float32"),
    "Float32 and Float16": bias_added("float32", "float16"),
    "Float32 twice": bias_added("float32", "float32"),
}

STEPS = (True, True, False, True, True, True, True, False, False, True)

AMP = {
    **{f"bias: {name}": ask for name, ask in BIASED.items()},
    **{f"{name}, output": computed(level(name)) for name in ("O0", "O2", "O3", "auto")},
    "O2, on the way": on_the_way(level("O2")),
    "O3, on the way": on_the_way(level("O3")),
    "no such level": computed(level("O9")),
    "no such dtype": computed(level("O1", "int32")),
    "no Cell": lambda ms: ms.amp.auto_mixed_precision(5, "O1"),
    "a function": lambda ms: ms.amp.auto_mixed_precision(lambda x: x, "O1"),
    "custom, black": computed(
        lambda ms, net: ms.amp.custom_mixed_precision(net, black_list=[ms.nn.LayerNorm])
    ),
    "custom, both": computed(
        lambda ms, net: ms.amp.custom_mixed_precision(net, white_list=[], black_list=[])
    ),
    "custom, none": computed(lambda ms, net: ms.amp.custom_mixed_precision(net)),
    "custom, a tuple": computed(lambda ms, net: ms.amp.custom_mixed_precision(net, white_list=())),
    "custom, no class": computed(
        lambda ms, net: ms.amp.custom_mixed_precision(net, white_list=[5])
    ),
    "custom, a Primitive kept": computed(
        lambda ms, net: ms.amp.custom_mixed_precision(net, black_list=[ms.ops.MatMul])
    ),
    "all finite": lambda ms: [
        bool(ms.amp.all_finite((ms.Tensor(X), ms.Tensor(Y))).asnumpy()),
        bool(ms.amp.all_finite((ms.Tensor(X), ms.Tensor(INFINITE))).asnumpy()),
    ],
    "StaticLossScaler": scaled("StaticLossScaler", 4, finite=STEPS),
    "StaticLossScaler of 0": scaled("StaticLossScaler", 0.5),
    "scale, unscale": lambda ms: [
        ms.amp.StaticLossScaler(4.0).scale(ms.Tensor(X)).asnumpy().tolist(),
        [
            t.asnumpy().tolist()
            for t in ms.amp.StaticLossScaler(4).unscale((ms.Tensor(X), ms.Tensor(Y)))
        ],
    ],
    "DynamicLossScaler": scaled("DynamicLossScaler", 16, 2, 3, finite=STEPS),
    "DynamicLossScaler, counter": scaled("DynamicLossScaler", 16, 2, 3, finite=STEPS, of="counter"),
    "DynamicLossScaler to 1": scaled("DynamicLossScaler", 4, 3, 2, finite=[False] * 5),
    "DynamicLossScaler of 0": scaled("DynamicLossScaler", 0, 2, 3),
    "DynamicLossScaler, no window": scaled("DynamicLossScaler", 4, 2, 0),
    "DynamicLossScaleUpdateCell": updated([not finite for finite in STEPS]),
    "DynamicLossScaleManager": managed([not finite for finite in STEPS]),
    "DynamicLossScaleManager of 0": lambda ms: ms.amp.DynamicLossScaleManager(0),
    "FixedLossScaleManager": lambda ms: [
        ms.amp.FixedLossScaleManager().get_loss_scale(),
        ms.amp.FixedLossScaleManager(2.0, False).get_update_cell() is None,
        ms.amp.FixedLossScaleManager().get_drop_overflow_update(),
    ],
    "step, O0": stepped("O0"),
    "step, O3": stepped("O3"),
    "step, O2 without scaling": stepped("O2", loss_scale_manager=None),
    "step, kept norms": stepped("O3", keep_batchnorm_fp32=True),
    "step, cast to float32": stepped("O3", cast_model_type=np.float64),
    "step, fixed scale": stepped(
        "O0", s=64.0, manager=lambda ms: ms.amp.FixedLossScaleManager(64.0, False)
    ),
    "step, no such level": stepped("O9"),
    "step, other arguments": stepped("O0", other=1),
    "no optimizer": lambda ms: ms.amp.build_train_network(network(ms), 5),
}
