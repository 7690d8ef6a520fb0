"""Arrays expanded and reduced to other shapes, by the names of MindSpore's compiler."""

import functools

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import composite
from sporax.ops.math.order_statistics import median, nanmedian
from sporax.ops.shape.joining import broadcast_to
from sporax.ops.shape.reshape import reshape


@composite()
def distribute(x, shape):
    """Broadcast `x` to a shape, as `broadcast_to`.

    >>> ops.distribute(Tensor([1.0]), (3,)).asnumpy()
    array([1., 1., 1.], dtype=float32)
    """
    return broadcast_to(x, shape)


@composite()
def array_reduce(fn, x, shape):
    """Reduce `x` to a shape by a function of two Tensors: the reverse of `distribute`.

    Reduces axes before those in `shape`, and axes of size 1 in it, starting with the first item.

    >>> ops.array_reduce(ops.add, Tensor([[1.0, 2.0], [3.0, 4.0]]), (1, 2)).asnumpy()
    array([[4., 6.]], dtype=float32)
    """
    ahead = x.ndim - len(shape)
    pairs = zip(shape, x.shape[max(ahead, 0) :], strict=False)
    fits = ahead >= 0 and all(n in (1, m) for n, m in pairs)
    require(fits, "broadcast", "array_reduce", argument="shape", shape=x.shape, got=shape)
    sizes = (1,) * ahead + tuple(shape)
    for axis, (old, new) in enumerate(zip(x.shape, sizes, strict=True)):
        if old != new:
            items = [x.narrow(axis, i, 1) for i in range(old)]
            x = functools.reduce(fn, items)
    return reshape(x, tuple(shape))


@composite(
    function=(),
    primitive="Median(global_median=False, axis=0, keep_dims=False, ignore_nan=False)(x)",
)
def median_of_class(
    x, global_median=False, axis=0, keep_dims=False, ignore_nan=False
) -> tuple:  # fmt: skip
    """Return the lower of the two middle elements along `axis`, and its index (Int64): a pair.

    `global_median`: over all elements, with the index 0. `ignore_nan`: skips NaN.

    >>> ops.Median()(Tensor([1.0, 5.0, 3.0]))[0].asnumpy()
    array(3., dtype=float32)
    """
    flags = {"global_median": global_median, "keep_dims": keep_dims, "ignore_nan": ignore_nan}
    kinds.BOOL("Median", **flags)
    compute = nanmedian if ignore_nan else median
    if not global_median:
        return compute(x, axis, keep_dims)
    value, index = compute(reshape(x, (-1,)))
    return value, index * 0
