"""Packages that installing MindSpore installs, which scripts import without declaring them, and its
own metadata."""

import importlib
import importlib.machinery
import importlib.metadata
import importlib.util
from pathlib import Path

from sporax._src import PACKAGE
from sporax._src.diagnosis.rules import message

# module -> its distribution in the extra 'mindspore'; NumPy, SciPy and safetensors come with sporax
EXTRA = {
    "PIL": "pillow",
    "asttokens": "asttokens",
    "astunparse": "astunparse",
    "dill": "dill",
    "google.protobuf": "protobuf",
    "packaging": "packaging",
    "psutil": "psutil",
}


def missing(module):
    """Return the message for a module, or one below it, of a package of the extra that is not
    installed; None for other modules."""
    components = (module or "").split(".")
    name = next((n for n in (components[0], ".".join(components[:2])) if n in EXTRA), None)
    if name is None and components == ["google"]:
        name = "google.protobuf"
    if name is None or _is_there(name):
        return None
    return message("comes-with-mindspore", name=name)


def _is_there(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # the package around it
        return False


def pillow_spec():
    """Return the spec of PIL with `PIL.Image` as an attribute, imported on first use: importing
    MindSpore imports it, and libraries use it after `import PIL` alone."""
    spec = importlib.machinery.PathFinder.find_spec("PIL")
    if spec is not None and spec.loader is not None:
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            module.__getattr__ = _image

        spec.loader.exec_module = exec_module
    return spec


def _image(name):
    if name == "Image":
        return importlib.import_module("PIL.Image")
    raise AttributeError(f"module 'PIL' has no attribute '{name}'", name=name)


class MindSpore(importlib.metadata.Distribution):
    """The installed distribution that `importlib.metadata.version("mindspore")` looks up."""

    def __init__(self, version):
        self._files = {
            "METADATA": f"Metadata-Version: 2.1\nName: mindspore\nVersion: {version}\n",
            "top_level.txt": "mindspore\n",
        }

    def read_text(self, filename):
        """Return the text of a file of the metadata; None if there is no such file."""
        return self._files.get(filename)

    def locate_file(self, path):
        """Return the path of a file beside the package."""
        return Path(PACKAGE).parent / path
