"""The operations of a recording as nested boxes, one for each Cell call, with edges between parts
of the same box."""

from sporax.core.errors import describe
from sporax.core.units import shape_text
from sporax.nn.graph_cell import GraphCell

_MOST_RESULTS = 4  # up to this number, each has a part
_SKIPPED = ("gradient.variable",)  # the same value under another name


class Part:
    """A box (a Cell call), an operation, an input or an output of the graph.

    `kind`: 'cell', 'operation', 'input', 'output', 'group'. `label`, `note` (class or Parameters),
    `path`, `line` (file, line). For a box: `parts` in execution order, `edges`: {(i, j): [shapes]}
    from part i to part j, `entries` and `exits`: {i: [shapes]} of the parts connected to the
    outside, `ranks`: the row of each part.
    """

    def __init__(self, kind, label, note="", path="", line=None, is_backward=False):
        self.kind, self.label, self.note, self.path, self.line = kind, label, note, path, line
        self.is_backward = is_backward
        self.parent, self.place = None, 0
        self.parts, self.edges, self.entries, self.exits, self.ranks = [], {}, {}, {}, []

    @property
    def is_box(self):
        """True if the part is a box, which has parts."""
        return self.kind in ("cell", "group")

    def add(self, part):
        """Append a part; returns it."""
        part.parent, part.place = self, len(self.parts)
        self.parts.append(part)
        return part

    @property
    def chain(self):
        """The enclosing boxes, outermost first, and the part itself."""
        return [*(self.parent.chain if self.parent is not None else []), self]

    def rows(self):
        """Return the parts in rows, each below all parts that it depends on."""
        rows = {}
        for part, rank in zip(self.parts, self.ranks, strict=True):
            rows.setdefault(rank, []).append(part)
        return [rows[rank] for rank in sorted(rows)]

    def lanes(self):
        """Return ({way: lane}, number of lanes) for the ways that skip rows, along the side of the
        box. A way is an edge (i, j), (None, j) from the outside, or (i, None) to the outside."""
        end = max(self.ranks, default=-1) + 1
        ways = [(self.ranks[i], self.ranks[j], (i, j)) for i, j in self.edges]
        ways += [(-1, self.ranks[j], (None, j)) for j in self.entries]
        ways += [(self.ranks[i], end, (i, None)) for i in self.exits]
        skipping = [way for way in ways if way[1] - way[0] != 1]
        ends, lanes = [], {}
        for first, last, way in sorted(skipping, key=lambda way: (way[0], -way[1])):
            free = next((k for k, until in enumerate(ends) if until <= first), len(ends))
            ends[free : free + 1] = [last]
            lanes[way] = free
        return lanes, len(ends)

    def walk(self):
        """Yield the part itself and all nested parts."""
        yield self
        for part in self.parts:
            yield from part.walk()


