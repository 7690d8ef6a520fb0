"""Mixed precision: levels, lists, loss scaling."""

from tests.programs.generated import lines

NETS = {
    "Dense": ("nn.Dense(3, 2)", (2, 3)),
    "Dense, no bias": ("nn.Dense(3, 2, has_bias=False)", (2, 3)),
    "Conv2d": ("nn.Conv2d(1, 2, 2)", (1, 1, 3, 3)),
    "Conv2d, BatchNorm2d": ("nn.SequentialCell(nn.Conv2d(1, 2, 2), nn.BatchNorm2d(2), nn.ReLU())", (1, 1, 3, 3)),
    "LayerNorm": ("nn.SequentialCell(nn.Dense(3, 3), nn.LayerNorm((3,)))", (2, 3)),
    "Softmax": ("nn.SequentialCell(nn.Dense(3, 3), nn.Softmax())", (2, 3)),
    "two": ("nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 1))", (2, 3)),
    "Embedding": ("nn.SequentialCell(nn.Embedding(4, 3), nn.Dense(3, 2))", None),
}  # fmt: skip
WAYS = """
    net.to_float(ms.float16)
    net.to_float(ms.float32)
    amp.auto_mixed_precision(net, "O0")
    amp.auto_mixed_precision(net, "O1")
    amp.auto_mixed_precision(net, "O2")
    amp.auto_mixed_precision(net, "O3")
    amp.auto_mixed_precision(net, "auto")
    amp.custom_mixed_precision(net, white_list=[nn.Dense])
    amp.custom_mixed_precision(net, white_list=amp.get_white_list())
    amp.custom_mixed_precision(net, black_list=amp.get_black_list())
    amp.custom_mixed_precision(net, black_list=[nn.Dense], dtype=ms.float16)
    net.to_float(ms.float16).to_float(ms.float32)
"""
SHOWN = {
    "answer": "mixed(x)",
    "answer's dtype": "str(mixed(x).dtype), str(mixed(Tensor(x.asnumpy())).dtype)",
    "Parameters": "[(p.name, str(p.dtype)) for p in net.get_parameters()]",
    "gradients' dtypes": "[str(g.dtype) for g in ms.grad(lambda x: mixed(x).sum(), None, list(net.trainable_params()))(x)]",
}
FILL = """\
net = <net>
random = np.random.RandomState(<seed>)
for p in net.get_parameters():
    p.set_data(Tensor(random.uniform(0.2, 1.0, p.shape).astype(np.float32)))
"""
EXTRA = """
    amp.StaticLossScaler(4.0).scale(Tensor([1.0, 2.0]))
    amp.StaticLossScaler(4.0).unscale((Tensor([1.0]), Tensor([2.0])))
    amp.StaticLossScaler(4.0).adjust(Tensor(True))
    amp.StaticLossScaler(-1.0)
    amp.StaticLossScaler("a")
    amp.DynamicLossScaler(1024, 2, 2).scale_value
    amp.DynamicLossScaler(1024.0, 2, 2).scale(Tensor([1.0]))
    amp.DynamicLossScaler(1024, 2, 2).unscale([Tensor([1.0])])
    amp.DynamicLossScaler(0, 2, 2)
    amp.DynamicLossScaler(16, 1, 2)
    amp.DynamicLossScaler(16, 2, 0)
    amp.all_finite([Tensor([1.0]), Tensor([2.0])])
    amp.all_finite((Tensor([1.0]), Tensor([np.inf])))
    amp.all_finite([Tensor([np.nan], ms.float16)])
    amp.is_finite(Tensor([1.0])) if hasattr(amp, "is_finite") else 0
    amp.FixedLossScaleManager(8.0).get_loss_scale()
    amp.FixedLossScaleManager(8.0).get_drop_overflow_update()
    amp.FixedLossScaleManager().get_loss_scale()
    amp.FixedLossScaleManager(0.5)
    amp.DynamicLossScaleManager().get_loss_scale()
    amp.DynamicLossScaleManager(4, 2, 3).get_loss_scale()
    amp.DynamicLossScaleManager(0)
    amp.DynamicLossScaleManager(16, 1)
    amp.FixedLossScaleManager(2.0).get_update_cell()
    amp.FixedLossScaleManager(2.0, False).get_update_cell().__class__.__name__
    nn.FixedLossScaleUpdateCell(8.0).get_loss_scale()
    nn.DynamicLossScaleUpdateCell(8.0, 2, 3).get_loss_scale()
    amp.auto_mixed_precision(nn.ReLU(), "O5")
    amp.auto_mixed_precision(3, "O2")
    amp.custom_mixed_precision(nn.ReLU())
    amp.custom_mixed_precision(nn.ReLU(), white_list=[nn.ReLU], black_list=[nn.ReLU])
    amp.custom_mixed_precision(nn.ReLU(), white_list=3)
    nn.ReLU().to_float("float16")
    nn.ReLU().to_float(ms.int32)
    [c.__name__ for c in amp.get_black_list()]
    sorted(c.__name__ for c in amp.get_white_list())
    amp.build_train_network(nn.Dense(2, 1), nn.SGD(nn.Dense(2, 1).trainable_params(), 0.1), nn.MSELoss(), level="O0").__class__.__name__
    amp.build_train_network(nn.Dense(2, 1), 3)
    amp.build_train_network(nn.Dense(2, 1), nn.SGD(nn.Dense(2, 1).trainable_params(), 0.1), level="O9")
"""
ADJUSTED = """\
scaler = amp.DynamicLossScaler(<scale>, <factor>, <window>)
seen = []
for finite in <finite>:
    scaler.adjust(Tensor(finite))
    seen.append([scaler.scale_value, scaler.counter])
seen"""
STEPPED = """\
net = nn.Dense(2, 1, "ones", "zeros")
optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9<scale>)
step = amp.build_train_network(net, optimizer, nn.MSELoss(), level="<level>"<manager>)
x, y = Tensor([[1.0, 2.0], [0.5, -1.0]]), Tensor([[1.0], [0.0]])
losses = [step(x, y) for _ in range(3)]
losses, [p.value() for p in net.trainable_params()]"""
SCALED = """\
net, loss_fn = nn.Dense(2, 1, "ones", "zeros"), nn.MSELoss()
optimizer = nn.SGD(net.trainable_params(), <lr>)
scaler = amp.<scaler>
forward = ms.value_and_grad(lambda x, y: scaler.scale(loss_fn(net(x), y)), None, optimizer.parameters)
x, y = Tensor([[1.0, 2.0], [0.5, -1.0]]), Tensor([[1.0], [0.0]])
seen = []
for _ in range(3):
    loss, gradients = forward(x, y)
    gradients = scaler.unscale(gradients)
    finite = amp.all_finite(gradients)
    if finite:
        optimizer(gradients)
    scaler.adjust(finite)
    seen.append([scaler.unscale(loss), finite])
seen, net.weight.value()"""


