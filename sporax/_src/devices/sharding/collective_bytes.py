"""Reads the collectives of a partitioned program, and their bytes, from its HLO text.

XLA's text of a compiled program describes one device, with local shapes. Loops count with their
number of iterations (`known_trip_count`).
"""

import dataclasses
import itertools
import math
import re
from typing import Any

import numpy as np

from sporax._src.diagnosis.rules import rejection, require

# kind -> bytes that each device of a ring of n devices sends, per byte of `Collective.size`
TRAFFIC = {
    "all-reduce": lambda n: 2 * (n - 1) / n,
    "all-gather": lambda n: (n - 1) / n,
    "reduce-scatter": lambda n: (n - 1) / n,
    "all-to-all": lambda n: (n - 1) / n,
    "ragged-all-to-all": lambda n: (n - 1) / n,
    "collective-permute": lambda n: 1.0,
    "collective-broadcast": lambda n: 1.0,
}  # fmt: skip
# kind -> messages that a device sends in sequence on that ring
MESSAGES = {
    "all-reduce": lambda n: 2 * (n - 1),
    "all-gather": lambda n: n - 1,
    "reduce-scatter": lambda n: n - 1,
    "all-to-all": lambda n: n - 1,
    "ragged-all-to-all": lambda n: n - 1,
    "collective-permute": lambda n: 1,
    "collective-broadcast": lambda n: 1,
}
_BITS = {"pred": 8, "s4": 4, "u4": 4, "s2": 2, "u2": 2, "c64": 64, "c128": 128, "token": 0}


@dataclasses.dataclass(frozen=True)
class Collective:
    """One collective of a program.

    `kind`: XLA's name, such as 'all-reduce'. `size`: bytes of the whole array, or of the arrays
    that are combined into one collective: of the result on a device for an all-gather, otherwise of
    the operands on a device. `groups`: the groups of devices, by their numbers; for a
    collective-permute the pairs (from, to). `count`: executions per run of the program; `is_exact`:
    True if the count is known (else it is in a loop of unknown length, of which one iteration
    counts, or in one branch of several). `name`: the operation that it comes from.

    >>> from sporax import parallel
    >>> parallel.Collective("all-reduce", 1000, ((0, 1, 2, 3),)).traffic
    1500.0
    """

    kind: str
    size: int
    groups: tuple
    count: int = 1
    is_exact: bool = True
    name: str = ""

    @property
    def devices(self) -> int:
        """The number of devices in a group."""
        return len(self.groups[0]) if self.groups else 1

    @property
    def traffic(self) -> float:
        """Bytes that a device sends in each run of the program, on a ring of its group."""
        is_moot = self.devices == 1 or not self.groups
        return 0.0 if is_moot else self.count * self.size * TRAFFIC[self.kind](self.devices)


def collectives(compiled: Any) -> list[Collective]:
    """Return a list of a program's `Collective`s, from the result of
    `jax.jit(...).lower(...).compile()` or from its HLO text. Collectives of groups of one device,
    which send nothing, are left out.

    Raises ValueError if the text is not a compiled HLO module, or has an unknown form.

    >>> import jax
    >>> collectives(jax.jit(lambda x: x + 1).lower(1.0).compile())
    []
    """
    text = compiled if isinstance(compiled, str) else compiled.as_text()
    bodies, entry = _computations(text)
    require(entry is not None, "text-hlo-module", "collectives")
    header = text.split("\n", 1)[0]
    counts = [re.search(rf"{name}=(\d+)", header) for name in ("num_partitions", "replica_count")]
    n = math.prod(int(c[1]) for c in counts if c)
    collected = _collect(bodies, entry, n, 1, True)
    return [c for c in collected if any(len(set(group)) > 1 for group in c.groups)]


def total_traffic(entries):
    """Return {kind: (executions, bytes of the arrays, bytes that a device sends)} of a list of
    `Collective`s."""
    table = {}
    for c in entries:
        count, size, traffic = table.get(c.kind, (0, 0, 0.0))
        table[c.kind] = count + c.count, size + c.count * c.size, traffic + c.traffic
    return table


