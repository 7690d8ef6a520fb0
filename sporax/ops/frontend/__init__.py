"""What MindSpore's compiler has as operations on Python's values: scalars, tuples, dicts, types,
environments. Here they are Python functions, which captured functions call too."""
