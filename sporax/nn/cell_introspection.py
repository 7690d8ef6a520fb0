"""Introspection API of MindSpore's Cells: scopes, compiled phases, stages, counts."""

import gc
import weakref
from collections.abc import Iterator
from typing import Any, ClassVar, TypeVar

from sporax._src.core import context
from sporax._src.core.cell_tree import tree
from sporax._src.core.parameter import Parameter
from sporax._src.core.tree import map_tensors
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection
from sporax.nn.cell_precision import MixedPrecision, mixed_precision_of
from sporax.nn.cell_state import CellState
from sporax.nn.parameter_tuple import ParameterTuple


class Setting:
    """A Cell attribute that is validated on assignment and does not affect computation.

    `default`: factory of the initial value; None: reading it before it is set raises
    AttributeError. `kind`: of its values.
    """

    def __init__(self, default, kind):
        self.default, self.kind = default, kind

    def __set_name__(self, owner, name):
        self.name, self.key = name, f"_{name}"

    def __get__(self, cell, owner=None):
        if cell is None:
            return self
        if self.key not in cell.__dict__:
            if self.default is None:
                raise rejection("not-been-set-yet", type(cell).__name__, argument=self.name)
            value = self.default()
            if not value and isinstance(value, dict):  # a dict that the user may fill
                cell.__dict__[self.key] = value
            return value
        return cell.__dict__[self.key]

    def __set__(self, cell, value):
        cell.__dict__[self.key] = self.kind.checked("Cell", self.name, value)


class _Alive:
    """Number of live Cells, counted on access."""

    def __get__(self, cell, owner=None):
        return sum(issubclass(type(thing), Introspection) for thing in gc.get_objects())


