"""Questions that kernels of other devices answered."""
