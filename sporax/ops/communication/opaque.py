"""JAX's collectives behind optimization barriers.

XLA assumes that a constant is the same on all ranks, and eliminates collectives of it; but each
rank compiles a separate program, with its own constants. There are barriers on both sides because
transposition swaps them.
"""

from jax import lax


def _opaque(collective):
    def run(x, *args, **kwargs):
        barrier = lax.optimization_barrier
        return barrier(collective(barrier(x), *args, **kwargs))

    return run


psum, pmax, pmin = map(_opaque, (lax.psum, lax.pmax, lax.pmin))
all_gather, psum_scatter = _opaque(lax.all_gather), _opaque(lax.psum_scatter)
all_to_all, ppermute = _opaque(lax.all_to_all), _opaque(lax.ppermute)
