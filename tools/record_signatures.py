"""Record the signatures of MindSpore's layers and operations; run it where 2.10 is installed.

python tools/record_signatures.py > tests/recorded/signatures.json
python tools/record_signatures.py methods > tests/recorded/overloads.json

Tensor methods are compiled and have no signatures; their error messages list the parameters.
"""

import inspect
import json
import re
import sys

import mindspore
from mindspore import nn, ops

MODULES = {"nn": nn, "ops": ops}


def written(function):
    """Names and defaults, as written in a `def`."""
    parts = []
    for p in inspect.signature(function).parameters.values():
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        default = "" if p.default is p.empty else f"={p.default!r}".replace("mindspore.", "")
        parts.append(f"{stars}{p.name}{default}")
    return ", ".join(parts)


def signatures():
    """{'nn.Dense': ..., 'nn.Dense.construct': ..., 'ops.relu': ...}; classes by their
    constructor."""
    results = {}
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
                    results[f"{module}.{name}{suffix}"] = written(function)
                except ValueError:  # it is compiled, and has no signature
                    continue
    return results


def overloads():
    """{'Tensor.median': ['dim keepdim', 'axis keepdims'], ...}: keywords of each way to call it."""
    results, tensor = {}, mindspore.Tensor([[1.0]])
    for name in dir(tensor):
        method = getattr(tensor, name)
        if name[0] == "_" or not callable(method):
            continue
        try:
            method(no_such_keyword=1)
        except Exception as error:  # noqa: BLE001
            ways = re.findall(rf'^"Tensor.{name}\((.*)\)"$', str(error), re.M)
            ways = [" ".join(re.findall(r"(\w+)=<", way)) for way in ways]
            results[f"Tensor.{name}"] = sorted({way for way in ways if way})
    return {name: ways for name, ways in results.items() if ways}


if __name__ == "__main__":
    mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
    results = overloads() if sys.argv[1:] == ["methods"] else signatures()
    print(json.dumps(results, indent=0))
