"""Internals of sporax: not part of its API."""

import os

PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep  # all code below it is sporax's own
