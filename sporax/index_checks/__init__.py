"""Bounds checks of indices: `ranges` declares, `checks` records and raises."""
