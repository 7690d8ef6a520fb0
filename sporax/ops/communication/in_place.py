"""Collectives that write their results to Tensors: `mint.distributed`, `ops.communication`.

Each function plans its writes. Two faces follow: `mint.distributed`'s writes and returns a handle;
`ops`'s does too unless `set_comm_ops_inplace` makes it return (result, handle).
"""

import functools
from typing import Any

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.communication import collectives, comm_func
from sporax.ops.communication.channels import CommHandle, exchange_batch
from sporax.ops.communication.comm_func import (
    check_batch,
    parts_from,
    split_sizes,
)
from sporax.ops.communication.groups import (
    TENSOR,
    TENSORS,
    ReduceOp,
    check_divides,
    check_reduction,
    check_same_length,
    group_of,
    leave_graph,
    number_in,
)
from sporax.ops.communication.primitives import (
    all_to_all_of_matrix,
    all_to_all_of_parts,
    barrier_of_class,
)
from sporax.ops.declare import FUNCTIONS, MINT
from sporax.ops.indexing.assignment import put
from sporax.ops.shape.creation import zeros
from sporax.ops.shape.joining import concat

_in_place = {}  # name of a function of `ops` -> True if it writes its result
FACES = {}  # faces of `ops.communication` by name
_OTHERS = {"gather", "scatter"}  # names with another meaning in `ops` itself


def publish(name, in_mint, in_ops):
    """Register the two faces; None for a face that does not exist."""
    if in_mint is not None:
        MINT[f"distributed.{name}"] = in_mint
    if in_ops is not None:
        FACES[name] = in_ops
        if name not in _OTHERS:
            FUNCTIONS[name] = in_ops


def _writes(in_mint=True, returns=False):
    """Declare a function that returns (Tensors to write, their new contents). `returns`: True if it
    can return them instead."""

    def declare(plan):
        name = plan.__name__

        @functools.wraps(plan)
        def write(*args, async_op=False, **kwargs):
            is_async = kinds.BOOL.checked(name, "async_op", async_op)
            targets, results = plan(*args, **kwargs)
            for target, result in zip(targets, results, strict=True):
                put(name, target, _shaped(name, target, result))
            return CommHandle(tensors=tuple(targets)) if is_async else None

        @functools.wraps(plan)
        def write_or_return(*args, async_op=False, **kwargs):
            if _in_place[name]:
                return face(*args, async_op=async_op, **kwargs)
            require(returns, "results-can-put-into", name, name=name)
            is_async = kinds.BOOL.checked(name, "async_op", async_op)
            _, (result,) = plan(*args, **kwargs)
            return result, CommHandle(tensors=(result,)) if is_async else None

        face = _with_async(plan, write, CommHandle | None)
        other = _with_async(plan, write_or_return, Any)
        _in_place[name] = True
        publish(name, face if in_mint else None, other)
        return face

    return declare


def _with_async(plan, function, returned):
    """Return the function with `async_op` after `plan`'s parameters, positional or keyword."""
    names = [*plan.__code__.co_varnames[: plan.__code__.co_argcount], "async_op"]
    head = ", ".join(names)
    defaults = (*(plan.__defaults__ or ()), False)
    call = ", ".join([*names[:-1], "async_op=async_op"])
    scope = {"function": function}
    exec(f"def {plan.__name__}({head}):\n    return function({call})", scope)
    face = scope[plan.__name__]
    face.__defaults__, face.__annotations__ = defaults, {"return": returned}
    face.__doc__, face.__module__ = plan.__doc__, plan.__module__
    return face


def _shaped(name, target, result):
    check_output(name, target, result.shape, result.dtype)
    return result


def check_output(name, target, shape, dtype):
    """Raise ValueError if the shape or dtype of an output differs from the result's."""
    own, got = [dtype, shape], [target.dtype, target.shape]
    require(own == got, "output-dtype-shape", name, own=own, got=got)


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
    known = sorted(_in_place)
    for name in func_list or ():
        require(name in _in_place, "hold-names", who, func_list=name, in_place=known)
    for name in _in_place if func_list is None else func_list:
        _in_place[name] = is_enable


