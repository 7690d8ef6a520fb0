"""The NVIDIA GPUs of this machine, and what is amiss with JAX's plugin for them."""

import os
import shutil
import subprocess
from importlib import metadata
from typing import NamedTuple

from sporax._src.installation import as_installed
from sporax._src.versions import JAXLIB, numbers

PLUGINS = {"jax-cuda13-plugin": "cuda", "jax-cuda12-plugin": "cuda12"}  # and sporax's extra
# extra -> the oldest NVIDIA driver and compute capability, as JAX states them
NEEDS = {"cuda": ((580,), (7, 5)), "cuda12": ((525,), (5, 2))}
_QUERY = "nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader"


class Card(NamedTuple):
    """A GPU as the driver reports it."""

    name: str
    driver: str
    capability: str

    def suits(self, extra):
        """Return True if JAX's plugin of this extra runs on it."""
        driver, capability = NEEDS[extra]
        return numbers(self.driver) >= driver and numbers(self.capability) >= capability


def cards():
    """Return the `Card`s that the NVIDIA driver reports. Raises OSError if it does not answer."""
    if shutil.which(_QUERY[0]) is None:
        return []
    run = subprocess.run(_QUERY, capture_output=True, text=True, timeout=60)
    if run.returncode:
        raise OSError((run.stdout + run.stderr).strip())
    return [Card(*map(str.strip, line.split(","))) for line in run.stdout.splitlines() if line]


def plugins():
    """Return {JAX's installed plugins for NVIDIA GPUs: version}."""
    found = {}
    for name in PLUGINS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def advice(cards, plugins, platforms, environment=os.environ):
    """Yield what to change. `platforms`: those that JAX runs on."""
    extras = [extra for extra in NEEDS if cards and all(card.suits(extra) for card in cards)]
    remedy = "install a newer NVIDIA driver"
    if extras:
        remedy = as_installed(f"pip install 'sporax[{extras[0]}]'")
    if cards and not plugins:
        yield f"JAX does not use the GPU, since its plugin is not installed: {remedy}"
    for name, version in plugins.items():
        if version != JAXLIB:
            yield (
                f"{name} {version} and jaxlib {JAXLIB} differ, so that the GPU is not used: "
                + as_installed(f"pip install --upgrade 'sporax[{PLUGINS[name]}]'")
            )
        if cards and PLUGINS[name] not in extras:
            needed = [".".join(map(str, n)) for n in NEEDS[PLUGINS[name]]]
            yield (
                f"{name} needs an NVIDIA driver from {needed[0]} and compute capability from "
                f"{needed[1]}, but there is {cards[0]}: pip uninstall {name}; {remedy}"
            )
    if len(plugins) > 1:
        unused = next(name for name in plugins if PLUGINS[name] not in extras[:1])
        yield f"two plugins are installed, of which JAX loads one: pip uninstall {unused}"
    if plugins and environment.get("LD_LIBRARY_PATH"):
        yield (
            "LD_LIBRARY_PATH is set, so that other CUDA libraries may be loaded than those that "
            "the plugin was built with: unset LD_LIBRARY_PATH"
        )
    if cards and plugins and "gpu" not in platforms:
        asked = environment.get("JAX_PLATFORMS")
        reason = f"JAX_PLATFORMS={asked}" if asked else "JAX's own message says why"
        yield f"JAX does not use the GPU: {reason}"
