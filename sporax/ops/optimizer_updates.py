"""`update`: declares Primitives that update variables by a formula."""

import functools
import inspect

import jax.numpy as jnp

from sporax._src.core.errors import describe
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.argument_kinds import BOOL
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import apply
from sporax._src.runtime.index_checks.checks import apply_within
from sporax._src.runtime.index_checks.ranges import Range
from sporax.ops.declare import PRIMITIVES, composite
from sporax.ops.indexing.assignment import put
from sporax.ops.operand_checks import TENSOR, require_number


class Update:
    """A Primitive that updates variables by a formula.

    `face`: as written for `composite`, with " -> " and the result if that is not all variables.
    With `indices`, `grad` has a row for each of them; rows of equal index are summed. `only_rows`:
    the formula then runs on these rows only, else on all, with a gradient of 0 elsewhere.
    """

    def __init__(self, formula, face, only_rows):
        self.formula, self.only_rows = formula, only_rows
        written, _, self.returned = face.partition(" -> ")
        self.name = written.partition("(")[0]
        kinds = inspect.signature(formula).parameters
        self.operands = [n for n, p in kinds.items() if p.kind is not p.KEYWORD_ONLY]
        self.variables = self.operands[: self.operands.index("grad")]
        self.bind = functools.cache(self._bind)
        more = {"use_locking": False, "indices": None}
        more = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=d)
                for n, d in more.items()]  # fmt: skip

        def run(*operands, indices, use_locking, **attributes):
            return self(operands, indices, {"use_locking": use_locking, **attributes})

        self.is_tuple = not self.returned and len(self.variables) > 1
        returned = tuple if self.is_tuple else inspect.Signature.empty
        run.__signature__ = inspect.Signature([*kinds.values(), *more], return_annotation=returned)
        run.__name__, run.__doc__, run.__module__ = self.name, formula.__doc__, __name__
        composite(primitive=written, function=(), name=self.name)(run)
        self.primitive = PRIMITIVES[self.name]
        self.primitive.operation = self.name
        declaration = self.primitive.declaration
        inputs = declaration.parse(f"{self.name}({written.partition(')(')[2]}")[1]
        self.shown = {canonical: parameter.name for parameter, canonical in inputs}

    def __call__(self, operands, indices, attributes):
        flags = {name: value for name, value in attributes.items() if name in _FLAGS}
        BOOL(self.name, **flags)
        variables = operands[: len(self.variables)]
        for name, variable in zip(self.variables, variables, strict=True):
            given = {"argument": self.shown[name], "got": variable}
            require(isinstance(variable, Tensor), "parameter-tensor-gets-new", self.name, **given)
        tensors = {self.shown["grad"]: operands[len(variables)]}
        TENSOR(self.name, **tensors, **({} if indices is None else {"indices": indices}))
        attributes = {n: a for n, a in attributes.items() if n != "use_locking"}
        if indices is None:
            results = apply(self.bind(False, **attributes), *operands)
        else:
            results = apply_within(self.bind(True, **attributes), *operands, indices)
        first = len(results) - len(variables)  # earlier results change no variable
        changed = zip(variables, results[first:], strict=True)
        results = (*results[:first], *(put(self.name, *pair) for pair in changed))
        return results if self.is_tuple else results[0]

    def _bind(self, is_sparse, **attributes):
        """Return the operation on (*variables, grad, *numbers[, indices])."""
        formula = functools.partial(self.formula, **attributes)
        compute = functools.partial(self._compute, formula)
        dense, sparse = compute, functools.partial(self._compute_sparse, compute)
        operation = Op(self.name, sparse if is_sparse else dense, attributes=attributes)
        operation.check = functools.partial(self._check, is_sparse)
        operation.operands = tuple(self.shown.get(n, n) for n in self.operands)
        operation.stops_gradient = True
        if is_sparse:
            operation.operands += ("indices",)
            operation.bounds = lambda var, *operands: [Range(operands[-1], var.shape[0], 0, low=0)]
        return operation

    def _compute(self, formula, *arrays):
        """Compute in Float32 (Float64 if the first variable has it); results keep the dtypes."""
        wide = jnp.promote_types(arrays[0].dtype, jnp.float32)
        count = len(self.variables)
        numbers = [x.astype(wide).reshape(()) for x in arrays[count + 1 :]]
        results = formula(*[x.astype(wide) for x in arrays[: count + 1]], *numbers)
        dtypes = [x.dtype for x in arrays[:count]]
        dtypes = [arrays[count].dtype] * (len(results) - count) + dtypes
        return tuple(r.astype(d) for r, d in zip(results, dtypes, strict=True))

    def _compute_sparse(self, compute, *arrays):
        count = len(self.variables)
        variables, (grad, *numbers, indices) = arrays[:count], arrays[count:]
        rows = variables[0].shape[0]
        if not self.only_rows:
            whole = jnp.zeros(variables[0].shape, grad.dtype).at[indices].add(grad)
            return compute(*variables, whole, *numbers)
        # each index once, padded with the number of rows, an index out of range
        unique, inverse = jnp.unique(
            indices, size=indices.shape[0], fill_value=rows, return_inverse=True
        )
        merged = jnp.zeros_like(grad).at[inverse.reshape(-1)].add(grad)
        new = compute(*[x.at[unique].get(mode="clip") for x in variables], merged, *numbers)
        pairs = zip(variables, new, strict=True)
        return tuple(x.at[unique].set(n, mode="drop") for x, n in pairs)

    def _check(self, is_sparse, *avals):
        named = dict(zip(self.operands, avals, strict=False))
        first = named[self.operands[0]]
        dense = [*self.variables, *([] if is_sparse else ["grad"])]
        wanted = dict.fromkeys(dense, first.shape)
        if is_sparse:
            indices = avals[-1]
            is_int = indices.dtype.kind == "i"
            require(is_int, "vector-int32-int64", self.name, indices=describe(indices))
            given = {"argument": "indices", "shape": indices.shape}
            require(indices.ndim == 1, "vector", self.name, **given)
            wanted["grad"] = (*indices.shape, *first.shape[1:])
        for name, shape in wanted.items():
            aval = named[name]
            given = {"argument": self.shown[name], "got": describe(aval)}
            require(jnp.issubdtype(aval.dtype, jnp.floating), "floating", self.name, **given)
            require(aval.shape == shape, "shape-shape-size", self.name, shape=shape, **given)
        numbers = {self.shown.get(n, n): aval for n, aval in named.items() if n not in wanted}
        require_number(self.name, **numbers)


_FLAGS = "use_locking", "nesterov", "update_slots"


def update(*faces, rows=(), scattered=()):
    """Declare Primitives of a formula: on all elements, on the rows at `indices`, or on all
    elements with a gradient that is 0 outside these rows."""

    def declare(formula):
        for face in (*faces, *rows, *scattered):
            Update(formula, face, only_rows=face in rows)
        return formula

    return declare
