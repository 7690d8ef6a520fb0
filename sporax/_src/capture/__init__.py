"""Capture graphs: guards, staging, source transformation, `jit`."""
