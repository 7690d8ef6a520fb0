"""Sparse Tensors: coordinates (COO), compressed rows (CSR) and whole rows."""
