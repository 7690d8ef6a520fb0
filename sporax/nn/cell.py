"""`Cell`: a network or a part of one, with its parameters, its sub-cells and its mode."""

import functools
import reprlib
import time
from types import MemberDescriptorType
from typing import Any, ClassVar

from sporax._src.capture.graph_capture.jit import JitFunction
from sporax._src.capture.staging.host_calls import through
from sporax._src.core import context
from sporax._src.core.cell_tree import tree
from sporax._src.core.errors import REFUSALS
from sporax._src.core.language import LastWithoutResult
from sporax._src.core.parameter import Parameter
from sporax._src.core.signal_handlers import is_of_handler
from sporax._src.core.signature_errors import Fitting
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import Changes, thread
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.pytorch_names import CELL as CELL_NAMES
from sporax._src.diagnosis.pytorch_names import no_attribute
from sporax._src.diagnosis.rules import message, rejection, require
from sporax._src.transforms.autodiff.custom_vjp import call_with_bprop
from sporax._src.transforms.autodiff.set_grad_cache import call_announced
from sporax._src.transforms.autodiff.tape import unrecorded
from sporax.nn.call_errors import call_refusal
from sporax.nn.cell_buffers import Buffers, is_buffer
from sporax.nn.cell_hooks import HookRegistration, run_with_hooks
from sporax.nn.cell_introspection import Introspection
from sporax.nn.cell_precision import FLAGS, run_in_precision
from sporax.nn.cell_registry import Registry, check_name, refuse_one_name_twice, taken
from sporax.nn.cell_traversal import Traversal
from sporax.nn.dtype_conversion import DtypeConversion
from sporax.nn.ignored_settings import IgnoredSettings
from sporax.nn.notebook_repr import NotebookRepr
from sporax.nn.parameter_tuple import ParameterTuple
from sporax.nn.recompute import Recompute, run_recomputed
from sporax.nn.state_dict import StateDict

_REGISTRIES = ("_params", "_cells", "_buffers")
# registry -> (kind of its attributes, values they accept)
_TAKES = {
    "_params": ("Parameter", "a-tensor-or-a-parameter"),
    "_cells": ("Cell", "a-cell"),
    "_buffers": ("buffer", "a-buffer"),
}
# attributes that a captured call does not depend on
_INTERNAL = frozenset(Introspection.IGNORE_LIST)


