"""`Mesh`: devices in a grid with named axes, and the context in which a script uses them.

Arrays on several devices have a `NamedSharding`; the recorded programs are unchanged, and XLA
partitions them (GSPMD). Arrays on one device are used by all of them as they are. While a Mesh is
entered, traces have a separate tree, since XLA's programs then differ from programs for one device.
"""

import contextlib
import functools
import gc
import math
import warnings
from collections.abc import Iterable
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from sporax._src.core import random
from sporax._src.core.hooks import hooks
from sporax._src.core.parameter import Parameter, live_parameters
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import Changes, Value, owned_value, thread
from sporax._src.devices.sharding import across_ranks
from sporax._src.diagnosis.argument_kinds import INT
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.program import Program
from sporax._src.runtime.engine.recorder import apply, record, run_pending
from sporax._src.runtime.engine.trace_tree import forest

BATCH_AXES = "data", "dp"  # names of the axis along which batches are divided
_entered = []  # the entered Meshes, the innermost last


def current_mesh() -> Any:
    """Return the innermost entered Mesh, or None.

    >>> from sporax import parallel
    >>> with parallel.Mesh(data=1):
    ...     print(parallel.current_mesh())
    Mesh(data=1)
    """
    return _entered[-1] if _entered else None


class Mesh:
    """Devices in a grid with named axes: `Mesh(data=4, model=2)` has eight devices.

    As a context, a script runs on it unchanged: each Parameter is on all devices, replicated unless
    `place` divides it; batches from datasets are divided along the axis `data` (or `dp`) if their
    first axis is divisible, and XLA partitions the computations. `devices`: the devices to use, by
    default the first of this process; under a launcher the devices of all ranks if the size is
    their number.

    >>> from sporax import parallel
    >>> with parallel.Mesh(data=1):
    ...     print(nn.Dense(2, 3)(ops.ones((4, 2))).shape)
    (4, 3)
    """

    def __init__(self, *, devices: Any = None, **axes: int) -> None:
        require(axes, "one-axis-at-least", "Mesh")
        for name, size in axes.items():
            require(INT.accepts(size), "size-axis-int", "Mesh", name=name, got=size)
            require(size >= 1, "size-axis-positive", "Mesh", name=name, got=size)
        self.axes = axes
        self.devices = _devices(self, math.prod(axes.values()), devices)
        grid = np.array(self.devices).reshape(*axes.values())
        self.grid = jax.sharding.Mesh(grid, tuple(axes))
        self.spans_ranks = across_ranks.spans_ranks(self.devices)
        if self.spans_ranks:
            self.ranks = across_ranks.RanksOfMesh.of_devices(self.devices)
            self.program = functools.partial(across_ranks.ProgramOfRanks, self)

    @staticmethod
    def parse(text: str) -> "Mesh":
        """Return the Mesh of a text such as 'data=4,model=2'.

        >>> from sporax import parallel
        >>> parallel.Mesh.parse("data=1")
        Mesh(data=1)
        """
        pairs = [item.partition("=") for item in text.replace(",", " ").split()]
        fits = all(name.isidentifier() and size.isdigit() for name, _, size in pairs)
        require(fits, "text-such-data-4", "Mesh", got=text)
        return Mesh(**{name: int(size) for name, _, size in pairs})

    def __repr__(self):
        return f"Mesh({', '.join(f'{name}={size}' for name, size in self.axes.items())})"

    def __reduce__(self):
        return _restored_mesh, (self.axes, [device.id for device in self.devices])

    program: Any = Program  # creates programs while the Mesh is entered
    ranks: Any = None  # `RanksOfMesh`, if `spans_ranks`
    holds_arrays = records = True  # placements move arrays, are recorded; see `described_mesh`

    @property
    def size(self) -> int:
        """The number of devices."""
        return len(self.devices)

    @property
    def batch_axis(self) -> str | None:
        """The name of the axis along which batches are divided; None if there is none."""
        return next((name for name in BATCH_AXES if name in self.axes), None)

    # the context ------------------------------------------------------------------------------

    def __enter__(self):
        require(thread.recorder.tracer is None, "mesh-entered-outside-captured", self)
        run_pending()
        if self.spans_ranks:
            gc.collect()  # Parameters of other meshes that remain on one rank only
        _use_tree_of(self)
        _entered.append(self)
        try:
            if len(_entered) == 1:
                self._begin()
        except BaseException:
            self._end()
            raise
        return self

    def _begin(self):
        """Place the live Parameters and the states of the generators on the devices."""
        moved = [p for p in live_parameters() if not p.has_init]
        for p in across_ranks.ordered(self, moved) if self.spans_ranks else moved:
            _move(p, self)
        state = random.default_generator.state  # created if it does not exist yet
        if self.spans_ranks:
            own = across_ranks.of_first_rank(self, state.asnumpy())
            state._bind(Tensor(own)._lift())
        states = [g._state for g in random._generators if g._state is not None]
        for state in across_ranks.ordered(self, states) if self.spans_ranks else states:
            _put(state, Placement(self, ()))

    def __exit__(self, kind, error, traceback):
        try:
            if not self.spans_ranks:
                run_pending()
            elif kind is None:  # after an error, the other ranks may not come
                run_pending()
                self.ranks.settle(str(self))
        finally:
            self._end()

    def _end(self):
        _entered.remove(self)
        _use_tree_of(current_mesh())
        if not _entered:
            OptimizerParallel.threshold = None
            for generator in list(random._generators):
                if generator._state is not None:
                    _leave(generator._state)

    # placing ----------------------------------------------------------------------------------

    def batch(self, data: Any, shards: int = 1) -> Tensor:
        """Convert the host data of a batch to a Tensor: divided along `batch_axis` if the first
        axis is divisible, else replicated.

        Under a launcher all ranks pass the whole batch, or each rank passes its part, where
        `shards` is the number of ranks, in the order of the ranks along the first axis, which must
        be divisible. Raises ValueError otherwise.
        """
        tensor = Tensor(data)
        if self.spans_ranks:
            run_pending()  # on all ranks at this point, even if one of them reads a value before
            array = across_ranks.batch(self, tensor.asnumpy(), shards)
        else:
            array = jax.device_put(tensor._value.read(), self.of_batch(tensor.shape).sharding)
        tensor._value = owned_value(array)
        return tensor

    @functools.cached_property
    def whole(self):
        """The sharding of a replicated array."""
        return NamedSharding(self.grid, PartitionSpec())

    def recording(self) -> contextlib.AbstractContextManager[Any]:
        """Return a context in which recorded operations have the placements."""
        return contextlib.nullcontext()

    def of_batch(self, shape: tuple[int, ...]) -> "Placement":
        """Return the `Placement` of a batch of this shape."""
        axis = self.batch_axis
        divides = axis and shape and shape[0] % self.axes[axis] == 0
        return Placement(self, (axis,) if divides else ())