publish("set_comm_ops_inplace", None, set_comm_ops_inplace)


# reductions -------------------------------------------------------------------------------------


@_writes(returns=True)
def all_reduce(tensor, op=ReduceOp.SUM, group=None):
    """Reduce all processes' Tensors (sum, or `op`) in place.

    Returns a handle if `async_op`, else None, as do all functions of `mint.distributed` that have
    this argument.

    >>> tensor = Tensor([1.0, 2.0])
    >>> mint.distributed.all_reduce(tensor, "max")
    >>> tensor.asnumpy()
    array([1., 2.], dtype=float32)
    """
    check_reduction("all_reduce", op, TypeError)
    return [tensor], [comm_func.all_reduce(tensor, op, group)[0]]


@_writes()
def reduce(tensor, dst, op=ReduceOp.SUM, group=None):
    """Reduce all processes' Tensors (sum, or `op`) into the Tensor of process `dst`.

    >>> tensor = Tensor([1.0, 2.0])
    >>> mint.distributed.reduce(tensor, 0)
    >>> tensor.asnumpy()
    array([1., 2.], dtype=float32)
    """
    TENSOR("reduce", tensor=tensor)
    check_reduction("reduce", op, TypeError)
    ranks = group_of("reduce", group)
    root = number_in("reduce", "dst", dst, ranks)
    return [tensor], [collectives.reduce(tensor, op, root, ranks, True)]


@_writes(returns=True)
def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None):
    """Reduce all processes' `input` (sum, or `op`) and write this process' part to `output`.

    >>> output = Tensor([0.0, 0.0])
    >>> mint.distributed.reduce_scatter_tensor(output, Tensor([1.0, 2.0]))
    >>> output.asnumpy()
    array([1., 2.], dtype=float32)
    """
    TENSOR("reduce_scatter_tensor", input=input)
    check_reduction("reduce_scatter_tensor", op, TypeError)
    ranks = group_of("reduce_scatter_tensor", group)
    check_divides("reduce_scatter_tensor", "input", input, ranks)
    shape = input.shape[0] // ranks.size, *input.shape[1:]
    if output is not None:  # None if it is returned instead, see `set_comm_ops_inplace`
        TENSOR("reduce_scatter_tensor", output=output)
        check_output("reduce_scatter_tensor", output, shape, input.dtype)
    return [output], [comm_func.reduce_scatter_tensor(input, op, group)[0]]


@_writes()
def reduce_scatter_tensor_uneven(
    output, input, input_split_sizes=None, op=ReduceOp.SUM, group=None
):
    """As `reduce_scatter_tensor`; `input_split_sizes`: the number of rows for each process.

    >>> output = Tensor([0.0, 0.0])
    >>> mint.distributed.reduce_scatter_tensor_uneven(output, Tensor([1.0, 2.0]), [2])
    >>> output.asnumpy()
    array([1., 2.], dtype=float32)
    """
    who = "reduce_scatter_tensor_uneven"
    TENSOR(who, output=output, input=input)
    check_reduction(who, op, TypeError)
    ranks = group_of(who, group)
    lengths = split_sizes(who, "input_split_sizes", input_split_sizes, input.shape[0], ranks)
    check_same_length(who, "input_split_sizes", lengths, ranks, ValueError)
    check_output(who, output, (lengths[ranks.rank], *input.shape[1:]), input.dtype)
    return [output], [collectives.reduce_scatter_v(input, lengths, op, ranks)]


