"""`DescribedMesh`: devices for which programs can be compiled, but which hold no arrays."""

import contextlib
from collections.abc import Iterator
from typing import Any

from sporax._src.core.hooks import hooks
from sporax._src.core.parameter import live_parameters
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import Changes, thread
from sporax._src.devices.sharding.mesh import Mesh, _entered, _move, current_mesh
from sporax._src.diagnosis.rules import message, rejection


class DescribedMesh(Mesh):
    """A `Mesh` for compiling and for estimates (`estimate`), not for running.

    As a context, it gives each Parameter a placement, and `place` and `divide` change it, but no
    array is moved: computations inside run on one device, as without it. On leaving, placements are
    restored. `devices`: by default the first of this process; `jax.experimental.topologies` has
    devices of other machines (for TPUs, if libtpu is installed). Raises RuntimeError inside another
    Mesh.

    >>> from sporax import parallel
    >>> with parallel.DescribedMesh(data=1):
    ...     print(parallel.placement_of(nn.Dense(2, 3).weight))
    DescribedMesh(data=1)()
    """

    holds_arrays = records = False

    def __init__(self, *, devices: Any = None, **axes: int) -> None:
        super().__init__(devices=devices, **axes)
        self.before = []

    def __repr__(self):
        return f"Described{super().__repr__()}"

    def __enter__(self):
        if thread.recorder.tracer is not None or current_mesh() is not None:
            around = current_mesh() or message("a-capture")
            raise rejection("entered-outside-captured-functions", self, around=around)
        self.before = [(p, p._placement) for p in live_parameters()]
        _entered.append(self)
        try:
            for p, _ in self.before:
                if not p.has_init:
                    _move(p, self)
        except BaseException:
            self.__exit__()
            raise
        hooks.new_parameter = lambda p: _move(p, self)
        return self

    def __exit__(self, *exception):
        _entered.remove(self)
        hooks.new_parameter = None
        for p in live_parameters():
            if p._placement is not None and p._placement.mesh is self:
                p._placement = None
        for p, placement in self.before:
            p._placement = placement
        self.before = []
        Changes.count += 1

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Apply the placements to operations recorded in the block."""
        self.records = True
        try:
            yield
        finally:
            self.records = False

    def batch(self, data: Any, shards: int = 1) -> Tensor:
        raise rejection("no-batch-divide-nothing", self)
