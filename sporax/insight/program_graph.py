"""The operations of an exported program (StableHLO) as nodes and boxes of a graph."""

import re
from typing import NamedTuple

from sporax._src.core.jax_internals import module_text, parsed_module
from sporax.insight.graph_nodes import Node, connect

_NO_NODES = {
    "broadcast_in_dim",
    "optimization_barrier",
    "reduce_precision",
}  # two kinds of barriers
# also skipped if they only change the form of a Parameter or constant
_FORMS = {"reshape", "convert", "transpose", *_NO_NODES}
_CONTROL = {"while", "case", "if"}  # their regions are drawn


class _Result(NamedTuple):
    """An array's shape and dtype in a program."""

    shape: tuple
    dtype: str


def fill(box, program, operands):
    """Add a program's operations to a box; returns the sources of its results.

    A source is (node, shape and dtype), the text of a Parameter, or None for a constant.
    `operands`: the sources of the inputs. `program`: from `jax.export`.
    """
    module, _ = parsed_module(module_text(bytes(program.mlir_module_serialized)))
    functions = {
        _text(one, "sym_name"): one.operation.regions[0].blocks[0]
        for one in module.operation.regions[0].blocks[0]
    }
    kept = [operands[i] for i in program.module_kept_var_idx]
    return _Program(functions).run(box, functions["main"], kept)


class _Program:
    def __init__(self, functions):
        self.functions = functions
        self.sources = {}

    def run(self, box, block, operands):
        """Add a block's operations; returns the sources of its results."""
        self.sources.update(zip(block.arguments, operands, strict=False))
        for one in block:
            operation = one.operation
            if operation.name.endswith("return"):
                return [self.sources.get(value) for value in operation.operands]
            made = self.add(box, operation, operation.name.rpartition(".")[2])
            self.sources.update(zip(operation.results, made, strict=True))
        return []

    def add(self, box, operation, name):
        """Add an operation; returns the sources of its results."""
        used = [self.sources.get(value) for value in operation.operands]
        is_computed = any(isinstance(source, tuple) for source in used)
        if name in ("constant", *_NO_NODES) or (name in _FORMS and not is_computed):
            return [next(iter(used), None)] * len(operation.results)
        blocks = [b for region in operation.regions for b in region.blocks]
        if name == "call":
            name, blocks = _text(operation, "callee"), [self.functions[_text(operation, "callee")]]
        elif name not in _CONTROL:
            blocks = []
        if sum(map(_is_node, blocks[0] if blocks else ())) > 1 or len(blocks) > 1:
            inner = box.add(Node("group", name))
            results = [self.run(inner, block, used) for block in blocks]
            if operation.name == "func.call":
                return results[0]
            node = inner
        else:
            texts = [source for source in used if isinstance(source, str)]
            node = box.add(Node("operation", name, ", ".join(texts)))
            for source in used:
                if isinstance(source, tuple):
                    connect(source, node)
        return [(node, _result(value)) for value in operation.results]


def _is_node(one):
    name = one.operation.name.rpartition(".")[2]
    return name not in _FORMS and name not in ("constant", "return")


def _text(one, name):
    return str(one.operation.attributes[name]).strip('"@')


def _result(value):
    """Return the shape and dtype of a value, from its type such as 'tensor<2x?xf32>'."""
    ((sizes, dtype),) = re.findall(r"^tensor<((?:[\d?]+x)*)(.*)>$", str(value.type))
    return _Result(tuple(n if n == "?" else int(n) for n in sizes.split("x")[:-1]), dtype)
