"""Diagnostics of the engine: `explain`, and the log of captures and compilations."""
