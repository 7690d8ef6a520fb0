"""`draw`: a network's operations as nested boxes, in a page or as a picture."""

import base64
import inspect
import os
from pathlib import Path
from typing import Any

from sporax._src.capture.graph_capture.export.exported_graph import Exported
from sporax._src.core import dtype as dtypes
from sporax._src.core.cell_tree import parameters
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.transforms.autodiff.grad import grad
from sporax._src.workbench import pages
from sporax.insight.graph_model import build
from sporax.insight.graph_nodes import Node
from sporax.insight.graph_page import write
from sporax.insight.graph_svg import picture
from sporax.insight.recording import Recording, abstract_inputs
from sporax.nn.cell import Cell
from sporax.nn.graph_cell import GraphCell


class Drawing:
    """The result of `draw`: `write_html(path)` writes a page, `write_svg(path)` a picture, which a
    notebook shows. `top`: the outermost box; `count`: the number of operations.

    >>> from sporax import insight
    >>> insight.draw(nn.SequentialCell(nn.Dense(4, 8), nn.ReLU()), (16, 4)).count
    2
    """

    def __init__(self, top: Node) -> None:
        self.top = top
        self.count = sum(node.kind == "operation" for node in top.walk())

    def write_html(self, path: str | os.PathLike[str]) -> Path:
        """Write a standalone page with foldable boxes and a search field; returns its path."""
        return write(self.top, self.count, path)

    def write_svg(self, path: str | os.PathLike[str], depth: int | None = None) -> Path:
        """Write a picture; Cells deeper than `depth` are folded. Returns its path."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(picture(self.top, depth), "utf8")
        return path

    def _repr_html_(self):
        """Return the picture as an `img` element, which the notebook's styles do not affect."""
        data = base64.b64encode(picture(self.top, 2).encode()).decode()
        source = f"data:image/svg+xml;base64,{data}"
        return pages.element("img", src=source, alt=repr(self), style="max-width:100%")

    def __repr__(self):
        return f"<Drawing of {self.top.label}: {self.count} operations>"


def draw(cell: Any, inputs: Any = None, backward: bool = False) -> Drawing:
    """Return the `Drawing` of a Cell or function for these inputs: boxes for Cells, nodes for
    operations, edges with shapes.

    `inputs`: as for `summary`; optional for a graph from `load` and an `nn.GraphCell`, unless it
    has unknown sizes. `backward`: also draw the gradients with respect to the Parameters (for a
    function, with respect to its first input). Nothing is computed or changed.
    Raises TypeError if `cell` is not callable, ValueError for `backward` without Parameters that
    require gradients, and any error of the Cell, with the Cell's path.

    >>> from sporax import insight
    >>> net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU())
    >>> path = insight.draw(net, (16, 4), backward=True).write_html("outputs/graph.html")
    """
    if not callable(cell) or isinstance(cell, type):
        raise rejection("must-be-type", "draw", cell=cell, kind="a-function-or-cell")
    exported = cell._exported if isinstance(cell, GraphCell) else cell
    if inputs is None and isinstance(exported, Exported):
        inputs = _inputs_of(exported)
    args, kwargs = abstract_inputs("draw", inputs)
    recording = Recording("draw", _with_gradients(cell) if backward else cell, args, kwargs)
    return Drawing(build(recording))


def _inputs_of(exported):
    """Return the shapes and dtypes that a graph was exported for."""
    if any(isinstance(n, str) for spec in exported.inputs for n in spec.shape):
        raise rejection("inputs-of-unknown-sizes", "draw", names=exported.inputs)
    return [(tuple(spec.shape), dtypes.NAMES[spec.dtype.lower()]) for spec in exported.inputs]


def _with_gradients(cell):
    if not isinstance(cell, Cell):
        return grad(cell)
    weights = [p for _, p in parameters(cell) if p.requires_grad]
    require(weights, "backward-needs-parameters", "draw")

    def forward_and_backward(*args, **kwargs):
        return grad(cell, None, weights)(*args, **kwargs)

    forward_and_backward.__name__ = type(cell).__name__
    forward_and_backward.__signature__ = inspect.signature(cell.construct)
    return forward_and_backward