@_writes()
def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None):
    """Reduce (sum, or `op`) all processes' Tensors for this one and write the result to `output`.

    `input_list`: a Tensor for each process.

    >>> output = Tensor([0.0, 0.0])
    >>> mint.distributed.reduce_scatter(output, [Tensor([1.0, 2.0])])
    >>> output.asnumpy()
    array([1., 2.], dtype=float32)
    """
    who = "reduce_scatter"
    TENSOR(who, output=output)
    TENSORS(who, input_list=input_list)
    check_reduction(who, op, TypeError)
    ranks = group_of(who, group)
    check_same_length(who, "input_list", input_list, ranks)
    _check_own(who, "output", output, "input_list", input_list[ranks.rank])
    flat = concat([x.reshape(-1) for x in input_list])
    total = collectives.reduce_scatter_v(flat, tuple(x.size for x in input_list), op, ranks)
    return [output], [total.reshape(output.shape)]


def _check_own(who, name, x, of_list, own):
    """Raise TypeError unless a Tensor is like this rank's entry of a list."""
    own, got = [own.dtype, own.shape], [x.dtype, x.shape]
    require(own == got, "shape-dtype-rank-s", who, argument=name, of_list=of_list, own=own, got=got)


# from all to all --------------------------------------------------------------------------------


@_writes(returns=True)
def all_gather_into_tensor(output_tensor, input_tensor, group=None):
    """Concatenate all processes' Tensors along the first axis into `output_tensor`.

    >>> output = Tensor([0.0, 0.0])
    >>> mint.distributed.all_gather_into_tensor(output, Tensor([1.0, 2.0]))
    >>> output.asnumpy()
    array([1., 2.], dtype=float32)
    """
    who = "all_gather_into_tensor"
    TENSOR(who, input_tensor=input_tensor)
    rows = group_of(who, group).size * (input_tensor.shape or (1,))[0]
    if output_tensor is not None:  # as in `reduce_scatter_tensor`
        TENSOR(who, output_tensor=output_tensor)
        check_output(who, output_tensor, (rows, *input_tensor.shape[1:]), input_tensor.dtype)
    gathered, _ = comm_func.all_gather_into_tensor(input_tensor, group)
    return [output_tensor], [gathered]


@_writes()
def all_gather_into_tensor_uneven(output, input, output_split_sizes=None, group=None):
    """As `all_gather_into_tensor`; `output_split_sizes`: the number of rows of each process.

    >>> output = Tensor([0.0, 0.0])
    >>> mint.distributed.all_gather_into_tensor_uneven(output, Tensor([1.0, 2.0]), [2])
    >>> output.asnumpy()
    array([1., 2.], dtype=float32)
    """
    who = "all_gather_into_tensor_uneven"
    TENSOR(who, output=output, input=input)
    ranks = group_of(who, group)
    lengths = split_sizes(who, "output_split_sizes", output_split_sizes, output.shape[0], ranks)
    check_same_length(who, "output_split_sizes", lengths, ranks, ValueError)
    rows, shape = lengths[ranks.rank], input.shape
    require(shape[0] == rows, "rows-as-split-sizes", who, input=shape, rows=rows)
    check_output(who, output, (sum(lengths), *input.shape[1:]), input.dtype)
    return [output], [collectives.all_gather_v(input, lengths, ranks)]


@_writes()
def all_gather(tensor_list, tensor, group=None):
    """Write each process' Tensor to its entry of `tensor_list`.

    >>> outputs = [Tensor([0.0, 0.0])]
    >>> mint.distributed.all_gather(outputs, Tensor([1.0, 2.0]))
    >>> outputs[0].asnumpy()
    array([1., 2.], dtype=float32)
    """
    TENSOR("all_gather", tensor=tensor)
    TENSORS("all_gather", tensor_list=tensor_list)
    ranks = group_of("all_gather", group)
    check_same_length("all_gather", "tensor_list", tensor_list, ranks)
    _check_own("all_gather", "tensor", tensor, "tensor_list", tensor_list[ranks.rank])
    sizes = tuple(x.size for x in tensor_list)  # may differ
    gathered = collectives.all_gather_v(tensor.reshape(-1), sizes, ranks)
    ends = [sum(sizes[: i + 1]) for i in range(ranks.size)]
    parts = zip(tensor_list, sizes, ends, strict=True)
    return tensor_list, [gathered[end - n : end].reshape(x.shape) for x, n, end in parts]


