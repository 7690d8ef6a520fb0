"""`DistributedDataParallel`: a network with gradients averaged over all processes."""

import contextlib
import weakref

from sporax import ops
from sporax._src.core.errors import warn
from sporax._src.core.parameter import Parameter
from sporax._src.devices.distributed.groups import WORLD_NAMES, member
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.transforms.autodiff.hooks import Gate
from sporax._src.transforms.autodiff.tape import active_tape
from sporax.nn.cell import CELL, Cell
from sporax.nn.training_cells import DistributedGradReducer
from sporax.ops.communication import collectives

_REDUCERS = ("CppReducer", "PythonReducer")
# cell -> its _Reduction under the tape of the current derivative, and that tape's hooks
_open = weakref.WeakKeyDictionary()


class DistributedDataParallel(Cell):
    """Average the gradients of `module`'s trainable Parameters over all processes.

    Gradients accumulate across derivatives until `zero_grad()`; inside `no_sync()` each process
    accumulates its own. `init_sync`: broadcast the Parameters of the first process.
    `process_group`: a group name, all processes by default. Gradients are sent in buffers of up to
    25 MB, and gradients of unused Parameters are zeros, so `bucket_cap_mb`,
    `find_unused_parameters`, `average_in_collective`, `static_graph` and `reducer_mode` have no
    effect.

    >>> from sporax.nn.distributed_data_parallel import DistributedDataParallel
    >>> net = DistributedDataParallel(nn.Dense(2, 1, has_bias=False))
    >>> step = ms.grad(lambda x: net(x).sum(), None, net.trainable_params())
    >>> [step(ops.ones((1, 2)))[0].asnumpy().tolist() for _ in range(2)]
    [[[1.0, 1.0]], [[2.0, 2.0]]]
    >>> net.zero_grad()
    >>> step(ops.ones((1, 2)))[0].asnumpy()
    array([[1., 1.]], dtype=float32)
    """

    def __init__(
        self, module, init_sync=True, process_group=None, bucket_cap_mb=None,
        find_unused_parameters=False, average_in_collective=False, static_graph=False,
        reducer_mode="CppReducer",
    ):  # fmt: skip
        super().__init__(auto_prefix=False)
        who = "DistributedDataParallel"
        CELL(who, module=module)
        kinds.one_of(*_REDUCERS)(who, reducer_mode=reducer_mode)
        if bucket_cap_mb is not None:
            warn(f"'bucket_cap_mb' of '{who}' has no effect: a buffer has up to 25 MB.")
        group = WORLD_NAMES[0] if process_group is None else process_group
        self.module, self.process_group, self.sync_enabled = module, group, True
        weights = [p for p in module.get_parameters() if p.requires_grad]
        ranks = member(group, who)
        if init_sync and ranks.size > 1:
            for p in module.get_parameters():
                p.set_data(collectives.broadcast(p, 0, ranks))
        # not Parameters of the network, which would be saved and counted
        self.__dict__["_weights"] = weights
        self.__dict__["_sums"] = [
            Parameter(ops.zeros_like(p), name=f"{p.name}.sum", requires_grad=False) for p in weights
        ]
        self.__dict__["_mean"] = DistributedGradReducer([], True, group=group)

    def construct(self, *inputs, **inputs_dict):
        tape = active_tape()
        if tape is None:
            return self.module(*inputs, **inputs_dict)
        hooks, reduction = _open.get(self, (None, None))
        if hooks is not tape.hooks or not reduction.is_of(self._weights):
            reduction = _Reduction(self)
            _open[self] = tape.hooks, reduction
        with reduction.replaced():
            return self.module(*inputs, **inputs_dict)

    def _reduced(self, gradients):
        """Return the accumulated gradients, averaged over all processes if synchronised."""
        _open.pop(self, None)
        sums = [
            total.value() if g is None else total + g
            for total, g in zip(self._sums, gradients, strict=True)
        ]
        sums = self._mean(tuple(sums)) if self.sync_enabled else sums
        for total, value in zip(self._sums, sums, strict=True):
            ops.assign(total, value)
        return tuple(sums)

    def zero_grad(self):
        """Reset the accumulated gradients to 0."""
        for total in self._sums:
            ops.assign(total, ops.zeros_like(total))

    @contextlib.contextmanager
    def no_sync(self):
        """Keep gradients local in this block; the next gradients outside average the accumulated
        sums."""
        self.sync_enabled = False
        try:
            yield
        finally:
            self.sync_enabled = True


class _Reduction(Gate):
    """Gate of a network's Parameters under one tape: their gradients arrive all at once, even
    for several calls."""

    __slots__ = ("cell", "originals", "passed")

    def __init__(self, cell):
        self.cell = weakref.proxy(cell)  # the cell is the key of `_open`
        self.originals = [p._lift() for p in cell._weights]
        passed = self.through(cell._weights)
        self.passed = None if passed is None else [tensor._value for tensor in passed[0]]

    def is_of(self, weights):
        """Return True if the Parameters still have the values that went through the gate."""
        return all(p._value is v for p, v in zip(weights, self.originals, strict=True))

    @contextlib.contextmanager
    def replaced(self):
        """Replace Parameter values with the gate's outputs for the duration of a block."""
        if self.passed is None:  # no derivative with respect to them
            yield
            return
        weights = self.cell._weights
        for p, value in zip(weights, self.passed, strict=True):
            p._value = value
        try:
            yield
        finally:
            for p, value, original in zip(weights, self.passed, self.originals, strict=True):
                if p._value is value:  # else the network has assigned a new value
                    p._value = original

    def answer(self, out, gradients):
        """Return the averaged sums of gradients."""
        return self.cell._reduced(gradients)


__all__ = ["DistributedDataParallel"]