def _devices(mesh, count, devices):
    across_ranks.start_devices(str(mesh))
    there = list(jax.devices() if devices is None else devices)
    own = [d for d in there if d.process_index == jax.process_index()]
    if devices is None and count <= len(own):
        there = own  # under a launcher each rank has its own Mesh
    n, platforms = len(there), sorted({d.platform for d in there})
    fits = n >= count and (devices is None or n <= count)
    require(fits, "number-of-devices", mesh, count=count, got=n, platforms=platforms)
    if (devices is None and len(own) < count < len(there)) or not own:
        numbers = {"of_all": jax.device_count(), "of_one": jax.local_device_count()}
        raise rejection("devices-those-all-ranks", mesh, count=count, **numbers)
    return tuple(there[:count])


def _restored_mesh(axes, ids):
    """Restore a pickled Mesh; return None if this process lacks its devices."""
    by_id = {device.id: device for device in jax.devices()}
    if not by_id.keys() >= set(ids):
        warnings.warn(
            f"A Tensor was placed on {len(ids)} devices, of which this process has "
            f"{len(by_id.keys() & set(ids))}: it is whole here, on one of them.",
            stacklevel=2,
        )
        return None
    return Mesh(devices=[by_id[i] for i in ids], **axes)


def _use_tree_of(mesh):
    """Switch to the traces recorded for a Mesh's devices, or for one device if it is None."""
    forest.use(None if mesh is None else mesh.devices, forest.memory_limit)
    hooks.spans_ranks = mesh is not None and mesh.spans_ranks
    hooks.devices = None if mesh is None else mesh.devices
    hooks.program = None if mesh is None else mesh.program
    hooks.batch = None if mesh is None else mesh.batch
    hooks.new_parameter = None if mesh is None else functools.partial(_move, mesh=mesh)


# where a tensor is placed ---------------------------------------------------------------------


