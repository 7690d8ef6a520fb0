"""Replacements for Python behaviour during a capture.

In reading order: `symbolic_scalars` (Python numbers that vary), `graph_break` (where a concrete
value is needed), `host_calls` (calls between two graphs), `deferred_print`.
"""
