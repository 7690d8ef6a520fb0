"""What takes the place of Python while a function is captured.

In reading order: `symbolic_scalars` (numbers that vary), `graph_break` (where a concrete value is
needed), `host_calls` (calls between two graphs), `deferred_print`.
"""
