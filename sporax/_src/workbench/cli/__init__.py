"""The command line: `sporax run script.py` and the other commands of `sporax --help`."""

from sporax._src.workbench.cli.command import main

__all__ = ["main"]
