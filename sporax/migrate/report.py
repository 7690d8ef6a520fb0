"""The results of `compare`: rows, the first departure and its likely causes, as text."""

import dataclasses
import os
from typing import Any

import numpy as np

from sporax._src.workbench import pages
from sporax.migrate import report_page

_WIDTH = 46
_SHOWN = 3  # number of layers that are listed for a difference


@dataclasses.dataclass(frozen=True)
class Gap:
    """The largest difference of two arrays. `relative`: to PyTorch's largest absolute value;
    `says`: the reason if arrays cannot be compared, such as different shapes."""

    absolute: float
    relative: float
    departs: bool
    says: str = ""

    def __str__(self):
        return self.says or f"{self.absolute:.2g} ({self.relative:.1g})"


def gap(ours, theirs, rtol, atol, scale=0.0):
    """Return the `Gap` of PyTorch's array and the Cell's; None means no gradient, equal to zeros.

    They depart if a difference exceeds atol + rtol * the largest absolute value of PyTorch's array
    or, if that is larger, `scale`.
    """
    if ours is None and theirs is None:
        return None
    if ours is None or theirs is None:
        there: Any = theirs if ours is None else ours
        if not np.any(there):
            return Gap(0.0, 0.0, False)
        where = "PyTorch" if ours is None else "the Cell"
        return Gap(float(np.abs(there).max()), 1.0, True, f"no gradient in {where}")
    if ours.shape != theirs.shape:
        return Gap(
            float("inf"), float("inf"), True, f"{_shape(ours)} in PyTorch, {_shape(theirs)} here"
        )
    if not ours.size:
        return Gap(0.0, 0.0, False)
    ours, theirs = (x.astype(np.float64) for x in (ours, theirs))
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    with np.errstate(invalid="ignore"):  # infinities
        difference = np.where(same, 0.0, np.abs(ours - theirs))
    absolute = float(np.where(np.isnan(difference), np.inf, difference).max())
    finite = np.abs(ours[np.isfinite(ours)])
    largest = float(finite.max()) if finite.size else 0.0
    relative = absolute / largest if largest else (np.inf if absolute else 0.0)
    return Gap(absolute, relative, absolute > atol + rtol * max(largest, scale))


def _shape(x):
    return str(tuple(x.shape))


@dataclasses.dataclass
class Row:
    """One call of a module and the corresponding call of its Cell.

    `gaps`: by "input 0", "output 0", "gradient of output 0", "gradient of weight", "state:
    running_mean afterwards" and so on, in the order forward, backward. `causes`: [Cause] of the
    known differences between the two.
    """

    torch: str
    cell: str
    torch_class: str
    cell_class: str
    gaps: dict
    causes: list
    is_leaf: bool
    number: int = 0

    def worst(self, *kinds: str) -> Gap | None:
        """Return the largest `Gap` whose name begins with one of the words, or None."""
        chosen = [g for name, g in self.gaps.items() if g is not None and name.startswith(kinds)]
        return max(chosen, key=lambda g: (g.departs, g.relative), default=None)

    @property
    def forward(self) -> Gap | None:
        """The largest difference of the outputs, and of the buffers after the run."""
        return self.worst("output", "state")

    @property
    def backward(self) -> Gap | None:
        """The largest difference of gradients with respect to outputs, inputs and parameters."""
        return self.worst("gradient")

    @property
    def departs(self) -> bool:
        """True if the outputs, states or gradients exceed the tolerance."""
        return any(g is not None and g.departs for g in (self.forward, self.backward))

    def verdict(self) -> str:
        """Return the directions in which it departs, as text."""
        sides = [name for name, g in (("forward", self.forward), ("backward", self.backward))
                 if g is not None and g.departs]  # fmt: skip
        return f"departs {' and '.join(sides)}" if sides else "agrees"

    @property
    def title(self) -> str:
        """The layer's names."""
        ours, theirs = self.torch or "(network)", self.cell or "(network)"
        call = f", call {self.number + 1}" if self.number else ""
        parent, dot, last = theirs.rpartition(".")
        if ours.rpartition(".")[0] == parent:
            theirs = f"{dot}{last}"
        return (ours if self.torch == self.cell else f"{ours} -> {theirs}") + call


