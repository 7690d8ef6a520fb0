"""Draws the text of a random Cell; hypothesis shrinks a failing one to a few lines.

The shape of every variable is known where it is drawn: an expression is computed by `reference` on
examples. In blocks (branches, loops, functions) a variable is only given values of its own shape.
"""

import numpy as np
from hypothesis import strategies as st

from tests.programs.random import reference
from tests.storage.view_programs import repeats

SHAPES = [(), (1,), (3,), (2, 3), (3, 3), (2, 1), (2, 2, 3)]
LARGEST = 72  # elements of a variable

# {a}, {b}, {c}: variables; {axis}: an axis of {a}; {f}: a number; {mask}: a comparison
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
ops.diff({a})
ops.tril({a})
ops.trace({a}) * 1
ops.where({mask}, {a}, {b})
ops.masked_fill({a}, {mask}, {f})
self.inner({a})
self.scale * {a}
self.table["a"] * {a} + self.table["b"]
self.factors[{k}] * {a}
{a} * {a}.shape[{axis}] / {a}.ndim
sum(part * {f} for part in {a})
ops.concat([part.reshape(-1) * 1 for part in {a}.split(1, {axis})], 0)
function({a})
self.layers[{k}]({a})
self.doubled({a})
self.pair({a}, {b})["sum"]
[part * {f} for part in ({a}, {b})][{k}]
(lambda first, *rest, factor={f}: first * factor + rest[0])({a}, {a})
next(t for t in ({a}, {b}) if t.ndim == {a}.ndim) * 1
{{"first": {a}, "second": {b}}}["second"] + {f}
ops.stop_gradient({a}) * 1
({a} if {a}.ndim > 1 else -{a}) * {f}
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
{a}.add_({s})
{a}.mul_({s})
{a}.sub_({b})
{a}.copy_({b})
{a}.fill_({f})
{a}.clamp_(-0.75, 1.0)
""".strip().splitlines()
STATE = """
ops.assign(self.w0, self.w0 * 0.5 + {s})
self.w1.add_({s})
self.count = self.count + 1
self.scale = self.scale * 0.5 + 0.25
self.factors.append({f})
self.table["b"] = self.table["b"] + {f}
self.kept = {a} * 1
self.kept = self.w0[:]
self.kept = y
self.kept = self.kept * 0.5 + y
self.w0[1:] = {s}
self.w1[0] += {s}
self.layers[0].weight.mul_(0.5)
self.factors[0] = self.factors[0] * -0.5
self.table.update(a=self.table["a"] + 0.5)
""".strip().splitlines()
NESTED = ["ops.tanh(t) * {a}", "t * {f}", "t + ops.sum(self.w0)", "t * t + {a}"]
INDICES = ["0", "-1", "...", ":1", "1:", "::2", "..., 0", "None", ":, 0", "0, :", "..., ::-1"]

HEAD = """\
class Inner(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(CONST["inner"]), name="inner")

    def construct(self, x):
        return ops.tanh(x * self.weight) + x


