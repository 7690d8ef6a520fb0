"""`compare`: a PyTorch module and a Cell, layer by layer, forward and backward."""

import dataclasses
import functools
from typing import Any

import numpy as np

from sporax._src.core import cell_tree
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import message, require
from sporax.migrate import cell_run, torch_run
from sporax.migrate.call_alignment import CELL_NAMES, align_calls, is_activation
from sporax.migrate.known_differences import Cause, causes, optimizer_causes
from sporax.migrate.module_run import ModuleRun, checked_inputs
from sporax.migrate.name_mapping import map_names
from sporax.migrate.report import Departure, Report, Row, gap
from sporax.nn.cell import Cell

_CELL = kinds.Kind(functools.partial(message, "a-cell"), cell_tree.is_cell)
_SPREAD = 2.0  # factor by which initial weights' standard deviations may differ
_NOTES = 4  # number of notes that are listed
_ENOUGH = 64  # minimum number of elements for a standard deviation


def compare(
    torch_module: Any, cell: Cell, inputs: Any = None, names: dict[str, Any] | None = None,
    optimizers: tuple[Any, Any] | None = None, rtol: float = 5e-5, atol: float = 1e-5,
) -> Report:  # fmt: skip
    """Load the weights of a PyTorch module into a Cell, run both on the same inputs, forward and
    backward, and report their differences layer by layer.

    `torch_module`: a `torch.nn.Module`, or its `ModuleRun` (or the file of one) that `record`
    returned elsewhere. `inputs`: a NumPy array or a tuple of them, one for each argument; a
    `ModuleRun` has its own inputs. Both run in their current mode. `names`: {PyTorch's parameter:
    the Cell's path, a list of paths among which it is split, or None}, overrides the mapping by
    structure, order and shape. `optimizers`: PyTorch's optimizer and sporax's, whose settings are
    also compared. `rtol`, `atol`: values agree within atol + rtol * the tensor's largest absolute
    value.

    The loss whose gradients are compared is the sum of all outputs, each element times a fixed
    random number. Returns a `Report`; the Cell keeps PyTorch's weights. Raises TypeError for other
    arguments, ValueError if parameters cannot be paired or their shapes differ, ImportError
    without PyTorch, and the error of the Cell if nothing departs before.

    >>> import importlib.util; from sporax import migrate
    >>> if importlib.util.find_spec("torch"):
    ...     import torch
    ...     ours, theirs = torch.nn.Linear(3, 2), nn.Dense(3, 2)
    ...     assert migrate.compare(ours, theirs, np.ones((4, 3), np.float32)).equal
    """
    _CELL("compare", cell=cell)
    ours = _recorded(torch_module, inputs)
    before = cell_run.cell_weights(cell)
    trainable = {n for n, p in cell_tree.parameters(cell) if p.requires_grad}
    mapping = map_names(ours, before, trainable, names)
    shapes = {n: x.shape for n, x in before.items()}
    cell_run.put(cell, mapping.cell_weights(ours.weights, shapes))
    theirs = cell_run.run_cell(cell, ours.inputs)
    aligned = align_calls(ours, theirs, mapping)
    builder = _Rows(ours, theirs, mapping, rtol, atol)
    rows = [builder.row(a, b, a.path in aligned.joined) for a, b in aligned.pairs]
    lone = [_named(ours, c) for c in aligned.only_torch]
    lone_cells = [_named(theirs, c) for c in aligned.only_cell]
    from_optimizers = [] if optimizers is None else optimizer_causes(*optimizers)
    first = _first_departure(rows, aligned, builder, from_optimizers)
    notes = _initial_spread(ours, before, mapping)
    if theirs.failure is not None:
        if first is None:
            raise theirs.failure
        notes.insert(0, f"The Cell ended after the departure, before gradients: {theirs.failure}")
    return Report(
        rows, first, mapping,
        [*{(c.torch_path, str(c)): c for r in rows for c in r.causes}.values(), *from_optimizers],
        [*mapping.only_torch, *lone], [*mapping.only_cell, *lone_cells],
        notes, rtol, atol,
    )  # fmt: skip


def _recorded(torch_module, inputs):
    if isinstance(torch_module, str):
        torch_module = ModuleRun.load(torch_module)
    if isinstance(torch_module, ModuleRun):
        require(inputs is None, "no-inputs-for-recorded-run", "compare")
        return torch_module
    require(inputs is not None, "inputs-given", "compare")
    checked_inputs(inputs)
    return torch_run.record(torch_module, inputs)


