"""From the shell: `sporax run script.py`, and what else `sporax --help` lists."""

from sporax.cli.command import main

__all__ = ["main"]
