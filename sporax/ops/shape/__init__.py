"""Tensors created, reshaped, joined and permuted."""
