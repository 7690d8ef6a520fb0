"""From the shell: `sporax run script.py`, `sporax launch -n 4 script.py`, `sporax check folder`,
`sporax lint folder`, `sporax convert in out`, `sporax watch run_dir`, `sporax version`."""

from sporax.cli.command import main

__all__ = ["main"]
