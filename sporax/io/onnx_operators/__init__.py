"""JAX primitives in ONNX's operators: `RULES`, by the names of the primitives.

A rule is called with the `Graph`, the parameters of the equation, its operands (`Array`s) and the
`avals` of its results; it appends nodes and returns the name of the result, or a list of names.
"""

from sporax.io.onnx_operators import (
    control,
    elementwise,
    indexing,
    products,
    reductions,
    shapes,
)

RULES = {
    name: rule
    for module in (elementwise, shapes, reductions, products, indexing, control)
    for name, rule in module.RULES.items()
}