def checks(draw):
    for name, (net, shape) in NETS.items():
        for way in lines(WAYS):
            seed = draw.randint(0, 99)
            ready = FILL.replace("<net>", net).replace("<seed>", str(seed))
            x = f"Tensor(np.random.RandomState({seed}).randn(*{shape}).astype(np.float32))"
            ready += f"mixed = {way}\nx = {x if shape else 'Tensor([0, 3])'}\n"
            for what, shown in SHOWN.items():
                yield f"{what} of {way} of {name}", ready + shown
    for row in lines(EXTRA):
        yield row, row
    for scale, factor, window in [(16, 2, 2), (1024.0, 4, 1), (1, 2, 3), (64, 2, 1)]:
        finite = [draw.random() < 0.7 for _ in range(6)]
        source = ADJUSTED.replace("<scale>", str(scale)).replace("<factor>", str(factor))
        source = source.replace("<window>", str(window)).replace("<finite>", str(finite))
        yield f"DynamicLossScaler {scale} {factor} {window}", source
    for level in ["O0", "O1", "O2", "O3"]:
        for scale, manager in [
            ("", ""), (", loss_scale=8.0", ", loss_scale_manager=amp.FixedLossScaleManager(8.0, False)"),
        ]:  # fmt: skip
            source = STEPPED.replace("<scale>", scale).replace("<level>", level)
            yield f"three steps at {level}{scale}", source.replace("<manager>", manager)
    for scaler in ["StaticLossScaler(8.0)", "DynamicLossScaler(64, 2, 1)", "StaticLossScaler(1)"]:
        for lr in ["0.1", "0.01"]:
            source = SCALED.replace("<scaler>", scaler).replace("<lr>", lr)
            yield f"three steps with {scaler} {lr}", source
