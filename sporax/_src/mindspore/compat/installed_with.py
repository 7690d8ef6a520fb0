"""Packages that installing MindSpore installs, which scripts import without declaring them."""

import importlib
import importlib.machinery
import importlib.util

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
    parts = (module or "").split(".")
    name = next((n for n in (parts[0], ".".join(parts[:2])) if n in EXTRA), None)
    if name is None and parts == ["google"]:
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
