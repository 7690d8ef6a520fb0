"""How programs grow with the number of devices: counted, measured, predicted; `docs/scaling.md`."""
