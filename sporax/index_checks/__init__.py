"""Bounds checks of indices: `ranges` declares, `checks` records, `deferred` raises."""