def _named(run, call):
    kind = next(m.kind for m in run.modules if m.path == call.path)
    return f"{call.path} ({kind})"


class _Rows:
    """Creates rows of paired calls."""

    def __init__(self, ours, theirs, mapping, rtol, atol):
        self.ours, self.theirs, self.mapping = ours, theirs, mapping
        self.rtol, self.atol = rtol, atol
        called = {c.path for c in ours.calls}
        self.containers = {
            p[:i] for p in called for i in range(1, len(p)) if p[i] == "."
        } | ({""} if len(called) > 1 else set())  # fmt: skip
        self.modules = {m.path: m for m in ours.modules}
        self.cells = {m.path: m for m in theirs.modules}
        gradients = [g for g in ours.gradients.values() if g is not None and g.size]
        # a gradient that is 0 except for rounding (of a bias before BatchNorm) has no own scale
        self.scale = max([float(np.abs(g).max()) for g in gradients], default=0.0) * 0.1
        self.left = dict(mapping.pairs)  # parameters that are not in a row yet

    def row(self, call, other, is_joined):
        """Return the `Row` of a pair of calls."""
        module, cell = self.modules[call.path], self.cells[other.path]
        if is_joined:
            module = dataclasses.replace(module, attributes={**module.attributes,
                                                             "activation_flag": True})  # fmt: skip
        gaps = {}
        self._put(gaps, "input", call.inputs, other.inputs)
        self._put(gaps, "output", call.outputs, other.outputs)
        if self.theirs.failure is None:
            self._put(
                gaps, "gradient of output", call.output_gradients, other.output_gradients, True
            )
            self._put(gaps, "gradient of input", call.input_gradients, other.input_gradients, True)
            self._put_parameters(gaps, call.path)
        return Row(
            call.path, other.path, module.kind, cell.kind, gaps, causes(module, cell),
            call.path not in self.containers, call.number,
        )  # fmt: skip

    def _gap(self, a, b, is_gradient=False):
        return gap(a, b, self.rtol, self.atol, self.scale if is_gradient else 0.0)

    def _put(self, gaps, name, ours, theirs, is_gradient=False):
        for i, (a, b) in enumerate(zip(ours, theirs, strict=False)):
            gaps[f"{name} {i}"] = self._gap(a, b, is_gradient)

    def _put_parameters(self, gaps, path):
        """Add the parameters of the module, and of its submodules that were not called."""
        prefix = f"{path}." if path else ""
        for name in [n for n in self.left if n.startswith(prefix)]:
            paths = self.left.pop(name)
            short = name[len(prefix) :]
            if name in self.ours.gradients:
                theirs = [self.theirs.gradients.get(p) for p in paths]
                whole = self._joined(theirs, self.ours.weights[name].shape)
                gaps[f"gradient of {short}"] = self._gap(self.ours.gradients[name], whole, True)
            elif name in self.ours.state and all(p in self.theirs.state for p in paths):
                whole = self._joined([self.theirs.state[p] for p in paths],
                                     self.ours.weights[name].shape)  # fmt: skip
                gaps[f"state: {short} afterwards"] = self._gap(self.ours.state[name], whole)

    @staticmethod
    def _joined(arrays, shape):
        if any(x is None for x in arrays):
            return None
        return np.concatenate([np.atleast_1d(x) for x in arrays]).reshape(shape)


def _first_departure(rows, aligned, builder, from_optimizers):
    """Return the first call whose results depart; else the last call whose gradients depart."""
    for i, row in enumerate(rows):
        output, inputs = row.worst("output"), row.worst("input")
        if output is not None and output.departs:
            if inputs is not None and inputs.departs and row.is_leaf:
                return Departure(row, "between", _between(rows, i, aligned, builder))
            own = row.causes or _inside(row, aligned, builder)
            return Departure(row, "layer", tuple(own or [_unexplained(row)]))
    for row in rows:
        state = row.worst("state")
        if state is not None and state.departs:
            return Departure(row, "state", tuple(row.causes or [_unexplained(row)]))
    for row in reversed(rows):
        gradient = row.worst("gradient")
        if gradient is not None and gradient.departs and row.is_leaf:
            return Departure(row, "backward", _backward(row, builder))
    departs = [row for row in rows if row.departs]
    if departs:
        return Departure(departs[-1], "backward", _backward(departs[-1], builder))
    if from_optimizers:
        return Departure(rows[-1], "backward", tuple(from_optimizers))
    return None


