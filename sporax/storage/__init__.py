"""Tensors that share memory: `views` (aliases and writes), `view_access` (layouts)."""
