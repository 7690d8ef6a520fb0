"""Optimizers, several steps of each, and learning rate schedules."""

from tests.programs.generated import lines

TABLE = """
    nn.SGD(<params>, 0.1)
    nn.SGD(<params>, learning_rate=0.1, momentum=0.9)
    nn.SGD(<params>, 0.1, momentum=0.9, dampening=0.5)
    nn.SGD(<params>, 0.1, momentum=0.9, nesterov=True)
    nn.SGD(<params>, 0.1, weight_decay=0.01)
    nn.SGD(<params>, 0.1, loss_scale=2.0)
    nn.Momentum(<params>, 0.1, 0.9)
    nn.Momentum(<params>, learning_rate=0.1, momentum=0.5, weight_decay=0.01)
    nn.Adam(<params>)
    nn.Adam(<params>, 0.01)
    nn.Adam(<params>, learning_rate=0.01, beta1=0.8, beta2=0.99, eps=1e-6)
    nn.Adam(<params>, 0.01, weight_decay=0.1)
    nn.Adam(<params>, 0.01, use_amsgrad=True)
    nn.Adam(<params>, 0.01, loss_scale=4.0)
    nn.AdamWeightDecay(<params>, 0.01, weight_decay=0.1)
    nn.AdamWeightDecay(<params>)
    nn.RMSProp(<params>, 0.01)
    nn.RMSProp(<params>, 0.01, decay=0.8, momentum=0.5, centered=True)
    nn.Adagrad(<params>, learning_rate=0.1)
    nn.Adagrad(<params>, accum=0.5, learning_rate=0.1)
    nn.Adadelta(<params>, learning_rate=0.5)
    nn.AdaMax(<params>, 0.01)
    nn.ASGD(<params>, 0.1)
    nn.Rprop(<params>, 0.1)
    nn.FTRL(<params>)
    nn.ProximalAdagrad(<params>)
    nn.LazyAdam(<params>, 0.01)
    nn.AdaFactor(<params>, learning_rate=0.01)
    nn.Adam(<params>, nn.ExponentialDecayLR(0.1, 0.5, 2))
    nn.SGD(<params>, nn.CosineDecayLR(0.0, 0.1, 4))
    nn.SGD(<params>, nn.PolynomialDecayLR(0.1, 0.01, 3, 2.0))
    nn.SGD(<params>, nn.WarmUpLR(0.1, 3))
    nn.SGD(<params>, [0.1, 0.05, 0.01, 0.005, 0.001])
    nn.SGD(<params>, Tensor([0.1, 0.05, 0.01, 0.005, 0.001]))
    nn.Momentum(<params>, nn.piecewise_constant_lr([2, 5], [0.1, 0.01]), 0.9)
    nn.SGD(<params>, Tensor(0.1))
    nn.Adam(<params>, 1)
    nn.Momentum([{"params": [w], "lr": 0.5}, {"params": [b]}], 0.1, 0.9)
    nn.Momentum([{"params": [w], "weight_decay": 0.1}, {"params": [b], "lr": 0.01}], 0.1, 0.9)
    nn.Adam([{"params": [w], "lr": nn.ExponentialDecayLR(0.1, 0.5, 2)}, {"params": [b]}], 0.01)
    nn.SGD([{"params": [b]}, {"params": [w]}, {"order_params": [w, b]}], 0.1)
    nn.SGD([{"params": [w], "lr": [0.1, 0.2, 0.3, 0.4, 0.5]}], [0.1] * 5)
    mint.optim.SGD(<params>, lr=0.1, momentum=0.9)
    mint.optim.Adam(<params>, lr=0.01)
    mint.optim.AdamW(<params>, lr=0.01)
    ms.experimental.optim.SGD(<params>, lr=0.1)
    ms.experimental.optim.SGD(<params>, lr=0.1, momentum=0.9, nesterov=True)
    ms.experimental.optim.Adam(<params>, lr=0.01)
    ms.experimental.optim.Adam(<params>, lr=0.01, weight_decay=0.1)
    ms.experimental.optim.AdamW(<params>, lr=0.01)
    ms.experimental.optim.RMSprop(<params>, lr=0.01)
    ms.experimental.optim.Adagrad(<params>, lr=0.1)
    ms.experimental.optim.Adadelta(<params>, lr=0.5)
    ms.experimental.optim.Adamax(<params>, lr=0.01)
    ms.experimental.optim.NAdam(<params>, lr=0.01)
    ms.experimental.optim.RAdam(<params>, lr=0.01)
    ms.experimental.optim.Rprop(<params>, lr=0.01)
    ms.experimental.optim.ASGD(<params>, lr=0.01)
    ms.experimental.optim.SGD([{"params": [w], "lr": 0.5}, {"params": [b]}], lr=0.1)
"""
NOT_YET = ("mint.optim", "nn.AdaFactor")  # sporax has them not
READY = """\
import mindspore.experimental.optim
w = Parameter(Tensor(<w>, ms.float32), name="fc.weight")
b = Parameter(Tensor(<b>, ms.float32), name="fc.bias")
optimizer = <optimizer>
"""
SHOWN = {
    "five steps": """\
random = np.random.RandomState(<seed>)
seen = []
for step in range(5):
    gradients = tuple(Tensor(random.randn(*p.shape).astype(np.float32)) for p in optimizer.parameters)
    optimizer(gradients)
    seen.append([w.asnumpy().copy(), b.asnumpy().copy()])
seen""",
    "its state after two steps": """\
random = np.random.RandomState(<seed>)
for step in range(2):
    optimizer(tuple(Tensor(random.randn(*p.shape).astype(np.float32)) for p in optimizer.parameters))
{name: p.asnumpy() for name, p in optimizer.parameters_dict().items()}""",
    "a step with derivatives": """\
x, y = Tensor([[1.0, 2.0], [0.5, -1.0]]), Tensor([[1.0], [0.0]])
step = ms.value_and_grad(lambda x, y: ((x @ w.reshape(2, -1) + b.sum() - y) ** 2).mean(), None, optimizer.parameters)
loss, gradients = step(x, y)
optimizer(gradients)
loss, w.asnumpy(), step(x, y)[0]""",
    "its rates and names": """\
get = getattr(optimizer, "get_lr", None)
[p.name for p in optimizer.parameters], len(optimizer.parameters), get() if get else [g["lr"] for g in optimizer.param_groups]""",
}  # fmt: skip
SCHEDULES = """
    nn.ExponentialDecayLR(0.1, 0.9, 4)(Tensor(2, ms.int32))
    nn.ExponentialDecayLR(0.1, 0.9, 4, is_stair=True)(Tensor(5, ms.int32))
    nn.NaturalExpDecayLR(0.1, 0.9, 4)(Tensor(3, ms.int32))
    nn.NaturalExpDecayLR(0.1, 0.9, 4, True)(Tensor(3, ms.int32))
    nn.InverseDecayLR(0.1, 0.9, 4)(Tensor(3, ms.int32))
    nn.InverseDecayLR(0.1, 0.9, 4, is_stair=True)(Tensor(7, ms.int32))
    nn.CosineDecayLR(0.01, 0.1, 4)(Tensor(2, ms.int32))
    nn.CosineDecayLR(0.01, 0.1, 4)(Tensor(9, ms.int32))
    nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5)(Tensor(2, ms.int32))
    nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5, update_decay_steps=True)(Tensor(6, ms.int32))
    nn.WarmUpLR(0.1, 5)(Tensor(2, ms.int32))
    nn.WarmUpLR(0.1, 5)(Tensor(8, ms.int32))
    nn.exponential_decay_lr(0.1, 0.9, 6, 2, 1)
    nn.exponential_decay_lr(0.1, 0.9, 6, 2, 2, is_stair=True)
    nn.natural_exp_decay_lr(0.1, 0.9, 6, 2, 2)
    nn.inverse_decay_lr(0.1, 0.5, 6, 1, 1, True)
    nn.cosine_decay_lr(0.01, 0.1, 6, 2, 2)
    nn.polynomial_decay_lr(0.1, 0.01, 6, 2, 2, 0.5)
    nn.piecewise_constant_lr([2, 4, 6], [0.1, 0.05, 0.01])
    nn.warmup_lr(0.1, 6, 2, 2)
    nn.ExponentialDecayLR(-0.1, 0.9, 4)
    nn.ExponentialDecayLR(0.1, 0.9, 4.5)
    nn.CosineDecayLR(0.1, 0.01, 4)
    nn.WarmUpLR(0.1, 0)
    nn.piecewise_constant_lr([2, 1], [0.1, 0.2])
    nn.piecewise_constant_lr([2], [0.1, 0.2])
    nn.cosine_decay_lr(0.1, 0.01, 6, 2, 2)
    nn.PolynomialDecayLR(0.1, 0.1, 4, 0.5)
    nn.exponential_decay_lr(0.1, 0.9, 0, 2, 1)
    nn.SGD([], 0.1)
    nn.SGD([Parameter(Tensor([1.0]), name="a")], -0.1)
    nn.SGD([Parameter(Tensor([1.0]), name="a")], 0.1, momentum=-1.0)
    nn.SGD([Parameter(Tensor([1.0]), name="a")], "0.1")
    nn.SGD([Tensor([1.0])], 0.1)
    nn.SGD(Parameter(Tensor([1.0]), name="a"), 0.1)
    nn.Adam([Parameter(Tensor([1.0]), name="a")], beta1=1.0)
    nn.Adam([Parameter(Tensor([1.0]), name="a")], eps=0.0)
    nn.Adam([Parameter(Tensor([1.0]), name="a")], weight_decay=-0.1)
    nn.Momentum([Parameter(Tensor([1.0]), name="a")], 0.1)
    nn.Momentum([Parameter(Tensor([1.0]), name="a")] * 2, 0.1, 0.9)
    nn.SGD([{"params": []}], 0.1)
    nn.SGD([{"weights": []}], 0.1)
    nn.Adam([Parameter(Tensor([1.0]), name="a")])((Tensor([1.0]), Tensor([1.0])))
    nn.Adam([Parameter(Tensor([1.0]), name="a")])(Tensor([1.0]))
    nn.SGD([Parameter(Tensor([1.0]), name="a")], 0.1, nesterov=True)
    nn.RMSProp([Parameter(Tensor([1.0]), name="a")], use_locking=3)
    str(nn.SGD([Parameter(Tensor([1.0]), name="a")], 0.1))
    nn.Adam([Parameter(Tensor([1.0]), name="a")]).global_step
    nn.Adam([Parameter(Tensor([1.0]), name="a")]).learning_rate
    nn.SGD([Parameter(Tensor([1.0]), name="a")], 0.1).is_group
    nn.SGD([Parameter(Tensor([1.0]), name="a")], [0.1, 0.2]).dynamic_lr
    nn.SGD([Parameter(Tensor([1.0]), name="a")], 0.1)((Tensor([1.0]),))
    nn.TrainOneStepCell(nn.WithLossCell(nn.Dense(2, 1, "ones"), nn.MSELoss()), nn.SGD(nn.Dense(2, 1).trainable_params(), 0.1)).sens
"""
EXPERIMENTAL = """
    optim.lr_scheduler.StepLR(sgd, 2)
    optim.lr_scheduler.StepLR(sgd, step_size=2, gamma=0.5)
    optim.lr_scheduler.MultiStepLR(sgd, [1, 3], gamma=0.1)
    optim.lr_scheduler.ExponentialLR(sgd, 0.5)
    optim.lr_scheduler.LinearLR(sgd, start_factor=0.5, total_iters=3)
    optim.lr_scheduler.ConstantLR(sgd, factor=0.5, total_iters=2)
    optim.lr_scheduler.PolynomialLR(sgd, total_iters=3, power=2)
    optim.lr_scheduler.CosineAnnealingLR(sgd, T_max=4)
    optim.lr_scheduler.LambdaLR(sgd, lambda epoch: 0.9 ** epoch)
    optim.lr_scheduler.MultiplicativeLR(sgd, lambda epoch: 0.5)
    optim.lr_scheduler.CosineAnnealingWarmRestarts(sgd, 2)
    optim.lr_scheduler.CyclicLR(sgd, 0.01, 0.1, step_size_up=2)
"""


def checks(draw):
    for row in lines(TABLE):
        for what, shown in SHOWN.items():
            ready = READY.replace("<optimizer>", row.replace("<params>", "[w, b]"))
            source = (ready + shown).replace("<seed>", str(draw.randint(0, 99)))
            source = source.replace("<w>", str(draw.numbers("float32", (2, 2))))
            source = source.replace("<b>", str(draw.numbers("float32", (3,))))
            if row.startswith(NOT_YET):
                continue
            yield f"{what} of {row}", source
    for row in lines(SCHEDULES):
        yield row, row
    for row in lines(EXPERIMENTAL):
        yield (
            row,
            "from mindspore.experimental import optim\n"
            "sgd = optim.SGD([Parameter(Tensor([1.0]), name='w')], lr=0.2)\n"
            f"schedule = {row}\nseen = []\nfor step in range(5):\n"
            "    seen.append(float(sgd.param_groups[0]['lr']))\n"
            "    sgd((Tensor([1.0]),))\n    schedule.step()\n"
            "seen, [float(lr) for lr in schedule.get_last_lr()]",
        )
