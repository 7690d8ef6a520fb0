"""Tensors that share memory: `views` (aliases, writes through them), `view_access` (layouts)."""