@_writes()
def all_to_all(output_tensor_list, input_tensor_list, group=None):
    """Write each process' Tensor for this one to its entry of `output_tensor_list`.

    >>> outputs = [Tensor([0.0, 0.0])]
    >>> mint.distributed.all_to_all(outputs, [Tensor([1.0, 2.0])])
    >>> outputs[0].asnumpy()
    array([1., 2.], dtype=float32)
    """
    TENSORS("all_to_all", output_tensor_list=output_tensor_list)
    ranks, shapes = group_of("all_to_all", group), [x.shape for x in output_tensor_list]
    return output_tensor_list, parts_from("all_to_all", shapes, input_tensor_list, ranks)


@_writes()
def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None):
    """Exchange rows and write the received ones to `output`.

    `input_split_sizes`, `output_split_sizes`: the number of rows sent to and received from each
    process; equal parts by default.

    >>> output = Tensor([0.0, 0.0])
    >>> mint.distributed.all_to_all_single(output, Tensor([1.0, 2.0]))
    >>> output.asnumpy()
    array([1., 2.], dtype=float32)
    """
    who = "all_to_all_single"
    TENSOR(who, output=output, input=input)
    ranks = group_of(who, group)
    sent = split_sizes(who, "input_split_sizes", input_split_sizes, input.shape[0], ranks)
    received = split_sizes(who, "output_split_sizes", output_split_sizes, output.shape[0], ranks)
    return [output], [all_to_all_of_parts(who, input, sent, received, ranks)]


@_writes(in_mint=False)
def all_to_all_v_c(output, input, send_count_matrix, group=None):
    """Exchange rows and write the received ones to `output`; `send_count_matrix[i * ranks + j]`:
    the number of rows that process `i` sends to `j`.

    >>> output = Tensor([0.0, 0.0])
    >>> ops.communication.all_to_all_v_c(output, Tensor([1.0, 2.0]), [2])
    >>> output.asnumpy()
    array([1., 2.], dtype=float32)
    """
    who = "all_to_all_v_c"
    TENSOR(who, output=output, input=input)
    return [output], [all_to_all_of_matrix(who, input, send_count_matrix, group_of(who, group))]


# from one, to one -------------------------------------------------------------------------------


@_writes()
def broadcast(tensor, src, group=None):
    """Copy the Tensor of process `src` to the Tensors of all processes.

    >>> tensor = Tensor([1.0, 2.0])
    >>> mint.distributed.broadcast(tensor, 0)
    """
    return [tensor], [comm_func.broadcast(tensor, src, group)]


@_writes()
def scatter_tensor(output_tensor, input_tensor, src=0, group=None):
    """Write this process' part, along the first axis, of `input_tensor` of process `src` to
    `output_tensor`.

    >>> output = Tensor([0.0, 0.0])
    >>> ops.communication.scatter_tensor(output, Tensor([1.0, 2.0]))
    >>> output.asnumpy()
    array([1., 2.], dtype=float32)
    """
    TENSOR("scatter_tensor", output_tensor=output_tensor, input_tensor=input_tensor)
    return [output_tensor], [comm_func.scatter_tensor(input_tensor, src, group)]


@_writes()
def gather_into_tensor(output_tensor, input_tensor, dst=0, group=None):
    """Concatenate all processes' Tensors into `output_tensor` of process `dst`.

    >>> output = Tensor([0.0, 0.0])
    >>> ops.communication.gather_into_tensor(output, Tensor([1.0, 2.0]))
    >>> output.asnumpy()
    array([1., 2.], dtype=float32)
    """
    who = "gather_into_tensor"
    TENSOR(who, output_tensor=output_tensor, input_tensor=input_tensor)
    ranks = group_of(who, group)
    root = number_in(who, "dst", dst, ranks)
    leave_graph()  # without a write, a program would eliminate the collective
    gathered = collectives.gather(input_tensor, root, ranks)
    return ([output_tensor], [gathered]) if ranks.rank == root else ([], [])


