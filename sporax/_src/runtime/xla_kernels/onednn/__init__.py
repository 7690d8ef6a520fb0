"""oneDNN kernels inside XLA programs on a CPU, through XLA's foreign-function interface."""
