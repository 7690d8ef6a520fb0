"""Functions by name: the targets of Tensor's methods in MindSpore, and Primitives' Python code."""

from typing import Any

import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.casting import cast
from sporax.ops.declare import FUNCTIONS, PRIMITIVES
from sporax.ops.indexing.gather import where
from sporax.ops.primitive import Primitive, vm_impl_registry
from sporax.ops.shape.joining import roll


class Registry:
    """Functions of `ops`, Primitive classes and Tensor's methods by name, and attributes set on it.

    >>> ops.tensor_operator_registry.get("abs")(Tensor([-1.0])).asnumpy()
    array([1.], dtype=float32)
    """

    def get(self, obj_str):
        """Return the object of that name; raise AttributeError if there is none."""
        require(isinstance(obj_str, str), "name-str", "tensor_operator_registry.get", got=obj_str)
        return getattr(self, obj_str)

    def __getattr__(self, name) -> Any:
        for space in (FUNCTIONS, PRIMITIVES, vars(Tensor)):
            if name in space:
                return space[name]
        raise rejection("registry-object-no-attribute", name=name)


def get_vm_impl_fn(prim):
    """Return the Python code registered for a Primitive (or its class or name), or None.

    >>> @ops.vm_impl_registry.register("Twice")
    ... def twice(self):
    ...     return lambda x: x * 2
    >>> ops.Primitive("Twice")(Tensor([3.0])).asnumpy()
    array([6.], dtype=float32)
    """
    if isinstance(prim, str):
        return vm_impl_registry.get(prim)
    kind = prim if isinstance(prim, type) else type(prim)
    if not issubclass(kind, Primitive):
        raise rejection("primitive-str", "get_vm_impl_fn", prim=kind.__name__)
    own = vm_impl_registry.get(kind)
    return vm_impl_registry.get(getattr(prim, "name", kind.__name__)) if own is None else own


@vm_impl_registry.register("Shift")
def _shift(prim):
    """Return MindSpore's kernel of that name, for which it has no class."""

    def shift(x, fill_value):
        axis, periods = prim.axis % x.ndim, prim.periods
        source = np.arange(x.shape[axis]).reshape(-1, *[1] * (x.ndim - 1 - axis)) - periods
        is_inside = Tensor((source >= 0) & (source < x.shape[axis]))
        return where(is_inside, roll(x, periods, axis), cast(fill_value, x.dtype))

    return shift


tensor_operator_registry = Registry()
FUNCTIONS.update(
    tensor_operator_registry=tensor_operator_registry,
    vm_impl_registry=vm_impl_registry,
    get_vm_impl_fn=get_vm_impl_fn,
)
