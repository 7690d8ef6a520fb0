"""Alignment of a Cell's calls with a PyTorch module's calls."""

import dataclasses
from collections import defaultdict

from sporax.migrate.module_run import Call
from sporax.migrate.name_mapping import best_alignment

# PyTorch class -> MindSpore class
CELL_NAMES = {
    "Linear": "Dense", "Sequential": "SequentialCell", "ModuleList": "CellList", "Module": "Cell",
    "ConvTranspose1d": "Conv1dTranspose", "ConvTranspose2d": "Conv2dTranspose",
    "ConvTranspose3d": "Conv3dTranspose", "Hardswish": "HSwish", "Hardsigmoid": "HSigmoid",
    "Hardshrink": "HShrink", "Softshrink": "SoftShrink", "SELU": "SeLU",
    "ZeroPad2d": "ZeroPad2d", "ModuleDict": "CellDict", "UpsamplingNearest2d": "Upsample",
    "UpsamplingBilinear2d": "Upsample",
}  # fmt: skip
ACTIVATIONS = {
    "ReLU", "ReLU6", "GELU", "SiLU", "Sigmoid", "Tanh", "LeakyReLU", "ELU", "CELU", "SeLU",
    "HSwish", "HSigmoid", "Mish", "Softplus", "Softmax", "LogSoftmax", "PReLU", "Hardtanh",
    "FastGelu", "LogSigmoid", "Softsign", "HShrink", "SoftShrink", "Tanhshrink", "GLU", "RReLU",
    "Softmin",
}  # fmt: skip


def kinds(module):
    """Return the names of a module's classes, translated to MindSpore's."""
    names: list[str] = module.classes
    return [CELL_NAMES.get(name, name).removesuffix("Ext") for name in names]


def is_activation(module):
    """Return True if the module is an activation function."""
    return not ACTIVATIONS.isdisjoint(kinds(module))


@dataclasses.dataclass
class AlignedCalls:
    """`pairs`: [(PyTorch's Call, the Cell's Call)] in the order in which PyTorch's end;
    `only_torch`, `only_cell`: [Call] without a counterpart, of modules without submodules and
    parameters; `joined`: PyTorch's paths of layers that are joined with their activation."""

    pairs: list
    only_torch: list
    joined: set
    only_cell: list


def align_calls(torch_run, cell_run, mapping):
    """Pair the calls: of modules whose parameters are the same, then of modules without parameters
    between two of these, by class and order."""
    modules = {m.path: m for m in torch_run.modules}
    cells = {m.path: m for m in cell_run.modules}
    paths = _paired_modules(modules, cells, mapping)
    sides = _Side(torch_run, modules, paths), _Side(cell_run, cells, set(paths.values()))
    anchors = {
        (path, call.number): (paths[path], call.number)
        for path in paths
        for call in sides[0].calls[path]
        if call.number < len(sides[1].calls[paths[path]])
    }
    by_key = [{(c.path, c.number): c for c in run.calls} for run in (torch_run, cell_run)]
    pairs = {ours: by_key[1][theirs] for ours, theirs in anchors.items()}
    buckets, other_buckets = (side.buckets(keys) for side, keys in zip(
        sides, (set(anchors), set(anchors.values())), strict=True))  # fmt: skip
    only_torch, only_cell = [], []
    for key in [None, *anchors]:
        ours = buckets.pop(key, [])
        theirs = other_buckets.pop(None if key is None else anchors[key], [])
        matches = best_alignment(
            len(ours), len(theirs),
            lambda i, j, a=ours, b=theirs: _score(modules[a[i].path], cells[b[j].path]),
        )  # fmt: skip
        for i, j in matches:
            pairs[ours[i].path, ours[i].number] = theirs[j]
        only_torch += _without(ours, {i for i, _ in matches})
        only_cell += _without(theirs, {j for _, j in matches})
    aligned = [(c, pairs[c.path, c.number]) for c in torch_run.calls if (c.path, c.number) in pairs]
    joined = _Joined(cells, cell_run, modules)
    return AlignedCalls(*joined(aligned, only_torch), only_cell)


def _without(calls, chosen):
    return [c for i, c in enumerate(calls) if i not in chosen]


