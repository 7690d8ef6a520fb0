"""MindSpore's import paths and its `rewrite`."""