class _Builder:
    def __init__(self, recording):
        self.recording = recording
        self.top = Part("group", recording.name)
        self.of_call, self.of_output, self.of_input = {}, [], {}
        self.counts = {}
        self.has_backward = any(one.is_backward for one in recording.operations)

    def build(self):
        inputs = self.recording.listing.inputs
        for k, item in enumerate(inputs):
            if item.kind == "argument":
                part = Part("input", item.name, describe(item.aval))
                self.of_input[k] = self.top.add(part), item.aval
        for one in self.recording.operations:
            if one.avals:
                self.add(one)
        self.add_results()
        for part in self.top.walk():
            _rank(part)
        return self.top

    def add_results(self):
        """Add a part for each result, or a shared one if there are many, as for gradients."""
        listing = self.recording.listing
        places = listing.outputs[: listing.n_results]
        sources = [self.of_output[i] if i >= 0 else self.of_input.get(~i) for i in places]
        sources = [source for source in sources if isinstance(source, tuple)]
        if len(sources) > _MOST_RESULTS:
            shared = self.top.add(Part("output", "results", f"{len(sources)} Tensors"))
        for source in sources:
            if len(sources) <= _MOST_RESULTS:
                shared = self.top.add(Part("output", "result", describe(source[1])))
            connect(source, shared)

    def box(self, call, is_backward):
        """Return the box of a call; each call of a Cell has a separate box."""
        if call.parent is None:
            if not self.has_backward:
                return self.top
            name = "backward" if is_backward else "forward"
            if name not in self.of_call:
                group = Part("group", name, is_backward=is_backward)
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
            self.of_call[key] = around.add(Part("cell", label, note, call.path, None, is_backward))
        return self.of_call[key]

    def source(self, pool, i):
        """Return the source of an operand: (part, aval), the text of a Parameter, or None."""
        if pool == "output":
            return self.of_output[i]
        if pool != "input" or i in self.of_input:
            return self.of_input.get(i)
        item = self.recording.listing.inputs[i]
        if item.kind not in ("parameter", "state"):
            return None
        return _held(item.name.rpartition(".")[2], item.aval)

    def add_program(self, one, found):
        """Add the operations of an exported program in a box; returns the sources of its
        results."""
        from sporax.insight.program_graph import fill  # circular import

        box = self.box(one.call, one.is_backward)
        if one.call.parent is None or not isinstance(one.call.cell, GraphCell):
            box = box.add(Part("group", one.name, "exported", one.call.path, one.line))
        names, n = one.program.array_names, len(found) - len(one.program.array_names)
        avals = one.program.program.in_avals
        held = [_held(name, aval) for name, aval in zip(names, avals[n:], strict=True)]
        made = fill(box, one.program.program, [*found[:n], *held])
        return [
            (source[0], aval) if isinstance(source, tuple) else source
            for source, aval in zip(made, one.avals, strict=True)
        ]

    def add(self, one):
        """Add an operation, with edges from its operands."""
        found = [self.source(pool, i) for pool, i in one.operands]
        if one.program is not None:
            self.of_output += self.add_program(one, found)
            return
        sources = [source for source in found if isinstance(source, tuple)]
        parameters = [source for source in found if isinstance(source, str)]
        if one.name in _SKIPPED:
            self.of_output.append(next(iter((*sources, *parameters)), None))
            return
        part = Part(
            "operation", one.name, ", ".join(parameters), one.call.path, one.line, one.is_backward
        )
        self.box(one.call, one.is_backward).add(part)
        for source in sources:
            connect(source, part)
        self.of_output += [(part, aval) for aval in one.avals]


def _held(name, aval):
    """Return a node's text for a Parameter or another stored array."""
    return f"{name} {shape_text(aval)}".removesuffix(" ()")


def connect(source, target):
    """Add an edge in the innermost common box, and in each box that it leaves or enters. An edge
    from the forward to the backward pass is added in the common box only."""
    start, shape = source[0], shape_text(source[1])
    before, after = start.chain, target.chain
    n = next(k for k, (a, b) in enumerate(zip(before, after, strict=False)) if a is not b)
    _note(before[n - 1].edges, (before[n].place, after[n].place), shape)
    if target.is_backward and not start.is_backward:
        return
    for box, inside in zip(before[n:], before[n + 1 :], strict=False):
        _note(box.exits, inside.place, shape)
    for box, inside in zip(after[n:], after[n + 1 :], strict=False):
        _note(box.entries, inside.place, shape)


def label_of(shapes):
    """Return the label of an edge: the first shape and the number of others."""
    return shapes[0] + (f", +{len(shapes) - 1}" if len(shapes) > 1 else "")


def _note(table, key, shape):
    shapes = table.setdefault(key, [])
    if shape not in shapes:
        shapes.append(shape)


def _rank(box):
    """Assign the parts of a box to rows. Parts are in execution order, so an edge to an earlier
    part (a box that was entered again) is ignored."""
    box.ranks = [0] * len(box.parts)
    for j in range(len(box.parts)):
        before = [box.ranks[i] for i, k in box.edges if k == j and i < j]
        box.ranks[j] = max(before, default=-1) + 1
    outputs = [k for k, part in enumerate(box.parts) if part.kind == "output"]
    for k in outputs:  # in the last row, whatever they depend on
        box.ranks[k] = max(r for i, r in enumerate(box.ranks) if i not in outputs) + 1


def build(recording):
    """Return the outermost box of a recording."""
    return _Builder(recording).build()
