"""The operations of a recording as nested boxes, one for each Cell call."""

from sporax._src.core.errors import describe
from sporax._src.core.units import shape_text
from sporax.insight.graph_nodes import Node, assign_rows, connect
from sporax.insight.program_graph import fill
from sporax.nn.graph_cell import GraphCell

_MOST_RESULTS = 4  # up to this number, each has a node
_SKIPPED = ("gradient.variable",)  # the same value under another name


class _Builder:
    def __init__(self, recording):
        self.recording = recording
        self.top = Node("group", recording.name)
        self.of_call, self.of_output, self.of_input = {}, [], {}
        self.counts = {}
        self.has_backward = any(one.is_backward for one in recording.operations)

    def build(self):
        inputs = self.recording.listing.inputs
        for k, item in enumerate(inputs):
            if item.kind == "argument":
                node = Node("input", item.name, describe(item.aval))
                self.of_input[k] = self.top.add(node), item.aval
        for one in self.recording.operations:
            if one.avals:
                self.add(one)
        self.add_results()
        for node in self.top.walk():
            assign_rows(node)
        return self.top

    def add_results(self):
        """Add a node for each result, or a shared one if there are many, as for gradients."""
        listing = self.recording.listing
        outputs = listing.outputs[: listing.n_results]
        sources = [self.of_output[i] if i >= 0 else self.of_input.get(~i) for i in outputs]
        sources = [source for source in sources if isinstance(source, tuple)]
        if len(sources) > _MOST_RESULTS:
            shared = self.top.add(Node("output", "results", f"{len(sources)} Tensors"))
        for source in sources:
            if len(sources) <= _MOST_RESULTS:
                shared = self.top.add(Node("output", "result", describe(source[1])))
            connect(source, shared)

    def box(self, call, is_backward):
        """Return the box of a call; each call of a Cell has a separate box."""
        if call.parent is None:
            if not self.has_backward:
                return self.top
            name = "backward" if is_backward else "forward"
            if name not in self.of_call:
                group = Node("group", name, is_backward=is_backward)
                self.of_call[name] = self.top.add(group)
            return self.of_call[name]
        key = call, is_backward
        if key not in self.of_call:
            around = self.box(call.parent, is_backward)
            count = self.counts[call.path, is_backward] = (
                self.counts.get((call.path, is_backward), 0) + 1
            )
            label = f"{call.name} (call {count})" if count > 1 else call.name
            cls = type(call.cell).__name__
            note = "" if cls == label else cls
            self.of_call[key] = around.add(Node("cell", label, note, call.path, None, is_backward))
        return self.of_call[key]

    def source(self, pool, i):
        """Return the source of an operand: (node, aval), the text of a Parameter, or None."""
        if pool == "output":
            return self.of_output[i]
        if pool != "input" or i in self.of_input:
            return self.of_input.get(i)
        item = self.recording.listing.inputs[i]
        if item.kind not in ("parameter", "state"):
            return None
        return _parameter_text(item.name.rpartition(".")[2], item.aval)

    def add_program(self, one, sources):
        """Add the operations of an exported program in a box; returns the sources of its
        results."""
        box = self.box(one.call, one.is_backward)
        if one.call.parent is None or not isinstance(one.call.cell, GraphCell):
            box = box.add(Node("group", one.name, "exported", one.call.path, one.line))
        names, n = one.program.array_names, len(sources) - len(one.program.array_names)
        avals = one.program.program.in_avals
        arrays = [_parameter_text(name, aval) for name, aval in zip(names, avals[n:], strict=True)]
        made = fill(box, one.program.program, [*sources[:n], *arrays])
        return [
            (source[0], aval) if isinstance(source, tuple) else source
            for source, aval in zip(made, one.avals, strict=True)
        ]

    def add(self, one):
        """Add an operation, with edges from its operands."""
        operands = [self.source(pool, i) for pool, i in one.operands]
        if one.program is not None:
            self.of_output += self.add_program(one, operands)
            return
        sources = [source for source in operands if isinstance(source, tuple)]
        parameters = [source for source in operands if isinstance(source, str)]
        if one.name in _SKIPPED:
            self.of_output.append(next(iter((*sources, *parameters)), None))
            return
        node = Node(
            "operation", one.name, ", ".join(parameters), one.call.path, one.line, one.is_backward
        )
        self.box(one.call, one.is_backward).add(node)
        for source in sources:
            connect(source, node)
        self.of_output += [(node, aval) for aval in one.avals]


def _parameter_text(name, aval):
    """Return a node's text for a Parameter or another stored array."""
    return f"{name} {shape_text(aval)}".removesuffix(" ()")


def build(recording):
    """Return the outermost box of a recording."""
    return _Builder(recording).build()