# the text -------------------------------------------------------------------------------------

_HEAD = re.compile(r"^(ENTRY )?%?([\w.-]+) \(.*\{$")
_INSTRUCTION = re.compile(r"^ +(?:ROOT )?%?[\w.-]+ = (.*)$")
_CALLED = re.compile(
    r"(?:body|condition|to_apply|calls|true_computation|false_computation)=%?([\w.-]+)"
)
_BRANCHES = re.compile(r"branch_computations=\{([^}]*)\}")
_SHAPE = re.compile(r"\b([a-z]\w*)\[([\d,<=]*)\]")
_KINDS = "|".join(TRAFFIC)
_OPCODE = re.compile(r" ([a-z][\w-]*)\(")
_ENDS = "async-update", "async-done"
_COLLECTIVE = re.compile(rf"({_KINDS})(-start)?")


def _computations(text):
    """Return ({name: its instructions}, the name of the entry computation)."""
    bodies, entry, current = {}, None, None
    for line in text.splitlines():
        head = _HEAD.match(line)
        if head:
            current = bodies.setdefault(head[2], [])
            entry = head[2] if head[1] else entry
        elif line.startswith("}"):
            current = None
        elif current is not None and (instruction := _INSTRUCTION.match(line)):
            current.append(instruction[1])
    return bodies, entry


def _collect(bodies, name, n, count, is_exact):
    """Yield the collectives of a computation that runs `count` times, and of its callees."""
    for text in bodies.get(name, ()):
        shape, remainder = _split_shape(text)
        opcode = _OPCODE.match(f" {remainder}")
        opcode = opcode[1] if opcode else ""
        if match := _COLLECTIVE.fullmatch(opcode):
            yield _collective(match[1], bool(match[2]), shape, remainder, n, count, is_exact)
            continue  # the computation that it applies to elements has no collectives
        if opcode in _ENDS:
            continue  # counted at its start
        trip_count, is_known = _trip_count(opcode, remainder)
        called = _CALLED.findall(remainder)
        for branches in _BRANCHES.findall(remainder):
            called += [branch.strip().lstrip("%") for branch in branches.split(",")]
        for callee in called:
            yield from _collect(bodies, callee, n, count * trip_count, is_exact and is_known)


def _trip_count(opcode, remainder):
    """Return (runs of the computations that an instruction names, True if that is known)."""
    if opcode == "while":
        known = re.search(r'"known_trip_count":\{"n":"(\d+)"\}', remainder)
        return (int(known[1]), True) if known else (1, False)
    return 1, opcode != "conditional"


def _split_shape(text):
    """Return (shape, remainder) of an instruction's text after its name."""
    if not text.startswith("("):
        shape, _, remainder = text.partition(" ")
        return shape, remainder
    depth = 0
    for i, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return text[: i + 1], text[i + 2 :]
    raise rejection("instruction-whole-shape", "collectives", got=text)


def _collective(kind, starts, shape, remainder, n, count, is_exact):
    elements = _top_level(shape) if shape.startswith("(") else [shape]
    if starts and kind != "all-reduce":
        elements = elements[1:2]  # (operands, results, contexts)
        elements = _top_level(elements[0]) if elements[0].startswith("(") else elements
    groups = _groups(kind, remainder, n)
    size = sum(_bytes(element) for element in elements)
    if kind == "reduce-scatter":
        size *= len(groups[0])
    name = re.search(r'op_name="([^"]*)"', remainder)
    return Collective(kind, size, groups, count, is_exact, name[1] if name else "")


def _top_level(shape):
    """Return the elements of a tuple's shape."""
    elements, depth, start = [], 0, 1
    for i, character in enumerate(shape):
        depth += (character in "({[") - (character in ")}]")
        if (character == "," and depth == 1) or (depth == 0 and i > start):
            elements.append(re.sub(r"/\*index=\d+\*/", "", shape[start:i]).strip())
            start = i + 1
    return [element for element in elements if element]


