"""Files from strangers: seeded, structure-aware mutations of small files, and what loaders make of
them. `python -m tests.fuzz --seconds 3600 --seed 1` (`make fuzz`) runs all loaders."""
