"""Internals of sporax: not part of its API."""
