"""Storage of a tensor's elements: shared memory, other libraries' memory, files."""
