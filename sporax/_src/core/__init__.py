"""Values and global state: dtypes, Tensor, Parameter, errors, context, random state."""

import jax

# MindSpore has Int64 and Float64; JAX only with this flag. Every operation states its dtypes.
jax.config.update("jax_enable_x64", True)
