"""The base class of audio transforms, and the rules of their arguments."""

import dataclasses
from functools import partial

import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.argument_kinds import INT, Kind, one_of, within
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.data.argument_checks import INT32
from sporax.data.operation import TensorOperation

_MOST = 2**24  # float32 represents all integers up to this

REAL, NOT_NEGATIVE = within(-_MOST, _MOST), within(0, _MOST)
POSITIVE, SHARE = within(0, _MOST, ends="(]"), within(0, 1, ends="(]")
NONZERO = Kind(partial(message, "an-int-but-0"), INT.has_type, lambda x: x and INT32.accepts(x))


def one_int_of(*allowed):
    """Return the kind of these ints."""
    return one_of(*allowed)._replace(has_type=INT.has_type)


class AudioTensorOperation(TensorOperation):
    """Base of audio transforms of arrays (..., time), or of spectrograms (..., freq, time).

    Subclasses are dataclasses: their fields are the arguments of the constructor, each annotated
    with its kind, or with a function of the same call as `Kind.checked`. `_transformed` receives an
    array of Float32, or of Float64 if the input is.
    """

    _shape = "..., time"  # axes that the input must have; 2: the real and the imaginary part
    _takes_lists = False
    _kinds = "buif"  # kinds of NumPy dtypes
    _keeps_halves = False

    def __init_subclass__(cls):
        dataclasses.dataclass(eq=False, repr=False)(cls)
        super().__init_subclass__()
        cls.__init__.__annotations__ = {}  # kinds are not types

    def __post_init__(self):
        for field in dataclasses.fields(self):
            checked = getattr(field.type, "checked", field.type)
            setattr(self, field.name, checked(self._who, field.name, getattr(self, field.name)))
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
        is_array = self._takes_lists or isinstance(waveform, np.ndarray)
        require(is_array, "input-numpy-array", self._who, got=waveform)
        array, sizes = np.asarray(waveform), self._shape.split(", ")[1:]
        kind = message("floats-only" if self._kinds == "f" else "numbers-only")
        holds = array.dtype.kind in self._kinds
        require(holds, "input-hold", self._who, kind=kind, got=array.dtype)
        require(array.size, "input-not-empty", self._who, shape=array.shape)
        fits = array.ndim >= len(sizes) and (sizes[-1] != "2" or array.shape[-1] == 2)
        require(fits, "input-shape", self._who, shape=self._shape, got=array.shape)
        kept = (np.float64, np.float16) if self._keeps_halves else (np.float64,)
        return array if array.dtype in kept else array.astype(np.float32, copy=False)

    def _transformed(self, waveform):
        raise rejection("method-defined", self._who, other="_transformed")


__all__ = ["AudioTensorOperation"]
