"""Signatures of Primitives' arguments, as classes for MindSpore declare them.

Nothing here reads them: a Primitive's `__call__` determines what it writes to.
"""

import enum
from typing import Any, NamedTuple


class sig_rw(enum.IntEnum):
    """The access mode of an argument: read, write, or reference.

    >>> ops.signature.sig_rw.RW_WRITE.value
    1
    """

    RW_READ, RW_WRITE, RW_REF, RW_EMPTY_DEFAULT_VALUE = range(4)


class sig_kind(enum.IntEnum):
    """Kinds of parameters, as in Python."""

    (
        KIND_POSITIONAL_KEYWORD, KIND_VAR_POSITIONAL, KIND_KEYWORD_ONLY, KIND_VAR_KEYWARD,
        KIND_EMPTY_DEFAULT_VALUE,
    ) = range(5)  # fmt: skip


class sig_dtype(enum.IntEnum):
    """Groups of arguments that are promoted to one dtype: T, T1 to T9, or none."""

    T, T1, T2, T3, T4, T5, T6, T7, T8, T9, T_EMPTY_DEFAULT_VALUE = range(11)


class Signature(NamedTuple):
    """One argument: its name, access mode, kind, default and dtype group."""

    name: str
    rw: Any
    kind: Any
    default: Any
    dtype: Any


def make_sig(
    name="var",
    rw=sig_rw.RW_READ,
    kind=sig_kind.KIND_POSITIONAL_KEYWORD,
    default=sig_kind.KIND_EMPTY_DEFAULT_VALUE,
    dtype=sig_dtype.T_EMPTY_DEFAULT_VALUE,
):
    """Return the `Signature` of one argument.

    >>> ops.signature.make_sig("x", dtype=ops.signature.sig_dtype.T).name
    'x'
    """
    return Signature(name, rw, kind, default, dtype)