class Placement:
    """The sharding of a Tensor's arrays on a Mesh: `spec` has for each dimension the name of an
    axis, a tuple of names, or None (undivided); missing trailing dimensions are undivided."""

    def __init__(self, mesh, spec, sharding=None):
        self.mesh, self.spec = mesh, spec
        self.sharding = sharding or NamedSharding(mesh.grid, PartitionSpec(*spec))

    def __repr__(self):
        return f"{self.mesh}{self.spec or '()'}"

    def __eq__(self, other):
        return isinstance(other, Placement) and self.sharding == other.sharding

    def __hash__(self):
        return hash(self.sharding)

    def __reduce__(self):
        return _restored_placement, (self.mesh, self.spec)

    def __deepcopy__(self, memo):
        return self

    def n_shards(self, dim):
        """Return the number of parts of a dimension."""
        names = self.spec[dim] if dim < len(self.spec) else None
        names = (names,) if isinstance(names, str) else names or ()
        return math.prod(self.sharding.mesh.shape[name] for name in names)


def _restored_placement(mesh, spec):
    return None if mesh is None else Placement(mesh, spec)


def checked_spec(who, mesh, shape, spec):
    """Return the `Placement` of a `PartitionSpec`'s entries; raises ValueError for this shape."""
    used = [n for names in spec for n in ((names,) if isinstance(names, str) else names or ())]
    for name in used:
        if name not in mesh.axes:
            raise rejection("axis-mesh-one-none", who, axes=list(mesh.axes), got=name)
        require(used.count(name) <= 1, "axis-mesh-divide-one", who, name=name)
    require(len(spec) <= len(shape), "at-most-one-entry-dimension", who, got=spec, shape=shape)
    placement = Placement(mesh, tuple(spec))
    for dim, size in enumerate(shape):
        shards = placement.n_shards(dim)
        if size % shards:
            fields = {"shape": shape, "dim": dim, "size": size, "n": shards}
            raise rejection("dimension-multiple-of-axis", who, axis=spec[dim], mesh=mesh, **fields)
    return placement


def place(tensor: Tensor, *spec: Any, mesh: Mesh | None = None) -> Tensor:
    """Place a Tensor on the devices of a Mesh, divided or replicated; returns the tensor.

    `spec`: for each dimension the name of the mesh axis that divides it, a tuple of names, or None;
    without any, the Tensor is replicated. `mesh`: by default the entered Mesh. The placement stays
    with the Tensor: values written to it later are placed alike. Raises ValueError for a name that
    the mesh lacks, or a size that is not divisible.

    >>> from sporax import parallel
    >>> with parallel.Mesh(model=1):
    ...     parallel.placement_of(parallel.place(Parameter(ops.ones((4, 2))), "model"))
    Mesh(model=1)('model',)
    """
    require(isinstance(tensor, Tensor), "must-be-type", "place", tensor=tensor, kind="a-tensor")
    mesh = _given("place", mesh)
    name = f"place of '{tensor.name}'" if isinstance(tensor, Parameter) else "place"
    return put(tensor, checked_spec(name, mesh, tensor.shape, spec))


def _given(who, mesh) -> Mesh:
    mesh = mesh or current_mesh()
    if mesh is None:
        raise rejection("mesh-entered-given-none", who)
    return mesh


def placement_of(tensor: Tensor) -> "Placement | None":
    """Return the placement of a Tensor; None if it was not placed.

    >>> from sporax import parallel
    >>> print(parallel.placement_of(Tensor([1.0])))
    None
    """
    return tensor._placement


def _move(parameter, mesh):
    """Place a Parameter on another mesh as it was placed before, along the axes that both meshes
    have, if they divide its sizes."""
    before = parameter._placement
    spec = [] if before is None else [
        _kept(names, mesh, size)
        for names, size in zip(before.spec, parameter.shape, strict=False)
    ]  # fmt: skip
    while spec and spec[-1] is None:
        spec.pop()
    _put(parameter, Placement(mesh, tuple(spec)))


def _kept(names, mesh, size):
    """Return the axes of a dimension that the mesh has; None if they do not divide the size."""
    names = [n for n in ((names,) if isinstance(names, str) else names or ()) if n in mesh.axes]
    return tuple(names) if names and size % math.prod(mesh.axes[n] for n in names) == 0 else None


def put(tensor, placement):
    """Place a tensor; graphs that were captured before are captured again."""
    if tensor._placement != placement:
        Changes.count += 1
    return _put(tensor, placement)


def _put(tensor, placement):
    tensor._placement = placement
    if placement.mesh.records:
        tensor._bind(tensor._lift())
    return tensor


