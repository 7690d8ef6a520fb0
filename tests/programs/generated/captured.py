"""`jit` and graph mode: control flow, containers, state."""

FUNCTIONS = """\
# an if
def f(x):
    if x.sum() > 0:
        return x * 2
    return x - 1
# an if and an else
def f(x):
    if x.max() > 1:
        y = x + 1
    else:
        y = x * x
    return y.sum()
# a for of a range
def f(x):
    for i in range(3):
        x = x * 2 + i
    return x
# a while on a Tensor
def f(x):
    while x.sum() < 20:
        x = x.abs() + 1
    return x
# a while on a number
def f(x):
    i = 0
    while i < 4:
        x = x + i
        i += 1
    return x, i
# break and continue
def f(x):
    for i in range(6):
        if i == 1:
            continue
        if i == 4:
            break
        x = x + i
    return x
# a for over a Tensor
def f(x):
    total = x[0] * 0
    for row in x:
        total = total + row
    return total
# a list
def f(x):
    parts = []
    for i in range(3):
        parts.append(x * i)
    return ops.stack(parts)
# a tuple
def f(x):
    return x, x + 1, (x * 2, x * 3)
# a dict
def f(x):
    return {"a": x, "b": x + 1}
# a list returned
def f(x):
    return [x, x * 2]
# a shape
def f(x):
    return x.reshape(x.shape[0], -1) * x.shape[0]
# an index
def f(x):
    return x[0] + x[-1]
# a write
def f(x):
    y = x * 1
    y[0] = 5
    return y
# numbers
def f(x):
    return x * 2 + 3.5 - 1
# a condition on a shape
def f(x):
    if x.ndim > 1:
        return x.sum(1)
    return x.sum()
# a nested function
def f(x):
    def inner(y):
        return y * y + x
    return inner(x) + inner(2 * x)
# a lambda
def f(x):
    g = lambda a: a.exp()
    return g(x) + g(-x)
# a comprehension
def f(x):
    return sum([x * i for i in range(4)])
# zip and enumerate
def f(x):
    out = x * 0
    for i, (a, b) in enumerate(zip((1, 2, 3), (4, 5, 6))):
        out = out + a * b * i * x
    return out
# and, or, not
def f(x):
    if x.sum() > -100 and not x.sum() > 100:
        return x
    return -x
# a conditional expression
def f(x):
    return x * 2 if x.mean() > 0 else x / 2
# isinstance
def f(x):
    return x + 1 if isinstance(x, Tensor) else x
# an early return in a loop
def f(x):
    for i in range(5):
        if x.sum() > i:
            return x * i
    return x - 100
# a nested if
def f(x):
    if x.sum() > 0:
        if x.max() > 1:
            return x + 1
        return x + 2
    return x + 3
# a while with a break
def f(x):
    i = 0
    while True:
        x = x + 1
        i = i + 1
        if i > 3:
            break
    return x
# a cast
def f(x):
    return x.astype(ms.float16) + ops.cast(x, ms.int32)
# None
def f(x):
    y = None
    if y is None:
        y = x
    return y
# an assertion
def f(x):
    assert x.ndim >= 0
    return x
# a slice with a variable
def f(x):
    n = 1
    return x[:n], x[n:]
# a len
def f(x):
    return x * len(x)
# a max of Python
def f(x):
    return x * max(2, 3) + min(x.shape)
# a print
def f(x):
    print(x.shape)
    return x
# a keyword
def f(x, k=2):
    return x * k
# a star
def f(*xs):
    return xs[0] * len(xs)
# a division by zero
def f(x):
    return x / 0
# a refused shape
def f(x):
    return ops.matmul(x, x.reshape(-1)[:1])
# an unknown name
def f(x):
    return x + unknown
# an error raised
def f(x):
    raise ValueError("no")
# an error raised in a branch
def f(x):
    if x.sum() > 1000:
        raise ValueError("no")
    return x
# a fill
def f(x):
    return ops.zeros(x.shape, x.dtype) + ops.ones_like(x)
# a random permutation of axes
def f(x):
    return x.T.sum(0)
# a string
def f(x):
    mode = "sum"
    return x.sum() if mode == "sum" else x.mean()
# a numpy constant
def f(x):
    return x * Tensor(np.array([2.0], np.float32))
# unpacking
def f(x):
    a, b = x[0], x[1]
    return a * b
# swapped
def f(x):
    a, b = x, x + 1
    a, b = b, a
    return a - b
# an augmented assignment
def f(x):
    y = x
    y += 1
    y *= 2
    return y
# a global function
def f(x):
    return ops.softmax(nn.functional_relu(x) if hasattr(nn, "functional_relu") else ops.relu(x))
# a power loop
def f(x):
    y = x
    n = 3
    while n > 0:
        y = y * x
        n -= 1
    return y
# a Tensor bound
def f(x):
    i = Tensor(0)
    while i < 3:
        x = x + i
        i = i + 1
    return x
# a bool
def f(x):
    return x.sum() > 0
# an int
def f(x):
    return 5
# nothing
def f(x):
    return None
"""
STATES = """\
# a counter
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n = Parameter(Tensor(0.0), name="n", requires_grad=False)

    def construct(self, x):
        self.n += 1
        return x * self.n
# an assign
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n = Parameter(Tensor([1.0, 2.0]), name="n")

    def construct(self, x):
        ops.assign(self.n, self.n * 2)
        return self.n + x.sum()
# an attribute
class Net(nn.Cell):
    def __init__(self, k=3):
        super().__init__()
        self.k = k

    def construct(self, x):
        return x * self.k
# a list of Cells
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.parts = nn.CellList([nn.Dense(2, 2, "ones", "zeros") for _ in range(2)])

    def construct(self, x):
        for part in self.parts:
            x = part(x)
        return x
# a method
class Net(nn.Cell):
    def scaled(self, x, k):
        return x * k

    def construct(self, x):
        return self.scaled(x, 2) + self.scaled(x, 3)
# a branch on training
class Net(nn.Cell):
    def construct(self, x):
        if self.training:
            return x * 2
        return x
# an if on a Tensor
class Net(nn.Cell):
    def construct(self, x):
        if x.sum() > 0:
            return ops.relu(x)
        return -x
# two outputs
class Net(nn.Cell):
    def construct(self, x):
        return x + 1, x.sum()
"""
WAYS = {
    "jit": "g = jit(f)\nf(x), g(x), g(x + 1)",
    "grad of jit": "ms.grad(lambda x: jit(f)(x).sum())(x)",
}


