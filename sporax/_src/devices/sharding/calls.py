"""Calls whose Tensors are placed by a strategy: `Primitive.shard`, `shard`."""

import functools
from typing import Any

from sporax._src.core.tensor import Tensor, attach
from sporax._src.core.tree import map_tensors, tensors_of
from sporax._src.devices.sharding.layout import (
    DistributedTensorInfo,
    Layout,
    placements,
    shard_counts,
)
from sporax._src.devices.sharding.mesh import constraint, current_mesh, put
from sporax._src.diagnosis.argument_kinds import INT, TUPLE, instance_of
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.engine.recorder import apply

_TRANSPOSES = ("transpose_a", "transpose_b")


def check_strategy(who, words, strategy):
    """Raise TypeError unless the strategy is a tuple of Layouts, or of tuples of ints (nested for
    an operand that is a tuple of Tensors)."""
    TUPLE.checked(who, words, strategy)
    for entry in _entries(strategy):
        is_entry = isinstance(entry, (tuple, Layout))
        require(is_entry, "element-tuple-layout", who, argument=words, got=entry)
        for n in () if isinstance(entry, Layout) else entry:
            require(INT.accepts(n), "ints-argument-type", who, argument=words, got=n, entry=entry)


def _entries(strategy):
    """Yield a strategy's entries, one for each Tensor."""
    for entry in strategy:
        is_nested = isinstance(entry, tuple) and any(isinstance(n, (tuple, Layout)) for n in entry)
        yield from _entries(entry) if is_nested else [entry]


def constrained(tensor, placement):
    """Place a Tensor; differentiable."""
    return apply(constraint(placement.sharding), tensor)


def placed_as(who, mesh, tree, strategy, words, transposed=()):
    """Place each Tensor in nested containers by a strategy."""
    if strategy is None:
        return tree
    shapes = [t.shape for t in tensors_of(tree)]
    by_tensor = iter(placements(who, mesh, shapes, [*_entries(strategy)], words, transposed))
    return map_tensors(lambda t: constrained(t, next(by_tensor)), tree)


# Primitives -----------------------------------------------------------------------------------


def shard_primitive(primitive, in_strategy, out_strategy):
    """Make the calls of a Primitive place its Tensors by the strategies."""
    for words, strategy in (("in_strategy", in_strategy), ("out_strategy", out_strategy)):
        if strategy is not None:
            check_strategy(primitive.name, words, strategy)
            primitive.add_prim_attr(words, strategy)
    if not hasattr(type(primitive), "_unsharded"):
        primitive.__class__ = _sharded_class(type(primitive))
    return primitive


@functools.cache
def _sharded_class(kind):
    members = {
        "_unsharded": kind,
        "__call__": _call,
        **{n: getattr(kind, n) for n in ("__doc__", "__module__", "__qualname__")},
    }
    return type(kind.__name__, (kind,), members)


def _call(primitive, *args):
    run = functools.partial(type(primitive)._unsharded.__call__, primitive)
    mesh, attrs = current_mesh(), primitive.attrs
    if mesh is None:
        return run(*args)
    transposed = [k for k, name in enumerate(_TRANSPOSES) if attrs.get(name)]
    args = placed_as(
        primitive.name, mesh, args, attrs.get("in_strategy"), "in_strategy", transposed
    )
    return placed_as(primitive.name, mesh, run(*args), attrs.get("out_strategy"), "out_strategy")


def reshard(tensor, layout):
    """Place a Tensor on the entered Mesh by a `Layout`; differentiable. Without a Mesh, return the
    Tensor itself.

    >>> from sporax import parallel
    >>> layout = parallel.Layout((1,), ("dp",))("dp", "None")
    >>> with parallel.Mesh(data=1):
    ...     print(reshard(ops.ones((2, 2)), layout).asnumpy())
    [[1. 1.]
     [1. 1.]]
    """
    instance_of(Tensor)("reshard", tensor=tensor)
    instance_of(Layout)("reshard", layout=layout)
    mesh = current_mesh()
    if mesh is None:
        return tensor
    return placed_as("reshard", mesh, tensor, (layout,), "layout")