@dataclasses.dataclass(frozen=True)
class Departure:
    """The first departure of the two networks. `location`: "layer", "between" (the layer's inputs
    differ although previous outputs agree), "state" or "backward"; `causes`: [Cause or str]."""

    row: Row
    location: str
    causes: tuple

    _SAYS = {  # noqa: RUF012 - of the class, no field
        "layer": "is the first layer whose output differs, given the same inputs",
        "between": "is the first layer whose inputs differ: look at the code before it",
        "state": "has equal outputs, but its statistics differ afterwards",
        "backward": "has equal outputs; in the backward pass, its gradients differ first",
    }

    def __str__(self):
        classes = f"{self.row.torch_class} / {self.row.cell_class}"
        lines = [f"{self.row.title} ({classes}) {self._SAYS[self.location]}."]
        return "\n".join([*lines, *(f"  cause: {cause}" for cause in self.causes)])


@dataclasses.dataclass
class Report:
    """The result of `compare`. `equal`: True if nothing departs; `first_departure`: a `Departure`
    or None; `rows`: [Row] in the order of PyTorch's calls; `mapping`: a `NameMapping`;
    `differences`: [Cause] of all pairs, even without effect in this run; `only_torch`, `only_cell`:
    modules without parameters, and parameters, without a counterpart; `notes`: further remarks.

    As text it is a table; `write_html` writes a page.
    """

    rows: list
    first_departure: Any
    mapping: object
    differences: list
    only_torch: list
    only_cell: list
    notes: list
    rtol: float
    atol: float

    @property
    def equal(self) -> bool:
        """True if nothing departs."""
        return self.first_departure is None

    @property
    def causes(self) -> tuple:
        """The likely causes of the first departure."""
        return () if self.equal else self.first_departure.causes

    def __bool__(self):
        return self.equal

    def write_html(self, path: str | os.PathLike[str]) -> None:
        """Write the report as one self-contained HTML file."""
        report_page.write(self, path)

    def _repr_html_(self):
        return pages.in_notebook(report_page.body(self))

    def other_differences(self) -> list[tuple[str, str]]:
        """Return [(difference, the layers that have it)] without causes of the first departure."""
        layers = {}
        for cause in self.differences:
            layers.setdefault(str(cause), []).append(cause.torch_path or "(network)")
        named = set(map(str, self.causes))
        return [(says, _few(paths)) for says, paths in layers.items() if says not in named]

    def verdict(self) -> str:
        """Return one sentence, or the first departure and its causes."""
        if self.equal:
            calls = f"{len(self.rows)} call{'s' * (len(self.rows) != 1)}"
            return f"Equal, forward and backward: {calls} of layers compared."
        return str(self.first_departure)

    def __str__(self):
        head = ("layer", "class", "forward", "backward", "")
        first = None if self.equal else self.first_departure.row
        cells = [head, *(_cells(row, row is first) for row in self.rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(4)]
        lines = ["  ".join(c.ljust(w) for c, w in zip(row, [*widths, 0], strict=True)).rstrip()
                 for row in cells]  # fmt: skip
        lines.insert(1, "  ".join("-" * w for w in widths))
        lines += ["", "largest difference (relative to PyTorch's largest number)", ""]
        lines.append(self.verdict())
        if self.other_differences():
            lines.append(f"Also different{', without an effect in this run' * self.equal}:")
            lines += [f"  {paths}: {says}" for says, paths in self.other_differences()]
        for side, names in (("PyTorch", self.only_torch), ("the Cell", self.only_cell)):
            if names:
                lines.append(f"Without a counterpart, of {side}: {', '.join(names)}")
        return "\n".join([*lines, *self.notes])


def _few(names):
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _cells(row, is_first):
    classes = (
        row.torch_class
        if row.torch_class == row.cell_class
        else f"{row.torch_class} / {row.cell_class}"
    )
    title = row.title if len(row.title) <= _WIDTH else f"...{row.title[3 - _WIDTH :]}"
    both = ["-" if g is None else str(g) for g in (row.forward, row.backward)]
    verdict = row.verdict() if row.departs else ""
    return title, classes, *both, f"{verdict}, the first" if is_first else verdict
