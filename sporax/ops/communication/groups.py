"""Argument checks shared by all faces of the collectives."""

from sporax.core.tensor import Tensor
from sporax.core.value import thread
from sporax.diagnosis.rules import rejection, require
from sporax.distributed import groups, processes


class ReduceOp:
    """Reductions of collectives, by MindSpore's names.

    >>> ops.ReduceOp.SUM
    'sum'
    """

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"
    AVG = "avg"


WORLD = "hccl_world_group"
REDUCTIONS = (ReduceOp.SUM, ReduceOp.MAX, ReduceOp.MIN, ReduceOp.PROD, ReduceOp.AVG)


def group_of(who, name):
    """Return the group of that name, or of all ranks for None; this process must be a member."""
    return groups.member(WORLD if name is None else name, who)


def check_tensor(who, **arguments):
    """Raise TypeError for an argument that is not a Tensor."""
    for name, x in arguments.items():
        require(isinstance(x, Tensor), "tensor", who, argument=name, got=x)


def check_tensors(who, **arguments):
    """Raise TypeError for an argument that is not a list of Tensors."""
    for name, xs in arguments.items():
        if not isinstance(xs, (list, tuple)) or not all(isinstance(x, Tensor) for x in xs):
            kinds = [type(x).__name__ for x in xs] if isinstance(xs, (list, tuple)) else type(xs)
            raise rejection("list-tensors", who, argument=name, got=kinds)


def check_reduction(who, op, error=ValueError):
    """Raise TypeError unless `op` is a string, `error` unless it is a `ReduceOp`."""
    require(isinstance(op, str), "str-rank-operands", who, op=op)
    if op not in REDUCTIONS:
        raise error(f"For '{who}', 'op' must be one of {list(REDUCTIONS)}, but got {op!r}.")


def check_same_length(who, name, xs, group, error=TypeError):
    """Raise `error` unless a list has one entry per rank."""
    if len(xs) != group.size:
        raise error(
            f"For '{who}', '{name}' must have an entry for each of the {group.size} ranks, but got "
            f"{len(xs)}."
        )


def check_divides(who, name, x, group, axis=0):
    """Raise ValueError if the ranks cannot share a Tensor's axis evenly."""
    if x.ndim <= axis or x.shape[axis] % group.size:
        raise rejection(
            "size-axis-multiple-ranks", who, axis=axis, name=name, size=group.size, shape=x.shape
        )


def number_in(who, name, rank, group):
    """Return the group rank of the process with global rank `rank`."""
    require(type(rank) is int, "int", who, argument=name, got=rank)
    if rank not in group.ranks:
        raise rejection("one-ranks", who, argument=name, ranks=list(group.ranks), got=rank)
    return group.ranks.index(rank)


def other_rank(who, name, rank, group):
    """Return `rank` if it is another member of the group; raise ValueError otherwise."""
    number_in(who, name, rank, group)
    require(rank != processes.rank(), "another-rank", who, argument=name, got=rank)
    return rank


def leave_graph():
    """Leave the graph that is being captured: the code that follows is not part of it."""
    recorder = thread.recorder
    if recorder.tracer is not None:
        recorder.tracer.to_host(recorder)


def whole_numbers(who, name, numbers):
    """Return the ints of a list, tuple or Tensor, each at least 0."""
    numbers = numbers.asnumpy().tolist() if isinstance(numbers, Tensor) else numbers
    require(
        isinstance(numbers, (list, tuple)) and all(type(n) is int and n >= 0 for n in numbers),
        "hold-whole-numbers-at-least",
        who,
        argument=name,
        got=numbers,
    )
    return tuple(numbers)
