"""Functions of `mint.distributed` and `ops.communication` that are the same in both."""

import types

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.communication import comm_func
from sporax.ops.communication.channels import CommHandle, exchange_batch
from sporax.ops.communication.comm_func import check_batch
from sporax.ops.communication.faces import IN_PLACE, publish
from sporax.ops.communication.primitives import barrier_of_class
from sporax.ops.indexing.assignment import put


def set_comm_ops_inplace(is_enable, func_list=None) -> None:
    """Set whether the functions of `ops.communication` write results to their Tensors (the default)
    or return (result, handle). `func_list`: the names of these functions, all by default.

    >>> ops.communication.set_comm_ops_inplace(False, ["all_reduce"])
    >>> ops.communication.all_reduce(Tensor([1.0]))[0].asnumpy()
    array([1.], dtype=float32)
    >>> ops.communication.set_comm_ops_inplace(True)
    """
    who = "set_comm_ops_inplace"
    kinds.BOOL(who, is_enable=is_enable)
    kinds.optional(kinds.SEQUENCE)(who, func_list=func_list)
    known = sorted(IN_PLACE)
    for name in func_list or ():
        require(name in IN_PLACE, "hold-names", who, func_list=name, in_place=known)
    for name in IN_PLACE if func_list is None else func_list:
        IN_PLACE[name] = is_enable


publish("set_comm_ops_inplace", None, set_comm_ops_inplace)


def _plain(function):
    """Declare a function that is the same in `mint.distributed` and in `ops.communication`."""
    publish(function.__name__, function, function)
    IN_PLACE[function.__name__] = True
    return function


@_plain
def barrier(group=None, async_op=False, device_ids=None) -> CommHandle | None:
    """Block until every process of the group has called this; `device_ids`: ignored.

    >>> mint.distributed.barrier()
    """
    barrier_of_class(group)
    return CommHandle() if kinds.BOOL.checked("barrier", "async_op", async_op) else None


def _with_group(function, returned):
    """Declare a function of `comm_func` whose group is None by default."""
    code, scope, name = function.__code__, function.__globals__, function.__name__
    defaults = tuple([None if v == comm_func.WORLD else v for v in function.__defaults__])
    same = types.FunctionType(code, scope, name, defaults)
    same.__doc__ = function.__doc__.replace(f">>> {name}(", f">>> mint.distributed.{name}(")
    same.__module__, same.__annotations__ = __name__, {"return": returned}
    return _plain(same)


send, isend = _with_group(comm_func.send, None), _with_group(comm_func.isend, CommHandle)


@_plain
def recv(tensor, src=0, group=None, tag=0) -> int:
    """Receive a Tensor from process `src` in place; returns 0.

    >>> mint.distributed.recv(Tensor([1.0]), 0)
    Traceback (most recent call last):
        ...
    ValueError: For 'recv', 'src' must be another rank, but got 0, which is this one.
    """
    put("recv", tensor, comm_func.recv(tensor, src, group, tag))
    return 0


@_plain
def irecv(tensor, src=0, group=None, tag=0) -> CommHandle:
    """Start receiving a Tensor from process `src` in place; returns a handle. Reading the Tensor
    also blocks until it has arrived.

    >>> mint.distributed.irecv(Tensor([1.0]), 0)
    Traceback (most recent call last):
        ...
    ValueError: For 'irecv', 'src' must be another rank, but got 0, which is this one.
    """
    received, handle = comm_func.irecv(tensor, src, group, tag)
    tensor._rebind(received._value)
    return handle


class P2POp(comm_func.P2POp):
    """One Tensor to send or to receive, for `batch_isend_irecv`.

    `op`: 'isend' or 'irecv', or the function of that name; `peer`: the other process.

    >>> mint.distributed.P2POp("isend", Tensor([1.0]), 1).peer
    1
    """

    def __init__(self, op, tensor, peer, group=None, tag=0):
        try:
            super().__init__(op, tensor, peer, group, tag)
        except ValueError as error:
            raise TypeError(*error.args) from None


publish("P2POp", P2POp, P2POp)


@_plain
def batch_isend_irecv(p2p_op_list) -> list:
    """Start sending and receiving all of a list of `P2POp`; returns a list with one handle.

    >>> mint.distributed.batch_isend_irecv([])
    Traceback (most recent call last):
        ...
    TypeError: For 'batch_isend_irecv', 'p2p_op_list' must be a list of P2POp, but got none.
    """
    check_batch(p2p_op_list)
    return [exchange_batch([(p.op, p.tensor, p.peer) for p in p2p_op_list])]
