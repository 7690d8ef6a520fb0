"""Write the stubs into the tree while a wheel or an sdist is built."""

import importlib.util
import subprocess
import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StubsHook(BuildHookInterface):
    """Run `tools/write_stubs.py`, which imports sporax: stubs describe objects made at run time.

    `make wheel` builds where JAX is installed. An isolated build lacks it: it prints so, and packs
    the stubs that are in the tree (an sdist has them). Editable installations use `make stubs`.
    """

    def initialize(self, version, build_data):
        if version == "editable" or Path(self.root, "PKG-INFO").exists():
            return
        if importlib.util.find_spec("jax") is None:
            self.app.display_warning("sporax: stubs (.pyi) are not written without JAX: make wheel")
        else:
            subprocess.run([sys.executable, "tools/write_stubs.py"], cwd=self.root, check=True)
