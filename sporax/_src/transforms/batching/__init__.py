"""Vectorization of functions of one example over a batch: `vmap`, `stacked_cells`."""

from sporax._src.transforms.batching.vmap import vmap

__all__ = ["vmap"]