class Introspection(CellState):
    """Mixin of `Cell` with attributes for tools rather than networks."""

    total_instance_count = _Alive()
    global_cells: ClassVar[weakref.WeakKeyDictionary] = weakref.WeakKeyDictionary()
    T_destination = TypeVar("T_destination", bound=dict[str, Any])

    cell_init_args = Setting(str, kinds.STR)
    parameter_layout_dict = Setting(dict, kinds.DICT)
    parallel_parameter_name_list = Setting(tuple, kinds.LIST)
    parallel_parameter_merge_net_dict = Setting(dict, kinds.DICT)
    pipeline_stage = Setting(None, kinds.COUNT)
    pipeline_segment = Setting(None, kinds.COUNT)

    # attributes that a captured call does not depend on
    IGNORE_LIST: ClassVar[list[str]] = [
        "_params", "_cells", "_buffers", "_captured_call", "_announced", "_has_names", "_scope",
        "_create_time", "_compile_phase", "_arguments",
        *(f"_{name}" for name, kind in list(locals().items()) if isinstance(kind, Setting)),
    ]  # fmt: skip

    @property
    def create_time(self):
        """Creation time of the cell, in nanoseconds of the system clock."""
        return self.__dict__.get("_create_time", 0)

    # scopes -------------------------------------------------------------------------------------

    def get_scope(self):
        """Return the path to the cell with class names, as set by the last `generate_scope` of an
        ancestor; None before.

        >>> net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())
        >>> net.generate_scope()
        >>> net[0].get_scope()
        'Default/0-Dense'
        """
        return self.__dict__.get("_scope")

    def generate_scope(self):
        """Set the scope of each descendant that does not have one."""
        for scope, cell in _scopes(self, "Default"):
            cell.__dict__.setdefault("_scope", scope)

    # graphs -------------------------------------------------------------------------------------

    def _phases(self):
        captures = self._captured_call.captures if self._captured_call is not None else 0
        start = f"{self._phase}.{self.create_time}.{id(self)}"
        return [f"{start}.{n}" for n in range(captures)]

    @property
    def compiled(self):
        """True if a call has been captured as the cell's own graph, in GRAPH_MODE or by
        `compile`."""
        return bool(self._phases())

    @property
    def compile_cache(self):
        """Names of the cell's own graphs."""
        return set(self._phases())

    @property
    def phase_cache(self):
        """{phase: name of its last graph}."""
        return dict.fromkeys([self._phase], self._phases()[-1]) if self.compiled else {}

    @property
    def compile_phase(self):
        """Name of the cell's own last graph, or the assigned value; None before."""
        return self.__dict__.get("_compile_phase") or next(reversed(self._phases()), None)

    @compile_phase.setter
    def compile_phase(self, phase):
        kinds.STR("Cell", compile_phase=phase)
        for _, cell in tree(self):
            cell.__dict__["_compile_phase"] = phase

    @property
    def current_phase(self):
        """Name of the cell's own last graph; '' before."""
        return next(reversed(self._phases()), "")

    @property
    def jit_config_dict(self):
        """Settings of the last `set_jit_config`; {} before."""
        config = self._cell_flags.get("jit_config")
        return {} if config is None else config.jit_config_dict

    # parameters ---------------------------------------------------------------------------------

    def _in_tuples(self) -> Iterator[Parameter]:
        for value in self.__dict__.values():
            if isinstance(value, ParameterTuple):
                yield from value

    @property
    def exist_names(self):
        """Names of the Parameters in the cell's own ParameterTuples."""
        return {p.name for p in self._in_tuples()}

    @property
    def exist_objs(self):
        """Parameters in the cell's own ParameterTuples."""
        return set(self._in_tuples())

    def check_names_and_refresh_name(self):
        """Name the parameters after their paths if two share a name."""
        parameters = list(self.get_parameters())  # type: ignore[attr-defined]
        if len({p.name for p in parameters}) < len(parameters):
            self.update_parameters_name()  # type: ignore[attr-defined]
            self.check_names()  # type: ignore[attr-defined]

    def remove_redundant_parameters(self):
        """Accepted: each process holds what it needs."""

    # calls --------------------------------------------------------------------------------------

    def cast_inputs(self, inputs, dst_type):
        """Cast the Tensors of a tuple to `dst_type`.

        >>> nn.ReLU().cast_inputs((Tensor([1.0]),), ms.float16)[0].asnumpy()
        array([1.], dtype=float16)
        """
        return map_tensors(lambda t: t.astype(dst_type), inputs)

    def run_construct(self, cast_inputs, kwargs):
        """Call `construct` with a tuple and a dict of arguments, including registered hooks.

        >>> nn.ReLU().run_construct((Tensor([-1.0]),), {}).asnumpy()
        array([0.], dtype=float32)
        """
        return self._run_construct(cast_inputs, kwargs)

    @property
    def enable_backward_hook(self):
        """True if a hook is registered on the cell."""
        return self._cell_hooks is not None

    def update_cell_type(self, cell_type):
        """Set `cell_type`, an annotation used by second-order optimizers."""
        self.cell_type = cell_type

    # precision ----------------------------------------------------------------------------------

    def get_mixed_precision_type(self):
        """Return the precision set by `to_float`: NOTSET, FP16, FP32 or BF16.

        >>> nn.ReLU().to_float(ms.float16).get_mixed_precision_type().name
        'FP16'
        """
        return mixed_precision_of(self._autocast)

    def set_mixed_precision_type(self, mixed_type, is_set=True):
        """Set the precision of this cell, not of its descendants. `is_set`: accepted."""
        kinds = {kind.name.lower(): kind is MixedPrecision(mixed_type) for kind in MixedPrecision}
        del kinds["notset"]
        self.add_flags(**kinds)


def _scopes(cell, prefix):
    with_class = context._values["reserve_class_name_in_scope"]
    children = [(name, child) for name, child in cell._cells.items() if child is not None]
    paths = [
        (f"{prefix}/{name}-{type(child).__name__}" if with_class else f"{prefix}/{name}", child)
        for name, child in children
    ]
    yield from paths
    for path, child in paths:
        yield from _scopes(child, path)
