"""Legacy operations, runtime flags and Tensor methods of MindSpore."""
