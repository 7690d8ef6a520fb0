"""Debugging of derivatives: comparison with finite differences, detection of NaN and infinity."""