def _paired_modules(modules, cells, mapping):
    """Return {PyTorch's path: the Cell's path} of modules that hold the same parameters."""
    numbers = {name: i for i, name in enumerate(mapping.pairs)}
    of_cells = {path: numbers[n] for n, paths in mapping.pairs.items() for path in paths}
    chains = _by_parameters(modules, numbers), _by_parameters(cells, of_cells)
    paired = {"": ""}
    for parameters, ours in chains[0].items():
        theirs = [path for path in chains[1].get(parameters, ()) if path]
        ours = [path for path in ours if path]
        for path in reversed(ours):
            same = [
                p for p in theirs if not {*kinds(modules[path])[:1]}.isdisjoint(kinds(cells[p]))
            ]
            if same:
                paired[path] = same[-1]
                theirs = theirs[: theirs.index(same[-1])]
        if ours and theirs and ours[-1] not in paired:
            paired[ours[-1]] = theirs[-1]
    return paired


def _by_parameters(modules, numbers):
    """Return {set of parameters: [paths of modules that contain it, the outermost first]}."""
    by_path = defaultdict(set)
    for name, number in numbers.items():
        path = name.rpartition(".")[0]
        while True:
            by_path[path].add(number)
            if not path:
                break
            path = path.rpartition(".")[0]
    chains = defaultdict(list)
    for path in modules:
        if by_path.get(path):
            chains[frozenset(by_path[path])].append(path)
    return chains


class _Side:
    """One of the two runs: its calls by path, and its unpaired leaves between paired ones."""

    def __init__(self, run, modules, paired):
        self.run, self.paired = run, set(paired)
        self.calls = defaultdict(list)
        for call in run.calls:
            self.calls[call.path].append(call)
        called = {c.path for c in run.calls}
        self.inner = {
            path[: i] for path in called for i in range(len(path)) if path[i] == "."
        } | {""} & (called if len(called) > 1 else set())  # fmt: skip

    def _is_leaf(self, path):
        return path not in self.inner

    def buckets(self, anchors):
        """Return {the previous paired leaf, or None: [Call of an unpaired leaf]}."""
        buckets, current = defaultdict(list), None
        for call in self.run.calls:
            key = call.path, call.number
            if key in anchors:
                if self._is_leaf(call.path) or self._has_own(call.path):
                    current = key
            elif self._is_leaf(call.path) and not self._below_owner(call.path):
                buckets[current].append(call)
        return buckets

    def _has_own(self, path):
        prefix = f"{path}." if path else ""
        return any(
            n.startswith(prefix) and "." not in n[len(prefix) :] for n in self.run.weights
        )  # fmt: skip

    def _below_owner(self, path):
        """Return True for a part of a paired module with its own parameters, such as nn.LSTM."""
        while path:
            path = path.rpartition(".")[0]
            if path and path in self.paired and self._has_own(path):
                return True
        return False


def _score(module, cell):
    """Return a score for pairing two modules without parameters; None if they do not match."""
    tails = module.path.rpartition(".")[2], cell.path.rpartition(".")[2]
    if kinds(module)[0] in kinds(cell) or kinds(cell)[0] in kinds(module):
        return 4.0 + (tails[0] == tails[1])
    if (is_activation(module) and is_activation(cell)) or module.path == cell.path:
        return 1.5 + (tails[0] == tails[1])
    return None


class _Joined:
    """Joins a layer of PyTorch and the activation after it if the Cell's layer includes one
    (`nn.Dense(activation=...)`)."""

    def __init__(self, cells, cell_run, modules):
        called = {c.path for c in cell_run.calls}
        self.with_activation = {
            path for path in cells
            if f"{path}.activation" in called and is_activation(cells[f"{path}.activation"])
        }  # fmt: skip
        self.modules = modules

    def __call__(self, pairs, only_torch):
        """Return (pairs, only_torch, paths), with activations' outputs in place of layers'."""
        left, joined, paths = list(only_torch), [], set()
        for ours, theirs in pairs:
            after = next(
                (
                    c for c in left
                    if theirs.path in self.with_activation and is_activation(self.modules[c.path])
                    and c.inputs and ours.outputs and c.inputs[0] is not None
                    and c.inputs[0].shape == ours.outputs[0].shape
                    and (c.inputs[0] == ours.outputs[0]).all()
                ),
                None,
            )  # fmt: skip
            if after is not None:
                left = [c for c in left if c is not after]
                paths.add(ours.path)
                ours = Call(
                    ours.path, ours.number, ours.inputs, after.outputs, ours.input_gradients,
                    after.output_gradients,
                )  # fmt: skip
            joined.append((ours, theirs))
        return joined, left, paths
