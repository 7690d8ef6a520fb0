"""Mapping of a PyTorch module's parameters to a Cell's: by structure, order and shape."""

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from sporax._src.diagnosis.rules import message, rejection
from sporax.io.load_torch import NAMES_IN_TORCH
from sporax.migrate.module_run import ModuleRun

COUNTER = "num_batches_tracked"  # of PyTorch's norms; it has no effect on their results
_FULL, _PART, _PATH, _TAIL = 10.0, 4.0, 3.0, 1.0  # scores of a pair of owners
_SHOWN = 4


@dataclasses.dataclass
class NameMapping:
    """`pairs`: {PyTorch's name: [the Cell's paths]}, several if a parameter is split along its
    first axis; `only_torch`, `only_cell`: names without a counterpart, in modules that have one."""

    pairs: dict
    only_torch: list
    only_cell: list

    def cell_weights(
        self, weights: dict[str, np.ndarray], shapes: dict[str, tuple[int, ...]]
    ) -> dict[str, np.ndarray]:
        """Return PyTorch's arrays by the Cell's paths, in the Cell's shapes."""
        return {
            path: np.reshape(array, shapes[path])
            for name, paths in self.pairs.items()
            for path, array in zip(paths, np.split(weights[name], len(paths)), strict=True)
        }


@dataclasses.dataclass
class _Owner:
    """A module with its own parameters: {role: (name, shape)}."""

    path: str
    roles: dict


def map_names(
    torch_run: ModuleRun, cell_run_weights: dict[str, np.ndarray], trainable: Iterable[str],
    names: dict[str, Any] | None = None,
) -> NameMapping:  # fmt: skip
    """Return the `NameMapping` of a recorded PyTorch module to a Cell's {path: array}.

    `names`: the user's {PyTorch's name: the Cell's path, a list of paths to split among, or None}.
    Modules are paired in the order of their definition if their common parameters match; equal
    paths score higher.
    """
    shapes = {n: x.shape for n, x in torch_run.weights.items() if not _counts(n)}
    cell_shapes = {n: x.shape for n, x in cell_run_weights.items() if not _counts(n)}
    pairs = _given(names or {}, shapes, cell_shapes)
    left_out = {n for n, paths in pairs.items() if not paths}
    used = {path for paths in pairs.values() for path in paths}
    ours = _owners({n: s for n, s in shapes.items() if n not in pairs})
    theirs = _owners({n: s for n, s in cell_shapes.items() if n not in used})
    matched = _matched(ours, theirs)
    for i, j in matched:
        for role, (name, _) in ours[i].roles.items():
            if role in theirs[j].roles:
                pairs[name] = [theirs[j].roles[role][0]]
    parameters = shapes.keys() - torch_run.state.keys()
    lone = [o for i, o in enumerate(ours) if i not in {m[0] for m in matched}]
    lone_cells = [o for j, o in enumerate(theirs) if j not in {m[1] for m in matched}]
    _refuse_lone(
        _with(lone, parameters - left_out), _with(lone_cells, set(trainable)), bool(matched or used)
    )
    taken = {path for paths in pairs.values() for path in paths}
    return NameMapping(
        {n: pairs[n] for n in shapes if pairs.get(n)},
        [n for n in shapes if n in parameters and n not in pairs],
        [n for n in cell_shapes if n in trainable and n not in taken],
    )


def _counts(name):
    return name.rpartition(".")[2] == COUNTER