def checks(draw):
    from tests.programs.generated import titled

    for title, source in titled(FUNCTIONS):
        for shape in [draw.choice([(2,), (2, 2)])]:
            x = f"x = Tensor({draw.numbers('float32', shape)}, ms.float32)\n"
            for way, shown in WAYS.items():
                if way == "grad of jit" and not ("return x" in source or "y" in source):
                    continue
                yield f"{way}, {title} {shape}", f"{source}\n\n{x}{shown}"
    for title, source in titled(STATES):
        for mode in ["PYNATIVE_MODE", "GRAPH_MODE"]:
            x = f"Tensor({draw.numbers('float32', (1, 2))}, ms.float32)"
            yield (
                f"a Cell in {mode}, {title}",
                f"{source}\n\nnet, x = Net(), {x}\nms.set_context(mode=ms.{mode})\ntry:\n"
                "    seen = [net(x), net(x + 1), [p.value() for p in net.get_parameters()]]\n"
                "finally:\n    ms.set_context(mode=ms.PYNATIVE_MODE)\nseen",
            )
        x = f"Tensor({draw.numbers('float32', (1, 2))}, ms.float32)"
        yield (
            f"a captured call of a Cell, {title}",
            f"{source}\n\nnet, x = Net(), {x}\nstep = jit(lambda x: net(x))\nstep(x), step(x)",
        )