def _leave(tensor):
    """Move a tensor back to one device, and remove its placement."""
    elements, tensor._placement = tensor.asnumpy(), None
    tensor._bind(Tensor(elements)._lift())
    Changes.count += 1


class OptimizerParallel:
    """The setting of new optimizers: states of at least `threshold` KB are divided; None disables
    this."""

    threshold: int | None = None


def divide(tensors: Iterable[Tensor], threshold: float = 0, mesh: Mesh | None = None) -> int:
    """Divide each tensor along the mesh's batch axis, if one of its dimensions is undivided and a
    multiple of the axis: useful for optimizer states, of which a device only needs its part of the
    update (ZeRO). `threshold`: tensors of fewer KB are unchanged. Returns the number of divided
    tensors.

    >>> from sporax import parallel
    >>> with parallel.Mesh(data=1):
    ...     parallel.divide([Parameter(ops.ones((4, 2)))])
    1
    """
    count, mesh = 0, _given("divide", mesh)
    for tensor in tensors:
        before = tensor._placement or Placement(mesh, ())
        own = before.mesh  # may be the mesh of a pipeline stage
        axis, spec = own.batch_axis, [*before.spec, *[None] * (tensor.ndim - len(before.spec))]
        if axis is None or axis in spec or tensor.nbytes < threshold * 1024:
            continue
        free = [k for k, n in enumerate(tensor.shape) if not n % own.axes[axis] and not spec[k]]
        if free:
            spec[free[0]] = axis
            end = max(k for k, n in enumerate(spec) if n) + 1
            put(tensor, Placement(own, tuple(spec[:end])))
            count += 1
    return count


def divide_states(states):
    """`divide` an optimizer's new states, each a ParameterTuple, if that is enabled."""
    if OptimizerParallel.threshold is not None and current_mesh() is not None:
        kept = [p for tensors in states for p in tensors if p.parallel_optimizer]
        divide(kept, OptimizerParallel.threshold)


def whole(tensor: Tensor) -> Tensor:
    """Return the Tensor replicated on the devices of the entered Mesh. Required before reading it
    if the devices belong to several ranks, all of which must call this.

    >>> from sporax import parallel
    >>> with parallel.Mesh(data=1):
    ...     print(parallel.whole(parallel.place(Tensor([1.0, 2.0]), "data")).asnumpy())
    [1. 2.]
    """
    require(isinstance(tensor, Tensor), "must-be-type", "whole", tensor=tensor, kind="a-tensor")
    return apply(constraint(_given("whole", None).whole), tensor)


def to_read(values):
    """Return values that all ranks will read, with Tensors replicated if a Mesh spans ranks."""
    if current_mesh() is None or not current_mesh().spans_ranks:
        return values
    return tuple([whole(x) if isinstance(x, Tensor) else x for x in values])


# recording ------------------------------------------------------------------------------------


class _Constraint(Op):
    """Identity with a sharding constraint, for Values bound to a Tensor with a placement."""

    __slots__ = ("sharding",)

    is_polymorphic = False

    def __init__(self, sharding):
        super().__init__("Placed", lambda x: jax.lax.with_sharding_constraint(x, sharding))
        self.sharding = sharding


constraint = functools.cache(_Constraint)


def placed(value, placement):
    """Return a Value of the same contents, placed."""
    mesh = placement.mesh
    if value.aval.weak or not mesh.records:
        return value
    is_concrete = value.trace is None and value.array is not None and not value.tracked
    if is_concrete and mesh.holds_arrays:
        if value.array.sharding == placement.sharding:  # type: ignore[reportOptionalMemberAccess]  # concrete
            return value
        if mesh.spans_ranks:
            return Value(value.aval, across_ranks.placed(mesh, value.array, placement.sharding))
        # a copy, since another owner may still use the array
        array = jax.device_put(value.array, placement.sharding, may_alias=False)
        return Value(value.aval, array)
    return record(constraint(placement.sharding), value)


hooks.placed = placed


def incompatible(error, arrays):
    """Replace JAX's error for a program whose arrays are on devices of several meshes; return other
    errors unchanged."""
    groups = {}
    for array in arrays:
        devices = tuple(array.sharding._device_assignment)
        if array.committed:
            groups.setdefault(devices, array)
    if len(groups) < 2:
        return error
    shown = [f"{x.dtype.name}{list(x.shape)} on devices {[d.id for d in ds]}"
             for ds, x in groups.items()]  # fmt: skip
    return rejection("computation-all-tensors-same", got="; ".join(shown[:3]))


hooks.incompatible = incompatible
