"""What is a value? dtypes, Tensor, Parameter, errors, context, random state."""

import jax

# MindSpore has Int64 and Float64; JAX has them only on request. Every operation names its dtypes.
jax.config.update("jax_enable_x64", True)
