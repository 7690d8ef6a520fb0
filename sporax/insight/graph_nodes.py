"""The nodes of a graph: nested boxes, with edges between nodes of the same box."""

from sporax._src.core.units import shape_text


class Node:
    """A box (a Cell call), an operation, an input or an output of the graph.

    `kind`: 'cell', 'operation', 'input', 'output', 'group'. `label`, `note` (class or Parameters),
    `path`, `line` (file, line). For a box: `children` in execution order, `edges`: {(i, j):
    [shapes]} from node i to node j, `entries` and `exits`: {i: [shapes]} of the nodes connected to
    the outside, `ranks`: the row of each node.
    """

    def __init__(self, kind, label, note="", path="", line=None, is_backward=False):
        self.kind, self.label, self.note, self.path, self.line = kind, label, note, path, line
        self.is_backward = is_backward
        self.parent, self.index = None, 0
        self.children, self.edges, self.entries, self.exits, self.ranks = [], {}, {}, {}, []

    @property
    def is_box(self):
        """True if the node is a box, which has children."""
        return self.kind in ("cell", "group")

    def add(self, node):
        """Append a node; returns it."""
        node.parent, node.index = self, len(self.children)
        self.children.append(node)
        return node

    @property
    def chain(self):
        """The enclosing boxes, outermost first, and the node itself."""
        return [*(self.parent.chain if self.parent is not None else []), self]

    def rows(self):
        """Return the children in rows, each below all nodes that it depends on."""
        rows = {}
        for node, rank in zip(self.children, self.ranks, strict=True):
            rows.setdefault(rank, []).append(node)
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
        """Yield the node itself and all nested nodes."""
        yield self
        for node in self.children:
            yield from node.walk()


def connect(source, target):
    """Add an edge in the innermost common box, and in each box that it leaves or enters. An edge
    from the forward to the backward pass is added in the common box only."""
    start, shape = source[0], shape_text(source[1])
    before, after = start.chain, target.chain
    n = next(k for k, (a, b) in enumerate(zip(before, after, strict=False)) if a is not b)
    _note(before[n - 1].edges, (before[n].index, after[n].index), shape)
    if target.is_backward and not start.is_backward:
        return
    for box, inside in zip(before[n:], before[n + 1 :], strict=False):
        _note(box.exits, inside.index, shape)
    for box, inside in zip(after[n:], after[n + 1 :], strict=False):
        _note(box.entries, inside.index, shape)


def label_of(shapes):
    """Return the label of an edge: the first shape and the number of others."""
    return shapes[0] + (f", +{len(shapes) - 1}" if len(shapes) > 1 else "")


def _note(table, key, shape):
    shapes = table.setdefault(key, [])
    if shape not in shapes:
        shapes.append(shape)


def assign_rows(box):
    """Assign the children of a box to rows. They are in execution order, so an edge to an earlier
    node (a box that was entered again) is ignored."""
    box.ranks = [0] * len(box.children)
    for j in range(len(box.children)):
        before = [box.ranks[i] for i, k in box.edges if k == j and i < j]
        box.ranks[j] = max(before, default=-1) + 1
    outputs = [k for k, node in enumerate(box.children) if node.kind == "output"]
    for k in outputs:  # in the last row, whatever they depend on
        box.ranks[k] = max(r for i, r in enumerate(box.ranks) if i not in outputs) + 1
