"""`Symbol`: constraints on a dynamic size."""

from sporax._src.core.tree import tensors_of
from sporax._src.diagnosis.argument_kinds import BOOL
from sporax._src.diagnosis.rules import message, rejection, require


class Symbol:
    """A dynamic size of `Tensor(shape=...)`, for `Cell.set_inputs`: from `min` (default 1) to `max`
    (if greater than `min`), of the form `divisor * N + remainder` with N >= 1; with `unique=True`
    it has the same value wherever this Symbol occurs.

    A captured call of the Cell with other sizes raises ValueError.

    >>> Symbol(max=32, divisor=8).to_dict()
    {'max': 32, 'divisor': 8}
    """

    def __init__(self, max=0, min=1, divisor=1, remainder=0, unique=False, **kwargs):
        numbers = {"max": max, "min": min, "divisor": divisor, "remainder": remainder}
        for name, value in numbers.items():
            require(
                isinstance(value, int),
                "must-be-type",
                "Symbol",
                argument=name,
                got=value,
                kind="an-int",
            )
        BOOL("Symbol", unique=unique)
        for name, value in (("min", min), ("divisor", divisor)):
            require(value >= 1, "positive", "Symbol", argument=name, got=value)
        require(0 <= remainder < divisor, "range-0", "Symbol", remainder=remainder, divisor=divisor)
        self.max, self.min, self.divisor, self.remainder = max, min, divisor, remainder
        self.unique, self.id = unique, id(self)

    def to_dict(self):
        """Return the non-default constraints by name."""
        known = {
            "max": (self.max, self.max > self.min),
            "min": (self.min, self.min > self.divisor + self.remainder),
            "divisor": (self.divisor, self.divisor != 1),
            "remainder": (self.remainder, self.remainder != 0),
            "id": (self.id, self.unique),
        }
        return {name: value for name, (value, is_known) in known.items() if is_known}

    def __str__(self):
        return str(self.to_dict())

    def rule_broken_by(self, size):
        """Return a description of the constraint that a size violates; None if it is valid."""
        if self.min < self.max < size:
            return message("at-most-n", n=self.max)
        if size < self.min:
            return message("at-least-n", n=self.min)
        if self.divisor > 1 and (
            size % self.divisor != self.remainder or size < self.divisor + self.remainder
        ):
            return message("of-the-form", divisor=self.divisor, remainder=self.remainder)
        return None


def check_symbols(declared, tensors):
    """Raise ValueError if the sizes of a call's Tensors violate the Symbols."""
    described = list(tensors_of(declared))
    if len(described) != len(tensors):
        return
    sizes = {}  # sizes of unique Symbols
    for i, (description, tensor) in enumerate(zip(described, tensors, strict=True)):
        dims = getattr(description._value, "dims", None) or ()
        for axis, (dim, size) in enumerate(zip(dims, tensor.shape, strict=False)):
            if not isinstance(dim, Symbol):
                continue
            rule = dim.rule_broken_by(size)
            if rule is None and dim.unique and sizes.setdefault(dim.id, size) != size:
                rule = message("as-elsewhere", size=sizes[dim.id])
            if rule is not None:
                fields = {"axis": axis, "i": i, "law": rule, "shape": tensor.shape}
                raise rejection("size-axis-input", "set_inputs", **fields)
