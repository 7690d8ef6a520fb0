"""Scaling of programs with the number of devices: counts, measurements, predictions for
`docs/scaling.md`."""
