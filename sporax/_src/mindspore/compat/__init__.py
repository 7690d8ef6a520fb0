"""`import mindspore` as sporax, from one table of paths."""

from sporax._src.mindspore.compat.alias import MINDSPORE_VERSION, install_as_mindspore

__all__ = ["MINDSPORE_VERSION", "install_as_mindspore"]