def _bytes(shape):
    match = _SHAPE.match(shape)
    require(match is not None, "shape-such-f32-2", "collectives", got=shape)
    assert match is not None
    dtype, sizes = match.groups()
    width = re.fullmatch(r"(?:f|bf|s|u)(\d+)(?:e\d+m\d+\w*)?", dtype)
    bits = _BITS.get(dtype, int(width[1]) if width else None)
    require(bits is not None, "dtype-not-known-here", "collectives", dtype=dtype, shape=shape)
    assert bits is not None
    count = math.prod(int(size.lstrip("<=")) for size in sizes.split(",") if size)
    return math.ceil(count * bits / 8)


# groups of devices ----------------------------------------------------------------------------

_LISTS = re.compile(r"(?:replica_groups|source_target_pairs)=\{(\{[\d,{} ]*\})?\}")
_IOTA = re.compile(r"replica_groups=\[([\d,]+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?")
_MESH = re.compile(
    r"replica_groups=(?:@\w+ ?)?mesh\[([^\]]*)\](?:, ?device_ids=\((.*?)\))? \{([^}]*)\}"
)
_AXIS = re.compile(r"'([^']*)'(?::\((\d+)\)(\d+))?")


def _groups(kind, remainder, n) -> tuple[tuple[int, ...], ...]:
    """Return the groups of devices of a collective, or the pairs of a permute."""
    if match := _IOTA.search(remainder):
        return _rows(_iota(match).reshape(_ints(match[1])))
    if match := _MESH.search(remainder):
        return _rows(_mesh_groups(*match.groups()))
    match = _LISTS.search(remainder)
    if match is None:
        raise rejection("groups-devices-unknown", "collectives", rest=remainder[:200])
    if match[1] is None:
        return () if kind == "collective-permute" else (tuple(range(n)),)
    return tuple(tuple(_ints(group)) for group in re.findall(r"\{([\d, ]+)\}", match[1]))


def _iota(match):
    """Return the devices of [..]<=[sizes]T(order): an iota array with transposed axes."""
    array = np.arange(math.prod(_ints(match[2]))).reshape(_ints(match[2]))
    return array.transpose(_ints(match[3])) if match[3] else array


def _mesh_groups(mesh, ids, axes):
    """Return the groups along some axes (or factors of axes, 'a':(before)size) of a mesh."""
    sizes = {name: int(size) for name, size in re.findall(r"'([^']*)'=(\d+)", mesh)}
    named = [(name, int(before or 1), int(size or sizes[name]))
             for name, before, size in _AXIS.findall(axes)]  # fmt: skip
    shape, dims = [], {}
    for name, whole in sizes.items():
        cuts = {1, whole}
        cuts |= {cut for a, before, size in named if a == name for cut in (before, before * size)}
        for low, high in itertools.pairwise(sorted(cuts)):
            dims.setdefault(name, []).append((low, high, len(shape)))
            shape.append(high // low)
    inner = [k for name, before, size in named for low, high, k in dims.get(name, ())
             if low >= before and high <= before * size]  # fmt: skip
    array = _device_ids(ids, math.prod(shape)).reshape(shape)
    outer = [k for k in range(array.ndim) if k not in inner]
    return array.transpose(*outer, *inner).reshape(-1, math.prod(shape[k] for k in inner))


def _device_ids(text, n):
    if not text:
        return np.arange(n)
    if not text.startswith("["):
        return np.array(_ints(text))
    match = re.match(r"\[([\d,]+)\](?:T\(([\d,]+))?", text)
    assert match is not None
    array = np.arange(n).reshape(_ints(match[1]))
    return (array.transpose(_ints(match[2])) if match[2] else array).reshape(-1)


def _rows(array):
    return tuple(tuple(row) for row in array.tolist())


def _ints(text):
    return [int(item) for item in text.split(",") if item.strip()]
