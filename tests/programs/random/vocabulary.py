"""What random programs are written of: templates of expressions and statements, and the Cells and
functions that all programs use (`HEAD`)."""

import numpy as np

# {a}, {b}: variables; {c}, {d}: of the shape of {a}, {d} another one; {axis}: an axis of {a};
# {f}: a number; {s}: a scalar; {mask}: a comparison; {k}: 0, 1 or -1
SMOOTH = """
ops.tanh({a})
ops.sigmoid({a})
ops.sin({a})
ops.cos({a})
ops.square({a})
ops.erf({a})
ops.atan({a})
ops.softplus({a})
ops.gelu({a})
ops.exp(ops.tanh({a}))
ops.log({a} * {a} + 1)
ops.sqrt({a} * {a} + 0.5)
ops.rsqrt({a} * {a} + 0.5)
-{a}
{a} + {b}
{a} - {b}
{a} * {b}
{a} / ({b} * {b} + 1)
{a} + {f}
{f} - {a}
{a} * {f}
{f} / ({a} * {a} + 1)
({a} * {a} + 1) ** 0.5
{a} @ {b}
ops.matmul({a}, {b})
ops.outer({a}, {b})
ops.softmax({a}, {axis})
ops.log_softmax({a}, {axis})
ops.logsumexp({a}, {axis})
ops.cumsum({a}, {axis})
ops.sum({a})
ops.sum({a}, {axis})
ops.sum({a}, {axis}, keepdim=True)
ops.mean({a}, {axis}, True)
ops.mean({a})
ops.prod({a}, {axis})
ops.flip({a}, ({axis},))
ops.roll({a}, 1, {axis})
ops.concat(({a}, {b}), {axis})
ops.stack(({a}, {b}))
ops.stack([{a}, {a} * {f}], -1)
ops.expand_dims({a}, 0) * 1
ops.tile({a}, (2,))
ops.addcmul({a}, {b}, {c}, value={f})
ops.lerp({a}, {b}, 0.25)
ops.gather({a}, INDEX, {axis})
{a}[INDEX] * 1
ops.diff({a})
ops.tril({a})
ops.trace({a}) * 1
ops.where({mask}, {a}, {b})
ops.masked_fill({a}, {mask}, {f})
self.inner({a})
self.scale * {a}
{a} * {a}.shape[{axis}] / {a}.ndim
function({a})
self.layers[{k}]({a})
self.tied({a})
self.half + {a}
{a} * TALLY["calls"]
{a} + COUNTER
self.twice({a})
""".strip().splitlines()
CONTAINERS = """
self.table["a"] * {a} + self.table["b"]
self.factors[{k}] * {a}
sum(part * {f} for part in {a})
ops.concat([part.reshape(-1) * 1 for part in {a}.split(1, {axis})], 0)
self.pair({a}, {b})["sum"]
[part * {f} for part in ({a}, {b})][{k}]
(lambda first, *rest, factor={f}: first * factor + rest[0])({a}, {a})
next(t for t in ({a}, {b}) if t.ndim == {a}.ndim) * 1
{{"first": {a}, "second": {b}}}["second"] + {f}
({a} if {a}.ndim > 1 else -{a}) * {f}
Point(first={a}, second={b}).second * {f}
Box({a}, {f}).filled()
[t * {f} for t in sorted([{a}, {b}], key=lambda t: t.ndim)][{k}]
{{name: t * {f} for name, t in zip("pq", ({a}, {b}))}}["q"]
(lambda *parts: parts[-1] * len(parts))(*[{a}, {b}])
functools.reduce(lambda s, t: s + t, [{a}, {c}, {a} * {f}])
list(map(lambda t: ops.sin(t), ({a}, {b})))[{k}]
next(iter({{"first": {a}}}.values())) + {f}
(t := {a} * {f}) + t
sum(generated({a}, {f}))
collections.deque([{a}, {b}], maxlen=1)[0] * {f}
functools.partial(scaled, factor={f})({a})
repeated({a}, 2)
[t * {f} for t in ({a}, {b}) if t.ndim][-1]
{a} * {{"p", "q"}}.__len__()
""".strip().splitlines()
CONDITIONS = """
{a} * 1 if ops.mean({b}) > {f} else {c} * 2
{a} * 1 if 0 < ops.mean({a}) < 1 else {a} * {f}
{a} * 2 if ops.sum({a}) > 0 and not ops.mean({b}) > 1 else -{a}
[t * {f} for t in ({a}, {c}, -{a}) if ops.mean(t) > -9][-1]
""".strip().splitlines()
# transformations within a program
TRANSFORMED = """
grad(lambda t: ops.sum(ops.tanh(t) * {d}))({a})
grad(lambda t: ops.sum(t * t * {f}))({a})
value_and_grad(lambda t: ops.mean(t * ops.sin(t)))({a})[1]
vmap(lambda t: ops.tanh(t) * {f})({a})
vmap(lambda t, u: t * u + {s})({a}, {c})
jit(lambda t: ops.sin(t) * {f})({a})
jit(lambda t: t * {c})({a})
recompute(self.inner, {a})
""".strip().splitlines()
# whose derivative is another than that of what they compute
CUSTOM = """
ops.stop_gradient({a}) * 1
self.steep({a})
self.hooked({a})
self.backward({a})
Wave.apply({a})
""".strip().splitlines()
KINKED = """
ops.relu({a})
ops.abs({a})
ops.maximum({a}, {b})
ops.minimum({a}, {b})
ops.clamp({a}, -0.5, 0.75)
ops.amax({a}, {axis})
ops.amin({a}, {axis})
""".strip().splitlines()
RANDOM = """
ops.rand(2, 3)
ops.randn(3)
ops.rand_like({a})
ops.dropout({a}, p=0.5)
ops.normal((3,), 0.0, 0.5)
ops.bernoulli(ops.sigmoid({a}))
ops.uniform((2, 3), Tensor(-1.0), Tensor(1.0)) + {a}
""".strip().splitlines()
VIEWS = """
{a}[{index}]
{a}.reshape(-1)
{a}.T
{a}.unsqueeze(0)
{a}.select({axis}, 0)
{a}.narrow({axis}, 0, 1)
{a}.swapaxes(0, -1)
{a}.flatten()
{a}.diagonal(0, 0, 1)
{a}.expand(2, *{a}.shape)
{a}.chunk(2, {axis})[0]
{a}.unbind({axis})[-1]
""".strip().splitlines()
WRITES = """
{a}[{index}] = {f}
{a}[{index}] = {a}[{index}] * {f}
{a}[{index}] += {s}
{a}[INDEX] = {s}
{a}[{mask}] = {f}
{a}.add_({s})
{a}.mul_({s})
{a}.sub_({b})
{a}.copy_({b})
{a}.fill_({f})
{a}.clamp_(-0.75, 1.0)
{a}.T.mul_({f})
{a}[0], {a}[-1] = {a}[-1] * 1, {a}[0] * 1
""".strip().splitlines()
STATE = """
self.count = self.count + 1
self.scale = self.scale * 0.5 + 0.25
self.factors.append({f})
self.table["b"] = self.table["b"] + {f}
self.factors[0] = self.factors[0] * -0.5
self.table.update(a=self.table["a"] + 0.5)
self.count, self.scale = self.count + 2, self.scale * -0.5
COUNTER = COUNTER + 1
TALLY["calls"] += 1
TALLY.setdefault("more", []).append(COUNTER)
""".strip().splitlines()
TENSOR_STATE = """
ops.assign(self.w0, self.w0 * 0.5 + {s})
self.w1.add_({s})
self.kept = {a} * 1
self.kept = self.w0[:]
self.kept = y
self.kept = self.kept * 0.5 + y
self.w0[1:] = {s}
self.w1[0] += {s}
self.layers[0].weight.mul_(0.5)
self.w0.set_data(self.w0 * 0.5)
""".strip().splitlines()
NESTED = ["ops.tanh(t) * {a}", "t * {f}", "t + ops.sum(self.w0)", "t * t + {a}"]
INDICES = ["0", "-1", "...", ":1", "1:", "::2", "..., 0", "None", ":, 0", "0, :", "..., ::-1"]
LOOPS = """
for i in range(3):
for factor in self.factors[:3]:
for i, part in enumerate(self.table.values()):
for k in (2, 0.5):
for name, part in sorted(self.table.items()):
for i, j in zip(range(2), (1, -1)):
""".strip().splitlines()
FAILURES = """
raise ValueError("planned")
failing("planned")
ops.matmul(self.w1, self.w1)
raise ValueError("planned") from KeyError("cause")
""".strip().splitlines()
HANDLERS = ["ValueError", "(KeyError, ValueError)", "Exception", "ValueError as error"]

