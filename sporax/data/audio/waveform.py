"""The base class of audio transforms, and the rules of their arguments."""

import dataclasses
import enum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, get_args

import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.argument_kinds import (
    BOOL,
    INT,
    Kind,
    instance_of,
    member_of,
    one_of,
    optional,
    within,
)
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.data.argument_checks import COUNT, INT32, WHOLE
from sporax.data.operation import TensorOperation

_MOST = 2**24  # float32 represents all integers up to this
UNSET: Any = None  # the default of an argument whose None `_prepare` replaces

REAL, NOT_NEGATIVE = within(-_MOST, _MOST), within(0, _MOST)
POSITIVE, SHARE = within(0, _MOST, ends="(]"), within(0, 1, ends="(]")
NONZERO = Kind(partial(message, "an-int-but-0"), INT.has_type, lambda x: x and INT32.accepts(x))

Real = Annotated[float, REAL]
NotNegative = Annotated[float, NOT_NEGATIVE]
Positive = Annotated[float, POSITIVE]
Share = Annotated[float, SHARE]
Int32 = Annotated[int, INT32]
NonZero = Annotated[int, NONZERO]
Whole = Annotated[int, WHOLE]
Count = Annotated[int, COUNT]


def one_int_of(*allowed):
    """Return the kind of these ints."""
    return one_of(*allowed)._replace(has_type=INT.has_type)


def _kind(field):
    """Return the kind of an argument: of its annotation, or of all instances of its type."""
    annotation = field.type
    if type(None) in get_args(annotation):
        annotation, _ = get_args(annotation)
    if hasattr(annotation, "__metadata__"):
        (kind,) = annotation.__metadata__
    elif annotation is bool:
        kind = BOOL
    else:
        kind = (member_of if issubclass(annotation, enum.Enum) else instance_of)(annotation)
    return optional(kind) if field.default is None and isinstance(kind, Kind) else kind


class AudioTensorOperation(TensorOperation):
    """Base of audio transforms of arrays (..., time), or of spectrograms (..., freq, time).

    Subclasses are dataclasses, except for those with `is_base`, which only declare attributes of
    their subclasses. The fields are the arguments of the constructor. `Annotated` adds the kind to
    the type, or a function of the same call as `Kind.checked`; None is accepted where it is the
    default. `_transformed` receives an array of Float32, or of Float64 if the input is.
    """

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]

        def __init__(self, *args: Any, **kwargs: Any): ...

    _shape = "..., time"  # axes that the input must have; 2: the real and the imaginary part
    _takes_lists = False
    _kinds = "buif"  # kinds of NumPy dtypes
    _keeps_halves = False

    def __init_subclass__(cls, is_base=False):
        if not is_base:
            dataclasses.dataclass(eq=False, repr=False)(cls)
        super().__init_subclass__()
        if not is_base:
            cls.__init__.__annotations__ = {}  # as in MindSpore

    def __post_init__(self):
        for field in dataclasses.fields(self):
            kind: Any = _kind(field)
            checked = getattr(kind, "checked", kind)
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