class Doubled(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        return (dout * 2,)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([Inner(), Inner()])
        self.doubled = Doubled()
        self.w0 = Parameter(Tensor(CONST["w0"]), name="w0")
        self.w1 = Parameter(Tensor(CONST["w1"]), name="w1")
        self.inner = Inner()
        self.scale = 0.75
        self.count = 1
        self.factors = [0.5, -0.25, 1.5]
        self.table = {"a": 0.5, "b": -0.5}
        self.kept = Tensor(CONST["kept"])

    def pair(self, a, b, **more):
        return {"sum": a * self.scale + b, "count": len(more)}

    def construct(self, x, y):
        function = ops.sin
"""
CONSTANTS = {"inner": (), "w0": (3,), "w1": (2, 3), "kept": (3,)}
INPUTS = {"x": (2, 3), "y": (3,)}


def values(name, shape):
    """Elements of an input or a constant, the same for each program."""
    rng = np.random.default_rng(list(name.encode()))
    return rng.uniform(-1.5, 1.5, shape).round(2)


class Program:
    """A random Cell: its `source`, and what it does beyond computing (`traits`): 'state' (it
    writes Parameters or attributes), 'branch' (values decide what is computed), 'kink'."""

    def __init__(self, source, traits):
        self.source, self.traits = source, traits

    def __repr__(self):
        return f"\n{self.source.removeprefix(HEAD)}traits: {sorted(self.traits)}\n"


class _Writer:
    def __init__(self, draw):
        self.draw, self.lines, self.traits = draw, [], set()
        self.space = reference.names()
        self.space |= {"CONST": {k: values(k, s) for k, s in CONSTANTS.items()}}
        self.space |= {"INDEX": np.array([1, 0, 0]), "function": self.space["ops"].sin}
        exec(HEAD, self.space)
        self.space["self"] = net = self.space["Net"]()
        self.examples = {
            "x": reference._own(values("x", INPUTS["x"])),
            "y": reference._own(values("y", INPUTS["y"])),
        }
        self.examples |= {"self.w0": net.w0, "self.w1": net.w1, "self.kept": net.kept}
        self.count = 0

    # drawing ----------------------------------------------------------------------------------

    def pick(self, items):
        return self.draw(st.sampled_from(list(items)))

    def number(self):
        return self.pick(["2", "0.5", "-1", "1.25", "3", "-0.75"])

    def filled(self, template, a=None):
        """The template with names and numbers in place of its fields."""
        fields = {"a": a or self.pick(self.examples)}
        shape = self.examples[fields["a"]].shape
        others = [n for n, e in self.examples.items() if e.shape == shape]
        if "{b}" in template:
            fields["b"] = self.pick(others if self.draw(st.booleans()) else self.examples)
        if "{c}" in template:
            fields["c"] = self.pick(others)
        if "{axis}" in template:
            fields["axis"] = self.pick(range(-len(shape), len(shape))) if shape else 0
        if "{f}" in template:
            fields["f"] = self.number()
        if "{k}" in template:
            fields["k"] = self.pick([0, 1, -1])
        if "{index}" in template:
            fields["index"] = self.pick(INDICES)
        if "{s}" in template:
            fields["s"] = self.pick(
                [self.number(), "x[0, 0]", "ops.tanh(x.sum() if False else y[0])"]
            )
            fields["s"] = fields["s"].replace("x.sum() if False else ", "")
        if "{mask}" in template:
            fields["mask"] = f"{fields['a']} > {self.number()}"
        return template.format(**fields), fields["a"]

    def result(self, text):
        """What an expression gives for the examples; None if it is no Tensor of a fitting size."""
        try:
            value = eval(text, {**self.space, **self.local()})
        except (ValueError, IndexError, TypeError, reference.Uncertain, AttributeError, KeyError):
            return None
        fits = isinstance(value, reference.Array) and value.array.size <= LARGEST
        return value if fits and value.ndim <= 4 and value.array.size else None

    def local(self):
        return {n: e for n, e in self.examples.items() if "." not in n}

    def name(self):
        self.count += 1
        return f"v{self.count}"

    # statements -------------------------------------------------------------------------------

    def expression(self):
        template = self.pick(SMOOTH if self.draw(st.integers(0, 5)) else KINKED)
        text, _ = self.filled(template)
        if template in KINKED or "{mask}" in template:
            self.traits.add("kink")
        return text

    def statement(self, indent, is_block):
        kind = self.pick(["compute"] * 6 + ["view"] * 2 + ["write"] * 3 + ["state", "reuse"]
                         + ([] if is_block else ["branch", "loop", "nested", "try", "while", "hook",
                                                 "grown", "counter", "early"]))  # fmt: skip
        return getattr(self, f"_{kind}")(indent, is_block)

    def put(self, indent, line):
        self.lines.append("    " * indent + line)

    def define(self, indent, text):
        """A new variable of an expression, if that fits."""
        value = self.result(text)
        if value is not None:
            name = self.name()
            self.examples[name] = value
            self.put(indent, f"{name} = {text}")

    def _compute(self, indent, is_block):
        self.define(indent, self.expression())

    def _view(self, indent, is_block):
        self.define(indent, self.filled(self.pick(VIEWS))[0])

    def _write(self, indent, is_block):
        local = self.local()
        text, name = self.filled(self.pick(WRITES), self.pick(local))
        if not self._runs(text, name):
            return
        self.put(indent, text)

    def _runs(self, text, name):
        if repeats(self.examples[name].array):
            return False
        copies = {n: reference._own(e.array) for n, e in self.local().items()}
        try:
            exec(text, {**self.space, **copies})
        except (ValueError, IndexError, TypeError):
            return False
        return True

    def _state(self, indent, is_block):
        text, _ = self.filled(self.pick(STATE), "y")
        self.traits.add("state")
        self.put(indent, text)

    def _reuse(self, indent, is_block):
        """A variable gets another value of its own shape."""
        mine = [n for n in self.local() if n not in INPUTS]
        if not mine:
            return
        name, text = self.pick(mine), self.expression()
        value = self.result(text)
        if value is not None and value.shape == self.examples[name].shape:
            self.examples[name] = value
            self.put(indent, f"{name} = {text}")

    def block(self, indent, least=1):
        """Statements; what they define is forgotten after them."""
        before, start = dict(self.examples), len(self.lines)
        for _ in range(self.draw(st.integers(least, 3))):
            self.statement(indent, True)
        if len(self.lines) == start:
            self.put(indent, "pass")
        self.examples = before

    def condition(self):
        name = self.pick(self.examples)
        return f"ops.mean({name}) > {self.pick(['0', '0.25', '-0.5'])}"

    def _branch(self, indent, is_block):
        self.traits.add("branch")
        self.put(indent, f"if {self.condition()}:")
        self.block(indent + 1)
        if self.draw(st.booleans()):
            self.put(indent, "else:")
            self.block(indent + 1)

    def _loop(self, indent, is_block):
        self.put(indent, self.pick([
            "for i in range(3):", "for factor in self.factors[:3]:",
            "for i, part in enumerate(self.table.values()):", "for k in (2, 0.5):",
        ]))  # fmt: skip
        self.block(indent + 1)

    def _while(self, indent, is_block):
        self.traits.add("branch")
        name = self.name()
        self.examples[name] = self.result("ops.mean(ops.abs(x)) + 0.5")
        self.put(indent, f"{name} = ops.mean(ops.abs(x)) + 0.5")
        self.put(indent, f"while {name} < 4:")
        del self.examples[name]
        self.block(indent + 1, 0)
        self.put(indent + 1, f"{name} = {name} * 2")

    def _nested(self, indent, is_block):
        name, inner = self.name(), self.pick(list(self.local()))
        text, _ = self.filled(
            self.pick(["ops.tanh(t) * {a}", "t * {f}", "t + self.w0.sum()", "t * t + {a}"])
        )
        if self.draw(st.booleans()):
            self.put(indent, f"{name}f = lambda t: {text}")
        else:
            self.put(indent, f"def {name}f(t):")
            self.put(indent + 1, f"return {text}")
        self.examples["t"] = self.examples[inner]
        value = self.result(text)
        del self.examples["t"]
        if value is None:
            del self.lines[-1 if "lambda" in self.lines[-1] else -2 :]
            return
        self.examples[name] = value
        self.put(indent, f"{name} = {name}f({inner})")

    def _try(self, indent, is_block):
        self.put(indent, "try:")
        self.block(indent + 1)
        if self.draw(st.booleans()):
            self.put(indent + 1, "raise ValueError('expected')")
        self.put(indent, "except ValueError:")
        self.block(indent + 1)

    def _grown(self, indent, is_block):
        """A list that grows, and what becomes of it."""
        name, other = self.name(), self.pick(self.local())
        self.put(indent, f"{name}l = []")
        self.put(indent, f"for i in range({self.pick([1, 2, 4])}):")
        stops = self.pick(["", "if i == 2:", "if self.count > 3:"])
        if stops:
            self.put(indent + 1, stops)
            self.put(indent + 2, self.pick(["break", "continue"]))
        self.put(indent + 1, f"{name}l.append({other} * (i + {self.number()}))")
        self.examples[name] = reference._own(self.examples[other].array)
        self.put(indent, f"{name} = {self.pick([f'sum({name}l)', f'{name}l[-1]'])} + {other}")

    def _counter(self, indent, is_block):
        """A closure that counts its calls."""
        name, other = self.name(), self.pick(self.local())
        for line in [
            f"{name}n = 0", f"def {name}f(t, step={self.number()}):", f"    nonlocal {name}n",
            f"    {name}n = {name}n + step", f"    return t * {name}n", f"{name}f({other})",
            f"{name} = {name}f({other}, step={self.number()})",
        ]:  # fmt: skip
            self.put(indent, line)
        self.examples[name] = reference._own(self.examples[other].array)

    def _early(self, indent, is_block):
        """A return before the end."""
        if self.draw(st.integers(0, 3)):
            return
        self.traits.add("branch")
        self.put(
            indent,
            f"if {self.pick([self.condition(), 'self.count > 3', 'len(self.factors) > 3'])}:",
        )
        self.put(indent + 1, f"return {self.returned()}")

    def _hook(self, indent, is_block):
        mine = [n for n in self.local() if n not in INPUTS]
        if mine:
            self.traits.add("hook")
            self.put(
                indent, f"{self.pick(mine)}.register_hook(lambda g: g * {self.pick([1, 1, 2])})"
            )

    def returned(self):
        mine = [n for n in self.local() if n not in INPUTS][-4:] or ["x + y"]
        return self.pick([
            ", ".join(mine), f"[{', '.join(mine)}]", mine[-1],
            f"{{{', '.join(f'{n!r}: {n}' for n in mine)}}}" if mine != ["x + y"] else "x * y",
        ])  # fmt: skip


@st.composite
def programs(draw, length=12):
    """A random `Program` of up to `length` statements."""
    writer = _Writer(draw)
    for _ in range(draw(st.integers(3, length))):
        writer.statement(2, False)
    writer.put(2, f"return {writer.returned()}")
    return Program(HEAD + "\n".join(writer.lines) + "\n", writer.traits)
