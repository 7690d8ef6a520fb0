"""Sizes that vary from call to call: buckets, symbolic dimensions, padding."""
