"""Decorators and settings for MindSpore's compiler, which capture by tracing does not need."""

import functools

from sporax._src.core.cell_tree import is_cell_class
from sporax._src.diagnosis.argument_kinds import one_of
from sporax._src.diagnosis.rules import require

_CONFIGURATION = {  # setting -> allowed values
    "jit_level": ("", "O0", "O1", "O2"),
    "exc_mode": ("auto", "sink", "no_sink"),
    "jit_syntax_level": ("", "STRICT", "COMPATIBLE", "LAX"),
    "debug_level": ("RELEASE", "DEBUG"),
    "infer_boost": ("off", "on", ""),
}


class JitConfig:
    """Settings for `Cell.set_jit_config`, stored in `jit_config_dict`; they have no effect on the
    only compiler.

    `jit_level`: '', 'O0', 'O1' or 'O2'. `exc_mode`: 'auto', 'sink' or 'no_sink'.
    `jit_syntax_level`: '', 'STRICT', 'COMPATIBLE' or 'LAX'. `debug_level`: 'RELEASE' or 'DEBUG'.
    `infer_boost`: 'off' or 'on'. Raises ValueError for other values.

    >>> JitConfig(jit_level="O1").jit_config_dict["jit_level"]
    'O1'
    """

    def __init__(
        self, jit_level="", exc_mode="auto", jit_syntax_level="", debug_level="RELEASE",
        infer_boost="off", **kwargs,
    ):  # fmt: skip
        values = (jit_level, exc_mode, jit_syntax_level, debug_level, infer_boost)
        self.jit_config_dict = {**kwargs, **dict(zip(_CONFIGURATION, values, strict=True))}
        for name, allowed in _CONFIGURATION.items():
            one_of(*allowed).checked("JitConfig", name, self.jit_config_dict[name])


def jit_class(cls):
    """Return the class unchanged: a captured function may use any object.

    >>> @jit_class
    ... class Scale:
    ...     factor = 2.0
    >>> jit(lambda x: x * Scale().factor)(Tensor([3.0])).asnumpy()
    array([6.], dtype=float32)
    """
    require(isinstance(cls, type), "class", "jit_class", cls=cls)
    require(not is_cell_class(cls), "not-cell", "jit_class", cls=cls)
    return cls


def constexpr(fn=None, get_instance=True, name=None, reuse_result=True, check=True):
    """Return the function unchanged: code without Tensors runs once, at capture.

    `get_instance`: False returns a function that returns `fn` when called, where MindSpore returns
    a class. `name`, `reuse_result` and `check` are accepted.

    >>> constexpr(lambda n: n * n)(3)
    9
    """
    if fn is None:
        return functools.partial(constexpr, get_instance=get_instance)
    return fn if get_instance else lambda: fn


def lazy_inline(fn=None, attrs=None, policy=None):
    """Return a Cell's `__init__` unchanged: XLA decides about inlining.

    `attrs`: a name or a list of names. `policy`: None or 'front'.

    >>> class Net(nn.Cell):
    ...     @ms.lazy_inline
    ...     def __init__(self):
    ...         super().__init__()
    """
    are_names = attrs is None or isinstance(attrs, str) or _are_names(attrs)
    require(are_names, "string-list-strings", "lazy_inline", attrs=attrs)
    one_of(None, "front")("lazy_inline", policy=policy)
    return _as_it_is if fn is None else fn


def no_inline(fn=None):
    """Return the function unchanged: XLA decides about inlining.

    >>> ms.no_inline(lambda x: x + 1)(2)
    3
    """
    return _as_it_is if fn is None else fn


def cell_attr_register(fn=None, attrs=None):
    """Return a Cell's `__init__` unchanged: a capture guards a Cell's attributes."""
    return _as_it_is if fn is None else fn


def _are_names(attrs):
    return isinstance(attrs, list) and all(isinstance(a, str) for a in attrs)


def _as_it_is(fn):
    return fn


_primexpr = constexpr

__all__ = [
    "JitConfig", "cell_attr_register", "constexpr", "jit_class",
    "lazy_inline", "no_inline",
]  # fmt: skip
