"""Derivatives of functions and Cells, and what is mapped."""

from tests.programs.generated import lines

FUNCTIONS = {
    "x * x": 1, "x.sin() * x.exp()": 1, "(x ** 3).sum()": 1, "x.tanh().mean()": 1, "ops.softmax(x) * x": 1,
    "x[0] * x[-1]": 1, "x.max() + x.min()": 1, "ops.relu(x).sum()": 1, "x.abs().sum()": 1, "(x * 2, x + 1)": 1,
    "x * y": 2, "(x @ y.T).sum() if x.ndim > 1 else (x * y).sum()": 2, "x / (y * y + 1)": 2, "ops.maximum(x, y)": 2,
    "ops.where(x > 0, x * y, y)": 2, "x.cumsum(0) * y": 2, "ops.cat([x, y]).prod()": 2, "x ** 2 + y ** 3": 2,
    "ops.stop_gradient(x) * y": 2, "x.sort()[0] * y": 2, "x.clip(-1, 1) + y * 0": 2, "ops.logsumexp(x * y, 0)": 2,
    "x.std() * y.var()": 2, "x.norm() + y.norm()": 2, "x.floor() + y.round()": 2, "x.astype(ms.float16).sum() * y": 2,
}  # fmt: skip
WAYS = {
    "grad": "ms.grad(f)(*a)",
    "grad of all": "ms.grad(f, grad_position=<all>)(*a)",
    "value_and_grad": "ms.value_and_grad(f)(*a)",
    "GradOperation": "ops.GradOperation()(f)(*a)",
    "GradOperation(get_all)": "ops.GradOperation(get_all=True)(f)(*a)",
    "GradOperation(sens_param)": "ops.GradOperation(get_all=True, sens_param=True)(f)(*a, f(*a))",
    "grad of grad": "ms.grad(lambda *a: ms.grad(f)(*a).sum())(*a)",
    "vjp": "out, back = ms.vjp(f, *a)\nout, back(out)",
    "jvp": "ms.jvp(f, a if len(a) > 1 else a[0], a if len(a) > 1 else a[0])",
    "jacrev": "ms.jacrev(f)(*a)",
    "jacfwd": "ms.jacfwd(f)(*a)",
    "vmap": "ms.vmap(f)(*a)",
    "vmap of grad": "ms.vmap(ms.grad(f))(*a)",
    "under jit": "ms.jit(ms.grad(f))(*a)",
}
OTHERS = """
    ms.grad(lambda x: x * x)(Tensor(3.0))
    ms.grad(lambda x: x * x)(Tensor(3))
    ms.grad(lambda x: x * 1.5)(Tensor([1.0, 2.0], ms.float16))
    ms.grad(lambda x, y: x * y, grad_position=1)(Tensor(2.0), Tensor(3.0))
    ms.grad(lambda x, y: x * y, grad_position=(0,))(Tensor(2.0), Tensor(3.0))
    ms.grad(lambda x, k: x * k)(Tensor(2.0), 3)
    ms.grad(lambda x: (x * x, x + 1), has_aux=True)(Tensor(2.0))
    ms.grad(lambda x: (x * x).sum(), return_ids=True)(Tensor([2.0]))
    ms.value_and_grad(lambda x: (x * x, x + 1), has_aux=True)(Tensor(2.0))
    ms.value_and_grad(lambda x: x * x)(Tensor([1.0, 2.0]))
    ms.grad(lambda x: x)(2.0)
    ms.grad(3)
    ms.grad(lambda x: x, grad_position=1)(Tensor(1.0))
    ms.grad(lambda x: x, grad_position="a")
    ms.grad(lambda x: x, weights=3)
    ms.grad(lambda x: 5)(Tensor(1.0))
    ms.grad(lambda x: Tensor(2.0))(Tensor(1.0))
    ms.grad(lambda x: x.asnumpy().sum())(Tensor(1.0))
    ms.grad(lambda x: float(x) * x)(Tensor(3.0))
    ms.grad(lambda x: x if x > 0 else -x)(Tensor(-3.0))
    ms.grad(lambda x: sum(x * i for i in range(3)))(Tensor(2.0))
    ms.grad(lambda x: {"a": x * x})(Tensor(2.0))
    ms.grad(lambda x: [x * x, x])(Tensor(2.0))
    ms.grad(lambda a: a[0] * a[1])((Tensor(2.0), Tensor(3.0)))
    ms.grad(lambda x, *rest: x * rest[0])(Tensor(2.0), Tensor(3.0))
    ms.grad(lambda x, k=2: x * k)(Tensor(2.0), k=5)
    ms.get_grad(ms.grad(lambda x, y: x * y, (0, 1), return_ids=True)(Tensor(2.0), Tensor(3.0)), 1)
    ms.vmap(lambda x, y: x + y, in_axes=(0, None))(Tensor([1.0, 2.0]), Tensor(5.0))
    ms.vmap(lambda x: x.sum(), in_axes=1)(Tensor([[1.0, 2.0], [3.0, 4.0]]))
    ms.vmap(lambda x: x * 2, out_axes=1)(Tensor([[1.0, 2.0], [3.0, 4.0]]))
    ms.vmap(lambda x, y: (x * y).sum(), (0, 1))(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[1.0, 2.0], [3.0, 4.0]]))
    ms.vmap(ms.vmap(lambda x: x * x))(Tensor([[1.0, 2.0], [3.0, 4.0]]))
    ms.vmap(lambda x: x)(Tensor(1.0))
    ms.vmap(lambda x: x, in_axes=None)(Tensor([1.0]))
    ms.vmap(lambda x, y: x + y)(Tensor([1.0, 2.0]), Tensor([1.0, 2.0, 3.0]))
    ms.jvp(lambda x: x ** 3, Tensor([2.0]), Tensor([1.0]))
    ms.jvp(lambda x, y: x * y, (Tensor([2.0]), Tensor([3.0])), (Tensor([1.0]), Tensor([0.0])))
    ms.jvp(lambda x: (x * x, x), Tensor([2.0]), Tensor([1.0]))
    ms.vjp(lambda x: x ** 3, Tensor([2.0]))[0]
    ms.vjp(lambda x: x ** 3, Tensor([2.0]))[1](Tensor([1.0]))
    ms.vjp(lambda x, y: x * y, Tensor([2.0]), Tensor([3.0]))[1](Tensor([1.0]))
    ms.jacrev(lambda x: x * x)(Tensor([1.0, 2.0]))
    ms.jacfwd(lambda x: x.sum())(Tensor([1.0, 2.0]))
    ms.jacrev(lambda x, y: x @ y, grad_position=(0, 1))(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]]))
    ms.jacfwd(lambda x: x * x, has_aux=False)(Tensor([1.0, 2.0]))
    ops.stop_gradient(Tensor(2.0))
    ms.grad(lambda x: ops.stop_gradient(x * x) * x)(Tensor(3.0))
    ms.grad(ops.Sin())(Tensor(0.5))
    ms.grad(ops.sin)(Tensor([0.5, 1.0]))
    ms.grad(ops.ReduceSum())(Tensor([1.0, 2.0]))
    ms.grad(nn.Tanh())(Tensor([0.5]))
    ms.grad(ms.grad(ms.grad(lambda x: x ** 4)))(Tensor(2.0))
    ops.grad(lambda x: x * x)(Tensor(2.0))
    ops.value_and_grad(lambda x: x * x)(Tensor(2.0))
    ops.GradOperation(sens_param=True)(lambda x: x * x)(Tensor([2.0, 3.0]), Tensor([1.0, 0.5]))
    ops.GradOperation(get_all=1)
    ms.grad(lambda x: x.T @ x)(Tensor([[1.0, 2.0]]))
    ms.grad(lambda x: x.sqrt())(Tensor([0.0, 1.0]))
    ms.grad(lambda x: x.abs())(Tensor([0.0, -1.0]))
    ms.grad(lambda x: ops.relu(x))(Tensor([0.0, 1.0]))
    ms.grad(lambda x: x.max())(Tensor([1.0, 1.0]))
    ms.grad(lambda x: ops.maximum(x, 1.0))(Tensor([1.0, 2.0]))
    ms.grad(lambda x: x.sort()[0][0])(Tensor([2.0, 1.0]))
    ms.grad(lambda x: x.log())(Tensor([0.0, -1.0]))
    ms.grad(lambda x: x ** 0.5)(Tensor([0.0, 4.0]))
    ms.grad(lambda x: x.round())(Tensor([0.4]))
    ms.grad(lambda x: ops.clamp(x, -1, 1))(Tensor([-1.0, 0.0, 2.0]))
    ms.grad(lambda x: (x == x).astype(ms.float32).sum())(Tensor([1.0]))
    ms.grad(lambda x: x.prod())(Tensor([0.0, 2.0, 3.0]))
    ms.grad(lambda x: x / x.sum())(Tensor([1.0, 3.0]))
    ms.grad(lambda x: ops.dropout(x, 0.0))(Tensor([1.0]))
"""
CELLS = """\
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(<w>, ms.float32), name="w")
        self.b = Parameter(Tensor(<b>, ms.float32), name="b", requires_grad=<flag>)

    def construct(self, x):
        return (<body>)

net = Net()
x = Tensor(<x>, ms.float32)
"""
BODIES = [
    "x * self.w + self.b",
    "ops.tanh(x * self.w) * self.b",
    "((x - self.w) ** 2).sum() + self.b",
    "self.w * self.w * x",
]
OF_CELLS = [
    "ms.grad(net, None, net.trainable_params())(x)",
    "ms.grad(net, 0, net.trainable_params())(x)",
    "ms.value_and_grad(net, None, [net.w])(x)",
    "ms.value_and_grad(net, 0, net.w)(x)",
    "ops.GradOperation(get_by_list=True)(net, ParameterTuple(net.trainable_params()))(x)",
    "ops.GradOperation(get_all=True, get_by_list=True)(net, net.trainable_params())(x)",
    "ms.grad(net, None, net.get_parameters())(x)",
    "ms.grad(lambda x: net(x).sum(), None, net.b)(x)",
    "nn.ForwardValueAndGrad(net, net.trainable_params(), get_by_list=True)(x)",
    "ms.grad(net, None, net.trainable_params(), return_ids=True)(x)",
]


def checks(draw):
    for body, count in FUNCTIONS.items():
        for shape in [draw.choice([(3,), (2, 2)])]:
            built = [draw.tensor("float32", shape, -2.0, 2.0) for _ in range(count)]
            ready = f"f = lambda {', '.join('xy'[:count])}: {body}\na = ({', '.join(built)},)\n"
            for way, source in draw.some(WAYS.items(), 4):
                shown = source.replace("<all>", str(tuple(range(count))))
                yield f"{way} of {body} {shape}", ready + shown
    for row in lines(OTHERS):
        yield row, row
    for body in BODIES:
        for flag in [True, False]:
            for shown in OF_CELLS:
                ready = CELLS.replace("<w>", str(draw.numbers("float32", (2,)))).replace(
                    "<body>", body
                )
                ready = ready.replace("<b>", str(draw.numbers("float32", (2,)))).replace(
                    "<flag>", str(flag)
                )
                ready = ready.replace("<x>", str(draw.numbers("float32", (2,))))
                if "get_parameters" in shown and body != BODIES[0]:
                    continue  # MindSpore refuses a generator
                yield f"{shown} of {body}, requires_grad={flag}", ready + shown
