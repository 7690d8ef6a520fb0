"""Hooks: functions that a package calls and another one, which it does not import, sets.

The setting package does so on its import (`complete()` imports what Tensors need), or while a Mesh
is entered.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


def _not_set(*args):
    raise RuntimeError("the package that sets this hook is not imported yet")


@dataclass(slots=True)
class Hooks:
    """Before each hook: the modules that set it -> the modules that call it: what it does."""

    # initializers.base -> core.tensor core.parameter: a Tensor from (init, shape, dtype)
    initial_value: Callable = _not_set
    # autodiff.no_grad -> core.parameter: a Value without its gradient
    detached: Callable = _not_set
    # index_checks.deferred -> core.tensor: raise the first deferred error of programs that have run
    raise_deferred: Callable = _not_set
    # ops.shape.joining -> core.tensor: one Tensor from (name, sequence of Tensors)
    stacked: Callable = _not_set
    # sharding.mesh -> core.tensor: (Value, placement) moved to the placement's devices
    placed: Callable = _not_set
    # sharding.mesh sharding.described_mesh -> core.parameter: place a new Parameter; None: no Mesh
    new_parameter: Callable | None = None
    # sharding.mesh -> data.iterator: a batch as Tensor from (array, shards); None: no Mesh
    batch: Callable | None = None
    # sharding.mesh -> engine.program: the error to raise from (error, arrays)
    incompatible: Callable = lambda error, arrays: error
    # sharding.all_devices -> distributed.parallel_context: apply changed settings
    auto_parallel: Callable = _not_set
    # nn -> engine.origin index_checks.checks: Cells that run in (frame) and its callers
    calling_cells: Callable[[Any], list] = lambda frame: []
    # nn -> engine.origin index_checks.checks: the path of the innermost of these Cells
    cell_path: Callable[[list], str] = lambda cells: ""
    # nn -> autodiff.debug.anomaly: the path of the Cell that runs in (frames)
    path_of_cell: Callable[[list], str] = lambda frames: ""


hooks = Hooks()
