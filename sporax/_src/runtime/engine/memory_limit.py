"""`memory_limit`: the memory into which programs are made to fit."""

import os

from sporax._src.core.hooks import hooks
from sporax._src.core.units import bytes_of_text
from sporax._src.core.value import thread
from sporax._src.diagnosis.rules import rejection
from sporax._src.runtime.engine.recorder import run_pending
from sporax._src.runtime.engine.trace_tree import forest

VARIABLE = "SPORAX_MEMORY_LIMIT"


class memory_limit:
    """Make each program, such as a training step, fit into so much memory: arrays are dropped
    between the forward and the backward pass and computed again where that is needed. If that is
    not enough, the batch is computed in parts, unless its examples influence each other (as by
    BatchNorm); sums over the batch are then in another order.

    A setting, and a context manager that restores the previous one. `size`: text such as '2GB' or
    '512MiB', a number of bytes, or None for no limit. The environment variable SPORAX_MEMORY_LIMIT
    sets it from the start.

    What counts: the arrays of all live Tensors, and the results and temporary arrays of the program
    that runs (as XLA states them); not Python, compilers, data on the host. Operations that run in
    one program, as a training step does whose values are not read in between, are planned together.
    A line on stderr says what is recomputed and what it costs, and in how many parts the batch is
    computed, or why it is not. Raises MemoryError, with the least that is possible, if a program
    cannot be made to fit.

    >>> layers = [(nn.Dense(64, 64), nn.Tanh()) for _ in range(12)]
    >>> net = nn.SequentialCell(*[cell for pair in layers for cell in pair])
    >>> x = Tensor(np.ones((4096, 64), np.float32))
    >>> of_x = grad(lambda x: net(x).sum())
    >>> with memory_limit("10MB"):
    ...     limited = of_x(x)
    >>> np.allclose(limited.asnumpy(), of_x(x).asnumpy())
    True
    """

    def __init__(self, size: str | int | None) -> None:
        limit = None if size is None else bytes_of_text("memory_limit", size, "size")
        if thread.recorder.tracer is not None:
            raise rejection("memory-limit-outside", "memory_limit")
        self._before = forest.memory_limit
        _switch(limit)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        try:
            if exception[0] is None:
                run_pending()
        finally:
            _switch(self._before)


def _switch(limit):
    if limit != forest.memory_limit:
        run_pending()
        forest.use(hooks.devices, limit)


def limit_from_environment():
    """Set the limit of the environment variable."""
    if size := os.environ.get(VARIABLE):
        forest.use(None, bytes_of_text(None, size, VARIABLE))
