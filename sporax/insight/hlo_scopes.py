"""Mapping of a compiled program's instructions to recorded operations, from the program's text."""

import math
import re

# name scope of an operation, by index; it is part of the names of XLA's instructions for it
SCOPE = "sporax_operation_{}_"
_SCOPE = re.compile(SCOPE.format(r"(\d+)"))
_COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.-]+) \(.*\{$")
_INSTRUCTION = re.compile(r"^\s+(?:ROOT )?%?([\w.-]+) = (\(.*?\)|\S+) ([\w-]+)\((.*)$")
_ARRAY = re.compile(r"\w+\[([\d,]*)\]")
_OP_NAME = re.compile(r'op_name="([^"]*)"')
_CALLED = re.compile(r"(?:calls|to_apply|body|condition|branch_computations)=\{?([%\w.\-, ]+)")
_NAME = re.compile(r"%([\w.-]+)")

CONTAINERS = {"while", "conditional", "call"}  # their time counts for the instructions inside
_PRODUCTS = {"convolution", "custom-call", "dot"}
_FREE = {"parameter", "constant", "broadcast", "bitcast", "tuple", "get-tuple-element", "iota"}


class Instruction:
    """One HLO instruction: `opcode`, `size` of its result, `operands` by name, recorded `operation`
    (None if its `op_name` does not contain one), and the `called` computations."""

    __slots__ = ("called", "opcode", "operands", "operation", "size")

    def __init__(self, shape, opcode, tail):
        self.opcode = opcode
        sizes = [math.prod(map(int, filter(None, d.split(",")))) for d in _ARRAY.findall(shape)]
        self.size = sum(sizes)
        inside = tail.partition("), ")[0]
        self.operands = _NAME.findall(inside)
        names = _OP_NAME.search(tail)
        scopes = _SCOPE.findall(names.group(1)) if names else []
        self.operation = int(scopes[-1]) if scopes else None
        called = _CALLED.findall(tail)
        self.called = [n.strip().lstrip("%") for group in called for n in group.split(",")]


def computations(text):
    """Return {computation: {instruction: `Instruction`}} of a compiled program's text."""
    by_name, current = {}, {}
    for line in text.splitlines():
        begins = _COMPUTATION.match(line)
        if begins:
            current = by_name[begins.group(1)] = {}
            continue
        match = _INSTRUCTION.match(line)
        if match:
            current[match.group(1)] = Instruction(*match.groups()[1:])
    return by_name


def shares(text, flops):
    """Return ({instruction: {operation: share}}, the instructions that contain others).

    A fusion's shares are proportional to the elements that its instructions compute or read; a
    matrix product or convolution counts the `flops` of its operation. An instruction added by XLA,
    such as a copy, counts for the operation that uses its result.
    """
    every, result, containers = computations(text), {}, set()
    for instructions in every.values():
        users = {}
        for name, one in instructions.items():
            for operand in one.operands:
                users.setdefault(operand, []).append(name)
        for name, one in instructions.items():
            if one.opcode in CONTAINERS:
                containers.add(name)
            weights = _weights(one, every, flops)
            if not weights:
                owner = _neighbour(name, instructions, users)
                weights = {} if owner is None else {owner: 1.0}
            total = sum(weights.values())
            result[name] = {k: w / total for k, w in weights.items()}
    return result, containers


def _weights(one, every, flops):
    weights = {}
    if one.opcode == "fusion":
        for called in one.called:
            inside = every.get(called, {})
            for instruction in inside.values():
                if instruction.operation is not None and instruction.opcode not in _FREE:
                    read = [inside[o].size for o in instruction.operands if o in inside]
                    size = max([instruction.size, 1, *read])
                    if instruction.opcode in _PRODUCTS:
                        size = max(size, flops[instruction.operation])
                    weights[instruction.operation] = weights.get(instruction.operation, 0) + size
    if not weights and one.operation is not None:
        weights = {one.operation: 1.0}
    return weights


def _neighbour(name, instructions, users):
    """Return the operation of a direct or indirect user of an instruction, or else of an operand's
    instruction."""
    for step in (lambda n: users.get(n, []), lambda n: instructions[n].operands):
        queue, seen = [name], {name}
        for current in queue:
            if instructions[current].operation is not None:
                return instructions[current].operation
            more = [n for n in step(current) if n in instructions and n not in seen]
            seen.update(more)
            queue += more
    return None
