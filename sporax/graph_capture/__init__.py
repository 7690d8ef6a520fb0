"""How is a function captured? `jit`, its cache entries, side effects, graph breaks and files."""
