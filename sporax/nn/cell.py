"""`Cell`: a network or a part of one, with its parameters, its sub-cells and its mode."""

import functools
from collections import OrderedDict

from sporax.autodiff.custom import call_with_bprop
from sporax.core import context
from sporax.core.errors import missing
from sporax.core.parameter import Parameter, ParameterTuple
from sporax.core.tensor import Tensor
from sporax.core.value import Changes, thread
from sporax.engine.jit import JitFunction
from sporax.nn.accepted import Accepted
from sporax.nn.hooked import Hooked, run_with_hooks
from sporax.nn.members import Members, check_name, refuse_one_name_twice, taken, tree
from sporax.nn.precision import FLOATS, run_in_precision

_REGISTRIES = ("_params", "_cells")
_INTERNAL = frozenset([*_REGISTRIES, "_graph"])  # what a captured call does not depend on

# methods and attributes of MindSpore's Cell that are still to come
_TO_COME = frozenset(
    [
        "buffers", "compile", "compile_and_run", "get_buffer", "get_extra_state",
        "get_sub_cell", "load_state_dict", "named_buffers", "offload", "parameters_broadcast_dict",
        "recompute", "register_buffer",
        "register_load_state_dict_post_hook",
        "register_load_state_dict_pre_hook",
        "register_state_dict_post_hook",
        "register_state_dict_pre_hook", "set_boost", "set_extra_state", "shard", "state_dict", "to",
        "to_empty",
    ]
)  # fmt: skip