def redistribute(tensor, dst_dtensor_info):
    """Place a Tensor by `dst_dtensor_info`, a `DistributedTensorInfo`, which becomes its
    `_dtensor_info`; see `reshard`.

    >>> from sporax._src.devices.sharding.layout import DistributedTensorInfo, Layout
    >>> info = DistributedTensorInfo(Layout((1,), ("dp",))("dp"))
    >>> Tensor([1.0, 2.0]).redistribute(info)._dtensor_info.sharding_strategy
    [1]
    """
    instance_of(DistributedTensorInfo)("redistribute", dst_dtensor_info=dst_dtensor_info)
    result: Any = reshard(tensor, dst_dtensor_info.layout)
    result = Tensor(result) if result is tensor else result
    result._dtensor_info = dst_dtensor_info
    return result


attach("_dtensor_info", None)
attach("redistribute", redistribute)


# functions and Cells --------------------------------------------------------------------------


def shard(fn, in_strategy, out_strategy=None, parameter_plan=None):
    """Return a function that calls `fn`, a Cell or a function, with its Tensors placed on the
    entered Mesh; without a Mesh it is the same as `fn`.

    `in_strategy`, `out_strategy`: for each Tensor a tuple with the number of parts of each
    dimension, or a `Layout`. `parameter_plan`: {name of a Parameter of `fn`: its parts, or a
    Layout}.

    >>> from sporax import parallel
    >>> with parallel.Mesh(data=1):
    ...     double = shard(lambda x: 2 * x, ((1, 1),))
    ...     print(double(ops.ones((2, 2))).asnumpy())
    [[2. 2.]
     [2. 2.]]
    """
    who = "shard"
    require(callable(fn), "must-be-type", who, fn=fn, kind="a-function-or-cell")
    check_strategy(who, "in_strategy", in_strategy)
    if out_strategy is not None:
        check_strategy(who, "out_strategy", out_strategy)
    plan = _checked_plan(who, fn, parameter_plan)
    placed_on = []

    @functools.wraps(getattr(fn, "construct", fn))
    def sharded(*args, **kwargs):
        mesh = current_mesh()
        if mesh is None:
            return fn(*args, **kwargs)
        _place_parameters(who, mesh, plan, placed_on)
        args = placed_as(who, mesh, args, in_strategy, "in_strategy")
        return placed_as(who, mesh, fn(*args, **kwargs), out_strategy, "out_strategy")

    if current_mesh() is not None:
        _place_parameters(who, current_mesh(), plan, placed_on)
    return sharded


def _checked_plan(who, fn, plan):
    """Return [(Parameter, its strategy)] of a plan."""
    if plan is None:
        return []
    is_plan = isinstance(plan, dict) and hasattr(fn, "get_parameters")
    require(is_plan, "dict-fn-cell", who, parameter_plan=plan, fn=fn)
    parameters = {p.name: p for p in fn.get_parameters()}
    chosen = []
    for name, entry in plan.items():
        name = name.removeprefix("self.") if isinstance(name, str) else name
        check_strategy(who, "parameter_plan", (entry,))
        is_known = name in parameters
        require(is_known, "name-parameters-fn", who, parameter_plan=name, names=parameters)
        shape, counts = parameters[name].shape, tuple(shard_counts(entry))
        fits = len(counts) == len(shape) and all(
            n >= 1 and s % n == 0 for n, s in zip(counts, shape, strict=True)
        )
        fields = {"name": name, "shape": shape, "got": counts}
        require(fits, "divide-shape-parts", who, argument="parameter_plan", **fields)
        chosen.append((parameters[name], entry))
    return chosen


def _place_parameters(who, mesh, plan, placed_on):
    if plan and mesh not in placed_on:
        placed_on[:] = [mesh]
        for parameter, entry in plan:
            (placement,) = placements(who, mesh, [parameter.shape], [entry], "parameter_plan")
            put(parameter, placement)
