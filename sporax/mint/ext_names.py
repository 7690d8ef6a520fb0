"""`mint`'s functions under their names in `mindspore.ops.function` and similar modules:
`gather_ext` is `mint.gather`, `chunk_view` is `mint.chunk`, `inplace_addr` is `mint.addr_`, and
`kthvalue`, which `sporax.ops` lacks, is `mint.kthvalue`.

>>> from sporax.mint import ext_names
>>> ext_names.gather_ext is mint.gather
True
"""

import operator

from sporax import mint
from sporax._src.core.errors import missing
from sporax.ops.declare import MINT


def add_ext(input, other, alpha=1):
    """`mint.add`, with `alpha` also positional."""
    return mint.add(input, other, alpha=alpha)


def sub_ext(input, other, alpha=1):
    """`mint.sub`, with `alpha` also positional."""
    return mint.sub(input, other, alpha=alpha)


def mean_ext(input, dim=None, keepdim=False, dtype=None):
    """`mint.mean`, with `dtype` also positional."""
    return mint.mean(input, dim, keepdim, dtype=dtype)


_SUFFIXES = ("_view", "_ext")  # removed in this order, from the end


def __getattr__(name):
    path = name
    for suffix in _SUFFIXES:
        path = path.removesuffix(suffix)
    if path.startswith("linalg_"):
        path = f"linalg.{path.removeprefix('linalg_')}"
    if path.startswith("inplace_"):
        path = f"{path.removeprefix('inplace_')}_"
    if not name.islower() or name.startswith("__"):
        raise missing("mint.ext_names", name)
    functional = f"nn.functional.{path}"
    is_functional = functional in MINT and not name.endswith("_view")
    return operator.attrgetter(functional if is_functional else path)(mint)


def __dir__():
    return []
