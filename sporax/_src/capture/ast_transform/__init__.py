"""Rewrites conditions, loops and prints in the source of Python functions as calls."""