def _check_list_like(who, tensor, name, tensors, ranks):
    """Raise unless the list has one Tensor like `tensor` for each process."""
    TENSORS(who, **{name: tensors})
    check_same_length(who, name, tensors, ranks)
    for x in tensors:
        _check_own(who, "tensor", tensor, name, x)


@_writes()
def scatter(tensor, scatter_list, src=0, group=None):
    """Write this process' entry of `scatter_list`, of process `src`, to `tensor`.

    >>> tensor = Tensor([0.0, 0.0])
    >>> mint.distributed.scatter(tensor, [Tensor([1.0, 2.0])])
    >>> tensor.asnumpy()
    array([1., 2.], dtype=float32)
    """
    TENSOR("scatter", tensor=tensor)
    ranks = group_of("scatter", group)
    root = number_in("scatter", "src", src, ranks)
    if scatter_list is not None or ranks.rank == root:
        _check_list_like("scatter", tensor, "scatter_list", scatter_list, ranks)
    flat = zeros((ranks.size * tensor.size,), tensor.dtype)
    if ranks.rank == root:
        flat = concat([x.reshape(-1) for x in scatter_list])
    return [tensor], [collectives.scatter(flat, root, ranks).reshape(tensor.shape)]


@_writes()
def gather(tensor, gather_list, dst=0, group=None):
    """Write each process' Tensor to its entry of `gather_list` of process `dst`.

    >>> outputs = [Tensor([0.0, 0.0])]
    >>> mint.distributed.gather(Tensor([1.0, 2.0]), outputs)
    >>> outputs[0].asnumpy()
    array([1., 2.], dtype=float32)
    """
    TENSOR("gather", tensor=tensor)
    ranks = group_of("gather", group)
    root = number_in("gather", "dst", dst, ranks)
    if gather_list is not None or ranks.rank == root:
        _check_list_like("gather", tensor, "gather_list", gather_list, ranks)
    leave_graph()  # see `gather_into_tensor`
    gathered = collectives.gather(tensor.reshape(-1), root, ranks)
    if ranks.rank != root:
        return [], []
    return gather_list, list(gathered.reshape((ranks.size, *tensor.shape)))


# without a result -------------------------------------------------------------------------------


def _plain(function):
    """Declare a function that is the same in `mint.distributed` and in `ops.communication`."""
    publish(function.__name__, function, function)
    _in_place[function.__name__] = True
    return function


@_plain
def barrier(group=None, async_op=False, device_ids=None) -> CommHandle | None:
    """Block until every process of the group has called this; `device_ids`: ignored.

    >>> mint.distributed.barrier()
    """
    barrier_of_class(group)
    return CommHandle() if kinds.BOOL.checked("barrier", "async_op", async_op) else None


@_plain
def send(tensor, dst=0, group=None, tag=0) -> None:
    """Send a Tensor to process `dst`, which calls `recv`, and block until it has arrived.

    >>> mint.distributed.send(Tensor([1.0]), 0)
    Traceback (most recent call last):
        ...
    ValueError: For 'send', 'dst' must be another rank, but got 0, which is this one.
    """
    comm_func.send(tensor, dst, group, tag)


@_plain
def isend(tensor, dst=0, group=None, tag=0) -> CommHandle:
    """Start sending a Tensor to process `dst`; returns a handle.

    >>> mint.distributed.isend(Tensor([1.0]), 0)
    Traceback (most recent call last):
        ...
    ValueError: For 'isend', 'dst' must be another rank, but got 0, which is this one.
    """
    return comm_func.isend(tensor, dst, group, tag)


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
