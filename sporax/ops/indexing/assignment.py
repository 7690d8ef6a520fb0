"""Assignment to a variable, a Parameter or another Tensor, which keeps its identity."""

from sporax._src.core.promotion import promote
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.engine.recorder import wrap
from sporax.ops.casting import cast
from sporax.ops.declare import FUNCTIONS, attach, composite
from sporax.ops.math.arithmetic import add, sub
from sporax.ops.math.elementwise import clamp
from sporax.ops.shape.creation import full_like


def put(name, variable, value):
    """Assign `value` (of the shape of `variable`, or a number) to `variable`, cast to its dtype.

    Returns a Tensor with these contents, unaffected by later changes of the variable.
    """
    require(
        isinstance(variable, Tensor),
        "must-be-type",
        name,
        variable=variable,
        kind="a-tensor-or-a-parameter",
    )
    if not isinstance(value, Tensor) or (value.shape == () != variable.shape):
        value = full_like(variable, value)
    shape = variable.shape
    got = value.shape
    require(got == shape, "shape-of", name, value=got, shape=shape, other="variable")
    converted = value if value.dtype == variable.dtype else cast(value, variable.dtype)
    variable._rebind(converted._lift())
    return wrap(variable._value)


@composite(primitive="Assign()(variable, value)")
def assign(variable, value):
    """Assign `value`, a Tensor of the same shape or a number, to `variable`, cast to its dtype.

    Raises TypeError for a wider dtype (a float for integers, Float64 for Float32).

    >>> p = Parameter(Tensor([1.0]))
    >>> ops.assign(p, Tensor([3.0])).asnumpy()
    array([3.], dtype=float32)
    """
    if isinstance(variable, Tensor) and isinstance(value, Tensor):
        here = variable._value.aval
        can_hold = promote([here, value._value.aval]) == here.dtype
        require(can_hold, "dtype-to-hold", "Assign", value=value.dtype, dtype=variable.dtype)
    return put("Assign", variable, value)


def _operand(variable, value):
    """Return the value to add: of shape (), if it is one element for such a variable."""
    is_one = isinstance(value, Tensor) and value.size == 1 and variable.shape == ()
    return value.reshape(()) if is_one else value


@composite(primitive="AssignAdd()(variable, value)")
def assign_add(variable, value):
    """Add `value` to `variable` in place.

    >>> ops.assign_add(Parameter(Tensor([1.0])), 2).asnumpy()
    array([3.], dtype=float32)
    """
    return put("AssignAdd", variable, add(variable, _operand(variable, value)))


@composite(primitive="AssignSub()(variable, value)")
def assign_sub(variable, value):
    """Subtract `value` from `variable` in place.

    >>> ops.assign_sub(Parameter(Tensor([1.0])), 2).asnumpy()
    array([-1.], dtype=float32)
    """
    return put("AssignSub", variable, sub(variable, _operand(variable, value)))


def _copy_in_place(self, src, non_blocking=False):
    """Copy the contents of `src` to the tensor.

    >>> Tensor([1.0, 2.0]).copy_(Tensor([3.0, 4.0])).asnumpy()
    array([3., 4.], dtype=float32)
    """
    put("Tensor.copy_", self, src.broadcast_to(self.shape))
    return self


attach("copy_", _copy_in_place)


def _in_place(name, signature, shown):
    function = FUNCTIONS[name]

    def method(self):
        return self._rebind(function(self)._value)

    method.__name__ = f"{name}_"
    method.__doc__ = f"""Apply `{name}` in place.

    >>> Tensor([{signature}]).{name}_().asnumpy()
    array([{shown}], dtype=float32)
    """
    attach(f"{name}_", method)


for _row in [
    ("exp", 0.0, "1."), ("log", 1.0, "0."), ("floor", 1.5, "1."), ("sigmoid", 0.0, "0.5"),
    ("tanh", 0.0, "0."), ("sign", -2.0, "-1."), ("erfinv", 0.0, "0."),
]:  # fmt: skip
    _in_place(*_row)


def _clamp_in_place(self, min=None, max=None):
    """`clamp` in place.

    >>> Tensor([0.0, 3.0]).clamp_(1.0, 2.0).asnumpy()
    array([1., 2.], dtype=float32)
    """
    return self._rebind(clamp(self, min, max)._value)


attach("clamp_", _clamp_in_place)
