"""Tensors that share memory: `views` (aliases and writes through them), `view_access` (reads and
writes of a part), `strides`, `layout` (methods of Tensor)."""

from sporax._src.runtime.storage import layout as layout  # attaches the methods
