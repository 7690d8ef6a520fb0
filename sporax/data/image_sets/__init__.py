"""Data sets of images in their public formats."""
