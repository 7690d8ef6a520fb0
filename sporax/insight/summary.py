"""`summary`: the tree of a network's Cells with shapes, Parameters, FLOPs and memory."""

import dataclasses
from typing import Any

from sporax._src.core.cell_tree import tree
from sporax._src.core.errors import describe
from sporax._src.core.units import bytes_text, quantity, shape_text
from sporax._src.diagnosis.rules import rejection
from sporax._src.runtime.memory.liveness import bytes_of
from sporax._src.workbench import pages
from sporax.insight.recording import Recording, abstract_inputs, checked_cell
from sporax.nn.cell import Cell


@dataclasses.dataclass(frozen=True)
class SummaryRow:
    """One Cell of a `summary`; `total_` fields include nested Cells.

    `path`: '' for the network itself, else such as 'layer1.0.conv1'. `calls`: the number of calls;
    `inputs`, `outputs`: avals (shape, dtype) of the last call, empty if there was none.
    `parameters`, `trainable`: elements of the Cell's own Parameters; `parameter_bytes`: memory.
    `buffers`, `buffer_bytes`: of those created with `requires_grad=False`, such as BatchNorm's
    statistics, which `parameters` does not include. `flops`: floating-point operations of all its
    calls. `activation_bytes`: memory of the results of the operations in its `construct`, without
    views.

    >>> from sporax import insight
    >>> row = insight.summary(nn.SequentialCell(nn.Dense(4, 8)), (16, 4)).row("0")
    >>> row.cls, row.outputs[0].shape, row.flops
    ('Dense', (16, 8), 1152)
    """

    path: str
    cls: str
    depth: int
    calls: int
    inputs: tuple
    outputs: tuple
    parameters: int
    trainable: int
    parameter_bytes: int
    buffers: int
    buffer_bytes: int
    flops: int
    activation_bytes: int
    total_parameters: int
    total_trainable: int
    total_buffers: int
    total_flops: int
    total_activation_bytes: int


@dataclasses.dataclass(frozen=True)
class Summary:
    """The result of `summary`: `rows`, one for each Cell, and totals, in which each Parameter is
    counted once. `print` it; a notebook shows it as a table.

    >>> from sporax import insight
    >>> insight.summary(nn.Dense(4, 8), (16, 4)).parameters
    40
    """

    name: str
    rows: list
    parameters: int
    trainable: int
    parameter_bytes: int
    buffers: int
    buffer_bytes: int
    flops: int
    activation_bytes: int
    input_bytes: int

    def row(self, path: str) -> SummaryRow:
        """Return the row of a Cell; raise KeyError if there is none."""
        for row in self.rows:
            if row.path == path:
                return row
        raise rejection("cell-of-path", "Summary.row", path=path)

    @property
    def totals(self) -> list[tuple[str, str]]:
        """Names and values of the lines below the table."""
        return [
            ("parameters", f"{self.parameters:,} ({bytes_text(self.parameter_bytes)})"),
            ("trainable", f"{self.trainable:,}"),
            *([self._buffers_total()] if self.buffers else []),
            ("floating-point operations", quantity(self.flops, "FLOP")),
            ("activations", bytes_text(self.activation_bytes)),
            ("inputs", bytes_text(self.input_bytes)),
        ]

    def _buffers_total(self):
        size = bytes_text(self.buffer_bytes)
        return "statistics and other buffers", f"{self.buffers:,} ({size})"

    def _table(self):
        for row in self.rows:
            indent = "  " * row.depth
            name = row.path.rpartition(".")[2]
            label = f"{indent}{name}: {row.cls}" if row.path else row.cls
            outputs = ", ".join(map(shape_text, row.outputs)) or "not called"
            dtypes = ", ".join(dict.fromkeys(describe(a).split()[0] for a in row.outputs))
            frozen = row.total_parameters - row.total_trainable
            parameters = f"{row.total_parameters:,}" if row.total_parameters else "-"
            parameters += f" ({frozen:,} frozen)" if frozen else ""
            calls = f" x{row.calls}" if row.calls > 1 else ""
            yield (
                label + calls, outputs, dtypes, parameters, quantity(row.total_flops),
                bytes_text(row.total_activation_bytes),
            )  # fmt: skip

    def __str__(self):
        lines = [_HEADERS, *self._table()]
        widths = [max(len(line[k]) for line in lines) for k in range(len(_HEADERS))]
        texts = []
        for line in lines:
            cells = [
                cell.rjust(width) if k in _NUMERIC else cell.ljust(width)
                for k, (cell, width) in enumerate(zip(line, widths, strict=True))
            ]
            texts.append("  ".join(cells).rstrip())
        rule = "-" * max(map(len, texts))
        totals = [f"{name}: {value}" for name, value in self.totals]
        return "\n".join([texts[0], rule, *texts[1:], rule, *totals])

    __repr__ = __str__

    def _repr_html_(self):
        return pages.in_notebook(
            pages.table(("", ""), self.totals),
            pages.table(_HEADERS, list(self._table()), numeric=_NUMERIC),
        )