class Cell(Hooked, Accepted):
    """Base of all networks and layers: subclass it, make parts in `__init__`, and compute in
    `construct`.

    `auto_prefix`: whether parameters of sub-cells are named after the attributes that lead to
    them. `flags`: attributes that a captured function depends on.

    >>> net = Cell()
    >>> net.w = Parameter(Tensor([1.0]))
    >>> [p.name for p in net.trainable_params()]
    ['w']
    """

    def __init__(self, auto_prefix=True, flags=None):
        own = self.__dict__
        own.update(
            _params=Members(own), _cells=Members(own), _flags={}, _auto_prefix=auto_prefix,
            _param_prefix="", _phase="train", _precision=None, _graph=None, training=False,
            requires_grad=False, cell_type=None, cell_init_args="",
        )  # fmt: skip
        if flags:
            Cell.add_flags(self, **flags)

    # calling --------------------------------------------------------------------------------

    def __call__(self, *args, **kwargs):
        capture = thread.recorder.capture
        if capture is not None:
            capture.called(self)
        elif context._values["mode"] == context.GRAPH_MODE and thread.tape is None:
            return self._as_graph()(*args, **kwargs)
        construct = self.construct
        if thread.tape is not None and self.bprop is not None:
            construct = functools.partial(call_with_bprop, self)
        if self._precision is not None:
            construct = functools.partial(run_in_precision, self, construct, self._precision)
        if self._hooks is not None:
            return run_with_hooks(self, construct, args, kwargs)
        return construct(*args, **kwargs)

    bprop = None  # a subclass may define its own derivative here
    bprop_debug = False  # accepted: a bprop is Python that a debugger can stop in, always

    def construct(self, *args, **kwargs):
        """What the cell computes; a subclass defines it."""
        raise AttributeError(
            f"For 'Cell', the method 'construct' must be defined, but {type(self).__name__} does "
            "not define it."
        )

    def _as_graph(self):
        if self._graph is None:
            called = functools.partial(Cell.__call__, self)
            called.__name__ = type(self).__name__
            self.__dict__["_graph"] = JitFunction(called)
        return self._graph

    def to_float(self, dst_type):
        """Compute in `dst_type` (float16, bfloat16 or float32) here and in all cells below: inputs
        and parameters are cast, parameters keep their own dtype. Returns the cell."""
        if dst_type not in FLOATS:
            raise ValueError(
                "For 'Cell.to_float', 'dst_type' must be float16, bfloat16 or float32, but got "
                f"{dst_type}."
            )
        Changes.count += 1
        for _, cell in tree(self):
            cell.__dict__["_precision"] = dst_type
        return self

    def _static_state(self):
        """What a captured call of this cell depends on besides its parameters' contents."""
        return [v for k, v in self.__dict__.items() if k not in _INTERNAL]

    # attributes -----------------------------------------------------------------------------

    def __setattr__(self, name, value):
        own = self.__dict__
        if "_params" not in own:
            self._set_too_early(name, value)
            return
        Changes.count += 1
        if isinstance(value, Parameter):
            self._make_room(name, self._params)
            self._adopt(name, value)
        elif isinstance(value, ParameterTuple):
            for p in value:
                self._adopt(self._name_in_tuple(p), p)
            object.__setattr__(self, name, value)
        elif isinstance(value, Cell):
            self._make_room(name, self._cells)
            if self._auto_prefix:
                Cell.update_parameters_name(value, name + ".")
            self._cells[name] = value
        elif name in self._params or name in self._cells:
            self._set_part(name, value)
        else:
            if isinstance(value, (list, tuple)) and value and isinstance(value[0], Parameter):
                refuse_one_name_twice(value)
            object.__setattr__(self, name, value)

    def _set_too_early(self, name, value):
        if isinstance(value, (Parameter, Cell, ParameterTuple)):
            raise AttributeError(
                f"For '{type(self).__name__}', 'super().__init__()' must be called before "
                f"'{name}' is set. Call it first in '__init__'."
            )
        object.__setattr__(self, name, value)

    def _make_room(self, name, registry):
        """Clear a name for a part: plain attributes give way, parts of the other kind do not."""
        if name in registry:
            return
        for other in _REGISTRIES:
            if name in self.__dict__[other]:
                raise taken(self, name)
        self.__dict__.pop(name, None)
        if hasattr(type(self), name):
            raise taken(self, name)

    def _adopt(self, name, parameter):
        if parameter is not None:
            parameter._keep_under(name)
        self._params[name] = parameter

    def _name_in_tuple(self, parameter):
        number = 1 + sum(name.startswith("Parameter$") for name in self._params)
        parameter._keep_under(f"Parameter${number}")
        return parameter.name

    def _set_part(self, name, value):
        """Another value for the attribute of a parameter or a sub-cell."""
        part = self._params.get(name)
        if value is None:
            (self._params if name in self._params else self._cells)[name] = None
        elif isinstance(part, Parameter) and isinstance(value, Tensor):
            part.set_data(value)
        else:
            kind = "Parameter" if name in self._params else "Cell"
            takes = "a Tensor, a Parameter" if part is not None else f"a {kind}"
            raise TypeError(
                f"For '{type(self).__name__}', attribute '{name}' is that of a {kind} and takes "
                f"{takes} or None, but got {type(value).__name__}. Delete it first ('del'), or "
                "choose another name."
            )

    def __getattr__(self, name):
        if name in _TO_COME:
            raise missing("nn.Cell", name)
        raise AttributeError(f"The '{type(self).__name__}' object has no attribute '{name}'.")

    def __delattr__(self, name):
        Changes.count += 1
        for registry in _REGISTRIES:
            if name in self.__dict__[registry]:
                del self.__dict__[registry][name]
                return
        object.__delattr__(self, name)

    def __getstate__(self):
        state = dict(self.__dict__, _graph=None)
        for registry in _REGISTRIES:
            state[registry] = dict(state[registry])
        return state

    def __setstate__(self, state):
        own = self.__dict__
        own.update(state)
        for registry in _REGISTRIES:
            own[registry] = Members(own, state[registry])

    @property
    def cls_name(self):
        """The name of the cell's class."""
        return type(self).__name__

    def add_flags(self, **flags):
        """Set attributes that a captured function depends on; returns the cell."""
        Changes.count += 1
        self._flags.update(flags)
        self.__dict__.update(flags)
        return self

    def add_flags_recursive(self, **flags):
        """`add_flags` here and in all cells below."""
        for _, cell in tree(self):
            Cell.add_flags(cell, **flags)
        return self

    def get_flags(self):
        """The attributes set by `add_flags`, by name."""
        return self._flags

    def insert_param_to_cell(self, param_name, param, check_name_contain_dot=True):
        """Register a Parameter (or None) under a name that is not taken by anything else."""
        check_name("insert_param_to_cell", "param_name", param_name, check_name_contain_dot)
        if hasattr(self, param_name) and param_name not in self._params:
            raise taken(self, param_name)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                "For 'insert_param_to_cell', 'param' must be a Parameter or None, but got "
                f"{type(param).__name__}. Wrap it: Parameter(...)."
            )
        Changes.count += 1
        self._adopt(param_name, param)

    def insert_child_to_cell(self, child_name, child_cell):
        """Register a sub-cell (or None) under a name that is not taken; its parameters keep their
        names."""
        if not isinstance(child_name, str):
            raise TypeError(
                "For 'insert_child_to_cell', 'child_name' must be a string, but got "
                f"{type(child_name).__name__}."
            )
        check_name("insert_child_to_cell", "child_name", child_name, True)
        if hasattr(self, child_name):
            raise taken(self, child_name)
        if child_cell is not None and not isinstance(child_cell, Cell):
            raise TypeError(
                "For 'insert_child_to_cell', 'child_cell' must be a Cell or None, but got "
                f"{type(child_cell).__name__}."
            )
        Changes.count += 1
        self._cells[child_name] = child_cell

    # parameters -----------------------------------------------------------------------------
    # (what walks the tree does so by `tree` and never calls methods that a subclass may override)

    @property
    def param_prefix(self):
        """The path to this cell, once `update_cell_prefix` has been called at the top."""
        return self._param_prefix

    def update_cell_prefix(self):
        """Note in every cell below the path that leads to it."""
        for path, cell in tree(self):
            cell.__dict__["_param_prefix"] = path

    def update_parameters_name(self, prefix="", recurse=True):
        """Name each parameter `prefix` and the path to it from here."""
        for path, p in Cell.parameters_and_names(self, expand=recurse):
            p.name = prefix + path

    def parameters_and_names(self, name_prefix="", expand=True):
        """(path, Parameter) for each parameter, each once."""
        seen = set()
        for prefix, cell in tree(self, name_prefix) if expand else [(name_prefix, self)]:
            for name, p in cell._params.items():
                if p is not None and id(p) not in seen:
                    seen.add(id(p))
                    yield (f"{prefix}.{name}" if prefix else name), p

    def get_parameters(self, expand=True):
        """All parameters, those of cells below too unless `expand` is False."""
        for _, p in Cell.parameters_and_names(self, expand=expand):
            yield p

    def parameters_dict(self, recurse=True):
        """Parameters by their own names."""
        return OrderedDict((p.name, p) for p in Cell.get_parameters(self, expand=recurse))

    def trainable_params(self, recurse=True):
        """The parameters that require a gradient."""
        return [p for p in Cell.get_parameters(self, expand=recurse) if p.requires_grad]

    def untrainable_params(self, recurse=True):
        """The parameters that require none."""
        return [p for p in Cell.get_parameters(self, expand=recurse) if not p.requires_grad]

    def check_names(self):
        """Raise ValueError where two parameters have one name."""
        refuse_one_name_twice(Cell.get_parameters(self))

    def init_parameters_data(self, auto_parallel_mode=False):
        """{parameter: parameter}: data is made when an initializer is called."""
        return {p: p for p in Cell.get_parameters(self)}

    # sub-cells ------------------------------------------------------------------------------

    def cells_and_names(self, cells=None, name_prefix=""):
        """(path, cell) for this cell and all below, each once; `cells`: a set of those to omit."""
        yield from tree(self, name_prefix, cells)

    def name_cells(self):
        """Direct sub-cells by name, each once."""
        first = {}
        for name, cell in self._cells.items():
            if cell is not None:
                first.setdefault(id(cell), (name, cell))
        return dict(first.values())

    def cells(self):
        """Direct sub-cells, each once."""
        return Cell.name_cells(self).values()

    def apply(self, fn):
        """Call `fn` on every cell below, then on this one."""
        for cell in Cell.cells(self):
            cell.apply(fn)
        fn(self)
        return self

    # mode -----------------------------------------------------------------------------------

    @property
    def phase(self):
        """'train' or 'predict', as `set_train` last said here, or what was set."""
        return self._phase

    @phase.setter
    def phase(self, phase):
        if not isinstance(phase, str):
            raise TypeError(
                f"For 'Cell', 'phase' must be a string, but got {type(phase).__name__}."
            )
        self.__dict__["_phase"] = phase

    def set_train(self, mode=True):
        """Put this cell and all below into training mode, or out of it; returns the cell."""
        self.__dict__["_phase"] = "train" if mode else "predict"
        return Cell.add_flags_recursive(self, training=mode)

    def set_grad(self, requires_grad=True):
        """Note `requires_grad`; derivatives need no announcement. Returns the cell."""
        self.requires_grad = requires_grad
        return self

    # printing -------------------------------------------------------------------------------

    def extend_repr(self):
        """What to print of this cell between its brackets."""
        return ""

    def __repr__(self):
        words = self.extend_repr()
        lines = words.split("\n") if words else []
        if len(lines) < 2 and not self._cells:
            return f"{type(self).__name__}({words})"
        for name, cell in self._cells.items():
            lines.append(f"({name}): " + repr(cell).replace("\n", "\n  "))
        return f"{type(self).__name__}(\n  " + "\n  ".join(lines) + "\n)"
