"""Compiled programs in files of the user's own, and the key that says which are."""
