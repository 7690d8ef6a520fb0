"""Arithmetic, comparison, elementary and special functions, reductions, order."""
