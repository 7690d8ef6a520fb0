"""Functions recorded without concrete values as one operation: `abstract_trace`, `lifted_op`."""
