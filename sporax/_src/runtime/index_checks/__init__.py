"""Bounds checks of indices: `ranges` declares them, `checks` records, `deferred` raises errors."""
