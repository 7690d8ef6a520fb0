"""MindSpore API on JAX/XLA."""