HEAD = """\
Point = collections.namedtuple("Point", ["first", "second"])


@dataclasses.dataclass
class Box:
    content: object
    factor: float = 1.0

    def filled(self):
        return self.content * self.factor


def scaled(t, factor):
    return t * factor


def generated(t, factor):
    for k in range(3):
        yield t * (factor * k)


def repeated(t, n):
    return t * 1 if n == 0 else repeated(ops.tanh(t), n - 1)


def failing(text):
    raise ValueError(text)


def fit(t, shape, low, high):
    count = math.prod(shape)
    flat = t.reshape(-1)
    flat = ops.tile(flat, (count // flat.shape[0] + 1,))[:count] + RAMP[:count]
    within = low + (high - low) * ops.sigmoid(flat)
    return within.reshape(*shape) if shape else ops.sum(within)


class Inner(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(CONST["inner"]), name="inner")

    def construct(self, x):
        return ops.tanh(x * self.weight) + x


class Steep(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        return (dout * 5 + dout * ops.cos(x),)


class Hooked(nn.Cell):
    def __init__(self):
        super().__init__()
        self.register_forward_pre_hook(lambda cell, inputs: (inputs[0] * 0.5,))
        self.register_forward_hook(lambda cell, inputs, output: output + inputs[0])

    def construct(self, x):
        return ops.sin(x)


class Backward(nn.Cell):
    def __init__(self):
        super().__init__()
        self.register_backward_hook(lambda cell, by_input, by_output: (by_input[0] * 3,))

    def construct(self, x):
        return ops.sin(x) * 2


class Wave(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return ops.sin(x)

    @staticmethod
    def backward(ctx, dout):
        (x,) = ctx.saved_tensors
        return dout * ops.cos(x) * 2


class Base(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([Inner(), Inner()])
        self.steep, self.hooked, self.backward = Steep(), Hooked(), Backward()
        self.w0 = Parameter(Tensor(CONST["w0"]), name="w0")
        self.w1 = Parameter(Tensor(CONST["w1"]), name="w1")
        self.inner = self.tied = Inner()
        self.scale = 0.75
        self.count = 1
        self.factors = [0.5, -0.25, 1.5]
        self.table = {"a": 0.5, "b": -0.5}
        self.kept = Tensor(CONST["kept"])

    @property
    def half(self):
        return self.w0 * 0.5

    @staticmethod
    def twice(t):
        return t * 2

    def pair(self, a, b, **more):
        return {"sum": a * self.scale + b, "count": len(more)}
"""
START = """\
class Net(Base):
    def construct(self, x, y):
        global COUNTER
        function = ops.sin
"""
CONSTANTS = {"inner": (), "w0": (3,), "w1": (2, 3), "kept": (3,)}
INPUTS = {"x": (2, 3), "y": (3,)}


def values(name, shape):
    """Return the elements of an input or a constant, the same for each program."""
    rng = np.random.default_rng(list(name.encode()))
    return rng.uniform(-1.5, 1.5, shape).round(2) + 0.0037  # at no bend of a function
