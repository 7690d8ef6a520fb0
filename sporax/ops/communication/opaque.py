"""JAX's collectives of what XLA knows nothing of.

XLA takes a constant to be that of all ranks, and leaves out a collective of it; but each rank
compiles a program of its own, with constants of its own. There are barriers on both sides, since
transposition exchanges them.
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