def _inside(row, aligned, builder):
    """Return causes for a module with submodules: submodules that exist on one side only."""
    return [] if row.is_leaf else _lone(aligned, builder, lambda path: _below(path, row))


def _below(path, row):
    return not row.torch or path.startswith(f"{row.torch}.") or path.startswith(f"{row.cell}.")


def _lone(aligned, builder, is_near):
    sides = (
        ("of PyTorch has no counterpart in the Cell", aligned.only_torch, builder.modules),
        ("of the Cell has no counterpart in PyTorch", aligned.only_cell, builder.cells),
    )
    causes = []
    for i, (says, calls, modules) in enumerate(sides):
        for call in calls:
            module = modules[call.path]
            if not is_near(call.path) or module.kind == "Identity":
                continue
            there = f"'{call.path}' ({module.kind})"
            what = "missing activation" if is_activation(module) else "missing module"
            name = CELL_NAMES.get(module.kind, module.kind)
            remedy = (
                f"{there} {says}: call nn.{name} there, if construct does not compute it."
                if i == 0
                else f"{there} {says}: leave it out, if forward does not compute it."
            )
            causes.append(
                Cause(what, *((there, "none") if i == 0 else ("none", there)), remedy,
                      *((call.path, "") if i == 0 else ("", call.path)))
            )  # fmt: skip
    return causes


def _between(rows, i, aligned, builder):
    """Return causes for inputs that depart although all previous outputs agree."""
    order = {(c.path, c.number): n for n, c in enumerate(builder.ours.calls)}
    cell_order = {(c.path, c.number): n for n, c in enumerate(builder.theirs.calls)}
    here, there = (rows[i].torch, rows[i].number), rows[i].cell
    before = {
        (c.path, c.number) for c in aligned.only_torch if order[c.path, c.number] < order[here]
    }
    cell_end = min((n for (p, _), n in cell_order.items() if p == there), default=0)
    before_cell = {c.path for c in aligned.only_cell if cell_order[c.path, c.number] < cell_end}
    near = {path for path, _ in before} | before_cell
    around = [
        cause for row in rows if not row.is_leaf and _below(here[0], row) for cause in row.causes
    ]  # fmt: skip
    causes = [*around, *_lone(aligned, builder, lambda path: path in near)]
    if not causes:
        causes = [
            "the code of forward and construct between the layers: functions, views, or an order "
            "of arguments that differ"
        ]
    return tuple(causes)


def _unexplained(row):
    if row.is_leaf:
        return "unknown: all attributes in the table of known differences agree, the numbers differ"
    return "the code of forward and construct after the last layer: all parts agree, not the result"


def _backward(row, builder):
    names = [n for n, g in row.gaps.items() if n.startswith("gradient") and g and g.departs]
    causes = list(row.causes)
    frozen = [
        path for path in builder.theirs.state
        if path.startswith(f"{row.cell}.") and path in {p for n, ps in builder.mapping.pairs.items()
                                                      if n in builder.ours.trainable for p in ps}
    ]  # fmt: skip
    if frozen:
        remedy = "Set requires_grad as in PyTorch."
        causes.append(Cause("requires_grad", True, f"False of {', '.join(frozen)}", remedy))
    if not causes:
        causes = [
            f"unknown: {', '.join(names)} depart; a bprop, stop_gradient or hook of one of the two "
            "has another derivative"
        ]
    return tuple(causes)


def _initial_spread(ours, before, mapping):
    """Return notes on initial Cell weights whose standard deviation differs from PyTorch's."""
    notes = []
    for name, paths in mapping.pairs.items():
        theirs = before[paths[0]]
        if len(paths) > 1 or theirs.size < _ENOUGH or name in ours.state:
            continue
        deviations = [float(np.std(x)) for x in (ours.weights[name], theirs)]
        if min(deviations) * _SPREAD < max(deviations) and max(deviations) > 0:
            notes.append(
                f"initialisation: '{name}' has the standard deviation {deviations[0]:.2g} in "
                f"PyTorch, '{paths[0]}' had {deviations[1]:.2g} before PyTorch's weights were "
                "loaded. If both are fresh, give the Cell PyTorch's initializer."
            )
    return [*notes[:_NOTES], f"and {len(notes) - _NOTES} more"] if len(notes) > _NOTES else notes
