"""Argument checks shared by all faces of the collectives."""

from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.devices.distributed import groups, processes
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require


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


TENSOR = kinds.instance(Tensor, "a-tensor")
TENSORS = kinds.sequence_of(TENSOR)


def check_reduction(who, op, error: type[Exception] = ValueError):
    """Raise TypeError unless `op` is a string, `error` unless it is a `ReduceOp`."""
    kinds.STR(who, op=op)
    require(op in REDUCTIONS, "one-of", who, error, op=op, choices=[*REDUCTIONS])


def check_same_length(who, name, xs, group, error: type[Exception] = TypeError):
    """Raise `error` unless a list has one entry per rank."""
    fits, n = len(xs) == group.size, group.size
    require(fits, "entry-for-each-rank", who, error, argument=name, n=n, got=len(xs))


def check_same_type(who, name, x, of_list, own):
    """Raise TypeError unless a Tensor has the dtype and shape of this rank's entry of a list."""
    own, got = [own.dtype, own.shape], [x.dtype, x.shape]
    require(own == got, "shape-dtype-rank-s", who, argument=name, of_list=of_list, own=own, got=got)


def check_divides(who, name, x, group, axis=0):
    """Raise ValueError if the ranks cannot share a Tensor's axis evenly."""
    fits, n = x.ndim > axis and not x.shape[axis] % group.size, group.size
    require(fits, "size-axis-multiple-ranks", who, axis=axis, name=name, size=n, shape=x.shape)


def number_in(who, name, rank, group):
    """Return the group rank of the process with global rank `rank`."""
    require(type(rank) is int, "must-be-type", who, argument=name, got=rank, kind="an-int")
    is_member = rank in group.ranks
    require(is_member, "one-ranks", who, argument=name, ranks=[*group.ranks], got=rank)
    return group.ranks.index(rank)


def rank_number(who, name, number, group):
    """Return `number` if it is a group rank; raise ValueError otherwise."""
    is_rank, last = type(number) is int and 0 <= number < group.size, group.size - 1
    require(is_rank, "0-rank-number-primitives", who, argument=name, number=last, got=number)
    return number


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
    is_sequence = isinstance(numbers, (list, tuple))
    are_counts = is_sequence and all(type(n) is int and n >= 0 for n in numbers)
    require(are_counts, "hold-whole-numbers-at-least", who, argument=name, got=numbers)
    return tuple(numbers)
