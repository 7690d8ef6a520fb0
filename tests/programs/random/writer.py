"""Generates the text of a random Cell; hypothesis shrinks a failing one to a few lines.

The shape of every variable is known during generation: an expression is computed by `reference` on
examples. In blocks (branches, loops, functions) a variable is only assigned values of its shape.
"""

import numpy as np
from hypothesis import strategies as st

import sporax
from tests.programs.random import declared, reference
from tests.programs.random import vocabulary as words
from tests.programs.random.reference import OPS
from tests.programs.random.vocabulary import INPUTS, values
from tests.programs.random.ways import IN_NUMPY, variables
from tests.storage.view_programs import repeats

LARGEST = 72  # elements of a variable
WIDEST = 100  # absolute value of an element
STATEMENTS = (
    ["compute"] * 6 + ["declared"] * 2 + ["view"] * 2 + ["write"] * 3
    + ["state", "tensor_state", "reuse", "custom", "transformed", "random", "fail"]
)  # fmt: skip
COMPOUND = [
    "branch", "loop", "nested", "attempt", "while", "hook", "grown", "counter", "early", "thread",
    "mask", "choice", "deep",
]  # fmt: skip


class Program:
    """A random Cell with a varying `body`.

    `traits`: its features besides computing: 'state' (it writes Parameters or attributes), 'branch'
    (values decide what is computed), 'kink' (no second derivative), 'random', 'error', 'thread',
    'custom' (custom derivatives), 'no slope' (finite differences are not its derivative). `number`:
    chooses a way to run it.
    """

    def __init__(self, body, traits, number=0):
        self.body, self.traits, self.number = body, traits, number
        self.source = words.START + body

    def __repr__(self):
        return f"\n{self.body}traits: {sorted(self.traits)}, {self.number}\n"


