"""Conditions, loops and prints in the source of Python functions, rewritten as calls."""
