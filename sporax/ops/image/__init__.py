"""Boxes, patches, grids and sizes of images."""