def _given(names, shapes, cell_shapes):
    """Check the user's pairs; return {PyTorch's name: [paths]}."""
    pairs = {}
    for name, paths in names.items():
        if name not in shapes:
            listed = _listed(shapes)
            raise rejection("names-of-torch-parameters", "compare", name=name, listed=listed)
        paths = [] if paths is None else [paths] if isinstance(paths, str) else list(paths)
        for path in paths:
            if path not in cell_shapes:
                listed = _listed(cell_shapes)
                raise rejection("names-of-cell-parameters", "compare", path=path, listed=listed)
        divisor = max(len(paths), 1)
        first, *tail = (*shapes[name], 1)[:-1] or (1,)
        for path in paths:
            if first % divisor or not _fits((first // divisor, *tail), cell_shapes[path]):
                fields = {"name": name, "path": path, "shape": shapes[name]}
                raise rejection("shapes-of-names", "compare", got=cell_shapes[path], **fields)
        pairs[name] = paths
    return pairs


def _owners(shapes):
    owners = {}
    for name, shape in shapes.items():
        path, _, last = name.rpartition(".")
        owners.setdefault(path, {})[last] = name, shape
    return [_Owner(path, _by_role(parameters)) for path, parameters in owners.items()]


def _by_role(parameters):
    """Return {PyTorch's last name: (name, shape)}."""
    translated = NAMES_IN_TORCH | {"w": "weight"}  # of nn.PReLU
    return {
        (
            role if (role := translated.get(last, last)) == last or role not in parameters else last
        ): entry
        for last, entry in parameters.items()
    }


def _fits(a, b):
    """Return True if shapes agree except for sizes of 1, as for Conv1d."""
    return [n for n in a if n != 1] == [n for n in b if n != 1]


def _score(ours, theirs):
    """Return a score for pairing two modules; None if they do not match."""
    common = ours.roles.keys() & theirs.roles.keys()
    if not common or not all(_fits(ours.roles[r][1], theirs.roles[r][1]) for r in common):
        return None
    is_full = ours.roles.keys() == theirs.roles.keys()
    tails = [o.path.rpartition(".")[2] for o in (ours, theirs)]
    return (
        (_FULL if is_full else _PART)
        + _PATH * (ours.path == theirs.path)
        + _TAIL * (tails[0] == tails[1])
    )


def best_alignment(count, other_count, score):
    """Return [(i, j)] of two sequences, in order, that maximizes the sum of `score(i, j)`."""
    best = [[0.0] * (other_count + 1) for _ in range(count + 1)]
    scores = [[score(i, j) for j in range(other_count)] for i in range(count)]
    for i in range(count - 1, -1, -1):
        row, below = best[i], best[i + 1]
        for j in range(other_count - 1, -1, -1):
            value = max(below[j], row[j + 1])
            if scores[i][j] is not None:
                value = max(value, below[j + 1] + scores[i][j])
            row[j] = value
    pairs, i, j = [], 0, 0
    while i < count and j < other_count:
        if scores[i][j] is not None and best[i][j] == best[i + 1][j + 1] + scores[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _matched(ours, theirs):
    """Return [(i, j)] of owners: in order, then each other one with a full match (same path, or
    first)."""
    pairs = best_alignment(len(ours), len(theirs), lambda i, j: _score(ours[i], theirs[j]))
    lone = set(range(len(ours))) - {i for i, _ in pairs}
    others = set(range(len(theirs))) - {j for _, j in pairs}
    for i in sorted(lone):
        fitting = [
            j for j in sorted(others)
            if (_score(ours[i], theirs[j]) or 0) >= _FULL
        ]  # fmt: skip
        same_tail = [j for j in fitting if ours[i].path == theirs[j].path] or fitting
        if same_tail:
            pairs.append((i, same_tail[0]))
            others.discard(same_tail[0])
    return sorted(pairs)


def _with(owners, names):
    """Return the owners with a parameter among the names."""
    return [o for o in owners if any(name in names for name, _ in o.roles.values())]


def _refuse_lone(lone, lone_cells, is_any):
    if not lone and not lone_cells:
        return
    remedy = message("give-names")
    for ours, theirs in _in_same_module(lone, lone_cells):
        common = [role for role in ours.roles if role in theirs.roles]
        for role in sorted(common, key=lambda role: -len(ours.roles[role][1])):
            (name, shape), (path, cell_shape) = ours.roles[role], theirs.roles[role]
            if len(shape) == len(cell_shape) and not _fits(shape, cell_shape):
                fields = {"name": name, "path": path, "shape": shape, "got": cell_shape}
                raise rejection("shapes-of-parameters", "compare", remedy=remedy, **fields)
    rule = "modules-align-in-part" if is_any else "modules-align-nowhere"
    fields = {"ours": _listed(_names(lone)), "theirs": _listed(_names(lone_cells))}
    raise rejection(rule, "compare", remedy=remedy, **fields)


def _in_same_module(lone, lone_cells):
    """Return pairs of owners that probably correspond: with the same path, or else the only one."""
    by_path = {o.path: o for o in lone_cells}
    pairs = [(o, by_path[o.path]) for o in lone if o.path in by_path]
    return pairs or (list(zip(lone, lone_cells, strict=False)) if len(lone) == 1 else [])


def _names(owners):
    return [f"'{name}' {shape}" for o in owners for name, shape in o.roles.values()]


def _listed(names):
    names = list(map(str, names))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return (", ".join(names[:_SHOWN]) or "none") + more
