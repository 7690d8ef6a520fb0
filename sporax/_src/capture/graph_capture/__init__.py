"""Capture of a function as a graph: `jit`.

In reading order: `jit` (when a call needs a capture), `tracer` (one recorded run), `graph` (called
in place of the function), `split_graph` (with calls on the host), `graph_call` (running a program),
`cache_entry` (a graph with its guards), `side_effects`, `retrace_reasons`. `input_signature`,
`input_slots` and `mutable` handle arguments; `jit_options`, `compiler_marks` and `executors`
MindSpore's settings; `graph_text` prints a graph, `saved_graphs` writes it to a file.
`dynamic_shapes` and `export` are subpackages.
"""
