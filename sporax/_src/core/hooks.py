"""Hooks: functions and classes that a package uses and another one, which it does not import, sets.

The setting package does so on its import (`complete()` imports what Tensors need), or while a Mesh
is entered.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sporax._src.diagnosis.rules import rejection


def _not_set(*args):
    raise rejection("package-sets-hook-not")


@dataclass(slots=True)
class Hooks:
    """Before each hook: the modules that set it -> the modules that use it: what it does."""

    # engine.recorder engine.debug.explain -> core.value: the class of new recorders
    recorder: Any = None
    # storage.lending -> core.value core.signal_handlers: for a new thread or signal handler
    new_context: Callable = lambda: None
    # initializers.base -> core.tensor core.parameter: a Tensor from (init, shape, dtype)
    initial_value: Callable = _not_set
    # autodiff.no_grad -> core.parameter: a Value without its gradient
    detached: Callable = _not_set
    # index_checks.deferred -> core.tensor core.to_host: raise the first deferred error of programs
    # that have run
    raise_deferred: Callable = _not_set
    # ops.shape.joining -> core.tensor: one Tensor from (name, sequence of Tensors)
    stacked: Callable = _not_set
    # ops.fallback -> engine.recorder: what `__fallback__` gets for (Op, operands)
    fallback_arguments: Callable = _not_set
    # sharding.mesh -> core.tensor: (Value, placement) moved to the placement's devices
    placed: Callable = _not_set
    # sharding.mesh sharding.described_mesh -> core.parameter: place a new Parameter; None: no Mesh
    new_parameter: Callable | None = None
    # sharding.mesh sharding.stages -> engine.compile_policy engine.packing: the class of new
    # programs, or None
    program: Any = None
    # sharding.mesh -> engine.compile_policy engine.memory_limit engine.packing engine.program
    # engine.verification.switch graph_capture.packed_state: the devices among which XLA partitions
    # new programs; None: no Mesh
    devices: Any = None
    # sharding.mesh -> engine.recorder engine.step_end graph_capture.graph_call
    # graph_capture.packed_state distributed.groups: whether other processes must create the same
    # programs
    spans_ranks: bool = False
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
    # nn.probability.distribution.transformed -> nn.probability.bijector.base: the Distribution that
    # a call of (bijector, argument) returns, if the argument is one
    transformed: Callable[[Any, Any], Any] = lambda bijector, argument: None
    # profiler.profile -> profiler.profiler: a profiler that records the steps of a schedule
    step_profiler: Callable = _not_set


hooks = Hooks()
