"""Where a tensor's elements are: the memory it shares, other libraries' memory, files."""