_Amounts = dict[Any, tuple[int, int]]  # Cell -> operations, bytes
_HEADERS = ("Cell", "output", "dtype", "parameters", "FLOP", "activations")
_NUMERIC = (3, 4, 5)


def summary(cell: Cell, inputs: Any) -> Summary:
    """Return the `Summary` of a network for these inputs: its Cells with output shapes, dtypes,
    Parameters, floating-point operations and memory.

    `inputs`: one input, a list of inputs, or a dict of keyword arguments: arrays, Tensors, or
    shapes such as (1, 3, 224, 224) for float32; ((1, 7), ms.int32) sets another dtype. The Cell is
    recorded in its current mode; nothing is computed or changed. A multiplication and an addition
    count as two operations, an element of exp or tanh as one; a convolution includes operations on
    padding. Raises TypeError if `cell` is not a Cell, and any error of the Cell, with the Cell's
    path.

    >>> from sporax import insight
    >>> net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 2))
    >>> print(insight.summary(net, (16, 4)))
    Cell            output   dtype    parameters    FLOP  activations
    -----------------------------------------------------------------
    SequentialCell  (16, 2)  Float32          58  1.82 k      1.15 kB
      0: Dense      (16, 8)  Float32          40  1.15 k        512 B
      1: ReLU       (16, 8)  Float32           -     128        512 B
      2: Dense      (16, 2)  Float32          18     544        128 B
    -----------------------------------------------------------------
    parameters: 58 (232 B)
    trainable: 58
    floating-point operations: 1.82 kFLOP
    activations: 1.15 kB
    inputs: 256 B
    """
    checked_cell("summary", cell)
    args, kwargs = abstract_inputs("summary", inputs)
    recording = Recording("summary", cell, args, kwargs)
    calls = {}
    own: _Amounts = {}
    below: _Amounts = {}
    _collect(recording.root, calls)
    for operation in recording.operations:
        amounts = operation.flops, operation.bytes
        _add(own, operation.call.cell, amounts)
        for holder in {call.cell for call in operation.call.chain}:
            _add(below, holder, amounts)
    cells = list(tree(cell))
    rows = [_row(path, subcell, calls.get(subcell, []), own, below) for path, subcell in cells]
    every = _parameters(cell)
    given = [i.aval for i in recording.listing.inputs if i.kind == "argument"]
    return Summary(
        type(cell).__name__, rows, *_sizes(every), *below.get(None, (0, 0)),
        sum(map(bytes_of, given)),
    )  # fmt: skip


def _collect(call, calls):
    if call.cell is not None:
        calls.setdefault(call.cell, []).append(call)
    for child in call.children:
        _collect(child, calls)


def _add(table: _Amounts, key, amounts):
    flops, nbytes = table.get(key, (0, 0))
    table[key] = flops + amounts[0], nbytes + amounts[1]


def _parameters(cell):
    """Return the Parameters of a Cell and of nested Cells, each once."""
    parameters = [p for _, subcell in tree(cell) for p in subcell._params.values() if p is not None]
    return list({id(p): p for p in parameters}.values())


def _sizes(parameters) -> tuple[int, int, int, int, int]:
    """Return (elements, trainable elements, bytes; elements of buffers, bytes of buffers)."""
    avals, buffers = (
        [p._value.aval for p in parameters if p._is_buffer is wanted] for wanted in (False, True)
    )
    trained = sum(p._value.aval.size for p in parameters if p.requires_grad)
    return (
        sum(a.size for a in avals), trained, sum(map(bytes_of, avals)),
        sum(a.size for a in buffers), sum(map(bytes_of, buffers)),
    )  # fmt: skip


def _row(path, cell, calls, own: _Amounts, below: _Amounts):
    last = calls[-1] if calls else None
    mine = [p for p in cell._params.values() if p is not None]
    every, trained, _, buffers, _ = _sizes(_parameters(cell))
    return SummaryRow(
        path, type(cell).__name__, path.count(".") + 1 if path else 0, len(calls),
        tuple(last.inputs if last else ()), tuple(last.outputs if last else ()),
        *_sizes(mine), *own.get(cell, (0, 0)), every, trained, buffers, *below.get(cell, (0, 0)),
    )  # fmt: skip