class _Writer:
    def __init__(self, draw):
        self.draw, self.lines, self.traits = draw, [], set()
        self.space = {**IN_NUMPY, **variables(), "GIVEN": declared.GIVEN, "function": OPS.sin}
        self.space["self"] = net = self.space["Base"]()
        self.examples = {
            "x": reference._own(values("x", INPUTS["x"])),
            "y": reference._own(values("y", INPUTS["y"])),
        }
        self.examples |= {"self.w0": net.w0, "self.w1": net.w1, "self.kept": net.kept}
        self.masks = {}  # variables that are True or False -> the shape
        self.count = 0

    # drawing ----------------------------------------------------------------------------------

    def pick(self, items):
        return self.draw(st.sampled_from(list(items)))

    def number(self):
        return self.pick(["2", "0.5", "-1", "1.25", "3", "-0.75"])

    def filled(self, template, a=None):
        """Return the template with its fields replaced by names and numbers."""
        fields = {"a": a or self.pick(self.examples)}
        shape = self.examples[fields["a"]].shape
        alike = [n for n, e in self.examples.items() if e.shape == shape]
        others = [n for n in alike if n != fields["a"]]
        draws = {
            "b": lambda: self.pick(alike if self.draw(st.booleans()) else self.examples),
            "c": lambda: self.pick(alike),
            "d": lambda: self.pick(others) if others else self.number(),
            "axis": lambda: self.pick(range(-len(shape), len(shape))) if shape else 0,
            "f": self.number,
            "k": lambda: self.pick([0, 1, -1]),
            "index": lambda: self.pick(words.INDICES),
            "s": lambda: self.pick([self.number(), "x[0, 0]", "ops.tanh(y[0])"]),
            "mask": lambda: self.mask(fields["a"], shape),
        }
        for name, drawn in draws.items():
            if f"{{{name}}}" in template:
                fields[name] = drawn()
        return template.format(**fields)

    def mask(self, name, shape):
        names = [n for n, s in self.masks.items() if s == shape]
        return self.pick([f"{name} > {self.number()}", *names])

    def result(self, text):
        """Evaluate an expression on the examples; return None unless it is a Tensor of suitable
        size."""
        try:
            with np.errstate(all="raise", under="ignore"):
                value = eval(text, {**self.space, **self.local()})
        except (
            ValueError, IndexError, TypeError, reference.Uncertain, AttributeError, KeyError,
            FloatingPointError, np.linalg.LinAlgError,
        ):  # fmt: skip
            return None
        fits = isinstance(value, reference.Array) and value.array.size <= LARGEST
        fits = fits and value.array.dtype == np.float64 and value.ndim <= 4 and value.array.size
        return value if fits and np.all(np.abs(value.array) < WIDEST) else None

    def local(self):
        return {n: e for n, e in self.examples.items() if "." not in n} | {
            name: reference.Array(np.zeros(shape, bool)) for name, shape in self.masks.items()
        }

    def tensors(self):
        """Return the names of the program's own variables."""
        return [n for n in self.examples if "." not in n]

    def own(self):
        return [n for n in self.tensors() if n not in INPUTS]

    def name(self):
        self.count += 1
        return f"v{self.count}"

    # statements -------------------------------------------------------------------------------

    def statement(self, indent):
        """Add a statement; a simple one inside two nested blocks."""
        compound = COMPOUND if indent == 2 else ["branch", "loop", "attempt"] if indent == 3 else []
        getattr(self, f"_{self.pick(STATEMENTS + compound)}")(indent)

    def put(self, indent, line):
        self.lines.append("    " * indent + line)

    def define(self, indent, text, *traits):
        """Assign an expression to a new variable, if suitable; return its name."""
        value = self.result(text)
        if value is None:
            return None
        name = self.name()
        self.examples[name] = value
        self.put(indent, f"{name} = {text}")
        self.traits.update(traits)
        return name

    def expression(self):
        kind = self.draw(st.integers(0, 9))
        template = self.pick(
            words.KINKED if kind == 1 else words.CONTAINERS if kind > 7 else words.SMOOTH
        )
        if template in words.KINKED or "{mask}" in template:
            self.traits.add("kink")
        return self.filled(template)

    def _compute(self, indent):
        self.define(indent, self.expression())

    def _declared(self, indent):
        """Add a declared operation; if it has several results, use one."""
        names = [self.pick(self.examples) for _ in range(2)]
        number = self.draw(st.integers(0, len(declared.SAMPLES) - 1))
        text = declared.text(number, names, self.draw(st.booleans()))
        if self.define(indent, text, "kink") is None:
            self.define(indent, f"{text}[{self.pick([0, 1])}]", "kink")

    def _view(self, indent):
        self.define(indent, self.filled(self.pick(words.VIEWS)))

    def _custom(self, indent):
        self.define(indent, self.filled(self.pick(words.CUSTOM)), "custom")

    def _transformed(self, indent):
        self.define(indent, self.filled(self.pick(words.TRANSFORMED)), "kink")

    def _random(self, indent):
        self.define(indent, self.filled(self.pick(words.RANDOM)), "random", "kink")

    def _choice(self, indent):
        self.define(indent, self.filled(self.pick(words.CONDITIONS)), "branch")

    def _mask(self, indent):
        """Add a variable that holds a comparison."""
        name = self.pick(self.examples)
        text = f"{name} > {self.number()}"
        value = self.masked(text)
        if value is None:
            return
        mask = self.name()
        self.put(indent, f"{mask} = {self.pick([text, f'({text}) == ({name} < 1)'])}")
        self.masks[mask] = value.shape

    def masked(self, text):
        try:
            return eval(text, {**self.space, **self.local()})
        except reference.Uncertain:
            return None

    def _write(self, indent):
        name = self.pick(self.tensors())
        text = self.filled(self.pick(words.WRITES), name)
        if self._runs(text, name):
            self.put(indent, text)

    def _runs(self, text, name):
        if repeats(self.examples[name].array):
            return False
        copies = {n: reference.Array(e.array.copy()) for n, e in self.local().items()}
        try:
            exec(text, {**self.space, **copies})
        except (ValueError, IndexError, TypeError, reference.Uncertain):
            return False
        return True

    def _state(self, indent):
        self.traits.update({"state", "python state"})
        self.put(indent, self.filled(self.pick(words.STATE), "y"))

    def _tensor_state(self, indent):
        self.traits.update({"state", "no slope"})
        self.put(indent, self.filled(self.pick(words.TENSOR_STATE), "y"))

    def _reuse(self, indent):
        """Reassign a variable, with the same shape."""
        if not self.own():
            return
        name, text = self.pick(self.own()), self.expression()
        value = self.result(text)
        if value is not None and value.shape == self.examples[name].shape:
            self.examples[name] = value
            self.put(indent, f"{name} = {text}")

    def block(self, indent, least=1):
        """Add statements; their definitions go out of scope afterwards."""
        before, masks, start = dict(self.examples), dict(self.masks), len(self.lines)
        for _ in range(self.draw(st.integers(least, 3))):
            self.statement(indent)
        if len(self.lines) == start:
            self.put(indent, "pass")
        self.examples, self.masks = before, masks

    def condition(self):
        name = self.pick(self.examples)
        return f"ops.mean({name}) > {self.pick(['0', '0.25', '-0.5'])}"

    def _branch(self, indent):
        self.traits.add("branch")
        condition = self.condition()
        self.put(indent, f"if {condition}:")
        self.block(indent + 1)
        if self.draw(st.booleans()):
            self.put(indent, self.pick(["else:", f"elif {self.condition()}:"]))
            self.block(indent + 1)

    def _loop(self, indent):
        self.put(indent, self.pick(words.LOOPS))
        self.block(indent + 1)
        if not self.draw(st.integers(0, 3)):
            self.traits.add("branch")
            self.put(indent + 1, f"if {self.condition()}:")
            self.put(indent + 2, self.pick(["break", "continue"]))
            if self.draw(st.booleans()):
                self.put(indent, "else:")
                self.block(indent + 1)

    def _while(self, indent):
        self.traits.add("branch")
        name = self.name()
        self.put(indent, f"{name} = ops.mean(ops.abs(x)) + 0.5")
        forever = self.draw(st.booleans())
        self.put(indent, "while True:" if forever else f"while {name} < 4:")
        self.block(indent + 1, 0)
        self.put(indent + 1, f"{name} = {name} * 2")
        if forever:
            self.put(indent + 1, f"if {name} > 4:")
            self.put(indent + 2, "break")

    def _nested(self, indent):
        name, inner = self.name(), self.pick(self.tensors())
        text = self.filled(self.pick(words.NESTED))
        self.examples["t"] = self.examples[inner]
        value = self.result(text)
        del self.examples["t"]
        if value is None:
            return
        if self.draw(st.booleans()):
            self.put(indent, f"{name}f = lambda t: {text}")
        else:
            self.put(indent, f"def {name}f(t):")
            self.put(indent + 1, f"return {text}")
        self.examples[name] = value
        self.put(indent, f"{name} = {name}f({inner})")

    def _deep(self, indent):
        """Add nested containers that are modified."""
        name, one, two = self.name(), self.pick(self.tensors()), self.pick(self.tensors())
        self.put(indent, f"{name}d = {{'list': [{one}, ({two}, 2)], 'count': 1}}")
        for line in self.pick([
            [f"{name}d['list'].append({one} * {self.number()})", f"{name} = {name}d['list'][-1]"],
            [f"{name}d['list'][0] = {name}d['list'][0] * {self.number()}",
             f"{name} = {name}d['list'][0]"],
            [f"{name}d.setdefault('more', []).insert(0, {one} + 1)",
             f"{name} = {name}d['more'][0]"],
            [f"first, *rest = {name}d['list']", f"{name} = first * rest[0][1] + {name}d['count']"],
            [f"{name}d['count'] += 2", f"{name} = {one} * {name}d['count']"],
        ]):  # fmt: skip
            self.put(indent, line)
        self.examples[name] = reference.Array(self.examples[one].array.copy())

    def _attempt(self, indent):
        """Add a `try` block that may fail, with its handlers."""
        self.put(indent, "try:")
        self.block(indent + 1)
        if self.draw(st.booleans()):
            self.put(indent + 1, self.pick(words.FAILURES))
        self.put(indent, f"except {self.pick(words.HANDLERS)}:")
        self.block(indent + 1)
        for part in self.pick([[], ["finally:"], ["else:"], ["else:", "finally:"]]):
            self.put(indent, part)
            self.block(indent + 1)

    def _fail(self, indent):
        """Add an error that leaves the Cell."""
        if self.draw(st.integers(0, 3)):
            return
        self.traits.update({"error", "branch"})
        what = self.pick(
            [self.condition(), "self.count > 3", "self.scale < 0", "len(self.factors) > 3"]
        )
        if self.draw(st.booleans()):
            self.put(indent, f"if {what}:")
            self.put(indent + 1, 'raise ValueError(f"planned {self.count}, {x.shape}")')
        else:
            self.put(indent, f'assert not ({what}), f"planned {{self.scale}}"')

    def _grown(self, indent):
        """Add a list that grows, and a use of it."""
        name, other = self.name(), self.pick(self.tensors())
        self.put(indent, f"{name}l = []")
        self.put(indent, f"for i in range({self.pick([1, 2, 4])}):")
        stops = self.pick(["", "if i == 2:", "if self.count > 3:"])
        if stops:
            self.put(indent + 1, stops)
            self.put(indent + 2, self.pick(["break", "continue"]))
        self.put(indent + 1, f"{name}l.append({other} * (i + {self.number()}))")
        self.examples[name] = reference.Array(self.examples[other].array.copy())
        last = f"{name}l[-1]" if "count" not in stops else f"sum({name}l[1:])"
        self.put(indent, f"{name} = {self.pick([f'sum({name}l)', last])} + {other}")

    def _counter(self, indent):
        """Add a closure that counts its calls."""
        name, other = self.name(), self.pick(self.tensors())
        for line in [
            f"{name}n = 0", f"def {name}f(t, step={self.number()}):", f"    nonlocal {name}n",
            f"    {name}n = {name}n + step", f"    return t * {name}n", f"{name}f({other})",
            f"{name} = {name}f({other}, step={self.number()})",
        ]:  # fmt: skip
            self.put(indent, line)
        self.examples[name] = reference.Array(self.examples[other].array.copy())

    def _thread(self, indent):
        """Add a thread that computes a variable."""
        text = self.filled(self.pick(["ops.tanh({a}) * {f}", "{a} * {c}"]))
        value = self.result(text)
        if value is None:
            return
        self.traits.add("thread")
        name = self.name()
        for line in [
            f"{name}b = []", f"{name}t = threading.Thread(target=lambda: {name}b.append({text}))",
            f"{name}t.start()", f"{name}t.join()", f"{name} = {name}b[0]",
        ]:  # fmt: skip
            self.put(indent, line)
        self.examples[name] = value

    def _early(self, indent):
        """Add an early return."""
        if self.draw(st.integers(0, 3)):
            return
        self.traits.add("branch")
        what = self.pick([self.condition(), "self.count > 3", "len(self.factors) > 3"])
        self.put(indent, f"if {what}:")
        self.put(indent + 1, f"return {self.returned()}")

    def _hook(self, indent):
        name = self.define(indent, self.expression(), "custom")
        if name is not None and self.examples[name].array.base is None:
            hook = self.pick(["g * 2", "g * 1", "ops.tanh(g * 0) + g * 3"])
            self.put(indent, f"{name}.register_hook(lambda g: {hook})")

    def returned(self):
        mine = self.own()[-4:] or ["x + y"]
        return self.pick([
            ", ".join(mine), f"[{', '.join(mine)}]", mine[-1],
            f"{{{', '.join(f'{n!r}: {n}' for n in mine)}}}" if mine != ["x + y"] else "x * y",
            f"Point({mine[0]}, ({mine[-1]},))", f"Box([{mine[-1]}]).content",
        ])  # fmt: skip


@st.composite
def programs(draw, length=12):
    """Draw a random `Program` of up to `length` statements."""
    number = draw(st.integers(0, 59))
    sporax.manual_seed(number)  # what is drawn next may depend on random numbers of the examples
    writer = _Writer(draw)
    for _ in range(draw(st.integers(3, length))):
        writer.statement(2)
    writer.put(2, f"return {writer.returned()}")
    return Program("\n".join(writer.lines) + "\n", writer.traits, number)
