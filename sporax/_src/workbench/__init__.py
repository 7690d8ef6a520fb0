"""The command line, its pages and the profiler."""
