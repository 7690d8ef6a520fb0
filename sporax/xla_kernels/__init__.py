"""How on this platform? The few operations whose best XLA form differs from the obvious one."""
