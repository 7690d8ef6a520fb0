"""Untrusted files: seeded, structure-aware mutations of small files, and how loaders handle them.
`python -m tests.fuzz --seconds 3600 --seed 1` (`make fuzz`) runs all loaders."""
