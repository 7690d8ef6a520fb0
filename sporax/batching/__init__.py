"""Functions of one example as functions of a batch: `vmap`, `stacked_cells`."""

from sporax.batching.vmap import vmap

__all__ = ["vmap"]
