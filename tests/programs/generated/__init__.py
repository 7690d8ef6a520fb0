"""Scripts as users write them, generated from a seed: each has the checks of one area, functions
without arguments that return what a script would print. They are run with MindSpore 2.10 by
`tools.record generated`, with sporax by `tests/programs/test_generated.py`.

An area is a module of this package with `checks(draw)`, which yields (label, source): the source's
last line is an expression. A label says what is called with what; it is unique in its area.
"""

import importlib
import random
import textwrap
import zlib

AREAS = [
    "tensors", "methods", "indexing", "promotion", "functions", "primitives", "mints", "numpys",
    "layers", "losses", "optimizers", "metrics", "datasets", "precision", "hooks", "derivatives",
    "captured", "cells", "errors",
]  # fmt: skip
HEAD = """\
import copy
import os
import tempfile
from collections import OrderedDict

import numpy as np

import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.transforms as transforms
import mindspore.dataset.vision as vision
import mindspore.numpy as mnp
from mindspore import Model, Parameter, ParameterTuple, Tensor, amp, jit, mint, nn, ops
from mindspore.common.initializer import initializer
"""


class Draw(random.Random):
    """Draws values that the author of a script would type."""

    def numbers(self, dtype, shape, low=-3.0, high=3.0):
        """Return nested lists of random numbers."""
        if shape:
            return [self.numbers(dtype, shape[1:], low, high) for _ in range(shape[0])]
        if dtype == "bool":
            return self.random() < 0.5
        if dtype.startswith("uint"):
            return self.randint(0, 6)
        if dtype.startswith("int"):
            return self.randint(int(low) - 1, int(high) + 1)
        real = round(self.uniform(low, high), 2)
        return complex(real, round(self.uniform(low, high), 2)) if "complex" in dtype else real

    def tensor(self, dtype, shape, low=-3.0, high=3.0):
        """Return the source of a Tensor."""
        written = self.numbers(dtype, shape, low, high)
        if dtype == "bfloat16":
            return f"Tensor({written}, ms.bfloat16)"
        kind = "bool_" if dtype == "bool" else dtype
        return f"Tensor(np.array({written}, np.{kind}))"

    def some(self, items, count):
        """Return `count` random items, in their order."""
        items = list(items)
        kept = set(self.sample(range(len(items)), min(count, len(items))))
        return [item for at, item in enumerate(items) if at in kept]


def lines(text):
    """Return the rows of a table: its lines, except blank ones and comments."""
    stripped = (line.strip() for line in text.splitlines())
    return [line for line in stripped if line and not line.startswith("# ")]


def expressions(draw, table, kinds, count, name="x", **ranges):
    """Yield (label, source) of each line of `table`, with `count` of the kinds, (dtype, shape), of
    Tensor `x`."""
    for row in lines(table):
        for dtype, shape in draw.some(kinds, count):
            built = draw.tensor(dtype, shape, **ranges)
            yield f"{row} of {dtype} {shape}", f"{name} = {built}\n{row}"


def titled(text):
    """Yield (title, source) of snippets, each of which begins with a line `# title`."""
    for part in textwrap.dedent(text).strip().split("\n# "):
        title, _, source = part.removeprefix("# ").partition("\n")
        yield title, source.strip("\n")


def filled(text, **values):
    """Return a snippet with its <names> replaced."""
    for name, value in values.items():
        text = text.replace(f"<{name}>", str(value))
    return text


def of_area(area):
    """Return {label: source} of an area."""
    draw = Draw(zlib.crc32(area.encode()))
    result = {}
    for label, source in importlib.import_module(f"tests.programs.generated.{area}").checks(draw):
        assert label not in result or result[label] == source, f"{area}: {label} occurs twice"
        result[label] = source
    return result


def script(sources):
    """Return the text of a script: a function for each source, in order."""
    text = [HEAD]
    for number, source in enumerate(sources):
        *rows, last = source.split("\n")
        body = "\n".join([*rows, f"return {last}"])
        text.append(f"\n\ndef check_{number}():\n{textwrap.indent(body, '    ')}\n")
    return "".join(text)


def check(source):
    """Return a checksum of a source; a record with another checksum is invalid."""
    return f"{zlib.crc32(source.encode()):08x}"
