"""Evaluates expressions by sporax: by the interpreter, by compiled programs of dynamic and of
captured code, and operation by operation."""

import contextlib

import numpy as np

import sporax as ms
from sporax import Tensor, ops
from sporax._src.core import context
from sporax._src.runtime.engine import compile_policy
from sporax._src.runtime.engine.recorder import run_pending
from sporax._src.runtime.engine.trace_tree import forest

OPERATIONS = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y, "add_number": lambda x, n: x + n, "sub_number": lambda x, n: x - n,
    "mul_number": lambda x, n: x * n, "div_number": lambda x, n: x / n,
    "number_sub": lambda x, n: n - x, "number_div": lambda x, n: n / x,
    "mul_mask": lambda m, x: m * x, "add_mask": lambda m, x: m + x,
    "div_mask": lambda m, x: x / m, "neg": lambda x: -x, "abs": ops.abs, "sqrt": ops.sqrt,
    "exp": ops.exp, "log": ops.log, "square": ops.square, "pow": lambda x, e: x**e,
    "maximum": ops.maximum, "minimum": ops.minimum, "where": ops.where, "where_number": ops.where,
    "floor": ops.floor, "sign": ops.sign, "from_bool": lambda m: m.astype(ms.float32),
    "from_int": lambda k: k.astype(ms.float32), "from_half": lambda h: h.astype(ms.float32),
    "from_double": lambda d: d.astype(ms.float32), "reciprocal": ops.reciprocal,
    "rsqrt": ops.rsqrt, "sum": lambda x: x.sum(1, keepdims=True),
    "max": lambda x: ops.amax(x, 1, True), "min": lambda x: ops.amin(x, 1, True),
    "mean": lambda x: x.mean(1, keep_dims=True),
    "sum_of_product": lambda x, y: (x * y).sum(1, keepdims=True),
    "prod": lambda x: ops.prod(x, 1, True), "greater": lambda x, y: x > y,
    "less_equal": lambda x, y: x <= y, "equal": lambda x, y: x == y,
    "not_equal": lambda x, y: x != y, "positive": lambda x: x > 0, "and": ops.logical_and,
    "or": ops.logical_or, "not": ops.logical_not, "isnan": ops.isnan, "isfinite": ops.isfinite,
    "to_bool": lambda x: x.astype(ms.bool_), "any": lambda m: m.any(1, True),
    "greater_int": lambda x, y: x > y,
    "to_int": lambda x: ops.where(ops.abs(x) < 1e9, x, 0.0).astype(ms.int32),
    "add_int": lambda x, y: x + y, "mul_int": lambda x, y: x * y,
    "bool_to_int": lambda m: m.astype(ms.int32),
    "argmax": lambda x: ops.argmax(x, 1, True).astype(ms.int32),
    "sum_int": lambda k: k.sum(1, keepdims=True).astype(ms.int32),
    "mul_mask_int": lambda m, k: m * k, "neg_int": lambda k: -k,
    "count": lambda m: m.astype(ms.int32).sum(1, keepdims=True).astype(ms.int32),
    "to_half": lambda x: x.astype(ms.float16), "add_half": lambda x, y: x + y,
    "mul_half": lambda x, y: x * y, "to_double": lambda x: x.astype(ms.float64),
    "add_double": lambda x, y: x + y, "mul_double": lambda x, y: x * y,
    "div_double": lambda x, y: x / y,
}  # fmt: skip


def evaluated(expression, tensors):
    """Evaluate an expression."""
    if expression.kind in "ne":
        return expression.name
    if not expression.operands:
        return tensors[expression.name]
    operands = [evaluated(operand, tensors) for operand in expression.operands]
    return OPERATIONS[expression.name](*operands)


@contextlib.contextmanager
def interpreting(is_on):
    """Run traces on the interpreter, or compile them immediately, in the block."""
    run_pending()
    forest.clear()
    before = compile_policy.uses_interpreter
    compile_policy.uses_interpreter = is_on
    try:
        yield
    finally:
        run_pending()
        compile_policy.uses_interpreter = before


@contextlib.contextmanager
def immediate():
    """Run each operation at its own line in the block."""
    before = context.get_context("pynative_synchronize")
    context.set_context(pynative_synchronize=True)
    try:
        with interpreting(False):
            yield
    finally:
        context.set_context(pynative_synchronize=before)


def values(expressions, arrays):
    """Return {way: values of all expressions}."""

    def run(tensors):
        return [evaluated(expression, tensors) for expression in expressions]

    def ran(function):
        tensors = {name: Tensor(array) for name, array in arrays.items()}
        results = function(tensors)
        return [r.asnumpy() if isinstance(r, Tensor) else np.asarray(r) for r in results]

    with interpreting(True):
        found = {"interpreted": ran(run)}
    with interpreting(False):
        found |= {"compiled": ran(run), "captured": ran(ms.jit(run))}
    with immediate():
        found["immediate"] = ran(run)
    return found
