"""Functions recorded without concrete values, each one operation: `abstract_trace`, `lifted_op`."""
