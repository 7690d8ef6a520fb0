"""Datasets of images in their public formats."""
