"""Causes of failed calls, for messages: determined after a failure, at no cost to other calls."""
