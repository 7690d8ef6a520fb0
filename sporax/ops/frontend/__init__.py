"""MindSpore's compiler operations on Python values: scalars, tuples, dicts, types, environments.
Here they are Python functions, which captured functions call too."""
