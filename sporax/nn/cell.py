"""`Cell`: a network or a part of one, with its parameters, its sub-cells and its mode."""

import functools
import itertools

from sporax.core import context
from sporax.core.parameter import Parameter, ParameterTuple
from sporax.core.tensor import Tensor
from sporax.core.value import thread
from sporax.engine.jit import Changes, JitFunction

_REGISTRIES = ("_params", "_cells", "_buffers")
_INTERNAL = frozenset(
    ["_params", "_cells", "_buffers", "_changes", "_graph", "_id"]
)  # fmt: skip


class Cell:
    """Base of all networks and layers: subclass it, make parts in `__init__`, and compute in
    `construct`.

    `auto_prefix`: whether parameters are named after the attributes that lead to them. `flags`:
    attributes that a captured function depends on.
    """

    _ids = itertools.count()

    def __init__(self, auto_prefix=True, flags=None):
        for name in _REGISTRIES:
            object.__setattr__(self, name, {})
        object.__setattr__(self, "_auto_prefix", auto_prefix)
        object.__setattr__(self, "_param_prefix", "")
        object.__setattr__(self, "training", False)
        object.__setattr__(self, "_phase", "predict")
        object.__setattr__(self, "requires_grad", False)
        object.__setattr__(self, "cls_name", type(self).__name__)
        object.__setattr__(self, "cell_init_args", "")
        object.__setattr__(self, "_graph", None)
        if flags:
            self.add_flags(**flags)

    # calling --------------------------------------------------------------------------------

    def __call__(self, *args, **kwargs):
        capture = thread.recorder.capture
        if capture is not None:
            capture.cells[self] = None
        elif context._values["mode"] == context.GRAPH_MODE and thread.tape is None:
            return self._as_graph()(*args, **kwargs)
        return self.construct(*args, **kwargs)

    def construct(self, *args, **kwargs):
        """What the cell computes; a subclass defines it."""
        raise AttributeError(
            f"For 'Cell', the method 'construct' must be defined, but {type(self).__name__} does "
            "not define it."
        )

    def _as_graph(self):
        if self._graph is None:
            construct = functools.partial(type(self)._run, self)
            construct.__name__ = type(self).__name__
            object.__setattr__(self, "_graph", JitFunction(construct))
        return self._graph

    def _run(self, *args, **kwargs):
        thread.recorder.capture.cells[self] = None
        return self.construct(*args, **kwargs)

    def _static_state(self):
        """What a captured call of this cell depends on besides its parameters' contents."""
        own = [v for k, v in self.__dict__.items() if k not in _INTERNAL]
        return [*own, *self._params.values(), *self._cells.values(), *self._buffers.values()]

    # attributes -----------------------------------------------------------------------------

    def __setattr__(self, name, value):
        if "_params" not in self.__dict__:
            if isinstance(value, (Parameter, Cell)):
                raise AttributeError(
                    f"For '{type(self).__name__}', 'super().__init__()' must be called before "
                    f"'{name}' is set. Call it first in '__init__'."
                )
            object.__setattr__(self, name, value)
            return
        Changes.count += 1
        if isinstance(value, Parameter):
            self._forget(name)
            self.insert_param_to_cell(name, value)
        elif isinstance(value, ParameterTuple):
            self._forget(name)
            for p in value:
                self.insert_param_to_cell(p.name, p, check_name_contain_dot=False)
            object.__setattr__(self, name, value)
        elif isinstance(value, Cell):
            self._forget(name)
            self._cells[name] = value
            if self._auto_prefix:
                value.update_parameters_name(name + ".")
            value._param_prefix = name
        elif name in self._params and value is not None:
            if not isinstance(value, Tensor):
                raise TypeError(
                    f"For '{type(self).__name__}', attribute '{name}' is a Parameter and takes a "
                    f"Parameter, a Tensor or None, but got {type(value).__name__}."
                )
            self._params[name].set_data(value)
        else:
            descriptor = getattr(type(self), name, None)
            if hasattr(type(descriptor), "__set__"):
                object.__setattr__(self, name, value)
                return
            if value is None and name in self._params:
                self._params[name] = None
                return
            if value is None and name in self._cells:
                self._cells[name] = None
                return
            self._forget(name)
            object.__setattr__(self, name, value)

    def _forget(self, name):
        self.__dict__.pop(name, None)
        for registry in _REGISTRIES:
            self.__dict__[registry].pop(name, None)

    def __getattr__(self, name):
        for registry in _REGISTRIES:
            members = self.__dict__.get(registry)
            if members is not None and name in members:
                return members[name]
        raise AttributeError(f"The '{type(self).__name__}' object has no attribute '{name}'.")

    def __delattr__(self, name):
        Changes.count += 1
        for registry in _REGISTRIES:
            if name in self.__dict__[registry]:
                del self.__dict__[registry][name]
                return
        object.__delattr__(self, name)

    def __dir__(self):
        return [*super().__dir__(), *self._params, *self._cells, *self._buffers]

    def add_flags(self, **flags):
        """Set attributes that a captured function depends on."""
        for name, value in flags.items():
            setattr(self, name, value)
        return self

    def insert_param_to_cell(self, param_name, param, check_name_contain_dot=True):
        """Register a Parameter under an attribute name."""
        if not isinstance(param_name, str) or not param_name:
            raise ValueError(
                f"For 'insert_param_to_cell', 'param_name' must be a name, but got {param_name!r}."
            )
        if check_name_contain_dot and "." in param_name:
            raise ValueError(
                f"For 'insert_param_to_cell', 'param_name' must hold no dot, but got {param_name!r}."
            )
        if param is not None and param.name == "Parameter":
            param.name = param_name
        self._params[param_name] = param

    def insert_child_to_cell(self, child_name, child_cell):
        """Register a sub-cell under a name that is not taken."""
        if not isinstance(child_name, str):
            raise TypeError(
                f"For 'insert_child_to_cell', 'child_name' must be a string, but got "
                f"{type(child_name).__name__}."
            )
        if child_name in self._cells or hasattr(self, child_name):
            raise KeyError(
                f"For 'insert_child_to_cell', the name '{child_name}' is taken already in "
                f"{type(self).__name__}. Choose another."
            )
        if not isinstance(child_cell, Cell) and child_cell is not None:
            raise TypeError(
                f"For 'insert_child_to_cell', 'child_cell' must be a Cell, but got "
                f"{type(child_cell).__name__}."
            )
        Changes.count += 1
        self._cells[child_name] = child_cell

    # parameters -----------------------------------------------------------------------------

    @property
    def param_prefix(self):
        """The prefix of this cell's parameters: the attribute that it is kept under."""
        return self._param_prefix

    def update_parameters_name(self, prefix="", recurse=True):
        """Put `prefix` before the names of all parameters."""
        for _, p in self.parameters_and_names(expand=recurse):
            p.name = prefix + p.name

    def parameters_and_names(self, name_prefix="", expand=True):
        """(name by attributes, Parameter) for each parameter, each once."""
        seen = set()
        cells = self.cells_and_names(name_prefix) if expand else [(name_prefix, self)]
        for prefix, cell in list(cells):
            for name, p in cell._params.items():
                if p is not None and id(p) not in seen:
                    seen.add(id(p))
                    yield (f"{prefix}.{name}" if prefix else name), p

    def get_parameters(self, expand=True):
        """All parameters, of the sub-cells too unless `expand` is False."""
        for _, p in self.parameters_and_names(expand=expand):
            yield p

    def parameters_dict(self, recurse=True):
        """Parameters by their own names."""
        return {p.name: p for p in Cell.get_parameters(self, expand=recurse)}

    def trainable_params(self, recurse=True):
        """The parameters that require a gradient."""
        return [p for p in Cell.get_parameters(self, expand=recurse) if p.requires_grad]

    def untrainable_params(self, recurse=True):
        """The parameters that require none."""
        return [p for p in Cell.get_parameters(self, expand=recurse) if not p.requires_grad]

    # sub-cells ------------------------------------------------------------------------------

    def cells_and_names(self, cells=None, name_prefix=""):
        """(path, cell) for this cell and all below, each once."""
        if isinstance(cells, str):
            cells, name_prefix = None, cells
        seen = set() if cells is None else cells
        if self in seen:
            return
        seen.add(self)
        yield name_prefix, self
        for name, cell in self._cells.items():
            if cell is not None:
                yield from cell.cells_and_names(
                    seen, f"{name_prefix}.{name}" if name_prefix else name
                )

    def name_cells(self):
        """Direct sub-cells by name."""
        return {name: cell for name, cell in self._cells.items() if cell is not None}

    def cells(self):
        """Direct sub-cells."""
        return self.name_cells().values()

    def apply(self, fn):
        """Call `fn` on every sub-cell, then on this cell."""
        for cell in self.cells():
            cell.apply(fn)
        fn(self)
        return self

    # mode -----------------------------------------------------------------------------------

    @property
    def phase(self):
        """'train' or 'predict' (or what was set)."""
        return self._phase

    @phase.setter
    def phase(self, phase):
        self._phase = phase

    def set_train(self, mode=True):
        """Put this cell and all below into training mode, or out of it."""
        Changes.count += 1
        for _, cell in Cell.cells_and_names(self):
            object.__setattr__(cell, "training", mode)
            object.__setattr__(cell, "_phase", "train" if mode else "predict")
        return self

    def set_grad(self, requires_grad=True):
        """Accepted; derivatives need no announcement."""
        self.requires_grad = requires_grad
        return self

    # printing -------------------------------------------------------------------------------

    def extend_repr(self):
        """What to print of this cell between its brackets."""
        return ""

    def __repr__(self):
        extra = self.extend_repr()
        if not self._cells:
            return f"{type(self).__name__}({extra})"
        lines = [extra] if extra else []
        for name, cell in self._cells.items():
            body = repr(cell).replace("\n", "\n  ")
            lines.append(f"({name}): {body}")
        return f"{type(self).__name__}(\n  " + "\n  ".join(lines) + "\n)"