class Cell(
    Traversal,
    HookRegistration,
    Buffers,
    StateDict,
    DtypeConversion,
    IgnoredSettings,
    Recompute,
    Introspection,
    NotebookRepr,
    Fitting,
):
    """Base class of all networks and layers: create submodules in `__init__`, compute in
    `construct`.

    `auto_prefix`: prefix parameter names of sub-cells with their attribute path. `flags`:
    attributes that a captured function depends on.

    >>> net = Cell()
    >>> net.w = Parameter(Tensor([1.0]))
    >>> [p.name for p in net.trainable_params()]
    ['w']
    """

    _buffers: Any
    training: bool
    requires_grad: bool

    def __init__(self, auto_prefix=True, flags=None):
        own = self.__dict__
        own.update(
            _params=Registry(own), _cells=Registry(own), _buffers=Registry(own), _cell_flags={},
            _auto_prefix=auto_prefix, _param_prefix="", _phase="train", _autocast=None,
            _captured_call=None, _announced=None, _has_names=False, training=False,
            requires_grad=False, cell_type=None, _create_time=time.time_ns(),
        )  # fmt: skip
        if flags:
            Cell.add_flags(self, **flags)

    # calling --------------------------------------------------------------------------------

    def __call__(self, *args, **kwargs) -> Any:
        if not self._has_names:
            Traversal._settle_names(self)
        recorder = thread.recorder
        tracer = recorder.tracer
        if recorder.has_initial_values and tracer is None:
            # run pending initial values as a separate trace, so that the first call has the same
            # trace as later calls and compiles for all of them
            recorder.run()
        if tracer is not None:
            if tracer.cell_called(self) and not self._cells:
                return through(self, unrecorded(self), args, kwargs)[0]
            if tracer.cell_log is not None:
                return tracer.cell_log.call(self, args, kwargs)
        elif thread.tape is None and context._values["mode"] == context.GRAPH_MODE:
            return self._graph_mode_call()(*args, **kwargs)
        if self.requires_grad and thread.tape is None:
            return call_announced(self, args, kwargs)
        return self._run_construct(args, kwargs)

    def _called(self, *args, **kwargs):
        """Call from this cell's own graph: `__call__` without the graph-mode dispatch."""
        tracer = thread.recorder.tracer
        if tracer is not None and tracer.cell_called(self) and not self._cells:
            return through(self, unrecorded(self), args, kwargs)[0]
        return self._run_construct(args, kwargs)

    def _run_construct(self, args, kwargs):
        """Call `construct` with the registered bprop, recomputation, precision and hooks."""
        construct = self.construct
        try:
            if thread.tape is not None:
                if self.bprop is not None:
                    construct = functools.partial(call_with_bprop, self)
                if self._recomputed:
                    construct = functools.partial(run_recomputed, self, construct)
            if self._autocast is not None:
                construct = functools.partial(run_in_precision, self, construct, self._autocast)
            if self._cell_hooks is not None:
                return run_with_hooks(self, construct, args, kwargs)
            result = construct(*args, **kwargs)
            if result is None:
                LastWithoutResult.kind = type(self)
            return result
        except REFUSALS as error:
            if is_of_handler(error):
                raise
            refusal = call_refusal(self, args, kwargs, error)
            if refusal is None:
                raise
            raise refusal from refusal.__cause__

    # Attributes that the layer itself does not use: the Primitives that MindSpore's layer stores,
    # which subclasses call. name -> function that creates it from the layer
    _on_request: ClassVar[dict[str, Any]] = {}

    _pytorch_names: ClassVar = CELL_NAMES

    bprop: Any = None  # a subclass may define a custom backward pass here
    _scope = None  # of names in MindSpore's graphs; no key of a CellDict
    bprop_debug = False  # accepted: a bprop is plain Python and can always be debugged

    def construct(self, *args, **kwargs):
        """The forward computation; a subclass defines it."""
        is_forward = hasattr(type(self), "forward")
        rule = "method-construct-named-forward" if is_forward else "method-construct-defined-does"
        raise rejection(rule, "Cell", object=self)

    def _graph_mode_call(self):
        graph = self._captured_call
        if graph is None:
            called: Any = functools.partial(Cell._called, self)
            called.__name__ = type(self).__name__
            graph = self.__dict__["_captured_call"] = JitFunction(called)
        return graph

    def compile(self, *args, **kwargs):
        """Capture the call with these arguments, as GRAPH_MODE does, without computing it."""
        self._graph_mode_call().prepare(*args, **kwargs)

    def compile_and_run(self, *args, **kwargs):
        """Call the cell as in GRAPH_MODE."""
        return self._graph_mode_call()(*args, **kwargs)

    def _captured_state(self):
        """Attributes that a captured call depends on, besides the values of parameters."""
        return [v for k, v in self.__dict__.items() if k not in _INTERNAL]

    def _captured_names(self):
        """The names of `_captured_state`'s items."""
        return [k for k in self.__dict__ if k not in _INTERNAL]

    # attributes -----------------------------------------------------------------------------

    def __setattr__(self, name, value):
        own = self.__dict__
        if "_params" not in own:
            self._set_too_early(name, value)
            return
        Changes.count += 1
        if isinstance(value, Parameter):
            self._free_attribute_name(name, self._params)
            self._set_attr_for_params(name, value)
        elif isinstance(value, ParameterTuple):
            self._set_attr_for_param_or_param_tuple(value)
            object.__setattr__(self, name, value)
        elif isinstance(value, Cell):
            self._free_attribute_name(name, self._cells)
            if self._auto_prefix:
                Cell.update_parameters_name(value, name + ".")
            self._cells[name] = value
        elif is_buffer(value) and name not in self._params:
            self.__dict__.pop(name, None)
            self.register_buffer(name, value, getattr(value, "persistent", True))
        elif name in self._params or name in self._cells or name in self._buffers:
            self._set_registered(name, value)
        else:
            if name == "construct" and getattr(value, "fn", None) is self:
                value.fn = self.construct  # `cell.construct = jit(cell)`
            if isinstance(value, (list, tuple)) and value and isinstance(value[0], Parameter):
                refuse_one_name_twice((f"{name}[{i}]", p) for i, p in enumerate(value))
            object.__setattr__(self, name, value)

    def _set_too_early(self, name, value):
        if isinstance(value, (Parameter, Cell, ParameterTuple)):
            raise rejection("super---init---called-before", type(self).__name__, name=name)
        object.__setattr__(self, name, value)

    def _free_attribute_name(self, name, registry):
        """Free a name for a part: delete a plain attribute, raise if another registry has it."""
        if name in registry:
            return
        for other in _REGISTRIES:
            if name in self.__dict__[other]:
                raise taken(self, name)
        self.__dict__.pop(name, None)
        if hasattr(type(self), name):
            if not isinstance(getattr(type(self), name), MemberDescriptorType):
                raise taken(self, name)
            if hasattr(self, name):  # a value in one of the class's __slots__
                object.__delattr__(self, name)

    @property
    def _params_list(self):
        """The parameters by attribute: MindSpore's second registry, to which libraries write."""
        return self._params

    def _set_attr_for_params(self, name, parameter):
        if parameter is not None:
            parameter._keep_under(name)
        self._params[name] = parameter

    def _set_attr_for_param_or_param_tuple(self, parameters):
        """Register the parameters of a tuple, numbering the unnamed ones."""
        count = sum(name.startswith("Parameter$") for name in self._params)
        for parameter in parameters:
            parameter._keep_under(f"Parameter${count + 1}")
            name = parameter.name
            count += name.startswith("Parameter$") and name not in self._params
            self._set_attr_for_params(name, parameter)

    def _set_registered(self, name, value):
        """Assign to an existing parameter, sub-cell or buffer attribute."""
        registry = next(r for r in _REGISTRIES if name in self.__dict__[r])
        current = self.__dict__[registry][name]
        if value is None:
            self.__dict__[registry][name] = None
        elif isinstance(current, Parameter) and isinstance(
            value, Tensor if current.shape else (Tensor, int, float)
        ):
            current.set_data(value)
        else:
            who, (kind, takes) = type(self).__name__, _TAKES[registry]
            fields = {"kind": kind, "takes": message(takes)}
            raise rejection("attribute-takes-none", who, name=name, got=value, **fields)

    def __getattr__(self, name):
        if "_params" not in self.__dict__:
            raise rejection("object-no-attribute---init", object=self, name=name)
        if name in self.__dict__:  # a part with a name in the class's __slots__
            return self.__dict__[name]
        make = type(self)._on_request.get(name)
        if make is not None:
            return make(self)
        if name in type(self)._pytorch_names:
            raise no_attribute(self, name, type(self)._pytorch_names[name])
        said = f"The '{type(self).__name__}' object has no attribute '{name}'"
        raise AttributeError(said, name=name, obj=self)  # Python suggests the nearest name

    def __delattr__(self, name):
        Changes.count += 1
        for registry in _REGISTRIES:
            if name in self.__dict__[registry]:
                del self.__dict__[registry][name]
                return
        object.__delattr__(self, name)

    def __getstate__(self):
        state = dict(self.__dict__, _captured_call=None, _announced=None)
        for registry in _REGISTRIES:
            state[registry] = dict(state[registry])
        return state

    def __setstate__(self, state):
        own = self.__dict__
        own.update(state)
        for registry in _REGISTRIES:
            own[registry] = Registry(own, state[registry])

    @property
    def cls_name(self):
        """The name of the cell's class."""
        return type(self).__name__

    def add_flags(self, **flags):
        """Set attributes that a captured function depends on; returns the cell."""
        Changes.count += 1
        self._cell_flags.update(flags)
        self.__dict__.update(flags)
        if not FLAGS.keys().isdisjoint(flags):
            chosen = [dtype for flag, dtype in FLAGS.items() if self._cell_flags.get(flag)]
            self.__dict__["_autocast"] = chosen[0] if chosen else None
        return self

    def add_flags_recursive(self, **flags):
        """Call `add_flags` on this cell and all its descendants."""
        for _, cell in tree(self):
            Cell.add_flags(cell, **flags)
        return self

    def to_float(self, dst_type):
        """Compute in `dst_type` (float16, bfloat16 or float32) in this cell and all its
        descendants: inputs, parameters and operands are cast, parameters keep their own dtype.

        Set another dtype on a descendant afterwards, e.g. float32 for a norm or a loss.
        Returns the cell.
        """
        fits, dtypes = dst_type in FLAGS.values(), [*FLAGS.values()]
        require(fits, "float-dtype-one-of", "Cell.to_float", dst_type=dst_type, dtypes=dtypes)
        flags = {flag: dtype == dst_type for flag, dtype in FLAGS.items()}
        return Cell.add_flags_recursive(self, **flags)

    def get_flags(self):
        """The attributes set by `add_flags`, by name."""
        return self._cell_flags

    def insert_param_to_cell(self, param_name, param, check_name_contain_dot=True):
        """Register a Parameter (or None) under an unused name."""
        check_name("insert_param_to_cell", "param_name", param_name, check_name_contain_dot)
        if hasattr(self, param_name) and param_name not in self._params:
            raise taken(self, param_name)
        fits = param is None or isinstance(param, Parameter)
        require(fits, "parameter-none", "insert_param_to_cell", param=param)
        Changes.count += 1
        self._set_attr_for_params(param_name, param)

    def insert_child_to_cell(self, child_name, child_cell):
        """Register a sub-cell (or None) under an unused name; its parameters keep their names."""
        kinds.STR("insert_child_to_cell", child_name=child_name)
        check_name("insert_child_to_cell", "child_name", child_name, True)
        if hasattr(self, child_name):
            raise taken(self, child_name)
        _OPTIONAL("insert_child_to_cell", child_cell=child_cell)
        Changes.count += 1
        self._cells[child_name] = child_cell

    # mode -----------------------------------------------------------------------------------

    @property
    def phase(self):
        """'train' or 'predict' as last set by `set_train`, or the assigned value."""
        return self._phase

    @phase.setter
    def phase(self, phase):
        kinds.STR("Cell", phase=phase)
        self.__dict__["_phase"] = phase

    def set_train(self, mode=True):
        """Set training mode of this cell and all its descendants; returns the cell."""
        self.__dict__["_phase"] = "train" if mode else "predict"
        return Cell.add_flags_recursive(self, training=mode)

    def set_grad(self, requires_grad=True):
        """Announce that a gradient may be taken after a call. In dynamic mode the gradient then
        reuses that call, once, if the arguments are the same. Returns the cell."""
        self.requires_grad = requires_grad
        return self

    # printing -------------------------------------------------------------------------------

    def extend_repr(self):
        """Text between the parentheses of `repr`."""
        return ""

    @reprlib.recursive_repr("...")  # if the cell contains itself
    def __repr__(self):
        words = self.extend_repr()
        lines = words.split("\n") if words else []
        if len(lines) < 2 and not self._cells:
            return f"{type(self).__name__}({words})"
        for name, cell in self._cells.items():
            lines.append(f"({name}): " + repr(cell).replace("\n", "\n  "))
        return f"{type(self).__name__}(\n  " + "\n  ".join(lines) + "\n)"


CELL = kinds.instance(Cell, "a-cell")
_OPTIONAL = kinds.optional(CELL)
