"""Use several devices and processes."""
