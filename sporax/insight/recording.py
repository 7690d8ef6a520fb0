"""`Recording`: the operations of a Cell or a step, each with the Cell call that it belongs to.
Nothing is computed or changed."""

import numpy as np

from sporax._src.capture.graph_capture.export.exported_graph import ProgramOp
from sporax._src.capture.graph_capture.graph_text import Listing
from sporax._src.core.cell_tree import is_cell
from sporax._src.core.dtype import Type
from sporax._src.core.errors import describe
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import map_tensors
from sporax._src.core.value import Aval, Value
from sporax._src.diagnosis.rules import rejection
from sporax._src.runtime.engine.operation import Pullback
from sporax._src.runtime.engine.recorder import wrap
from sporax._src.runtime.memory.liveness import bytes_of
from sporax._src.runtime.recompute.flops import FORMULAS, count
from sporax.insight.cell_log import CellLog

_BACKWARD = ("gradient.add", "gradient.seed", "gradient.zero")  # see `autodiff.tape`
_SHAPE_ENTRY = (int, np.integer)


class Operation:
    """One recorded operation.

    `name`, `attributes`; `call`: the Cell call that it belongs to; `is_backward`; `line`: (file,
    line) of user code; `operands`: (pool, index) of each, see `TraceFunction`; `first`: the index
    of its first result among the results of all operations; `avals`: of its results; `flops`, by
    `formulas`; `program`: the operation itself if it is a `ProgramOp`, else None.
    """

    __slots__ = (
        "attributes", "avals", "call", "first", "flops", "is_backward", "is_view", "line", "name",
        "operands", "program",
    )  # fmt: skip

    def __init__(self, op, rule, operands, line, call, first, formulas):
        self.name, self.attributes, self.operands = op.name, op.attributes, operands
        self.call, self.line, self.first, self.avals = call, line, first, rule.avals
        self.is_backward, self.is_view = False, op.alias
        self.flops = count(rule.jaxpr.jaxpr, formulas)
        self.program = op if isinstance(op, ProgramOp) else None

    @property
    def bytes(self):
        """Bytes of its results; 0 for a view."""
        return 0 if self.is_view else sum(map(bytes_of, self.avals))


class Recording:
    """The operations of `function(*args)`, in order, and the calls of Cells (`root`).

    `listing`: the `Listing` with inputs and outputs; `arguments`: the Values of the arguments.
    `function`: a Cell, a function or a `jit` function; `log`: a `CellLog`; `formulas`: of the
    FLOPs, see `recompute.flops`. Raises RuntimeError if it needs a concrete value.
    """

    def __init__(self, who, function, args, kwargs=None, log=None, formulas=FORMULAS):
        self.log, self.formulas = CellLog() if log is None else log, formulas
        name = getattr(function, "__name__", type(function).__name__)
        inner = getattr(function, "fn", function)
        self.arguments = []  # the Values of the arguments, in the order of the inputs

        def note(_, value):
            self.arguments.append(value)
            return value

        self.listing = Listing(who, name, inner, args, kwargs or {}, note, cell_log=self.log)
        n = sum(i.kind == "argument" for i in self.listing.inputs)
        self.arguments = self.arguments[-n:] if n else []  # from the last attempt only
        self.name, self.root = name, self.log.root
        self._mark(self.log.along(self.listing.path))

    def _mark(self, calls):
        """Create the operations. A pullback belongs to the call of the operation that it
        differentiates, a sum of cotangents to the call of the last one."""
        self.operations, self.of_output, forward, call = [], [], {}, self.root
        steps = zip(self.listing.trace.steps, self.listing.lines, calls, strict=True)
        for (op, rule, refs), line, noted in steps:
            operands, call = tuple(refs), noted or call
            first = len(self.of_output)
            one = Operation(op, rule, operands, line, call, first, self.formulas)
            made_by = [self.of_output[i] for pool, i in operands if pool == "output"]
            source = _derived_by(op, operands, forward)
            if source is not None or isinstance(op, Pullback):
                one.is_backward, one.call = True, call if source is None else source.call
            elif op.name in _BACKWARD:
                one.is_backward, one.call = True, (made_by[-1] if made_by else one).call
            else:
                forward[op.name, operands] = one
            self.operations.append(one)
            self.of_output += [one] * len(rule.avals)


def _derived_by(op, operands, forward):
    """Return the operation whose derivative `op` is, named `<name>.grad`: its operands are a prefix
    of `operands`. None if there is none. `forward`: (name, operands) -> operation."""
    name = op.name.removesuffix(".grad")
    if name == op.name:
        return None
    lengths = range(len(operands) - 1, -1, -1)
    return next((forward[k] for n in lengths if (k := (name, operands[:n])) in forward), None)


def checked_cell(who, cell):
    """Return `cell`; raise TypeError if it is not a Cell."""
    if not is_cell(cell):
        raise rejection("network-itself", who, cell=cell)
    return cell


def abstract_inputs(who, inputs):
    """Return (positional, keyword) inputs as Tensors without contents, for one input or several."""
    if isinstance(inputs, dict):
        return (), {name: _abstract(who, item) for name, item in inputs.items()}
    one = _input(inputs)
    if one is not None:
        return (one,), {}
    if not isinstance(inputs, (list, tuple)):
        raise _refused(who, inputs)
    return tuple(_abstract(who, item) for item in inputs), {}


def _abstract(who, item):
    one = _input(item)
    if one is not None:
        return one
    if isinstance(item, (list, tuple)) and item and not isinstance(item[0], _SHAPE_ENTRY):
        return type(item)(_abstract(who, entry) for entry in item)
    if item is None or isinstance(item, (bool, int, float, str)):
        return item
    raise _refused(who, item)


def _input(item):
    """Return a Tensor without contents for an array, a shape, or (shape, dtype); else None."""
    if isinstance(item, Tensor):
        return empty_tensor(item._value.aval)
    if isinstance(item, np.ndarray):
        return empty_tensor(Tensor(np.zeros((), item.dtype))._value.aval, item.shape)
    if _is_shape(item):
        return empty_tensor(Aval.intern(tuple(map(int, item)), np.dtype(np.float32)))
    if isinstance(item, tuple) and len(item) == 2 and _is_shape(item[0]):
        dtype = item[1]
        if isinstance(dtype, (Type, np.dtype)) or (
            isinstance(dtype, type) and issubclass(dtype, np.generic)
        ):
            return empty_tensor(Tensor(np.zeros(()), dtype)._value.aval, item[0])
    return None


def _is_shape(item):
    return (isinstance(item, tuple) or (isinstance(item, list) and item)) and all(
        isinstance(n, _SHAPE_ENTRY) and not isinstance(n, bool) and n >= 0 for n in item
    )


def empty_tensor(aval, shape=None):
    """Return a Tensor without contents, of the aval's dtype and its or another shape."""
    return wrap(Value(Aval.intern(aval.shape if shape is None else tuple(shape), aval.dtype), None))


def abstract_arguments(arguments):
    """Return the arguments of a step with each Tensor replaced by one without contents."""
    return map_tensors(lambda tensor: empty_tensor(tensor._value.aval), arguments)


def _refused(who, item):
    got = describe(item._value.aval) if isinstance(item, Tensor) else type(item).__name__
    return rejection("inputs", who, got=got)
