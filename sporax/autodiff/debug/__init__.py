"""Derivatives compared with finite differences, and the first one that is not finite."""
