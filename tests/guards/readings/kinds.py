"""`KINDS`: kinds of state, with ways to read and to change it, from the `.rows` beside this file.

A row is a name, source that makes the state, and sections: `-- read`, an expression that gives a
number in each line; `-- change`, source that changes the state between two calls (one section for
each way); `-- undo`, source that restores what the process shares; `-- moves`, for state that
changes by itself, as clocks do; `-- with`, the shared row, in parentheses, that comes before it.
"""

import itertools
from pathlib import Path
from typing import NamedTuple

import numpy as np

FOLDER = Path(__file__).parent


class Kind(NamedTuple):
    """A kind of state; see above. `chapter`: the file that it is from."""

    chapter: str
    name: str
    setup: str
    reads: tuple[str, ...]
    changes: tuple[str, ...]
    undo: str = ""
    moves: bool = False


def rows(name):
    """Return {name: [(section, its text)]} of a file of rows; the first section is "setup"."""
    found = {}
    for text in FOLDER.joinpath(f"{name}.rows").read_text("utf8").split("\n== "):
        title, *lines = text.removeprefix("== ").rstrip().split("\n")
        sections = [["setup", []]]
        for line in lines:
            if line.startswith("-- "):
                sections.append([line.removeprefix("-- "), []])
            else:
                sections[-1][1].append(line)
        assert title not in found, title
        found[title] = [(section, "\n".join(text)) for section, text in sections]
    return found


def _kind(chapter, name, sections, shared):
    texts = {key: [text for section, text in sections if section == key] for key, _ in sections}
    setup, undo = texts["setup"], texts.get("undo", [])
    for section in texts:
        if section.startswith("with "):
            for key, text in shared[f"({section.removeprefix('with ')})"]:
                (setup.insert(0, text) if key == "setup" else undo.append(text))
    return Kind(
        chapter, name, "\n".join(setup), tuple(texts["read"][0].split("\n")),
        tuple(texts["change"]), "\n".join(undo), "moves" in texts,
    )  # fmt: skip


def _chapter(chapter):
    table = rows(chapter)
    return [_kind(chapter, n, s, table) for n, s in table.items() if not n.startswith("(")]


# special methods: (name, the arguments after `self`, an expression that calls it of `a`)
_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
}  # fmt: skip
_METHODS = [
    ("bool", "", "(2.0 if a else 3.0)"), ("len", "", "float(len(a))"), ("int", "", "float(int(a))"),
    ("length_hint", "", "float(operator.length_hint(a))"), ("float", "", "float(a)"),
    ("complex", "", "complex(a).real"), ("index", "", "float(range(9)[a])"),
    ("round", ", n=None", "float(round(a))"), ("trunc", "", "float(math.trunc(a))"),
    ("floor", "", "float(math.floor(a))"), ("ceil", "", "float(math.ceil(a))"),
    ("abs", "", "float(abs(a))"), ("neg", "", "float(-a)"), ("pos", "", "float(+a)"),
    ("invert", "", "float(~a)"), ("hash", "", "float(hash(a))"), ("eq", ", b", "float(a == 1)"),
    ("ne", ", b", "float(a != 1)"), ("lt", ", b", "float(a < 1)"), ("le", ", b", "float(a <= 1)"),
    ("gt", ", b", "float(a > 1)"), ("ge", ", b", "float(a >= 1)"),
    ("divmod", ", b", "float(divmod(a, 1))"), ("rdivmod", ", b", "float(divmod(1, a))"),
    ("getitem", ", key", "float(a[0])"), ("contains", ", item", "float(1 in a) + 1"),
    ("call", "", "float(a())"), ("getattr", ", name", "float(a.missing)"),
    *[(name, ", b", f"float(a {sign} 1)") for name, sign in _OPERATORS.items()],
    *[(f"r{name}", ", b", f"float(1 {sign} a)") for name, sign in _OPERATORS.items()],
]  # fmt: skip
# what a method returns before and after the change; others 2 and 3
_VALUES = {
    "bool": (True, False), "contains": (True, False), "float": (2.0, 3.0),
    "complex": (2j + 2, 3j + 3),
}  # fmt: skip


def _special_methods():
    for name, arguments, call in _METHODS:
        before, after = _VALUES.get(name, (2, 3))
        setup = (
            f"K = {before}\nclass A:\n    def __{name}__(self{arguments}):\n        return K\n"
            "a = A()"
        )
        changes = f"K = {after}", f"A.__{name}__ = lambda self, *args: {after}"
        yield Kind("special methods", f"__{name}__", setup, (call,), changes)


def nested(holders, leaf, containers, leaves):
    """A leaf in containers, the outermost first: kinds of these names."""
    source, change = dict(leaves[leaf])["setup"], dict(leaves[leaf])["change"]
    setup, changes = [source, "p0, q0 = p, q"], [change]
    made = [dict(containers[name]) for name in reversed(holders)]  # the innermost first
    for level, row in enumerate(made, 1):
        for c, p, q in ("ppq", "qqp"):
            part = f"{p}{level - 1}", f"{q}{level - 1}"
            words = {"c": f"{c}{level}", "n": f"_{c}{level}", "p": part[0], "q": part[1]}
            setup.append(row["setup"].format(**words))
        if level == len(made) or not row["change"].startswith("{c} = "):
            part = f"p{level - 1}", f"q{level - 1}"
            words = {"c": f"p{level}", "n": f"_p{level}", "p": part[0], "q": part[1]}
            changes.append(row["change"].format(**words))
    read = f"p{len(made)}"
    for level in range(len(made), 0, -1):
        read = made[level - 1]["read"].format(c=read, n=f"_p{level}")
    read = dict(leaves[leaf])["read"].format(read)
    changes = tuple(c for c in changes if c != "pass")
    name = " in ".join([leaf, *reversed(holders)])
    return Kind("containers", name, "\n".join(setup), (read,), changes)


def _containers():
    containers, leaves = rows("containers"), rows("leaves")
    names, ends, rng = [*containers], itertools.cycle(leaves), np.random.default_rng(0)
    for name in names:
        for leaf in itertools.islice(ends, 3):
            yield nested([name], leaf, containers, leaves)
    for depth in [2] * 60 + [3] * 60 + [4] * 30:
        holders = [names[i] for i in rng.integers(len(names), size=depth)]
        yield nested(holders, [*leaves][rng.integers(len(leaves))], containers, leaves)


CHAPTERS = {
    "special methods": [*_special_methods()],
    "data model": _chapter("data_model"),
    "containers": [*{kind.name: kind for kind in _containers()}.values()],
    "process": _chapter("process"),
    "libraries": _chapter("libraries"),
    "sporax": _chapter("own"),
}
KINDS = [kind for kinds in CHAPTERS.values() for kind in kinds]
