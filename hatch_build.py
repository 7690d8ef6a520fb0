"""Write the stubs into the tree while a wheel or an sdist is built, and the long description."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r'(\]\(|src=")(?!https?:|#)([^)"]+)')


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


class Description(MetadataHookInterface):
    """Take the README as the long description. If SPORAX_REPOSITORY has the repository's address,
    `make release` does so, the links and pictures in it become absolute, and the address is in the
    metadata."""

    def update(self, metadata):
        text = Path(self.root, "README.md").read_text("utf8")
        repository = os.environ.get("SPORAX_REPOSITORY", "").rstrip("/")
        if repository:
            places = {"](": "blob", 'src="': "raw"}
            text = _LINK.sub(lambda m: f"{m[1]}{repository}/{places[m[1]]}/main/{m[2]}", text)
            metadata["urls"] = {
                "Repository": repository,
                "Issues": f"{repository}/issues",
                "Changelog": f"{repository}/blob/main/CHANGELOG.md",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
