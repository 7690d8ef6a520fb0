"""Products, factorizations, diagonals and blocks of matrices."""
