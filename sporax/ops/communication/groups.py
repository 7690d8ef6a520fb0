"""Argument checks shared by all faces of the collectives."""

from sporax.core.tensor import Tensor
from sporax.core.value import thread
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
        if not isinstance(x, Tensor):
            raise TypeError(f"For '{who}', '{name}' must be a Tensor, but got {type(x).__name__}.")


def check_tensors(who, **arguments):
    """Raise TypeError for an argument that is not a list of Tensors."""
    for name, xs in arguments.items():
        if not isinstance(xs, (list, tuple)) or not all(isinstance(x, Tensor) for x in xs):
            kinds = [type(x).__name__ for x in xs] if isinstance(xs, (list, tuple)) else type(xs)
            raise TypeError(f"For '{who}', '{name}' must be a list of Tensors, but got {kinds}.")


def check_reduction(who, op, error=ValueError):
    """Raise TypeError unless `op` is a string, `error` unless it is a `ReduceOp`."""
    if not isinstance(op, str):
        raise TypeError(f"For '{who}', 'op' must be a string, but got {type(op).__name__}.")
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
        raise ValueError(
            f"For '{who}', the size of axis {axis} of '{name}' must be a multiple of the "
            f"{group.size} ranks, but its shape is {x.shape}."
        )


def number_in(who, name, rank, group):
    """Return the group rank of the process with global rank `rank`."""
    if type(rank) is not int:
        raise TypeError(f"For '{who}', '{name}' must be an int, but got {type(rank).__name__}.")
    if rank not in group.ranks:
        raise ValueError(
            f"For '{who}', '{name}' must be one of the ranks {list(group.ranks)}, but got {rank}."
        )
    return group.ranks.index(rank)


def other_rank(who, name, rank, group):
    """Return `rank` if it is another member of the group; raise ValueError otherwise."""
    number_in(who, name, rank, group)
    if rank == processes.rank():
        raise ValueError(
            f"For '{who}', '{name}' must be another rank, but got {rank}, which is this one."
        )
    return rank


def leave_graph():
    """Leave the graph that is being captured: the code that follows is not part of it."""
    recorder = thread.recorder
    if recorder.tracer is not None:
        recorder.tracer.to_host(recorder)


def whole_numbers(who, name, numbers):
    """Return the ints of a list, tuple or Tensor, each at least 0."""
    numbers = numbers.asnumpy().tolist() if isinstance(numbers, Tensor) else numbers
    if not isinstance(numbers, (list, tuple)) or not all(
        type(n) is int and n >= 0 for n in numbers
    ):
        raise TypeError(
            f"For '{who}', '{name}' must hold whole numbers, at least 0, but got {numbers!r:.80}."
        )
    return tuple(numbers)
