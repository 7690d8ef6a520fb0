"""Record the signatures of MindSpore's layers and operations; run it where 2.10 is installed.

python tools/record_signatures.py > tests/recorded/signatures.json
"""

import inspect
import json

import mindspore
from mindspore import nn, ops

MODULES = {"nn": nn, "ops": ops}


def written(function):
    """Names and defaults, as they stand in a `def`."""
    parts = []
    for p in inspect.signature(function).parameters.values():
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        default = "" if p.default is p.empty else f"={p.default!r}".replace("mindspore.", "")
        parts.append(f"{stars}{p.name}{default}")
    return ", ".join(parts)


def signatures():
    """{'nn.Dense': ..., 'nn.Dense.construct': ..., 'ops.relu': ...}; classes by their making."""
    found = {}
    for module, names in MODULES.items():
        for name in dir(names):
            member = getattr(names, name)
            if name[0] == "_" or inspect.ismodule(member) or not callable(member):
                continue
            kinds = {"": member}
            if isinstance(member, type) and hasattr(member, "construct"):
                kinds[".construct"] = member.construct
            for suffix, function in kinds.items():
                try:
                    found[f"{module}.{name}{suffix}"] = written(function)
                except ValueError:  # it is compiled, and has none
                    continue
    return found


if __name__ == "__main__":
    mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
    print(json.dumps(signatures(), indent=0))
