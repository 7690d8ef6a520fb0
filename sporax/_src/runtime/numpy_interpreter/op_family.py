"""Operations that differ only in sizes, which share the forms that are valid for all sizes."""

import functools
from itertools import chain, islice

import jax
import numpy as np

from sporax._src.core.jax_internals import primitive_jaxpr
from sporax._src.core.value import Aval
from sporax._src.runtime.numpy_interpreter.polymorphic import (
    PolymorphicJaxpr,
    SizeFamily,
    signature,
)


def spec(aval):
    """Return JAX's spec of operands of this aval: a Python bool is passed as an integer."""
    is_bool = aval.weak and aval.dtype.kind == "b"
    return jax.ShapeDtypeStruct(aval.shape, np.dtype(np.int64) if is_bool else aval.dtype)


class OpFamily:
    """Operations that differ only in sizes among their attributes, and their forms for all sizes.

    `on_entry(table)` is called when its table has a new entry. `pullbacks`: the families of
    pullbacks.
    """

    __slots__ = ("by_signature", "is_polymorphic", "on_entry", "pullbacks")

    def __init__(self, is_polymorphic, on_entry):
        self.is_polymorphic, self.on_entry = is_polymorphic, on_entry
        self.by_signature, self.pullbacks = {}, {}

    def form(self, op, avals, at_once=False):
        """Return the form of `op` for all sizes and its symbols' values; None if it has none."""
        sizes = self._sizes(op, avals)
        if sizes is None:
            return None
        build = functools.partial(PolymorphicJaxpr, trace=functools.partial(trace_for, op, avals))
        return self._of(avals).find(sizes, build, at_once)

    def observe(self, op, avals):
        """Record the sizes of operands for which `op` is used."""
        sizes = self._sizes(op, avals)
        if sizes is not None:
            self._of(avals).observe(sizes)

    def _of(self, avals):
        """Return the forms for operands of these ranks and dtypes."""
        key = tuple([(a.dtype, a.weak, signature(a.shape)) for a in avals])
        forms = self.by_signature.get(key)
        if forms is None:
            forms = self.by_signature[key] = SizeFamily()
            self.on_entry(self.by_signature)
        return forms

    def _sizes(self, op, avals):
        """Return the sizes that may vary: first in the attributes, then in operands. None if there
        are none, or if they are fixed."""
        sizes = (*op.sizes, *chain.from_iterable([a.shape for a in avals]))
        is_fixed = not sizes or any([n.__class__ is not int for n in sizes])
        return sizes if self.is_polymorphic and not is_fixed else None


def trace_for(op, avals, sizes):
    """Return (the jaxpr of `op` for other sizes, first in its attributes, then in operands; whether
    it returns one array instead of a tuple)."""
    remaining = iter(sizes)
    own = tuple(islice(remaining, len(op.sizes)))
    op = op.resized(own) if own else op
    taken = tuple([Aval.intern(tuple(islice(remaining, a.ndim)), a.dtype, a.weak) for a in avals])
    traced = jax.jit(functools.partial(op.compute, taken)).trace(*map(spec, taken))
    return primitive_jaxpr(traced.jaxpr), not isinstance(traced.out_info, (tuple, list))
