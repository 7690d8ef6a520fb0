"""The base class of audio transforms, and the rules of their arguments."""

import dataclasses
from functools import partial

import numpy as np

from sporax.core.tensor import Tensor
from sporax.data import argument_checks as check
from sporax.data.operation import TensorOperation
from sporax.diagnosis.rules import rejection, require

_MOST = 2**24  # float32 represents all integers up to this

REAL = partial(check.number, least=-_MOST, most=_MOST)
NOT_NEGATIVE = partial(check.number, least=0, most=_MOST)
POSITIVE = partial(check.positive, most=_MOST)
SHARE = partial(check.positive, most=1)
WHOLE = check.whole
COUNT = partial(check.whole, least=1)
ANY_INT = partial(check.whole, least=-(2**31))
FLAG = check.true_or_false


def within(least, most):
    """Return the rule for a number in [`least`, `most`]."""
    return partial(check.number, least=least, most=most)


def member(kind):
    """Return the rule for a member of an enumeration."""
    return partial(check.member, kind=kind)


def one_of(*allowed):
    """Return the rule for one of some ints."""
    return lambda who, name, value: check.one_of(who, name, ANY_INT(who, name, value), allowed)


def optional(rule):
    """Return a rule that also accepts None."""
    return lambda who, name, value: None if value is None else rule(who, name, value)


def NONZERO(who, name, value):
    """Check that `value` is an int other than 0."""
    require(ANY_INT(who, name, value) != 0, "not-0", who, argument=name)
    return value


class AudioTensorOperation(TensorOperation):
    """Base of audio transforms of arrays (..., time), or of spectrograms (..., freq, time).

    Subclasses are dataclasses: their fields are the arguments of the constructor, each annotated
    with its rule. `_transformed` receives an array of Float32, or of Float64 if the input is.
    """

    _shape = "..., time"  # axes that the input must have; 2: the real and the imaginary part
    _takes_lists = False
    _kinds = "buif"  # kinds of NumPy dtypes
    _keeps_halves = False

    def __init_subclass__(cls):
        dataclasses.dataclass(eq=False, repr=False)(cls)
        super().__init_subclass__()
        cls.__init__.__annotations__ = {}  # rules are not types

    def __post_init__(self):
        for field in dataclasses.fields(self):
            setattr(self, field.name, field.type(self._who, field.name, getattr(self, field.name)))
        self._prepare()

    def _prepare(self):
        """Check arguments against each other, and replace None by defaults."""

    @property
    def _who(self):
        return type(self).__name__

    def __call__(self, waveform):
        return self._transformed(self._array(waveform))

    def _array(self, waveform):
        """Return the input as an array of Float32 or Float64."""
        if isinstance(waveform, Tensor):
            waveform = waveform.asnumpy()
        require(
            self._takes_lists or isinstance(waveform, np.ndarray),
            "input-numpy-array",
            self._who,
            got=waveform,
        )
        array, sizes = np.asarray(waveform), self._shape.split(", ")[1:]
        if array.dtype.kind not in self._kinds:
            kind = "floats" if self._kinds == "f" else "numbers"
            raise rejection("input-hold", self._who, kind=kind, got=array.dtype)
        require(array.size != 0, "input-not-empty", self._who, shape=array.shape)
        require(
            array.ndim >= len(sizes) and (sizes[-1] != "2" or array.shape[-1] == 2),
            "input-shape",
            self._who,
            shape=self._shape,
            got=array.shape,
        )
        kept = (np.float64, np.float16) if self._keeps_halves else (np.float64,)
        return array if array.dtype in kept else array.astype(np.float32, copy=False)

    def _transformed(self, waveform):
        raise rejection("method-defined", self._who, other="_transformed")


__all__ = ["AudioTensorOperation"]
